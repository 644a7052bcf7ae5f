//! WebSub: hubs of feeds tell that there is something new (<https://www.w3.org/TR/websub/>).
//!
//! The engine finds hubs in feeds. Each is asked once in a while to tell us; it asks back whether that was us, and then sends what
//! is new, signed with a secret that only it and we know. The pages named in it count as told of.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use crawl::feed;
use crawl::fetch::Fetcher;
use crawl::fleet::{Hub, Message};
use hmac::{EagerHash, Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use tokio::sync::mpsc::UnboundedReceiver;
use url::Url;

use super::access::{hex, random};
use super::params::whole;
use super::{Asked, Desk, Problem};

/// Feeds of which we want to be told.
const MOST: usize = 10_000;

/// For how long hubs are asked to tell us, and when they are asked again.
const LEASE: Duration = Duration::from_secs(10 * 86_400);
const AGAIN: Duration = Duration::from_secs(5 * 86_400);

/// Bytes of what a hub sends.
const MOST_BYTES: usize = 4 << 20;

/// What hubs have been asked, by the last part of the address at which they tell us.
#[derive(Default)]
pub(super) struct Subscriptions(Mutex<HashMap<String, Subscription>>);

#[derive(Clone)]
struct Subscription {
    topic: String,
    secret: String,
    asked_at: Instant,
}

impl Subscriptions {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Subscription>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: &str) -> Option<Subscription> {
        self.all().get(id).cloned()
    }

    /// A new one, unless there is one that is not too old or there are too many.
    fn begin(&self, topic: &str) -> Option<(String, Subscription)> {
        let mut all = self.all();
        all.retain(|_, known| known.asked_at.elapsed() < LEASE);
        let is_known = all.values().any(|known| known.topic == topic && known.asked_at.elapsed() < AGAIN);
        if is_known || all.len() >= MOST {
            return None;
        }
        let [id, secret] = [random().ok()?, random().ok()?].map(|bytes| hex(&bytes));
        let subscription = Subscription { topic: topic.to_owned(), secret, asked_at: Instant::now() };
        all.insert(id.clone(), subscription.clone());
        Some((id, subscription))
    }

    fn end(&self, id: &str) {
        self.all().remove(id);
    }
}

/// Asks hubs to tell us, as they are found.
pub async fn subscribe(desk: Desk, fetcher: Fetcher, mut found: UnboundedReceiver<Hub>) {
    while let Some(Hub { hub, topic }) = found.recv().await {
        let Some(callback) = desk.config().signals.websub_callback.clone() else { return };
        let Ok(address) = Url::parse(&hub) else { continue };
        let Some((id, subscription)) = desk.subscriptions().begin(&topic) else { continue };
        let form = request(&callback, &id, &subscription);
        let sent = fetcher.post_form(&address, form).await;
        match sent {
            Ok(answer) if (200..300).contains(&answer.status) => {
                tracing::info!(hub, topic, "a hub was asked to tell of changes")
            }
            other => {
                let reason = other.map_or_else(|error| error.to_string(), |answer| format!("status {}", answer.status));
                tracing::info!(hub, topic, reason, "a hub does not tell of changes");
                desk.subscriptions().end(&id);
            }
        }
    }
}

fn request(callback: &str, id: &str, subscription: &Subscription) -> String {
    let (callback, lease) = (format!("{callback}/websub/{id}"), LEASE.as_secs().to_string());
    let fields = [
        ("hub.mode", "subscribe"),
        ("hub.topic", &subscription.topic),
        ("hub.callback", &callback),
        ("hub.secret", &subscription.secret),
        ("hub.lease_seconds", &lease),
    ];
    serde_urlencoded::to_string(fields).unwrap_or_default()
}

/// What a hub asks back.
#[derive(Deserialize)]
pub(super) struct Intent {
    #[serde(rename = "hub.mode")]
    mode: String,
    #[serde(rename = "hub.topic", default)]
    topic: String,
    #[serde(rename = "hub.challenge", default)]
    challenge: String,
}

/// Whether we wanted to be told.
pub(super) async fn verify(
    State(desk): State<Desk>,
    Path(id): Path<String>,
    Asked(intent): Asked<Intent>,
) -> Result<String, Problem> {
    let known = desk.subscriptions().get(&id).filter(|known| known.topic == intent.topic);
    let Some(known) = known else { return Err(Problem::unknown("that was not asked for")) };
    match intent.mode.as_str() {
        "subscribe" => Ok(intent.challenge),
        "denied" => {
            tracing::info!(topic = known.topic, "a hub refuses to tell of changes");
            desk.subscriptions().end(&id);
            Ok(String::new())
        }
        _ => Err(Problem::unknown("that was not asked for")),
    }
}

