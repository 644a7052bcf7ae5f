//! Every page for everybody: read aloud, by keyboard, in the dark, on a phone, without scripts; and what strangers write does nothing.

use super::served::{HERONS, first};
use super::{Browser, Page, is_clean};
use crate::Folder;
use crate::panel::{Engine, until};
use crate::site::server::Server;

/// An engine that has crawled a site with a hostile page, is told of a second one that does not answer, and has nobody to tell.
struct Everything {
    origin: String,
    /// All pages, by path.
    paths: Vec<String>,
    _site: Server,
    _engine: Engine,
    _folder: Folder,
}

impl Everything {
    fn start(page: &Page) -> Self {
        let site = Server::start(first);
        let config = format!(
            "seeds = [\"{}\", \"http://127.0.0.1:9/\"]\nbudget = \"200/s\"\n[revisit]\nleast = \"0\"\n[[webhooks]]\n\
             url = \"http://127.0.0.1:9/hook\"\nsecret = \"0123456789abcdef\"\nallow_private = true\n",
            site.url("/")
        );
        let folder = Folder::with("oriole.toml", config);
        let engine = Engine::start(&folder, "");
        let origin = format!("http://{}", engine.address);
        let found = format!("{} pages", HERONS + 1);
        until("all pages are found, and one has changed", || {
            page.open(&format!("{origin}/?q=heron")).text("[role=status]").starts_with(&found)
                && site.log().count("/heron/1") > 1
        });
        let paths = paths(page, &origin);
        Self { origin, paths, _site: site, _engine: engine, _folder: folder }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// Does something with every page.
    fn each(&self, page: &Page, look: impl Fn(&Page, &str)) {
        for path in &self.paths {
            look(page.open(&self.url(path)), path);
        }
    }
}

/// Addresses of all kinds of pages.
fn paths(page: &Page, origin: &str) -> Vec<String> {
    let link = |selector: &str| page.attributes(selector, "href").into_iter().next();
    let mut diff = None;
    until("there are two versions", || {
        page.open(&format!("{origin}/?q=%22heron+number+1%22"));
        page.follow(|page| _ = page.click("ol.results a[href^='/page']"));
        diff = link("ul.versions a[href^='/diff']");
        diff.is_some()
    });
    let (history, copy) = (page.url().replacen(origin, "", 1), link("ul.versions a[href^='/cached']").unwrap());
    page.open(&format!("{origin}/?q=fish+comes+near"));
    let hostile = link("ol.results a[href^='/cached']").unwrap();
    let fixed = [
        "/",
        "/?q=heron",
        "/?q=hreon",
        "/?q=fish+comes+near",
        "/changes",
        "/dashboard",
        "/what-if",
        "/sites",
        "/webhooks",
    ];
    let found = [history, copy, diff.unwrap(), hostile.replace("/cached", "/page"), hostile];
    fixed.map(str::to_owned).into_iter().chain(found).collect()
}

/// What is missing for people who hear a page or use it without a mouse.
const UNSOUND: &str = r"(() => {
    const wrong = [], all = (selector) => [...document.querySelectorAll(selector)];
    const say = (what, e) => wrong.push(what + ': ' + e.outerHTML.slice(0, 120));
    if (!document.documentElement.lang) wrong.push('no language');
    if (!document.title.trim()) wrong.push('no title');
    for (const name of ['h1', 'main', 'nav[aria-label=Main]']) {
        // Copies have the headings that they have.
        const count = all(name).filter(e => !e.closest('.copy')).length;
        if (count !== 1) wrong.push(count + ' times ' + name);
    }
    const first = document.querySelector('a, button, input, select, textarea, summary, [tabindex]');
    if (!first || !first.matches('a.skip') || !document.querySelector(first.getAttribute('href'))) wrong.push('no way to skip the links');
    let last = 0;
    for (const e of all('h1, h2, h3, h4').filter(e => !e.closest('.copy'))) {
        const level = Number(e.tagName[1]);
        if (level > last + 1) say('a level is left out', e);
        last = level;
    }
    for (const e of all('input:not([type=hidden]), select, textarea')) {
        const words = [...e.labels].map(label => label.textContent).join('') + (e.getAttribute('aria-label') || '');
        if (!words.trim()) say('no label', e);
    }
    for (const e of all('a[href], button, summary')) if (!(e.textContent.trim() || e.getAttribute('aria-label'))) say('no words', e);
    for (const e of all('img')) if (!e.hasAttribute('alt')) say('no alt', e);
    for (const e of all('svg')) {
        const name = e.getAttribute('aria-label') || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent;
        if (e.getAttribute('aria-hidden') !== 'true' && !name) say('no name', e);
    }
    for (const e of all('thead th')) if (!e.scope || !e.textContent.trim()) say('no heading', e);
    for (const e of all('[tabindex]')) if (Number(e.getAttribute('tabindex')) > 0) say('another order', e);
    const ids = all('[id]').map(e => e.id);
    for (const id of ids.filter((id, place) => ids.indexOf(id) !== place)) wrong.push('two of ' + id);
    return wrong;
})()";

