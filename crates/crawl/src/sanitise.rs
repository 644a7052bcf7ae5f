//! A page of strangers as HTML that does nothing but say what it says.
//!
//! Only elements of a short list come through, without attributes but for the addresses of links, and all text is escaped. What
//! comes out is made here, tag by tag, so that it is safe however the page was to be read. One pass, nothing nests deeper than
//! a limit.

#[cfg(test)]
mod tests;

use crate::address::{PageUrl, Resolver};
use crate::extract::{ExtractError, Kind, Limits, cut, decode_text, extract};
use crate::markup::{Scanner, Syntax, Token, decode, decode_attribute};

/// Elements that come through: what is read, what is written, and what sort of element it is. Headings go down by one, because
/// they come to stand below that of another page.
const ELEMENTS: &[(&str, &str, Sort)] = &[
    ("h1", "h2", Sort::Block),
    ("h2", "h3", Sort::Block),
    ("h3", "h4", Sort::Block),
    ("h4", "h5", Sort::Block),
    ("h5", "h6", Sort::Block),
    ("h6", "h6", Sort::Block),
    ("p", "p", Sort::Block),
    ("div", "div", Sort::Block),
    ("section", "div", Sort::Block),
    ("article", "div", Sort::Block),
    ("main", "div", Sort::Block),
    ("header", "div", Sort::Block),
    ("footer", "div", Sort::Block),
    ("nav", "div", Sort::Block),
    ("aside", "div", Sort::Block),
    ("figure", "figure", Sort::Block),
    ("figcaption", "figcaption", Sort::Block),
    ("blockquote", "blockquote", Sort::Block),
    ("pre", "pre", Sort::Block),
    ("ul", "ul", Sort::Block),
    ("ol", "ol", Sort::Block),
    ("menu", "ul", Sort::Block),
    ("li", "li", Sort::Part(&["li"], &["ul", "ol"])),
    ("dl", "dl", Sort::Block),
    ("dt", "dt", Sort::Part(&["dt", "dd"], &["dl"])),
    ("dd", "dd", Sort::Part(&["dt", "dd"], &["dl"])),
    ("table", "table", Sort::Block),
    ("caption", "caption", Sort::Part(&[], &[])),
    ("thead", "thead", Sort::Part(&["thead", "tbody", "tfoot"], &["table"])),
    ("tbody", "tbody", Sort::Part(&["thead", "tbody", "tfoot"], &["table"])),
    ("tfoot", "tfoot", Sort::Part(&["thead", "tbody", "tfoot"], &["table"])),
    ("tr", "tr", Sort::Part(&["tr"], &["table", "thead", "tbody", "tfoot"])),
    ("td", "td", Sort::Part(&["td", "th"], &["table", "tr"])),
    ("th", "th", Sort::Part(&["td", "th"], &["table", "tr"])),
    ("br", "br", Sort::Empty),
    ("hr", "hr", Sort::Empty),
    ("a", "a", Sort::Link),
    ("b", "b", Sort::Inline),
    ("strong", "strong", Sort::Inline),
    ("i", "i", Sort::Inline),
    ("em", "em", Sort::Inline),
    ("u", "u", Sort::Inline),
    ("s", "s", Sort::Inline),
    ("del", "del", Sort::Inline),
    ("ins", "ins", Sort::Inline),
    ("mark", "mark", Sort::Inline),
    ("small", "small", Sort::Inline),
    ("sub", "sub", Sort::Inline),
    ("sup", "sup", Sort::Inline),
    ("code", "code", Sort::Inline),
    ("kbd", "kbd", Sort::Inline),
    ("samp", "samp", Sort::Inline),
    ("var", "var", Sort::Inline),
    ("cite", "cite", Sort::Inline),
    ("q", "q", Sort::Inline),
    ("abbr", "abbr", Sort::Inline),
    ("dfn", "dfn", Sort::Inline),
];

/// Elements that are left out with all that is in them.
const SILENT: &[&str] = &[
    "script", "style", "template", "svg", "math", "iframe", "noembed", "noframes", "textarea", "select", "datalist",
    "title", "audio", "video", "canvas", "object",
];

/// Nothing is nested deeper.
const DEEPEST: usize = 64;

/// Links that come through.
const MOST_LINKS: usize = 5_000;

/// What sort of element it is.
#[derive(Clone, Copy)]
enum Sort {
    Inline,
    /// It ends a paragraph.
    Block,
    /// It ends others of its kind, the first list, within the nearest of the second.
    Part(&'static [&'static str], &'static [&'static str]),
    /// It has no contents.
    Empty,
    Link,
}

/// Reads a page as [`extract`] does and writes what it says as HTML, at most about so many bytes of it.
///
/// # Errors
/// As for [`extract`].
pub fn sanitise(
    bytes: &[u8],
    content_type: Option<&str>,
    url: &str,
    limits: &Limits,
    most: usize,
) -> Result<String, ExtractError> {
    let bytes = &bytes[..bytes.len().min(limits.input_bytes)];
    let (kind, text) = decode_text(bytes, content_type, url)?;
    match (kind, text) {
        (Kind::Html | Kind::Xhtml, Some(text)) => Ok(Cleaner::new(&text, url, most).run()),
        (Kind::Markdown | Kind::Text, Some(text)) => Ok(plain(&text, most)),
        _ => Ok(plain(&extract(bytes, content_type, url, limits)?.text, most)),
    }
}

