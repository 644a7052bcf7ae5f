//! Webhooks: signed, tried again, and nothing lost by a sudden end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::{Engine, Folder, restless_site, until};

const SECRET: &str = "0123456789abcdef";

/// What was sent: delivery, signature and body.
type Sent = (String, String, String);

/// Someone who listens, and does not take the first deliveries.
struct Receiver {
    port: u16,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Receiver {
    fn start(refused: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let sent: Arc<Mutex<Vec<Sent>>> = Arc::default();
        let kept = Arc::clone(&sent);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(&stream);
                let (mut delivery, mut signature, mut length) = (String::new(), String::new(), 0);
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                        break;
                    }
                    let (name, value) = line.trim().split_once(": ").unwrap_or_default();
                    match name.to_ascii_lowercase().as_str() {
                        "x-oriole-delivery" => delivery = value.to_owned(),
                        "x-oriole-signature" => signature = value.to_owned(),
                        "content-length" => length = value.parse().unwrap_or(0),
                        _ => {}
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let mut kept = kept.lock().unwrap();
                kept.push((delivery, signature, String::from_utf8(body).unwrap()));
                let status = if kept.len() <= refused { "503 Busy" } else { "204 Taken" };
                _ = write!(&stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            }
        });
        Self { port, sent }
    }

    fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// Numbers of the events that were sent, in the order in which they came.
    fn numbers(&self) -> Vec<u64> {
        let events =
            |sent: &Sent| serde_json::from_str::<Value>(&sent.2).unwrap()["events"].as_array().unwrap().clone();
        self.sent().iter().flat_map(events).map(|event| event["id"].as_u64().unwrap()).collect()
    }
}

fn signature(body: &str) -> String {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let digits: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

fn configuration(seed: &str, port: u16, allow_private: bool) -> String {
    format!(
        "seeds = [\"{seed}\"]\nbudget = \"20/s\"\n[revisit]\nleast = \"0\"\n[[webhooks]]\n\
         url = \"http://127.0.0.1:{port}/hook?key=hidden\"\nsecret = \"{SECRET}\"\nallow_private = {allow_private}\n"
    )
}

#[test]
fn everyone_is_told_of_every_change() {
    let (site, receiver) = (restless_site(), Receiver::start(1));
    let folder = Folder::with("oriole.toml", configuration(&site.url("/"), receiver.port, true));
    let mut engine = Engine::start(&folder, "");
    until("it is told again what it did not take", || receiver.sent().len() > 3);
    let sent = receiver.sent();
    assert_eq!(sent[0], sent[1], "the same delivery with the same number");
    assert!(sent.iter().all(|(_, told, body)| *told == signature(body)), "all is signed");
    let first: Value = serde_json::from_str(&sent[0].2).unwrap();
    assert_eq!((&first["delivery"], &first["events"][0]["kind"]), (&sent[0].0.as_str().into(), &"new".into()));
    assert!(first["events"][0]["url"].as_str().unwrap().starts_with(&site.url("/")), "{first}");
    let (_, page) = engine.ask("GET", "/webhooks", None);
    assert!(page.contains("takes what it is told") && !page.contains("hidden"), "{page}");
    // Killed in the middle of it.
    engine.child.kill().unwrap();
    engine.child.wait().unwrap();
    let before = receiver.sent().len();
    let engine = Engine::start(&folder, "");
    until("it goes on", || receiver.sent().len() > before + 2);
    engine.end();
    let mut numbers = receiver.numbers();
    numbers.sort_unstable();
    numbers.dedup();
    let all: Vec<u64> = (numbers[0]..=numbers[numbers.len() - 1]).collect();
    assert_eq!(numbers, all, "nothing is left out");
}

#[test]
fn private_networks_are_not_told_unless_that_is_allowed() {
    let (site, receiver) = (restless_site(), Receiver::start(0));
    let folder = Folder::with("oriole.toml", configuration(&site.url("/"), receiver.port, false));
    let engine = Engine::start(&folder, "");
    until("the reason is told", || {
        engine.ask("GET", "/webhooks", None).1.contains("allow_private in its [[webhooks]]")
    });
    assert!(receiver.sent().is_empty());
    engine.end();
}
