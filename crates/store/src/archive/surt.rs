/// The key under which web archives file an address: host backwards, then the path, all in lower case, with what
/// rarely matters left out. As the Python package `surt` makes it of normalised addresses.
#[must_use]
pub fn surt(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return escape(url.as_bytes()) };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    format!("{}){}{}", host_key(scheme, authority), path_key(path), query_key(query))
}

fn host_key(scheme: &str, authority: &str) -> String {
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = split_port(authority);
    let host = host.trim_matches(['[', ']']).to_lowercase();
    let host = without_www(&host);
    let backwards: Vec<&str> = host.split('.').rev().collect();
    let usual = match scheme.to_ascii_lowercase().as_str() {
        "http" => "80",
        "https" => "443",
        _ => "",
    };
    let port = if port.is_empty() || port == usual { String::new() } else { format!(":{port}") };
    escape(format!("{}{port}", backwards.join(",")).as_bytes())
}

fn split_port(authority: &str) -> (&str, &str) {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match authority.rsplit_once(':') {
        Some((host, port)) if digits(port) && (!host.contains(':') || host.ends_with(']')) => (host, port),
        _ => (authority, ""),
    }
}

/// Without `www.`, `www2.` and the like at the beginning.
fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("www") else { return host };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix('.').unwrap_or(host)
}

fn path_key(path: &str) -> String {
    let mut bytes = unescape(path);
    bytes.dedup_by(|next, previous| *next == b'/' && *previous == b'/');
    if bytes.last() == Some(&b'/') {
        bytes.pop();
    }
    if bytes.is_empty() { "/".to_owned() } else { escape(&bytes) }
}

fn query_key(query: &str) -> String {
    if query.is_empty() {
        return String::new();
    }
    let query = escape(&unescape(query));
    let mut parts: Vec<&str> = query.split('&').collect();
    parts.sort_unstable();
    format!("?{}", parts.join("&"))
}

/// Without percent signs that hide a byte, also if they hide each other.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..8 {
        let plain = unescape_once(&bytes);
        if plain.len() == bytes.len() {
            break;
        }
        bytes = plain;
    }
    bytes
}

fn unescape_once(bytes: &[u8]) -> Vec<u8> {
    let digit = |place: usize| bytes.get(place).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while place < bytes.len() {
        match (bytes[place], digit(place + 1), digit(place + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                place += 3;
            }
            (byte, _, _) => {
                out.push(byte);
                place += 1;
            }
        }
    }
    out
}

/// In lower case, with bytes that are not plain hidden by percent signs.
fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'#' | b'%' | 0..=0x20 | 0x7f.. => out.push_str(&format!("%{byte:02x}")),
            _ => out.push(char::from(byte.to_ascii_lowercase())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::surt;

    /// The keys are those that the Python package `surt` 0.3.1 gives.
    #[test]
    fn keys() {
        for (url, key) in [
            ("http://archive.org/goo/", "org,archive)/goo"),
            ("http://www.example.org:8080/A/B?b=2&a=1", "org,example:8080)/a/b?a=1&b=2"),
            ("https://127.0.0.1:8080/x", "1,0,0,127:8080)/x"),
            ("http://[::1]:80/x", "::1)/x"),
            ("https://ex.org", "org,ex)/"),
            ("http://ex.org/%7Efoo?", "org,ex)/~foo"),
            ("http://www2.ex.org/a//b", "org,ex)/a/b"),
            ("https://ex.org/?b&a&a", "org,ex)/?a&a&b"),
            ("https://ex.org/a/?b=1", "org,ex)/a?b=1"),
            ("https://ex.org/a%20b", "org,ex)/a%20b"),
            ("https://ex.org/?", "org,ex)/"),
            ("https://ex.org/?a=1&", "org,ex)/?&a=1"),
            ("https://user:p@ex.org/", "org,ex)/"),
            ("http://xn--mnchen-3ya.de/%C3%A4", "de,xn--mnchen-3ya)/%c3%a4"),
            ("https://ex.org/a%2Fb", "org,ex)/a/b"),
            ("https://ex.org/a?b#c", "org,ex)/a?b"),
            ("https://ex.org/a?q=x%20y&B=C", "org,ex)/a?b=c&q=x%20y"),
        ] {
            assert_eq!(surt(url), key, "{url}");
        }
    }

    proptest! {
        #[test]
        fn keys_have_no_spaces(url in "\\PC*|https?://[a-z.:@\\[\\]]{0,10}[/?%a-f0-9&]{0,40}") {
            let key = surt(&url);
            prop_assert!(key.bytes().all(|byte| byte.is_ascii_graphic()), "{key:?}");
        }
    }
}
