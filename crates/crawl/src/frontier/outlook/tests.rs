use proptest::prelude::*;

use super::super::*;
use super::*;

const DAY: f64 = 86_400.0;

fn estimate(changes: f32, exposure: f32) -> RateEstimate {
    Evidence::from_parts(changes, exposure).estimate(&Prior::unknown(DAY).unwrap())
}

fn place() -> impl Strategy<Value = Remaining> {
    prop_oneof![
        Just(Remaining::Queued),
        (0.0..1.5e6f64).prop_map(Remaining::Fetched),
        (0.0..2e6f64, prop::option::of(0.0..1e6f64)).prop_map(|(at, before)| Remaining::Later(at, before)),
        Just(Remaining::Never),
    ]
}

proptest! {
    /// Whoever reads the catalogue says what the frontier says that was restored from it.
    #[test]
    fn the_frontier_and_the_catalogue_agree(
        place in place(), changes in 0.0..10f32, exposure in 0.0..1e6f32, weight in 0.1..10f32,
        least in prop_oneof![Just(0.0), Just(3600.0)], most in prop_oneof![Just(f64::INFINITY), Just(30.0 * DAY)],
    ) {
        let now = 1.5e6;
        let settings = Settings { least_revisit: least, most_revisit: most, ..Settings::default() };
        let mut frontier = Frontier::new(settings.clone(), Prior::unknown(DAY).unwrap());
        let host = frontier.add_host();
        frontier.rules(host, f64::INFINITY, None);
        let evidence = Evidence::from_parts(changes, exposure);
        frontier.restore([Remembered { key: 1, host, section: 0, weight, evidence, place }]);
        // Wakes what has waited long enough; there is no budget for a visit.
        frontier.set_budget(Some(1e-9));
        frontier.wake(now);
        let told = frontier.outlook(PageId(0), now);
        let prospect = Prospect::new(frontier.estimate(PageId(0)), f64::from(weight), place, &settings, now);
        prop_assert_eq!(told, Outlook::new(&prospect, Some(frontier.index_level()), &settings, now));
    }

    /// A page is due when its index has the level, neither before the shortest time nor after the longest.
    #[test]
    fn due_when_the_index_reaches_the_level(
        changes in 0.0..10f32, exposure in 0.0..1e6f32, weight in 0.1..10f64, level in 1.0..1e7f64,
    ) {
        let settings = Settings { least_revisit: 600.0, most_revisit: 40.0 * DAY, ..Settings::default() };
        let rate = estimate(changes, exposure);
        let prospect = Prospect::new(rate, weight, Remaining::Fetched(1e6), &settings, 1.1e6);
        let outlook = Outlook::new(&prospect, Some(level), &settings, 1.1e6);
        let due = outlook.due.unwrap() - 1e6;
        prop_assert!((600.0..=40.0 * DAY).contains(&due));
        let reached = freshness::index::continuous_index(rate.mean(), weight, due);
        match outlook.why {
            Some(Why::Index) if due > 600.0 => prop_assert!((reached / level - 1.0).abs() < 1e-6, "{reached} {level}"),
            Some(Why::Index) => prop_assert!(reached >= level * (1.0 - 1e-9)),
            Some(Why::Overdue) => prop_assert!(reached <= level * (1.0 + 1e-9) && due == 40.0 * DAY),
            other => prop_assert!(false, "{other:?}"),
        }
    }
}

#[test]
fn without_a_level_only_the_latest_time_is_known() {
    let settings = Settings::default();
    let prospect = Prospect::new(estimate(1.0, 1e6), 1.0, Remaining::Fetched(100.0), &settings, 1e5);
    let outlook = Outlook::new(&prospect, None, &settings, 1e5);
    assert_eq!((outlook.due, outlook.latest, outlook.why), (None, Some(100.0 + 30.0 * DAY), Some(Why::Index)));
}

#[test]
fn what_is_not_visited_any_more() {
    let settings = Settings { revisit: false, ..Settings::default() };
    for place in [Remaining::Never, Remaining::Fetched(100.0)] {
        let prospect = Prospect::new(estimate(1.0, 1e6), 1.0, place, &settings, 1e5);
        let outlook = Outlook::new(&prospect, Some(10.0), &settings, 1e5);
        assert_eq!((outlook.due, outlook.why, outlook.waits), (None, None, Waits::Nothing));
    }
}
