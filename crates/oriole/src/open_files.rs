//! How many files and connections may be open at a time.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than this nobody needs here, and some systems would let us have a billion.
const ENOUGH: u64 = 65_536;

/// Takes as many as the system lets us have. What it gives unasked is meant for small programs, and an engine that cannot open
/// its archive ends.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if most > self::limit() {
        // Where this is not allowed it stays as it is: fewer are served at a time.
        _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: limit.maximum });
    }
}

/// How many it may be.
pub(crate) fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(ENOUGH)
}
