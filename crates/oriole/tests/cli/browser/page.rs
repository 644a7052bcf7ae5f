//! What a person can do with a page, and what can be seen of it.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

use super::driver::{PATIENCE, Wire};

/// Time between two looks at a page for something that is to appear.
const PAUSE: Duration = Duration::from_millis(25);

/// A page in a browser. Elements are named by CSS selectors.
pub(crate) struct Page {
    wire: Arc<Wire>,
    session: String,
}

impl Page {
    pub(super) fn new(wire: Arc<Wire>, session: String) -> Self {
        let page = Self { wire, session };
        for domain in ["Page", "Runtime", "Network", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.window(1280, 900);
        page
    }

    fn call(&self, method: &str, values: Value) -> Value {
        self.wire.call(Some(&self.session), method, values)
    }

    fn events(&self, name: &str) -> Vec<Value> {
        let events = self.wire.events(&self.session).into_iter();
        events.filter(|event| event.name == name).map(|event| event.values).collect()
    }

    fn resize(&self, width: u32, height: u32, mobile: bool) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// In a window of this size, from now on.
    pub(crate) fn window(&self, width: u32, height: u32) -> &Self {
        self.resize(width, height, false);
        self
    }

    /// As wide as a phone, from now on.
    pub(crate) fn phone(&self) -> &Self {
        self.resize(360, 740, true);
        self
    }

    /// For people who like it dark, from now on.
    pub(crate) fn dark(&self) -> &Self {
        let features = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
        self
    }

    /// Without JavaScript, from now on.
    pub(crate) fn without_scripts(&self) -> &Self {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
        self
    }

    /// Goes to an address and waits until everything is there.
    pub(crate) fn open(&self, url: &str) -> &Self {
        let loaded = self.loads();
        let gone = self.call("Page.navigate", json!({ "url": url }));
        assert!(gone.get("errorText").is_none(), "{url}: {}", gone["errorText"]);
        self.until(&format!("{url} is loaded"), || self.loads() > loaded);
        self
    }

    /// Does something that leads to another page, and waits until that is there.
    pub(crate) fn follow(&self, act: impl FnOnce(&Self)) -> &Self {
        let loaded = self.loads();
        act(self);
        self.until("another page is loaded", || self.loads() > loaded);
        self
    }

    fn loads(&self) -> usize {
        self.events("Page.loadEventFired").len()
    }

    fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let began = Instant::now();
        while !holds() {
            assert!(began.elapsed() < PATIENCE, "in vain: {what}; at {}, console {:?}", self.url(), self.console());
            thread::sleep(PAUSE);
        }
    }