/// What is new. Without the right signature it is not heard.
pub(super) async fn deliver(
    State(desk): State<Desk>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    let known = desk.subscriptions().get(&id).ok_or_else(|| Problem::unknown("that was not asked for"))?;
    let body = whole(body, MOST_BYTES).await?;
    let signature = headers.get("x-hub-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !is_signed(known.secret.as_bytes(), &body, signature) {
        return Err(Problem::forbidden("the signature is missing or wrong"));
    }
    let entries = feed::read(&body, &feed::Limits::default()).map(|feed| feed.entries).unwrap_or_default();
    let urls: Vec<String> = entries.into_iter().map(|entry| entry.link).collect();
    let engine = desk.engine().ok_or_else(|| Problem::conflict("the engine does not run here"))?;
    engine.fleet.send(Message::Pinged(urls)).map_err(|_| Problem::conflict("the engine is ending"))?;
    Ok(StatusCode::ACCEPTED)
}

/// Whether `method=hex` is the signature of the body.
fn is_signed(secret: &[u8], body: &[u8], signature: &str) -> bool {
    let Some((method, digits)) = signature.split_once('=') else { return false };
    let Some(given) = unhex(digits) else { return false };
    match method {
        "sha1" => is_mac::<Sha1>(secret, body, &given),
        "sha256" => is_mac::<Sha256>(secret, body, &given),
        "sha384" => is_mac::<Sha384>(secret, body, &given),
        "sha512" => is_mac::<Sha512>(secret, body, &given),
        _ => false,
    }
}

/// In a time that does not depend on how much of it is right.
fn is_mac<D: EagerHash>(secret: &[u8], body: &[u8], given: &[u8]) -> bool {
    let Ok(mut mac) = <Hmac<D> as KeyInit>::new_from_slice(secret) else { return false };
    mac.update(body);
    mac.verify_slice(given).is_ok()
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bytes = is_hex.then(|| digits.as_bytes().chunks(2))?;
    bytes.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::router;
    use crate::server::testing::{Site, get, send};

    /// RFC 4231, test case 2, and RFC 2202, test case 2.
    #[test]
    fn signatures_of_the_standards() {
        let (secret, body) = (b"Jefe".as_slice(), b"what do ya want for nothing?".as_slice());
        let signatures = [
            "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "sha512=164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ];
        for signature in signatures {
            assert!(is_signed(secret, body, signature), "{signature}");
            assert!(!is_signed(b"other", body, signature) && !is_signed(secret, b"other", signature));
        }
        for wrong in [
            "",
            "sha256",
            "sha256=",
            "sha256=zz",
            "md5=00",
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec38",
        ] {
            assert!(!is_signed(secret, body, wrong), "{wrong}");
        }
    }

    #[tokio::test]
    async fn only_what_was_asked_for_is_confirmed_and_heard() {
        let site = Site::new(&[]);
        let desk = site.desk("");
        let (id, subscription) = desk.subscriptions().begin("https://a.org/feed").unwrap();
        assert!(desk.subscriptions().begin("https://a.org/feed").is_none(), "it was asked just now");
        let router = router(desk.clone());
        let ask = |id: &str, mode: &str, topic: &str| {
            format!("/websub/{id}?hub.mode={mode}&hub.topic={topic}&hub.challenge=abc")
        };
        let reply = get(&router, &ask(&id, "subscribe", "https://a.org/feed")).await;
        assert_eq!((reply.status.as_u16(), reply.text.as_str()), (200, "abc"));
        assert!(reply.header("content-type").starts_with("text/plain"));
        for other in [
            ask(&id, "subscribe", "https://b.org/feed"),
            ask("0", "subscribe", "https://a.org/feed"),
            ask(&id, "unsubscribe", "https://a.org/feed"),
        ] {
            assert_eq!(get(&router, &other).await.status, 404, "{other}");
        }
        let target = format!("/websub/{id}");
        assert_eq!(send(&router, "POST", &target, &[], "<feed/>").await.status, 403);
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(subscription.secret.as_bytes()).unwrap();
        mac.update(b"<feed/>");
        let signature = format!("sha256={}", hex(&mac.finalize().into_bytes()));
        let signed = [("x-hub-signature", signature.as_str())];
        assert_eq!(send(&router, "POST", &target, &signed, "<feed/>").await.status, 409, "no engine runs here");
        assert_eq!(send(&router, "POST", &target, &signed, "<feed></feed>").await.status, 403);
        assert_eq!(get(&router, &ask(&id, "denied", "https://a.org/feed")).await.status, 200);
        assert_eq!(send(&router, "POST", &target, &signed, "<feed/>").await.status, 404);
    }
}