/// What cannot be read well: WCAG 2 asks for a contrast of 4.5 of text, of 3 if it is large, and of 3 of what is drawn.
const PALE: &str = r"(() => {
    const parse = (text) => { const n = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number); return n.length < 4 ? [...n, 1] : n; };
    const part = (c) => (c /= 255, c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
    const ground = (e) => {
        for (; e; e = e.parentElement) {
            const color = parse(getComputedStyle(e).backgroundColor);
            if (color[3] === 1) return color;
            if (color[3] > 0) return [NaN, NaN, NaN];
        }
        return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
    };
    const pale = new Set();
    let seen = 0;
    const check = (e, color, least, what) => {
        const found = contrast(parse(color), ground(e));
        seen += 1;
        if (!(found >= least)) pale.add(what + ' ' + found.toFixed(2) + ' of ' + least);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const e = node.parentElement, style = getComputedStyle(e), name = e.tagName + '.' + (e.className.baseVal ?? e.className);
        if (!node.data.trim() || !e.getClientRects().length || e.closest('.hidden, option')) continue;
        const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        check(e, e.closest('svg') ? style.fill : style.color, large ? 3 : 4.5, name + ' ' + node.data.trim().slice(0, 30));
    }
    for (const e of document.querySelectorAll('input, select')) if (e.type !== 'hidden') {
        check(e, getComputedStyle(e).color, 4.5, 'input ' + e.name);
        check(e.parentElement, getComputedStyle(e).borderTopColor, 3, 'border of ' + e.name);
        if (e.placeholder) check(e, getComputedStyle(e, '::placeholder').color, 4.5, 'placeholder ' + e.name);
    }
    for (const e of document.querySelectorAll('.chart path, .legend line, .timeline circle')) {
        const style = getComputedStyle(e);
        check(e, style.stroke === 'none' ? style.fill : style.stroke, 3, 'curve ' + e.getAttribute('class'));
    }
    return [seen, [...pale]];
})()";

/// Words of pictures that are too small, or over one another.
const CRAMPED: &str = r"(() => {
    const wrong = [];
    for (const svg of document.querySelectorAll('svg[role=img]')) {
        const around = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll('text')].map(e => [e.textContent, e.getBoundingClientRect(), parseFloat(getComputedStyle(e).fontSize) * svg.getScreenCTM().a]);
        if (!texts.length || !svg.querySelector('path, line, circle')) wrong.push('an empty picture');
        texts.forEach(([words, box, size], place) => {
            if (size < 9) wrong.push(words + ' is only ' + size.toFixed(1) + ' high');
            if (box.left < around.left - 1 || box.right > around.right + 1 || box.bottom > around.bottom + 1) wrong.push(words + ' is cut off');
            for (const [other, two] of texts.slice(place + 1)) {
                const over = Math.min(box.right, two.right) - Math.max(box.left, two.left), below = Math.min(box.bottom, two.bottom) - Math.max(box.top, two.top);
                if (over > 1 && below > 4) wrong.push(words + ' is over ' + other);
            }
        });
    }
    return wrong;
})()";

/// Words and numbers of tables, addresses apart, that are torn apart where everything is shown.
const TORN: &str = r"(() => {
    const torn = [];
    document.querySelectorAll('details').forEach(e => e.open = true);
    for (const table of document.querySelectorAll('table')) {
        const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
            if (node.parentElement.closest('tbody th, .facts td, .hidden, option')) continue;
            for (const word of node.data.matchAll(/[^\s\/-]+/g)) {
                const range = document.createRange();
                range.setStart(node, word.index);
                range.setEnd(node, word.index + word[0].length);
                const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
                if (lines.size > 1 && word[0].length < 30) torn.push(word[0]);
            }
        }
    }
    return torn;
})()";

fn nothing(page: &Page, script: &str, path: &str) {
    assert_eq!(page.eval(script), serde_json::json!([]), "{path}");
}

fn is_readable(page: &Page, path: &str) {
    let found = page.eval(PALE);
    assert!(found[0].as_u64().unwrap() > 5, "{path}: {found}");
    assert_eq!(found[1], serde_json::json!([]), "{path}");
}

