//! What is done.

pub mod add;
pub mod check;
pub mod completions;
pub mod control;
pub mod demo;
pub mod export;
pub mod fit;
pub mod import;
pub mod init;
pub mod livingweb;
pub mod man;
pub mod page;
pub mod pages;
pub mod pause;
pub mod plan;
pub(crate) mod reading;
pub mod remove;
pub mod reproduce;
pub mod run;
pub mod schedule;
pub mod search;
pub mod serve;
pub mod simulate;
pub mod status;

use freshness::Pages;
use freshness::pages::PagesError;

use crate::cli::Weights;
use crate::failure::Mistake;
use crate::input::PageTable;
use crate::output::warn;

/// Applies `--weights` to pages that were read.
pub(crate) fn apply_weights(table: &mut PageTable, weights: Weights) {
    if weights == Weights::Proportional {
        table.weights.copy_from_slice(&table.change_rates);
    }
}

/// The pages as the mathematics sees them, with a warning if there is nothing to decide.
pub(crate) fn checked_pages(table: &PageTable) -> Result<Pages<'_>, Mistake> {
    let wrong = |error: PagesError| Mistake::usage(error);
    let pages = Pages::new(&table.change_rates, &table.weights).map_err(wrong)?;
    if pages.change_rates().iter().all(|mu| *mu == 0.0) {
        warn("no page ever changes: every copy stays current and every cost is 0");
    } else if pages.weights().iter().all(|c| *c == 0.0) {
        warn("every weight is 0: every cost is 0");
    }
    Ok(pages)
}
