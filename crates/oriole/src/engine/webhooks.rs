//! Tells others of pages that are new, have changed or are gone.
//!
//! What has to be told is noted in the catalogue with the batch that brings it, and what has been told is noted when it was taken:
//! nothing is lost by a sudden end, and what was told just before may be told again, with the same number.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use crawl::fetch::{Answer, FetchError, FetchSettings, Fetcher};
use crawl::fleet::Message;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde_json::json;
use sha2::Sha256;
use store::{Catalogue, DataFolder, Event, Timestamp};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;
use url::Url;

use super::status::StatusBoard;
use crate::config::{Config, Webhook};

/// Events that are told at a time.
const AT_A_TIME: u32 = 100;

/// How often it is looked whether there is something to tell.
const PAUSE: Duration = Duration::from_secs(1);

/// The first wait after a failure, and the longest; each is twice the one before.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

/// The longest time for an answer, and how much of it is read.
const PATIENCE: Duration = Duration::from_secs(20);
const MOST_BYTES: usize = 64 << 10;

/// How things stand with a webhook.
#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct WebhookLine {
    /// Where it is, without what may be secret in its address.
    pub host: String,
    /// Events that have been taken since the start.
    pub delivered: u64,
    /// The number of the last event that was taken or not wanted.
    pub position: u64,
    /// Failures in a row.
    pub failures: u32,
    /// Why the last delivery failed, in words.
    pub problem: Option<String>,
    /// When it is tried again.
    pub next_try: Option<String>,
}

/// Someone who is told.
struct Teller {
    place: usize,
    hook: Webhook,
    url: Url,
    fetcher: Fetcher,
    folder: Arc<Mutex<DataFolder>>,
    board: Arc<StatusBoard>,
    fleet: UnboundedSender<Message>,
    line: WebhookLine,
}

/// The catalogue's name for what has been told to whom. The address itself may be secret.
fn note(hook: &Webhook) -> String {
    format!("webhook:{:016x}", rapidhash::v3::rapidhash_v3(hook.url.as_str().as_bytes()))
}

/// Lets the catalogue note what has to be told from now on, if anyone is to be told.
///
/// # Errors
/// If the catalogue cannot be written.
pub(super) fn prepare(config: &Config, folder: &DataFolder) -> Result<()> {
    Ok(folder.catalogue.note_events(!config.webhooks.is_empty())?)
}

/// Tells all webhooks until the program ends.
///
/// # Errors
/// If the data folder cannot be read, or an address not be used.
pub(super) fn start(config: &Config, board: &Arc<StatusBoard>, fleet: &UnboundedSender<Message>) -> Result<()> {
    if config.webhooks.is_empty() {
        return Ok(());
    }
    let mut tellers = Vec::new();
    for (place, hook) in config.webhooks.iter().enumerate() {
        tellers.push(Teller::new(place, hook, &config.fetch, &config.data, (board, fleet))?);
    }
    board.set_webhooks(tellers.iter().map(|teller| teller.line.clone()).collect());
    tellers.into_iter().for_each(|teller| _ = tokio::spawn(teller.tell()));
    tokio::spawn(tidy(config.data.clone(), Arc::clone(board)));
    Ok(())
}

impl Teller {
    fn new(
        place: usize,
        hook: &Webhook,
        fetch: &FetchSettings,
        data: &Path,
        (board, fleet): (&Arc<StatusBoard>, &UnboundedSender<Message>),
    ) -> Result<Self> {
        let folder = DataFolder::read(data)?;
        let noted = folder.catalogue.note(&note(hook))?;
        // A new one is told of all that has been noted: that is what has happened since there are webhooks and waits.
        let position = noted.and_then(|text| text.parse().ok()).unwrap_or(0);
        let settings = FetchSettings {
            allow_private: hook.allow_private,
            total: PATIENCE,
            silence: PATIENCE,
            most_bytes: MOST_BYTES,
            ..fetch.clone()
        };
        let host = hook.url.origin().to_owned();
        Ok(Self {
            place,
            hook: hook.clone(),
            url: Url::parse(hook.url.as_str()).context("the address of a webhook")?,
            fetcher: Fetcher::new(settings).context("cannot make requests")?,
            folder: Arc::new(Mutex::new(folder)),
            board: Arc::clone(board),
            fleet: fleet.clone(),
            line: WebhookLine { host, position, ..WebhookLine::default() },
        })
    }

