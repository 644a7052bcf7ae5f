//! What is believed of change rates, and that the index hears of it.

use freshness::index::continuous_index;

use super::*;

/// Law F-26 for the sections of a host: pages of which nothing is known are believed to change as those beside them do.
#[test]
fn a_new_page_is_believed_to_change_like_its_section() {
    let mut frontier = Frontier::new(Settings::default(), Prior::unknown(86_400.0).unwrap());
    let host = frontier.add_host();
    let page = |key, section, evidence| Remembered {
        key,
        host,
        section,
        weight: 1.0,
        evidence,
        place: Remaining::Fetched(0.0),
    };
    let fast = |key| page(key, 1, Evidence::from_parts(50.0, 5_000.0));
    let slow = |key| page(key, 2, Evidence::from_parts(5.0, 5_000_000.0));
    let unknown = [page(1_000, 1, Evidence::default()), page(1_001, 2, Evidence::default())];
    frontier.restore((0..20).map(fast).chain((20..40).map(slow)).chain(unknown));
    let (news, manual) = (frontier.estimate(PageId(40)).mean(), frontier.estimate(PageId(41)).mean());
    // Their pages change 1e-2 and 1e-6 times a second; the prior of the host, spread over both, draws both a little towards it.
    assert!((0.5e-2..2e-2).contains(&news) && (0.5e-6..4e-6).contains(&manual), "{news} {manual}");
}

/// A host of which nothing has been seen is taken to be like the others, not as slow as the web at large.
#[test]
fn a_new_host_is_believed_to_change_like_the_others() {
    let mut frontier = Frontier::new(Settings::default(), prior());
    let (seen, other) = (frontier.add_host(), frontier.add_host());
    let pages: Vec<PageId> = (0..64).map(|key| frontier.add(key, (seen, 0), 1.0)).collect();
    let fresh = frontier.add(64, (other, 0), 1.0);
    let before = frontier.estimate(fresh).mean();
    for (at, finding) in [(0.0, Finding::First), (60.0, Finding::Changed { last_modified: None })] {
        for page in &pages {
            frontier.lend(*page);
            frontier.finish(*page, at, finding);
        }
    }
    let after = frontier.estimate(fresh).mean();
    assert!(before < 1e-6 && after > 1e-3, "{before} {after}");
    assert!(frontier.take_refitted().contains(&other));
}

/// A page that changes twice a second and is visited every five: all visits find a change, only the dates of the answers tell how
/// often it does so, and they are in whole seconds. 400 visits know the rate to some 6 %; read as exact dates they would give half.
#[test]
fn dates_in_whole_seconds_tell_how_often_a_page_changes() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_pcg::Pcg64::seed_from_u64(7);
    let mut frontier = Frontier::new(Settings::default(), prior());
    let host = frontier.add_host();
    let page = frontier.add(1, (host, 0), 1.0);
    let mut now = 1e9;
    for visit in 0..400 {
        now += rng.random_range(4.0..6.0);
        let age = -0.5 * rng.random_range(f64::MIN_POSITIVE..1.0).ln();
        let finding = Finding::Changed { last_modified: Some((now - age).floor()) };
        frontier.lend(page);
        frontier.finish(page, now, if visit == 0 { Finding::First } else { finding });
    }
    let rate = frontier.estimate(page).mean();
    assert!((1.6..2.5).contains(&rate), "{rate}");
}

/// The priors are fitted at 2,048 visits, and not again before 4,096: time enough for each of 5,000 pages to have its turn.
#[test]
fn the_index_learns_what_is_believed_of_all_pages_of_a_large_host() {
    let mut frontier = Frontier::new(Settings { delay: 0.0, ..settings() }, prior());
    let host = frontier.add_host();
    frontier.restore((0..5_000).map(|key| Remembered {
        key,
        host,
        section: (key % 3) as u16,
        weight: 1.0,
        evidence: Evidence::default(),
        place: Remaining::Fetched(-(key as f64)),
    }));
    frontier.rules(host, f64::INFINITY, None);
    let (mut now, mut visits) = (0.0, 0);
    while visits < 3_400 {
        now += 1.0;
        let Draw::Task(task) = frontier.draw(now) else { panic!("nothing to do at {now}") };
        frontier.left(host, now);
        if let Task::Page { page, .. } = task {
            frontier.finish(page, now, Finding::Changed { last_modified: None });
            visits += 1;
        }
    }
    for page in (0..5_000).map(PageId) {
        let (mean, last) = (frontier.estimate(page).mean(), frontier.visited(page).unwrap());
        let (index, expected) =
            (frontier.refresh.index(page, now + DAY).unwrap(), continuous_index(mean, 1.0, now + DAY - last));
        assert!((index / expected - 1.0).abs() < 1e-4, "{page:?}: {index} {expected}");
    }
}
