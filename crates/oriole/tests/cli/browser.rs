//! What people see, in a real browser.

mod demo;
mod driver;
mod history;
mod looks;
mod page;
mod panel;
mod search;
mod served;
mod shots;

use driver::Browser;
use page::Page;

use super::Folder;
use super::site::server::{Ask, Say, Server, answer, html, not_found};

/// Nothing went wrong, and nothing was asked of anybody else.
fn is_clean(page: &Page, origin: &str) {
    assert_eq!(page.console(), [""; 0], "at {}", page.url());
    assert_eq!(page.requests_beyond(origin), [""; 0], "at {}", page.url());
}

const FORM: &str = r#"<!doctype html><html lang=en><title>A form</title><meta name=viewport content="width=device-width"><link rel=icon href="data:,">
<style>@media (prefers-color-scheme: dark) { body { background: rgb(1, 2, 3) } }</style>
<form action="/said"><label>Name <input id=name name=name></label> <button>Say it</button></form>
<p id=script>none</p><p id=key>none</p>
<script>
document.getElementById('script').textContent = 'ran';
setTimeout(() => document.getElementById('script').textContent = 'ran twice', 50);
document.addEventListener('keydown', event => document.getElementById('key').textContent = event.key);
</script>"#;

const WRONG: &str = r#"<!doctype html><title>All wrong</title><link rel=icon href="data:,">
<script>console.error('of the page'); alert('hello'); setTimeout(() => { throw new Error('thrown') })</script>
<img src="http://elsewhere.example/picture.png"><img src="/missing.png">"#;

fn site() -> Server {
    Server::start(|ask: &Ask| -> Vec<Say> {
        match ask.path.split('?').next() {
            Some("/") => html(FORM),
            Some("/said") => {
                html(&format!("<title>Said</title><link rel=icon href='data:,'><p id=path>{}</p>", ask.path))
            }
            Some("/wrong") => html(WRONG),
            Some("/strict") => {
                answer(200, "Content-Type: text/html\nContent-Security-Policy: default-src 'none'", FORM)
            }
            _ => not_found(),
        }
    })
}

#[test]
fn a_page_is_used_with_mouse_and_keyboard() {
    let Some(browser) = Browser::start() else { return };
    let site = site();
    let page = browser.page();
    page.open(&site.url("/"));
    assert_eq!(page.title(), "A form");
    page.wait_for_text("#script", |text| text == "ran twice");
    page.fill("#name", "x").fill("#name", "ein Ei").follow(|page| _ = page.click("button"));
    assert_eq!((page.url(), page.text("#path")), (site.url("/said?name=ein+Ei"), "/said?name=ein+Ei".to_owned()));
    page.open(&site.url("/")).press("Tab").write("keys");
    assert_eq!((page.focus().as_str(), page.text("#key").as_str()), ("input#name", "Tab"));
    page.follow(|page| _ = page.press("Enter"));
    assert_eq!(page.text("#path"), "/said?name=keys");
    assert_eq!(page.console(), [""; 0]);
    assert_eq!(page.requests_beyond(&site.origin()), [""; 0]);
    assert!(page.requests().contains(&site.url("/said?name=keys")));
}

#[test]
fn what_goes_wrong_on_a_page_is_seen() {
    let Some(browser) = Browser::start() else { return };
    let site = site();
    let page = browser.page();
    page.open(&site.url("/wrong"));
    let console = page.console().join("\n");
    for trouble in ["of the page", "thrown", "hello", "missing.png", "elsewhere.example"] {
        assert!(console.contains(trouble), "{trouble} is not in {console}");
    }
    assert_eq!(page.requests_beyond(&site.origin()), ["http://elsewhere.example/picture.png"]);
    assert_eq!(page.requests_beyond("http://127.0.0.1").len(), page.requests().len());
    page.open(&site.url("/strict"));
    assert_eq!(page.text("#script"), "none");
    assert!(page.console().join("\n").contains("Content Security Policy"), "{:?}", page.console());
}

#[test]
fn pages_are_seen_as_others_see_them() {
    let Some(browser) = Browser::start() else { return };
    let (site, folder) = (site(), Folder::new());
    let plain = browser.page();
    plain.without_scripts().open(&site.url("/"));
    assert_eq!(plain.text("#script"), "none");
    plain.fill("#name", "a").follow(|page| _ = page.click("button"));
    assert_eq!(plain.text("#path"), "/said?name=a");
    let dark = browser.page();
    dark.open(&site.url("/"));
    let background = || dark.eval("getComputedStyle(document.body).backgroundColor");
    assert_eq!(background(), "rgba(0, 0, 0, 0)");
    dark.dark().phone();
    assert_eq!((background(), dark.eval("innerWidth")), ("rgb(1, 2, 3)".into(), 360.into()));
    assert!(!dark.is_too_wide());
    dark.eval("document.body.style.width = '5000px'");
    assert!(dark.is_too_wide());
    dark.screenshot(&folder.path("shot.png"));
    assert!(std::fs::read(folder.path("shot.png")).unwrap().starts_with(b"\x89PNG"));
}
