use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

mod learned;

const DAY: f64 = 86_400.0;

fn prior() -> Prior {
    Prior::unknown(DAY).unwrap()
}

fn settings() -> Settings {
    Settings { budget: None, least_revisit: 0.0, ..Settings::default() }
}

/// What a robot has in hand.
#[derive(Debug)]
struct Request {
    host: HostId,
    page: Option<PageId>,
    from: f64,
    to: f64,
}

/// Hosts that answer after a fixed time, and a crowd of robots.
struct Scene {
    frontier: Frontier,
    latency: Vec<f64>,
    robots: usize,
    now: f64,
    under_way: Vec<Request>,
    done: Vec<Request>,
}

impl Scene {
    fn new(settings: Settings, latency: &[f64], pages: usize) -> Self {
        let mut frontier = Frontier::new(settings, prior());
        let mut key = 0;
        for _ in latency {
            let host = frontier.add_host();
            for _ in 0..pages {
                key += 1;
                frontier.add(key, (host, 0), 1.0);
            }
        }
        Self { frontier, latency: latency.to_vec(), robots: 1000, now: 0.0, under_way: Vec::new(), done: Vec::new() }
    }

    fn run(&mut self, until: f64, mut finding: impl FnMut(PageId, f64) -> Finding) {
        while self.now < until {
            let next = if self.under_way.len() < self.robots { self.frontier.draw(self.now) } else { Draw::Idle };
            match next {
                Draw::Task(task) => self.begin(&task),
                Draw::Wait(at) => self.advance(at, &mut finding),
                Draw::Idle if self.under_way.is_empty() => return,
                Draw::Idle => self.advance(f64::INFINITY, &mut finding),
            }
        }
    }

    fn begin(&mut self, task: &Task) {
        let (host, page) = match task {
            Task::Page { page, host, .. } => (*host, Some(*page)),
            Task::Errand { host, .. } => (*host, None),
        };
        let to = self.now + self.latency[host.0 as usize];
        self.under_way.push(Request { host, page, from: self.now, to });
    }

    /// To the given time, or the first end of a request before it.
    fn advance(&mut self, at: f64, finding: &mut impl FnMut(PageId, f64) -> Finding) {
        let first = (0..self.under_way.len()).min_by(|a, b| self.under_way[*a].to.total_cmp(&self.under_way[*b].to));
        let Some(first) = first.filter(|i| self.under_way[*i].to <= at) else {
            self.now = self.now.max(at);
            return;
        };
        let request = self.under_way.swap_remove(first);
        self.now = request.to;
        self.frontier.left(request.host, self.now);
        match request.page {
            Some(page) => self.frontier.finish(page, self.now, finding(page, self.now)),
            None => self.frontier.rules(request.host, self.now + DAY, None),
        }
        self.done.push(request);
    }

    fn visits(&self) -> BTreeMap<u32, usize> {
        let mut visits = BTreeMap::new();
        for page in self.done.iter().filter_map(|request| request.page) {
            *visits.entry(page.0).or_insert(0) += 1;
        }
        visits
    }
}

fn once() -> Settings {
    Settings { revisit: false, ..settings() }
}

#[test]
fn every_page_is_visited_once_after_the_rules_are_known() {
    let mut scene = Scene::new(once(), &[0.1, 0.2], 50);
    scene.run(1e6, |_, _| Finding::First);
    assert!(scene.frontier.is_exhausted());
    assert_eq!(scene.visits().len(), 100);
    assert!(scene.visits().values().all(|visits| *visits == 1));
    for host in [HostId(0), HostId(1)] {
        let first = scene.done.iter().find(|request| request.host == host).unwrap();
        assert_eq!(first.page, None);
    }
}

#[test]
fn a_slow_host_holds_up_nobody() {
    let mut scene = Scene::new(once(), &[300.0, 0.1], 50);
    scene.run(60.0, |_, _| Finding::First);
    let fast = scene.done.iter().filter(|request| request.host == HostId(1)).count();
    // One request every 1.1 seconds.
    assert!(fast >= 50, "{fast}");
}

