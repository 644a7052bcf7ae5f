//! A writer of SVG elements. All foreign text is escaped.

use std::fmt::{Display, Write};

/// An SVG document under construction.
pub(super) struct Svg {
    text: String,
}

/// Colours for light and dark surroundings. Series use the palette of Okabe and Ito, which the colour-blind can tell apart.
const STYLE: &str = "\
text { font-family: system-ui, sans-serif; font-size: 12px; fill: #24292f; }
.title { font-size: 14px; font-weight: 600; }
.ground { fill: #ffffff; }
.axis { stroke: #57606a; fill: none; }
.grid { stroke: #d0d7de; stroke-width: 0.5; fill: none; }
.line { fill: none; stroke-width: 2; }
.mark { stroke: #57606a; stroke-dasharray: 4 3; fill: none; }
.s0 { stroke: #0072b2; } .s1 { stroke: #e69f00; } .s2 { stroke: #cc79a7; } .s3 { stroke: #009e73; } .s4 { stroke: #d55e00; }
.s5 { stroke: #56b4e9; } .s6 { stroke: #8c6d31; } .point { fill: #ffffff; }
.m5 { fill: #0072b2; stroke: #ffffff; } .m6 { fill: none; stroke: #24292f; }
.dot { fill: #0072b2; fill-opacity: 0.45; } .none { fill: none; stroke: #0072b2; stroke-opacity: 0.45; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .ground { fill: #0d1117; } .axis, .mark { stroke: #9198a1; } .grid { stroke: #30363d; }
  .point { fill: #0d1117; } .m5 { fill: #56b4e9; stroke: #0d1117; } .m6 { stroke: #e6edf3; }
  .s0 { stroke: #56b4e9; } .dot { fill: #56b4e9; } .none { stroke: #56b4e9; }
}
";

impl Svg {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Self { text: String::new() };
        svg.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
             <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n",
            escaped(title)
        ));
        svg
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.put(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>\n"
        ));
    }

    /// A line through points, with a title that viewers show on pointing.
    pub(super) fn curve(&mut self, class: &str, points: &[(f64, f64)], title: &str) {
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let (path, title) = (path.join(" "), escaped(title));
        self.put(format_args!(
            "<polyline class=\"line {class}\" points=\"{path}\"><title>{title}</title></polyline>\n"
        ));
    }

    pub(super) fn dot(&mut self, class: &str, (x, y): (f64, f64), title: &str) {
        let title = escaped(title);
        self.put(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"><title>{title}</title></circle>\n"
        ));
    }

    /// Text whose `anchor` (start, middle or end) is at a point.
    pub(super) fn text(&mut self, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
        let text = escaped(text);
        self.put(format_args!(
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>\n"
        ));
    }

    /// Text that reads upwards, centred on a point.
    pub(super) fn upright_text(&mut self, (x, y): (f64, f64), text: &str) {
        let text = escaped(text);
        self.put(format_args!(
            "<text text-anchor=\"middle\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{text}</text>\n"
        ));
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn put(&mut self, what: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{what}");
    }
}

/// Text without characters that mean something in XML, nor control characters, which XML does not allow at all.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_leave_its_place() {
        assert_eq!(escaped("</title><script>\u{1b}&'\""), "&lt;/title&gt;&lt;script&gt;\u{fffd}&amp;&#39;&quot;");
    }
}
