//! Decides how many robots there are: fits the model of Avrachenkov et al., with robots that finish what they have begun, to what
//! goes on, solves it now and then, and gives the fleet the best thresholds.

mod fits;
mod measured;
mod watch;

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use control::controller::ThresholdController;
use control::controller::baselines::{Aimd, OnOff, Range};
use control::{Costs, Finishing, Measures, RobotPolicy};
use crawl::fleet::{Delivery, Message, Seen, Steering};
use serde::{Deserialize, Serialize};
use store::Buffer;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::model_file;
use fits::Fits;
use measured::Meter;
pub use measured::{ControlStatus, Figures, Fitted};
use watch::Watch;

/// The catalogue's name for what the governor remembers.
pub(crate) const NOTE: &str = "control";

/// The time before the model is fitted again doubles each time up to this.
const LONGEST: Duration = Duration::from_secs(1_800);

/// How long what is seen may wait to be looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// New thresholds must promise to cost less by this part.
const MARGIN: f64 = 0.02;

/// A robot that is not sent out again costs nothing, so thresholds act at once, as in the model.
const DWELL: f64 = 0.0;

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
    /// Other settings, as soon as something is seen.
    pub(super) orders: Receiver<ControlSettings>,
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
    model: Finishing,
    policy: RobotPolicy,
    predicted: Measures,
}

/// Decides how many robots there are.
pub(super) struct Governor {
    office: Office,
    fits: Fits,
    meter: Meter,
    watch: Watch,
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
    let model = model_file::finishing_from_text("the model of the last run", &noted.model).ok()?;
    let fits = model.buffer() == places && *model.costs() == settings.costs && model.reserve() == reserve;
    let policy = model.policy(noted.robots).ok()?;
    let known = policy.robots().iter().all(|robots| *robots <= settings.most);
    let predicted = model.solve(&policy).ok()?;
    (fits && known && settings.rule == Rule::Thresholds).then_some(Decision { model, policy, predicted })
}

/// How the number of robots is decided at the start.
pub(super) fn first_steering(settings: &ControlSettings, decision: Option<&Decision>, places: usize) -> Steering {
    let range = Range { least: 1, most: settings.most };
    match (settings.rule, decision) {
        (Rule::Thresholds, Some(decision)) => steering(&decision.policy),
        (Rule::Thresholds, None) | (Rule::Fixed, _) => Steering::fixed(settings.most),
        (Rule::Aimd, _) => Steering::watching(Aimd::new(range, PERIOD)),
        (Rule::OnOff, _) => Steering::watching(on_off(settings.most, places)),
    }
}

fn on_off(most: u32, places: usize) -> OnOff {
    OnOff { on: most, off: 1, threshold: places / 2 }
}

fn steering(policy: &RobotPolicy) -> Steering {
    Steering::watching(ThresholdController::new(policy.clone(), DWELL, MARGIN))
}

