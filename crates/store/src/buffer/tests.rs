use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;

use super::{Buffer, MemoryBuffer, Offered};
use crate::conformance::{self, TestClock};

#[test]
fn conforms() {
    conformance::buffer(&mut |capacity, clock| Arc::new(MemoryBuffer::new(capacity, clock, |_| {}))).unwrap();
}

#[test]
fn the_observer_sees_every_change() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (clock, log) = (TestClock::default(), Arc::clone(&seen));
    let buffer = MemoryBuffer::new(2, clock.clone(), move |n| log.lock().unwrap().push(n));
    buffer.offer('a', Some(1.0));
    buffer.offer('b', None);
    buffer.offer('c', None);
    clock.set(1.0);
    buffer.take(1, Duration::ZERO);
    buffer.done(1);
    assert_eq!(*seen.lock().unwrap(), [1, 2, 1, 0]);
}

#[test]
fn deadlines_of_the_gone_do_not_pile_up() {
    let buffer = MemoryBuffer::new(1, TestClock::default(), |_| {});
    for n in 0..10_000 {
        assert_eq!(buffer.offer(n, Some(1e9)), Offered::Taken);
        assert_eq!(buffer.take(1, Duration::ZERO), [n]);
        buffer.done(1);
    }
    assert!(buffer.deadlines() < 100);
}

#[derive(Clone, Debug)]
enum Step {
    Offer(Option<f64>),
    Take(usize),
    Done(usize),
    Wait(f64),
    Collect,
}

fn step() -> impl Strategy<Value = Step> {
    let moments = (0_u8..8).prop_map(f64::from);
    prop_oneof![
        4 => prop::option::of(moments.clone()).prop_map(Step::Offer),
        2 => (0_usize..4).prop_map(Step::Take),
        2 => (0_usize..4).prop_map(Step::Done),
        2 => moments.prop_map(Step::Wait),
        1 => Just(Step::Collect),
    ]
}

/// The buffer as one would write it without thinking of time.
#[derive(Default)]
struct Model {
    now: f64,
    waiting: Vec<(u32, f64)>,
    in_service: usize,
    gone: Vec<(f64, u32)>,
    arrivals: u32,
    lost: u64,
    served: u64,
}

impl Model {
    fn pass(&mut self, now: f64) {
        self.now = now;
        let (gone, waiting): (Vec<_>, Vec<_>) = self.waiting.iter().partition(|(_, until)| *until <= now);
        let mut gone: Vec<(f64, u32)> = gone.into_iter().map(|(item, until): (u32, f64)| (until, item)).collect();
        gone.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.gone.extend(gone);
        self.waiting = waiting;
    }

    fn occupancy(&self) -> usize {
        self.waiting.len() + self.in_service
    }
}

proptest! {
    #[test]
    fn does_what_the_model_does(steps in prop::collection::vec(step(), 0..80), capacity in 1_usize..6) {
        let clock = TestClock::default();
        let buffer = MemoryBuffer::new(capacity, clock.clone(), |_| {});
        let mut model = Model::default();
        let mut obsolete = 0;
        for step in steps {
            model.pass(model.now);
            match step {
                Step::Offer(life) => {
                    let (item, until) = (model.arrivals, life.map(|life| model.now + life));
                    model.arrivals += 1;
                    let full = model.occupancy() == capacity;
                    let expected = if full { Offered::Lost(item) } else { Offered::Taken };
                    prop_assert_eq!(buffer.offer(item, until), expected);
                    if full { model.lost += 1 } else { model.waiting.push((item, until.unwrap_or(f64::INFINITY))) }
                }
                Step::Take(most) => {
                    let expected: Vec<u32> = model.waiting.drain(..most.min(model.waiting.len())).map(|w| w.0).collect();
                    model.in_service += expected.len();
                    prop_assert_eq!(buffer.take(most, Duration::ZERO), expected);
                }
                Step::Done(count) => {
                    let done = count.min(model.in_service);
                    model.in_service -= done;
                    model.served += done as u64;
                    prop_assert_eq!(buffer.done(count).len(), done);
                }
                Step::Wait(time) => {
                    model.pass(model.now + time);
                    clock.set(model.now);
                }
                Step::Collect => {
                    obsolete += model.gone.len() as u64;
                    let expected: Vec<u32> = model.gone.drain(..).map(|(_, item)| item).collect();
                    let left: Vec<u32> = buffer.obsolete().into_iter().map(|(item, _)| item).collect();
                    prop_assert_eq!(left, expected);
                }
            }
            model.pass(model.now);
            prop_assert_eq!(buffer.occupancy(), model.occupancy());
            let counters = buffer.counters();
            prop_assert_eq!(counters.lost, model.lost);
            prop_assert_eq!(counters.served, model.served);
            prop_assert_eq!(counters.obsolete, obsolete + model.gone.len() as u64);
            let inside = buffer.occupancy() as u64;
            prop_assert_eq!(counters.arrivals, counters.lost + counters.obsolete + counters.served + inside);
        }
    }
}
