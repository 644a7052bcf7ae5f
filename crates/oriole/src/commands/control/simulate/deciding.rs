//! What decides how many robots are active.

use control::controller::baselines::{Aimd, CoDel, Hysteresis, Pid, PidGains, Proportional, Range};
use control::controller::{BeliefController, Controller, ThresholdController};
use control::{BeliefFilter, BeliefPolicy, Model, RobotPolicy};

use super::super::policy;
use crate::cli::{ControllerKind, ControllerText, PolicyArgs, SimulateQueueArgs};
use crate::failure::Mistake;
use crate::output::number::short;
use crate::progress::while_doing;

/// A controller for the simulation.
pub(super) struct Deciding {
    pub(super) controller: Box<dyn Controller>,
    /// What it does with so many pages, if that is all it looks at.
    pub(super) policy: Option<RobotPolicy>,
    /// For people: the policy, or the controller with all its settings as they are typed.
    pub(super) words: String,
}

impl Deciding {
    pub(super) fn of(model: &Model, arguments: &SimulateQueueArgs) -> Result<Self, Mistake> {
        let typed = &arguments.controller;
        let mut settings = Settings { model, typed, used: Vec::new() };
        if typed.kind == ControllerKind::Thresholds {
            return Self::thresholds(model, &arguments.policy, &mut settings);
        }
        let PolicyArgs { modes, thresholds, robots } = &arguments.policy;
        if !(modes.is_empty() && thresholds.is_empty() && robots.is_empty()) {
            let problem = format!("--controller {}: leave out --modes, --thresholds and --robots", typed.name);
            return Err(Mistake::usage(format_args!("{problem}; settings are typed after the name")));
        }
        if let Some(policy) = settings.by_pages()? {
            let words = format!("{}: {}", settings.words(), policy::in_words(&policy));
            return Ok(Self { controller: Box::new(policy.clone()), policy: Some(policy), words });
        }
        let controller = settings.controller()?;
        Ok(Self { controller, policy: None, words: settings.words() })
    }

    /// The policy that was typed.
    fn thresholds(model: &Model, typed: &PolicyArgs, settings: &mut Settings<'_>) -> Result<Self, Mistake> {
        let policy = policy::of(model, typed)?;
        let mut words = policy::in_words(&policy);
        let dwell = settings.value("dwell", 0.0);
        if dwell == 0.0 {
            return Ok(Self { controller: Box::new(policy.clone()), policy: Some(policy), words });
        }
        words.push_str(&format!("; a number stays for at least {}", short(dwell)));
        Ok(Self { controller: Box::new(ThresholdController::new(policy, dwell, 0.0)), policy: None, words })
    }
}

/// The settings of a controller, typed or following from the model.
struct Settings<'a> {
    model: &'a Model,
    typed: &'a ControllerText,
    /// Those that were asked for, and their values.
    used: Vec<(&'static str, f64)>,
}

