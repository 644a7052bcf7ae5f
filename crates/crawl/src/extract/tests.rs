use encoding_rs::{EUC_JP, ISO_2022_JP, KOI8_R, SHIFT_JIS, UTF_16LE, WINDOWS_1251, WINDOWS_1252};
use proptest::prelude::*;

use super::*;

mod change;
mod facts;
mod hostile;
mod speed;

/// A page of each layout with its main text.
const PAGES: [(&str, &str, &str); 8] = [
    ("docs", include_str!("tests/pages/docs.html"), include_str!("tests/pages/docs.txt")),
    ("blog", include_str!("tests/pages/blog.html"), include_str!("tests/pages/blog.txt")),
    ("news", include_str!("tests/pages/news.html"), include_str!("tests/pages/news.txt")),
    ("wiki", include_str!("tests/pages/wiki.html"), include_str!("tests/pages/wiki.txt")),
    ("forum", include_str!("tests/pages/forum.html"), include_str!("tests/pages/forum.txt")),
    ("broken", include_str!("tests/pages/broken.html"), include_str!("tests/pages/broken.txt")),
    ("russian", include_str!("tests/pages/russian.html"), include_str!("tests/pages/russian.txt")),
    ("japanese", include_str!("tests/pages/japanese.html"), include_str!("tests/pages/japanese.txt")),
];

fn html(page: impl AsRef<[u8]>) -> Extracted {
    extract(page.as_ref(), Some("text/html"), "https://example.org/page", &Limits::default()).unwrap()
}

fn page(name: &str) -> &'static str {
    PAGES.iter().find(|(known, _, _)| *known == name).unwrap().1
}

#[test]
fn main_text_of_each_layout() {
    for (name, page, expected) in PAGES {
        let found = html(page);
        assert_eq!(found.text, expected.trim_end(), "{name}");
        assert!(found.words > 0, "{name}");
    }
}

#[test]
fn legacy_encodings_give_the_same_text() {
    let (russian, japanese) = (page("russian"), page("japanese"));
    for (encoding, page, content_type) in [
        (WINDOWS_1251, russian, "text/html"),
        (WINDOWS_1251, russian, "text/html; charset=windows-1251"),
        (KOI8_R, russian, "text/html; Charset=\"koi8-r\""),
        (SHIFT_JIS, japanese, "text/html"),
        (SHIFT_JIS, japanese, "text/html; charset=utf-8"),
        (EUC_JP, japanese, "text/html; charset=euc-jp"),
        (ISO_2022_JP, japanese, "text/html; charset=iso-2022-jp"),
    ] {
        let (bytes, _, failed) = encoding.encode(page);
        assert!(!failed);
        let found = extract(&bytes, Some(content_type), "https://example.org/", &Limits::default()).unwrap();
        assert_eq!(found.text, html(page).text, "{} as {content_type}", encoding.name());
        assert_eq!(found.charset, encoding.name());
    }
}

