//! One request to a server, and its answer within limits.
//!
//! A redirect is an answer like any other: whoever asked decides whether its target may be visited. Bodies stay as they were
//! sent, so that the archive holds what the server said; [`Answer::decoded`] undoes the compression, away from the network.

mod address;
mod decode;
mod names;
mod retry_after;

pub use address::is_public;
pub use decode::{DecodeError, decode};
pub use retry_after::retry_after;

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH,
};
use thiserror::Error;
use url::{Host, Url};

use names::{Names, PrivateAddress};

/// Limits and manners of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchSettings {
    /// Who we say we are.
    pub user_agent: String,
    /// Longest time to find the address and connect.
    pub connect: Duration,
    /// Longest time without a byte.
    pub silence: Duration,
    /// Longest time for the whole request.
    pub total: Duration,
    /// Most bytes of a body, as sent and after decompression.
    pub most_bytes: usize,
    /// Whether private, loopback and link-local addresses may be visited.
    pub allow_private: bool,
    /// A proxy for all requests. It finds the addresses then, and must itself keep us out of private networks.
    pub proxy: Option<String>,
    /// Certificates that are trusted beside the usual ones: PEM texts.
    pub trusted: Vec<Vec<u8>>,
    /// An address that counts as public although it is not.
    #[cfg(test)]
    pub(crate) public: Option<IpAddr>,
    /// Idle connections kept per host.
    pub idle_connections: usize,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            user_agent: concat!("Oriole/", env!("CARGO_PKG_VERSION"), " (+https://github.com/oriole-search/oriole)")
                .into(),
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(20),
            total: Duration::from_secs(60),
            most_bytes: 10 << 20,
            allow_private: false,
            proxy: None,
            trusted: Vec::new(),
            #[cfg(test)]
            public: None,
            idle_connections: 1,
        }
    }
}

impl FetchSettings {
    /// Whether an address may be visited.
    #[must_use]
    pub fn allows(&self, address: IpAddr) -> bool {
        #[cfg(test)]
        if self.public == Some(address) {
            return true;
        }
        self.allow_private || is_public(address)
    }
}

/// How long a connection is kept for the next request. With many hosts there are as many connections as there were requests in
/// this time.
const IDLE: Duration = Duration::from_secs(4);

/// Bytes for which room is made because the server says that so many will come.
const LARGEST_PROMISE: u64 = 256 << 10;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Of whom.
    pub url: &'a Url,
    /// The version we have, as the server named it.
    pub etag: Option<&'a str>,
    /// The date of the version we have, as the server wrote it.
    pub last_modified: Option<&'a str>,
}

impl<'a> Request<'a> {
    /// A request for whatever is there.
    #[must_use]
    pub fn new(url: &'a Url) -> Self {
        Self { url, etag: None, last_modified: None }
    }
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers in order, values as sent.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body as sent, cut at the limit.
    pub body: Vec<u8>,
    /// Whether the body was longer than the limit.
    pub truncated: bool,
    /// Whom we spoke to.
    pub address: Option<SocketAddr>,
}

impl Answer {
    /// The first header of this name, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.and_then(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// All headers of this name that are text.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let found = self.headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        found.filter_map(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// The type of the content.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.header(CONTENT_TYPE.as_str())
    }

    /// The body without compression, or its start if it is longer than `most` bytes or was cut.
    ///
    /// # Errors
    /// If it is not what its headers say.
    pub fn decoded(&self, most: usize) -> Result<Cow<'_, [u8]>, DecodeError> {
        decode(self.header(CONTENT_ENCODING.as_str()).unwrap_or(""), &self.body, self.truncated, most)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FetchError {
    /// The host has only addresses that must not be visited.
    #[error("{0} is a private address; allow it with allow_private if it is yours")]
    Private(IpAddr),
    /// The host has no address.
    #[error("the name of the host is not known: {0}")]
    Name(String),
    /// No connection.
    #[error("no connection: {0}")]
    Connect(String),
    /// This process, or the machine, has as many files and connections open as it may.
    #[error("too many files are open here")]
    Files,
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// The answer makes no sense or broke off.
    #[error("the answer broke off or makes no sense: {0}")]
    Answer(String),
    /// Such a request cannot be made.
    #[error("such a request cannot be made: {0}")]
    Request(String),
}

/// Why requests cannot be made at all.
#[derive(Debug, Error)]
#[error("requests cannot be made with these settings: {0}")]
pub struct FetcherError(#[from] reqwest::Error);

/// Makes requests.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: reqwest::Client,
    settings: Arc<FetchSettings>,
}

