//! A model written as `MODEL.toml`.

use std::fmt::Write;

use control::{Admission, Matrix, Model, PhaseType};

use crate::output::number::short;

/// The model as a file that reads back as the same model, each line of `heading` a comment before it.
#[must_use]
pub fn to_toml(model: &Model, heading: &str) -> String {
    let mut text = String::new();
    for line in heading.lines() {
        put(&mut text, format_args!("# {line}"));
    }
    put(&mut text, format_args!("buffer = {}    # K, the page being indexed included", model.buffer()));
    match model.admission() {
        Admission::Partial => {}
        Admission::CompleteRejection => put(&mut text, format_args!("admission = \"reject\"")),
        Admission::CompleteAdmission => put(&mut text, format_args!("admission = \"admit\"")),
    }
    law(&mut text, "service", model.service());
    if let Some(obsolescence) = model.obsolescence() {
        law(&mut text, "obsolescence", obsolescence);
    }
    for (robots, process) in model.arrivals() {
        put(&mut text, format_args!("\n[[arrivals]]\nrobots = {robots}\nd = ["));
        for (k, d) in process.matrices().iter().enumerate() {
            put(&mut text, format_args!("  {},    # D_{k}", matrix(d)));
        }
        put(&mut text, format_args!("]"));
    }
    let costs = model.costs();
    put(&mut text, format_args!("\n[cost]"));
    let all = [
        ("loss", costs.loss, "per page that finds no place"),
        ("obsolete", costs.obsolete, "per page that becomes obsolete while it waits"),
        ("sojourn", costs.sojourn, "per unit of mean time in the system of a page that is indexed"),
        ("robot", costs.robot, "per active robot and unit of time"),
        ("starvation", costs.starvation, "per unit of time in which the indexer has nothing to do"),
    ];
    for (name, cost, what) in all {
        put(&mut text, format_args!("{name} = {cost:?}    # {what}"));
    }
    text
}

fn law(text: &mut String, name: &str, law: &PhaseType) {
    let (start, rates) = (row(law.start()), matrix(law.rates()));
    put(text, format_args!("\n[{name}]    # mean {}\nstart = {start}\nrates = {rates}", short(law.mean())));
}

fn row(entries: &[f64]) -> String {
    let entries: Vec<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
    format!("[{}]", entries.join(", "))
}

fn matrix(m: &Matrix) -> String {
    let rows: Vec<String> = (0..m.rows()).map(|i| row(m.row(i))).collect();
    format!("[{}]", rows.join(", "))
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
