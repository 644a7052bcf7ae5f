//! The published test list of the best-known open parser, google/robotstxt `robots_test.cc`, as a table of facts.
//!
//! The RFC is followed where the list departs from it: [`where_the_rfc_is_followed_instead`].

use super::*;

/// Both URL examples of its documentation end in this.
const ONLY_FISH: &[&str] =
    &["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html", "/fish.html?id=anything"];

const LINES: &[Case] = &[
    Case { says: "SystemTest: empty file", file: "", agent: "FooBot", allowed: &["", "/"], refused: &[] },
    Case {
        says: "SystemTest: empty agent",
        file: "user-agent: FooBot\ndisallow: /\n",
        agent: "",
        allowed: &["", "/"],
        refused: &[],
    },
    Case {
        says: "SystemTest: empty path",
        file: "user-agent: FooBot\ndisallow: /\n",
        agent: "FooBot",
        allowed: &[],
        refused: &["", "/"],
    },
    Case { says: "SystemTest: all empty", file: "", agent: "", allowed: &[""], refused: &[] },
    Case {
        says: "LineSyntax_Line: correct",
        file: "user-agent: FooBot\ndisallow: /\n",
        agent: "FooBot",
        allowed: &[],
        refused: &["/x/y"],
    },
    Case {
        says: "LineSyntax_Line: incorrect",
        file: "foo: FooBot\nbar: /\n",
        agent: "FooBot",
        allowed: &["/x/y"],
        refused: &[],
    },
    Case {
        says: "LineSyntax_Line: incorrect but accepted",
        file: "user-agent FooBot\ndisallow /\n",
        agent: "FooBot",
        allowed: &[],
        refused: &["/x/y"],
    },
    Case {
        says: "REPLineNamesCaseInsensitive: upper",
        file: "USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n",
        agent: "FooBot",
        allowed: &["/x/y"],
        refused: &["/a/b"],
    },
    Case {
        says: "REPLineNamesCaseInsensitive: lower",
        file: "user-agent: FooBot\nallow: /x/\ndisallow: /\n",
        agent: "FooBot",
        allowed: &["/x/y"],
        refused: &["/a/b"],
    },
    Case {
        says: "REPLineNamesCaseInsensitive: mixed",
        file: "uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n",
        agent: "FooBot",
        allowed: &["/x/y"],
        refused: &["/a/b"],
    },
];

const GROUPS: &str = "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\n\
    disallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n";

const GLOBAL: &str = "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n";

const AGENTS: &[Case] = &[
    Case {
        says: "LineSyntax_Groups",
        file: GROUPS,
        agent: "FooBot",
        allowed: &["/x/b", "/z/d"],
        refused: &["/y/c", "/foo/bar/"],
    },
    Case {
        says: "LineSyntax_Groups",
        file: GROUPS,
        agent: "BarBot",
        allowed: &["/y/c", "/w/a"],
        refused: &["/z/d", "/foo/bar/"],
    },
    Case { says: "LineSyntax_Groups", file: GROUPS, agent: "BazBot", allowed: &["/z/d"], refused: &["/foo/bar/"] },
    Case {
        says: "Groups_OtherRules: sitemap",
        file: "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n",
        agent: "FooBot",
        allowed: &[],
        refused: &["/"],
    },
    Case {
        says: "Groups_OtherRules: sitemap",
        file: "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n",
        agent: "BarBot",
        allowed: &[],
        refused: &["/"],
    },
    Case {
        says: "Groups_OtherRules: unknown",
        file: "User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n",
        agent: "FooBot",
        allowed: &[],
        refused: &["/"],
    },
    Case {
        says: "Groups_OtherRules: unknown",
        file: "User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n",
        agent: "BarBot",
        allowed: &[],
        refused: &["/"],
    },
    Case {
        says: "AcceptUserAgentUpToFirstSpace",
        file: "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n",
        agent: "Foo",
        allowed: &["/x/y"],
        refused: &["/y"],
    },
    Case {
        says: "AcceptUserAgentUpToFirstSpace",
        file: "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n",
        agent: "Foo Bar",
        allowed: &[],
        refused: &["/x/y"],
    },
    Case {
        says: "LongestMatch: only within the own group",
        file: "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n",
        agent: "FooBot",
        allowed: &["/x/page"],
        refused: &["/y/page"],
    },
    Case { says: "GlobalGroups_Secondary", file: "", agent: "FooBot", allowed: &["/x/y"], refused: &[] },
    Case { says: "GlobalGroups_Secondary", file: GLOBAL, agent: "FooBot", allowed: &[], refused: &["/x/y"] },
    Case { says: "GlobalGroups_Secondary", file: GLOBAL, agent: "BarBot", allowed: &["/x/y"], refused: &[] },
    Case {
        says: "GlobalGroups_Secondary: only specific",
        file: "user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /\nuser-agent: BazBot\ndisallow: /\n",
        agent: "QuxBot",
        allowed: &["/x/y"],
        refused: &[],
    },
];

