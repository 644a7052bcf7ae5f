//! Plain text and Markdown.

use super::space::{self, push_collapsed, words_in};
use super::{Extracted, Limits, Link, cut, language};

#[cfg(test)]
mod tests;

/// Reads plain text: all of it is main text, and full addresses in it are links.
pub(super) fn read_text(text: &str, limits: &Limits, page: &mut Extracted) {
    let mut lines = Lines::new(limits);
    for line in text.lines() {
        lines.push(line);
        add_bare_links(line, limits, page);
    }
    lines.finish(page);
}

/// Reads Markdown: headings, links, and the text without the marks.
pub(super) fn read_markdown(text: &str, limits: &Limits, page: &mut Extracted) {
    let mut lines = Lines::new(limits);
    let mut fenced = false;
    let mut previous = String::new();
    for line in skip_front_matter(text).lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            lines.push(line);
            continue;
        }
        let underlined = !previous.is_empty()
            && trimmed.len() >= 3
            && (trimmed.trim_end().bytes().all(|byte| byte == b'=')
                || trimmed.trim_end().bytes().all(|byte| byte == b'-'));
        if underlined {
            add_heading(&previous, limits, page);
            previous.clear();
            continue;
        }
        previous.clear();
        inline(block_text(trimmed), limits, page, &mut previous);
        if is_heading(trimmed) {
            add_heading(&previous, limits, page);
        }
        lines.push(&previous);
    }
    lines.finish(page);
    page.title = page.headings.first().cloned();
}

/// `---` or `+++` in the first line begins data about the page that ends with the same line.
fn skip_front_matter(text: &str) -> &str {
    let first = text.lines().next().unwrap_or_default().trim_end();
    if !matches!(first, "---" | "+++") {
        return text;
    }
    let end = text.match_indices(first).skip(1).find(|(at, _)| text[..*at].ends_with('\n')).map(|(at, _)| at + 3);
    end.map_or(text, |end| &text[end..])
}

fn is_heading(line: &str) -> bool {
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&marks) && line[marks..].starts_with([' ', '\t'])
}

/// A line without the marks of headings, quotes and lists, and nothing of rules and table borders.
fn block_text(line: &str) -> &str {
    if !line.is_empty()
        && line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'_' | b'|' | b':' | b' ' | b'+'))
    {
        return "";
    }
    if is_heading(line) {
        return line.trim_matches(|character: char| character == '#' || character.is_whitespace());
    }
    let mut rest = line;
    while let Some(quoted) = rest.strip_prefix('>') {
        rest = quoted.trim_start();
    }
    ["- ", "* ", "+ "].iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest)
}

fn add_heading(text: &str, limits: &Limits, page: &mut Extracted) {
    if page.headings.len() < limits.headings {
        page.headings.extend(space::label(text, limits.label_bytes));
    }
}

/// Appends the text of a line without marks of emphasis and code, and notes its links.
fn inline(line: &str, limits: &Limits, page: &mut Extracted, text: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['[', '<', '*', '`', '\\', '!']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = match rest.as_bytes()[0] {
            b'[' => bracket(rest, limits, page, text),
            b'<' => angle(rest, limits, page, text),
            b'!' if rest[1..].starts_with('[') => &rest[1..],
            b'\\' | b'!' => {
                let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                text.push_str(&rest[usize::from(rest.starts_with('\\'))..length]);
                &rest[length..]
            }
            _ => &rest[1..],
        };
    }
    text.push_str(rest);
    add_bare_links(line, limits, page);
}

/// `[text](target)`, or a bracket that is just text.
fn bracket<'a>(rest: &'a str, limits: &Limits, page: &mut Extracted, text: &mut String) -> &'a str {
    // Looking no further than this keeps a line of brackets linear.
    let window = cut(rest, 1_024);
    let link = window.find("](").and_then(|middle| Some((middle, middle + 2 + window[middle + 2..].find(')')?)));
    let Some((middle, end)) = link.filter(|(middle, _)| !window[1..*middle].contains('[')) else {
        text.push('[');
        return &rest[1..];
    };
    let (anchor, target) = (&rest[1..middle], rest[middle + 2..end].trim());
    let target = target.split_ascii_whitespace().next().unwrap_or_default();
    add_link(target.trim_matches(['<', '>']), limits, page);
    text.push_str(anchor);
    &rest[end + 1..]
}

/// `<https://...>`, or markup that is left out.
fn angle<'a>(rest: &'a str, limits: &Limits, page: &mut Extracted, text: &mut String) -> &'a str {
    let window = cut(rest, limits.href_bytes + 2);
    let is_markup =
        window[1..].starts_with(|character: char| character.is_ascii_alphabetic() || matches!(character, '/' | '!'));
    let Some(end) = window.find('>').filter(|_| is_markup) else {
        text.push('<');
        return &rest[1..];
    };
    let inside = &rest[1..end];
    if inside.starts_with("http://") || inside.starts_with("https://") {
        text.push_str(inside);
        add_link(inside, limits, page);
    }
    &rest[end + 1..]
}

fn add_link(href: &str, limits: &Limits, page: &mut Extracted) {
    let scheme =
        href.split_once(':').filter(|(scheme, _)| !scheme.contains(['/', '?', '#', '.'])).map(|(scheme, _)| scheme);
    let fetchable =
        scheme.is_none_or(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"));
    let is_page = !href.is_empty() && !href.starts_with('#') && href.len() <= limits.href_bytes;
    if fetchable && is_page && page.links.len() < limits.links {
        page.links.push(Link { href: href.to_owned(), nofollow: false });
    }
}

/// Full addresses in running text, unless they stand where Markdown has linked them already.
fn add_bare_links(line: &str, limits: &Limits, page: &mut Extracted) {
    let mut from = 0;
    while let Some(at) = line[from..].find("http").map(|distance| from + distance) {
        let rest = &line[at..];
        from = at + 4;
        if !rest.starts_with("http://") && !rest.starts_with("https://") {
            continue;
        }
        let end = rest.find(|character: char| character.is_whitespace() || "<>\"'`|\\^{}".contains(character));
        let address = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*']);
        from = at + address.len().max(4);
        let linked =
            line[..at].ends_with(['(', '<']) && page.links.iter().rev().take(64).any(|link| link.href == address);
        if !linked && address.len() > "https://".len() {
            add_link(address, limits, page);
        }
    }
}

/// Gathers lines of text with single spaces.
pub(super) struct Lines {
    text: String,
    words: u32,
    limit: usize,
}

impl Lines {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { text: String::new(), words: 0, limit: limits.text_bytes }
    }

    /// Adds a line; empty ones and what goes beyond the limit are left out.
    pub(super) fn push(&mut self, line: &str) {
        let room = self.limit.saturating_sub(self.text.len() + 1);
        let mut collapsed = String::new();
        push_collapsed(&mut collapsed, cut(line, room));
        if collapsed.is_empty() {
            return;
        }
        self.words += collapsed.split(' ').map(|word| words_in(word.len() as u32, word.is_ascii())).sum::<u32>();
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&collapsed);
    }

    /// Writes text, words and language into the page.
    pub(super) fn finish(self, page: &mut Extracted) {
        page.language = language::of(&self.text, None);
        page.text = self.text;
        page.words = self.words;
    }
}
