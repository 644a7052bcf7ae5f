//! Lists of addresses, one a line.

use std::io::{BufRead, Read};
use std::net::Ipv4Addr;

use anyhow::Result;
use crawl::address::{PageUrl, UrlError};

use super::addresses::Addresses;
use crate::failure::{Mistake, reading};
use crate::input::Input;

/// Longer lines are no addresses.
const LONGEST: u64 = 64 << 10;

/// Takes every line. Blank lines and those that begin with # do not count.
pub(super) fn read(mut input: Input, addresses: &mut Addresses<'_>) -> Result<()> {
    let name = input.name().to_owned();
    addresses.begin(&name);
    let mut line = Vec::new();
    let mut number = 0_u64;
    loop {
        line.clear();
        number += 1;
        let length = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        match length.map_err(|error| reading(&name, error))? as u64 {
            0 => return addresses.mostly_right(),
            LONGEST if !line.ends_with(b"\n") => {
                return Err(Mistake::line(&name, number, "is too long for an address; give one address a line").into());
            }
            _ => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() && !text.starts_with('#') {
            take(text, number, addresses)?;
        }
    }
}

/// Takes a line if it has the form of an address: any word can be made the name of a host.
fn take(text: &str, number: u64, addresses: &mut Addresses<'_>) -> Result<()> {
    let place = format_args!("line {number}");
    let parsed = if is_host_and_path(text) { PageUrl::parse(&format!("https://{text}")) } else { PageUrl::parse(text) };
    match parsed {
        Ok(url) => addresses.take_page(url)?,
        Err(UrlError::Malformed(_)) if !text.contains("://") => {
            addresses.refuse(text, place, &"write https://, or a host's name with a dot");
        }
        Err(error) => addresses.refuse(text, place, &error),
    }
    Ok(())
}

/// Whether this is `host.tld`, `localhost` or an IPv4 address, perhaps with a port and a path.
fn is_host_and_path(text: &str) -> bool {
    const STRANGE: &[char] = &['"', '\'', '`', '{', '}', '<', '>', '[', ']', '|', '\\', '^'];
    if text.contains(char::is_whitespace) || text.contains(STRANGE) {
        return false;
    }
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    let in_name = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_' || !letter.is_ascii();
    let is_label = |label: &str| !label.is_empty() && label.chars().all(in_name);
    let labels: Vec<&str> = host.strip_suffix('.').unwrap_or(host).split('.').collect();
    let is_number = labels.last().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    let is_named = host.eq_ignore_ascii_case("localhost") || (labels.len() > 1 && !is_number);
    (is_named || host.parse::<Ipv4Addr>().is_ok()) && labels.into_iter().all(is_label) && port.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_form_of_an_address() {
        for text in
            ["a.example", "a.example/x?y=1", "localhost", "localhost:8080/x", "127.0.0.1/", "bücher.example", "a.b.:1"]
        {
            assert!(is_host_and_path(text), "{text}");
        }
        for text in
            ["hdr={}", "word", "two words.x", "a.b/{c}", "\"a.b\"", "3.14", "a..b", ".a", "a.b:x", "x=1.5;", "", "."]
        {
            assert!(!is_host_and_path(text), "{text}");
        }
    }
}
