//! The demo, as whoever opens its pages sees it.

use std::thread;
use std::time::{Duration, Instant};

use super::Browser;
use super::driver::PATIENCE;
use crate::Folder;
use crate::demo::Playing;
use crate::panel::until;

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
    // What is next is on the dashboard, and so are the four curves.
    let plain = browser.page();
    plain.without_scripts();
    until("it is known how stale things are", || {
        plain.open(&format!("{}/dashboard", playing.origin));
        plain.count(".first svg path") == 4 && plain.count("ol.next a") > 0
    });
    plain.follow(|page| _ = page.click("ol.next a[href^='/page']"));
    assert!(plain.text("main .address").starts_with("http://127.0.0.1:"), "{}", plain.text("main"));
    assert_eq!(page.console(), [""; 0]);
    assert_eq!(page.requests_beyond(&playing.origin), [""; 0]);
}
