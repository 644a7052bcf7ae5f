//! What can be changed while the engine runs, and what of it outlives a restart.
//!
//! Settings that were applied by hand stand above file and environment and below flags. They are a note in the catalogue.

use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use crawl::fleet::Message;
use serde::{Deserialize, Serialize};
use store::{Catalogue, DataFolder};
use tokio::sync::mpsc::UnboundedSender;

use super::governor::{self, ControlSettings};
use super::status::StatusBoard;
use crate::cli::RunArgs;
use crate::config::{Change, Changes, Config};

/// The catalogue's name for settings that were applied.
const NOTE: &str = "settings";

/// Settings that were applied by hand; none where nothing was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Applied {
    /// Requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Robots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<Robots>,
    /// Places of the buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<usize>,
}

/// How many requests may be made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// As many as robots and hosts can take.
    Unlimited,
    /// So many a second.
    PerSecond(f64),
}

/// How many robots there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Robots {
    /// As many as is best, up to so many.
    UpTo(u32),
    /// Always so many.
    Fixed(u32),
}

impl Applied {
    /// What was applied to a data folder; nothing if there is none, or what is noted makes no sense.
    #[must_use]
    pub fn read(data: &Path) -> Self {
        let folder = DataFolder::read(data).ok();
        let note = folder.and_then(|folder| folder.catalogue.note(NOTE).ok().flatten());
        note.and_then(|note| serde_json::from_str(&note).ok()).filter(Self::is_sound).unwrap_or_default()
    }

    /// Whether all of it can be obeyed.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let budget = self.budget.is_none_or(|budget| match budget {
            Budget::Unlimited => true,
            Budget::PerSecond(rate) => rate.is_finite() && rate > 0.0,
        });
        let robots = self.robots.is_none_or(|robots| match robots {
            Robots::UpTo(most) => (1..=64).contains(&most),
            Robots::Fixed(robots) => (1..=10_000).contains(&robots),
        });
        budget && robots && self.buffer.is_none_or(|places| (1..=100_000).contains(&places))
    }

    /// Without what flags say.
    #[must_use]
    pub fn below(self, flags: &RunArgs) -> Self {
        Self {
            budget: self.budget.filter(|_| flags.budget.is_none()),
            robots: self.robots.filter(|_| flags.robots.is_none()),
            buffer: self.buffer,
        }
    }

    /// The configuration with this in it.
    #[must_use]
    pub fn over(self, config: &Config) -> Config {
        let mut config = config.clone();
        match self.budget {
            Some(Budget::Unlimited) => config.fleet.frontier.budget = None,
            Some(Budget::PerSecond(rate)) => config.fleet.frontier.budget = Some(rate),
            None => {}
        }
        match self.robots {
            Some(Robots::UpTo(most)) => (config.robots, config.control.most) = (None, most),
            Some(Robots::Fixed(robots)) => config.robots = Some(robots),
            None => {}
        }
        config.buffer = self.buffer.unwrap_or(config.buffer);
        config
    }

    /// This, and what was applied before where this says nothing.
    fn or(self, before: Self) -> Self {
        Self {
            budget: self.budget.or(before.budget),
            robots: self.robots.or(before.robots),
            buffer: self.buffer.or(before.buffer),
        }
    }
}

/// The settings of a running engine.
pub struct Controls {
    settings: Mutex<Settings>,
    board: Arc<StatusBoard>,
    fleet: UnboundedSender<Message>,
    governor: Sender<ControlSettings>,
    /// Places of the buffer there is.
    places: usize,
}

struct Settings {
    /// What file, environment and flags say.
    typed: Config,
    /// What stands above it.
    applied: Applied,
    /// What holds, or will hold at the next start.
    config: Config,
}

impl Controls {
    pub(super) fn new(
        typed: Config,
        applied: Applied,
        board: Arc<StatusBoard>,
        fleet: UnboundedSender<Message>,
        governor: Sender<ControlSettings>,
    ) -> Self {
        let config = applied.over(&typed);
        let places = config.buffer;
        Self { settings: Mutex::new(Settings { typed, applied, config }), board, fleet, governor, places }
    }

    /// What holds now, or will hold at the next start.
    #[must_use]
    pub fn config(&self) -> Config {
        self.lock().config.clone()
    }

    /// What was applied by hand and holds.
    #[must_use]
    pub fn applied(&self) -> Applied {
        self.lock().applied
    }

    /// Places of the buffer now; the configuration says how many there will be at the next start.
    #[must_use]
    pub fn places(&self) -> usize {
        self.places
    }

    /// Applies settings, in addition to those applied before, and remembers them. What is different then.
    ///
    /// # Errors
    /// If it cannot be noted.
    pub fn apply(&self, wanted: Applied) -> Result<Changes> {
        let mut settings = self.lock();
        let applied = wanted.or(settings.applied);
        self.take(&mut settings, None, applied)
    }

    /// Goes back to what file, environment and flags say. What is different then.
    ///
    /// # Errors
    /// If it cannot be noted.
    pub fn forget(&self) -> Result<Changes> {
        self.take(&mut self.lock(), None, Applied::default())
    }

    /// Takes over another configuration, below what was applied.
    ///
    /// # Errors
    /// None that is known.
    pub(super) fn reload(&self, typed: Config) -> Result<Changes> {
        let mut settings = self.lock();
        let applied = settings.applied;
        self.take(&mut settings, Some(typed), applied)
    }

    fn take(&self, settings: &mut Settings, typed: Option<Config>, applied: Applied) -> Result<Changes> {
        if applied != settings.applied {
            let note = serde_json::to_string(&applied)?;
            _ = self.fleet.send(Message::Remember(NOTE.to_owned(), note));
        }
        settings.typed = typed.unwrap_or_else(|| settings.typed.clone());
        let config = applied.over(&settings.typed);
        let changes = settings.config.changes(&config);
        changes.now.iter().for_each(|change| self.carry_out(change));
        (settings.applied, settings.config) = (applied, config);
        Ok(changes)
    }

    fn carry_out(&self, change: &Change) {
        let message = match change {
            Change::Budget(budget) => {
                self.board.set_budget(*budget);
                Message::Budget(*budget)
            }
            Change::Robots(settings) => {
                self.board.set_robots(settings.most);
                // It is told of it, too, so that it does not decide otherwise.
                _ = self.governor.send(*settings);
                Message::Steer(governor::first_steering(settings, None, self.places))
            }
            Change::Manners { delay, connections } => Message::Manners(*delay, *connections),
            Change::Revisit { least, most } => Message::Revisit(*least, *most),
            // Whoever keeps the log does it.
            Change::LogLevel(_) => return,
        };
        _ = self.fleet.send(message);
    }

    fn lock(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
