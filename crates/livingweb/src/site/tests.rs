use std::collections::BTreeSet;

use super::*;
use crate::settings::{Replacement, Settings};

fn world() -> World {
    let replacements = vec![Replacement { share: 0.2, at: 50.0 }];
    World::new(&Settings { pages: 300, hosts: 2, replacements, ..Settings::default() }).unwrap()
}

fn origins() -> Vec<String> {
    vec!["http://127.0.0.1:1".to_owned(), "http://127.0.0.1:2".to_owned()]
}

fn hrefs(html: &str) -> BTreeSet<String> {
    html.split("<a href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[test]
fn a_change_rewrites_one_paragraph() {
    let (world, origins) = (world(), origins());
    for number in world.numbers().take(40) {
        for version in 0..30 {
            let (old, new) = (page(&world, &origins, number, version), page(&world, &origins, number, version + 1));
            let paragraphs = |html: &str| html.lines().map(str::to_owned).collect::<Vec<_>>();
            let (old, new) = (paragraphs(&old), paragraphs(&new));
            assert_eq!(old.len(), new.len());
            let changed: Vec<_> = old.iter().zip(&new).filter(|(old, new)| old != new).collect();
            assert!(changed.len() == 1 && changed[0].0.starts_with("<p>"), "{changed:?}");
        }
    }
}

#[test]
fn every_page_is_two_clicks_from_its_root() {
    let world = world();
    for now in [0.0, 60.0] {
        for host in 0..2 {
            let mut found = BTreeSet::new();
            for link in hrefs(&home(&world, host)) {
                let Some(Route::List(number)) = Route::find(&world, host, &link) else { panic!("{link}") };
                found.extend(hrefs(&list(&world, host, number, now)));
            }
            found.remove("/");
            let there = world
                .numbers()
                .filter(|number| world.page(*number).host as usize == host && world.page(*number).is_alive(now));
            assert_eq!(found, there.map(|number| world.path(number)).collect());
        }
    }
}

#[test]
fn lists_change_only_when_pages_come_or_go() {
    let world = world();
    for number in 0..world.lists(0).len() {
        assert_eq!(list(&world, 0, number, 0.0), list(&world, 0, number, 49.0));
        assert_eq!(list(&world, 0, number, 50.0), list(&world, 0, number, 1e6));
    }
    assert!((0..world.lists(0).len()).any(|number| list(&world, 0, number, 49.0) != list(&world, 0, number, 51.0)));
}

#[test]
fn links_lead_to_pages_that_are_or_were_there() {
    let (world, origins) = (world(), origins());
    let mut elsewhere = 0;
    for number in world.numbers() {
        let from = world.page(number);
        for link in hrefs(&page(&world, &origins, number, 0)) {
            let (host, path) = match link.strip_prefix(origins[1 - from.host as usize].as_str()) {
                Some(path) => (1 - from.host as usize, path.to_owned()),
                None => (from.host as usize, link),
            };
            elsewhere += usize::from(host != from.host as usize);
            match Route::find(&world, host, &path) {
                Some(Route::Page(other)) => assert!(world.page(other).from <= from.from),
                Some(Route::Home | Route::List(_)) => {}
                other => panic!("{path}: {other:?}"),
            }
        }
    }
    assert!(elsewhere > 50, "{elsewhere}");
}

#[test]
fn sizes_are_about_as_asked_for() {
    let (world, origins) = (world(), origins());
    let sizes: Vec<usize> = world.numbers().map(|number| page(&world, &origins, number, 0).len()).collect();
    let (least, largest) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!((500..1_500).contains(least) && (24_000..36_000).contains(largest), "{least} {largest}");
}

#[test]
fn sitemaps_say_what_they_are_told_to() {
    let (world, origins) = (world(), origins());
    let lives: Vec<(PageNumber, f64)> = world.numbers().take(5).map(|number| (number, 784_111_777.9)).collect();
    let map = |lastmod| sitemap(&world, &origins[0], &lives, None, lastmod, 784_200_000.0).unwrap();
    let honest = map(Lastmod::Honest);
    assert_eq!(honest.matches("<lastmod>1994-11-06T08:49:37Z</lastmod>").count(), 5);
    assert!(honest.contains(&format!("<loc>http://127.0.0.1:1{}</loc>", world.path(PageNumber(4)))));
    assert_eq!(map(Lastmod::Now).matches("<lastmod>1994-11-07T09:20:00Z</lastmod>").count(), 5);
    assert_eq!(map(Lastmod::None).matches("lastmod").count(), 0);
    let random = map(Lastmod::Random);
    assert_eq!(random.matches("<lastmod>").count(), 5);
    assert!(random != honest && random == map(Lastmod::Random));
    assert!(sitemap(&world, &origins[0], &lives, Some(1), Lastmod::None, 0.0).is_none());
}

#[test]
fn many_pages_have_several_sitemaps() {
    let world = world();
    let lives: Vec<(PageNumber, f64)> = (0..120_000).map(|i| (PageNumber(i % 300), 0.0)).collect();
    let map = |part| sitemap(&world, "http://h", &lives, part, Lastmod::None, 0.0);
    assert_eq!(map(None).unwrap().matches("<loc>http://h/sitemap-").count(), 3);
    assert_eq!(map(Some(2)).unwrap().matches("<url>").count(), 20_000);
    assert!(map(Some(3)).is_none());
}

#[test]
fn a_feed_has_the_newest_changes_first() {
    let world = world();
    let lives: Vec<(PageNumber, f64)> = world.numbers().map(|number| (number, f64::from(number.0) * 60.0)).collect();
    let newest = lives.last().unwrap().0;
    let feed = atom(&world, "http://h", "Title", lives);
    assert_eq!(feed.matches("<entry>").count(), 50);
    let first = feed.split("<entry>").nth(1).unwrap();
    assert!(first.contains(&format!("<id>http://h{}</id>", world.path(newest))), "{first}");
}