#[test]
fn every_page_is_for_everybody() {
    let Some(browser) = Browser::start() else { return };
    let page = browser.page();
    let everything = Everything::start(&page);
    everything.each(&page, |page, path| {
        nothing(page, UNSOUND, path);
        nothing(page, CRAMPED, path);
        nothing(page, TORN, path);
        is_readable(page, path);
        assert!(!page.is_too_wide(), "{path}");
    });
    page.dark();
    everything.each(&page, is_readable);
    page.phone();
    everything.each(&page, |page, path| {
        assert!(!page.is_too_wide(), "{path} is too wide for a phone");
        nothing(page, CRAMPED, path);
        nothing(page, TORN, path);
        assert!(!page.is_too_wide(), "{path} is too wide for a phone with everything open");
    });
    is_clean(&page, &everything.origin);
    // A check that cannot fail is none.
    page.eval("document.body.insertAdjacentHTML('beforeend', '<p id=contents><input><svg role=img></svg><h1></h1>')");
    assert!(page.eval(UNSOUND).as_array().unwrap().len() >= 4, "{}", page.eval(UNSOUND));
    assert_eq!(page.eval(CRAMPED)[0], "an empty picture");
    page.eval("document.querySelector('main p').style.color = '#777'");
    assert_ne!(page.eval(PALE)[1], serde_json::json!([]));
    page.eval("document.querySelector('main').innerHTML = '<table><td>unknown</table>'");
    page.eval("document.querySelector('table').style.cssText = 'width: 1em; word-break: break-all'");
    assert_eq!(page.eval(TORN), serde_json::json!(["unknown"]));
}

#[test]
fn every_page_says_the_same_without_scripts() {
    let Some(browser) = Browser::start() else { return };
    let (page, plain) = (browser.page(), browser.page());
    plain.without_scripts();
    let everything = Everything::start(&page);
    everything.each(&page, |page, path| {
        plain.open(&everything.url(path));
        assert_eq!((plain.texts("h1"), plain.texts("h2").len()), (page.texts("h1"), page.texts("h2").len()), "{path}");
        assert_eq!(plain.count("main form"), page.count("main form"), "{path}");
    });
    is_clean(&plain, &everything.origin);
}

/// Everything that can be used is reached with Tab, in the order in which it stands, and the focus is seen.
#[test]
fn every_page_is_used_by_keyboard() {
    let Some(browser) = Browser::start() else { return };
    let page = browser.page();
    let everything = Everything::start(&page);
    let usable = "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')].filter(e => e.checkVisibility())";
    for path in ["/dashboard", "/what-if", "/sites", "/webhooks", "/changes"] {
        // From the top, without scripts that put other things in the place of those that were there.
        page.without_scripts().open(&everything.url(path));
        let count = page.eval(&format!("{usable}.length")).as_u64().unwrap().min(30);
        assert!(count > 5, "{path}");
        for place in 0..count {
            page.press("Tab");
            let is_next = page.eval(&format!("{usable}[{place}] === document.activeElement"));
            assert_eq!(is_next, true, "{path}: {place} is {}", page.eval("document.activeElement.outerHTML"));
            assert_ne!(page.eval("getComputedStyle(document.activeElement).outlineStyle"), "none", "{path}: {place}");
        }
    }
}

#[test]
fn what_strangers_write_does_nothing_on_the_pages_of_the_engine() {
    let Some(browser) = Browser::start() else { return };
    let page = browser.page();
    let everything = Everything::start(&page);
    everything.each(&page, |page, path| {
        assert_eq!(
            page.eval("document.querySelectorAll('script:not([src]), [onload], [onerror], [style]').length"),
            0,
            "{path}"
        );
    });
    is_clean(&page, &everything.origin);
    let script = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E%3Cimg%20src=x%20onerror=alert(2)%3E";
    for target in [
        format!("/sites?did=add&site={script}"),
        format!("/sites?q={script}"),
        format!("/what-if?budget={script}"),
        format!("/what-if?did={script}"),
        format!("/dashboard?range={script}"),
        format!("/changes?q={script}&site={script}"),
    ] {
        page.open(&everything.url(&target));
        assert_eq!(page.count("img[src=x]") + page.count("script:not([src])"), 0, "{target}");
    }
    // A pattern that is kept and shown again.
    page.open(&everything.url("/sites")).fill("#pattern", "/\"><script>alert(3)</script>").fill("#weight", "2");
    page.follow(|page| _ = page.press("Enter"));
    until("it is shown", || page.open(&everything.url("/sites")).text("main").contains("<script>alert(3)</script>"));
    let console = page.console();
    // What cannot be asked for is refused: the browser says so, and nothing else.
    assert!(console.iter().all(|trouble| trouble.contains("status of 400")), "{console:?}");
    assert_eq!(page.requests_beyond(&everything.origin), [""; 0]);
}
