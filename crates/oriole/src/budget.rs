//! What the budget options mean.

use anyhow::Result;
use freshness::AccessTime;
use freshness::access_time::LawError;
use freshness::allocation::{law_for_budget, law_for_robots};

use crate::cli::BudgetArgs;
use crate::failure::Mistake;
use crate::input::read_times;
use crate::law_text::LawText;
use crate::units::Fraction;

/// How fast pages are accessed.
#[derive(Clone, Debug)]
pub struct Pace {
    /// What is given and what is asked for.
    pub goal: Goal,
    /// How long one robot takes for an access, if that was said.
    pub robot: Option<AccessTime>,
}

/// Either the budget is given, or it is what is asked for.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Accesses are completed one after another at times of this law, in days.
    Given(AccessTime),
    /// The least budget for this stale fraction, with times of this law at any scale.
    Least(Fraction, AccessTime),
}

const THREE_WAYS: &str = "say how fast pages can be accessed, in one of three ways: --budget '5/s', \
    --access-time 'exp(200ms)' with --robots N, or --target-stale 0.05 to be told";

const TWO_WAYS: &str = "say how fast pages can be accessed, in one of two ways: --budget '5/s', or --access-time 'exp(200ms)' with --robots N";

impl Pace {
    /// From the options of `oriole plan`.
    ///
    /// # Errors
    /// If they say too little or too much.
    pub fn with_target(arguments: &BudgetArgs, target: Option<Fraction>) -> Result<Self> {
        let Some(target) = target else {
            return Self::given(arguments, THREE_WAYS);
        };
        let robot = robot(arguments)?;
        let shape = robot.clone().unwrap_or(AccessTime::Constant { mean: 1.0 });
        Ok(Self { goal: Goal::Least(target, shape), robot })
    }

    /// From the options of a command that must be told the budget.
    ///
    /// # Errors
    /// If they say too little or too much.
    pub fn from_budget(arguments: &BudgetArgs) -> Result<Self> {
        Self::given(arguments, TWO_WAYS)
    }

    fn given(arguments: &BudgetArgs, ways: &str) -> Result<Self> {
        let robot = robot(arguments)?;
        let law = match (arguments.budget, &robot, arguments.robots) {
            (Some(_), _, Some(_)) => {
                let problem = "--robots follows from --budget and --access-time; leave out --robots or --budget";
                return Err(Mistake::usage(problem).into());
            }
            (Some(budget), Some(law), None) => law_for_budget(law, budget.per_day()),
            (Some(budget), None, None) => AccessTime::constant(1.0 / budget.per_day()),
            (None, Some(law), robots) => law_for_robots(law, robots.unwrap_or(1)),
            (None, None, _) => return Err(Mistake::usage(ways).into()),
        };
        Ok(Self { goal: Goal::Given(law.map_err(out_of_range)?), robot })
    }

    /// How many robots make that many accesses a day, if it is known how long one takes.
    #[must_use]
    pub fn robots_for(&self, accesses_per_day: f64) -> Option<f64> {
        // A whole number that rounding put a hair above itself is still that number.
        self.robot.as_ref().map(|law| (accesses_per_day * law.mean() * (1.0 - 1e-12)).ceil())
    }
}

fn robot(arguments: &BudgetArgs) -> Result<Option<AccessTime>> {
    Ok(match &arguments.access_time {
        None => None,
        Some(LawText::Law(law)) => Some(law.clone()),
        Some(LawText::Sample(path)) => Some(read_times(path)?),
    })
}

fn out_of_range(error: LawError) -> Mistake {
    Mistake::usage(format_args!("the budget is out of range ({error}); give a more usual one"))
}
