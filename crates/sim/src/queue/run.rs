//! A simulation of the queue under way.

use std::collections::VecDeque;

use control::controller::{Controller, Event, Observation};
use control::{Admission, Bmap, Model};
use rand_pcg::Pcg64Mcg;

use super::QueueConfig;
use super::meters::Meters;
use super::report::QueueReport;
use crate::random::{Stream, stream};

pub(super) struct Run<'a, C: ?Sized> {
    model: &'a Model,
    config: &'a QueueConfig,
    controller: &'a mut C,
    meters: Meters,
    now: f64,
    end: f64,
    robots: Robots<'a>,
    indexer: Indexer,
    /// In order of arrival.
    waiting: VecDeque<Waiting>,
    obsolescence: Pcg64Mcg,
}

/// The robots, and what they will do next.
struct Robots<'a> {
    arrivals: &'a [(u32, Bmap)],
    /// Position of the active number among the arrivals.
    mode: usize,
    phase: usize,
    next: Delivery,
    rng: Pcg64Mcg,
}

/// A move of the arrival process.
#[derive(Clone, Copy)]
struct Delivery {
    at: f64,
    /// Pages it brings, or zero.
    pages: usize,
    phase: usize,
}

/// The indexer, and the page it is busy with.
struct Indexer {
    busy: Option<InService>,
    rng: Pcg64Mcg,
}

#[derive(Clone, Copy)]
struct InService {
    arrived: f64,
    began: f64,
    phase: usize,
    /// When the phase ends, and the one after it; `None` if the page is then indexed.
    next: (f64, Option<usize>),
}

#[derive(Clone, Copy)]
struct Waiting {
    arrived: f64,
    obsolete_at: f64,
}

#[derive(Clone, Copy)]
enum Next {
    Robots,
    Indexer,
    /// The page at this place of the waiting line.
    Obsolete(usize),
    Tick,
}

impl<'a> Robots<'a> {
    fn new(arrivals: &'a [(u32, Bmap)], robots: u32, rng: Pcg64Mcg) -> Self {
        let next = Delivery { at: 0.0, pages: 0, phase: 0 };
        let mut all = Self { arrivals, mode: 0, phase: 0, next, rng };
        all.mode = all.mode_of(robots);
        all.schedule(0.0);
        all
    }

    /// The largest number of robots described that is not above `robots`, else the smallest.
    fn mode_of(&self, robots: u32) -> usize {
        self.arrivals.partition_point(|(known, _)| *known <= robots).saturating_sub(1)
    }

    /// Draws the next move. As its time is exponential, drawing it anew at a switch changes nothing but the matrices.
    fn schedule(&mut self, now: f64) {
        let (wait, pages, phase) = self.arrivals[self.mode].1.step(self.phase, &mut self.rng);
        self.next = Delivery { at: now + wait, pages, phase };
    }

    /// Makes another number of robots active; says whether it is another.
    fn switch(&mut self, now: f64, robots: u32) -> bool {
        let mode = self.mode_of(robots);
        let other = mode != self.mode;
        if other {
            self.mode = mode;
            self.schedule(now);
        }
        other
    }
}

impl Indexer {
    fn begin(&mut self, model: &Model, now: f64, arrived: f64) {
        let phase = model.service().begin(&mut self.rng);
        self.enter(model, now, InService { arrived, began: now, phase, next: (now, None) });
    }

    fn enter(&mut self, model: &Model, now: f64, page: InService) {
        let (wait, after) = model.service().step(page.phase, &mut self.rng);
        self.busy = Some(InService { next: (now + wait, after), ..page });
    }
}

impl<'a, C: Controller + ?Sized> Run<'a, C> {
    pub fn new(model: &'a Model, config: &'a QueueConfig, controller: &'a mut C) -> Self {
        let start = Observation { now: 0.0, pages: 0, size_class: None, event: Event::Tick };
        let wanted = controller.robots(&start);
        Self {
            model,
            config,
            controller,
            meters: Meters::new(model, config),
            now: 0.0,
            end: config.warm_up + config.duration,
            robots: Robots::new(model.arrivals(), wanted, stream(config.seed, Stream::Deliveries)),
            indexer: Indexer { busy: None, rng: stream(config.seed, Stream::Indexing) },
            waiting: VecDeque::new(),
            obsolescence: stream(config.seed, Stream::Obsolescence),
        }
    }