fn plain(text: &str, most: usize) -> String {
    let mut out = "<pre>".to_owned();
    escape(cut(text, most), &mut out);
    out + "</pre>"
}

struct Cleaner<'a> {
    scanner: Scanner<'a>,
    base: Option<PageUrl>,
    out: String,
    most: usize,
    /// Elements that are open, as written.
    open: Vec<&'static str>,
    links: usize,
}

impl<'a> Cleaner<'a> {
    fn new(text: &'a str, url: &str, most: usize) -> Self {
        let scanner = Scanner::new(text, Syntax::Html);
        Self { scanner, base: PageUrl::parse(url).ok(), out: String::new(), most, open: Vec::new(), links: 0 }
    }

    fn run(mut self) -> String {
        while self.out.len() < self.most
            && let Some(token) = self.scanner.next()
        {
            match token {
                Token::Text(text) => escape(cut(&decode(text), self.most), &mut self.out),
                // Scripts and style sheets.
                Token::Literal(_) => {}
                Token::Open(name) => self.open(name),
                Token::Close(name) => self.close(name),
            }
        }
        self.close_down_to(0);
        self.out
    }

    fn open(&mut self, name: &'a str) {
        if SILENT.iter().any(|silent| silent.eq_ignore_ascii_case(name)) {
            return self.skip(name);
        }
        if name.eq_ignore_ascii_case("base") {
            let base = self.scanner.attribute("href").and_then(|href| self.resolved(href));
            self.base = base.or(self.base.take());
        }
        if name.eq_ignore_ascii_case("img") {
            let alt = self.scanner.attribute("alt").map(decode_attribute).filter(|alt| !alt.is_empty());
            return alt.into_iter().for_each(|alt| escape(&format!("[{alt}]"), &mut self.out));
        }
        let Some(&(_, written, sort)) = ELEMENTS.iter().find(|(read, ..)| read.eq_ignore_ascii_case(name)) else {
            return;
        };
        match sort {
            Sort::Empty => self.put(written, None),
            Sort::Link => self.open_link(),
            Sort::Inline => self.nest(written, None),
            Sort::Block => {
                self.end_paragraph();
                self.nest(written, None);
            }
            Sort::Part(ended, within) => {
                let limit = self.open.iter().rposition(|open| within.contains(open)).map_or(0, |at| at + 1);
                if let Some(at) = self.open[limit..].iter().position(|open| ended.contains(open)) {
                    self.close_down_to(limit + at);
                }
                self.nest(written, None);
            }
        }
    }

    fn open_link(&mut self) {
        if let Some(at) = self.open.iter().rposition(|open| *open == "a") {
            self.close_down_to(at);
        }
        let target = self.scanner.attribute("href").and_then(|href| self.resolved(href));
        if let Some(target) = target.filter(|_| self.links < MOST_LINKS) {
            self.links += 1;
            self.nest("a", Some(target.as_str()));
        }
    }

    fn resolved(&self, href: &str) -> Option<PageUrl> {
        Resolver::new(self.base.as_ref()?).join(&decode_attribute(href)).ok()
    }

    fn close(&mut self, name: &str) {
        let Some((_, written, _)) = ELEMENTS.iter().find(|(read, ..)| read.eq_ignore_ascii_case(name)) else { return };
        if let Some(at) = self.open.iter().rposition(|open| open == written) {
            self.close_down_to(at);
        }
    }

    /// Passes over an element, up to its end.
    fn skip(&mut self, name: &str) {
        let mut depth = usize::from(!self.scanner.self_closing());
        while depth > 0
            && let Some(token) = self.scanner.next()
        {
            match token {
                Token::Open(other) if other.eq_ignore_ascii_case(name) => {
                    depth += usize::from(!self.scanner.self_closing());
                }
                Token::Close(other) if other.eq_ignore_ascii_case(name) => depth -= 1,
                _ => {}
            }
        }
    }

    fn end_paragraph(&mut self) {
        if let Some(at) = self.open.iter().rposition(|open| *open == "p") {
            self.close_down_to(at);
        }
    }

    /// Opens an element, unless there are too many open.
    fn nest(&mut self, name: &'static str, href: Option<&str>) {
        if self.open.len() < DEEPEST {
            self.put(name, href);
            self.open.push(name);
        }
    }

    fn put(&mut self, name: &str, href: Option<&str>) {
        self.out.push('<');
        self.out.push_str(name);
        if let Some(href) = href {
            self.out.push_str(" rel=\"nofollow noopener\" href=\"");
            escape(href, &mut self.out);
            self.out.push('"');
        }
        self.out.push('>');
    }

    /// Ends elements until so many are open.
    fn close_down_to(&mut self, left: usize) {
        for name in self.open.drain(left..).rev() {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
    }
}

/// Writes text so that it is nothing but text. Control characters are left out.
fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
}
