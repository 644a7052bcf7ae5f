//! What is different in another configuration.

use std::fmt::{self, Display, Formatter};

use super::Config;
use crate::engine::{ControlSettings, Rule};

/// What a running engine can take over from a new configuration. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Requests per second; `None` for as many as robots and hosts can take.
    Budget(Option<f64>),
    /// How the number of robots is decided.
    Robots(ControlSettings),
    /// Manners towards a host.
    Manners {
        /// Time between two requests.
        delay: f64,
        /// Requests at a time.
        connections: u32,
    },
    /// When pages are visited again.
    Revisit {
        /// Not before this time.
        least: f64,
        /// After this time at the latest.
        most: f64,
    },
    /// What is logged.
    LogLevel(String),
}

impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget(Some(budget)) => write!(f, "budget {budget} requests per second"),
            Self::Budget(None) => write!(f, "no budget"),
            Self::Robots(ControlSettings { rule: Rule::Fixed, most, .. }) => write!(f, "robots {most}"),
            Self::Robots(settings) => write!(f, "robots up to {} by {}", settings.most, settings.rule.name()),
            Self::Manners { delay, connections } => write!(f, "delay {delay} s, connections per host {connections}"),
            Self::Revisit { least, most } => write!(f, "revisits after {least} s to {most} s"),
            Self::LogLevel(levels) => write!(f, "log level {levels}"),
        }
    }
}

/// The difference between two configurations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Can be taken over now.
    pub now: Vec<Change>,
    /// Keys whose new values take effect at the next start.
    pub at_next_start: Vec<&'static str>,
}

impl Config {
    /// What is different in a newer configuration.
    #[must_use]
    pub fn changes(&self, new: &Self) -> Changes {
        Changes { now: self.changes_now(new), at_next_start: self.changes_later(new) }
    }

    fn changes_now(&self, new: &Self) -> Vec<Change> {
        let (before, after) = (&self.fleet.frontier, &new.fleet.frontier);
        let (delay, connections) = (after.delay, after.connections);
        let (least, most) = (after.least_revisit, after.most_revisit);
        let all = [
            (before.budget != after.budget, Change::Budget(after.budget)),
            ((before.delay, before.connections) != (delay, connections), Change::Manners { delay, connections }),
            ((before.least_revisit, before.most_revisit) != (least, most), Change::Revisit { least, most }),
            (self.log.level != new.log.level, Change::LogLevel(new.log.level.clone())),
            (self.deciding() != new.deciding(), Change::Robots(new.deciding())),
        ];
        all.into_iter().filter(|(differs, _)| *differs).map(|(_, change)| change).collect()
    }

    /// How the number of robots is decided.
    #[must_use]
    pub fn deciding(&self) -> ControlSettings {
        match self.robots {
            Some(robots) => ControlSettings { rule: Rule::Fixed, most: robots, ..self.control },
            None => self.control,
        }
    }

    fn changes_later(&self, new: &Self) -> Vec<&'static str> {
        let whole = [
            ("data", self.data != new.data),
            ("seeds", self.seeds != new.seeds),
            ("weight", self.fleet.weights != new.fleet.weights),
            ("revisit.least_change", self.least_change != new.least_change),
            ("revisit.look_again", self.fleet.look_again != new.fleet.look_again),
            ("revisit.discovery", self.fleet.frontier.discovery != new.fleet.frontier.discovery),
            ("revisit.reserve", self.fleet.frontier.reserve != new.fleet.frontier.reserve),
            ("demand.learn", self.fleet.demand.learn != new.fleet.demand.learn),
            ("demand.half_life", self.fleet.demand.half_life != new.fleet.demand.half_life),
            ("requests.retry", self.fleet.retry != new.fleet.retry),
            ("requests.tries", self.fleet.tries != new.fleet.tries),
            ("pages.max_text", self.limits.text_bytes != new.limits.text_bytes),
            ("pages.max_links", self.limits.links != new.limits.links),
            ("buffer.places", self.buffer != new.buffer),
            ("buffer.obsolete_after", self.fleet.obsolete_after != new.fleet.obsolete_after),
            ("buffer.learned_obsolescence", self.fleet.learned_obsolescence != new.fleet.learned_obsolescence),
            ("buffer.reserve", self.reserve != new.reserve),
            ("webhooks", self.webhooks != new.webhooks),
            ("metrics.listen", self.metrics != new.metrics),
            ("log.format", self.log.format != new.log.format),
        ];
        let parts = whole.into_iter().chain(self.scope_changes(new)).chain(self.request_changes(new));
        let parts = parts.chain(self.server_changes(new));
        parts.chain(self.output_changes(new)).filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }

    fn server_changes(&self, new: &Self) -> impl Iterator<Item = (&'static str, bool)> + use<> {
        let (before, after) = (&self.server, &new.server);
        let all = [
            ("server.listen", before.listen != after.listen),
            ("server.hosts", before.hosts != after.hosts),
            ("server.token", before.token != after.token),
            ("server.public_search", before.public_search != after.public_search),
            ("server.public_rate", before.public_rate != after.public_rate),
            ("signals.indexnow_key", self.signals.indexnow_key != new.signals.indexnow_key),
            ("signals.websub_callback", self.signals.websub_callback != new.signals.websub_callback),
        ];
        all.into_iter()
    }

    fn scope_changes(&self, new: &Self) -> impl Iterator<Item = (&'static str, bool)> + use<> {
        let (before, after) = (&self.scope, &new.scope);
        let all = [
            ("scope.reach", before.reach != after.reach),
            ("scope.include", before.include != after.include),
            ("scope.exclude", before.exclude != after.exclude),
            ("scope.max_depth", before.max_depth != after.max_depth),
            ("scope.max_pages_per_site", before.max_pages_per_site != after.max_pages_per_site),
            ("scope.allow_extensions", before.allow_extensions != after.allow_extensions),
        ];
        all.into_iter()
    }

    fn request_changes(&self, new: &Self) -> impl Iterator<Item = (&'static str, bool)> + use<> {
        let (before, after) = (&self.fetch, &new.fetch);
        let all = [
            ("requests.user_agent", before.user_agent != after.user_agent),
            ("requests.connect_timeout", before.connect != after.connect),
            ("requests.silence_timeout", before.silence != after.silence),
            ("requests.timeout", before.total != after.total),
            ("requests.max_bytes", before.most_bytes != after.most_bytes),
            ("requests.allow_private", before.allow_private != after.allow_private),
            ("requests.proxy", before.proxy != after.proxy),
            ("requests.ca_files", before.trusted != after.trusted),
        ];
        all.into_iter()
    }

    /// Of index and archive. What an index is like that is not there does not matter.
    fn output_changes(&self, new: &Self) -> impl Iterator<Item = (&'static str, bool)> + use<> {
        let index = self.index.as_ref().zip(new.index.as_ref());
        let archive = self.archive.as_ref().zip(new.archive.as_ref());
        let all = [
            ("index.enabled", self.index.is_some() != new.index.is_some()),
            ("index.memory", index.is_some_and(|(a, b)| a.memory != b.memory)),
            ("archive.enabled", self.archive.is_some() != new.archive.is_some()),
            ("archive.file_size", archive.is_some_and(|(a, b)| a.rotate_at != b.rotate_at)),
            ("archive.operator", archive.is_some_and(|(a, b)| a.info != b.info)),
        ];
        all.into_iter()
    }
}
