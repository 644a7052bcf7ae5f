//! Input that is meant to hurt.

use std::time::{Duration, Instant};

use super::*;

/// Bytes of each hostile page. Time must grow with the length only, so a tenth of the usual worst case shows it.
const LENGTH: usize = 1 << 20;

fn repeated(piece: &str) -> String {
    piece.repeat(LENGTH / piece.len())
}

#[test]
fn no_input_takes_more_than_linear_time() {
    let mut pages: Vec<(&str, String)> = [
        "<",
        "<div>",
        "<a href=x>",
        "<a ",
        "</",
        "</div>",
        "<!",
        "<!--",
        "<!---",
        "<?",
        "<script>",
        "<title>",
        "<textarea>",
        "<p class='nav'>",
        "<div class=nav>",
        "<a b='",
        "<a b=\"c\" ",
        "&",
        "&#",
        "&amp",
        "<td>x",
        "<br>",
        "<h1>x",
        "<svg>",
        "<style></style",
        "]]>",
        "<![CDATA[",
        "x<b>",
        "<ul><li>x",
        "<a href=x>y</a>",
        "<nav><main>",
        "<span hidden>",
        "<pre>\n",
        "<div hidden><p>x",
        "<select><option>x",
        "<h1><h2>",
        "<p>¶</p>",
        "<a href=#>¶</a>",
        "<title/>x",
    ]
    .into_iter()
    .map(|piece| (piece, repeated(piece)))
    .collect();
    pages.push(("unclosed attribute", format!("<a href=\"{}", repeated("x y='z' "))));
    pages.push(("closing of deep nesting", repeated("<div class=menu>") + &repeated("</div>")));
    pages.push(("one long class", format!("<div class=\"{}\">x", repeated("nav-"))));
    pages.push(("script of end tags", format!("<script>{}", repeated("</scrip"))));
    for (name, page) in pages {
        let start = Instant::now();
        let found = html(&page);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(2), "{name} took {took:?}");
        assert!(found.text.len() <= Limits::default().text_bytes, "{name}");
        assert!(found.links.len() <= Limits::default().links, "{name}");
    }
}

#[test]
#[ignore = "measurement: cargo test --release -p crawl hostile_megabytes -- --ignored --nocapture"]
fn hostile_megabytes() {
    for piece in
        ["<", "<div>", "<a href=x>", "<a ", "</div>", "<title>", "<div class=nav>", "&amp", "<td>x", "<b>x", "<!--"]
    {
        let page = piece.repeat((10 << 20) / piece.len());
        let start = Instant::now();
        html(&page);
        println!("{piece:>20} {:?}", start.elapsed());
    }
}

/// Pieces of markup in any order.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<div class=nav>".to_owned()),
        Just("</div>".to_owned()),
        Just("<main>".to_owned()),
        Just("<p>".to_owned()),
        Just("<h2>".to_owned()),
        Just("<a href='/x'>".to_owned()),
        Just("</a>".to_owned()),
        Just("<td>".to_owned()),
        Just("<br>".to_owned()),
        Just("<pre>".to_owned()),
        Just("<title>".to_owned()),
        Just("<svg>".to_owned()),
        Just("<!-- ".to_owned()),
        Just("&eacute;".to_owned()),
        "\\PC{0,12}",
        "[a-z ]{0,40}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..600), kind in 0..6usize) {
        let kinds = [None, Some("text/html"), Some("text/plain"), Some("text/markdown"), Some("application/xhtml+xml"),
            Some("application/pdf")];
        if let Ok(page) = extract(&bytes, kinds[kind], "https://example.org/a.md", &Limits::default()) {
            prop_assert!(page.text.len() <= Limits::default().text_bytes);
        }
    }

    #[test]
    fn any_markup_gives_tidy_text(page in soup()) {
        let found = html(&page);
        prop_assert!(!found.text.contains("  ") && !found.text.contains("\n\n"));
        prop_assert_eq!(found.text.trim(), &found.text);
        prop_assert_eq!(found.words == 0, found.text.is_empty());
        prop_assert_eq!(html(&page), found);
    }

    #[test]
    fn visible_text_is_never_lost_altogether(page in soup(), word in "[a-z]{3,9}") {
        let page = format!("<p>{word}</p>{page}");
        prop_assert!(!html(&page).text.is_empty());
    }

    #[test]
    fn plain_text_reads_back(lines in proptest::collection::vec("[a-zé日]{1,8}( [a-zé日]{1,8}){0,5}", 1..8)) {
        let text = lines.join("\n");
        let found = extract(text.as_bytes(), Some("text/plain"), "", &Limits::default()).unwrap();
        prop_assert_eq!(found.text, text);
    }
}
