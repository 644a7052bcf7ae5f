//! The pages of a running engine: how it is doing, what other settings would do, and its sites.

use std::thread;
use std::time::Duration;

use super::{Browser, Page, is_clean};
use crate::Folder;
use crate::panel::{DAY, Engine, restless_site, status, until};
use crate::site::server::Server;

/// An engine at a site that changes at every visit.
struct Running {
    site: Server,
    folder: Folder,
    engine: Engine,
    origin: String,
}

impl Running {
    fn start() -> Self {
        let site = restless_site();
        let config = format!("seeds = [\"{}\"]\nbudget = \"20/s\"\n[revisit]\nleast = \"0\"\n", site.url("/"));
        let folder = Folder::with("oriole.toml", config);
        let engine = Engine::start(&folder, "");
        let origin = format!("http://{}", engine.address);
        Self { site, folder, engine, origin }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }
}

/// The figure of a tile of the dashboard.
fn tile(page: &Page, name: &str) -> f64 {
    let (names, figures) = (page.texts(".tiles dt"), page.texts(".tiles strong"));
    let place = names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name} is not in {names:?}"));
    let digits: String = figures[place].chars().filter(|letter| letter.is_ascii_digit() || *letter == '.').collect();
    digits.parse().unwrap_or_else(|_| panic!("{name} is {}", figures[place]))
}

fn redraws(page: &Page) -> usize {
    page.attributes("#live", "data-drawn")[0].parse().unwrap_or(0)
}

/// Waits until the dashboard has drawn itself so many times more.
fn is_redrawn(page: &Page, times: usize) {
    let wanted = redraws(page) + times;
    until("the dashboard is drawn again", || redraws(page) >= wanted);
}

#[test]
fn the_dashboard_shows_how_things_are_without_being_loaded_again() {
    let Some(browser) = Browser::start() else { return };
    let running = Running::start();
    until("pages are found changed", || running.site.log().count("/one") > 2);
    let page = browser.page();
    page.open(&running.url("/dashboard"));
    page.eval("window.stayed = true");
    let before = tile(&page, "Found changed");
    until("more pages are found changed", || tile(&page, "Found changed") > before);
    // The curves go on, and are seen.
    is_redrawn(&page, 2);
    let length = "document.querySelector('.first path.s0').getTotalLength()";
    until("there is a curve", || page.eval(length).as_f64().is_some_and(|length| length > 1.0));
    // A table that was opened stays open, and keeps the focus.
    page.click(".first summary");
    is_redrawn(&page, 1);
    assert_eq!((page.count(".first details[open]"), page.focus().as_str()), (1, "summary"));
    assert!(page.texts(".first details tbody tr").len() > 1);
    assert_eq!(page.eval("window.stayed"), true, "it was loaded again");
    let asked = |part: &str| page.requests().iter().filter(|url| url.contains(part)).count();
    assert_eq!(
        (asked("/api/v1/events"), page.requests().iter().filter(|url| url.ends_with("/dashboard")).count()),
        (1, 1)
    );
    assert!(asked("/dashboard/part?range=recent") >= 3);
    is_clean(&page, &running.origin);
}

#[test]
fn the_dashboard_says_the_same_without_scripts() {
    let Some(browser) = Browser::start() else { return };
    let running = Running::start();
    until("pages are found changed", || running.site.log().count("/one") > 2);
    let page = browser.page();
    page.without_scripts();
    until("it is known how stale things are", || {
        page.open(&running.url("/dashboard")).count(".first svg path") == 4 && tile(&page, "Stale now") > 0.0
    });
    let before = tile(&page, "Found changed");
    until("loading it again helps", || tile(page.open(&running.url("/dashboard")), "Found changed") > before);
    page.click(".first summary");
    assert!(page.texts(".first details tbody tr").len() > 1, "tables open");
    page.follow(|page| _ = page.click("nav.pages a[href$='day']"));
    assert_eq!(page.texts("nav.pages a[aria-current]"), ["Last day"]);
    is_clean(&page, &running.origin);
}

