//! A real browser, told what to do by the Chrome DevTools Protocol over two pipes: no port, no driver program, no other crate.
//!
//! Messages are JSON objects, each ended by a zero byte. A browser whose pipe is closed ends, so none outlives its test.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::page::Page;

/// How long the browser may take for anything, on a machine that does other things too.
pub(in crate::browser) const PATIENCE: Duration = Duration::from_secs(60);

/// The browser reads from file 3 and writes to file 4.
const SCRIPT: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>&2"#;

/// Names other than those of this machine are not found: what leaves it is seen and goes nowhere.
const OPTIONS: [&str; 15] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--mute-audio",
    "--hide-scrollbars",
    "--lang=en",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];

/// A browser. It ends when this is dropped.
pub(crate) struct Browser {
    child: Child,
    wire: Arc<Wire>,
    _profile: TempDir,
}

impl Browser {
    /// Starts the browser that `ORIOLE_TEST_BROWSER` names; none, with a word about it, if it names none.
    pub(crate) fn start() -> Option<Self> {
        let Ok(program) = std::env::var("ORIOLE_TEST_BROWSER") else {
            println!("ORIOLE_TEST_BROWSER does not name a Chromium: nothing is tried in a browser");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, &program]).args(OPTIONS);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        let log = std::fs::File::create(profile.path().join("log")).unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let wire = Arc::new(Wire::new(child.stdin.take().unwrap()));
        let (listener, said) = (Arc::clone(&wire), child.stdout.take().unwrap());
        thread::spawn(move || listener.listen(said));
        Some(Self { child, wire, _profile: profile })
    }

    /// A new page.
    pub(crate) fn page(&self) -> Page {
        let target = self.wire.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.wire.call(None, "Target.attachToTarget", attached);
        Page::new(Arc::clone(&self.wire), session["sessionId"].as_str().unwrap().to_owned())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // If it has ended already, all is well.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// What happened on a page.
#[derive(Clone, Debug)]
pub(in crate::browser) struct Event {
    pub(in crate::browser) session: String,
    pub(in crate::browser) name: String,
    pub(in crate::browser) values: Value,
}

/// The connection.
pub(in crate::browser) struct Wire {
    pipe: Mutex<ChildStdin>,
    calls: AtomicU64,
    waiting: Mutex<HashMap<u64, Sender<Value>>>,
    events: Mutex<Vec<Event>>,
}

impl Wire {
    fn new(pipe: ChildStdin) -> Self {
        Self { pipe: Mutex::new(pipe), calls: AtomicU64::new(1), waiting: Mutex::default(), events: Mutex::default() }
    }

    /// Calls a method and waits for its result.
    pub(in crate::browser) fn call(&self, session: Option<&str>, method: &str, values: Value) -> Value {
        let (answer, answered) = channel();
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiting).insert(id, answer);
        self.send(id, session, method, values);
        let answer =
            answered.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{method} is not answered: {error}"));
        assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    fn send(&self, id: u64, session: Option<&str>, method: &str, values: Value) {
        let mut message = json!({ "id": id, "method": method, "params": values });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let bytes = [message.to_string().as_bytes(), &[0]].concat();
        let mut pipe = lock(&self.pipe);
        // A browser that has ended does not answer either.
        _ = pipe.write_all(&bytes).and_then(|()| pipe.flush());
    }

    /// Everything that happened on a page so far.
    pub(in crate::browser) fn events(&self, session: &str) -> Vec<Event> {
        lock(&self.events).iter().filter(|event| event.session == session).cloned().collect()
    }

    fn listen(&self, said: ChildStdout) {
        for message in BufReader::new(said).split(0) {
            let Ok(message) = message else { break };
            let mut message: Value = serde_json::from_slice(&message).unwrap();
            match message["id"].as_u64() {
                Some(id) => _ = lock(&self.waiting).remove(&id).map(|waiting| waiting.send(message)),
                None => self.happened(&mut message),
            }
        }
        // Nobody is answered any more.
        lock(&self.waiting).clear();
    }

    fn happened(&self, message: &mut Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (session, name) = (text(&message["sessionId"]), text(&message["method"]));
        if name == "Page.javascriptDialogOpening" {
            // A page with an open dialog does nothing else. The answer to this is not waited for.
            self.send(0, Some(&session), "Page.handleJavaScriptDialog", json!({ "accept": false }));
        }
        lock(&self.events).push(Event { session, name, values: message["params"].take() });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
