//! The optimum for the pages and budget asked about.

use anyhow::Result;
use freshness::access_time::Transform;
use freshness::allocation::{
    Allocation, AllocationError, HostLimits, LimitedAllocation, least_budget, optimum, optimum_with_limits,
};
use freshness::cost::{even_spacing_cost, even_spacing_stale};
use freshness::{AccessTime, Instance, Pages};
use serde::Serialize;

use crate::budget::{Goal, Pace};
use crate::failure::Mistake;
use crate::input::{Hosts, PageTable};
use crate::output::number;
use crate::units::{Fraction, Rate};

/// What is asked.
pub(crate) struct Question<'a> {
    pub(crate) table: &'a PageTable,
    pub(crate) pages: Pages<'a>,
    pub(crate) pace: Pace,
    pub(crate) host_limit: Option<Rate>,
}

/// The answer, at a budget that was given or found.
pub(crate) struct Solution<'a> {
    pub(crate) table: &'a PageTable,
    pub(crate) pages: Pages<'a>,
    /// Law of the time between accesses.
    pub(crate) law: AccessTime,
    /// Zero if nothing need be accessed.
    pub(crate) budget_per_day: f64,
    /// Robots that make that many accesses, if it is known how long one takes.
    pub(crate) robots: Option<f64>,
    pub(crate) target: Option<Fraction>,
    pub(crate) instance: Instance,
    pub(crate) allocation: Allocation,
    pub(crate) hosts: Option<HostAnswer>,
}

/// What the host limits do.
pub(crate) struct HostAnswer {
    pub(crate) limit: Rate,
    /// `lambda_H` of each host.
    pub(crate) multipliers: Vec<f64>,
    /// Whether each host's limit binds.
    pub(crate) bound: Vec<bool>,
}

/// How often to visit one page.
#[derive(Serialize)]
pub(crate) struct PageRow<'a> {
    pub(crate) page: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<&'a str>,
    pub(crate) change_rate: f64,
    pub(crate) weight: f64,
    pub(crate) frequency: f64,
    pub(crate) visits_per_day: f64,
    pub(crate) stale: f64,
}

impl<'a> Question<'a> {
    pub(crate) fn solve(self) -> Result<Solution<'a>> {
        match self.pace.goal.clone() {
            Goal::Given(law) => {
                let instance = Instance::new(&self.pages, &law);
                let (allocation, hosts) = self.allocate(&instance, &law)?;
                let budget = 1.0 / law.mean();
                Ok(Solution { hosts, ..self.answer(law, budget, instance, allocation) })
            }
            Goal::Least(target, shape) => self.solve_for(target, &shape),
        }
    }

    fn solve_for(self, target: Fraction, shape: &AccessTime) -> Result<Solution<'a>> {
        let wanted = target.value() * self.pages.total_weight();
        let limits = match (self.host_limit, &self.table.hosts) {
            (Some(limit), Some(hosts)) => Some(limits_of(hosts, limit.per_day())?),
            _ => None,
        };
        let least = least_budget(&self.pages, shape, wanted, limits.as_ref()).map_err(|error| self.refused(error))?;
        let target = Some(target);
        let Some(law) = least.law else {
            // Whatever the law: nothing is accessed.
            let instance = Instance::new(&self.pages, shape);
            let frequencies = vec![0.0; self.pages.len()];
            let cost = even_spacing_cost(&instance, &frequencies);
            let allocation = Allocation { multiplier: 0.0, frequencies, cost };
            return Ok(Solution { target, ..self.answer(shape.clone(), 0.0, instance, allocation) });
        };
        let instance = Instance::new(&self.pages, &law);
        let (allocation, hosts) = self.allocate(&instance, &law)?;
        Ok(Solution { target, hosts, ..self.answer(law, least.budget, instance, allocation) })
    }

    fn allocate(&self, instance: &Instance, law: &AccessTime) -> Result<(Allocation, Option<HostAnswer>)> {
        let (Some(limit), Some(hosts)) = (self.host_limit, &self.table.hosts) else {
            return Ok((optimum(instance), None));
        };
        // As a fraction of all accesses.
        let limits = limits_of(hosts, limit.per_day() * law.mean())?;
        let limited = optimum_with_limits(instance, &limits).map_err(|error| self.refused(error))?;
        let LimitedAllocation { allocation, host_multipliers: multipliers, bound } = limited;
        Ok((allocation, Some(HostAnswer { limit, multipliers, bound })))
    }

    fn answer(self, law: AccessTime, budget_per_day: f64, instance: Instance, allocation: Allocation) -> Solution<'a> {
        let robots = self.pace.robots_for(budget_per_day);
        let Self { table, pages, .. } = self;
        Solution { table, pages, law, budget_per_day, robots, target: None, instance, allocation, hosts: None }
    }

    fn refused(&self, error: AllocationError) -> Mistake {
        let hosts = self.table.hosts.as_ref().map_or(0, |hosts| hosts.names.len());
        match error {
            AllocationError::LimitsTooLow { usable } => Mistake::usage(format_args!(
                "--host-limit is too low: the {} hosts together allow only {} of the budget to be used; \
                 raise the limit or lower the budget",
                number::grouped(hosts),
                number::percent(usable)
            )),
            AllocationError::Unreachable { least, .. } if self.host_limit.is_some() && least.is_finite() => {
                Mistake::usage(format_args!(
                    "--target-stale cannot be reached under --host-limit: the least stale fraction is {}; \
                     raise the limit or the target",
                    number::percent(least / self.pages.total_weight())
                ))
            }
            other => Mistake::usage(other),
        }
    }
}

fn limits_of(hosts: &Hosts, limit: f64) -> Result<HostLimits, Mistake> {
    HostLimits::new(&hosts.of_page, vec![limit; hosts.names.len()]).map_err(Mistake::usage)
}

impl Solution<'_> {
    /// The bound as a fraction of all weight.
    pub(crate) fn stale_fraction(&self, cost: f64) -> f64 {
        let total = self.instance.total_weight();
        if total > 0.0 { cost / total } else { 0.0 }
    }

    /// Whether there is anything to access.
    pub(crate) fn is_idle(&self) -> bool {
        self.budget_per_day == 0.0 || self.allocation.frequencies.iter().all(|f| *f == 0.0)
    }

    /// Pages that change and matter, but get no visit.
    pub(crate) fn not_worth_a_visit(&self) -> usize {
        let pages = self.instance.values().iter().zip(&self.allocation.frequencies);
        pages.filter(|(value, frequency)| **value > 0.0 && **frequency == 0.0).count()
    }

    /// How often to visit each page, in the order of the input.
    pub(crate) fn rows(&self) -> impl Iterator<Item = PageRow<'_>> {
        let (rates, mean) = (self.pages.change_rates(), self.law.mean());
        let transform = Transform::of(&self.law, rates);
        let budget = self.budget_per_day;
        (0..self.pages.len()).map(move |i| {
            let frequency = self.allocation.frequencies[i];
            let (mu, decay) = (rates[i], self.instance.decays()[i]);
            PageRow {
                page: self.table.names.get(i),
                host: self.table.hosts.as_ref().map(|hosts| hosts.names.get(hosts.of_page[i] as usize)),
                change_rate: mu,
                weight: self.pages.weights()[i],
                frequency,
                visits_per_day: frequency * budget,
                stale: even_spacing_stale(mu * mean, decay, transform.deficit(mu), frequency),
            }
        })
    }
}