/// Requests that come to the site in so many seconds.
fn requests_in(site: &Server, seconds: u64) -> usize {
    let before = site.log().requests.len();
    thread::sleep(Duration::from_secs(seconds));
    site.log().requests.len() - before
}

fn goes_on(site: &Server) {
    let before = site.log().requests.len();
    until("the site is asked for more", || site.log().requests.len() > before);
}

#[test]
fn the_engine_obeys_what_is_applied() {
    let Some(browser) = Browser::start() else { return };
    let running = Running::start();
    let page = browser.page();
    page.open(&running.url("/what-if"));
    // Sliders and numbers move together, and the answer with them.
    assert_eq!(page.count("input[type=range]"), 3);
    page.click("#budget").press("Tab").press("ArrowDown");
    until("the slider moves the number", || {
        page.eval("document.getElementById('budget').valueAsNumber").as_f64() < Some(20.0)
    });
    page.fill("#budget", "2").fill("#robots", "3").fill("#buffer", "9").choose("#decide", "fixed");
    page.wait_for_text("#answer form p", |text| text == "2 requests per second, always 3 robots, 9 places.");
    until("all robots are at work", || running.site.log().requests.len() > 60);
    page.follow(|page| _ = page.click("#answer form button"));
    assert!(page.text("[role=status]").starts_with("The settings were applied"), "{}", page.text("main"));
    status(&running.folder, &running.engine, "the engine obeys", |said| {
        said["budget_per_day"] == 2.0 * DAY && said["robots_max"] == 3 && said["control"]["rule"] == "fixed"
    });
    // What was begun ends; then there are two requests in a second and not twenty, but for what has been saved up.
    thread::sleep(Duration::from_secs(1));
    let asked = requests_in(&running.site, 6);
    assert!(asked <= 20, "{asked} requests in six seconds");
    goes_on(&running.site);
    assert_eq!(page.eval("document.getElementById('budget').value"), "2");
    page.open(&running.url("/dashboard"));
    assert!(page.texts(".tiles div").iter().any(|tile| tile.contains("allowed 2/s")), "{:?}", page.texts(".tiles div"));
    is_clean(&page, &running.origin);
}

/// The same without scripts, and back again.
#[test]
fn settings_are_asked_about_and_applied_without_scripts() {
    let Some(browser) = Browser::start() else { return };
    let running = Running::start();
    let page = browser.page();
    page.without_scripts().open(&running.url("/what-if"));
    assert_eq!(page.count("input[type=range]"), 0);
    page.fill("#budget", "5").follow(|page| _ = page.press("Enter"));
    let asked = "5 requests per second, up to 16 robots, 64 places.";
    assert_eq!(page.text("#answer form p"), asked);
    status(&running.folder, &running.engine, "asking changes nothing", |said| said["budget_per_day"] == 20.0 * DAY);
    page.follow(|page| _ = page.click("#answer form button"));
    assert!(page.text("[role=status]").starts_with("The settings were applied"), "{}", page.text("main"));
    status(&running.folder, &running.engine, "it is applied", |said| said["budget_per_day"] == 5.0 * DAY);
    page.follow(|page| _ = page.click("#answer button[value=forget]"));
    status(&running.folder, &running.engine, "it is forgotten", |said| said["budget_per_day"] == 20.0 * DAY);
    is_clean(&page, &running.origin);
}

/// Looks at the sites until there is such an element.
fn sites_show(page: &Page, running: &Running, selector: &str) {
    until(selector, || page.open(&running.url("/sites")).count(selector) == 1);
}

