//! Connections: where they come in, how many at a time, and how long they may take to say what they want.

mod patient;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

use super::access::{Names, Peer, is_ours};
use super::{Desk, router};
use crate::config::{Listen, ServerConfig};
use crate::open_files;
use patient::Patient;

/// The usual port.
const PORT: u16 = 8080;

/// Ports tried from there on.
const PORTS: u16 = 20;

/// Connections at a time. One address may have half of them.
const MOST_CONNECTIONS: usize = 1_024;

/// Connections at a time to a port that is not for pages.
const MOST_ASIDE: usize = 64;

/// Time to send the head of a request, also of the next one on the same connection.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// Time for which nothing of an answer may be taken.
const UNREAD_TIME: Duration = Duration::from_secs(30);

/// Bytes of the head of a request.
const MOST_HEAD: usize = 32 << 10;

/// Opens the port, so that an error is seen before anything else begins. None if nothing is to be served.
///
/// # Errors
/// If others would be served without a token, or the address cannot be used.
pub async fn open(config: &ServerConfig) -> Result<Option<TcpListener>> {
    config.check()?;
    match config.listen {
        Listen::Off => Ok(None),
        Listen::At(address) => {
            let listener = TcpListener::bind(address).await;
            let problem = || format!("cannot serve pages at {address}; choose another address with --listen");
            listener.map(Some).with_context(problem)
        }
        Listen::Auto => Ok(free_port().await),
    }
}

/// The usual port, or the next that is free. None if there is none: nobody asked for it, so nothing stops for it.
async fn free_port() -> Option<TcpListener> {
    for port in (PORT..PORT + PORTS).chain([0]) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => return Some(listener),
            Err(error) if port == 0 => tracing::warn!(%error, "no pages are served: there is no free port"),
            Err(_) => {}
        }
    }
    None
}

/// Serves pages until the program ends.
pub async fn serve(listener: TcpListener, desk: Desk) {
    accept(listener, router(desk), most_connections(open_files::limit())).await;
}

/// Serves something small at a port of its own until the program ends: to few at a time, and only under our names.
pub(crate) async fn serve_aside(listener: TcpListener, router: Router, hosts: &[String]) {
    let listening = listener.local_addr().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip());
    let names = Arc::new(Names::new(hosts, listening));
    let check = move |request: Request, next: Next| {
        let names = Arc::clone(&names);
        async move {
            let (parts, body) = request.into_parts();
            match is_ours(&names, &parts) {
                Ok(()) => next.run(Request::from_parts(parts, body)).await,
                Err(problem) => (problem.status, format!("{}\n", problem.message)).into_response(),
            }
        }
    };
    let most = (most_connections(open_files::limit()) / 8).clamp(2, MOST_ASIDE);
    accept(listener, router.layer(from_fn(check)), most).await;
}

/// Accepts so many connections at a time.
async fn accept(listener: TcpListener, router: Router, most: usize) {
    let places = Arc::new(Semaphore::new(most));
    let callers = Callers::new(most / 2);
    loop {
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::debug!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(caller) = callers.welcome(peer.ip()) else { continue };
        let router = router.clone();
        tokio::spawn(async move {
            talk(stream, peer, router).await;
            drop((place, caller));
        });
    }
}

/// At most half of all that may be open: catalogue, archive, index and robots need the others.
fn most_connections(open_files: u64) -> usize {
    usize::try_from(open_files / 2).map_or(MOST_CONNECTIONS, |half| half.clamp(2, MOST_CONNECTIONS))
}

/// Answers requests on a connection until it ends.
async fn talk(stream: TcpStream, peer: SocketAddr, router: Router) {
    // Small answers are sent at once. Where that cannot be had they come a little later.
    _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer.ip().to_canonical()));
        router.clone().oneshot(request)
    });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MOST_HEAD);
    let stream = Patient::new(stream, UNREAD_TIME);
    if let Err(error) = connection.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, %peer, "a connection broke");
    }
}

/// How many connections there are of each address.
#[derive(Clone)]
struct Callers {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    most: usize,
}

/// A connection, as long as it is there.
struct Caller {
    callers: Callers,
    address: IpAddr,
}

impl Callers {
    fn new(most: usize) -> Self {
        Self { counts: Arc::default(), most }
    }

    /// None if the address has too many.
    fn welcome(&self, address: IpAddr) -> Option<Caller> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Caller { callers: self.clone(), address })
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        let mut counts = self.callers.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

/// An address at which a browser on this machine finds what listens here: `0.0.0.0` is none.
#[must_use]
pub fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_all_connections() {
        let callers = Callers::new(3);
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let mut all: Vec<Caller> = (0..3).map(|_| callers.welcome(one).unwrap()).collect();
        assert!(callers.welcome(one).is_none() && callers.welcome(other).is_some());
        all.pop();
        assert!(callers.welcome(one).is_some());
        drop(all);
        assert!(callers.counts.lock().unwrap().is_empty());
    }

    #[test]
    fn there_are_files_left_for_the_engine() {
        assert_eq!([0, 256, 1_024, 65_536].map(most_connections), [2, 128, 512, MOST_CONNECTIONS]);
    }

    /// Figures are served to few at a time and under our names, so that nobody can take all files from the engine.
    #[tokio::test]
    async fn a_port_aside_takes_few_connections_and_our_names() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/metrics", axum::routing::get(async || "figures"));
        tokio::spawn(async move { serve_aside(listener, router, &["known.example".to_owned()]).await });
        let ask = async |host: &str| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            text
        };
        for ours in ["127.0.0.1:9460", "localhost", "known.example"] {
            assert!(ask(ours).await.ends_with("figures"), "{ours}");
        }
        assert!(ask("evil.example").await.starts_with("HTTP/1.1 421"), "another name");
        let mut idle = Vec::new();
        for _ in 0..100 {
            idle.push(TcpStream::connect(address).await.unwrap());
        }
        let mut open = 0;
        for stream in &mut idle {
            let ended = tokio::time::timeout(Duration::from_millis(20), stream.read(&mut [0])).await;
            open += usize::from(ended.is_err());
        }
        assert!((1..=MOST_ASIDE).contains(&open), "{open} are open");
    }
}