impl Fetcher {
    /// With these limits and manners.
    ///
    /// # Errors
    /// If the proxy, the user agent or a certificate cannot be used, or there are no certificates to trust.
    pub fn new(settings: FetchSettings) -> Result<Self, FetcherError> {
        let settings = Arc::new(settings);
        let mut builder = reqwest::Client::builder()
            .user_agent(&settings.user_agent)
            .default_headers(usual_headers())
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(settings.connect)
            .read_timeout(settings.silence)
            .timeout(settings.total)
            .pool_max_idle_per_host(settings.idle_connections)
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true)
            .no_proxy()
            .referer(false)
            .dns_resolver(Arc::new(Names::new(Arc::clone(&settings))));
        if let Some(proxy) = &settings.proxy {
            builder = builder.proxy(reqwest::Proxy::all(proxy)?);
        }
        for text in &settings.trusted {
            for certificate in reqwest::Certificate::from_pem_bundle(text)? {
                builder = builder.add_root_certificate(certificate);
            }
        }
        Ok(Self { client: builder.build()?, settings })
    }

    /// The limits and manners.
    #[must_use]
    pub fn settings(&self) -> &FetchSettings {
        &self.settings
    }

    /// Asks, and reads the answer up to the limit.
    ///
    /// # Errors
    /// If there is no whole answer, or the address must not be visited.
    pub async fn fetch(&self, request: Request<'_>) -> Result<Answer, FetchError> {
        self.check_literal(request.url)?;
        let mut headers = HeaderMap::new();
        condition(&mut headers, IF_NONE_MATCH, request.etag);
        condition(&mut headers, IF_MODIFIED_SINCE, request.last_modified);
        let sent = self.client.get(request.url.clone()).headers(headers).send().await;
        let response = sent.map_err(|error| told(&error))?;
        self.check_connected(response.remote_addr())?;
        self.read(response).await
    }

    /// Sends what forms send, and reads the answer up to the limit.
    ///
    /// # Errors
    /// If there is no whole answer, or the address must not be visited.
    pub async fn post_form(&self, url: &Url, form: String) -> Result<Answer, FetchError> {
        self.post(url, &[(CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded")], form.into_bytes()).await
    }

    /// Sends a body with these headers, and reads the answer up to the limit.
    ///
    /// # Errors
    /// If there is no whole answer, a header cannot be sent, or the address must not be visited.
    pub async fn post(&self, url: &Url, headers: &[(&str, &str)], body: Vec<u8>) -> Result<Answer, FetchError> {
        self.check_literal(url)?;
        let mut request = self.client.post(url.clone()).body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.map_err(|error| told(&error))?;
        self.check_connected(response.remote_addr())?;
        self.read(response).await
    }

    async fn read(&self, mut response: reqwest::Response) -> Result<Answer, FetchError> {
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let mut answer = Answer {
            status: response.status().as_u16(),
            headers: headers.collect(),
            body: Vec::new(),
            truncated: false,
            address: response.remote_addr(),
        };
        let most = self.settings.most_bytes;
        // A length is a promise that need not be kept.
        let promised = response.content_length().unwrap_or(0).min(LARGEST_PROMISE);
        answer.body.reserve_exact(most.min(promised as usize));
        while let Some(chunk) = response.chunk().await.map_err(|error| told(&error))? {
            let room = most - answer.body.len();
            answer.body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                answer.truncated = true;
                break;
            }
        }
        Ok(answer)
    }

    /// An address written in the URL is never looked up, so it is checked here.
    fn check_literal(&self, url: &Url) -> Result<(), FetchError> {
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        self.check(address)
    }

    fn check_connected(&self, address: Option<SocketAddr>) -> Result<(), FetchError> {
        match address {
            Some(address) if self.settings.proxy.is_none() => self.check(address.ip()),
            _ => Ok(()),
        }
    }

    fn check(&self, address: IpAddr) -> Result<(), FetchError> {
        if self.settings.allows(address) { Ok(()) } else { Err(FetchError::Private(address)) }
    }
}

fn usual_headers() -> HeaderMap {
    const TYPES: &str =
        "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,application/xml;q=0.8,*/*;q=0.5";
    HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static(TYPES)),
        (ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate, br, zstd")),
    ])
}

/// A condition that cannot be sent is left out: the answer is then the whole page.
fn condition(headers: &mut HeaderMap, name: HeaderName, value: Option<&str>) {
    if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
        headers.insert(name, value);
    }
}

fn told(error: &reqwest::Error) -> FetchError {
    if let Some(PrivateAddress(address)) = cause::<PrivateAddress>(error) {
        return FetchError::Private(*address);
    }
    if let Some(unknown) = cause::<names::Unknown>(error) {
        return FetchError::Name(unknown.to_string());
    }
    let root = root(error);
    if error.is_timeout() {
        FetchError::Timeout
    } else if cause::<std::io::Error>(error).is_some_and(is_out_of_files) {
        FetchError::Files
    } else if error.is_connect() {
        FetchError::Connect(root)
    } else if error.is_builder() {
        FetchError::Request(root)
    } else {
        FetchError::Answer(root)
    }
}

/// Whether no more files can be opened: `EMFILE` of the process, `ENFILE` of the machine.
fn is_out_of_files(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(23 | 24))
}

/// The cause of this kind, however deep.
fn cause<'a, T: std::error::Error + 'static>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a T> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref::<T>())
}

fn root(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source()).last().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests;
