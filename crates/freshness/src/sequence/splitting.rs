//! Regular splittings, one inside the other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{SequenceError, normalised};
use crate::policy::PageId;

/// Frequencies are held in units of `2^-60`: sums stay exact.
const UNITS: f64 = (1_u64 << 60) as f64;

/// Law F-20 by splitting: the accesses are split regularly in two, each part again, and so on down to single pages.
///
/// Hajek (*Extremal splittings of point processes*, 1985) shows that a stream is best split in two by the regular binary
/// sequence, which sends the `n`-th of every so many to the left as evenly as whole numbers allow. Each node of a tree over the
/// pages does that with what it receives. With the most frequent page split off first, then the next, it is the generalised
/// round robin of Arian and Levy ([`Splitting::most_frequent_first`]); with a tree of least depth it needs `O(log N)` steps
/// per access ([`Splitting::new`]).
#[derive(Clone, Debug)]
pub struct Splitting {
    nodes: Vec<Node>,
    root: Child,
}

#[derive(Clone, Copy, Debug)]
enum Child {
    Page(u32),
    Node(u32),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    left: Child,
    right: Child,
    /// Units of the left child, and of both.
    left_units: u64,
    units: u64,
    /// Goes up by `left_units` per access, modulo `units`; the left child is served when it wraps.
    phase: u64,
}

impl Splitting {
    /// Splits down a tree that takes the fewest steps per access (Huffman's).
    ///
    /// # Errors
    /// If a frequency is not from 0 to 1 or they do not sum to one.
    pub fn new(frequencies: &[f64]) -> Result<Self, SequenceError> {
        let parts = parts(frequencies)?;
        let mut splitting = Self { nodes: Vec::with_capacity(parts.len()), root: parts[0].1 };
        let mut heap: BinaryHeap<_> =
            (0_u32..).zip(&parts).map(|(order, &(units, _))| Reverse((units, order))).collect();
        let mut children: Vec<Child> = parts.into_iter().map(|(_, page)| page).collect();
        while let (Some(Reverse((small, a))), Some(Reverse((large, b)))) = (heap.pop(), heap.peek().copied()) {
            heap.pop();
            let child = splitting.join((large, children[b as usize]), (small, children[a as usize]));
            heap.push(Reverse((small + large, children.len() as u32)));
            children.push(child);
            splitting.root = child;
        }
        Ok(splitting)
    }

    /// Splits off the most frequent page first, then the next: Arian and Levy's order. `O(N)` per access at worst, as many
    /// steps as the page has more frequent ones before it.
    ///
    /// # Errors
    /// If a frequency is not from 0 to 1 or they do not sum to one.
    pub fn most_frequent_first(frequencies: &[f64]) -> Result<Self, SequenceError> {
        let mut parts = parts(frequencies)?;
        parts.sort_by_key(|&(units, _)| units);
        let mut splitting = Self { nodes: Vec::with_capacity(parts.len()), root: parts[0].1 };
        let mut rest = parts[0].0;
        for &(units, page) in &parts[1..] {
            splitting.root = splitting.join((units, page), (rest, splitting.root));
            rest += units;
        }
        Ok(splitting)
    }

    fn join(&mut self, (left_units, left): (u64, Child), (right_units, right): (u64, Child)) -> Child {
        let units = left_units + right_units;
        self.nodes.push(Node { left, right, left_units, units, phase: units / 2 });
        Child::Node(self.nodes.len() as u32 - 1)
    }
}

/// The pages of positive frequency with their frequencies in units, at least one each.
fn parts(frequencies: &[f64]) -> Result<Vec<(u64, Child)>, SequenceError> {
    let pages = normalised(frequencies)?;
    Ok(pages.into_iter().map(|(page, f)| (((f * UNITS) as u64).max(1), Child::Page(page))).collect())
}

impl Iterator for Splitting {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        let mut child = self.root;
        loop {
            match child {
                Child::Page(page) => return Some(PageId(page)),
                Child::Node(number) => {
                    let node = &mut self.nodes[number as usize];
                    node.phase += node.left_units;
                    child = if node.phase >= node.units { node.left } else { node.right };
                    node.phase %= node.units;
                }
            }
        }
    }
}