/// Every file begins with `user-agent: FooBot`, which asks.
const RULES: &[(&str, &str, &[&str], &[&str])] = &[
    ("Value_CaseSensitive: lower", "disallow: /x/\n", &[], &["/x/y"]),
    ("Value_CaseSensitive: upper", "disallow: /X/\n", &["/x/y"], &[]),
    ("LongestMatch 1", "disallow: /x/page.html\nallow: /x/\n", &[], &["/x/page.html"]),
    ("LongestMatch 2", "allow: /x/page.html\ndisallow: /x/\n", &["/x/page.html"], &["/x/"]),
    ("LongestMatch 3", "disallow: \nallow: \n", &["/x/page.html"], &[]),
    ("LongestMatch 4", "disallow: /\nallow: /\n", &["/x/page.html"], &[]),
    ("LongestMatch 5", "disallow: /x\nallow: /x/\n", &["/x/"], &["/x"]),
    ("LongestMatch 6", "disallow: /x/page.html\nallow: /x/page.html\n", &["/x/page.html"], &[]),
    ("LongestMatch 7", "allow: /page\ndisallow: /*.html\n", &["/page"], &["/page.html"]),
    ("LongestMatch 8", "allow: /x/page.\ndisallow: /*.html\n", &["/x/page.html"], &["/x/y.html"]),
    (
        "Encoding: a query stays as it is",
        "Disallow: /\nAllow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par\n",
        &["/foo/bar?qux=taz&baz=http://foo.bar?tar&par"],
        &[],
    ),
    ("Encoding: 3 bytes", "Disallow: /\nAllow: /foo/bar/\u{30c4}\n", &["/foo/bar/%E3%83%84"], &[]),
    ("Encoding: 3 bytes escaped", "Disallow: /\nAllow: /foo/bar/%E3%83%84\n", &["/foo/bar/%E3%83%84"], &[]),
    ("Encoding: unreserved", "Disallow: /\nAllow: /foo/bar/%62%61%7A\n", &["/foo/bar/%62%61%7A"], &[]),
    (
        "SpecialCharacters: *",
        "Disallow: /foo/bar/quz\nAllow: /foo/*/qux\n",
        &["/foo/quz", "/foo//quz", "/foo/bax/quz"],
        &["/foo/bar/quz"],
    ),
    (
        "SpecialCharacters: $",
        "Disallow: /foo/bar$\nAllow: /foo/bar/qux\n",
        &["/foo/bar/qux", "/foo/bar/", "/foo/bar/baz"],
        &["/foo/bar"],
    ),
    ("SpecialCharacters: #", "# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /\n", &["/foo/bar"], &["/foo/quz"]),
    (
        "IndexHTMLisDirectory",
        "Allow: /allowed-slash/index.html\nDisallow: /\n",
        &["/allowed-slash/", "/allowed-slash/index.html"],
        &["/allowed-slash/index.htm", "/anyother-url"],
    ),
    (
        "DocumentationChecks: /fish",
        "disallow: /\nallow: /fish\n",
        ONLY_FISH,
        &["/bar", "/Fish.asp", "/catfish", "/?id=fish"],
    ),
    (
        "DocumentationChecks: /fish*",
        "disallow: /\nallow: /fish*\n",
        ONLY_FISH,
        &["/bar", "/Fish.bar", "/catfish", "/?id=fish"],
    ),
    (
        "DocumentationChecks: /fish/",
        "disallow: /\nallow: /fish/\n",
        &["/fish/", "/fish/salmon", "/fish/?salmon", "/fish/salmon.html", "/fish/?id=anything"],
        &["/bar", "/fish", "/fish.html", "/Fish/Salmon.html"],
    ),
    (
        "DocumentationChecks: /*.php",
        "disallow: /\nallow: /*.php\n",
        &[
            "/filename.php",
            "/folder/filename.php",
            "/folder/filename.php?parameters",
            "//folder/any.php.file.html",
            "/filename.php/",
            "/index?f=filename.php/",
        ],
        &["/bar", "/php/", "/index?php", "/windows.PHP"],
    ),
    (
        "DocumentationChecks: /*.php$",
        "disallow: /\nallow: /*.php$\n",
        &["/filename.php", "/folder/filename.php"],
        &[
            "/bar",
            "/filename.php?parameters",
            "/filename.php/",
            "/filename.php5",
            "/php/",
            "/filename?php",
            "/aaaphpaaa",
            "//windows.PHP",
        ],
    ),
    (
        "DocumentationChecks: /fish*.php",
        "disallow: /\nallow: /fish*.php\n",
        &["/fish.php", "/fishheads/catfish.php?parameters"],
        &["/bar", "/Fish.PHP"],
    ),
    ("DocumentationChecks: precedence 1", "allow: /p\ndisallow: /\n", &["/page"], &[]),
    ("DocumentationChecks: precedence 2", "allow: /folder\ndisallow: /folder\n", &["/folder/page"], &[]),
    ("DocumentationChecks: precedence 3", "allow: /page\ndisallow: /*.htm\n", &[], &["/page.htm"]),
    ("DocumentationChecks: precedence 4", "allow: /$\ndisallow: /\n", &["/"], &["/page.html"]),
];

