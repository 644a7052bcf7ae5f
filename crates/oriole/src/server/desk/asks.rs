//! What readers ask for, written down for many at a time: no reader waits for it.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use store::{AskKind, Catalogue, DataFolder, PageId};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::server::access::network;

/// Readers that may wait to be counted; more are not.
const MOST_WAITING: usize = 10_000;

/// How long asks are collected.
const PAUSE: Duration = Duration::from_secs(1);

/// Pages that are counted in a day, each once for each reader; more are not.
const MOST_A_DAY: usize = 100_000;

/// Of them for one reader.
const MOST_OF_ONE: u32 = 1_000;

type Asked = (AskKind, Vec<PageId>);

/// Takes down what readers ask for.
pub(super) struct Asks {
    sender: Sender<Asked>,
    counted: Mutex<Counted>,
}

/// What has been counted today. Who asks again and again does not make a page matter more.
#[derive(Default)]
struct Counted {
    day: i64,
    asks: HashSet<(IpAddr, bool, PageId)>,
    readers: HashMap<IpAddr, u32>,
}

impl Counted {
    /// The pages that are to be counted for a reader.
    fn new_of(&mut self, reader: IpAddr, kind: AskKind, pages: Vec<PageId>, day: i64) -> Vec<PageId> {
        if self.day != day {
            *self = Self { day, ..Self::default() };
        }
        let mut is_new = |page: &PageId| {
            let count = self.readers.entry(reader).or_default();
            if self.asks.len() >= MOST_A_DAY || *count >= MOST_OF_ONE {
                return false;
            }
            let is_new = self.asks.insert((reader, kind == AskKind::Clicked, *page));
            *count += u32::from(is_new);
            is_new
        };
        pages.into_iter().filter(|page| is_new(page)).collect()
    }
}

impl Asks {
    /// Collects asks for this data folder.
    pub(super) fn collect(data: PathBuf) -> Self {
        let (sender, asks) = channel(MOST_WAITING);
        tokio::spawn(write_down(asks, data));
        Self { sender, counted: Mutex::default() }
    }

    pub(super) fn note(&self, reader: IpAddr, kind: AskKind, pages: Vec<PageId>) {
        let day = crawl::fleet::now().0.div_euclid(86_400_000);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = counted.new_of(network(reader), kind, pages, day);
        drop(counted);
        if !pages.is_empty() {
            _ = self.sender.try_send((kind, pages));
        }
    }
}

async fn write_down(mut asks: Receiver<Asked>, data: PathBuf) {
    while let Some(first) = asks.recv().await {
        tokio::time::sleep(PAUSE).await;
        let mut all = vec![first];
        while let Ok(next) = asks.try_recv() {
            all.push(next);
        }
        let data = data.clone();
        // It is no part of any answer: where it cannot be noted it is not.
        let written = tokio::task::spawn_blocking(move || write(&data, &all)).await;
        if let Ok(Err(error)) = written {
            tracing::debug!(%error, "searches are not counted");
        }
    }
}

fn write(data: &std::path::Path, all: &[Asked]) -> anyhow::Result<()> {
    let folder = DataFolder::read(data)?;
    let now = crawl::fleet::now();
    for kind in [AskKind::Shown, AskKind::Clicked] {
        let pages: Vec<PageId> = all.iter().filter(|ask| ask.0 == kind).flat_map(|ask| ask.1.iter().copied()).collect();
        if !pages.is_empty() {
            folder.catalogue.ask(now, kind, &pages)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_counts_once_a_day_for_a_page() {
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let pages = |numbers: &[u32]| numbers.iter().copied().map(PageId).collect::<Vec<_>>();
        let mut counted = Counted::default();
        let mut count = |reader, kind, numbers: &[u32], day| counted.new_of(reader, kind, pages(numbers), day);
        assert_eq!(count(one, AskKind::Shown, &[1, 2, 1], 7), pages(&[1, 2]));
        assert_eq!(count(one, AskKind::Shown, &[1, 2, 3], 7), pages(&[3]));
        assert_eq!(count(one, AskKind::Clicked, &[1], 7), pages(&[1]));
        assert_eq!(count(other, AskKind::Shown, &[1], 7), pages(&[1]));
        assert_eq!(count(one, AskKind::Shown, &[1], 8), pages(&[1]));
        let all: Vec<u32> = (0..10_000).collect();
        assert_eq!(count(one, AskKind::Shown, &all, 9).len(), MOST_OF_ONE as usize);
        for reader in 0..200u32 {
            count(IpAddr::from(reader.to_be_bytes()), AskKind::Shown, &all, 10);
        }
        assert!(counted.asks.len() <= MOST_A_DAY && counted.readers.len() <= MOST_A_DAY);
    }
}
