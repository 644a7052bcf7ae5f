//! All staircases by the modes they use. Phases of arrival that make no difference to these modes are merged: so robots that are
//! alike are counted where they are active together.

use super::{Staircase, Walk};
use crate::decision::Averages;
use crate::decision::process::Process;
use crate::parallel;

/// Levels with fewer states are handled faster all at once.
const LARGE: usize = 60;

/// With more modes there are too many sets of them.
const MOST_MODES: usize = 10;

/// Whether levels are large, and much smaller for sets of modes.
pub(super) fn helps(process: &Process<'_>, set: &[usize]) -> bool {
    let (model, states) = (process.model(), process.states(process.model().buffer()));
    if states <= LARGE || !(2..=MOST_MODES).contains(&set.len()) {
        return false;
    }
    let ends = [set[0], set[set.len() - 1]].map(|mode| process.modes()[mode]);
    let phases = model.for_modes(&ends).arrivals()[0].1.phases();
    2 * phases <= model.arrivals()[0].1.phases()
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
