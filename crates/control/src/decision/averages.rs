//! What happens per unit of time in the long run.

use crate::model::Costs;

/// Kinds of rates that are counted.
pub(crate) const COUNTS: usize = 8;
pub(crate) const TIME: usize = 0;
pub(crate) const ARRIVALS: usize = 1;
pub(crate) const LOST: usize = 2;
pub(crate) const OBSOLETE: usize = 3;
pub(crate) const SERVED: usize = 4;
pub(crate) const ACTIVE: usize = 5;
pub(crate) const PAGES: usize = 6;
pub(crate) const EMPTY: usize = 7;

/// Long-run averages under a policy: all the cost (2) needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Averages {
    /// Pages delivered per unit of time, `lambda`.
    pub arrivals: f64,
    /// Pages lost per unit of time, `lambda P_loss`.
    pub lost: f64,
    /// Pages that become obsolete per unit of time, `lambda P_obs`.
    pub obsolete: f64,
    /// Pages indexed per unit of time, `lambda P_success`: the `D` of law C-19.
    pub served: f64,
    /// Mean number of active robots, `N_act`.
    pub robots: f64,
    /// Mean number of pages in the system that will be indexed: the `N` of law C-19.
    pub pages: f64,
    /// Fraction of time in which the indexer has nothing to do, `P_star`.
    pub empty: f64,
}

impl Averages {
    /// From totals of each kind over some time.
    pub(crate) fn from_totals(totals: &[f64]) -> Self {
        let mean = |kind: usize| totals[kind] / totals[TIME];
        Self {
            arrivals: mean(ARRIVALS),
            lost: mean(LOST),
            obsolete: mean(OBSOLETE),
            served: mean(SERVED),
            robots: mean(ACTIVE),
            pages: mean(PAGES),
            empty: mean(EMPTY),
        }
    }

    /// Whether the totals were those of one recurrent class.
    pub(crate) fn is_finite(&self) -> bool {
        self.sojourn_served().is_finite() && (self.arrivals + self.robots + self.lost + self.obsolete).is_finite()
    }

    /// Law C-19, by Little's law: a page that is indexed stays `V1 = N/D`.
    #[must_use]
    pub fn sojourn_served(&self) -> f64 {
        self.pages / self.served
    }

    /// Probability that a delivered page finds no place.
    #[must_use]
    pub fn p_loss(&self) -> f64 {
        self.lost / self.arrivals
    }

    /// Probability that a delivered page becomes obsolete.
    #[must_use]
    pub fn p_obsolete(&self) -> f64 {
        self.obsolete / self.arrivals
    }

    /// The cost (2) without its sojourn term: the linear part `G` of law C-19.
    #[must_use]
    pub fn linear_cost(&self, costs: &Costs) -> f64 {
        costs.loss * self.lost
            + costs.obsolete * self.obsolete
            + costs.robot * self.robots
            + costs.starvation * self.empty
    }

    /// Law C-19, the cost (2): `J = G + a N/D`.
    #[must_use]
    pub fn cost(&self, costs: &Costs) -> f64 {
        self.linear_cost(costs) + costs.sojourn * self.sojourn_served()
    }
}

/// The price of each kind of rate in `G + y (N - t D)`.
pub(crate) fn prices(costs: &Costs, y: f64, t: f64) -> [f64; COUNTS] {
    let mut prices = [0.0; COUNTS];
    prices[LOST] = costs.loss;
    prices[OBSOLETE] = costs.obsolete;
    prices[ACTIVE] = costs.robot;
    prices[EMPTY] = costs.starvation;
    prices[PAGES] = y;
    prices[SERVED] = -y * t;
    prices
}