impl Settings<'_> {
    fn value(&mut self, key: &'static str, usual: f64) -> f64 {
        let typed = self.typed.settings.iter().rev().find(|(known, _)| *known == key);
        let value = typed.map_or(usual, |(_, value)| *value);
        self.used.push((key, value));
        value
    }

    fn mistake(&self, problem: impl std::fmt::Display) -> Mistake {
        Mistake::usage(format_args!("--controller {}: {problem}", self.typed.name))
    }

    /// A length of time.
    fn time(&mut self, key: &'static str, usual: f64) -> Result<f64, Mistake> {
        let time = self.value(key, usual);
        if time > 0.0 { Ok(time) } else { Err(self.mistake(format_args!("{key} must be more than 0"))) }
    }

    fn pages(&mut self, key: &'static str, usual: usize) -> Result<usize, Mistake> {
        let pages = self.value(key, usual as f64);
        if pages.fract() == 0.0 && pages <= self.model.buffer() as f64 {
            return Ok(pages as usize);
        }
        Err(self.mistake(format_args!("{key} must be a number of pages from 0 to {}", self.model.buffer())))
    }

    fn robots(&mut self, key: &'static str, usual: u32) -> Result<u32, Mistake> {
        let robots = self.value(key, f64::from(usual));
        let known = self.model.arrivals().iter().map(|(known, _)| *known);
        if let Some(robots) = known.clone().find(|known| f64::from(*known) == robots) {
            return Ok(robots);
        }
        let known: Vec<String> = known.map(|known| known.to_string()).collect();
        Err(self.mistake(format_args!("{key} must be one of the model's numbers of robots: {}", known.join(", "))))
    }

    fn fewest(&self) -> u32 {
        self.model.arrivals()[0].0
    }

    fn most(&self) -> u32 {
        self.model.arrivals().iter().map(|(robots, _)| *robots).max().unwrap_or(0)
    }

    fn range(&mut self) -> Result<Range, Mistake> {
        let (fewest, most) = (self.fewest(), self.most());
        let range = Range { least: self.robots("least", fewest)?, most: self.robots("most", most)? };
        if range.least <= range.most { Ok(range) } else { Err(self.mistake("least must not be more than most")) }
    }

    fn on_off(&mut self) -> Result<(u32, u32), Mistake> {
        let (fewest, most) = (self.fewest(), self.most());
        Ok((self.robots("on", most)?, self.robots("off", fewest)?))
    }

    /// Controllers that look at the number of pages only, and can be solved.
    fn by_pages(&mut self) -> Result<Option<RobotPolicy>, Mistake> {
        let (model, buffer) = (self.model, self.model.buffer());
        let policy = match self.typed.kind {
            ControllerKind::Fixed => {
                let most = self.most();
                Ok(model.fixed(self.robots("robots", most)?))
            }
            ControllerKind::OnOff => {
                let (on, off) = self.on_off()?;
                RobotPolicy::thresholds(model, &[on, off], &[self.pages("threshold", buffer / 2)?])
            }
            _ => return Ok(None),
        };
        policy.map(Some).map_err(|error| self.mistake(error))
    }

    fn controller(&mut self) -> Result<Box<dyn Controller>, Mistake> {
        let (buffer, service) = (self.model.buffer(), self.model.service().mean());
        Ok(match self.typed.kind {
            ControllerKind::Hysteresis => self.hysteresis()?,
            ControllerKind::Proportional => Box::new(Proportional { range: self.range()?, buffer }),
            ControllerKind::Aimd => Box::new(Aimd::new(self.range()?, self.time("period", service)?)),
            ControllerKind::Pid => self.pid()?,
            ControllerKind::CoDel => {
                let range = self.range()?;
                let target = self.time("target", buffer as f64 / 2.0 * service)?;
                Box::new(CoDel::new(range, target, self.time("interval", service)?))
            }
            _ => self.belief()?,
        })
    }

    fn hysteresis(&mut self) -> Result<Box<dyn Controller>, Mistake> {
        let (on, off) = self.on_off()?;
        let buffer = self.model.buffer();
        let (low, high) = (self.pages("low", buffer / 4)?, self.pages("high", (3 * buffer).div_ceil(4))?);
        if low < high {
            return Ok(Box::new(Hysteresis::new(on, off, low, high)));
        }
        Err(self.mistake("low must be less than high"))
    }

    /// Without settings the whole range of robots for the whole buffer, half of it being the target.
    fn pid(&mut self) -> Result<Box<dyn Controller>, Mistake> {
        let (buffer, service) = (self.model.buffer() as f64, self.model.service().mean());
        let range = self.range()?;
        let target = self.value("target", buffer / 2.0);
        let proportional = self.value("p", f64::from(range.most - range.least) / buffer);
        let integral = self.value("i", proportional / (10.0 * service));
        let gains = PidGains { proportional, integral, derivative: self.value("d", 0.0) };
        Ok(Box::new(Pid::new(range, target, gains, self.time("period", service)?)))
    }

    fn belief(&mut self) -> Result<Box<dyn Controller>, Mistake> {
        let period = self.time("period", self.model.service().mean() / 10.0)?;
        let filter = BeliefFilter::new(self.model, self.most()).map_err(|error| self.mistake(error))?;
        let policy = while_doing("finding the policy", || BeliefPolicy::new(self.model));
        let policy = policy.map_err(|error| self.mistake(error))?;
        Ok(Box::new(BeliefController::new(filter, policy, period)))
    }

    /// As they can be typed again.
    fn words(&self) -> String {
        let settings = self.used.iter().map(|(key, value)| format!(",{key}={}", short(*value)));
        format!("{}{}", self.typed.name, settings.collect::<String>())
    }
}
