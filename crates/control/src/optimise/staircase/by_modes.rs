//! All staircases by the modes they use. Phases of arrival that make no difference to these modes are merged: so robots that are
//! alike are counted where they are active together.

use super::{Staircase, Walk};
use crate::decision::Averages;
use crate::decision::process::Process;
use crate::model::Model;
use crate::parallel;

/// Levels with fewer states are handled faster all at once.
const LARGE: usize = 60;

/// With more modes there are too many sets of them.
const MOST_MODES: usize = 10;

/// Whether levels are large, and much smaller for sets of modes.
pub(super) fn helps(process: &Process<'_>, set: &[usize]) -> bool {
    let modes: Vec<u32> = set.iter().map(|mode| process.modes()[*mode]).collect();
    alike_by_modes(process.model(), &modes).is_some()
}

/// If levels are large, and much smaller for sets of modes: about what part of the work is left for a set of some of them.
pub(crate) fn alike_by_modes(model: &Model, modes: &[u32]) -> Option<f64> {
    let phases = |model: &Model| model.arrivals()[0].1.phases();
    let one_phase = model.reduced_obsolescence().is_none_or(|law| law.order() == 1);
    if !one_phase || phases(model) * model.service().order() <= LARGE || !(2..=MOST_MODES).contains(&modes.len()) {
        return None;
    }
    let share = phases(&model.for_modes(&[modes[0], modes[modes.len() - 1]])) as f64 / phases(model) as f64;
    // Other sets lie between the pair and all; the work is the third power of their phases.
    (share <= 0.5).then(|| share.powf(1.5))
}

/// Visits every staircase with its averages.
pub(super) fn enumerate(process: &Process<'_>, set: &[usize], visit: &mut dyn FnMut(&Staircase, &Averages)) {
    let positions = |mask: usize| -> Vec<usize> { (0..set.len()).filter(|p| mask >> p & 1 == 1).collect() };
    let most = process.model().buffer() + 1;
    let subsets: Vec<Vec<usize>> =
        (1..1usize << set.len()).map(positions).filter(|subset| subset.len() <= most).collect();
    for found in parallel::map(&subsets, |subset| using_all(process, set, subset)) {
        found.iter().for_each(|(staircase, averages)| visit(staircase, averages));
    }
}

/// The staircases that use just the modes at some positions of the set, and all of these.
fn using_all(process: &Process<'_>, set: &[usize], subset: &[usize]) -> Vec<(Staircase, Averages)> {
    let modes: Vec<u32> = subset.iter().map(|p| process.modes()[set[*p]]).collect();
    let narrow = process.model().for_modes(&modes);
    // It has no more states than the process itself.
    let Ok(narrow) = Process::new(&narrow) else { return Vec::new() };
    let own: Vec<usize> =
        modes.iter().filter_map(|robots| narrow.modes().iter().position(|known| known == robots)).collect();
    let everyone: Vec<usize> = (0..set.len()).collect();
    let mut found = Vec::new();
    Walk::all(&narrow, &own, true, &mut |staircase, averages| {
        found.push((staircase.among(subset, &everyone), *averages));
    });
    found
}
