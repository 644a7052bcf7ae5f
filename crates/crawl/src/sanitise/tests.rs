use proptest::prelude::*;

use super::*;

fn clean(html: &str) -> String {
    sanitise(html.as_bytes(), Some("text/html"), "https://example.org/a/b", &Limits::default(), 1 << 20).unwrap()
}

#[test]
fn what_is_said_stays() {
    let page = "<!doctype html><title>T</title><body><h1>Head &amp; line</h1><p>One <b>bold</b><p>Two<ul><li>a<li>b</ul>\
                <table><tr><td>1<td>2<tr><td>3</table><img src=x.png alt='a bird'><br><pre> x\n  y</pre>";
    assert_eq!(
        clean(page),
        "<h2>Head &amp; line</h2><p>One <b>bold</b></p><p>Two</p><ul><li>a</li><li>b</li></ul>\
         <table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>[a bird]<br><pre> x\n  y</pre>"
    );
}

#[test]
fn links_lead_to_pages_only() {
    let link = |href: &str| clean(&format!("<a href=\"{href}\">x</a>"));
    let to = |url: &str| format!("<a rel=\"nofollow noopener\" href=\"{url}\">x</a>");
    assert_eq!(link("c?d=1&amp;e=2"), to("https://example.org/a/c?d=1&amp;e=2"));
    assert_eq!(link("//other.example/"), to("https://other.example/"));
    for nothing in
        ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "mailto:a@b", ""]
    {
        assert!(!link(nothing).contains("script:") && !link(nothing).contains("data:"), "{nothing}: {}", link(nothing));
    }
    assert_eq!(clean("<base href=/z/><a href=y>x"), to("https://example.org/z/y"));
    assert_eq!(clean("<base href=javascript:1><a href=y>x"), to("https://example.org/a/y"));
}

#[test]
fn what_does_something_goes() {
    let hostile = [
        "<script>alert(1)</script>",
        "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)><script>alert(1)</script><a href=javascript:alert(1)>x</a></svg>",
        "<math><mi xlink:href=javascript:alert(1)></mi></math>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<form action=//evil.example><input name=a><button>b</button></form>",
        "<style>@import '//evil.example'</style><link rel=stylesheet href=//evil.example>",
        "<p style='background:url(//evil.example)' onclick=alert(1)>x",
        "<meta http-equiv=refresh content='0;url=//evil.example'>",
        "<object data=//evil.example><embed src=//evil.example></object>",
        "<template><script>alert(1)</script></template>",
        "<textarea></textarea><script>alert(1)</script>",
        "<!--><script>alert(1)</script>-->",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<video src=//evil.example><source src=//evil.example></video><audio src=x autoplay></audio>",
        "</div></main></body><div class=top>",
        "<a href='https://example.org/\" onclick=\"alert(1)'>x</a>",
        "<<script>alert(1)//<</script>",
        "<p title=\"><script>alert(1)</script>\">x",
    ];
    for html in hostile {
        assert_harmless(&clean(html));
    }
}

#[test]
fn plain_text_is_text() {
    let text =
        sanitise(b"a < b\n<script>", Some("text/plain"), "https://example.org/a.txt", &Limits::default(), 100).unwrap();
    assert_eq!(text, "<pre>a &lt; b\n&lt;script&gt;</pre>");
    assert!(sanitise(b"\x00\x01\x02", Some("image/png"), "https://example.org/", &Limits::default(), 100).is_err());
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = clean(&"<div><b>".repeat(100_000));
    assert!(deep.len() < 2_000, "{}", deep.len());
    let limits = Limits::default();
    let long =
        sanitise("<p>x".repeat(100_000).as_bytes(), Some("text/html"), "https://e.org/", &limits, 1_000).unwrap();
    assert!(long.len() < 1_100 && long.ends_with("</p>"));
}

/// Every tag is one of ours, closed as it was opened, and has no attribute but the address of a page.
fn assert_harmless(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut parts = html.split('<');
    assert!(!parts.next().unwrap().contains('>'), "{html}");
    for part in parts {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("an open tag: {html}"));
        assert!(!text.contains('>'), "{html}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{html}");
            continue;
        }
        let (name, rest) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
        assert!(ELEMENTS.iter().any(|(_, written, _)| *written == name), "{name} in {html}");
        if !rest.is_empty() {
            let href = rest.strip_prefix(" rel=\"nofollow noopener\" href=\"http").unwrap_or_else(|| panic!("{html}"));
            assert!(name == "a" && href.find('"') == Some(href.len() - 1), "{html}");
        }
        if !matches!(name, "br" | "hr") {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{html}");
}

proptest! {
    #[test]
    fn whatever_it_is_it_is_harmless(
        parts in prop::collection::vec(
            prop_oneof![
                Just("<script>"), Just("</script>"), Just("<a href=\""), Just("\">"), Just("<p"), Just(">"), Just("</"), Just("<td>"),
                Just("<table>"), Just("</table>"), Just("<li>"), Just("<svg>"), Just("</svg>"), Just("<!--"), Just("-->"), Just("'"),
                Just("<a href=//x>"), Just("<h1>"), Just("</h2>"), Just("&lt;"), Just("<img alt='"), Just("text"), Just("<base href=y>"),
                Just("\u{0}"), Just("<title>"), Just("<textarea>"), Just("<div"), Just(" onload=1"), Just("javascript:1"), Just("\n"),
            ],
            0..40,
        )
    ) {
        // With a zero in front it counts as no text at all.
        let page = sanitise(parts.concat().as_bytes(), Some("text/html"), "https://example.org/", &Limits::default(), 1 << 20);
        let has_zero = parts.contains(&"\0");
        prop_assert!(page.is_ok() || has_zero);
        page.iter().for_each(|html| assert_harmless(html));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(html) = sanitise(&bytes, Some("text/html"), "https://example.org/", &Limits::default(), 1_000) {
            assert_harmless(&html);
        }
    }
}
