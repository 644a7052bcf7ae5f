//! The system to be controlled.

pub mod examples;

use std::borrow::Cow;

use thiserror::Error;

use crate::arrivals::{Bmap, merged};
use crate::matrix::Matrix;
use crate::number::{count, plain};
use crate::phase_type::PhaseType;

/// Robots, buffer and indexer.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    buffer: usize,
    service: PhaseType,
    /// `None`: waiting pages never become obsolete.
    obsolescence: Option<PhaseType>,
    /// The same law with fewer phases, which is what is computed with.
    reduced_obsolescence: Option<PhaseType>,
    /// By number of active robots, ascending.
    arrivals: Vec<(u32, Bmap)>,
    costs: Costs,
    admission: Admission,
}

/// The coefficients of the cost (2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// Per page lost because there was no place.
    pub loss: f64,
    /// Per page that became obsolete while waiting.
    pub obsolete: f64,
    /// Per unit of mean time in the system of a page that is indexed.
    pub sojourn: f64,
    /// Per active robot and unit of time.
    pub robot: f64,
    /// Per unit of time in which the indexer has nothing to do.
    pub starvation: f64,
}

/// What happens to a batch that is larger than the places left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// The pages that find a place stay, the others are lost: what ADKNS study.
    #[default]
    Partial,
    /// The whole batch is lost.
    CompleteRejection,
    /// The whole batch stays if there is at least one place: the system may then hold up to `K` plus a batch less one.
    CompleteAdmission,
}

/// Active robots for 0, 1, ..., K pages in the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotPolicy {
    robots: Vec<u32>,
}

/// Third powers of rates between these, of their ratios too, are numbers.
const SLOWEST: f64 = 1e-50;
const FASTEST: f64 = 1e50;

/// Up to so many phases of arrival it is not worth while to look for fewer.
const FEW_PHASES: usize = 8;

/// No cost may be above this.
const DEAREST: f64 = 1e50;

/// What is wrong with a model or a policy.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// There must be a place.
    #[error("buffer is 0; it must be at least 1, the page being indexed included")]
    NoBuffer,
    /// There are no arrivals.
    #[error("there are no arrivals; describe the arrivals for at least one number of active robots")]
    NoArrivals,
    /// Two descriptions for one number of robots.
    #[error("arrivals for {} are given twice", count(*robots as usize, "robot", "robots"))]
    Twice {
        /// The number of robots.
        robots: u32,
    },
    /// All arrival processes must share their phases.
    #[error(
        "arrivals for {} have {}, others {expected}: the phases must be the same for all",
        count(*robots as usize, "robot", "robots"),
        count(*got, "phase", "phases")
    )]
    Phases {
        /// The number of robots.
        robots: u32,
        /// Its phases.
        got: usize,
        /// Those of the first.
        expected: usize,
    },
    /// A phase is left so fast or so slowly that powers of the rate overflow or vanish.
    #[error(
        "{part}: phase {phase} is left at rate {rate:e}, not between {SLOWEST:e} and {FASTEST:e}; choose another unit of time"
    )]
    Pace {
        /// `service`, `obsolescence`, `fetch` or `arrivals`.
        part: &'static str,
        /// Phase, from 1.
        phase: usize,
        /// Its rate.
        rate: f64,
    },
    /// A cost is impossible.
    #[error("cost {name} is {}; it must be a number from 0 to {DEAREST:e}", plain(.value))]
    Cost {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A policy uses a number of robots whose arrivals are not described.
    #[error(
        "{} to be active with {} in the system, but the model has arrivals only for {known}",
        count(*robots as usize, "robot is", "robots are"),
        count(*pages, "page", "pages")
    )]
    UnknownMode {
        /// The number of robots.
        robots: u32,
        /// Pages in the system.
        pages: usize,
        /// The numbers there are.
        known: String,
    },
    /// A policy has the wrong length.
    #[error("the policy says what to do for {got} numbers of pages, but there are {expected}: 0 to {last}")]
    PolicyLength {
        /// What was given.
        got: usize,
        /// K + 1.
        expected: usize,
        /// K.
        last: usize,
    },
    /// Thresholds do not fit the modes.
    #[error(
        "{} need {}, one between each two; {got} {} given",
        count(*modes, "mode", "modes"),
        count(*needed, "threshold", "thresholds"),
        if *got == 1 { "was" } else { "were" }
    )]
    ThresholdCount {
        /// Number of modes.
        modes: usize,
        /// Number of thresholds they need.
        needed: usize,
        /// Number given.
        got: usize,
    },
    /// Thresholds fall.
    #[error("thresholds must not fall: {before} is followed by {after}")]
    ThresholdOrder {
        /// A threshold.
        before: usize,
        /// The one after it.
        after: usize,
    },
}

