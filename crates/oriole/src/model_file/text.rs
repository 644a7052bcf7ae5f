//! A model written as `MODEL.toml`.

use std::fmt::Write;

use control::{Admission, Costs, Finishing, Matrix, Model, PhaseType};

use crate::output::number::short;

/// The model as a file that reads back as the same model, each line of `heading` a comment before it.
#[must_use]
pub fn to_toml(model: &Model, heading: &str) -> String {
    let mut text = begun(heading, model.buffer());
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
    costs(&mut text, model.costs());
    text
}

/// Robots that finish what they have begun, as a file that reads back as the same.
#[must_use]
pub fn finishing_to_toml(system: &Finishing, heading: &str) -> String {
    let mut text = begun(heading, system.buffer());
    law(&mut text, "service", system.service());
    let rate = system.obsolescence();
    if rate > 0.0 {
        let (mean, rates) = (short(1.0 / rate), row(&[-rate]));
        put(&mut text, format_args!("\n[obsolescence]    # mean {mean}\nstart = [1.0]\nrates = [{rates}]"));
    }
    law(&mut text, "fetch", system.fetch());
    put(&mut text, format_args!("robots = {}    # at most", system.most()));
    put(&mut text, format_args!("brings = {:?}    # part of the fetches that bring a document", system.brings()));
    put(&mut text, format_args!("at_work = {}    # of 1, 2, ... robots", row(system.at_work())));
    put(&mut text, format_args!("reserve = {}    # no robot without a place for what it brings", system.reserve()));
    costs(&mut text, system.costs());
    text
}

fn begun(heading: &str, buffer: usize) -> String {
    let mut text = String::new();
    for line in heading.lines() {
        put(&mut text, format_args!("# {line}"));
    }
    put(&mut text, format_args!("buffer = {buffer}    # K, the page being indexed included"));
    text
}

fn costs(text: &mut String, costs: &Costs) {
    put(text, format_args!("\n[cost]"));
    let all = [
        ("loss", costs.loss, "per page that finds no place"),
        ("obsolete", costs.obsolete, "per page that becomes obsolete while it waits"),
        ("sojourn", costs.sojourn, "per unit of mean time in the system of a page that is indexed"),
        ("robot", costs.robot, "per active robot and unit of time"),
        ("starvation", costs.starvation, "per unit of time in which the indexer has nothing to do"),
    ];
    for (name, cost, what) in all {
        put(text, format_args!("{name} = {cost:?}    # {what}"));
    }
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
