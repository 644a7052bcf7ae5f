//! Phases of arrival that make no difference.

use super::Bmap;
use crate::matrix::Matrix;
use crate::partition::{Partition, Profile, same};

/// Law C-5: the same processes with phases merged from which all of them go on alike; none if there are no such phases.
///
/// Phases of one class move to every other class, and bring batches of every size on the way to any class, at the same rates,
/// in each of the processes: which of the phases it is can never be told. So of robots that are alike and always active
/// together only the number in each phase matters, and of those that are never active nothing at all.
pub(crate) fn merged(processes: &[&Bmap]) -> Option<Vec<Bmap>> {
    let phases = processes.first()?.phases();
    let matrices: Vec<(bool, &Matrix)> =
        processes.iter().flat_map(|bmap| bmap.d.iter().enumerate().map(|(k, d)| (k > 0, d))).collect();
    // By phase: which matrix, whether with a batch, where to, and at which rate.
    let from = |i: usize| -> Vec<(usize, bool, usize, f64)> {
        let moves = |(n, (batch, d)): (usize, &(bool, &Matrix))| {
            let (batch, rates) = (*batch, d.row(i).iter().copied().enumerate());
            rates.filter(|(_, rate)| *rate > 0.0).map(move |(j, rate)| (n, batch, j, rate)).collect::<Vec<_>>()
        };
        matrices.iter().enumerate().flat_map(moves).collect()
    };
    let moves: Vec<_> = (0..phases).map(from).collect();
    let profile = |i: usize, class: &[usize]| {
        let mut to = Profile::new();
        let told = moves[i].iter().filter(|(_, batch, j, _)| *batch || class[*j] != class[i]);
        told.for_each(|(n, _, j, rate)| *to.entry((*n, class[*j])).or_default() += rate);
        to
    };
    let partition = Partition::coarsest(phases, profile, |(_, to), (_, other)| same(to, other));
    (partition.firsts.len() < phases).then(|| processes.iter().map(|bmap| bmap.quotient(&partition)).collect())
}

impl Bmap {
    fn quotient(&self, Partition { class, firsts }: &Partition) -> Self {
        let summed = |d: &Matrix| {
            let mut sum = Matrix::zeros(firsts.len(), firsts.len());
            for (a, first) in firsts.iter().enumerate() {
                class.iter().zip(d.row(*first)).for_each(|(c, rate)| sum[(a, *c)] += rate);
            }
            sum
        };
        let mut d: Vec<Matrix> = self.d.iter().map(summed).collect();
        for a in 0..firsts.len() {
            d[0][(a, a)] = 0.0;
            d[0][(a, a)] = -d.iter().map(|m| m.row(a).iter().sum::<f64>()).sum::<f64>();
        }
        Self { d }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrivals::readings::independent;

    fn bursty() -> Bmap {
        let d0 = Matrix::from_rows(&[vec![-1.5, 0.5], vec![0.5, -2.5]]).unwrap();
        Bmap::new(vec![d0, Matrix::from_rows(&[vec![1.0, 0.0], vec![0.0, 2.0]]).unwrap()]).unwrap()
    }

    /// C-5: of five robots that are alike, with `r` active, all that matters is how many of the `r` are in which phase.
    #[test]
    fn c5_robots_that_are_alike_are_counted() {
        let all = independent(&vec![bursty(); 5]);
        for (r, process) in (1..).zip(&all) {
            let fewer = merged(&[process]).unwrap().remove(0);
            assert_eq!(fewer.phases(), r + 1);
            // The same numbers up to the rounding of some dozen sums.
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(1e-3);
            assert!(near(process.rate(), fewer.rate()) && near(process.variance(), fewer.variance()));
            assert!((1..4).all(|lag| near(process.correlation(lag), fewer.correlation(lag))));
            assert!(near(process.rate(), r as f64 * bursty().rate()));
        }
        // With two and four active: the first two are alike, and the next two; the fifth does not matter.
        let pair = merged(&[&all[1], &all[3]]).unwrap();
        assert_eq!(pair.iter().map(Bmap::phases).collect::<Vec<_>>(), [9, 9]);
        assert!(merged(&all.iter().collect::<Vec<_>>()).is_none());
    }
}