impl Model {
    /// A model with partial admission.
    ///
    /// # Errors
    /// If parts do not fit together.
    pub fn new(
        buffer: usize,
        service: PhaseType,
        obsolescence: Option<PhaseType>,
        mut arrivals: Vec<(u32, Bmap)>,
        costs: Costs,
    ) -> Result<Self, ModelError> {
        if buffer == 0 {
            return Err(ModelError::NoBuffer);
        }
        arrivals.sort_by_key(|(robots, _)| *robots);
        let Some((_, first)) = arrivals.first() else { return Err(ModelError::NoArrivals) };
        let expected = first.phases();
        for pair in arrivals.windows(2) {
            let (robots, bmap) = &pair[1];
            if *robots == pair[0].0 {
                return Err(ModelError::Twice { robots: *robots });
            }
            if bmap.phases() != expected {
                return Err(ModelError::Phases { robots: *robots, got: bmap.phases(), expected });
            }
        }
        costs.check()?;
        let processes = arrivals.iter().map(|(_, bmap)| ("arrivals", &bmap.matrices()[0]));
        let laws = [("service", Some(&service)), ("obsolescence", obsolescence.as_ref())];
        let laws = laws.into_iter().filter_map(|(part, law)| Some((part, law?.rates())));
        laws.chain(processes).try_for_each(|(part, rates)| ModelError::check_pace(part, rates))?;
        let reduced_obsolescence = obsolescence.as_ref().map(PhaseType::reduced);
        let admission = Admission::Partial;
        Ok(Self { buffer, service, obsolescence, reduced_obsolescence, arrivals, costs, admission })
    }

    /// The same with another rule of admission.
    #[must_use]
    pub fn with_admission(self, admission: Admission) -> Self {
        Self { admission, ..self }
    }

    /// All that matters under policies with some of the numbers of robots: their arrival processes alone, with phases merged that
    /// make no difference to any of them (law C-5).
    #[must_use]
    pub fn for_modes(&self, used: &[u32]) -> Cow<'_, Self> {
        if self.arrivals[0].1.phases() <= FEW_PHASES {
            return Cow::Borrowed(self);
        }
        let (robots, processes): (Vec<u32>, Vec<&Bmap>) = self
            .arrivals
            .iter()
            .filter(|(robots, _)| used.contains(robots))
            .map(|(robots, bmap)| (*robots, bmap))
            .unzip();
        let largest = processes.iter().map(|bmap| bmap.largest_batch()).max();
        // Else there would be fewer levels.
        let same_top = self.admission != Admission::CompleteAdmission || largest == self.largest_batch();
        let Some(merged) = merged(&processes).filter(|_| same_top) else { return Cow::Borrowed(self) };
        Cow::Owned(Self {
            arrivals: robots.into_iter().zip(merged).collect(),
            service: self.service.clone(),
            obsolescence: self.obsolescence.clone(),
            reduced_obsolescence: self.reduced_obsolescence.clone(),
            ..*self
        })
    }

    /// The same with other costs, which may be negative: prices are not costs.
    pub(crate) fn with_any_costs(self, costs: Costs) -> Self {
        Self { costs, ..self }
    }

    /// `K`, the page being indexed included.
    #[must_use]
    pub fn buffer(&self) -> usize {
        self.buffer
    }

    /// The law of the time it takes to index a page.
    #[must_use]
    pub fn service(&self) -> &PhaseType {
        &self.service
    }

    /// The law of the time a page stays current while it waits.
    #[must_use]
    pub fn obsolescence(&self) -> Option<&PhaseType> {
        self.obsolescence.as_ref()
    }

    /// The same law with as few phases as found (law C-3).
    #[must_use]
    pub fn reduced_obsolescence(&self) -> Option<&PhaseType> {
        self.reduced_obsolescence.as_ref()
    }

    /// The arrival process for each number of active robots, ascending.
    #[must_use]
    pub fn arrivals(&self) -> &[(u32, Bmap)] {
        &self.arrivals
    }

    /// The arrival process for a number of active robots.
    #[must_use]
    pub fn arrivals_of(&self, robots: u32) -> Option<&Bmap> {
        self.arrivals.iter().find(|(r, _)| *r == robots).map(|(_, bmap)| bmap)
    }

    /// The cost coefficients.
    #[must_use]
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// What happens to a batch that is too large.
    #[must_use]
    pub fn admission(&self) -> Admission {
        self.admission
    }

    /// The most pages there can ever be: `K`, or more with complete admission.
    #[must_use]
    pub fn most_pages(&self) -> usize {
        let batch = self.largest_batch().unwrap_or(1);
        self.buffer + if self.admission == Admission::CompleteAdmission { batch - 1 } else { 0 }
    }

    /// The largest batch, whatever the number of robots.
    fn largest_batch(&self) -> Option<usize> {
        self.arrivals.iter().map(|(_, bmap)| bmap.largest_batch()).max()
    }

    /// Always the same number of robots.
    #[must_use]
    pub fn fixed(&self, robots: u32) -> RobotPolicy {
        RobotPolicy { robots: vec![robots; self.buffer + 1] }
    }
}

