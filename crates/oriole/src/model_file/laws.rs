//! Phase-type laws in a model file.

use control::phase_type::PhaseTypeError;
use control::{Matrix, PhaseType};

use super::{EXACT, Repairs};
use crate::failure::Mistake;
use crate::strict_toml::Section;

/// The law `start`, `rates` in a section.
pub(super) fn law(section: &Section<'_>, repairs: &mut Repairs) -> Result<PhaseType, Mistake> {
    section.allow(&["start", "rates"])?;
    law_in(section, repairs)
}

/// A phase-type law in a section that may have other keys too.
pub(super) fn law_in(section: &Section<'_>, repairs: &mut Repairs) -> Result<PhaseType, Mistake> {
    let mut start = section.numbers("start", "give the probability of beginning in each phase")?;
    let mut rates = section.matrix("rates", "give the sub-generator, row by row")?;
    let name = section.name();
    if let Some(phase) = start.iter().position(|p| *p < 0.0) {
        let problem = format!(
            "{name}.start, column {}: {} is not a probability; give numbers from 0 to 1",
            phase + 1,
            start[phase]
        );
        return Err(section.mistake_at("start", problem));
    }
    scale(&mut start, name, repairs);
    lower_diagonal(&mut rates, name, repairs);
    PhaseType::new(&start, &rates).map_err(|error| {
        let key = if matches!(error, PhaseTypeError::Start { .. }) { "start" } else { "rates" };
        section.mistake_at(key, format_args!("{name}: {error}{}", remedy(&error, repairs)))
    })
}

/// What can be done, where the message does not say it.
fn remedy(error: &PhaseTypeError, repairs: &Repairs) -> &'static str {
    let asked = repairs.tolerance.is_infinite();
    match error {
        PhaseTypeError::Start { .. } if asked => "; correct them, this cannot be repaired",
        PhaseTypeError::Start { .. } => "; correct them, or pass --repair to have them scaled",
        PhaseTypeError::RowSum { .. } if !asked => ", or pass --repair",
        PhaseTypeError::Absorbing { .. } => "; make the row of some phase that follows it sum to less than 0",
        _ => "",
    }
}

/// Makes probabilities sum to one if they are off by little enough.
fn scale(start: &mut [f64], name: &str, repairs: &mut Repairs) {
    let sum: f64 = start.iter().sum();
    let off = (sum - 1.0).abs();
    if sum > 0.0 && off > EXACT && off <= repairs.tolerance {
        repairs.made(off, format_args!("{name}.start sums to {sum}; it was scaled to sum to 1"));
        start.iter_mut().for_each(|p| *p /= sum);
    }
}

/// Lowers the diagonal where a row sums to more than zero by little enough.
fn lower_diagonal(rates: &mut Matrix, name: &str, repairs: &mut Repairs) {
    if rates.rows() != rates.columns() {
        return;
    }
    for row in 0..rates.rows() {
        let within: f64 = rates.row(row).iter().filter(|rate| **rate > 0.0).sum();
        let sum = within + rates[(row, row)];
        if sum > 0.0 && rates[(row, row)] < 0.0 && sum / within <= repairs.tolerance {
            let at = format_args!("{name}.rates, row {} sums to {sum}; its diagonal was lowered by that much", row + 1);
            repairs.made(sum / within, at);
            rates[(row, row)] = -within;
        }
    }
}
