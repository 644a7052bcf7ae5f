//! What is measured: indexers, costs and rules.

use control::Costs;

/// Most robots.
pub(super) const MOST: u32 = 8;

/// A system to be controlled. The web is the same in all: see [`super::Arguments`].
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Time to index a document, beside what it takes anyway.
    pub(super) index_time: &'static str,
    pub(super) costs: Costs,
    /// Whether a robot is sent out only if there is a place for what it brings.
    pub(super) reserve: bool,
    pub(super) why: &'static str,
}

/// Costs are those of a lost and an obsolete document, a second in the system, a robot and a second of idleness, per second.
pub(super) const CASES: [Case; 3] = [
    Case {
        name: "waste",
        index_time: "exp(20ms)",
        costs: Costs { loss: 5.0, obsolete: 10.0, sojourn: 2.0, robot: 1.0, starvation: 20.0 },
        reserve: false,
        why: "waste is dear: loss, obsolescence and sojourn cost what they do in the paper, an idle second as much as four lost documents",
    },
    Case {
        name: "idle",
        index_time: "erlang(2,20ms)",
        costs: Costs { loss: 1.0, obsolete: 2.0, sojourn: 2.0, robot: 1.0, starvation: 50.0 },
        reserve: false,
        why: "a document is worth 1: that is what one lost costs, twice that one which has waited in vain, and an idle second the 50 that were not indexed; index times vary less",
    },
    Case {
        name: "reserve",
        index_time: "exp(20ms)",
        costs: Costs { loss: 1.0, obsolete: 1.0, sojourn: 1.0, robot: 0.01, starvation: 10.0 },
        reserve: true,
        why: "the engine as it comes: its costs, and places kept for what robots bring, so that nothing is lost",
    },
];

/// Thresholds, and what they are compared with.
pub(super) fn rules() -> Vec<String> {
    let rules = ["thresholds".to_owned(), "aimd".to_owned(), "on-off".to_owned()];
    rules.into_iter().chain((1..=MOST).map(|robots| robots.to_string())).collect()
}
