//! The cheapest mixture of policies within limits: a linear programme with few rows and many columns.

/// A policy: what it costs, and by how much it exceeds each limit (negative: what it leaves).
pub(super) struct Column {
    pub(super) cost: f64,
    pub(super) excess: Vec<f64>,
}

/// The optimum: its value, the price of each limit, and which policies with what probability.
pub(super) struct Mixture {
    pub(super) value: f64,
    pub(super) multipliers: Vec<f64>,
    pub(super) parts: Vec<(f64, usize)>,
}

/// A policy, or the slack of a limit.
#[derive(Clone, Copy, PartialEq)]
enum Basic {
    Policy(usize),
    Slack(usize),
}

/// Law C-18: the least of `sum w_j cost_j` with `sum w_j excess_jk <= 0` for all `k`, `sum w_j = 1`, `w >= 0`, by the simplex
/// method from a policy that keeps all limits. By duality it equals the largest over `mu >= 0` of
/// `min_j (cost_j + sum_k mu_k excess_jk)`; at the optimum these `mu` are the prices.
pub(super) fn cheapest_mixture(columns: &[Column], feasible: usize) -> Mixture {
    let limits = columns[feasible].excess.len();
    let mut basis: Vec<Basic> = (0..limits).map(Basic::Slack).chain([Basic::Policy(feasible)]).collect();
    for _ in 0..MOST_PIVOTS {
        let mu = prices(columns, &basis, limits);
        let Some(entering) = entering(columns, &basis, &mu) else { break };
        let weights = solve(columns, &basis, limits, &right_side(limits));
        let direction = solve(columns, &basis, limits, &vector(columns, entering, limits));
        let ratio = |row: usize| weights[row].max(0.0) / direction[row];
        let rows = (0..basis.len()).filter(|row| direction[*row] > 1e-11);
        let Some(leaving) = rows.min_by(|a, b| ratio(*a).total_cmp(&ratio(*b))) else { break };
        basis[leaving] = entering;
    }
    let weights = solve(columns, &basis, limits, &right_side(limits));
    let mu = prices(columns, &basis, limits);
    let parts = basis.iter().zip(&weights).filter_map(|(basic, weight)| match basic {
        Basic::Policy(j) if *weight > 1e-12 => Some((*weight, *j)),
        _ => None,
    });
    let parts: Vec<(f64, usize)> = parts.collect();
    let value = parts.iter().map(|(weight, j)| weight * columns[*j].cost).sum();
    Mixture { value, multipliers: mu[..limits].iter().map(|price| price.max(0.0)).collect(), parts }
}

/// With a handful of limits a few dozen are needed.
const MOST_PIVOTS: usize = 1000;

/// What enters: the policy or slack whose price is most wrong.
fn entering(columns: &[Column], basis: &[Basic], mu: &[f64]) -> Option<Basic> {
    let limits = mu.len() - 1;
    let reduced = |j: usize| {
        let paid: f64 = columns[j].excess.iter().zip(mu).map(|(excess, price)| excess * price).sum();
        columns[j].cost + paid - mu[limits]
    };
    let policies = (0..columns.len()).map(|j| (reduced(j), Basic::Policy(j)));
    let slacks = (0..limits).map(|k| (mu[k], Basic::Slack(k)));
    let least = policies.chain(slacks).filter(|(_, basic)| !basis.contains(basic)).min_by(|a, b| a.0.total_cmp(&b.0));
    least.filter(|(reduced, _)| *reduced < -1e-10 * (1.0 + mu[limits].abs())).map(|(_, basic)| basic)
}

/// `sum w = 1`, all else zero.
fn right_side(limits: usize) -> Vec<f64> {
    (0..=limits).map(|row| f64::from(u8::from(row == limits))).collect()
}

/// The column of the programme.
fn vector(columns: &[Column], basic: Basic, limits: usize) -> Vec<f64> {
    match basic {
        Basic::Policy(j) => columns[j].excess.iter().copied().chain([1.0]).collect(),
        Basic::Slack(k) => (0..=limits).map(|row| f64::from(u8::from(row == k))).collect(),
    }
}

/// `mu_k` for the limits, and last the value of `sum w = 1`: `cost_j + sum_k mu_k excess_jk = value` for basic policies and
/// `mu_k = 0` for basic slacks.
fn prices(columns: &[Column], basis: &[Basic], limits: usize) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = basis.iter().map(|basic| vector(columns, *basic, limits)).collect();
    let cost = |basic: &Basic| if let Basic::Policy(j) = basic { columns[*j].cost } else { 0.0 };
    // With dual variables u: column . u = cost. The price of a limit is -u_k.
    let u = eliminate(rows, basis.iter().map(cost).collect());
    u.iter().enumerate().map(|(k, value)| if k < limits { -value } else { *value }).collect()
}

/// The combination of basic columns that makes `right`.
fn solve(columns: &[Column], basis: &[Basic], limits: usize, right: &[f64]) -> Vec<f64> {
    let vectors: Vec<Vec<f64>> = basis.iter().map(|basic| vector(columns, *basic, limits)).collect();
    let rows = (0..=limits).map(|row| vectors.iter().map(|vector| vector[row]).collect()).collect();
    eliminate(rows, right.to_vec())
}

/// Gaussian elimination with row pivoting.
fn eliminate(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        right.swap(k, pivot);
        for i in (0..n).filter(|i| *i != k) {
            let factor = rows[i][k] / rows[k][k];
            if factor != 0.0 {
                let (from, value) = (rows[k].clone(), right[k]);
                rows[i].iter_mut().zip(&from).for_each(|(entry, other)| *entry -= factor * other);
                right[i] -= factor * value;
            }
        }
    }
    (0..n).map(|k| right[k] / rows[k][k]).collect()
}
