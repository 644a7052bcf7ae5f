//! A fleet against servers on loopback that say what they are told to, seen from both sides.

mod hosts;
mod import;
mod listings;
mod manners;
mod pages;
mod sites;
mod steering;
mod warnings;

#[path = "../../../oriole/tests/cli/site/server.rs"]
#[expect(dead_code, reason = "shared with the tests of the program, which use more of it")]
mod server;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use freshness::learn::Prior;
use store::{Batch, Catalogue, Document, MemoryBuffer, SqliteCatalogue, State as Known, Timestamp, Values, Wish};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;
use crate::address::PageUrl;
use crate::examine::Examiner;
use crate::fetch::FetchSettings;
use crate::frontier::{Finding, Settings};
use crate::scope::{Reach, Scope, ScopeRules};
use server::Server;

/// A crawl that can be run again and again on one catalogue.
struct Crawl {
    folder: tempfile::TempDir,
    seeds: Vec<String>,
    rules: ScopeRules,
    settings: FleetSettings,
    fetch: FetchSettings,
    places: usize,
    batches: u64,
    /// Pages read by the last crawl.
    read: u64,
    /// What is wanted when the next crawl begins.
    wishes: Vec<(Wish, String)>,
    /// What the index would have.
    index: BTreeMap<PageId, Document>,
}

impl Crawl {
    /// A crawl that visits everything once, fast and with short tempers.
    fn of(seeds: &[String]) -> Self {
        let frontier = Settings {
            budget: None,
            delay: 0.0,
            connections: 8,
            least_revisit: 0.0,
            revisit: false,
            ..Settings::default()
        };
        let settings = FleetSettings {
            frontier,
            product_token: "oriole".into(),
            obsolete_after: f64::INFINITY,
            learned_obsolescence: false,
            retry: 0.05,
            tries: 3,
            look_again: 86_400.0,
            archive: true,
            index: true,
            once: true,
            weights: Default::default(),
            demand: Default::default(),
        };
        let fetch = FetchSettings {
            allow_private: true,
            connect: Duration::from_secs(1),
            silence: Duration::from_millis(300),
            total: Duration::from_secs(2),
            ..FetchSettings::default()
        };
        Self {
            folder: tempfile::tempdir().unwrap(),
            seeds: seeds.to_vec(),
            rules: ScopeRules::default(),
            settings,
            fetch,
            places: 16,
            batches: 0,
            read: 0,
            wishes: Vec::new(),
            index: BTreeMap::new(),
        }
    }

    fn anywhere(mut self) -> Self {
        self.rules.reach = Reach::Anywhere;
        self
    }

    fn catalogue(&self) -> PathBuf {
        self.folder.path().join("oriole.db")
    }

    /// Visits every page once that has not been visited since the crawl before.
    async fn run(&mut self) -> &mut Self {
        let exhausted = self.crawl(|_| false).await;
        assert!(exhausted);
        self
    }

    /// Keeps pages fresh until that can be said of the catalogue.
    async fn run_until(&mut self, is_over: impl Fn(&SqliteCatalogue) -> bool) -> &mut Self {
        (self.settings.once, self.settings.frontier.revisit) = (false, true);
        self.crawl(is_over).await;
        self
    }

