//! How many waiting pages are in each phase.

use std::collections::BTreeMap;

/// All ways to spread 0, 1, ... pages over phases, numbered so that moving a page to a later phase raises the number.
pub(super) struct Counts {
    by_pages: Vec<Vec<Vec<usize>>>,
    numbers: Vec<BTreeMap<Vec<usize>, usize>>,
}

impl Counts {
    pub(super) fn new(phases: usize, most: usize) -> Self {
        let by_pages: Vec<Vec<Vec<usize>>> = (0..=most).map(|pages| spread(pages, phases)).collect();
        let numbered = |all: &Vec<Vec<usize>>| all.iter().cloned().zip(0..).collect();
        let numbers = by_pages.iter().map(numbered).collect();
        Self { by_pages, numbers }
    }

    /// How many ways there are for `pages` pages.
    pub(super) fn ways(&self, pages: usize) -> usize {
        self.by_pages[pages].len()
    }

    /// Pages by phase.
    pub(super) fn counts(&self, pages: usize, number: usize) -> &[usize] {
        &self.by_pages[pages][number]
    }

    /// The number of a way.
    pub(super) fn number(&self, counts: &[usize]) -> usize {
        self.numbers[counts.iter().sum::<usize>()][counts]
    }

    /// With one more page in `phase`.
    pub(super) fn plus(&self, pages: usize, number: usize, phase: usize) -> usize {
        let mut counts = self.by_pages[pages][number].clone();
        counts[phase] += 1;
        self.number(&counts)
    }

    /// With one page fewer in `phase`, if there is one.
    pub(super) fn minus(&self, pages: usize, number: usize, phase: usize) -> Option<usize> {
        let mut counts = self.by_pages[pages][number].clone();
        counts[phase] = counts[phase].checked_sub(1)?;
        Some(self.number(&counts))
    }

    /// With a page moved between phases, if there is one.
    pub(super) fn moved(&self, pages: usize, number: usize, from: usize, to: usize) -> Option<usize> {
        let mut counts = self.by_pages[pages][number].clone();
        counts[from] = counts[from].checked_sub(1)?;
        counts[to] += 1;
        Some(self.number(&counts))
    }
}

/// First the ways with the most pages in the first phase.
fn spread(pages: usize, phases: usize) -> Vec<Vec<usize>> {
    if phases == 1 {
        return vec![vec![pages]];
    }
    let with_first = |first: usize| {
        let rest = spread(pages - first, phases - 1).into_iter();
        rest.map(move |rest| std::iter::once(first).chain(rest).collect())
    };
    (0..=pages).rev().flat_map(with_first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_numbered_and_moves_to_later_phases_raise_the_number() {
        let counts = Counts::new(3, 5);
        // Five pages in three phases: 7 choose 2.
        assert_eq!(counts.ways(5), 21);
        for number in 0..21 {
            assert_eq!(counts.number(counts.counts(5, number)), number);
            for (from, to) in [(0, 1), (0, 2), (1, 2)] {
                assert!(counts.moved(5, number, from, to).is_none_or(|target| target > number));
            }
            for phase in 0..3 {
                let fewer = counts.minus(5, number, phase);
                assert_eq!(fewer.is_some(), counts.counts(5, number)[phase] > 0);
                assert!(fewer.is_none_or(|fewer| counts.plus(4, fewer, phase) == number));
            }
        }
    }
}
