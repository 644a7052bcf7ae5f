//! `--sees`: the best policy of any shape on what a crawler can see.

use clap::ValueEnum;
use control::ObservedPolicy;
use serde::Serialize;

use crate::cli::SeesText;
use crate::output::number::{percent, short};
use crate::output::table::{Align, Table};

#[derive(Serialize)]
pub(super) struct Observed<'a> {
    sees: String,
    cost: f64,
    /// Whether all policies of the class were compared.
    exact: bool,
    /// Active robots by number of pages, then by size class.
    robots: &'a [Vec<u32>],
}

pub(super) fn json((sees, policy): &(SeesText, ObservedPolicy)) -> Observed<'_> {
    Observed { sees: name(*sees), cost: policy.cost, exact: policy.exact, robots: &policy.robots }
}

fn name(sees: SeesText) -> String {
    sees.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
}

/// One line for the list of facts.
pub(super) fn fact((sees, policy): &(SeesText, ObservedPolicy), thresholds: f64) -> String {
    let what = match sees {
        SeesText::Pages => "the pages",
        SeesText::SizeClass => "the pages and the size class of the one being indexed",
    };
    let found = if policy.exact { "the least" } else { "the least found" };
    let less = percent(1.0 - policy.cost / thresholds);
    format!("{}: {found} of any policy that sees {what}; {less} less than the best thresholds", short(policy.cost))
}

/// Robots by pages and size class, equal rows together.
pub(super) fn table((sees, policy): &(SeesText, ObservedPolicy)) -> Table {
    use Align::{Left, Right};
    let heading = match sees {
        SeesText::Pages => "robots",
        SeesText::SizeClass => "robots by size class",
    };
    let mut table = Table::new(&[("pages", Right), (heading, Left)]);
    let mut from = 0;
    for run in policy.robots.chunk_by(|a, b| a == b) {
        let to = from + run.len() - 1;
        let pages = if from == to { from.to_string() } else { format!("{from} to {to}") };
        table.row([pages, run[0].iter().map(u32::to_string).collect::<Vec<_>>().join(", ")]);
        from = to + 1;
    }
    table
}
