use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

use super::FetchSettings;

/// How long addresses are remembered, and failures to find them.
const KEPT: Duration = Duration::from_secs(300);
const FAILURE_KEPT: Duration = Duration::from_secs(30);

/// Names remembered at most.
const MOST_NAMES: usize = 10_000;

/// The host has only addresses that must not be visited.
#[derive(Debug, Error)]
#[error("{0} is a private address")]
pub(super) struct PrivateAddress(pub(super) IpAddr);

/// The host has no address.
#[derive(Clone, Debug, Error)]
#[error("{0}")]
pub(super) struct Unknown(Arc<str>);

type Found = Result<Arc<[SocketAddr]>, Unknown>;

/// Finds addresses with the system's resolver, remembers them for a while, and lets no private one through.
#[derive(Clone, Debug)]
pub(super) struct Names {
    settings: Arc<FetchSettings>,
    known: Arc<Mutex<HashMap<String, (Instant, Found)>>>,
}

impl Names {
    pub(super) fn new(settings: Arc<FetchSettings>) -> Self {
        Self { settings, known: Arc::default() }
    }

    async fn find(&self, name: &str) -> Found {
        if let Some(found) = self.remembered(name) {
            return found;
        }
        let found: Found = match tokio::net::lookup_host((name, 0)).await {
            Ok(addresses) => Ok(addresses.collect()),
            Err(error) => Err(Unknown(error.to_string().into())),
        };
        self.remember(name, &found);
        found
    }

    fn remembered(&self, name: &str) -> Option<Found> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, found) = known.get(name)?;
        (Instant::now() < *until).then(|| found.clone())
    }

    fn remember(&self, name: &str, found: &Found) {
        let now = Instant::now();
        let until = now + if found.is_ok() { KEPT } else { FAILURE_KEPT };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_NAMES {
            known.retain(|_, (until, _)| *until > now);
        }
        if known.len() >= MOST_NAMES {
            known.clear();
        }
        known.insert(name.to_owned(), (until, found.clone()));
    }

    fn allowed(&self, found: &[SocketAddr]) -> Result<Vec<SocketAddr>, PrivateAddress> {
        let allowed: Vec<SocketAddr> =
            found.iter().filter(|address| self.settings.allows(address.ip())).copied().collect();
        match found.first() {
            Some(first) if allowed.is_empty() => Err(PrivateAddress(first.ip())),
            _ => Ok(allowed),
        }
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.clone();
        Box::pin(async move {
            let found = names.find(name.as_str()).await?;
            let addresses: Addrs = Box::new(names.allowed(&found)?.into_iter());
            Ok(addresses)
        })
    }
}
