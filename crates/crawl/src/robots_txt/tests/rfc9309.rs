//! The rules and examples of RFC 9309, by section.

use super::*;

/// Section 5.1, "Simple Example".
const SIMPLE: &str = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
    User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
    User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n\
    User-Agent: quxbot\n";

#[test]
fn examples_of_section_5() {
    check(&[
        Case {
            says: "5.1: rules for everyone",
            file: SIMPLE,
            agent: "otherbot",
            allowed: &["/", "/publications/", "/x.gif?y", "/publications/a.html", "/example"],
            refused: &["/x.gif", "/a/b.gif", "/example/", "/example/page.html", "/publications.gif"],
        },
        Case {
            says: "5.1: more octets win, publications over *.gif$",
            file: SIMPLE,
            agent: "otherbot",
            allowed: &["/publications/x.gif"],
            refused: &[],
        },
        Case {
            says: "5.1: foobot",
            file: SIMPLE,
            agent: "FooBot",
            allowed: &["/example/page.html", "/example/allowed.gif"],
            refused: &["/", "/publications/", "/x.gif", "/example/"],
        },
        Case {
            says: "5.1: barbot shares a group",
            file: SIMPLE,
            agent: "barbot",
            allowed: &["/", "/x.gif", "/example/"],
            refused: &["/example/page.html"],
        },
        Case {
            says: "5.1: bazbot shares a group",
            file: SIMPLE,
            agent: "bazbot",
            allowed: &["/", "/x.gif", "/example/"],
            refused: &["/example/page.html"],
        },
        Case {
            says: "5.1: a group without rules allows everything",
            file: SIMPLE,
            agent: "quxbot",
            allowed: &["/", "/x.gif", "/example/page.html"],
            refused: &[],
        },
        Case {
            says: "5.2: the longest match wins",
            file: "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n",
            agent: "foobot",
            allowed: &["/example/page/", "/example/page/allowed.gif", "/elsewhere"],
            refused: &["/example/page/disallowed.gif"],
        },
    ]);
}

#[test]
fn groups_of_section_2_2_1() {
    let merged = "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
    let apart = "user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
    check(&[
        Case {
            says: "groups for the same crawler are one",
            file: merged,
            agent: "examplebot",
            allowed: &["/", "/fo"],
            refused: &["/foo", "/bar", "/baz"],
        },
        Case {
            says: "no group matches and none is for everyone: no rules",
            file: merged,
            agent: "OtherBot",
            allowed: &["/foo", "/baz"],
            refused: &[],
        },
        Case { says: "own group", file: apart, agent: "ExampleBot", allowed: &["/foo", "/bar"], refused: &["/baz"] },
        Case { says: "for everyone", file: apart, agent: "x", allowed: &["/baz"], refused: &["/foo", "/bar"] },
        Case {
            says: "groups for everyone are one, too",
            file: "user-agent: *\ndisallow: /a\nuser-agent: Other\ndisallow: /b\nuser-agent: *\ndisallow: /c\n",
            agent: "FooBot",
            allowed: &["/b"],
            refused: &["/a", "/c"],
        },
        Case {
            says: "a token is not matched by part of another",
            file: "user-agent: FooBot-News\ndisallow: /\nuser-agent: Foo\ndisallow: /\n",
            agent: "FooBot",
            allowed: &["/"],
            refused: &[],
        },
        Case {
            says: "a version behind the token is ignored",
            file: "user-agent: FooBot/2.1\ndisallow: /\n",
            agent: "FooBot",
            allowed: &[],
            refused: &["/"],
        },
    ]);
}