#[test]
fn lines_and_agents() {
    check(LINES);
    check(AGENTS);
    for file in ["FOO BAR", "foo bar", "FoO bAr"].map(|name| format!("User-Agent: {name}\nAllow: /x/\nDisallow: /\n")) {
        for agent in ["Foo", "foo"] {
            let robots_txt = RobotsTxt::parse(file.as_bytes(), agent);
            assert!(robots_txt.allows("/x/y") && !robots_txt.allows("/a/b"), "UserAgentValueCaseInsensitive: {file}");
        }
    }
}

#[test]
fn allow_and_disallow() {
    for (says, rules, allowed, refused) in RULES {
        let file = format!("user-agent: FooBot\n{rules}").leak();
        check(&[Case { says, file, agent: "FooBot", allowed, refused }]);
    }
}

#[test]
fn where_the_rfc_is_followed_instead() {
    // The list takes paths as they are and refuses the first two; section 2.2.2 of the RFC compares after normalising.
    let allow = |path: &str| RobotsTxt::parse(format!("user-agent: *\ndisallow: /\nallow: {path}\n").as_bytes(), "x");
    assert!(allow("/foo/bar/\u{30c4}").allows("/foo/bar/\u{30c4}"));
    assert!(allow("/foo/bar/%E3%83%84").allows("/foo/bar/\u{30c4}"));
    assert!(allow("/foo/bar/%62%61%7A").allows("/foo/bar/baz"));
    // The file itself is allowed by the RFC only.
    assert!(allow("/x").allows("/robots.txt"));
}

#[test]
fn product_tokens() {
    for valid in ["Foobot", "Foobot-Bar", "Foo_Bar"] {
        assert!(is_product_token(valid), "{valid}");
    }
    for invalid in ["", "\u{30c4}", "Foobot*", " Foobot ", "Foobot/2.1", "Foobot Bar"] {
        assert!(!is_product_token(invalid), "{invalid}");
    }
}

#[test]
fn long_lines_are_cut() {
    let line = 2_083 * 8;
    let path = |name: &str, letter: &str| format!("/x/{}", letter.repeat(line - 3 - name.len() + 1 - 3));
    let (a, b) = (path("allow: ", "a"), path("allow: ", "b"));
    let file = format!("user-agent: FooBot\ndisallow: /\nallow: {a}/qux\nallow: {b}/qux\n");
    let robots_txt = RobotsTxt::parse(file.as_bytes(), "FooBot");
    assert!(!robots_txt.allows("/"));
    assert!(robots_txt.allows(&format!("{a}/qux")) && robots_txt.allows(&format!("{b}/fux")));

    let long = path("disallow: ", "a");
    let robots_txt = RobotsTxt::parse(format!("user-agent: FooBot\ndisallow: {long}/qux\n").as_bytes(), "FooBot");
    assert!(robots_txt.allows("/fux"));
    assert!(!robots_txt.allows(&format!("{long}/fux")));
}

