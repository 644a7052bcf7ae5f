//! The virtual clock: robots draw pages from a policy, and what they find is measured.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use freshness::{Outcome, PageId, Visit};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;

use crate::config::{Config, ConfigError};
use crate::measure::Meter;
use crate::page::Page;
use crate::random::{Stream, stream};
use crate::report::{SimReport, Tally};
use crate::scheduler::Scheduler;
use crate::time::Time;
use crate::world::World;

/// Events between two calls of the progress function.
const EVENTS_PER_CALL: u64 = 1 << 14;

/// Pages and a configuration that have been checked, ready to run under any number of policies.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    pages: &'a [Page],
    config: Config,
}

/// The progress function asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the simulation was cancelled")]
pub struct Cancelled;

impl<'a> Simulation<'a> {
    /// Checks what is to be simulated.
    ///
    /// # Errors
    /// Names the first thing that is impossible.
    pub fn new(pages: &'a [Page], config: Config) -> Result<Self, ConfigError> {
        config.check(pages)?;
        Ok(Self { pages, config })
    }

    /// The pages at the start, and those planned to appear later.
    #[must_use]
    pub fn pages(&self) -> &'a [Page] {
        self.pages
    }

    /// How it is simulated.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Runs to the end.
    pub fn run<S: Scheduler + ?Sized>(&self, policy: &mut S) -> SimReport {
        let mut run = Run::new(self, policy);
        while run.step() {}
        run.report()
    }

    /// Runs to the end or until `progress`, called with the fraction done, answers with a break.
    ///
    /// # Errors
    /// If it was told to stop.
    pub fn run_watched<S: Scheduler + ?Sized>(
        &self,
        policy: &mut S,
        mut progress: impl FnMut(f64) -> ControlFlow<()>,
    ) -> Result<SimReport, Cancelled> {
        let mut run = Run::new(self, policy);
        let mut events = 0_u64;
        while run.step() {
            events += 1;
            if events.is_multiple_of(EVENTS_PER_CALL) && progress(run.now / run.end).is_break() {
                return Err(Cancelled);
            }
        }
        match progress(1.0) {
            ControlFlow::Continue(()) => Ok(run.report()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }
}

/// A simulation under way.
struct Run<'a, S: ?Sized> {
    config: &'a Config,
    policy: &'a mut S,
    world: World,
    meter: Meter,
    tally: Tally,
    access_times: Pcg64Mcg,
    /// When each busy robot will be free, and the page it then has accessed.
    busy: BinaryHeap<Reverse<(Time, Option<PageId>)>>,
    idle: u32,
    now: f64,
    end: f64,
}

enum Event {
    Birth,
    Signal,
    Robot,
    Opening,
}

impl<'a, S: Scheduler + ?Sized> Run<'a, S> {
    fn new(simulation: &'a Simulation<'_>, policy: &'a mut S) -> Self {
        let config = &simulation.config;
        let world = World::new(simulation.pages, config);
        for (id, page) in world.at_start() {
            policy.discover(id, page, 0.0, Some(0.0));
        }
        // Robots set out one after another, evenly over the first access time, and not in step.
        let apart = config.access_time.mean() / f64::from(config.robots);
        let busy = (0..config.robots).map(|robot| Reverse((Time(f64::from(robot) * apart), None))).collect();
        Self {
            config,
            policy,
            world,
            meter: Meter::new(config.warm_up, config.duration, config.batches),
            tally: Tally::default(),
            access_times: stream(config.seed, Stream::AccessTimes),
            busy,
            idle: 0,
            now: 0.0,
            end: config.warm_up + config.duration,
        }
    }

    /// Moves the clock to the next event; false at the end.
    fn step(&mut self) -> bool {
        let Some((at, event)) = self.next_event() else { return false };
        if at > self.end {
            return false;
        }
        self.now = at;
        match event {
            Event::Birth => self.birth(),
            Event::Signal => {
                if let Some(page) = self.world.signal() {
                    self.policy.signal(page, at);
                }
            }
            Event::Robot => self.robot_is_free(),
            Event::Opening => {}
        }
        self.send_out();
        true
    }

    fn next_event(&self) -> Option<(f64, Event)> {
        let robot = self.busy.peek().map_or(f64::INFINITY, |Reverse((Time(at), _))| *at);
        let mut next = (robot, Event::Robot);
        let birth = self.world.next_birth();
        if birth < next.0 {
            next = (birth, Event::Birth);
        }
        let signal = self.world.next_signal();
        if signal < next.0 {
            next = (signal, Event::Signal);
        }
        if self.idle > 0
            && let Some(opening) = self.policy.next_opening()
            && opening > self.now
            && opening < next.0
        {
            next = (opening, Event::Opening);
        }
        next.0.is_finite().then_some(next)
    }

    fn birth(&mut self) {
        let id = self.world.give_birth();
        self.policy.discover(id, self.world.page(id), self.now, None);
    }

    /// Gives idle robots work as long as there is any.
    fn send_out(&mut self) {
        while self.idle > 0 {
            let Some(page) = self.policy.draw(self.now) else { return };
            self.idle -= 1;
            self.world.begin_access(page);
            if self.config.host_delay.is_some() {
                self.policy.close_host(self.world.page(page).host, f64::INFINITY);
            }
            let done = self.now + self.config.access_time.sample(&mut self.access_times);
            self.busy.push(Reverse((Time(done), Some(page))));
        }
    }

    /// A robot has completed its access, or sets out for the first time.
    fn robot_is_free(&mut self) {
        let Some(Reverse((_, page))) = self.busy.pop() else { return };
        self.idle += 1;
        if let Some(page) = page {
            self.complete(page);
        }
    }

    fn complete(&mut self, id: PageId) {
        let finding = self.world.access(id, self.now);
        let page = self.world.page(id);
        if let Some(since) = finding.stale_since {
            self.meter.add(since, self.now, page.weight);
        }
        if self.now >= self.config.warm_up {
            self.tally.count(&finding);
        }
        if let Some(delay) = self.config.host_delay {
            self.policy.close_host(page.host, self.now + delay);
        }
        self.policy.record(Visit { page: id, at: self.now, outcome: finding.outcome });
    }

    /// Closes the stale intervals that are open at the end.
    fn report(mut self) -> SimReport {
        let (start, duration) = (self.config.warm_up, self.config.duration);
        let mut weight = 0.0;
        for id in self.world.ids() {
            let (stale_since, counted) = self.world.at_end(id, self.end);
            let c = self.world.page(id).weight;
            if let Some(since) = stale_since {
                self.meter.add(since, self.end, c);
            }
            weight += c * (counted.end.min(self.end) - counted.start.max(start)).max(0.0) / duration;
        }
        SimReport::new(self.config, self.tally, self.meter.into_means(), weight, self.world.alive())
    }
}

impl Tally {
    fn count(&mut self, finding: &crate::world::Finding) {
        self.accesses += 1;
        match finding.outcome {
            Outcome::First => self.first += 1,
            Outcome::Changed { .. } => self.changed += 1,
            Outcome::Gone => self.gone += 1,
            Outcome::Unchanged | Outcome::Failed => {}
        }
        self.changes += finding.changes;
    }
}
