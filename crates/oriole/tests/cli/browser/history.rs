//! What is known of a page, what it said and what changed, as people see it.

use std::thread;
use std::time::Duration;

use super::served::{HERONS, Served};
use super::{Browser, Page, is_clean};

/// From a search to the page about a page, to what changed, and to the copy.
fn look_at(page: &Page, served: &Served) {
    page.open(&served.url("/?q=%22heron+number+1%22"));
    page.follow(|page| _ = page.click("ol.results a[href^='/page']"));
    assert_eq!(page.text("h1"), "Heron number 1");
    assert_eq!(page.attributes("svg.timeline", "aria-label").len(), 1);
    assert!(page.attributes("svg.timeline", "aria-label")[0].starts_with("2 visits since "));
    assert_eq!((page.count("svg.timeline circle"), page.count("ul.versions li")), (2, 2));
    assert!(page.texts("table.facts th").len() > 5, "{:?}", page.texts("table.facts th"));
    page.follow(|page| _ = page.click("ul.versions a[href^='/diff']"));
    assert_eq!(page.texts(".diff del"), ["waits for", "fish."]);
    assert_eq!(page.texts(".diff ins"), ["dreams of", "sea."]);
    page.follow(|page| _ = page.click("main p a[href^='/page']"));
    page.follow(|page| _ = page.click("ul.versions li:last-child a[href^='/cached']"));
    assert!(page.text("article.copy").contains("waits for the fish."), "{}", page.text("article.copy"));
    page.follow(|page| _ = page.click(".banner a[href^='/page']"));
    assert_eq!(page.text("h1"), "Heron number 1");
    is_clean(page, &served.origin);
}

#[test]
fn a_page_has_a_history() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    look_at(&browser.page(), &served);
    let plain = browser.page();
    plain.without_scripts();
    look_at(&plain, &served);
}

#[test]
fn changes_are_listed_newest_first() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    let page = browser.page();
    page.open(&served.origin).follow(|page| _ = page.click("nav a[href='/changes']"));
    assert_eq!(page.texts("ol.results h2")[0], "Heron number 1");
    assert_eq!(page.texts("ol.results .kind")[0], "changed");
    assert!(page.count("ol.results li") > HERONS);
    page.fill("input[name=q]", "graureiher").follow(|page| _ = page.press("Enter"));
    assert_eq!(page.texts("ol.results h2"), ["Der Graureiher"]);
    page.fill("input[name=q]", "kormoran").follow(|page| _ = page.press("Enter"));
    assert_eq!((page.count("ol.results li"), page.count("[role=status]")), (0, 1));
    for feed in ["/changes.rss", "/changes.atom", "/changes.json"] {
        assert_eq!(page.count(&format!("a[href^='{feed}']")), 1, "{feed}");
    }
    is_clean(&page, &served.origin);
}

/// Scripts, pictures, frames, forms and redirections of a page that was crawled are not in its copy.
#[test]
fn a_copy_does_nothing() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    let page = browser.page();
    page.open(&served.url("/?q=fish+comes+near")).follow(|page| _ = page.click("ol.results a[href^='/cached']"));
    let here = page.url();
    assert!(page.text("article.copy").contains("waits by the water"), "{}", page.text("article.copy"));
    // Nothing happens later either.
    thread::sleep(Duration::from_millis(500));
    assert_eq!(page.url(), here);
    for harm in
        ["script", "img", "iframe", "object", "video", "form", "input", "svg", "style", "base", "meta", "[style]"]
    {
        assert_eq!(page.count(&format!("article.copy {harm}")), 0, "{harm}");
    }
    let schemes = page.attributes("article.copy a", "href");
    assert!(schemes.iter().all(|address| address.is_empty() || address.starts_with("http")), "{schemes:?}");
    is_clean(&page, &served.origin);
    page.open(&here.replace("/cached", "/page"));
    assert!(page.text("h1").contains("<script>alert('title')</script>"), "{}", page.text("h1"));
    page.open(&served.url("/changes"));
    assert!(page.texts("h2").iter().any(|title| title.contains("<script>alert('title')</script>")));
    is_clean(&page, &served.origin);
}

#[test]
fn pages_about_pages_fit_phones() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    let page = browser.page();
    page.open(&served.url("/?q=%22heron+number+1%22")).follow(|page| _ = page.click("ol.results a[href^='/page']"));
    page.follow(|page| _ = page.click("ul.versions a[href^='/diff']"));
    page.phone();
    let url = page.url();
    for path in [url.clone(), url.replace("/diff", "/page"), url.replace("/diff", "/cached"), served.url("/changes")] {
        page.open(&path);
        assert!(!page.is_too_wide(), "{path}");
    }
    is_clean(&page, &served.origin);
}