#[test]
fn a_request_to_a_slow_host_has_a_price_of_its_own() {
    let quick = Settings { delay: 0.0, budget: Some(4.0), least_revisit: 0.0, ..settings() };
    let mut scene = Scene::new(quick, &[4.0, 0.01], 50);
    // All pages have changed whenever they are looked at: a visit is worth the more, the longer ago the last one is.
    scene.run(4_000.0, |_, _| Finding::Changed { last_modified: None });
    let [slow, fast] = [0, 1].map(|host| scene.frontier.price_of(HostId(host)));
    let level = scene.frontier.index_level();
    assert!(slow > 3.0 * fast, "{slow} {fast}");
    assert!((1.0..1.2).contains(&(fast / level)), "{fast} {level}");
}

#[test]
fn a_blocked_host_is_left_alone_until_then() {
    let mut scene = Scene::new(once(), &[0.1, 0.1], 5);
    scene.frontier.block(HostId(0), 1000.0);
    scene.run(1e6, |_, _| Finding::First);
    let first = scene.done.iter().find(|request| request.host == HostId(0)).unwrap();
    assert!(first.from >= 1000.0);
    assert_eq!(scene.visits().len(), 10);
}

#[test]
fn failures_are_tried_again_when_they_may_be() {
    let mut scene = Scene::new(once(), &[0.1], 1);
    let mut tries = Vec::new();
    scene.run(1e6, |_, now| {
        tries.push(now);
        if tries.len() < 3 { Finding::Later(now + 100.0) } else { Finding::First }
    });
    assert_eq!(tries.len(), 3);
    assert!(tries.windows(2).all(|pair| pair[1] - pair[0] >= 100.0));
    assert!(scene.frontier.is_exhausted());
}

#[test]
fn the_budget_is_kept_and_used() {
    let mut scene = Scene::new(Settings { budget: Some(0.5), ..settings() }, &[0.01; 8], 20);
    scene.run(1000.0, |_, _| Finding::Unchanged);
    let requests = scene.done.len() + scene.under_way.len();
    assert!((499..=501).contains(&requests), "{requests}");
}

#[test]
fn what_was_spent_without_a_limit_is_not_owed_under_one() {
    let mut scene = Scene::new(settings(), &[0.01; 8], 20);
    scene.run(100.0, |_, _| Finding::Unchanged);
    let before = scene.done.len() + scene.under_way.len();
    scene.frontier.set_budget(Some(0.5));
    scene.run(300.0, |_, _| Finding::Unchanged);
    let requests = scene.done.len() + scene.under_way.len() - before;
    assert!(before > 700 && (99..=102).contains(&requests), "{before} {requests}");
}

#[test]
fn pages_that_change_more_often_are_visited_more_often() {
    let mut scene = Scene::new(Settings { budget: Some(1.0), ..settings() }, &[0.01; 4], 25);
    // Page 0 of each host changes every 20 seconds, the others never.
    let mut last = [0.0; 100];
    scene.run(20_000.0, |page, now| {
        let before = std::mem::replace(&mut last[page.0 as usize], now);
        let changed = page.0 % 25 == 0 && (before / 20.0).floor() < (now / 20.0).floor();
        if changed { Finding::Changed { last_modified: None } } else { Finding::Unchanged }
    });
    let visits = scene.visits();
    let (fast, slow) = (visits[&0], visits[&1]);
    assert!(fast > 20 * slow, "{fast} against {slow}");
}

#[test]
fn the_reserve_visits_pages_that_the_index_gives_up() {
    let mut scene = Scene::new(Settings { budget: Some(1.0), reserve: 0.1, ..settings() }, &[0.01], 20);
    scene.run(
        2_000.0,
        |page, _| if page.0 == 0 { Finding::Changed { last_modified: None } } else { Finding::Unchanged },
    );
    let least = scene.visits().values().copied().min().unwrap();
    // A tenth of 1,000 visits (one each 1.01 + 1 seconds) in turn over 20 pages, less what the index does itself.
    assert!(least >= 4, "{least}");
}

#[test]
fn no_page_is_left_for_longer_than_the_longest_time() {
    let mut scene =
        Scene::new(Settings { budget: Some(1.0), reserve: 0.0, most_revisit: 300.0, ..settings() }, &[0.01; 4], 10);
    let mut last = [0.0f64; 40];
    let mut worst = 0.0f64;
    scene.run(5_000.0, |page, now| {
        worst = worst.max(now - std::mem::replace(&mut last[page.0 as usize], now));
        if page.0 < 4 { Finding::Changed { last_modified: None } } else { Finding::Unchanged }
    });
    assert!(worst < 310.0, "{worst}");
}