impl Governor {
    /// Begins its work, on a thread of its own.
    pub(super) fn start(office: Office, decision: Option<Decision>) {
        let meter = Meter::new(office.settings.costs, office.buffer.counters());
        let (fits, wait) = (Fits::new(), Duration::from_secs_f64(office.settings.refit));
        let watch = Watch::new(decision.as_ref());
        let governor = Self { office, fits, meter, watch, decision, wait, next: Instant::now() + wait };
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
            self.obey();
            self.see(&seen);
            // What is seen has its time with it: it is enough to wake up now and then.
            thread::sleep(PAUSE);
            for _ in 0..self.office.seen.len() {
                self.office.seen.try_recv().iter().for_each(|seen| self.see(seen));
            }
            if published.elapsed() >= Duration::from_secs(1) {
                self.publish();
                published = Instant::now();
            }
            if self.has_model() && Instant::now() >= self.next && self.fits.is_enough() {
                let decides = self.office.settings.rule == Rule::Thresholds;
                let fitted = if decides { self.decide() } else { self.compare() };
                if let Err(error) = fitted {
                    tracing::debug!("robots are decided upon as before: {error:#}");
                }
                self.wait = LONGEST.min(2 * self.wait).max(self.wait);
                self.next = Instant::now() + self.wait;
            }
        }
    }

    /// Takes up other settings, if there are any: what was decided before does not count any more.
    fn obey(&mut self) {
        let Some(settings) = self.office.orders.try_iter().last() else { return };
        self.office.settings = settings;
        self.decision = None;
        self.watch = Watch::new(None);
        self.meter = Meter::new(settings.costs, self.office.buffer.counters());
        self.wait = Duration::from_secs_f64(settings.refit);
        self.next = Instant::now() + self.wait;
        let steering = first_steering(&settings, None, self.office.buffer.capacity());
        _ = self.office.fleet.send(Message::Steer(steering));
        self.publish();
    }

    fn see(&mut self, seen: &Seen) {
        self.fits.see(seen);
        self.meter.see(seen);
        if self.watch.see(seen) {
            tracing::info!("robots or indexer are no longer as they were: what they do is learned anew");
            self.fits = Fits::new();
            self.wait = Duration::from_secs_f64(self.office.settings.refit);
            self.next = Instant::now() + self.wait;
        }
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

    /// Whether what goes on is compared with a model: what AIMD does does not follow from the buffer alone.
    fn has_model(&self) -> bool {
        self.office.settings.rule != Rule::Aimd
    }

    fn model(&self) -> Result<Finishing> {
        let Office { settings, learned_obsolescence, buffer, reserve, .. } = &self.office;
        let model = self.fits.model(buffer.capacity(), settings.most, *learned_obsolescence, settings.costs)?;
        Ok(model.reserving(*reserve))
    }

    /// Fits the model anew, and says what follows from it for the rule there is.
    fn compare(&mut self) -> Result<()> {
        let model = self.model()?;
        let (most, places) = (self.office.settings.most, model.buffer());
        let OnOff { on, off, threshold } = on_off(most, places);
        let policy = match self.office.settings.rule {
            Rule::OnOff => (0..=places).map(|documents| if documents <= threshold { on } else { off }).collect(),
            _ => vec![most; places + 1],
        };
        let policy = model.policy(policy)?;
        let predicted = model.solve(&policy)?;
        // Nothing was decided, so that thresholds begin anew if they come to rule.
        self.remember(&model, &[])?;
        self.take_up(Decision { model, policy, predicted });
        Ok(())
    }

    /// Fits the model anew, and takes up its best thresholds if they are clearly better.
    fn decide(&mut self) -> Result<()> {
        let model = self.model()?;
        let best = model.optimise()?;
        let present = match &self.decision {
            Some(decision) => model.policy(decision.policy.robots().to_vec())?,
            None => model.fixed(model.most())?,
        };
        let of_present = model.solve(&present)?;
        let is_better = best.measures.cost < (1.0 - MARGIN) * of_present.cost;
        let is_first = self.decision.is_none();
        let (policy, predicted) =
            if is_better || is_first { (best.policy, best.measures) } else { (present.clone(), of_present) };
        if is_first || policy != present {
            let robots = describe(&policy);
            tracing::info!(robots, "the number of robots is decided anew");
            _ = self.office.fleet.send(Message::Steer(steering(&policy)));
            self.meter.begin(self.office.buffer.counters());
        }
        self.remember(&model, policy.robots())?;
        self.take_up(Decision { model, policy, predicted });
        Ok(())
    }

    fn take_up(&mut self, decision: Decision) {
        self.watch = Watch::new(Some(&decision));
        self.decision = Some(decision);
        self.publish();
    }

    /// For the next start, and for whoever asks what other settings would do.
    fn remember(&self, model: &Finishing, robots: &[u32]) -> Result<()> {
        let heading = "Fitted by oriole run to what it saw; times are in seconds.";
        let noted = Remembered { model: model_file::finishing_to_toml(model, heading), robots: robots.to_vec() };
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

/// Modes and thresholds in words: `16 up to 3 documents, then 4 up to 9, then 1`.
fn describe(policy: &RobotPolicy) -> String {
    let robots = policy.robots();
    let mut parts = Vec::new();
    for (documents, pair) in robots.windows(2).enumerate() {
        if pair[0] != pair[1] {
            let what = match (parts.is_empty(), documents) {
                (true, 1) => " document",
                (true, _) => " documents",
                _ => "",
            };
            parts.push(format!("{} up to {documents}{what}", pair[0]));
        }
    }
    parts.extend(robots.last().map(u32::to_string));
    parts.join(", then ")
}
