//! Under which names we are asked, and from whose pages commands come.

use std::collections::HashSet;
use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};

use crate::failure::quoted;
use crate::server::Problem;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The names that are ours. A page of others can let any name lead to this machine, but not these.
pub(crate) struct Names {
    hosts: HashSet<String>,
    /// Whether others reach us by address: an address cannot be made to lead elsewhere.
    any_address: bool,
}

impl Names {
    pub(in crate::server) fn new(hosts: &[String], listening: IpAddr) -> Self {
        let hosts = hosts.iter().map(|host| host.trim_start_matches('[').trim_end_matches(']').to_owned());
        Self { hosts: hosts.collect(), any_address: !listening.to_canonical().is_loopback() }
    }

    fn has(&self, host: &str) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase();
        match host.parse::<IpAddr>() {
            Ok(address) => self.any_address || address.to_canonical().is_loopback() || self.hosts.contains(&host),
            Err(_) => host == "localhost" || host.ends_with(".localhost") || self.hosts.contains(&host),
        }
    }
}

/// Whether a request is for one of our names.
///
/// # Errors
/// If not, or if it names none or several.
pub(crate) fn is_ours(names: &Names, parts: &Parts) -> Result<(), Problem> {
    let mut given = parts.headers.get_all(HOST).iter();
    let text = given.next().and_then(|value| value.to_str().ok()).filter(|text| !text.contains('@'));
    let host = text.and_then(|text| text.parse::<Authority>().ok());
    let (Some(host), None) = (host, given.next()) else {
        return Err(Problem::wrong("the request does not say for which host it is"));
    };
    let unknown = [Some(&host), parts.uri.authority()].into_iter().flatten().find(|host| !names.has(host.host()));
    match unknown {
        None => Ok(()),
        Some(host) => Err(Problem::misdirected(format!(
            "this server is not {}; if it is to be reached by this name, add it to server.hosts",
            quoted(host.host())
        ))),
    }
}

/// What a browser says of a request.
fn texts<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("null"))
}

/// Whether a request comes from one of our own pages, from the reader, or from no browser. Old browsers do not say.
pub(crate) fn is_from_here(headers: &HeaderMap) -> bool {
    texts(headers, &SEC_FETCH_SITE).all(|site| matches!(site, "same-origin" | "none"))
}

/// Whether a request is no part of a page of another site: such a page may lead here, but not have us work unseen.
///
/// # Errors
/// If it is a picture, script, frame or the like of another site.
pub(crate) fn check_embedding(headers: &HeaderMap) -> Result<(), Problem> {
    let is = |name: &HeaderName, wanted: &str| texts(headers, name).eq([wanted]);
    let is_led_here = is(&SEC_FETCH_MODE, "navigate") && is(&SEC_FETCH_DEST, "document");
    if is_from_here(headers) || is_led_here {
        return Ok(());
    }
    Err(Problem::forbidden("a page of another site asks for this; open it by itself"))
}

/// Whether a command comes from one of our own pages, or from no page at all.
///
/// # Errors
/// If it comes from elsewhere.
pub(crate) fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let host = texts(headers, &HOST).next().unwrap_or_default();
    let origin_is_ours = texts(headers, &ORIGIN).all(|origin| {
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
    });
    if is_from_here(headers) && origin_is_ours {
        return Ok(());
    }
    Err(Problem::forbidden("this came from a page of another site; use the pages of this server"))
}
