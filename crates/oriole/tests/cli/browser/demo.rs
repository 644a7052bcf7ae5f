//! The demo, as whoever opens its pages sees it.

use std::thread;
use std::time::{Duration, Instant};

use super::driver::PATIENCE;
use super::{Browser, shot};
use crate::Folder;
use crate::demo::Playing;

/// Words of which every living web is made.
const SEARCH: &str = "/?q=harbour+OR+bread+OR+comet+OR+tulip";

#[test]
fn the_demo_is_searched_while_it_runs() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let playing = Playing::start(&folder, "--seed 1 --for 10min");
    let page = browser.page();
    let began = Instant::now();
    while page.open(&format!("{}{SEARCH}", playing.origin)).count("ol.results > li") < 10 {
        assert!(began.elapsed() < PATIENCE, "nothing is found: {}", page.text("main"));
        thread::sleep(Duration::from_millis(200));
    }
    assert!(page.texts(".badge").iter().all(|badge| badge.starts_with("checked ")), "{:?}", page.texts(".badge"));
    assert_eq!(page.console(), [""; 0]);
    assert_eq!(page.requests_beyond(&playing.origin), [""; 0]);
    if super::takes_shots() {
        // When the engine has learned what it can in the warm-up.
        thread::sleep(Duration::from_secs(30));
        page.open(&format!("{}{SEARCH}", playing.origin));
        shot(&page, "demo-search");
        page.follow(|page| _ = page.click("ol.results a[href^='/page']"));
        shot(&page, "demo-page");
    }
}
