//! Who may see what.
//!
//! Without a token everybody on this machine is the owner; with one, who knows it. Strangers may search if the configuration says
//! so. Requests under a name that is not ours, and commands that come from pages of others, are refused.

mod limiter;
mod origin;
mod sessions;

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::Problem;
use crate::config::{ServerConfig, Token};
use limiter::Limiter;
use sessions::Sessions;

pub(super) use limiter::network;
pub(super) use sessions::{hex, random};

pub(super) use origin::{Names, check_embedding, check_origin, is_from_here, is_ours};

/// Searches that may come at once from a stranger.
const SEARCHES_AT_ONCE: f64 = 60.0;

/// Tries to log in that may come at once from an address, and per second.
const TRIES_AT_ONCE: f64 = 10.0;
const TRIES: f64 = 0.1;

/// How long someone stays logged in.
pub(super) const SESSION: Duration = Duration::from_secs(12 * 3_600);

/// The address at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

/// Who asks.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// Whether everything may be seen and changed.
    pub is_owner: bool,
    /// Whether there is something to log out of.
    pub has_session: bool,
    /// What forms must carry, so that no page of others can send them.
    pub csrf: String,
    pub(super) address: IpAddr,
    /// Whether no page of another site has sent the request.
    pub(super) is_from_here: bool,
    session: Option<String>,
    /// Why the token that was sent is none.
    refused: Option<Problem>,
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| Problem::failed("nobody has looked who asks"))
    }
}

/// What an address needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing: it says nothing about the crawl, or has keys of its own.
    Nothing,
    /// To be allowed to search.
    Search,
    /// To be the owner.
    Owner,
}

/// What is not named here is for the owner.
fn need(path: &str) -> Need {
    match path {
        "/healthz" | "/readyz" | "/login" | "/logout" | "/favicon.ico" | "/api/openapi.json" => Need::Nothing,
        path if path.starts_with("/assets/") || has_own_key(path) => Need::Nothing,
        "/" | "/suggest" | "/opensearch.xml" | "/go" | "/cached" => Need::Search,
        "/api/v1/search" | "/api/v1/suggest" => Need::Search,
        _ => Need::Owner,
    }
}

/// Addresses at which programs of others tell of changes. They prove by other means who they are.
pub(super) fn has_own_key(path: &str) -> bool {
    path == "/indexnow" || path.starts_with("/websub/")
}

/// What browsers ask for by themselves, for their own search boxes. What they then say about the page that is open differs.
fn is_asked_by_browsers(path: &str) -> bool {
    matches!(path, "/suggest" | "/opensearch.xml")
}

/// Decides who may see what.
pub(super) struct Gate {
    /// Digest of the token, if there is one.
    token: Option<[u8; 32]>,
    names: Names,
    public_search: bool,
    cookie: String,
    secret: [u8; 32],
    sessions: Sessions,
    searches: Limiter,
    tries: Limiter,
    /// Tries of keys of others, which must not keep the owner out.
    key_tries: Limiter,
}

impl Gate {
    /// # Errors
    /// If the system gives no random numbers.
    pub(super) fn new(config: &ServerConfig, address: std::net::SocketAddr) -> anyhow::Result<Self> {
        Ok(Self {
            token: config.token.as_ref().map(|token| Sha256::digest(token.secret()).into()),
            names: Names::new(&config.hosts, address.ip()),
            public_search: config.public_search,
            // Ports of one machine share their cookies.
            cookie: format!("oriole_{}", address.port()),
            secret: random()?,
            sessions: Sessions::default(),
            searches: Limiter::new(config.public_rate, SEARCHES_AT_ONCE),
            tries: Limiter::new(TRIES, TRIES_AT_ONCE),
            key_tries: Limiter::new(TRIES, TRIES_AT_ONCE),
        })
    }

