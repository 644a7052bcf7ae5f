use freshness::Outcome;

use super::*;
use crate::due_queue::RevisitRule;

const CHANGED: Outcome = Outcome::Changed { last_modified: None };

/// Days to the next access after each of the outcomes, made on the day they are due.
fn intervals<R: RevisitRule>(rule: &R, outcomes: &[Outcome]) -> Vec<f64> {
    let mut state = rule.unvisited();
    let mut now = 0.0;
    let next = |outcome: &Outcome| {
        let due = rule.next_due(&mut state, now, *outcome);
        let wait = due - now;
        now = due;
        wait
    };
    outcomes.iter().map(next).collect()
}

fn assert_days(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }
}

#[test]
fn nutch_without_synchronisation() {
    let rule = Nutch { sync_rate: None, ..Nutch::default() };
    let found = intervals(&rule, &[Outcome::First, CHANGED, Outcome::Unchanged, Outcome::Failed, CHANGED]);
    assert_days(&found, &[30.0, 24.0, 33.6, 1.0, 26.88]);
}

/// By hand: changed on day 30 (interval 24, delta 0); unchanged on day 54: 33.6, delta 24, next in 33.6 - 0.3 * 24 = 26.4;
/// unchanged on day 80.4: 47.04, but delta 50.4 is longer, next in 50.4 * 0.7 = 35.28.
#[test]
fn nutch_counts_from_the_last_change() {
    let found = intervals(&Nutch::default(), &[Outcome::First, CHANGED, Outcome::Unchanged, Outcome::Unchanged]);
    assert_days(&found, &[30.0, 24.0, 26.4, 35.28]);
}

/// Once the offset exceeds the longest interval (365 d), after 365/0.3 = 1217 days without change, it is lost.
#[test]
fn nutch_divides_whole_numbers() {
    let rule = Nutch::default();
    let mut state = rule.unvisited();
    rule.next_due(&mut state, 0.0, Outcome::First);
    let before = rule.next_due(&mut state, 1_200.0, Outcome::Unchanged);
    assert_days(&[before], &[1_200.0 - 0.3 * 1_200.0 + 365.0]);
    let after = rule.next_due(&mut state, 1_300.0, Outcome::Unchanged);
    assert_days(&[after], &[1_300.0 + 365.0]);
}

#[test]
fn nutch_stays_between_a_minute_and_a_year() {
    let rule = Nutch { sync_rate: None, ..Nutch::default() };
    let mut outcomes = vec![Outcome::Unchanged; 40];
    outcomes.extend([CHANGED; 100]);
    let found = intervals(&rule, &outcomes);
    assert_days(&[found[39], found[139]], &[365.0, 60.0 / SECONDS]);
}

/// In minutes: 1440; changed 0.5 * 1440 + 30 = 750; 405; unchanged 607 (607.5 cut off); then the 14 days.
#[test]
fn stormcrawler_counts_whole_minutes() {
    let outcomes = [Outcome::First, CHANGED, CHANGED, Outcome::Unchanged, Outcome::Failed];
    let found = intervals(&StormCrawler::default(), &outcomes);
    assert_days(&found, &[1440.0, 750.0, 405.0, 607.0, 120.0].map(|minutes| minutes / MINUTES));
    let found = intervals(&StormCrawler::default(), &[Outcome::Unchanged; 30]);
    assert_days(&found[29..], &[14.0]);
    let found = intervals(&StormCrawler::default(), &[CHANGED; 30]);
    assert_days(&found[29..], &[60.0 / MINUTES]);
}

/// In minutes: 720; changed 0.8 * 720 + 18 = 594; unchanged 891.
#[test]
fn news_crawl_is_stormcrawler_with_other_numbers() {
    let found = intervals(&StormCrawler::news_crawl(), &[Outcome::First, CHANGED, Outcome::Unchanged]);
    assert_days(&found, &[720.0, 594.0, 891.0].map(|minutes| minutes / MINUTES));
    let found = intervals(&StormCrawler::news_crawl(), &[Outcome::Unchanged; 40]);
    assert_days(&found[39..], &[90.0]);
}

#[test]
fn heritrix_multiplies_and_divides_by_one_and_a_half() {
    let outcomes = [Outcome::First, CHANGED, Outcome::Failed, Outcome::Unchanged, Outcome::Unchanged];
    let found = intervals(&Heritrix::default(), &outcomes);
    assert_days(&found, &[1.0, 1.0 / 1.5, 1.0 / 1.5, 1.0, 1.5]);
    assert_days(&intervals(&Heritrix::default(), &[Outcome::Unchanged; 20])[19..], &[28.0]);
    assert_days(&intervals(&Heritrix::default(), &[CHANGED; 20])[19..], &[1.0 / 24.0]);
}

#[test]
fn a_fixed_interval_is_fixed() {
    assert_days(
        &intervals(&FixedInterval { interval: 2.5 }, &[Outcome::First, CHANGED, Outcome::Unchanged]),
        &[2.5; 3],
    );
}
