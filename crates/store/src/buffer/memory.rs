use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Buffer, Clock, Counters, Offered, Served};

/// Is told the number of places taken whenever it changes.
type Observer = Box<dyn Fn(usize) + Send + Sync>;

/// The buffer in memory.
pub struct MemoryBuffer<T> {
    capacity: usize,
    clock: Box<dyn Clock>,
    observer: Observer,
    state: Mutex<State<T>>,
    arrival: Condvar,
}

struct State<T> {
    /// Those that wait, by the number of their arrival.
    waiting: BTreeMap<u64, Waiting<T>>,
    /// When those that wait become obsolete, the next first. Those that are gone are still in it.
    deadlines: BinaryHeap<Reverse<Deadline>>,
    /// When those that have been taken arrived.
    in_service: VecDeque<f64>,
    obsolete: Vec<(T, f64)>,
    /// When the last item was done.
    done_at: f64,
    counters: Counters,
    began: f64,
    now: f64,
    closed: bool,
}

struct Waiting<T> {
    item: T,
    arrived: f64,
}

#[derive(PartialEq)]
struct Deadline {
    at: f64,
    number: u64,
}

impl Eq for Deadline {}

impl Ord for Deadline {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.total_cmp(&other.at).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Deadline {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> MemoryBuffer<T> {
    /// A buffer of `capacity` places, at least one.
    ///
    /// `observer` is told the number of places taken whenever a call finds that it has changed. It must be quick and
    /// must not call the buffer.
    pub fn new(capacity: usize, clock: impl Clock + 'static, observer: impl Fn(usize) + Send + Sync + 'static) -> Self {
        let now = clock.now();
        let state = State {
            waiting: BTreeMap::new(),
            deadlines: BinaryHeap::new(),
            in_service: VecDeque::new(),
            obsolete: Vec::new(),
            done_at: now,
            counters: Counters::default(),
            began: now,
            now,
            closed: false,
        };
        Self {
            capacity: capacity.max(1),
            clock: Box::new(clock),
            observer: Box::new(observer),
            state: Mutex::new(state),
            arrival: Condvar::new(),
        }
    }

    /// Does `change` at the present moment, after everything that has become obsolete has left.
    fn with<R>(&self, change: impl FnOnce(&mut State<T>) -> R) -> R {
        self.with_locked(&mut self.lock(), change)
    }

    fn with_locked<R>(&self, state: &mut MutexGuard<'_, State<T>>, change: impl FnOnce(&mut State<T>) -> R) -> R {
        let before = state.occupancy();
        state.advance(self.clock.now());
        let result = change(state);
        let after = state.occupancy();
        if before != after {
            (self.observer)(after);
        }
        result
    }

    #[cfg(test)]
    pub(super) fn deadlines(&self) -> usize {
        self.lock().deadlines.len()
    }

    /// Nothing in here panics half-way through a change, so a poisoned lock means no harm.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send> Buffer<T> for MemoryBuffer<T> {
    fn offer(&self, item: T, obsolete_at: Option<f64>) -> Offered<T> {
        let offered = self.with(|state| state.offer(item, obsolete_at, self.capacity));
        if matches!(offered, Offered::Taken) {
            self.arrival.notify_one();
        }
        offered
    }

    fn take(&self, most: usize, wait: Duration) -> Vec<T> {
        let until = Instant::now().checked_add(wait);
        let mut state = self.lock();
        loop {
            let items = self.with_locked(&mut state, |state| state.take(most));
            let left = until.map_or(wait, |until| until.saturating_duration_since(Instant::now()));
            if !items.is_empty() || state.closed || left.is_zero() || most == 0 {
                return items;
            }
            (state, _) = self.arrival.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn done(&self, count: usize) -> Vec<Served> {
        self.with(|state| state.done(count))
    }

    fn obsolete(&self) -> Vec<(T, f64)> {
        self.with(|state| std::mem::take(&mut state.obsolete))
    }

    fn close(&self) {
        self.with(|state| state.closed = true);
        self.arrival.notify_all();
    }

    fn is_closed(&self) -> bool {
        self.lock().closed
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn occupancy(&self) -> usize {
        self.with(|state| state.occupancy())
    }

    fn counters(&self) -> Counters {
        self.with(|state| state.counters)
    }
}

impl<T> State<T> {
    fn occupancy(&self) -> usize {
        self.waiting.len() + self.in_service.len()
    }

    /// Lets time pass: those that have become obsolete leave, each at its own moment.
    fn advance(&mut self, now: f64) {
        while let Some(Reverse(next)) = self.deadlines.peek() {
            let (at, number) = (next.at, next.number);
            if at > now || at.is_nan() {
                break;
            }
            self.deadlines.pop();
            if !self.waiting.contains_key(&number) {
                continue;
            }
            self.pass(at);
            let Some(left) = self.waiting.remove(&number) else { continue };
            self.counters.obsolete += 1;
            let waited = self.now - left.arrived;
            self.counters.seconds_obsolete += waited;
            self.obsolete.push((left.item, waited));
        }
        self.pass(now);
    }

    /// Moves the clock; it never goes back.
    fn pass(&mut self, now: f64) {
        let step = (now - self.now).max(0.0);
        self.now += step;
        self.counters.seconds = self.now - self.began;
        self.counters.occupancy_seconds += step * self.occupancy() as f64;
        if self.occupancy() == 0 {
            self.counters.starved += step;
        }
    }

    fn offer(&mut self, item: T, obsolete_at: Option<f64>, capacity: usize) -> Offered<T> {
        self.counters.arrivals += 1;
        if self.closed || self.occupancy() >= capacity {
            self.counters.lost += 1;
            return Offered::Lost(item);
        }
        if let Some(at) = obsolete_at {
            self.forget_deadlines(capacity);
            self.deadlines.push(Reverse(Deadline { at, number: self.counters.arrivals }));
        }
        self.waiting.insert(self.counters.arrivals, Waiting { item, arrived: self.now });
        Offered::Taken
    }

    /// Deadlines of items that are gone must not pile up.
    fn forget_deadlines(&mut self, capacity: usize) {
        if self.deadlines.len() > 2 * capacity + 64 {
            self.deadlines.retain(|Reverse(deadline)| self.waiting.contains_key(&deadline.number));
        }
    }

    fn take(&mut self, most: usize) -> Vec<T> {
        let mut items = Vec::new();
        while items.len() < most {
            let Some((_, next)) = self.waiting.pop_first() else { break };
            self.in_service.push_back(next.arrived);
            items.push(next.item);
        }
        items
    }

    fn done(&mut self, count: usize) -> Vec<Served> {
        let mut served = Vec::new();
        for arrived in self.in_service.drain(..count.min(self.in_service.len())) {
            let sojourn = self.now - arrived;
            served.push(Served { sojourn, service: self.now - arrived.max(self.done_at) });
            self.done_at = self.now;
            self.counters.served += 1;
            self.counters.seconds_served += sojourn;
            self.counters.longest = self.counters.longest.max(sojourn);
        }
        served
    }
}
