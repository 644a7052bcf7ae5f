//! Who owns which point of a cycle.

/// A cycle of points numbered from 0, divided into one run of consecutive points per owner, in order.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// The point after each owner's last.
    ends: Vec<u64>,
}

impl Shares {
    /// The owners' numbers of points, in order.
    pub(super) fn new(counts: impl IntoIterator<Item = u64>) -> Self {
        let ends = counts.into_iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        Self { ends: ends.collect() }
    }

    /// The owner of a point of the cycle.
    pub(super) fn owner(&self, point: u64) -> usize {
        self.ends.partition_point(|&end| end <= point)
    }

    /// The owners' numbers of points, in order.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.ends.iter().zip(starts).map(|(end, start)| end - start)
    }
}
