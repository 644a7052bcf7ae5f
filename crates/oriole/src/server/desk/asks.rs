//! What readers ask for, written down for many at a time: no reader waits for it.

use std::path::PathBuf;
use std::time::Duration;

use store::{AskKind, Catalogue, DataFolder, PageId};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Readers that may wait to be counted; more are not.
const MOST_WAITING: usize = 10_000;

/// How long asks are collected.
const PAUSE: Duration = Duration::from_secs(1);

type Asked = (AskKind, Vec<PageId>);

/// Takes down what readers ask for.
pub(super) struct Asks(Sender<Asked>);

impl Asks {
    /// Collects asks for this data folder.
    pub(super) fn collect(data: PathBuf) -> Self {
        let (sender, asks) = channel(MOST_WAITING);
        tokio::spawn(write_down(asks, data));
        Self(sender)
    }

    pub(super) fn note(&self, kind: AskKind, pages: Vec<PageId>) {
        if !pages.is_empty() {
            _ = self.0.try_send((kind, pages));
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