#[test]
fn no_page_is_visited_again_before_the_shortest_time() {
    let mut scene = Scene::new(Settings { least_revisit: 50.0, ..settings() }, &[0.01], 3);
    let mut last = [f64::NEG_INFINITY; 3];
    scene.run(1_000.0, |page, now| {
        let before = std::mem::replace(&mut last[page.0 as usize], now);
        assert!(now - before >= 50.0);
        Finding::Unchanged
    });
    assert_eq!(scene.visits().len(), 3);
}

#[test]
fn pages_that_rest_go_by_a_shorter_time_at_once() {
    let mut scene = Scene::new(Settings { least_revisit: 1e6, ..settings() }, &[0.01], 3);
    scene.run(100.0, |_, _| Finding::Unchanged);
    assert!(scene.visits().values().all(|visits| *visits == 1));
    scene.frontier.set_revisit(50.0, Settings::default().most_revisit);
    scene.run(scene.now + 1_000.0, |_, _| Finding::Unchanged);
    assert!(scene.visits().values().all(|visits| *visits > 2), "{:?}", scene.visits());
}

#[test]
fn rules_are_read_again_when_they_are_old() {
    let mut scene = Scene::new(settings(), &[0.01], 2);
    scene.run(3.5 * DAY, |_, now| if now < DAY { Finding::Unchanged } else { Finding::Later(now + DAY / 4.0) });
    let errands = scene.done.iter().filter(|request| request.page.is_none()).count();
    assert_eq!(errands, 4);
}

#[test]
fn a_page_that_is_asked_for_comes_first() {
    let mut scene = Scene::new(once(), &[0.1], 10);
    scene.run(3.0, |_, _| Finding::First);
    scene.frontier.ask_for(PageId(0));
    let before = scene.done.len() + scene.under_way.len();
    scene.run(8.0, |_, _| Finding::First);
    assert_eq!(scene.done[before].page, Some(PageId(0)));
}

#[test]
fn forgotten_pages_are_not_visited() {
    let mut scene = Scene::new(once(), &[0.1], 10);
    scene.frontier.forget(PageId(4));
    scene.run(1e6, |_, _| Finding::First);
    assert!(!scene.visits().contains_key(&4));
    assert_eq!(scene.visits().len(), 9);
    assert!(scene.frontier.is_exhausted());
}

#[test]
fn a_document_that_was_lost_is_fetched_again() {
    let mut frontier = Frontier::new(once(), prior());
    let host = frontier.add_host();
    let page = frontier.add(7, (host, 0), 1.0);
    assert_eq!(frontier.draw(0.0), Draw::Task(Task::Errand { host, errand: Errand::RobotsTxt }));
    frontier.left(host, 0.5);
    frontier.rules(host, DAY, None);
    let task = Task::Page { page, host, why: Why::Queued };
    assert_eq!(frontier.draw(2.0), Draw::Task(task.clone()));
    frontier.left(host, 2.1);
    frontier.release(page);
    assert_eq!(frontier.draw(2.2), Draw::Wait(3.1));
    assert_eq!(frontier.draw(3.1), Draw::Task(task));
}

#[test]
fn what_is_remembered_is_restored() {
    let mut frontier = Frontier::new(Settings { reserve: 0.0, ..settings() }, prior());
    let host = frontier.add_host();
    frontier.rules(host, f64::INFINITY, None);
    let page = |key, place| Remembered {
        key,
        host,
        section: 0,
        weight: 1.0,
        evidence: Evidence::from_parts(3.0, 300.0),
        place,
    };
    frontier.restore([
        page(10, Remaining::Fetched(50.0)),
        page(11, Remaining::Queued),
        page(12, Remaining::Later(500.0, None)),
        page(13, Remaining::Never),
        page(14, Remaining::Fetched(40.0)),
    ]);
    assert_eq!(frontier.find(13), Some(PageId(3)));
    assert_eq!(frontier.find(15), None);
    assert_eq!((frontier.len(), frontier.queued(), frontier.kept_fresh(1).count()), (5, 1, 2));
    let outlook = frontier.outlook(PageId(4), 60.0);
    assert_eq!(outlook.waits, Waits::Index);
    assert!(outlook.index > frontier.outlook(PageId(0), 60.0).index);
}