#[test]
fn charset_is_found_without_or_against_declarations() {
    let undeclared = page("russian").replace("; charset=windows-1251", "");
    let found = html(WINDOWS_1251.encode(&undeclared).0);
    assert_eq!((found.charset, found.text), ("windows-1251", html(&undeclared).text));

    let wrong = page("japanese").replace("Shift_JIS", "iso-8859-1");
    assert_eq!(html(&wrong).charset, "UTF-8", "valid UTF-8 is UTF-8");

    let text =
        "<p>Un été à la française, où l'on mange des pâtes, des crêpes et du pâté jusqu'à la fin de l'après-midi.";
    let found = html(WINDOWS_1252.encode(text).0);
    assert_eq!((found.charset, found.text.as_str()), ("windows-1252", &text[3..]));

    let mut wide = vec![0xFF, 0xFE];
    wide.extend(page("blog").encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(html(&wide).text, html(page("blog")).text);
    assert_eq!(html(&wide[2..]).charset, UTF_16LE.name(), "without a byte order mark");
    assert_eq!(html(["\u{feff}", page("wiki")].concat()).text, html(page("wiki")).text);
    assert_eq!(html(b"<p>caf\xC3\xA9 cut in a char\xC3").text, "café cut in a char\u{fffd}");
}

#[test]
fn language_is_declared_or_detected() {
    for (name, language) in
        [("docs", "en"), ("blog", "en"), ("wiki", "de"), ("russian", "ru"), ("japanese", "ja"), ("news", "en")]
    {
        assert_eq!(html(page(name)).language.unwrap().as_str(), language, "{name}");
    }
    let lying = page("wiki").replace("lang=\"de\"", "lang=\"en\"");
    assert_eq!(html(&lying).language.unwrap().as_str(), "de");
}

#[test]
fn kinds_are_recognised() {
    let limits = Limits::default();
    let kind = |bytes: &[u8], content_type: Option<&str>, url: &str| {
        extract(bytes, content_type, url, &limits).map(|page| page.kind)
    };
    let html = b"<!-- x --> <!DOCTYPE html><p>Text";
    assert_eq!(kind(html, None, "https://a.org/"), Ok(Kind::Html));
    assert_eq!(kind(html, Some("text/html;charset=utf-8"), ""), Ok(Kind::Html));
    assert_eq!(kind(html, Some("application/octet-stream"), ""), Ok(Kind::Html));
    assert_eq!(kind(html, Some("text/plain"), ""), Ok(Kind::Text), "text that is HTML is text");
    assert_eq!(kind(html, Some("application/xhtml+xml"), ""), Ok(Kind::Xhtml));
    assert_eq!(kind(b"# Title", Some("text/plain"), "https://a.org/README.md?x=1"), Ok(Kind::Markdown));
    assert_eq!(kind(b"# Title", Some("text/markdown; charset=utf-8"), ""), Ok(Kind::Markdown));
    assert_eq!(kind(b"just text", None, "https://a.org/notes"), Ok(Kind::Text));
    let xhtml = b"<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><body>x</body></html>";
    assert_eq!(kind(xhtml, Some("application/xml"), ""), Ok(Kind::Xhtml));
    for (bytes, content_type) in [
        (&b"<?xml version=\"1.0\"?><rss/>"[..], Some("text/xml")),
        (b"\x89PNG\r\n\x1A\n\0\0\0", None),
        (b"\x89PNG\r\n\x1A\n\0\0\0", Some("text/html")),
        (b"{}", Some("application/json")),
        (b"some text", Some("application/pdf")),
        (b"", None),
        (b"anything", Some("image/png")),
    ] {
        assert!(matches!(kind(bytes, content_type, ""), Err(ExtractError::Unsupported { .. })), "{content_type:?}");
    }
}

#[test]
fn a_page_that_has_text_is_never_empty() {
    for (page, text) in [
        ("just words", "just words"),
        ("<nav><a href=/a>Only</a> <a href=/b>links</a></nav>", "Only links"),
        ("<div hidden>Hidden words</div>", "Hidden words"),
        ("<noscript>Please enable JavaScript</noscript>", "Please enable JavaScript"),
        ("<main></main><div class=footer>All there is</div>", "All there is"),
        ("<title>t</title><p>One</p><p>Two</p>", "One\nTwo"),
        (
            "<body class=sidebar><div class=menu><p>A page whose only wrapper is called a menu, as happens, has to be read \
          all the same, since there is nothing else on it that could be meant instead of this.</p></div>",
            "A page whose only wrapper is called a menu, as happens, has to be read all the same, since there is nothing \
          else on it that could be meant instead of this.",
        ),
    ] {
        assert_eq!(html(page).text, text, "{page}");
    }
}

#[test]
fn lists_of_links_are_text_when_there_is_nothing_else() {
    let page = "<main><h1>Index</h1><ul><li><a href=a>Alpha</a><li><a href=b>Beta and some more words</a></ul></main>";
    assert_eq!(html(page).text, "Index\nAlpha\nBeta and some more words");
}