#[test]
fn all_kinds_of_line_ends_count() {
    use Field::{Allow, Disallow, UserAgent};
    let lines = ["User-Agent: foo", "Allow: /some/path", "User-Agent: bar", "", "", "Disallow: /"];
    let expected: [(Field, &[u8]); 4] =
        [(UserAgent, b"foo"), (Allow, b"/some/path"), (UserAgent, b"bar"), (Disallow, b"/")];
    for end in ["\n", "\r\n", "\r"] {
        assert_eq!(read(lines.join(end).as_bytes()).collect::<Vec<_>>(), expected, "{end:?}, none at the end");
        assert_eq!(read((lines.join(end) + end).as_bytes()).collect::<Vec<_>>(), expected, "{end:?}");
    }
    let mixed = b"User-Agent: foo\nAllow: /some/path\r\nUser-Agent: bar\n\r\n\nDisallow: /";
    assert_eq!(read(mixed).collect::<Vec<_>>(), expected);
}

#[test]
fn byte_order_marks_are_skipped() {
    let count = |file: &[u8]| read(file).count();
    let with = |mark: &[u8]| [mark, b"User-Agent: foo\nAllow: /AnyValue\n"].concat();
    for whole_or_part in [&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF", b""] {
        assert_eq!(count(&with(whole_or_part)), 2, "{whole_or_part:?}");
    }
    assert_eq!(count(&with(b"\xEF\x11\xBF")), 1);
    assert_eq!(count(b"User-Agent: foo\n\xEF\xBB\xBFAllow: /AnyValue\n"), 1);
}

#[test]
fn sitemaps_are_found_anywhere() {
    let group = "User-Agent: foo\nAllow: /some/path\nUser-Agent: bar\n\n\n";
    let sitemap = "Sitemap: http://foo.bar/sitemap.xml\n";
    for file in [format!("{group}{sitemap}"), format!("{sitemap}{group}")] {
        assert_eq!(RobotsTxt::parse(file.as_bytes(), "other").sitemaps(), ["http://foo.bar/sitemap.xml"]);
    }
}

#[test]
fn misspelt_names_are_understood() {
    let names = |file: &str| read(file.as_bytes()).map(|(field, _)| field).collect::<Vec<_>>();
    for name in ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"] {
        assert_eq!(names(&format!("{name}: /")), [Field::Disallow], "{name}");
    }
    assert_eq!(names("useragent: a\nuser agent: b\nsite-map: c\nsitemap: d"), {
        [Field::UserAgent, Field::UserAgent, Field::Sitemap, Field::Sitemap]
    });
    let file = "User-Agent bar # no\nabsolutely random line\n#so comment, much wow\n\nunicorns: /extinct\n\
        noarchive: /some\nError #and comment\nuseragent: baz\ndisallaw: /some\nsite-map: https://e/s.xml #comment\n";
    assert_eq!(names(file), [Field::UserAgent, Field::UserAgent, Field::Disallow, Field::Sitemap]);
}

#[test]
fn paths_are_taken_from_urls() {
    let cases = [
        ("http://www.example.com", "/"),
        ("http://www.example.com/", "/"),
        ("http://www.example.com/a", "/a"),
        ("http://www.example.com/a/", "/a/"),
        ("http://www.example.com/a/b?c=http://d.e/", "/a/b?c=http://d.e/"),
        ("http://www.example.com/a/b?c=d&e=f#fragment", "/a/b?c=d&e=f"),
        ("http://example.com?a", "/?a"),
        ("http://example.com/a;b#c", "/a;b"),
    ];
    for (url, path) in cases {
        assert_eq!(PageUrl::parse(url).unwrap().path_and_query(), path, "{url}");
    }
    for (given, path) in [("", "/"), ("/a", "/a"), ("?a", "/?a"), ("/a/b?c#d", "/a/b?c"), ("/\u{e1}", "/%C3%A1")] {
        assert_eq!(&*comparable_path(given), path.as_bytes(), "{given}");
    }
    assert_eq!(&*comparable_path("/%aa"), b"/%AA");
}
