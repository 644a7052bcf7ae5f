//! Phases that are one phase, seen from outside.

use std::collections::BTreeMap;

/// Rates of moves, by kind of move and the class moved to.
pub(crate) type Profile = BTreeMap<(usize, usize), f64>;

/// A partition into classes.
pub(crate) struct Partition {
    /// The class of each phase.
    pub(crate) class: Vec<usize>,
    /// The first phase of each class.
    pub(crate) firsts: Vec<usize>,
}

impl Partition {
    /// The coarsest partition of `size` phases in which phases of one class are alike, by splitting classes until none need be
    /// split. `profile` says where a phase moves, given the classes; `alike` whether two phases with their profiles are.
    pub(crate) fn coarsest(
        size: usize,
        profile: impl Fn(usize, &[usize]) -> Profile,
        alike: impl Fn((usize, &Profile), (usize, &Profile)) -> bool,
    ) -> Self {
        let mut now = Self { class: vec![0; size], firsts: vec![0] };
        loop {
            let profiles: Vec<Profile> = (0..size).map(|i| profile(i, &now.class)).collect();
            let finer = now.split(|a, b| alike((a, &profiles[a]), (b, &profiles[b])));
            if finer.firsts.len() == now.firsts.len() {
                return now;
            }
            now = finer;
        }
    }

    /// Each class split into those that are alike.
    fn split(&self, alike: impl Fn(usize, usize) -> bool) -> Self {
        let (mut firsts, mut within) = (Vec::new(), vec![Vec::new(); self.firsts.len()]);
        let mut class = vec![0; self.class.len()];
        for i in 0..class.len() {
            let peers = &mut within[self.class[i]];
            class[i] = peers.iter().copied().find(|&c| alike(firsts[c], i)).unwrap_or_else(|| {
                peers.push(firsts.len());
                firsts.push(i);
                firsts.len() - 1
            });
        }
        Self { class, firsts }
    }
}

/// Whether two profiles are the same up to the rounding of sums.
pub(crate) fn same(a: &Profile, b: &Profile) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((to, x), (other, y))| to == other && near(*x, *y, 0.0))
}

/// Whether two rates are the same to a relative 1e-13, or to some slack.
pub(crate) fn near(x: f64, y: f64, slack: f64) -> bool {
    (x - y).abs() <= 1e-13 * x.max(y) + slack
}
