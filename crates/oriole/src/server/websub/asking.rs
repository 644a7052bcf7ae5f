//! Hubs are asked to tell us: some at a time, those of one host one after the other, and more and more seldom if that fails.
//!
//! A feed can name any address as its hub. So no hub is waited for by others, and who does not want to be asked is left alone.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawl::fetch::Fetcher;
use crawl::fleet::Hub;
use tokio::sync::mpsc::Receiver;
use tokio::sync::{Mutex, Semaphore};
use url::Url;

use super::{LEASE, Subscription};
use crate::server::Desk;

/// Hubs that are asked at the same time, and that wait for that. Others are found again when their feeds are read again.
const AT_ONCE: usize = 8;
const MOST_WAITING: usize = 1_000;

/// The longest time that a hub may take.
const LONGEST: Duration = Duration::from_secs(10);

/// How long a host of hubs is left alone if it fails: doubled each time, up to the longest.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(86_400);

/// Hosts of hubs that are remembered.
const MOST_HOSTS: usize = 10_000;

/// How a host of hubs has behaved.
#[derive(Default)]
struct Standing {
    failures: u32,
    rests_until: Option<Instant>,
}

impl Standing {
    fn rests(&self, now: Instant) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    fn fail(&mut self, now: Instant) {
        let rest = FIRST_REST.saturating_mul(2u32.saturating_pow(self.failures)).min(LONGEST_REST);
        self.failures = self.failures.saturating_add(1);
        self.rests_until = Some(now + rest);
    }
}

/// Hosts of hubs, by scheme, name and port. Whoever holds one asks it.
#[derive(Default)]
struct Hosts(HashMap<String, Arc<Mutex<Standing>>>);

impl Hosts {
    /// None if the host is to be left alone, or there are too many.
    fn find(&mut self, hub: &Url, now: Instant) -> Option<Arc<Mutex<Standing>>> {
        // One that is held is being asked.
        let rests = |host: &Mutex<Standing>| host.try_lock().is_ok_and(|standing| standing.rests(now));
        if self.0.len() >= MOST_HOSTS {
            self.0.retain(|_, host| rests(host) || Arc::strong_count(host) > 1);
        }
        let name = hub.origin().ascii_serialization();
        if self.0.len() >= MOST_HOSTS && !self.0.contains_key(&name) {
            return None;
        }
        let host = self.0.entry(name).or_default();
        (!rests(host)).then(|| Arc::clone(host))
    }
}

/// Asks hubs to tell us, as they are found.
pub async fn subscribe(desk: Desk, fetcher: Fetcher, mut found: Receiver<Hub>) {
    let Some(callback) = desk.config().signals.websub_callback.clone() else { return };
    let (mut hosts, waiting) = (Hosts::default(), Arc::new(Semaphore::new(MOST_WAITING)));
    let asker = Arc::new(Asker { desk, fetcher, callback, places: Semaphore::new(AT_ONCE) });
    while let Some(Hub { hub, topic }) = found.recv().await {
        let Ok(hub) = Url::parse(&hub) else { continue };
        let Some(host) = hosts.find(&hub, Instant::now()) else { continue };
        let Ok(place) = Arc::clone(&waiting).try_acquire_owned() else { continue };
        let asker = Arc::clone(&asker);
        tokio::spawn(async move {
            asker.ask(&host, &hub, &topic).await;
            drop(place);
        });
    }
}

struct Asker {
    desk: Desk,
    fetcher: Fetcher,
    callback: String,
    places: Semaphore,
}