    async fn tell(mut self) {
        loop {
            match self.waiting().await {
                Ok(events) if events.is_empty() => tokio::time::sleep(PAUSE).await,
                Ok(events) => self.deliver(&events).await,
                // A catalogue that is busy for once is asked again.
                Err(error) => {
                    tracing::debug!("webhooks wait: {error:#}");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    async fn waiting(&self) -> Result<Vec<Event>> {
        let (folder, after) = (Arc::clone(&self.folder), self.line.position);
        let read = spawn_blocking(move || {
            let folder = folder.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            folder.catalogue.events(after, AT_A_TIME)
        });
        Ok(read.await??)
    }

    /// Tells of some events, again and again until they are taken.
    async fn deliver(&mut self, events: &[Event]) {
        let Some(last) = events.last().map(|event| event.id) else { return };
        let wanted: Vec<&Event> = events.iter().filter(|event| self.hook.events.contains(&event.kind)).collect();
        if wanted.is_empty() {
            return self.took(last, 0);
        }
        let (id, body) = message(&wanted);
        loop {
            match self.attempt(&id, body.clone()).await {
                Ok(()) => return self.took(last, wanted.len() as u64),
                Err(problem) => self.failed(problem).await,
            }
        }
    }

    async fn attempt(&self, id: &str, body: String) -> Result<(), String> {
        let signature = signature(self.hook.secret.secret(), body.as_bytes());
        let headers =
            [("Content-Type", "application/json"), ("X-Oriole-Delivery", id), ("X-Oriole-Signature", &signature)];
        judged(self.fetcher.post(&self.url, &headers, body.into_bytes()).await)
    }

    fn took(&mut self, position: u64, delivered: u64) {
        let line = &mut self.line;
        (line.position, line.delivered) = (position, line.delivered + delivered);
        (line.failures, line.problem, line.next_try) = (0, None, None);
        _ = self.fleet.send(Message::Remember(note(&self.hook), position.to_string()));
        self.publish();
    }

    async fn failed(&mut self, problem: String) {
        if self.line.failures == 0 {
            tracing::warn!(host = self.line.host, problem, "a webhook does not take what it is told; it is told again");
        }
        self.line.failures = self.line.failures.saturating_add(1);
        let wait = wait(self.line.failures);
        let next = crawl::fleet::now().seconds() + wait.as_secs_f64();
        (self.line.problem, self.line.next_try) = (Some(problem), Some(Timestamp::from_seconds(next).to_string()));
        self.publish();
        tokio::time::sleep(wait).await;
    }

    fn publish(&self) {
        self.board.set_webhook(self.place, self.line.clone());
    }
}

/// Twice as long after each failure.
fn wait(failures: u32) -> Duration {
    (FIRST_WAIT * 2u32.saturating_pow(failures.saturating_sub(1).min(16))).min(LONGEST_WAIT)
}

/// What is sent, and the number by which it is known however often it is sent.
fn message(events: &[&Event]) -> (String, String) {
    let (first, last) = (events.first().map_or(0, |event| event.id), events.last().map_or(0, |event| event.id));
    let id = format!("{first}-{last}");
    let one = |event: &&Event| {
        json!({
            "id": event.id,
            "kind": event.kind.name(),
            "at": event.at.to_string(),
            "url": event.url,
            "title": event.title,
        })
    };
    let body = json!({"delivery": id, "events": events.iter().map(one).collect::<Vec<_>>()});
    (id, body.to_string())
}

/// `sha256=` and the HMAC of the body, in hexadecimal digits.
fn signature(secret: &[u8], body: &[u8]) -> String {
    // A key may have any length.
    let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(secret) else { return String::new() };
    mac.update(body);
    let digits: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

/// Whether it was taken; else why not.
fn judged(answer: Result<Answer, FetchError>) -> Result<(), String> {
    match answer {
        Ok(answer) if (200..300).contains(&answer.status) => Ok(()),
        Ok(answer) if (300..400).contains(&answer.status) => {
            Err(format!("it answers with status {}: give the address to which it leads instead", answer.status))
        }
        Ok(answer) => Err(format!("it answers with status {}", answer.status)),
        Err(FetchError::Private(address)) => {
            Err(format!("{address} is a private address; set allow_private in its [[webhooks]] if it is yours"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Forgets what all have been told, now and then.
async fn tidy(data: std::path::PathBuf, board: Arc<StatusBoard>) {
    let mut forgotten = 0;
    loop {
        tokio::time::sleep(30 * PAUSE).await;
        let told = board.webhooks().iter().map(|line| line.position).min().unwrap_or(0);
        if told == forgotten {
            continue;
        }
        let data = data.clone();
        let done =
            spawn_blocking(move || -> Result<()> { Ok(DataFolder::read(&data)?.catalogue.forget_events(told)?) });
        if matches!(done.await, Ok(Ok(()))) {
            forgotten = told;
        }
    }
}
