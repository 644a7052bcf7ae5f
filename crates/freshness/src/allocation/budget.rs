//! Budgets: from robots, from a rate of accesses, and the least one for a wanted cost.

use super::hosts::{HostLimits, optimum_with_limits};
use super::optimum::optimum;
use super::{Allocation, AllocationError};
use crate::access_time::{AccessTime, LawError};
use crate::instance::Instance;
use crate::pages::Pages;

/// The law of the time between completions when `robots` work side by side, each access taking a time of law `law`.
///
/// They complete `n/E[X]` accesses per unit of time; see [`AccessTime::scaled`] for what is exact.
///
/// # Errors
/// If `robots` is zero.
pub fn law_for_robots(law: &AccessTime, robots: u32) -> Result<AccessTime, LawError> {
    law.scaled(1.0 / f64::from(robots))
}

/// A law of the same shape whose mean lets `budget` accesses be made per unit of time.
///
/// # Errors
/// If `budget` is not positive and finite.
pub fn law_for_budget(law: &AccessTime, budget: f64) -> Result<AccessTime, LawError> {
    law.scaled(1.0 / (budget * law.mean()))
}

/// The answer to "what budget do I need?".
#[derive(Clone, Debug, PartialEq)]
pub struct LeastBudget {
    /// Accesses per unit of time; zero if the wanted cost is that of doing nothing.
    pub budget: f64,
    /// The access-time law scaled to that budget; `None` for budget zero.
    pub law: Option<AccessTime>,
    /// The optimum at that budget, its cost equal to the one wanted (to 1e-10); `None` for budget zero.
    pub allocation: Option<Allocation>,
}

/// Law F-8: the least budget at which the lower bound on the cost is `wanted`; the bound falls strictly with the budget.
///
/// The shape of the access-time law is kept. `limits`, if given, are accesses per unit of time and host.
///
/// # Errors
/// If no budget reaches the wanted cost: it is not positive, or the host limits stand in the way.
pub fn least_budget(
    pages: &Pages<'_>,
    law: &AccessTime,
    wanted: f64,
    limits: Option<&HostLimits>,
) -> Result<LeastBudget, AllocationError> {
    let search = Search { pages, law, limits, wanted };
    let changing = pages.change_rates().iter().zip(pages.weights()).filter(|(mu, _)| **mu > 0.0);
    let never_accessed: f64 = changing.map(|(_, c)| *c).sum();
    if wanted >= never_accessed {
        return Ok(LeastBudget { budget: 0.0, law: None, allocation: None });
    }
    if wanted.is_nan() || wanted <= 0.0 {
        return Err(AllocationError::Unreachable { wanted, least: search.at_the_limits().map_or(0.0, |a| a.1.cost) });
    }
    search.run()
}

struct Search<'a> {
    pages: &'a Pages<'a>,
    law: &'a AccessTime,
    limits: Option<&'a HostLimits>,
    wanted: f64,
}

impl Search<'_> {
    /// The optimum at a budget, with `ln(cost/wanted)`.
    fn at(&self, budget: f64) -> Result<Point, AllocationError> {
        let unreachable = |_| AllocationError::Unreachable { wanted: self.wanted, least: f64::NAN };
        let law = law_for_budget(self.law, budget).map_err(unreachable)?;
        let instance = Instance::new(self.pages, &law);
        let allocation = match self.limits {
            None => optimum(&instance),
            Some(hosts) => {
                let fractions = hosts.limits().iter().map(|limit| limit / budget).collect();
                optimum_with_limits(&instance, &hosts.with_limits(fractions)?)?.allocation
            }
        };
        Ok(Point { budget, excess: (allocation.cost / self.wanted).ln(), law, allocation })
    }

    /// Budget and optimum when every host is accessed as often as it allows.
    fn at_the_limits(&self) -> Option<(f64, Allocation)> {
        let all: f64 = self.limits?.limits().iter().sum();
        if !(all > 0.0 && all.is_finite()) {
            return None;
        }
        let mut budget = all;
        // Hosts without a page worth an access cannot use their share.
        loop {
            match self.at(budget) {
                Ok(point) => return Some((budget, point.allocation)),
                Err(AllocationError::LimitsTooLow { usable }) if usable > 0.0 => budget *= usable * (1.0 - 1e-15),
                Err(_) => return None,
            }
        }
    }

    /// Brackets the root on a logarithmic scale, then closes in by the Illinois variant of false position.
    fn run(&self) -> Result<LeastBudget, AllocationError> {
        let most = self.at_the_limits();
        if let Some((_, allocation)) = &most
            && allocation.cost > self.wanted * (1.0 + 1e-10)
        {
            return Err(AllocationError::Unreachable { wanted: self.wanted, least: allocation.cost });
        }
        let cap = most.map_or(f64::INFINITY, |(budget, _)| budget);
        let (mut low, mut high) = self.bracket(cap)?;
        let mut moved_low = None;
        for _ in 0..200 {
            let point = self.at(between(&low, &high))?;
            let done = point.excess.abs() < 1e-11 || high.budget / low.budget - 1.0 < 1e-15;
            if done {
                return Ok(point.answer());
            }
            let (replaced, kept) = if point.excess > 0.0 { (&mut low, &mut high) } else { (&mut high, &mut low) };
            if moved_low == Some(point.excess > 0.0) {
                kept.pull *= 0.5;
            }
            moved_low = Some(point.excess > 0.0);
            *replaced = point.end();
        }
        Ok(self.at(high.budget)?.answer())
    }

    /// A budget that costs too much and one that does not, starting from one access per change.
    fn bracket(&self, cap: f64) -> Result<(End, End), AllocationError> {
        let start = self.pages.change_rates().iter().sum::<f64>().clamp(1e-300, 1e300).min(cap);
        let mut point = self.at(start)?;
        let factor = if point.excess > 0.0 { 4.0 } else { 0.25 };
        let mut before = point.end();
        for _ in 0..1_000 {
            point = self.at((point.budget * factor).min(cap))?;
            if (point.excess > 0.0) != (before.pull > 0.0) || point.budget == cap {
                let (a, b) = (before, point.end());
                return Ok(if factor > 1.0 { (a, b) } else { (b, a) });
            }
            before = point.end();
        }
        Err(AllocationError::Unreachable { wanted: self.wanted, least: point.allocation.cost })
    }
}

struct Point {
    budget: f64,
    excess: f64,
    law: AccessTime,
    allocation: Allocation,
}

impl Point {
    fn end(&self) -> End {
        End { budget: self.budget, pull: self.excess }
    }

    fn answer(self) -> LeastBudget {
        LeastBudget { budget: self.budget, law: Some(self.law), allocation: Some(self.allocation) }
    }
}

/// An end of the bracket; `pull` is its excess, halved when the other end has moved twice in a row.
struct End {
    budget: f64,
    pull: f64,
}

fn between(low: &End, high: &End) -> f64 {
    let (a, b) = (low.budget.ln(), high.budget.ln());
    let share = low.pull / (low.pull - high.pull);
    let middle = a + (b - a) * share.clamp(0.0, 1.0);
    if middle > a && middle < b { middle.exp() } else { ((a + b) / 2.0).exp() }
}
