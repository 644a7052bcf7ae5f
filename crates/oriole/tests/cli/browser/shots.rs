//! Pictures for the documentation, of things that are at work.

use std::path::Path;
use std::thread;
use std::time::Duration;

use livingweb::{RateLaw, Settings, Weights};

use super::{Browser, Page};
use crate::Folder;
use crate::demo::Playing;
use crate::livingweb::play;
use crate::panel::Engine;

/// Keeps what is seen.
fn shot(page: &Page, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    std::fs::create_dir_all(&folder).unwrap();
    page.screenshot(&folder.join(format!("{name}.png")));
}

/// Searching a web whose pages change every few minutes, and what is known of one of them.
fn searching(browser: &Browser) {
    let (pages, hosts, mean_interval) = (300, 4, 150.0);
    let (rates, weights) = (RateLaw::LogNormal { sigma: 0.7 }, Weights::Independent);
    let (_runtime, living) = play(&Settings { pages, hosts, mean_interval, rates, weights, ..Settings::default() });
    let folder = Folder::with("oriole.toml", living.oriole_toml());
    let engine = Engine::start(&folder, "--budget 30/s");
    thread::sleep(Duration::from_secs(150));
    let url = |path: &str| format!("http://{}{path}", engine.address);
    let page = browser.page();
    page.window(1280, 760).open(&url("/?q=harbour+OR+bread"));
    shot(&page, "search");
    page.open(&url("/changes?q=harbour")).follow(|page| _ = page.click("ol.results a[href^='/page']"));
    page.window(1280, 900);
    shot(&page, "page");
    page.window(1280, 440).follow(|page| _ = page.click("ul.versions a[href^='/diff']"));
    shot(&page, "diff");
    let phone = browser.page();
    phone.phone().open(&url("/?q=harbour+OR+bread"));
    shot(&phone, "search-phone");
}

/// The demo after its warm-up.
fn watching(browser: &Browser) {
    let folder = Folder::new();
    let playing = Playing::start(&folder, "--seed 1 --for 10min");
    thread::sleep(Duration::from_secs(75));
    let page = browser.page();
    page.window(1280, 600).open(&format!("{}/dashboard", playing.origin));
    shot(&page, "dashboard");
    page.window(1280, 1060).open(&format!("{}/what-if?budget=80", playing.origin));
    shot(&page, "what-if");
    page.dark().window(1280, 1000).open(&format!("{}/dashboard", playing.origin));
    shot(&page, "dashboard-dark");
    page.window(1280, 780).open(&format!("{}/sites", playing.origin));
    shot(&page, "sites-dark");
}

#[test]
fn pictures_for_the_documentation() {
    if std::env::var_os("ORIOLE_TEST_SCREENSHOTS").is_none() {
        return;
    }
    let Some(browser) = Browser::start() else { return };
    searching(&browser);
    watching(&browser);
}
