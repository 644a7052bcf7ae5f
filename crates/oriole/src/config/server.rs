//! How pages are served.

use std::fmt;
use std::net::SocketAddr;

use crawl::address::PageUrl;

use crate::cli::ServerArgs;
use crate::failure::{Mistake, quoted};
use crate::units::Rate;

use super::given::Given;
use super::meaning::NONE;
use super::typed::Typed;

/// The shortest token. A program that tries a thousand a second does not find one of random letters and digits.
const SHORTEST_TOKEN: usize = 16;

/// How pages for people and programs are served.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    /// Where.
    pub listen: Listen,
    /// Names under which others reach it, beside those of this machine itself.
    pub hosts: Vec<String>,
    /// What must be known to see the pages, if anything.
    pub token: Option<Token>,
    /// Whether searching needs no token.
    pub public_search: bool,
    /// Searches per second that someone without a token may make for long.
    pub public_rate: f64,
}

/// Where pages are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Nowhere.
    Off,
    /// At the usual port of this machine or the next that is free.
    Auto,
    /// There.
    At(SocketAddr),
}

/// How others tell of changes.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalsConfig {
    /// What who tells of changes by IndexNow must know, if that is allowed.
    pub indexnow_key: Option<Token>,
    /// Where hubs of feeds (WebSub) reach this server, without a slash at the end, if they are to.
    pub websub_callback: Option<String>,
}

/// A secret. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The secret itself.
    #[must_use]
    pub fn secret(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(super) fn new(text: &str) -> Result<Self, String> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_plain && (SHORTEST_TOKEN..=1_000).contains(&text.len()) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("must have at least {SHORTEST_TOKEN} letters, digits and signs of ASCII without blanks"))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(...)")
    }
}

impl ServerConfig {
    /// Puts flags in the place of what was said before.
    ///
    /// # Errors
    /// If the token is none.
    pub(crate) fn apply(&mut self, flags: &ServerArgs) -> Result<(), Mistake> {
        if let Some(address) = flags.listen {
            self.listen = Listen::At(address);
        }
        if let Some(token) = &flags.token {
            let token = Token::new(token).map_err(|problem| Mistake::usage(format_args!("--token {problem}")))?;
            self.token = Some(token);
        }
        Ok(())
    }

    /// Whoever can be reached by others must know who they are.
    ///
    /// # Errors
    /// If pages would be served to others without a token.
    pub(crate) fn check(&self) -> Result<(), Mistake> {
        if self.token.is_some() || self.listen == Listen::Off {
            return Ok(());
        }
        let remedy = "set ORIOLE_TOKEN or server.token to a secret of at least 16 letters and digits";
        match self.listen {
            Listen::At(address) if !address.ip().to_canonical().is_loopback() => Err(Mistake::usage(format_args!(
                "others could see and change everything at {address} without a token; {remedy}, or listen at 127.0.0.1"
            ))),
            _ if !self.hosts.is_empty() => Err(Mistake::usage(format_args!(
                "server.hosts says that others reach the server, which could then see and change everything; {remedy}"
            ))),
            _ => Ok(()),
        }
    }
}

/// What the file and the environment say of the server.
pub(super) fn server(typed: &Typed) -> Result<ServerConfig, Mistake> {
    Ok(ServerConfig {
        listen: typed.get("server.listen").map_or(Ok(Listen::Auto), listen)?,
        hosts: typed.list("server.hosts")?.iter().map(host).collect::<Result<_, _>>()?,
        token: typed.get("server.token").map_or(Ok(None), token)?,
        public_search: typed.flag("server.public_search", false)?,
        public_rate: typed.get("server.public_rate").map_or(Ok(2.0), rate)?,
    })
}

/// What the file and the environment say of signals.
pub(super) fn signals(typed: &Typed) -> Result<SignalsConfig, Mistake> {
    Ok(SignalsConfig {
        indexnow_key: typed.get("signals.indexnow_key").map_or(Ok(None), key)?,
        websub_callback: typed.get("signals.websub_callback").map_or(Ok(None), callback)?,
    })
}

fn callback(given: &Given) -> Result<Option<String>, Mistake> {
    let text = given.text()?;
    if text == NONE {
        return Ok(None);
    }
    match PageUrl::parse(text) {
        Ok(url) if url.query().is_none() => Ok(Some(url.as_str().trim_end_matches('/').to_owned())),
        _ => Err(given.mistake("is no address; give \"none\", or one such as \"https://search.example.org\"")),
    }
}

/// As IndexNow has it.
fn key(given: &Given) -> Result<Option<Token>, Mistake> {
    let text = given.text()?;
    let is_key =
        (8..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match text {
        NONE => Ok(None),
        text if is_key => Ok(Some(Token(text.to_owned()))),
        _ => Err(given.mistake("is no key; give \"none\", or 8 to 128 letters, digits and -")),
    }
}

fn listen(given: &Given) -> Result<Listen, Mistake> {
    match given.text()? {
        "off" => Ok(Listen::Off),
        "auto" => Ok(Listen::Auto),
        text => text.parse().map(Listen::At).map_err(|_| {
            let wrong = quoted(text);
            given.mistake(format_args!(
                "is {wrong}; give \"auto\", \"off\", or address and port such as \"127.0.0.1:8080\""
            ))
        }),
    }
}

fn host(given: &Given) -> Result<String, Mistake> {
    let text = given.text()?.trim().to_ascii_lowercase();
    let is_host =
        |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'.' | b'-' | b'_' | b'[' | b']' | b':');
    if !text.is_empty() && text.len() <= 255 && text.bytes().all(is_host) {
        return Ok(text);
    }
    Err(given.mistake("is no name of a host; give one such as \"search.example.org\", without scheme and port"))
}

fn token(given: &Given) -> Result<Option<Token>, Mistake> {
    match given.text()? {
        NONE => Ok(None),
        text => Token::new(text).map(Some).map_err(|problem| given.mistake(problem)),
    }
}

fn rate(given: &Given) -> Result<f64, Mistake> {
    let rate = given.parsed::<Rate>()?.per_second();
    if (1e-6..=1e6).contains(&rate) {
        Ok(rate)
    } else {
        Err(given.mistake("is not from 0.1/day to 1000000/s; give a rate such as \"2/s\""))
    }
}
