//! Who is told of changes.

use std::collections::BTreeSet;

use crawl::address::PageUrl;
use store::EventKind;

use super::given::Given;
use super::server::Token;
use crate::failure::Mistake;

/// The name of the tables, and their keys.
pub(super) const WEBHOOKS: &str = "webhooks";
pub(super) const WEBHOOK_KEYS: &[&str] = &["url", "secret", "events", "allow_private"];

/// Most of them: each is told by itself.
const MOST: usize = 32;

/// Someone who is told of changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Webhook {
    /// Where.
    pub url: PageUrl,
    /// With this what is sent is signed.
    pub secret: Token,
    /// Of what.
    pub events: BTreeSet<EventKind>,
    /// Whether that may be in a private network.
    pub allow_private: bool,
}

/// What was typed of one.
#[derive(Debug)]
pub(super) struct TypedWebhook {
    pub(super) url: Given,
    pub(super) secret: Given,
    pub(super) events: Option<Given>,
    pub(super) allow_private: Option<Given>,
}

/// What it means.
pub(super) fn webhooks(typed: &[TypedWebhook]) -> Result<Vec<Webhook>, Mistake> {
    if let Some(one_more) = typed.get(MOST) {
        return Err(one_more.url.mistake(format_args!("is one too many; give at most {MOST} webhooks")));
    }
    let all = typed.iter().map(webhook).collect::<Result<Vec<_>, _>>()?;
    let twice = all.iter().enumerate().find(|(place, hook)| all[..*place].iter().any(|other| other.url == hook.url));
    if let Some((place, _)) = twice {
        return Err(typed[place].url.mistake("is given twice; give each address once"));
    }
    Ok(all)
}

fn webhook(typed: &TypedWebhook) -> Result<Webhook, Mistake> {
    let text = typed.url.text()?;
    let url = PageUrl::parse(text).map_err(|error| typed.url.mistake(format_args!("is no address: {error}")))?;
    let secret = Token::new(typed.secret.text()?).map_err(|problem| typed.secret.mistake(problem))?;
    let words = EventKind::ALL.map(|kind| (kind.name(), kind));
    let events = match &typed.events {
        None => EventKind::ALL.into_iter().collect(),
        Some(given) => given.list()?.iter().map(|word| word.word(&words)).collect::<Result<BTreeSet<_>, _>>()?,
    };
    if let Some(given) = typed.events.as_ref().filter(|_| events.is_empty()) {
        return Err(given.mistake("is empty; give \"new\", \"changed\" or \"gone\""));
    }
    let allow_private = typed.allow_private.as_ref().map_or(Ok(false), Given::flag)?;
    Ok(Webhook { url, secret, events, allow_private })
}