impl Costs {
    /// Law C-10, the cost (2) of pages lost and obsolete per unit of time, mean time in the system of indexed pages, active
    /// robots, and fraction of time without work: each times its coefficient.
    #[must_use]
    pub fn total(&self, lost: f64, obsolete: f64, sojourn: f64, robots: f64, starvation: f64) -> f64 {
        self.loss * lost
            + self.obsolete * obsolete
            + self.sojourn * sojourn
            + self.robot * robots
            + self.starvation * starvation
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let all = [
            ("loss", self.loss),
            ("obsolete", self.obsolete),
            ("sojourn", self.sojourn),
            ("robot", self.robot),
            ("starvation", self.starvation),
        ];
        match all.into_iter().find(|(_, value)| !(0.0..=DEAREST).contains(value)) {
            Some((name, value)) => Err(ModelError::Cost { name, value }),
            None => Ok(()),
        }
    }
}

impl ModelError {
    /// That no phase is left too fast or too slowly.
    pub(crate) fn check_pace(part: &'static str, rates: &Matrix) -> Result<(), Self> {
        let pace = |phase: usize| -rates[(phase, phase)];
        match (0..rates.rows()).find(|&phase| !(SLOWEST..=FASTEST).contains(&pace(phase))) {
            Some(phase) => Err(Self::Pace { part, phase: phase + 1, rate: pace(phase) }),
            None => Ok(()),
        }
    }
}

impl RobotPolicy {
    /// Active robots for 0, 1, ..., K pages.
    ///
    /// # Errors
    /// If the length is not `K + 1` or the model has no arrivals for one of the numbers.
    pub fn new(model: &Model, robots: Vec<u32>) -> Result<Self, ModelError> {
        if robots.len() != model.buffer + 1 {
            let (got, expected, last) = (robots.len(), model.buffer + 1, model.buffer);
            return Err(ModelError::PolicyLength { got, expected, last });
        }
        if let Some(pages) = robots.iter().position(|r| model.arrivals_of(*r).is_none()) {
            let known: Vec<String> = model.arrivals.iter().map(|(r, _)| r.to_string()).collect();
            return Err(ModelError::UnknownMode { robots: robots[pages], pages, known: known.join(", ") });
        }
        Ok(Self { robots })
    }

    /// With modes `m1, m2, ...` and thresholds `t1 <= t2 <= ...`: `m1` robots while `i <= t1`, `m2` while `t1 < i <= t2`,
    /// and so on. Thresholds may coincide; a mode between two equal ones is skipped.
    ///
    /// # Errors
    /// If thresholds fall or their number does not fit, or the model has no arrivals for a mode.
    pub fn thresholds(model: &Model, modes: &[u32], thresholds: &[usize]) -> Result<Self, ModelError> {
        Self::new(model, Self::staircase(model.buffer, modes, thresholds)?)
    }

    /// Active robots for 0, 1, ... up to so many pages with modes and thresholds between them.
    pub(crate) fn staircase(buffer: usize, modes: &[u32], thresholds: &[usize]) -> Result<Vec<u32>, ModelError> {
        if thresholds.len() + 1 != modes.len() {
            let needed = modes.len().saturating_sub(1);
            return Err(ModelError::ThresholdCount { modes: modes.len(), needed, got: thresholds.len() });
        }
        if let Some(pair) = thresholds.windows(2).find(|pair| pair[0] > pair[1]) {
            return Err(ModelError::ThresholdOrder { before: pair[0], after: pair[1] });
        }
        let mode = |i: usize| modes[thresholds.iter().filter(|t| i > **t).count()];
        Ok((0..=buffer).map(mode).collect())
    }

    /// Active robots for 0, 1, ..., K pages, whatever the system; at least one number.
    pub(crate) fn unchecked(robots: Vec<u32>) -> Self {
        Self { robots }
    }

    /// Active robots for 0, 1, ..., K pages.
    #[must_use]
    pub fn robots(&self) -> &[u32] {
        &self.robots
    }

    /// Active robots with `pages` in the system; beyond `K` as with `K`.
    #[must_use]
    pub fn with_pages(&self, pages: usize) -> u32 {
        self.robots[pages.min(self.robots.len() - 1)]
    }
}