    /// Who asks.
    pub(super) fn identify(&self, parts: &Parts, peer: Option<Peer>) -> Visitor {
        let session = self.session(&parts.headers).filter(|id| self.sessions.is_known(id, Instant::now()));
        let address = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0);
        let needs_token = self.token.is_some() && session.is_none();
        let sent = if needs_token { sent_token(&parts.method, &parts.headers) } else { None };
        let tried = sent.map(|token| self.try_token(&token, address));
        Visitor {
            is_owner: !needs_token || tried == Some(Ok(())),
            has_session: session.is_some(),
            csrf: self.csrf(session.as_deref()),
            address,
            is_from_here: is_from_here(&parts.headers),
            refused: tried.and_then(Result::err),
            session,
        }
    }

    /// Whether the visitor may have what is asked for.
    ///
    /// # Errors
    /// If not; with the reason.
    pub(super) fn check(&self, parts: &Parts, visitor: &Visitor) -> Result<(), Problem> {
        is_ours(&self.names, parts)?;
        let path = parts.uri.path();
        let changes = !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
        if changes && !has_own_key(path) {
            check_origin(&parts.headers)?;
        } else if !is_asked_by_browsers(path) && need(path) != Need::Nothing {
            check_embedding(&parts.headers)?;
        }
        match need(path) {
            Need::Nothing => Ok(()),
            _ if visitor.is_owner => Ok(()),
            Need::Search if self.public_search => self.searches.take(visitor.address, Instant::now()),
            // Who has tried too often is told so.
            _ => {
                let refused = visitor.refused.clone().filter(|refused| refused.retry_after.is_some());
                Err(refused.unwrap_or_else(Problem::who_are_you))
            }
        }
    }

    /// A new session for who knows the token: the value of its cookie.
    ///
    /// # Errors
    /// If the token is wrong, or too many were tried.
    pub(super) fn log_in(&self, token: &str, visitor: &Visitor) -> Result<String, Problem> {
        self.try_token(token, visitor.address)?;
        self.sessions.begin(Instant::now() + SESSION)
    }

    /// Whether a visitor knows a key of another kind.
    ///
    /// # Errors
    /// If not, or too many were tried.
    pub(super) fn check_key(&self, key: &Token, given: &str, visitor: &Visitor) -> Result<(), Problem> {
        let (key, given) = (Sha256::digest(key.secret()), Sha256::digest(given));
        count_try(&self.key_tries, key.ct_eq(&given).into(), visitor.address, "that is not the key")
    }

    /// Ends the session of the visitor.
    pub(super) fn log_out(&self, visitor: &Visitor) {
        if let Some(id) = &visitor.session {
            self.sessions.end(id);
        }
    }

    /// The name of the cookie.
    pub(super) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Whether there is a token at all.
    pub(super) fn is_locked(&self) -> bool {
        self.token.is_some()
    }

    fn session(&self, headers: &HeaderMap) -> Option<String> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie).map(|(_, value)| value.to_owned())
    }

    /// Whether that is the token.
    fn try_token(&self, token: &str, address: IpAddr) -> Result<(), Problem> {
        let is_right = self.is_token(token.trim().as_bytes());
        let otherwise = "that is not the token; it is set as server.token or ORIOLE_TOKEN";
        count_try(&self.tries, is_right, address, otherwise)
    }

    /// In a time that does not depend on how much of it is right.
    fn is_token(&self, given: &[u8]) -> bool {
        let given: [u8; 32] = Sha256::digest(given).into();
        self.token.is_some_and(|token| token.ct_eq(&given).into())
    }

    /// What the forms of a session must carry.
    fn csrf(&self, session: Option<&str>) -> String {
        self.seal("form", session.unwrap_or_default())
    }

    /// What nobody else can make of a text, as long as this program runs.
    pub(super) fn seal(&self, purpose: &str, text: &str) -> String {
        // A key may have any length.
        let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.secret) else { return String::new() };
        mac.update(purpose.as_bytes());
        mac.update(b":");
        mac.update(text.as_bytes());
        hex(&mac.finalize().into_bytes())
    }

    /// Whether someone has got from us what seals a text.
    pub(super) fn is_sealed(&self, purpose: &str, text: &str, seal: &str) -> bool {
        is_same(&self.seal(purpose, text), seal)
    }
}

/// Who has been wrong too often is not told what is right either, or trying would go on.
fn count_try(tries: &Limiter, is_right: bool, address: IpAddr, otherwise: &str) -> Result<(), Problem> {
    tries.check(address, Instant::now())?;
    if is_right {
        return Ok(());
    }
    tries.take(address, Instant::now())?;
    Err(Problem::forbidden(otherwise))
}

/// What a program sends as token: `Bearer` and the token, or `Basic` with the token as password under any name, which is what feed
/// readers can do. Browsers send the latter by themselves, wherever a request comes from, so it is good for reading only.
fn sent_token(method: &Method, headers: &HeaderMap) -> Option<String> {
    let (scheme, sent) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(sent.to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") || !matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    let pair = String::from_utf8(BASE64_STANDARD.decode(sent.trim()).ok()?).ok()?;
    pair.split_once(':').map(|(_, password)| password.to_owned())
}

/// Whether two secrets are the same and there is one at all.
fn is_same(secret: &str, given: &str) -> bool {
    !secret.is_empty() && bool::from(secret.as_bytes().ct_eq(given.as_bytes()))
}

impl Visitor {
    /// The same visitor on a page where no form works.
    pub(super) fn without_forms(&self) -> Self {
        Self { has_session: false, ..self.clone() }
    }

    /// Whether a form carries what it must.
    ///
    /// # Errors
    /// If not.
    pub(super) fn check_form(&self, csrf: &str) -> Result<(), Problem> {
        if is_same(&self.csrf, csrf) {
            Ok(())
        } else {
            Err(Problem::forbidden("this form is too old; go back, load the page again and repeat"))
        }
    }
}