impl Asker {
    /// Asks a hub when it is its turn, unless its host has failed meanwhile.
    async fn ask(&self, host: &Mutex<Standing>, hub: &Url, topic: &str) {
        let mut standing = host.lock().await;
        // The semaphore is never closed.
        let Ok(_place) = self.places.acquire().await else { return };
        if standing.rests(Instant::now()) {
            return;
        }
        let Some((id, subscription)) = self.desk.subscriptions().begin(topic) else { return };
        let form = request(&self.callback, &id, &subscription);
        let hub_name = hub.as_str();
        match tokio::time::timeout(LONGEST, self.fetcher.post_form(hub, form)).await {
            Ok(Ok(answer)) if (200..300).contains(&answer.status) => {
                *standing = Standing::default();
                tracing::info!(hub = hub_name, topic, "a hub was asked to tell of changes");
            }
            failed => {
                let reason = match failed {
                    Ok(Ok(answer)) => format!("status {}", answer.status),
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => "it does not answer".to_owned(),
                };
                tracing::info!(hub = hub_name, topic, reason, "a hub does not tell of changes");
                standing.fail(Instant::now());
                self.desk.subscriptions().end(&id);
            }
        }
    }
}

fn request(callback: &str, id: &str, subscription: &Subscription) -> String {
    let (callback, lease) = (format!("{callback}/websub/{id}"), LEASE.as_secs().to_string());
    let fields = [
        ("hub.mode", "subscribe"),
        ("hub.topic", &subscription.topic),
        ("hub.callback", &callback),
        ("hub.secret", &subscription.secret),
        ("hub.lease_seconds", &lease),
    ];
    serde_urlencoded::to_string(fields).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use crawl::fetch::FetchSettings;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    use super::*;
    use crate::server::testing::Site;

    /// A hub that gives this answer, or none at all; each request is told of.
    async fn hub(answer: Option<&'static str>) -> (String, mpsc::UnboundedReceiver<()>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    _ = stream.read(&mut [0; 8_192]).await;
                    _ = sender.send(());
                    let Some(answer) = answer else { return std::future::pending().await };
                    let head = "Content-Length: 0\r\nConnection: close";
                    _ = stream.write_all(format!("HTTP/1.1 {answer}\r\n{head}\r\n\r\n").as_bytes()).await;
                });
            }
        });
        (address, asked)
    }

    #[tokio::test]
    async fn no_hub_waits_for_others_and_who_fails_is_left_alone() {
        let site = Site::new(&[]);
        let desk = site.desk("[signals]\nwebsub_callback = \"http://search.example.org\"\n");
        let settings = FetchSettings { allow_private: true, ..FetchSettings::default() };
        let ((silent, _), (failing, mut failures), (good, mut asked)) =
            (hub(None).await, hub(Some("500 No")).await, hub(Some("202 Accepted")).await);
        let (sender, found) = mpsc::channel(100);
        for n in 0..20 {
            let of = |hub: &str, name: &str| Hub { hub: format!("{hub}/{n}"), topic: format!("http://{name}/{n}") };
            sender.try_send(of(&silent, "silent.example")).unwrap();
            sender.try_send(of(&failing, "failing.example")).unwrap();
        }
        sender.try_send(Hub { hub: good, topic: "http://good.example/feed".into() }).unwrap();
        tokio::spawn(subscribe(desk.clone(), Fetcher::new(settings).unwrap(), found));
        asked.recv().await.unwrap();
        failures.recv().await.unwrap();
        // Those that have to wait for the one that has failed give up.
        while sender.capacity() < 100 || desk.subscriptions().all().len() > 2 {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(failures.try_recv().is_err(), "it was asked again");
    }

    #[test]
    fn rests_grow_and_end() {
        let (mut standing, start) = (Standing::default(), Instant::now());
        assert!(!standing.rests(start));
        standing.fail(start);
        assert!(standing.rests(start + FIRST_REST / 2) && !standing.rests(start + FIRST_REST));
        standing.fail(start);
        assert!(standing.rests(start + FIRST_REST) && !standing.rests(start + 2 * FIRST_REST));
        (0..100).for_each(|_| standing.fail(start));
        assert!(standing.rests(start + LONGEST_REST / 2) && !standing.rests(start + LONGEST_REST));
    }

    #[test]
    fn hosts_are_bounded() {
        let (mut hosts, now) = (Hosts::default(), Instant::now());
        for n in 0..MOST_HOSTS + 10 {
            hosts.find(&Url::parse(&format!("http://h{n}.example/")).unwrap(), now);
        }
        assert!(hosts.0.len() <= MOST_HOSTS);
    }
}