/// The oldest pages cannot be visited: those of a host that is closed are passed over, 64 at a time, and those that have gone for good.
#[test]
fn no_host_stands_before_the_oldest_pages_of_others() {
    let mut frontier = Frontier::new(settings(), prior());
    let hosts = [frontier.add_host(), frontier.add_host()];
    hosts.iter().for_each(|host| frontier.rules(*host, f64::INFINITY, None));
    let evidence = Evidence::default();
    let page = |key: u64, host| Remembered {
        key,
        host,
        section: 0,
        weight: 1.0,
        evidence,
        place: Remaining::Fetched(key as f64),
    };
    frontier.restore((0..130).map(|key| page(key, hosts[0])));
    frontier.restore([page(130, hosts[1])]);
    frontier.block(hosts[0], f64::INFINITY);
    let first = |frontier: &mut Frontier| frontier.oldest.first(1e6, &frontier.pages, &frontier.hosts, (1e6, 1));
    assert_eq!([(); 3].map(|()| first(&mut frontier)), [None, None, Some(130)]);
    assert_eq!([(); 3].map(|()| first(&mut frontier)), [None, None, Some(130)], "and from the beginning again");
    frontier.pages[..128].iter_mut().for_each(|page| page.place = Place::Nowhere);
    assert_eq!(first(&mut frontier), Some(130));
    // The last two of the closed host are the oldest when it opens.
    frontier.hosts[0].blocked_until = 0.0;
    assert_eq!(first(&mut frontier), Some(128));
}

