//! Decides how many robots there are: fits the model of Avrachenkov et al. to what goes on, solves it now and then, and gives the
//! fleet the best thresholds.

mod fits;
mod measured;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use control::controller::baselines::{Aimd, OnOff, Range};
use control::controller::{ThresholdController, gain};
use control::optimise::optimise;
use control::{Costs, Measures, Model, RobotPolicy, solve_to};
use crawl::fleet::{Delivery, Message, Seen, Steering};
use serde::{Deserialize, Serialize};
use store::Buffer;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::model_file;
use fits::Fits;
use measured::Meter;
pub use measured::{ControlStatus, Figures, Fitted};

/// The catalogue's name for what the governor remembers.
pub(super) const NOTE: &str = "control";

/// The time before the model is fitted again doubles each time up to this.
const LONGEST: Duration = Duration::from_secs(1_800);

/// New thresholds must promise to cost less by this part.
const MARGIN: f64 = 0.02;

/// A robot that is told to pause costs nothing, so thresholds act at once, as in the model.
const DWELL: f64 = 0.0;

/// How far costs that are only bounded are to be known.
const ACCURACY: f64 = 1e-3;

/// A robot more after this many seconds without loss, for the rule AIMD.
const PERIOD: f64 = 1.0;

/// By what rule the number of robots is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The best thresholds for what goes on.
    Thresholds,
    /// One robot more after each second without loss, half of them at a loss.
    Aimd,
    /// All robots while the buffer is less than half full, else one.
    OnOff,
    /// Always as many as the user says. The model is fitted only to be compared with what goes on.
    Fixed,
}

/// How the number of robots is decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlSettings {
    /// The rule.
    pub rule: Rule,
    /// Most robots.
    pub most: u32,
    /// What losses, waiting and idle times cost.
    pub costs: Costs,
    /// Seconds before the model is fitted for the first time; then twice as long each time.
    pub refit: f64,
}

/// What the governor works with.
pub(super) struct Office {
    pub(super) settings: ControlSettings,
    pub(super) learned_obsolescence: bool,
    pub(super) reserve: bool,
    pub(super) buffer: Arc<dyn Buffer<Delivery>>,
    pub(super) fleet: UnboundedSender<Message>,
    pub(super) seen: UnboundedReceiver<Seen>,
    pub(super) publish: Box<dyn Fn(ControlStatus) + Send>,
}

/// What is remembered from one start to the next.
#[derive(Serialize, Deserialize)]
struct Remembered {
    /// The model, as a file for `oriole control`.
    model: String,
    /// Robots wanted for 0, 1, ... documents in the buffer.
    robots: Vec<u32>,
}

/// A policy and what it is based on.
pub(super) struct Decision {
    model: Model,
    policy: RobotPolicy,
    predicted: Measures,
}

/// Decides how many robots there are.
pub(super) struct Governor {
    office: Office,
    fits: Fits,
    meter: Meter,
    decision: Option<Decision>,
    wait: Duration,
    next: Instant,
}

/// What was decided when the engine last ran, if it still fits the configuration.
pub(super) fn remembered(
    note: Option<&str>,
    settings: &ControlSettings,
    (places, reserve): (usize, bool),
) -> Option<Decision> {
    let noted: Remembered = serde_json::from_str(note?).ok()?;
    let model = model_file::from_text("the model of the last run", &noted.model).ok()?;
    let fits = model.buffer() == places && *model.costs() == settings.costs;
    let policy = RobotPolicy::new(&model, noted.robots).ok()?;
    let known = policy.robots().iter().all(|robots| *robots <= settings.most);
    let predicted = predict(&model, &policy, reserve).ok()?;
    (fits && known && settings.rule == Rule::Thresholds).then_some(Decision { model, policy, predicted })
}

/// How the number of robots is decided at the start.
pub(super) fn first_steering(settings: &ControlSettings, decision: Option<&Decision>, places: usize) -> Steering {
    let range = Range { least: 1, most: settings.most };
    match (settings.rule, decision) {
        (Rule::Thresholds, Some(decision)) => steering(&decision.policy),
        (Rule::Thresholds, None) | (Rule::Fixed, _) => Steering::fixed(settings.most),
        (Rule::Aimd, _) => Steering::watching(Aimd::new(range, PERIOD)),
        (Rule::OnOff, _) => Steering::watching(OnOff { on: settings.most, off: 1, threshold: places / 2 }),
    }
}

fn steering(policy: &RobotPolicy) -> Steering {
    Steering::watching(ThresholdController::new(policy.clone(), DWELL, MARGIN))
}

impl Governor {
    /// Begins its work, on a thread of its own.
    pub(super) fn start(office: Office, decision: Option<Decision>) {
        let meter = Meter::new(office.settings.costs, office.buffer.counters());
        let (fits, wait) = (Fits::new(), Duration::from_secs_f64(office.settings.refit));
        let governor = Self { office, fits, meter, decision, wait, next: Instant::now() + wait };
        // If there is no thread for it, everything else works as it began.
        let started = thread::Builder::new().name("governor".to_owned()).spawn(|| governor.run());
        if let Err(error) = started {
            tracing::warn!(%error, "the number of robots cannot be decided anew");
        }
    }

    /// Works until nobody tells it anything any more.
    fn run(mut self) {
        self.publish();
        let mut published = Instant::now();
        while let Some(seen) = self.office.seen.blocking_recv() {
            self.see(&seen);
            if published.elapsed() >= Duration::from_secs(1) {
                self.publish();
                published = Instant::now();
            }
            if self.has_model() && Instant::now() >= self.next && self.fits.is_enough() {
                let fixed = self.office.settings.rule == Rule::Fixed;
                let fitted = if fixed { self.compare() } else { self.decide() };
                if let Err(error) = fitted {
                    tracing::debug!("robots are decided upon as before: {error:#}");
                }
                self.wait = LONGEST.min(2 * self.wait).max(self.wait);
                self.next = Instant::now() + self.wait;
            }
        }
    }

