//! The comparison on the terminal and in JSON.

use std::fmt::Write;

use anstyle::Style;
use serde::Serialize;

use super::check::{Check, Part, Tally};
use crate::output::number::short;
use crate::output::table::{Align, Table};

/// The comparison as JSON.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    parts: &'a [Part],
    #[serde(flatten)]
    tally: Tally,
}

pub(super) fn json(parts: &[Part]) -> Report<'_> {
    Report { parts, tally: Tally::of(parts) }
}

pub(super) fn text(parts: &[Part]) -> String {
    let bold = Style::new().bold();
    let mut text = String::new();
    for part in parts {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{bold}{}: {}{bold:#}", capital(part.part), part.title);
        let remarks = part.remarks();
        let _ = writeln!(text, "{}", table(part, &remarks).render());
        for (number, remark) in (1..).zip(&remarks) {
            let _ = writeln!(text, "[{number}] {remark}.");
        }
        if !remarks.is_empty() {
            text.push('\n');
        }
    }
    let _ = writeln!(text, "{}", Tally::of(parts).sentence());
    text
}

fn table(part: &Part, remarks: &[&str]) -> Table {
    use Align::{Left, Right};
    let headings = [("", Left), ("printed", Right), ("computed", Right), ("difference", Right), ("", Left)];
    let mut table = Table::new(&headings);
    for check in &part.checks {
        let number = check.remark.and_then(|remark| remarks.iter().position(|known| *known == remark));
        let mark = number.map_or(String::new(), |number| format!("[{}]", number + 1));
        table.row([check.what.clone(), check.printed.clone(), check.computed.clone(), difference(check), mark]);
    }
    table
}

/// The difference in two digits: enough to see how far in the last printed digit it is.
pub(super) fn difference(check: &Check) -> String {
    match check.difference {
        Some(difference) => short(format!("{difference:.1e}").parse().unwrap_or(difference)),
        None => String::new(),
    }
}

/// "Table 1".
pub(super) fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
