//! WebSub: hubs of feeds tell that there is something new (<https://www.w3.org/TR/websub/>).
//!
//! The engine finds hubs in feeds. Each is asked once in a while to tell us; it asks back whether that was us, and then sends what
//! is new, signed with a secret that only it and we know. The pages named in it count as told of.

mod asking;

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use crawl::address::PageUrl;
use crawl::feed;
use crawl::fleet::Message;
use hmac::{EagerHash, Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::access::{hex, random};
use super::params::whole;
use super::{Asked, Desk, Problem};

pub use asking::subscribe;

/// Feeds of which we want to be told.
const MOST: usize = 10_000;

/// For how long hubs are asked to tell us, and when they are asked again.
const LEASE: Duration = Duration::from_secs(10 * 86_400);
const AGAIN: Duration = Duration::from_secs(5 * 86_400);

/// Bytes of what a hub sends.
const MOST_BYTES: usize = 4 << 20;

/// Messages of a hub about a feed that are heard in an hour, and that are remembered so that none is heard twice.
const MOST_HEARD: usize = 60;
const HOUR: Duration = Duration::from_secs(3_600);

/// What hubs have been asked, by the last part of the address at which they tell us.
#[derive(Default)]
pub(super) struct Subscriptions(Mutex<HashMap<String, Known>>);

#[derive(Clone)]
struct Subscription {
    topic: String,
    secret: String,
    asked_at: Instant,
}

struct Known {
    subscription: Subscription,
    /// Digests of the last messages, newest first.
    heard: VecDeque<(Instant, [u8; 32])>,
}

impl Subscriptions {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: &str) -> Option<Subscription> {
        self.all().get(id).map(|known| known.subscription.clone())
    }

    /// A new one, unless there is one that is not too old or there are too many.
    fn begin(&self, topic: &str) -> Option<(String, Subscription)> {
        let mut all = self.all();
        all.retain(|_, known| known.subscription.asked_at.elapsed() < LEASE);
        let mut asked = all.values().map(|known| &known.subscription);
        let is_known = asked.any(|asked| asked.topic == topic && asked.asked_at.elapsed() < AGAIN);
        if is_known || all.len() >= MOST {
            return None;
        }
        let [id, secret] = [random().ok()?, random().ok()?].map(|bytes| hex(&bytes));
        let subscription = Subscription { topic: topic.to_owned(), secret, asked_at: Instant::now() };
        all.insert(id.clone(), Known { subscription: subscription.clone(), heard: VecDeque::new() });
        Some((id, subscription))
    }

    /// Whether a message has not been heard before.
    ///
    /// # Errors
    /// If there were too many in the last hour.
    fn hear(&self, id: &str, body: &[u8], now: Instant) -> Result<bool, Problem> {
        let mut all = self.all();
        let known = all.get_mut(id).ok_or_else(not_asked_for)?;
        let digest = Sha256::digest(body).into();
        if known.heard.iter().any(|(_, heard)| *heard == digest) {
            return Ok(false);
        }
        if let Some((oldest, _)) = known.heard.get(MOST_HEARD - 1) {
            let wait = HOUR.saturating_sub(now.saturating_duration_since(*oldest));
            if !wait.is_zero() {
                return Err(Problem::too_many(wait.as_secs_f64().ceil()));
            }
        }
        known.heard.push_front((now, digest));
        known.heard.truncate(MOST_HEARD);
        Ok(true)
    }

    fn end(&self, id: &str) {
        self.all().remove(id);
    }
}

fn not_asked_for() -> Problem {
    Problem::unknown("that was not asked for")
}

/// The last part of the address, which may be anything.
fn named(id: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    id.map(|Path(id)| id).map_err(|_| not_asked_for())
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
    id: Result<Path<String>, PathRejection>,
    Asked(intent): Asked<Intent>,
) -> Result<String, Problem> {
    let id = named(id)?;
    let known = desk.subscriptions().get(&id).filter(|known| known.topic == intent.topic);
    let known = known.ok_or_else(not_asked_for)?;
    match intent.mode.as_str() {
        "subscribe" => Ok(intent.challenge),
        "denied" => {
            tracing::info!(topic = known.topic, "a hub refuses to tell of changes");
            desk.subscriptions().end(&id);
            Ok(String::new())
        }
        _ => Err(not_asked_for()),
    }
}

/// What is new. Without the right signature it is not heard, nor a second time.
pub(super) async fn deliver(
    State(desk): State<Desk>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    let id = named(id)?;
    let known = desk.subscriptions().get(&id).ok_or_else(not_asked_for)?;
    let body = whole(body, MOST_BYTES).await?;
    let signature = headers.get("x-hub-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !is_signed(known.secret.as_bytes(), &body, signature) {
        return Err(Problem::forbidden("the signature is missing or wrong"));
    }
    let engine = desk.engine().ok_or_else(|| Problem::conflict("the engine does not run here"))?;
    if desk.subscriptions().hear(&id, &body, Instant::now())? {
        let told = Message::Announced(links(&body, &known.topic));
        engine.fleet.send(told).map_err(|_| Problem::conflict("the engine is ending"))?;
    }
    Ok(StatusCode::ACCEPTED)
}

/// The pages that a message is about. A hub of one host has nothing to say of others.
fn links(body: &[u8], topic: &str) -> Vec<String> {
    let Ok(topic) = PageUrl::parse(topic) else { return Vec::new() };
    let is_own = |link: &str| PageUrl::parse(link).is_ok_and(|url| url.bare_authority() == topic.bare_authority());
    let entries = feed::read(body, &feed::Limits::default()).map(|feed| feed.entries).unwrap_or_default();
    entries.into_iter().map(|entry| entry.link).filter(|link| is_own(link)).collect()
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
mod tests;