#[test]
fn paths_of_section_2_2_2() {
    check(&[
        Case {
            says: "octets are compared with regard to case",
            file: "user-agent: *\ndisallow: /Foo\n",
            agent: "FooBot",
            allowed: &["/foo"],
            refused: &["/Foo"],
        },
        Case {
            says: "the file itself is always allowed",
            file: "user-agent: *\ndisallow: /\n",
            agent: "FooBot",
            allowed: &["/robots.txt"],
            refused: &["/robots.txt?x", "/robots.txt/", "/"],
        },
        Case {
            says: "table: a query as it is",
            file: "user-agent: *\ndisallow: /foo/bar?baz=quz\n",
            agent: "FooBot",
            allowed: &["/foo/bar?baz=", "/foo/bar"],
            refused: &["/foo/bar?baz=quz", "/foo/bar?baz=quz&x"],
        },
        Case {
            says: "table: reserved characters in a query",
            file: "user-agent: *\ndisallow: /foo/bar?baz=https://foo.bar\n",
            agent: "FooBot",
            allowed: &["/foo/bar?baz=https:%2F"],
            refused: &["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"],
        },
        Case {
            says: "table: the same, with escapes in the rule",
            file: "user-agent: *\ndisallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar\n",
            agent: "FooBot",
            allowed: &[],
            refused: &["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3a%2f%2ffoo.bar"],
        },
        Case {
            says: "table: characters outside ASCII",
            file: "user-agent: *\ndisallow: /foo/bar/\u{30c4}\n",
            agent: "FooBot",
            allowed: &["/foo/bar/%E3%83%85"],
            refused: &["/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", "/foo/bar/\u{30c4}"],
        },
        Case {
            says: "table: the same, with escapes in the rule",
            file: "user-agent: *\ndisallow: /foo/bar/%E3%83%84\n",
            agent: "FooBot",
            allowed: &["/foo/bar/"],
            refused: &["/foo/bar/%E3%83%84", "/foo/bar/\u{30c4}"],
        },
        Case {
            says: "table: unreserved characters lose their escapes",
            file: "user-agent: *\ndisallow: /foo/bar/%62%61%7A\n",
            agent: "FooBot",
            allowed: &["/foo/bar/ba"],
            refused: &["/foo/bar/baz", "/foo/bar/%62%61%7A"],
        },
        Case {
            says: "separators keep them",
            file: "user-agent: *\ndisallow: /a%2fb\ndisallow: /q?x=a%26y=b\n",
            agent: "FooBot",
            allowed: &["/a/b", "/q?x=a&y=b"],
            refused: &["/a%2Fb", "/a%2fb", "/q?x=a%26y=b"],
        },
        Case {
            says: "other reserved characters are compared in one form",
            file: "user-agent: *\ndisallow: /private[1]\ndisallow: /user%3A%40\n",
            agent: "FooBot",
            allowed: &["/private"],
            refused: &["/private%5B1%5D", "/private[1]", "/user:@", "/user%3a@x"],
        },
        Case {
            says: "characters that are neither",
            file: "user-agent: *\ndisallow: /a b\"<|\n",
            agent: "FooBot",
            allowed: &["/a"],
            refused: &["/a%20b%22%3C|", "/a%20b%22%3c%7C"],
        },
        Case {
            says: "an empty path is no rule",
            file: "user-agent: *\ndisallow:\n",
            agent: "FooBot",
            allowed: &["/", "/x"],
            refused: &[],
        },
    ]);
}

#[test]
fn special_characters_of_section_2_2_3() {
    check(&[
        Case {
            says: "# begins a comment",
            file: "user-agent: * # all\ndisallow: / # comment in line\n# comment on its own line\nallow: /a#b\n",
            agent: "FooBot",
            allowed: &["/a"],
            refused: &["/", "/b"],
        },
        Case {
            says: "$ is the end",
            file: "user-agent: *\ndisallow: /\nallow: /this/path/exactly$\n",
            agent: "FooBot",
            allowed: &["/this/path/exactly"],
            refused: &["/this/path/exactly/", "/this/path/exactly?x"],
        },
        Case {
            says: "* is anything, also nothing",
            file: "user-agent: *\ndisallow: /\nallow: /this/*/exactly\n",
            agent: "FooBot",
            allowed: &["/this/path/exactly", "/this/a/b/exactly", "/this//exactly", "/this/path/exactly/x"],
            refused: &["/this/exactly"],
        },
        Case {
            says: "%2A is a star in the path",
            file: "user-agent: *\ndisallow: /path/file-with-a-%2A.html\n",
            agent: "FooBot",
            allowed: &["/path/file-with-a-b.html"],
            refused: &["/path/file-with-a-*.html", "/path/file-with-a-%2a.html"],
        },
        Case {
            says: "%24 is a dollar in the path",
            file: "user-agent: *\ndisallow: /path/foo-%24\n",
            agent: "FooBot",
            allowed: &["/path/foo-"],
            refused: &["/path/foo-$", "/path/foo-%24", "/path/foo-$x"],
        },
        Case {
            says: "a dollar elsewhere is a dollar",
            file: "user-agent: *\ndisallow: /a$b\n",
            agent: "FooBot",
            allowed: &["/a"],
            refused: &["/a$b", "/a$bc"],
        },
    ]);
}

#[test]
fn other_records_of_section_2_2_4_end_no_group() {
    for other in ["Sitemap: https://foo.bar/s.xml", "Sitemaps: x", "Crawl-delay: 5", "Noindex: /x", "nonsense"] {
        let file = format!("User-agent: FooBot\n{other}\nUser-agent: *\nDisallow: /\n");
        for agent in ["FooBot", "BarBot"] {
            assert!(!RobotsTxt::parse(file.as_bytes(), agent).allows("/"), "{other}: {agent}");
        }
    }
}