    fn see(&mut self, seen: &Seen) {
        self.fits.see(seen);
        self.meter.see(seen);
        let settings = &mut self.office.settings;
        // The user may say another number at any time.
        if let Seen::Worked { wanted, .. } = *seen
            && settings.rule == Rule::Fixed
            && ![0, settings.most].contains(&wanted)
        {
            settings.most = wanted;
            self.decision = None;
            self.meter.begin(self.office.buffer.counters());
        }
    }

    /// Whether what goes on is compared with a model.
    fn has_model(&self) -> bool {
        matches!(self.office.settings.rule, Rule::Thresholds | Rule::Fixed)
    }

    fn model(&self) -> Result<Model> {
        let Office { settings, learned_obsolescence, buffer, .. } = &self.office;
        self.fits.model(buffer.capacity(), settings.most, *learned_obsolescence, settings.costs)
    }

    /// Fits the model anew, and says what follows from it for the number of robots there is.
    fn compare(&mut self) -> Result<()> {
        let model = self.model()?;
        let policy = RobotPolicy::new(&model, vec![self.office.settings.most; model.buffer() + 1])?;
        let predicted = predict(&model, &policy, self.office.reserve)?;
        self.decision = Some(Decision { model, policy, predicted });
        self.publish();
        Ok(())
    }

    /// Fits the model anew, and takes up its best thresholds if they are clearly better.
    fn decide(&mut self) -> Result<()> {
        let model = self.model()?;
        let best = optimise(&model, Some(&modes(&model)))?.best;
        let proposed = RobotPolicy::thresholds(&model, &best.modes, &best.thresholds)?;
        let present = match &self.decision {
            Some(decision) => RobotPolicy::new(&model, decision.policy.robots().to_vec())?,
            None => model.fixed(largest(&model)),
        };
        let is_better = self.decision.is_none() || gain(&model, &present, &proposed)? > MARGIN;
        let policy = if is_better && proposed != present { proposed } else { present };
        if self.decision.as_ref().is_none_or(|decision| decision.policy != policy) {
            let robots = describe(&policy);
            tracing::info!(robots, "the number of robots is decided anew");
            _ = self.office.fleet.send(Message::Steer(steering(&policy)));
            self.meter.begin(self.office.buffer.counters());
        }
        let predicted = predict(&model, &policy, self.office.reserve)?;
        self.remember(&model, &policy)?;
        self.decision = Some(Decision { model, policy, predicted });
        self.publish();
        Ok(())
    }

    fn remember(&self, model: &Model, policy: &RobotPolicy) -> Result<()> {
        let heading = "Fitted by oriole run to what it saw; times are in seconds.";
        let noted = Remembered { model: model_file::to_toml(model, heading), robots: policy.robots().to_vec() };
        let text = serde_json::to_string(&noted).context("what was decided")?;
        _ = self.office.fleet.send(Message::Remember(NOTE.to_owned(), text));
        Ok(())
    }

    fn publish(&mut self) {
        let measured = self.meter.figures(self.office.buffer.counters());
        let settings = self.office.settings;
        (self.office.publish)(ControlStatus::new(settings.rule, self.decision.as_ref(), measured));
    }
}

/// What the model says of a policy. Where places are kept for robots, there are no more of them than places.
fn predict(model: &Model, policy: &RobotPolicy, reserve: bool) -> Result<Measures> {
    if !reserve {
        return Ok(solve_to(model, policy, ACCURACY)?.measures);
    }
    let kept = |(pages, robots): (usize, &u32)| (*robots).min(model.buffer().saturating_sub(pages) as u32);
    let robots = policy.robots().iter().enumerate().map(kept).collect();
    let model = with_none(model)?;
    Ok(solve_to(&model, &RobotPolicy::new(&model, robots)?, ACCURACY)?.measures)
}

/// The same model, with no robots at all as one more number of them.
fn with_none(model: &Model) -> Result<Model> {
    let none = model.arrivals().first().map(|(_, process)| (0, process.sped_up(fits::NOTHING)));
    let arrivals = model.arrivals().iter().cloned().chain(none).collect();
    let (service, obsolescence) = (model.service().clone(), model.obsolescence().cloned());
    Ok(Model::new(model.buffer(), service, obsolescence, arrivals, *model.costs())?)
}

/// Numbers of robots among which thresholds lie, most first: all up to four, then in steps of a third to a half.
fn modes(model: &Model) -> Vec<u32> {
    let most = largest(model);
    let steps = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
    let mut modes: Vec<u32> = steps.into_iter().filter(|robots| *robots < most).chain([most]).collect();
    modes.reverse();
    modes
}

fn largest(model: &Model) -> u32 {
    model.arrivals().iter().map(|(robots, _)| *robots).max().unwrap_or(1)
}

/// Modes and thresholds in words: `16 up to 3, 4 up to 9, 1`.
fn describe(policy: &RobotPolicy) -> String {
    let robots = policy.robots();
    let mut parts = Vec::new();
    for (pages, pair) in robots.windows(2).enumerate() {
        if pair[0] != pair[1] {
            parts.push(format!("{} up to {pages}", pair[0]));
        }
    }
    parts.extend(robots.last().map(u32::to_string));
    parts.join(", ")
}
