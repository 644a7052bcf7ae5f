//! Robots that finish what they have begun (laws C-29 and C-30).
//!
//! In the model of ADKNS robots stop at once when pages fill the buffer. Real robots do not drop a page in the middle of a fetch:
//! whoever wants fewer of them has to wait until they are back, and what they bring comes all the same. Here the state is the
//! number of documents, the phase of the one being indexed, and how many robots are under way in each phase of a fetch. With `i`
//! documents robots are sent out while fewer than `wanted(i)` are under way; a robot is under way until it is back.

mod chain;
mod eliminate;
mod measures;
mod search;

use thiserror::Error;

use crate::model::{Costs, ModelError, RobotPolicy};
use crate::number::{count, plain};
use crate::phase_type::PhaseType;
use crate::queue::Measures;
use chain::Chain;

pub use search::Best;

/// Most robots that can be described: the chain grows with their number.
pub const MOST_ROBOTS: u32 = 10_000;

/// Robots that finish what they have begun, a buffer and an indexer.
#[derive(Clone, Debug, PartialEq)]
pub struct Finishing {
    buffer: usize,
    service: PhaseType,
    /// The rate at which a waiting document becomes obsolete.
    obsolescence: f64,
    fetch: PhaseType,
    /// The part of the fetches that bring a document.
    brings: f64,
    /// How many of 0, 1, 2, ... robots that may be under way are at work on average.
    at_work: Vec<f64>,
    /// Whether a robot is sent out only if there is a place for what it brings.
    reserve: bool,
    costs: Costs,
}

/// What is wrong with a system of robots that finish, or with a policy for it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FinishingError {
    /// A part is impossible in any model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There must be a robot, and no more than can be described.
    #[error("there can be {0} robots; give a number from 1 to {MOST_ROBOTS}")]
    Robots(u32),
    /// Not a rate.
    #[error("obsolescence is {}; give the rate at which a waiting document becomes obsolete, from 0 to 1e50", plain(.0))]
    Obsolescence(f64),
    /// Not a share.
    #[error("{} of the fetches bring a document; give a number above 0 and at most 1", plain(.0))]
    Brings(f64),
    /// Robots at work that cannot be.
    #[error("of {} that may be under way {} are at work; give a number above 0, no more than that, that does not fall", count(*robots, "robot", "robots"), plain(.at_work))]
    AtWork {
        /// Robots that may be under way.
        robots: usize,
        /// How many of them are said to be at work.
        at_work: f64,
    },
    /// A policy under which nothing would ever come.
    #[error("no robot is wanted with an empty buffer, so nothing would ever come; want at least one")]
    NeverBegins,
    /// A policy that wants more robots with more documents.
    #[error("more robots are wanted with {} than with fewer; with more documents want as many or fewer", count(*documents, "document", "documents"))]
    Rises {
        /// Documents there are.
        documents: usize,
    },
    /// A policy wants more robots than there can be.
    #[error("{wanted} robots are wanted, but there are at most {most}")]
    TooMany {
        /// Robots wanted.
        wanted: u32,
        /// Most robots.
        most: u32,
    },
    /// More states than can be solved.
    #[error(
        "the system has at least {states} states with up to {block} for one number of documents; describe fetches or service with fewer phases, or allow fewer robots or places"
    )]
    TooLarge {
        /// States found before giving up.
        states: usize,
        /// The most of one level.
        block: usize,
    },
}

impl Finishing {
    /// Up to `most` robots, each of which takes a time of law `fetch` to bring a document.
    ///
    /// # Errors
    /// If parts are impossible.
    pub fn new(
        buffer: usize,
        service: PhaseType,
        obsolescence: Option<f64>,
        fetch: PhaseType,
        most: u32,
        costs: Costs,
    ) -> Result<Self, FinishingError> {
        if buffer == 0 {
            return Err(ModelError::NoBuffer.into());
        }
        if !(1..=MOST_ROBOTS).contains(&most) {
            return Err(FinishingError::Robots(most));
        }
        let obsolescence = obsolescence.unwrap_or(0.0);
        if !(0.0..=1e50).contains(&obsolescence) {
            return Err(FinishingError::Obsolescence(obsolescence));
        }
        costs.check()?;
        ModelError::check_pace("service", service.rates())?;
        ModelError::check_pace("fetch", fetch.rates())?;
        let at_work = (0..=most).map(f64::from).collect();
        Ok(Self { buffer, service, obsolescence, fetch, brings: 1.0, at_work, reserve: false, costs })
    }

    /// The same if only a part of the fetches bring a document: others find nothing new.
    ///
    /// # Errors
    /// If that is not above 0 and at most 1.
    pub fn bringing(self, share: f64) -> Result<Self, FinishingError> {
        if share > 0.0 && share <= 1.0 {
            Ok(Self { brings: share, ..self })
        } else {
            Err(FinishingError::Brings(share))
        }
    }