#[test]
fn a_signal_brings_a_visit_forward_once_it_has_proved_right() {
    let mut frontier = Frontier::new(Settings { delay: 0.0, reserve: 0.0, discovery: 0.0, ..settings() }, prior());
    let host = frontier.add_host();
    assert_eq!(frontier.draw(0.0), Draw::Idle, "a host without pages is not asked for anything");
    let evidence = Evidence::from_parts(100.0, 100.0 * DAY as f32);
    let page = |key| Remembered { key, host, section: 0, weight: 1.0, evidence, place: Remaining::Fetched(0.0) };
    frontier.restore((0..50).map(page));
    assert!(matches!(frontier.draw(0.0), Draw::Task(Task::Errand { .. })));
    frontier.left(host, 0.0);
    frontier.rules(host, f64::INFINITY, None);
    let mut now = 0.0;
    let feed = frontier.add_list(SignalKind::Feed);
    // Changes happen when they are signalled, and only then.
    for round in 0..2_000 {
        now += DAY / 50.0;
        let changes = PageId(round % 50);
        if round % 50 < 25 {
            frontier.tells_of(feed, changes);
            frontier.signal(changes, SignalKind::Feed);
            frontier.list_told(feed, (0.0, now), 1.0);
        }
        let Draw::Task(Task::Page { page, .. }) = frontier.draw(now) else { panic!("nothing to do") };
        let signalled = frontier.pages[page.0 as usize].signals != [0; 3];
        frontier.left(host, now);
        frontier.finish(
            page,
            now,
            if signalled { Finding::Changed { last_modified: None } } else { Finding::Unchanged },
        );
    }
    let quiet = PageId(0);
    let before = frontier.outlook(quiet, now).index;
    let evidence = frontier.pages[0].evidence;
    let older = frontier.rates.older((0, 0), evidence, [0, 1, 0]);
    assert!(older > 0.3 * DAY, "{older} at index {before}");
    assert_eq!(frontier.rates.older((0, 0), evidence, [1, 0, 1]), 0.0, "other kinds have proved nothing");
    // What it says nothing of has not changed: half of the pages, of which it tells and that it is believed for.
    frontier.list_told(feed, (0.0, now), 1.0);
    let told = frontier.kept_fresh(1).filter(|page| page.seems > page.visited + 0.5 * (now - page.visited));
    assert!((20..=25).contains(&told.count()));
    // A sitemap that no longer names a page says nothing of it.
    let (sitemap, page) = (frontier.add_list(SignalKind::Sitemap), frontier.pages[0]);
    for named in [true, false] {
        frontier.list_tells(sitemap);
        if named {
            frontier.tells_of(sitemap, quiet);
        }
        frontier.list_told(sitemap, (f64::NEG_INFINITY, now), 1.0);
        let told = frontier.lists.told_of(&frontier.pages[0], f64::INFINITY)[0];
        assert_eq!(told, if named { now - page.visited } else { 0.0 });
    }
    // Where only days are given, what happens on the day of the visit may not be told.
    frontier.list_tells(sitemap);
    frontier.tells_of(sitemap, quiet);
    let midnight = (page.visited / DAY).ceil() * DAY;
    for (until, told) in [(midnight, 0.0), (midnight + DAY, DAY)] {
        frontier.list_told(sitemap, (f64::NEG_INFINITY, until), DAY);
        let [of_sitemap, ..] = frontier.lists.told_of(&frontier.pages[0], f64::INFINITY);
        assert_eq!(of_sitemap, told);
    }
    // Visits to signalled pages are worth more than what a request costs.
    let (price, level) = (frontier.price_of(host), frontier.index_level());
    assert!((1.0..1.2).contains(&(price / level)), "{price} {level}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Politeness, as the hosts see it: never more requests at a time than allowed, and never closer than the delay.
    #[test]
    fn hosts_are_never_pressed(
        latency in prop::collection::vec(0.05f64..5.0, 1..6),
        delay in prop_oneof![Just(0.0), 0.1f64..3.0],
        connections in 1u32..5,
        budget in prop_oneof![Just(None), (0.2f64..20.0).prop_map(Some)],
        robots in 1usize..40,
        revisit: bool,
    ) {
        let settings = Settings { delay, connections, budget, revisit, least_revisit: 0.0, ..Settings::default() };
        let mut scene = Scene::new(settings, &latency, 12);
        scene.robots = robots;
        let mut count = 0;
        scene.run(80.0, |_, now| {
            count += 1;
            match count % 5 {
                0 => Finding::Later(now + 3.0),
                1 => Finding::Changed { last_modified: None },
                2 => Finding::Never,
                _ => Finding::Unchanged,
            }
        });
        for host in 0..latency.len() as u32 {
            let mut requests: Vec<(f64, f64)> =
                scene.done.iter().chain(&scene.under_way).filter(|r| r.host.0 == host).map(|r| (r.from, r.to)).collect();
            requests.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (i, request) in requests.iter().enumerate() {
                let open = requests[..i].iter().filter(|before| before.1 > request.0).count();
                prop_assert!(open < connections as usize);
                if delay > 0.0 && i > 0 {
                    prop_assert!(request.0 >= requests[i - 1].1 + delay - 1e-9);
                }
            }
        }
    }

    /// No page is ever with two robots, and none is lost: at the end all are where they should be.
    #[test]
    fn pages_are_handed_out_once(answers in prop::collection::vec(0u8..6, 1..200)) {
        let mut scene = Scene::new(Settings { delay: 0.0, connections: 8, ..settings() }, &[1.0, 2.0], 6);
        let mut out = Vec::new();
        let mut answers = answers.into_iter().cycle();
        for step in 0..300 {
            let now = f64::from(step);
            match scene.frontier.draw(now) {
                Draw::Task(Task::Page { page, host, .. }) => {
                    prop_assert!(!out.iter().any(|(other, _)| *other == page));
                    out.push((page, host));
                }
                Draw::Task(Task::Errand { host, .. }) => {
                    scene.frontier.left(host, now);
                    scene.frontier.rules(host, now + 50.0, None);
                }
                Draw::Wait(_) | Draw::Idle => {}
            }
            if step % 3 == 0 && !out.is_empty() {
                let (page, host) = out.remove(0);
                scene.frontier.left(host, now);
                match answers.next().unwrap() {
                    0 => scene.frontier.release(page),
                    1 => scene.frontier.finish(page, now, Finding::Later(now + 5.0)),
                    2 => scene.frontier.finish(page, now, Finding::Changed { last_modified: Some(now - 0.5) }),
                    3 => { scene.frontier.finish(page, now, Finding::First); scene.frontier.ask_for(page) }
                    _ => scene.frontier.finish(page, now, Finding::Unchanged),
                }
            }
            prop_assert_eq!(scene.frontier.out(), out.len());
        }
        let places = |place: Place| scene.frontier.pages.iter().filter(|page| page.place == place).count();
        prop_assert_eq!(places(Place::Queue), scene.frontier.queued());
        prop_assert_eq!(places(Place::Queue) + places(Place::Index) + places(Place::Waiting) + out.len(), 12);
        prop_assert_eq!(places(Place::Index), scene.frontier.refresh.len());
    }
}
