//! What are pages worth?

use rand::RngExt;

use super::Page;
use crate::random::{Stream, rng};
use crate::settings::{Settings, Weights};

/// Weights of neighbouring classes of rates: a class's weight is within `sqrt(1.2)`, below 10 %, of every rate in it.
const STEP: f64 = 1.2;

/// Classes of weights that have nothing to do with rates.
const INDEPENDENT: u32 = 8;

/// Weights that the configuration of a crawler can take.
const RANGE: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// Puts every page into its class, and says what each class is worth.
pub(super) fn classes(pages: &mut [Page], settings: &Settings) -> Vec<f64> {
    match settings.weights {
        Weights::Equal => vec![1.0],
        Weights::Independent => {
            for (i, page) in (0..).zip(pages) {
                page.class = rng(settings.seed, Stream::Weights, i, 0).random_range(0..INDEPENDENT);
            }
            (0..INDEPENDENT).map(|k| f64::from(1 << k)).collect()
        }
        Weights::Rate => by_rate(pages),
    }
}

/// Classes in order of their weights, 1 for the mean rate; pages that never change have one of their own.
fn by_rate(pages: &mut [Page]) -> Vec<f64> {
    let mean = pages.iter().map(|page| page.rate).sum::<f64>() / pages.len().max(1) as f64;
    let step_of = |page: &Page| match page.rate / mean {
        relative if relative > 0.0 => {
            Some((relative.clamp(*RANGE.start(), *RANGE.end()).ln() / STEP.ln()).round() as i32)
        }
        _ => None,
    };
    let mut steps: Vec<Option<i32>> = pages.iter().map(step_of).collect();
    steps.sort_unstable();
    steps.dedup();
    for page in pages {
        page.class = steps.binary_search(&step_of(page)).unwrap_or(0) as u32;
    }
    steps.iter().map(|step| step.map_or(0.0, |step| STEP.powi(step))).collect()
}
