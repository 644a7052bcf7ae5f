//! Who is logged in.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::server::Problem;

/// Sessions at a time; the oldest ends when there would be more.
const MOST: usize = 1_000;

/// Digests of the numbers of sessions, and when each ends. They end with the program, too.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<[u8; 32], Instant>>);

impl Sessions {
    /// A new session: its number, which nobody can guess.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub(super) fn begin(&self, until: Instant) -> Result<String, Problem> {
        let id = hex(&random().map_err(Problem::failed)?);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST
            && let Some(oldest) = all.iter().min_by_key(|(_, end)| **end).map(|(key, _)| *key)
        {
            all.remove(&oldest);
        }
        all.insert(key(&id), until);
        Ok(id)
    }

    pub(super) fn is_known(&self, id: &str, now: Instant) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&key(id)).is_some_and(|end| *end > now)
    }

    pub(super) fn end(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(id));
    }
}

fn key(id: &str) -> [u8; 32] {
    Sha256::digest(id).into()
}

/// 256 bits that nobody can guess.
///
/// # Errors
/// If the system gives none.
pub(crate) fn random() -> anyhow::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
    Ok(bytes)
}

/// In digits of base 16.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn sessions_end() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let later = now + Duration::from_secs(10);
        let (one, other) = (sessions.begin(later).unwrap(), sessions.begin(later).unwrap());
        assert!(one.len() == 64 && one != other);
        assert!(sessions.is_known(&one, now) && !sessions.is_known(&one, later) && !sessions.is_known("", now));
        sessions.end(&one);
        assert!(!sessions.is_known(&one, now) && sessions.is_known(&other, now));
        (0..MOST).for_each(|_| _ = sessions.begin(later + Duration::from_secs(1)).unwrap());
        assert!(!sessions.is_known(&other, now) && sessions.0.lock().unwrap().len() == MOST);
    }
}