    /// The same if there is not always work: of `r` robots that may be under way `at_work[r - 1]` are at work on average, and
    /// fetches of all of them progress so much more slowly.
    ///
    /// # Errors
    /// If a number is not positive, above the number of robots or below the one before; or if there are more or fewer than robots.
    pub fn with_work(self, at_work: &[f64]) -> Result<Self, FinishingError> {
        if at_work.len() + 1 != self.at_work.len() {
            return Err(FinishingError::Robots(at_work.len() as u32));
        }
        let mut before = 0.0;
        for (robots, at_work) in (1..).zip(at_work.iter().copied()) {
            let most = robots as f64 * (1.0 + 1e-9);
            if !(at_work > 0.0 && at_work >= before && at_work <= most) {
                return Err(FinishingError::AtWork { robots, at_work });
            }
            before = at_work;
        }
        Ok(Self { at_work: [&[0.0], at_work].concat(), ..self })
    }

    /// The same if a robot is sent out only if there is a place for what it brings, so that nothing is lost.
    #[must_use]
    pub fn reserving(self, reserve: bool) -> Self {
        Self { reserve, ..self }
    }

    /// The same with another law of fetches.
    fn fetching(&self, fetch: PhaseType) -> Self {
        Self { fetch, ..self.clone() }
    }

    /// `K`, the document being indexed included.
    #[must_use]
    pub fn buffer(&self) -> usize {
        self.buffer
    }

    /// The law of the time it takes to index a document.
    #[must_use]
    pub fn service(&self) -> &PhaseType {
        &self.service
    }

    /// The rate at which a waiting document becomes obsolete; zero if never.
    #[must_use]
    pub fn obsolescence(&self) -> f64 {
        self.obsolescence
    }

    /// The law of the time of a fetch.
    #[must_use]
    pub fn fetch(&self) -> &PhaseType {
        &self.fetch
    }

    /// The part of the fetches that bring a document.
    #[must_use]
    pub fn brings(&self) -> f64 {
        self.brings
    }

    /// How many of 1, 2, ... robots that may be under way are at work on average.
    #[must_use]
    pub fn at_work(&self) -> &[f64] {
        &self.at_work[1..]
    }

    /// Whether a robot is sent out only if there is a place for what it brings.
    #[must_use]
    pub fn reserve(&self) -> bool {
        self.reserve
    }

    /// The most robots.
    #[must_use]
    pub fn most(&self) -> u32 {
        (self.at_work.len() - 1) as u32
    }

    /// The cost coefficients.
    #[must_use]
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// The documents that the most robots bring per unit of time.
    #[must_use]
    pub fn largest_rate(&self) -> f64 {
        self.at_work.last().map_or(0.0, |at_work| at_work * self.brings / self.fetch.mean())
    }

    /// Robots wanted for 0, 1, ..., K documents, with more documents no more of them. None may be wanted, but with an empty buffer.
    ///
    /// # Errors
    /// If the length is not `K + 1`, numbers rise, there are not so many robots, or nothing would ever come.
    pub fn policy(&self, wanted: Vec<u32>) -> Result<RobotPolicy, FinishingError> {
        if wanted.len() != self.buffer + 1 {
            let (got, expected, last) = (wanted.len(), self.buffer + 1, self.buffer);
            return Err(ModelError::PolicyLength { got, expected, last }.into());
        }
        if wanted[0] == 0 {
            return Err(FinishingError::NeverBegins);
        }
        if wanted[0] > self.most() {
            return Err(FinishingError::TooMany { wanted: wanted[0], most: self.most() });
        }
        match wanted.windows(2).position(|pair| pair[0] < pair[1]) {
            Some(before) => Err(FinishingError::Rises { documents: before + 1 }),
            None => Ok(RobotPolicy::unchecked(wanted)),
        }
    }

    /// With modes `m1, m2, ...` and thresholds `t1 <= t2 <= ...`: `m1` robots while `i <= t1`, `m2` while `t1 < i <= t2`, and so on.
    ///
    /// # Errors
    /// If thresholds fall or their number does not fit, or the modes are no policy.
    pub fn thresholds(&self, modes: &[u32], thresholds: &[usize]) -> Result<RobotPolicy, FinishingError> {
        self.policy(RobotPolicy::staircase(self.buffer, modes, thresholds)?)
    }

    /// Always the same number of robots.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn fixed(&self, robots: u32) -> Result<RobotPolicy, FinishingError> {
        self.policy(vec![robots; self.buffer + 1])
    }

    /// Law C-29: how often the system loses, ages or starves under a policy, how long documents stay, and what it costs.
    ///
    /// `active_robots` are those at work, on their way back too; `robots` are shares of time by robots under way.
    ///
    /// # Errors
    /// If the policy is not one for this system, or there are too many states.
    pub fn solve(&self, policy: &RobotPolicy) -> Result<Measures, FinishingError> {
        let policy = self.policy(policy.robots().to_vec())?;
        let chain = Chain::new(self, &self.kept(policy.robots()))?;
        let (law, residual) = eliminate::stationary(&chain);
        Ok(measures::of(self, &chain, &law, residual))
    }

    /// Law C-30: the best numbers of robots wanted, the fewer the more documents there are.
    ///
    /// # Errors
    /// If there are too many states even for a fixed number.
    pub fn optimise(&self) -> Result<Best, FinishingError> {
        search::best(self)
    }

    /// Robots wanted, no more than places are left if places are kept.
    fn kept(&self, wanted: &[u32]) -> Vec<u32> {
        let left = |documents: usize| if self.reserve { (self.buffer - documents) as u32 } else { u32::MAX };
        wanted.iter().enumerate().map(|(documents, wanted)| (*wanted).min(left(documents))).collect()
    }
}

#[cfg(test)]
mod tests;
