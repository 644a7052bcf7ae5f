//! The comparison as a page.

use std::fmt::Write;

use super::check::{Check, Part, Tally, Verdict};
use super::report::{capital, difference};
use crate::plot::chart;

const STYLE: &str = "\
body { font-family: system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.45; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: 0.15rem 0.8rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr { border-bottom: 1px solid #d0d7de80; }
.corrected td { background: #fff8c580; } .differs td { background: #ffebe9; } .beyond td { background: #ddf4ff80; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3; }
.corrected td { background: #bb800926; } .differs td { background: #f851491a; } .beyond td { background: #388bfd1a; } }";

/// The page, complete with its pictures.
pub(super) fn page(parts: &[Part]) -> String {
    let mut html = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>The papers, recomputed</title>\n\
         <style>\n{STYLE}\n</style>\n<h1>The papers, recomputed</h1>\n{INTRODUCTION}\n<p>{}</p>\n",
        Tally::of(parts).sentence()
    );
    for part in parts {
        section(&mut html, part);
    }
    html.push_str("</html>\n");
    html
}

const INTRODUCTION: &str = "\
<p>Every table and figure of section 7 of K. Avrachenkov, A. Dudin, V. Klimenok, Ph. Nain and O. Semenova, <cite>Optimal \
threshold control by the robots of Web search engines with obsolescence of documents</cite>, and the numbers of \
E. G. Coffman, Z. Liu and R. R. Weber, <cite>Optimal robot scheduling for Web search engines</cite>, as printed and as \
computed by <code>oriole reproduce</code>. A value agrees if, rounded or cut off, it is as printed.</p>";

fn section(html: &mut String, part: &Part) {
    let id = part.part.replace(' ', "-");
    let title = escaped(&format!("{}: {}", capital(part.part), part.title));
    let _ = writeln!(html, "<h2 id=\"{id}\">{title}</h2>");
    if let Some(figure) = &part.figure {
        html.push_str(&chart::draw(figure));
    }
    let remarks = part.remarks();
    html.push_str("<table>\n<tr><th></th><th>printed</th><th>computed</th><th>difference</th><th></th></tr>\n");
    for check in &part.checks {
        row(html, check, &remarks);
    }
    html.push_str("</table>\n");
    if !remarks.is_empty() {
        html.push_str("<ol>\n");
        remarks.iter().for_each(|remark| {
            let _ = writeln!(html, "<li>{}.</li>", escaped(remark));
        });
        html.push_str("</ol>\n");
    }
}

fn row(html: &mut String, check: &Check, remarks: &[&str]) {
    let class = match check.verdict {
        Verdict::Agrees => "agrees",
        Verdict::Corrected => "corrected",
        Verdict::Differs => "differs",
        Verdict::Beyond => "beyond",
    };
    let number = check.remark.and_then(|remark| remarks.iter().position(|known| *known == remark));
    let mark = number.map_or(String::new(), |number| format!("[{}]", number + 1));
    let cells = [&check.what, &check.printed, &check.computed, &difference(check), &mark];
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    let _ = writeln!(html, "<tr class=\"{class}\">{cells}</tr>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
