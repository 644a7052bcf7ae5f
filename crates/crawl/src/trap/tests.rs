use proptest::prelude::*;

use super::{counters::Counters, *};

fn page(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

fn guard(limits: TrapLimits) -> TrapGuard {
    TrapGuard::new(limits, 2026)
}

fn small() -> TrapLimits {
    TrapLimits { numbers: 10, calendar: 5, queries: 8, patterns_per_host: 16, hosts: 4, ..TrapLimits::default() }
}

fn reason(path: &str) -> Option<Reason> {
    match guard(TrapLimits::default()).judge(&page(&format!("http://e.org{path}"))) {
        Verdict::Take => None,
        Verdict::Skip(reason) => Some(reason),
    }
}

#[test]
fn paths_that_repeat_are_seen() {
    for path in ["/a/b/a/b/a/b", "/x/a/b/a/b/a/b/y", "/a/a/a", "/p/a/b/c/a/b/c/a/b/c/", "/1/a/1/a/1/a"] {
        assert_eq!(reason(path), Some(Reason::RepeatingPath), "{path}");
    }
    for path in ["/", "/a/b/a/b", "/a/a", "/a/b/a/c/a/d", "/1/1/1/1", "////", "/a//b//c//", "/2011/11/11/11"] {
        assert_eq!(reason(path), None, "{path}");
    }
}

#[test]
fn monstrous_addresses_are_seen() {
    let segments = |n: usize| (0..n).map(|i| format!("/s{i}")).collect::<String>();
    assert_eq!(reason(&segments(24)), None);
    assert_eq!(reason(&segments(25)), Some(Reason::TooManySegments { limit: 24 }));
    let parameters = |n: usize| format!("/?{}", vec!["a=b"; n].join("&"));
    assert_eq!(reason(&parameters(16)), None);
    assert_eq!(reason(&parameters(17)), Some(Reason::TooManyParameters { limit: 16 }));
    assert_eq!(reason(&format!("/{}", "7".repeat(32))), None);
    assert_eq!(reason(&format!("/?a={}", "7".repeat(33))), Some(Reason::LongNumber { limit: 32 }));
}

#[test]
fn dates_far_away_are_seen() {
    let distant = [
        ("/calendar/2031/05", 2031),
        ("/kalender/1990-01-01/", 1990),
        ("/x?year=2040&month=3", 2040),
        ("/x?date=20290101", 2029),
        ("/2031/05/12/", 2031),
        ("/log-2999-12-31.html", 2999),
        ("/Events/month/1999-12", 1999),
    ];
    for (path, year) in distant {
        assert_eq!(reason(path), Some(Reason::DistantDate { year }), "{path}");
    }
    let near = [
        "/calendar/2026/05",
        "/calendar/2028-12",
        "/calendar/2006/01",
        "/1895/03/12/",
        "/part/4521/10/",
        "/2031/05/",
        "/9999",
        "/2031/13/01",
        "/event/4521",
        "/20299999",
        "/x?year=2026",
        "/?id=99991231",
        "/event/30410512",
        "/article/20310512",
        "/event/4521/10",
        "/2026/11/15/news",
    ];
    for path in near {
        assert_eq!(reason(path), None, "{path}");
    }
}

#[test]
fn a_new_year_moves_the_calendar() {
    let mut guard = guard(TrapLimits::default());
    let next = page("http://e.org/calendar/2029/01/");
    assert!(!guard.judge(&next).is_take());
    guard.set_year(2027);
    assert!(guard.judge(&next).is_take());
}

/// How many of the pages are taken when none has new content.
fn taken(make: impl Fn(usize) -> String, feed: impl Fn(usize) -> bool) -> usize {
    let mut guard = guard(small());
    let mut count = 0;
    for i in 0..1_000 {
        let page = page(&make(i));
        if guard.judge(&page).is_take() {
            count += 1;
            guard.found(&page, feed(i));
        }
    }
    count
}

#[test]
fn patterns_without_new_content_end() {
    assert_eq!(taken(|i| format!("http://e.org/item/{i}"), |_| false), 10);
    assert_eq!(taken(|i| format!("http://e.org/a{i}/b-{}.html", i * 7), |_| false), 10);
    assert_eq!(taken(|i| format!("http://e.org/t/{:016x}z0", i * 7_919), |_| false), 10);
    assert_eq!(taken(|i| format!("http://e.org/calendar/2026/{}/{}", i % 12 + 1, i), |_| false), 5);
    assert_eq!(taken(|i| format!("http://e.org/?x={}", word(i)), |_| false), 10);
    assert_eq!(taken(|i| format!("http://e.org/?x={}&y=b", word(i)), |_| false), 8);
}

#[test]
fn patterns_with_new_content_go_on() {
    assert_eq!(taken(|i| format!("http://e.org/item/{i}"), |_| true), 1_000);
    assert_eq!(taken(|i| format!("http://e.org/item/{i}"), |i| i % 4 == 0), 1_000);
    assert_eq!(taken(|i| format!("http://e.org/?x={}&y=b", word(i)), |_| true), 1_000);
    // One in ten new: less than a quarter, so it ends, but later.
    let slow = taken(|i| format!("http://e.org/item/{i}"), |i| i % 10 == 0);
    assert!((11..100).contains(&slow), "{slow}");
    // A calendar that was full once has no more credit than any other when it runs empty.
    assert_eq!(taken(|i| format!("http://e.org/item/{i}"), |i| i < 500), 500 + 10);
}

#[test]
fn pages_without_numbers_are_not_counted() {
    assert_eq!(taken(|i| format!("http://e.org/article/{}", word(i)), |_| false), 1_000);
}

#[test]
fn hosts_and_patterns_have_their_own_credit() {
    let mut guard = guard(small());
    for i in 0..20 {
        guard.judge(&page(&format!("http://e.org/item/{i}")));
    }
    let verdict = guard.judge(&page("http://e.org/item/77"));
    assert_eq!(verdict, Verdict::Skip(Reason::EndlessNumbers { limit: 10 }));
    assert!(guard.judge(&page("http://e.org/other/77")).is_take());
    assert!(guard.judge(&page("http://f.org/item/77")).is_take());
}

#[test]
fn memory_is_bounded_and_traps_are_remembered() {
    let mut guard = guard(small());
    for i in 0..20 {
        guard.judge(&page(&format!("http://e.org/item/{i}")));
    }
    for i in 0..500 {
        guard.judge(&page(&format!("http://e.org/{}/1", word(i))));
        guard.judge(&page(&format!("http://{}.org/1", word(i))));
        assert!(guard.hosts.len() <= 4 && guard.hosts.values().all(|counters| counters.len() <= 16));
    }
    assert!(!guard.judge(&page("http://e.org/item/77")).is_take());
}

/// Prints the time per page: `cargo test -p crawl --lib measure -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn measure_judging() {
    let pages: Vec<PageUrl> =
        (0..1_000).map(|i| page(&format!("http://e.org/docs/{}/page{i}.html?a={i}", word(i)))).collect();
    let scope = crate::scope::Scope::new(&pages[..1], &crate::scope::ScopeRules::default()).unwrap();
    let time = |judge: &mut dyn FnMut(&PageUrl) -> bool| {
        let mut run = || {
            let started = std::time::Instant::now();
            std::hint::black_box(pages.iter().filter(|page| judge(page)).count());
            started.elapsed().as_nanos() / 1_000
        };
        (0..200).map(|_| run()).min().unwrap()
    };
    let mut guard = guard(TrapLimits::default());
    let traps = time(&mut |page| guard.judge(page).is_take());
    let scopes = time(&mut |page| scope.judge(page, 1).is_take());
    println!("trap guard {traps} ns per page, scope {scopes} ns per page");
}

