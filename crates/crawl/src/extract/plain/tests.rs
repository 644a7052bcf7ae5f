use super::super::{Kind, extract};
use super::*;

const MARKDOWN: &str = "---\ntitle: x\n---\n# The *first* title\n\nSome **bold** text with `code` and [a link](/a \"title\").\n\
    Second line, see <https://b.org/x> and https://c.org/y.\n\nUnderlined\n----------\n\n> - quoted [item][1]\n\n\
    ```rust\nlet x = [1](2);\n```\n\n![image](/i.png) \\*literal\\* <b>tag</b> 1 < 2\n\n| a | b |\n|---|---|\n## Last ##\n";

fn markdown(text: &str) -> Extracted {
    extract(text.as_bytes(), Some("text/markdown"), "", &Limits::default()).unwrap()
}

#[test]
fn markdown_headings_text_and_links() {
    let page = markdown(MARKDOWN);
    assert_eq!(page.kind, Kind::Markdown);
    assert_eq!(page.title.as_deref(), Some("The first title"));
    assert_eq!(page.headings, ["The first title", "Underlined", "Last"]);
    assert_eq!(
        page.text,
        "The first title\nSome bold text with code and a link.\nSecond line, see https://b.org/x and https://c.org/y.\n\
         Underlined\nquoted [item][1]\nlet x = [1](2);\nimage *literal* tag 1 < 2\n| a | b |\nLast"
    );
    let links: Vec<_> = page.links.iter().map(|link| link.href.as_str()).collect();
    assert_eq!(links, ["/a", "https://b.org/x", "https://c.org/y", "/i.png"]);
}

#[test]
fn plain_text_keeps_its_lines() {
    let text = "One  line\t here\r\n\r\nand (see https://a.org/x_(y).) http:// more\n";
    let page = extract(text.as_bytes(), Some("text/plain; charset=us-ascii"), "", &Limits::default()).unwrap();
    assert_eq!(page.text, "One line here\nand (see https://a.org/x_(y).) http:// more");
    assert_eq!(page.words, 8);
    assert_eq!(page.links.iter().map(|link| link.href.as_str()).collect::<Vec<_>>(), ["https://a.org/x_(y"]);
}

#[test]
fn many_brackets_take_linear_time() {
    for piece in ["[", "](", "[](", "<a", "![", "\\", "*", "http", "https://a ", "> "] {
        let start = std::time::Instant::now();
        markdown(&piece.repeat((1 << 19) / piece.len()));
        assert!(start.elapsed().as_secs() < 3, "{piece}");
    }
}
