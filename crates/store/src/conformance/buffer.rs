use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Law;
use crate::{Buffer, Clock, Counters, Offered, Served};

/// A clock that stands still until it is moved.
#[derive(Clone, Default)]
pub struct TestClock(Arc<Mutex<f64>>);

impl TestClock {
    /// Moves it.
    pub fn set(&self, now: f64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

impl Clock for TestClock {
    fn now(&self) -> f64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Any = Arc<dyn Buffer<u32>>;

const NONE: [u32; 0] = [];
const SOON: Duration = Duration::ZERO;
const LATE: Duration = Duration::from_secs(20);

/// Every buffer must pass this. `make` gives one of that many places on that clock.
///
/// # Errors
/// If the back end fails.
///
/// # Panics
/// If a law does not hold.
pub fn buffer(make: &mut dyn FnMut(usize, TestClock) -> Any) -> Law {
    let clock = TestClock::default;
    first_come_first_served(&make(10, clock()));
    places_are_kept_until_done(&make(3, clock()));
    closed_gives_what_it_has(&make(3, clock()));
    with_clock(make, obsolete_items_leave);
    with_clock(make, nothing_in_service_is_obsolete);
    with_clock(make, times_are_added_up);
    with_clock(make, service_begins_when_the_one_before_is_done);
    taking_waits(&make(2, clock()))
}

fn with_clock(make: &mut dyn FnMut(usize, TestClock) -> Any, law: fn(&Any, &TestClock)) {
    let clock = TestClock::default();
    law(&make(3, clock.clone()), &clock);
}

fn first_come_first_served(buffer: &Any) {
    for item in 0..10 {
        assert_eq!(buffer.offer(item, None), Offered::Taken);
    }
    assert_eq!(buffer.take(3, SOON), [0, 1, 2]);
    assert_eq!(buffer.take(0, SOON), NONE);
    assert_eq!(buffer.take(100, SOON), [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(buffer.take(1, SOON), NONE);
}

fn places_are_kept_until_done(buffer: &Any) {
    assert_eq!(buffer.capacity(), 3);
    for item in 0..3 {
        buffer.offer(item, None);
    }
    assert_eq!(buffer.offer(3, None), Offered::Lost(3));
    assert_eq!(buffer.take(2, SOON), [0, 1]);
    assert_eq!((buffer.occupancy(), buffer.offer(4, None)), (3, Offered::Lost(4)));
    buffer.done(1);
    assert_eq!((buffer.occupancy(), buffer.offer(5, None)), (2, Offered::Taken));
    buffer.done(100);
    assert_eq!(buffer.occupancy(), 2, "only what has been taken can be done");
    let counters = buffer.counters();
    assert_eq!((counters.arrivals, counters.lost, counters.served, counters.obsolete), (6, 2, 2, 0));
}

fn closed_gives_what_it_has(buffer: &Any) {
    buffer.offer(1, None);
    assert!(!buffer.is_closed());
    buffer.close();
    assert!(buffer.is_closed());
    assert_eq!(buffer.offer(2, None), Offered::Lost(2));
    assert_eq!(buffer.take(5, LATE), [1]);
    assert_eq!(buffer.take(5, LATE), NONE, "nobody waits for what cannot come");
}

fn obsolete_items_leave(buffer: &Any, clock: &TestClock) {
    buffer.offer(1, Some(5.0));
    buffer.offer(2, None);
    buffer.offer(3, Some(4.0));
    clock.set(3.9);
    assert_eq!((buffer.obsolete(), buffer.occupancy()), (vec![], 3));
    clock.set(4.0);
    assert_eq!(buffer.offer(4, Some(6.0)), Offered::Taken, "the place is free");
    assert_eq!(buffer.obsolete(), [(3, 4.0)]);
    clock.set(7.0);
    assert_eq!(buffer.take(5, SOON), [2]);
    assert_eq!(buffer.obsolete(), [(1, 5.0), (4, 2.0)], "in the order in which they became obsolete");
    assert_eq!(buffer.obsolete(), [], "handed back once");
    assert_eq!(buffer.counters().obsolete, 3);
    assert_eq!(buffer.counters().seconds_obsolete, 5.0 + 4.0 + 2.0);
}

/// Those that are taken together are served one after the other.
fn service_begins_when_the_one_before_is_done(buffer: &Any, clock: &TestClock) {
    buffer.offer(1, None);
    clock.set(1.0);
    buffer.offer(2, None);
    assert_eq!(buffer.take(2, SOON), [1, 2]);
    clock.set(3.0);
    assert_eq!(buffer.done(1), [Served { sojourn: 3.0, service: 3.0 }]);
    clock.set(7.0);
    assert_eq!(buffer.done(1), [Served { sojourn: 6.0, service: 4.0 }]);
    assert_eq!(buffer.done(1), []);
}

fn nothing_in_service_is_obsolete(buffer: &Any, clock: &TestClock) {
    buffer.offer(1, Some(1.0));
    assert_eq!(buffer.take(1, SOON), [1]);
    clock.set(2.0);
    assert_eq!((buffer.obsolete(), buffer.occupancy()), (vec![], 1));
    buffer.done(1);
    assert_eq!((buffer.counters().obsolete, buffer.counters().served), (0, 1));
}

fn times_are_added_up(buffer: &Any, clock: &TestClock) {
    clock.set(2.0);
    buffer.offer(1, None);
    clock.set(3.0);
    buffer.offer(2, Some(4.0));
    buffer.take(1, SOON);
    clock.set(7.0);
    assert_eq!(buffer.done(1), [Served { sojourn: 5.0, service: 5.0 }]);
    clock.set(10.0);
    let expected = Counters {
        arrivals: 2,
        lost: 0,
        obsolete: 1,
        served: 1,
        seconds_served: 5.0,
        seconds_obsolete: 1.0,
        longest: 5.0,
        starved: 5.0,
        occupancy_seconds: 6.0,
        seconds: 10.0,
    };
    assert_eq!(buffer.counters(), expected);
    clock.set(9.0);
    assert_eq!(buffer.counters(), expected, "time does not go back");
}

fn taking_waits(buffer: &Any) -> Law {
    let began = Instant::now();
    assert_eq!(buffer.take(1, Duration::from_millis(20)), NONE);
    assert!(began.elapsed() >= Duration::from_millis(20));
    let other = Arc::clone(buffer);
    let indexer = thread::spawn(move || (other.take(5, LATE), other.take(5, LATE)));
    thread::sleep(Duration::from_millis(20));
    buffer.offer(1, None);
    thread::sleep(Duration::from_millis(20));
    buffer.close();
    let taken = indexer.join().map_err(|_| "the indexer failed")?;
    assert_eq!(taken, (vec![1], vec![]));
    assert!(began.elapsed() < LATE, "it does not sleep through");
    Ok(())
}