    async fn crawl(&mut self, is_over: impl Fn(&SqliteCatalogue) -> bool) -> bool {
        let mut keeper = SqliteCatalogue::open(&self.catalogue()).unwrap();
        let (records, kept) = unbounded_channel();
        let (sender, messages) = unbounded_channel();
        let counters = Arc::new(Counters::default());
        let (waiting, room) = (Arc::clone(&counters), sender.clone());
        let buffer: Arc<dyn Buffer<Delivery>> = Arc::new(MemoryBuffer::new(
            self.places,
            || now().seconds(),
            move |_| {
                if waiting.is_waiting_for_room() {
                    _ = room.send(Message::Room);
                }
            },
        ));
        let mut state = self.state();
        let seeds: Vec<PageUrl> = self.seeds.iter().map(|seed| PageUrl::parse(seed).unwrap()).collect();
        state.seed(&seeds, now()).into_iter().for_each(|record| _ = records.send(record));
        let gear = Gear {
            fetcher: Fetcher::new(self.fetch.clone()).unwrap(),
            steering: Steering::fixed(8),
            reserve: true,
            seen: None,
            hubs: None,
            buffer: Arc::clone(&buffer),
            records,
            sender: sender.clone(),
            counters,
        };
        for (number, (wish, url)) in std::mem::take(&mut self.wishes).into_iter().enumerate() {
            _ = sender.send(Message::Command { id: number as u64, wish, url });
        }
        let fleet = tokio::spawn(Fleet::new(state, gear, self.settings.once).run(messages));
        let mut shelf = Shelf { batch: self.batches, kept, buffer, sender };
        let deadline = Instant::now() + Duration::from_secs(20);
        while !fleet.is_finished() || !shelf.is_empty() {
            assert!(Instant::now() < deadline, "the crawl does not end");
            shelf.keep(&mut keeper, &mut self.index);
            if is_over(&keeper) {
                _ = shelf.sender.send(Message::Stop);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let ended = fleet.await.unwrap();
        self.read = ended.read;
        self.batches = shelf.batch;
        ended.exhausted
    }

    fn state(&self) -> State {
        let seeds: Vec<PageUrl> = self.seeds.iter().map(|seed| PageUrl::parse(seed).unwrap()).collect();
        let examiner = Examiner {
            scope: Scope::new(&seeds, &self.rules).unwrap(),
            limits: Default::default(),
            most_bytes: 1 << 20,
            seed: 7,
            least_change: 0.0,
        };
        let catalogue = SqliteCatalogue::read(&self.catalogue()).unwrap();
        let prior = Prior::unknown(86_400.0).unwrap();
        State::restore(catalogue, Arc::new(examiner), self.settings.clone(), prior, (now(), Some(now()))).unwrap()
    }

    /// Makes every `robots.txt` so old that it must be read again.
    fn age_robots_txt(&mut self) {
        let mut catalogue = SqliteCatalogue::open(&self.catalogue()).unwrap();
        let mut batch = Batch::default();
        for host in catalogue.hosts().unwrap() {
            batch.robots_txt.extend(catalogue.robots_txt(host.id).unwrap());
        }
        batch.robots_txt.iter_mut().for_each(|rules| rules.fetched_at.0 -= 86_400_000);
        self.batches += 1;
        batch.number = self.batches;
        catalogue.apply(&batch).unwrap();
    }

    /// All pages, by their addresses.
    fn pages(&self) -> BTreeMap<String, (PageId, Values)> {
        let mut pages = BTreeMap::new();
        let catalogue = SqliteCatalogue::read(&self.catalogue()).unwrap();
        catalogue.load(&mut |page| _ = pages.insert(page.url, (page.id, page.values))).unwrap();
        pages
    }

    fn values(&self, url: &str) -> Values {
        self.pages().remove(url).unwrap_or_else(|| panic!("{url} is not known")).1
    }

    fn state_of(&self, url: &str) -> Option<Known> {
        self.pages().get(url).map(|(_, values)| values.state)
    }

    /// Addresses in the index, which must be those that the catalogue says are.
    fn indexed(&self) -> Vec<String> {
        let (said, there): (Vec<_>, Vec<_>) = self
            .pages()
            .into_iter()
            .map(|(url, (id, values))| {
                (values.indexed.then(|| url.clone()), self.index.contains_key(&id).then_some(url))
            })
            .unzip();
        assert_eq!(said, there);
        said.into_iter().flatten().collect()
    }

    fn is_indexed(&self, url: &str) -> bool {
        self.indexed().iter().any(|known| known == url)
    }
}

/// Keeps what a fleet finds.
struct Shelf {
    batch: u64,
    kept: UnboundedReceiver<Record>,
    buffer: Arc<dyn Buffer<Delivery>>,
    sender: UnboundedSender<Message>,
}

impl Shelf {
    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.buffer.occupancy() == 0
    }

    fn keep(&mut self, catalogue: &mut SqliteCatalogue, index: &mut BTreeMap<PageId, Document>) {
        let mut visits = Vec::new();
        let deliveries = self.buffer.take(usize::MAX, Duration::ZERO);
        self.buffer.done(deliveries.len());
        for delivery in deliveries {
            index.insert(delivery.document.page, delivery.document);
            visits.push(delivery.visit);
        }
        let mut batch = Batch::default();
        while let Ok(record) = self.kept.try_recv() {
            match record {
                Record::New(pages) => batch.new.extend(pages),
                Record::Visit(visit) => visits.push(*visit),
                Record::Host(host) => {
                    batch.hosts.retain(|known| known.id != host.id);
                    batch.hosts.push(host);
                }
                Record::RobotsTxt(rules) => batch.robots_txt.push(rules),
                Record::Links(links) => batch.links.extend(links),
                Record::Demand { demand, counted } => {
                    batch.demand.extend(demand);
                    batch.counted = Some(counted);
                }
                Record::Command(command) => batch.commands.push(command),
                Record::Note(name, value) => batch.notes.push((name, value)),
            }
        }
        for visit in &visits {
            if visit.remove {
                assert!(index.remove(&visit.change.page).is_some(), "what is removed was there");
            }
        }
        let at = |visit: &Visited| visit.change.visit.map_or(Timestamp::default(), |visit| visit.at);
        let told = visits.iter().map(|visit| (visit.change.page, at(visit), visit.finding)).collect();
        batch.pages = visits.into_iter().map(|visit| visit.change).collect();
        if batch == Batch::default() {
            return;
        }
        self.batch += 1;
        batch.number = self.batch;
        let pages = batch.new.last().map_or(0, |page| page.id.0 + 1);
        catalogue.apply(&batch).unwrap();
        _ = self.sender.send(Message::Kept { visits: told, pages });
    }
}