    /// The value of an expression, computed by the browser whether or not the page may run scripts.
    pub(crate) fn eval(&self, expression: &str) -> Value {
        let values = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", values);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// The same of all elements of a selector, each called `e`.
    fn of_all(&self, selector: &str, expression: &str) -> Vec<Value> {
        let found = format!("Array.from(document.querySelectorAll({})).map(e => {expression})", json!(selector));
        self.eval(&found).as_array().cloned().unwrap_or_default()
    }

    pub(crate) fn url(&self) -> String {
        self.eval("location.href").as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn title(&self) -> String {
        self.eval("document.title").as_str().unwrap_or_default().to_owned()
    }

    /// What a person reads in all elements of a selector.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        let texts = self.of_all(selector, "e.innerText.trim()").into_iter();
        texts.map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// What a person reads in the only element of a selector.
    pub(crate) fn text(&self, selector: &str) -> String {
        let mut texts = self.texts(selector);
        assert_eq!(texts.len(), 1, "{selector} at {}: {texts:?}", self.url());
        texts.remove(0)
    }

    pub(crate) fn count(&self, selector: &str) -> usize {
        self.of_all(selector, "1").len()
    }

    /// An attribute of all elements of a selector; empty where there is none.
    pub(crate) fn attributes(&self, selector: &str, name: &str) -> Vec<String> {
        let values = self.of_all(selector, &format!("e.getAttribute({}) || ''", json!(name))).into_iter();
        values.map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits for an element.
    pub(crate) fn wait_for(&self, selector: &str) -> &Self {
        self.until(selector, || self.count(selector) > 0);
        self
    }

    /// Waits until the only element of a selector says something that fits.
    pub(crate) fn wait_for_text(&self, selector: &str, fits: impl Fn(&str) -> bool) -> String {
        self.until(selector, || matches!(self.texts(selector).as_slice(), [text] if fits(text)));
        self.text(selector)
    }

    /// Clicks with the mouse into the middle of the first element of a selector.
    pub(crate) fn click(&self, selector: &str) -> &Self {
        self.wait_for(selector);
        let middle = format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const r = e.getClientRects()[0]; return r ? [r.x + r.width / 2, r.y + r.height / 2] : null; }})()",
            json!(selector)
        );
        let middle = self.eval(&middle);
        assert!(middle.is_array(), "{selector} cannot be seen");
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
        self
    }

    /// Types a text where the focus is.
    pub(crate) fn write(&self, text: &str) -> &Self {
        self.call("Input.insertText", json!({ "text": text }));
        self
    }

    /// Clicks into a field and types a text in the place of what is there.
    pub(crate) fn fill(&self, selector: &str, text: &str) -> &Self {
        self.click(selector);
        self.eval(&format!("document.querySelector({}).select()", json!(selector)));
        self.write(text)
    }

    /// Chooses an option of a list by its value.
    pub(crate) fn choose(&self, selector: &str, value: &str) -> &Self {
        let (name, wanted) = (json!(selector), json!(value));
        let chosen = format!(
            "(() => {{ const e = document.querySelector({name}); e.value = {wanted}; \
             e.dispatchEvent(new Event('change', {{ bubbles: true }})); return e.value === {wanted}; }})()"
        );
        assert_eq!(self.eval(&chosen), true, "{selector} has no {value}");
        self
    }

    /// Presses and releases a key: `Tab`, `Enter`, `ArrowDown` or `Escape`.
    pub(crate) fn press(&self, key: &str) -> &Self {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "ArrowDown" => (40, ""),
            "ArrowUp" => (38, ""),
            " " => (32, " "),
            other => panic!("{other} is no key that is known here"),
        };
        let event = |kind: &str| json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
        let mut down = event(if text.is_empty() { "rawKeyDown" } else { "keyDown" });
        if !text.is_empty() {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", event("keyUp"));
        self
    }

    /// What the element with the focus is, as in `input#q`.
    pub(crate) fn focus(&self) -> String {
        let name = "(e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : ''))(document.activeElement)";
        self.eval(name).as_str().unwrap_or_default().to_owned()
    }

    /// Everything that went wrong so far: errors on the console, exceptions, what the browser refused to do, dialogs.
    pub(crate) fn console(&self) -> Vec<String> {
        let of = |name: &'static str| self.events(name).into_iter();
        let is_trouble = |kind: &Value| matches!(kind.as_str(), Some("error" | "warning" | "assert"));
        let said = of("Runtime.consoleAPICalled").filter(|said| is_trouble(&said["type"]));
        let logged = of("Log.entryAdded").map(|logged| logged["entry"].clone());
        let logged = logged.filter(|entry| is_trouble(&entry["level"]));
        let dialogs = of("Page.javascriptDialogOpening").map(|dialog| format!("dialog: {}", dialog["message"]));
        let all = said.map(|said| said["args"].to_string());
        let all = all.chain(of("Runtime.exceptionThrown").map(|thrown| thrown["exceptionDetails"].to_string()));
        all.chain(logged.map(|entry| format!("{}: {}", entry["text"], entry["url"]))).chain(dialogs).collect()
    }

    /// The addresses of all requests so far, also of those that the browser refused to make.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.events("Network.requestWillBeSent").into_iter();
        requests.map(|request| request["request"]["url"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Of these, those that go elsewhere.
    pub(crate) fn requests_beyond(&self, origin: &str) -> Vec<String> {
        let within = |url: &String| {
            let after = url.strip_prefix(origin);
            after.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#'])) || url.starts_with("data:")
        };
        self.requests().into_iter().filter(|url| !within(url)).collect()
    }

    /// Whether something must be scrolled sideways to be seen.
    pub(crate) fn is_too_wide(&self) -> bool {
        self.eval("document.documentElement.scrollWidth > document.documentElement.clientWidth").as_bool().unwrap()
    }

    /// What is seen, as a PNG file.
    pub(crate) fn screenshot(&self, path: &Path) -> &Self {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }
}
