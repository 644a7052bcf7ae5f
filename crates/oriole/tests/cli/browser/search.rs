//! Searching, as people do it.

use super::served::{HERONS, Served};
use super::{Browser, Page, is_clean};

/// Searches from the first page, chooses what is wanted, goes from page to page.
fn search(page: &Page, served: &Served) {
    page.open(&served.origin).fill("#q", "heron").follow(|page| _ = page.click("form.search button"));
    assert_eq!(page.text("[role=status]"), format!("{} pages; 1 to 10.", HERONS + 2));
    assert_eq!((page.count("ol.results > li"), page.title().as_str()), (10, "heron · Oriole"));
    assert!(page.texts(".snippet mark").iter().all(|marked| marked.to_lowercase().starts_with("heron")));
    assert!(page.texts(".badge").iter().all(|badge| badge.starts_with("checked ")), "{:?}", page.texts(".badge"));
    page.follow(|page| _ = page.click("nav.pages a[rel=next]"));
    assert_eq!(page.text("[role=status]"), format!("{} pages; 11 to 20.", HERONS + 2));
    page.follow(|page| _ = page.click("nav.pages a[rel=next]"));
    assert_eq!((page.count("ol.results > li"), page.count("nav.pages a[rel=next]")), (HERONS + 2 - 20, 0));
    page.choose("#lang", "de").follow(|page| _ = page.click("form.search button"));
    assert_eq!(
        (page.texts("h2"), page.text("[role=status]")),
        (vec!["Der Graureiher".to_owned()], "One page.".to_owned())
    );
    page.choose("#lang", "").follow(|page| _ = page.click("form.search button"));
    page.choose("#site", served.first.origin().strip_prefix("http://").unwrap());
    page.follow(|page| _ = page.click("form.search button"));
    assert_eq!(page.text("[role=status]"), format!("{} pages; 1 to 10.", HERONS + 1));
    page.choose("#when", "year").follow(|page| _ = page.click("form.search button"));
    assert_eq!(page.attributes("#when option[selected]", "value"), ["year"]);
    is_clean(page, &served.origin);
}

#[test]
fn people_search_with_and_without_scripts() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    search(&browser.page(), &served);
    let plain = browser.page();
    plain.without_scripts();
    search(&plain, &served);
    let page = browser.page();
    page.open(&served.url("/?q=hreon"));
    assert_eq!(page.text("[role=status]"), "Nothing found.");
    page.follow(|page| _ = page.click("section p a"));
    assert!(page.text("[role=status]").contains("1 to 10"));
    is_clean(&page, &served.origin);
}

#[test]
fn the_keyboard_is_enough() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    let page = browser.page();
    page.open(&served.origin);
    assert_eq!(page.focus(), "input#q");
    page.write("graureiher").follow(|page| _ = page.press("Enter"));
    assert_eq!(page.text("[role=status]"), "One page.");
    page.press("Tab");
    assert_eq!(page.eval("document.activeElement.innerText"), "Skip to the contents");
    assert!(page.eval("document.activeElement.getBoundingClientRect().top >= 0").as_bool().unwrap(), "it is not seen");
    page.press("Enter").press("Tab");
    assert_eq!(page.focus(), "input#q", "the contents begin with the search");
    for wanted in ["button", "select#site", "select#lang", "select#when", "a"] {
        assert_eq!(page.press("Tab").focus(), wanted);
        assert_ne!(
            page.eval("getComputedStyle(document.activeElement).outlineStyle"),
            "none",
            "{wanted} has no outline"
        );
    }
    is_clean(&page, &served.origin);
    page.follow(|page| _ = page.press("Enter"));
    assert_eq!(page.url(), served.second.url("/reiher"));
}

#[test]
fn what_is_being_typed_is_completed() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    let page = browser.page();
    page.open(&served.origin).fill("#q", "graur").wait_for("#suggestions option");
    assert!(page.attributes("#suggestions option", "value").contains(&"graureiher".to_owned()));
    is_clean(&page, &served.origin);
}

#[test]
fn what_was_crawled_does_nothing() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    let page = browser.page();
    page.open(&served.url("/?q=alert+snippet"));
    assert!(page.text("h2").contains("<script>alert('title')</script>"), "{}", page.text("h2"));
    assert!(page.text(".address").contains("script"), "{}", page.text(".address"));
    assert!(page.text(".snippet").contains("onerror=alert('snippet')>"), "{}", page.text(".snippet"));
    let typed =
        "/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&site=%22%3E%3Cscript%3Ealert(2)%3C/script%3E&lang=%3Cscript%3E";
    page.open(&served.url(typed)).open(&served.url("/%3Cscript%3Ealert(3)%3C/script%3E"));
    assert!(page.eval("document.querySelectorAll('script:not([src])').length") == 0);
    let console = page.console();
    // A site of this name cannot be, and the last page is not there: the browser says so, and nothing else.
    assert!(console.iter().all(|trouble| trouble.contains("status of 40")), "{console:?}");
    assert_eq!(console.len(), 2, "{console:?}");
    assert_eq!(page.requests_beyond(&served.origin), [""; 0]);
}

#[test]
fn pages_fit_phones_and_the_dark() {
    let Some(browser) = Browser::start() else { return };
    let served = Served::start();
    let page = browser.page();
    let brightness = || page.eval("getComputedStyle(document.body).backgroundColor").as_str().unwrap().to_owned();
    page.open(&served.url("/?q=heron"));
    let light = brightness();
    page.dark();
    assert_ne!(brightness(), light);
    page.phone();
    for path in ["/", "/?q=heron", "/?q=fish+comes+near"] {
        page.open(&served.url(path));
        assert!(!page.is_too_wide(), "{path}");
    }
    is_clean(&page, &served.origin);
}