#[test]
fn sites_are_added_paused_and_resumed_by_hand() {
    let Some(browser) = Browser::start() else { return };
    let (running, other) = (Running::start(), restless_site());
    let page = browser.page();
    // With the keyboard alone: over the links at the top, and into the first field.
    page.open(&running.url("/sites")).press("Tab").press("Enter").press("Tab");
    assert_eq!(page.focus(), "input#new-site");
    page.write(&other.url("/")).follow(|page| _ = page.press("Enter"));
    let told = page.text("[role=status]");
    assert!(told.starts_with(&format!("{} is taken up", other.url("/"))), "{told}");
    until("the other site is crawled", || other.log().count("/two") > 0);
    let button = |word: &str| format!("button[aria-label='{word} {}']", other.origin());
    sites_show(&page, &running, &button("Pause"));
    assert_eq!(page.texts("table:first-of-type tbody th").len(), 2, "{}", page.text("main"));
    page.follow(|page| _ = page.click(&button("Pause")));
    assert!(page.text("[role=status]").contains("is paused"), "{}", page.text("main"));
    // The page shows by itself that it is done.
    until("it is paused", || page.count(&button("Resume")) == 1);
    // What was begun ends.
    thread::sleep(Duration::from_secs(1));
    assert_eq!(requests_in(&other, 2), 0, "a site that is paused is asked for nothing");
    goes_on(&running.site);
    page.follow(|page| _ = page.click(&button("Resume")));
    goes_on(&other);
    // What cannot be is told in words.
    page.open(&running.url("/sites")).fill("#new-site", "javascript:alert(1)").follow(|page| _ = page.press("Enter"));
    assert!(page.text("main").contains("hat is not the address of a site"), "{}", page.text("main"));
    let console = page.console();
    assert!(console.len() == 1 && console[0].contains("status of 422"), "{console:?}");
    assert_eq!(page.requests_beyond(&running.origin), [""; 0]);
}

#[test]
fn sites_are_limited_and_removed_without_scripts() {
    let Some(browser) = Browser::start() else { return };
    let running = Running::start();
    let page = browser.page();
    page.without_scripts();
    let more = format!("summary[aria-label='More for {}']", running.site.origin());
    sites_show(&page, &running, &more);
    page.click(&more).fill("input[name=delay]", "30").follow(|page| _ = page.press("Enter"));
    assert!(page.text("[role=status]").contains("has other limits"), "{}", page.text("main"));
    until("the delay is shown", || page.open(&running.url("/sites")).texts("td.number").contains(&"30 s".to_owned()));
    page.click(&more).click("button[value=remove]");
    assert_eq!(page.url(), running.url("/sites"), "nothing is removed unless that is confirmed");
    page.click("input[type=checkbox]").follow(|page| _ = page.click("button[value=remove]"));
    assert!(page.text("[role=status]").contains("is removed"), "{}", page.text("main"));
    sites_show(&page, &running, &format!("button[aria-label='Take up again {}']", running.site.origin()));
    is_clean(&page, &running.origin);
}

/// With a token people log in and out, and come back to where they were.
#[test]
fn people_log_in_and_out() {
    let Some(browser) = Browser::start() else { return };
    let (site, folder) = (restless_site(), Folder::new());
    let engine = Engine::start(&folder, &format!("{} --token 0123456789abcdef", site.url("/")));
    let (page, origin) = (browser.page(), format!("http://{}", engine.address));
    page.open(&format!("{origin}/sites"));
    assert_eq!((page.text("h1").as_str(), page.focus().as_str()), ("Log in", "input#token"));
    page.write("a wrong token").follow(|page| _ = page.press("Enter"));
    assert!(page.text("[role=alert]").starts_with("No: "), "{}", page.text("main"));
    page.write("0123456789abcdef").follow(|page| _ = page.press("Enter"));
    assert_eq!((page.url(), page.text("h1")), (format!("{origin}/sites"), "Sites".to_owned()));
    page.fill("#new-site", &site.url("/one")).follow(|page| _ = page.press("Enter"));
    assert!(page.text("[role=status]").contains("is taken up"), "{}", page.text("main"));
    page.follow(|page| _ = page.click(".logout button"));
    page.open(&format!("{origin}/sites"));
    assert_eq!(page.text("h1"), "Log in");
    let console = page.console();
    assert!(console.len() == 1 && console[0].contains("status of 40"), "{console:?}");
    assert_eq!(page.requests_beyond(&origin), [""; 0]);
}