    pub fn fraction_done(&self) -> f64 {
        self.now / self.end
    }

    /// Moves the clock to the next event; false at the end.
    pub fn step(&mut self) -> bool {
        let (at, next) = self.next();
        self.meters.pass(self.now, at.min(self.end), self.pages(), self.robots.mode);
        if at > self.end {
            return false;
        }
        self.now = at;
        let event = match next {
            Next::Robots => self.deliver(),
            Next::Indexer => self.index(),
            Next::Obsolete(place) => self.drop_obsolete(place),
            Next::Tick => Some(Event::Tick),
        };
        if let Some(event) = event {
            self.ask(event);
        }
        true
    }

    pub fn report(self) -> QueueReport {
        self.meters.into_report(self.model, self.config)
    }

    fn pages(&self) -> usize {
        self.waiting.len() + usize::from(self.indexer.busy.is_some())
    }

    fn next(&self) -> (f64, Next) {
        let mut next = (self.robots.next.at, Next::Robots);
        if let Some(page) = self.indexer.busy
            && page.next.0 < next.0
        {
            next = (page.next.0, Next::Indexer);
        }
        for (place, page) in self.waiting.iter().enumerate() {
            if page.obsolete_at < next.0 {
                next = (page.obsolete_at, Next::Obsolete(place));
            }
        }
        let tick = self.controller.next_tick();
        if tick > self.now && tick < next.0 {
            next = (tick, Next::Tick);
        }
        next
    }

    /// Tells the controller what happened, and does what it wants.
    fn ask(&mut self, event: Event) {
        let size_class = self.indexer.busy.map(|page| page.phase);
        let observation = Observation { now: self.now, pages: self.pages(), size_class, event };
        let wanted = self.controller.robots(&observation);
        if self.robots.switch(self.now, wanted) {
            self.meters.switched(self.now);
        }
    }

    /// The arrival process moves; `None` if nobody can see it.
    fn deliver(&mut self) -> Option<Event> {
        let Delivery { pages, phase, .. } = self.robots.next;
        self.robots.phase = phase;
        self.robots.schedule(self.now);
        if pages == 0 {
            return None;
        }
        let admitted = self.admitted(pages);
        for _ in 0..admitted {
            self.admit();
        }
        self.meters.delivered(self.now, pages, pages - admitted);
        Some(Event::Batch { pages, lost: pages - admitted })
    }

    /// How many pages of a batch find a place.
    fn admitted(&self, batch: usize) -> usize {
        let free = self.model.buffer().saturating_sub(self.pages());
        match self.model.admission() {
            Admission::Partial => batch.min(free),
            Admission::CompleteRejection if batch > free => 0,
            Admission::CompleteAdmission if free == 0 => 0,
            Admission::CompleteRejection | Admission::CompleteAdmission => batch,
        }
    }

    /// One page goes to the indexer if it is idle, else to the end of the line.
    fn admit(&mut self) {
        if self.indexer.busy.is_none() {
            return self.indexer.begin(self.model, self.now, self.now);
        }
        let current = self.model.obsolescence().map(|law| law.sample(&mut self.obsolescence));
        let obsolete_at = self.now + current.unwrap_or(f64::INFINITY);
        self.waiting.push_back(Waiting { arrived: self.now, obsolete_at });
    }

    /// The phase of service ends, and perhaps the service.
    fn index(&mut self) -> Option<Event> {
        let page = self.indexer.busy.take()?;
        if let Some(phase) = page.next.1 {
            self.indexer.enter(self.model, self.now, InService { phase, ..page });
            return Some(Event::Tick);
        }
        if let Some(next) = self.waiting.pop_front() {
            self.indexer.begin(self.model, self.now, next.arrived);
        }
        let sojourn = self.now - page.arrived;
        self.meters.indexed(self.now, sojourn);
        Some(Event::Indexed { sojourn, service: self.now - page.began })
    }

    fn drop_obsolete(&mut self, place: usize) -> Option<Event> {
        let page = self.waiting.remove(place)?;
        let sojourn = self.now - page.arrived;
        self.meters.obsolete(self.now, sojourn);
        Some(Event::Obsolete { sojourn })
    }
}