/// A word without digits, another for each number.
fn word(i: usize) -> String {
    i.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect()
}

proptest! {
    #[test]
    fn any_address_can_be_judged(paths in prop::collection::vec("[/?&=a-c0-9.%-]{0,40}", 1..60)) {
        let mut guard = guard(small());
        for path in paths {
            if let Ok(page) = PageUrl::parse(&format!("http://e.org/{path}")) {
                let _ = guard.judge(&page);
                guard.found(&page, true);
            }
        }
        prop_assert!(guard.hosts.values().map(Counters::len).sum::<usize>() <= 16);
    }

    #[test]
    fn a_path_three_times_is_a_trap(part in "(/[a-z]{1,2}){1,5}", head in "(/[0-9]{1,2}){0,3}", tail in "(/[0-9]{1,2}){0,3}") {
        let mut guard = guard(TrapLimits::default());
        let trap = page(&format!("http://e.org{head}{part}{part}{part}{tail}"));
        prop_assert_eq!(guard.judge(&trap), Verdict::Skip(Reason::RepeatingPath));
    }

    #[test]
    fn patterns_know_no_numbers(text in "/[a-z0-9/?=&-]{0,30}", number in 0..1_000_u32) {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        super::shape::write_pattern(&format!("{text}/{number}/"), &mut one);
        super::shape::write_pattern(&format!("{text}/7/"), &mut other);
        prop_assert_eq!(one, other);
    }
}
