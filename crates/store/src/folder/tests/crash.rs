//! The process ends at any instant: archive, catalogue and index agree afterwards.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::path::Path;

use proptest::prelude::*;

use super::super::{DataFolder, Recovery};
use crate::archive::file_name;
use crate::conformance::sample;
use crate::{
    Archive, ArchiveSettings, Batch, Catalogue, Journal, Lengths, NewPage, PageChange, PageId, Position, State,
    Timestamp, Values,
};

/// Where the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    BeforeSync,
    BeforePrepare,
    BeforeIndex,
    BeforeApply,
    Never,
}

const ENDS: [End; 5] = [End::BeforeSync, End::BeforePrepare, End::BeforeIndex, End::BeforeApply, End::Never];

/// One batch of a random history.
#[derive(Clone, Debug)]
struct Work {
    new: u8,
    visits: Vec<u8>,
    indexed: bool,
    end: End,
    /// How much of what was not synced is on disk, in 255ths.
    torn: u8,
}

/// What must be true.
#[derive(Clone, Debug, Default, PartialEq)]
struct Truth {
    pages: u32,
    /// For each page visited: last change, and where its copy is.
    copies: BTreeMap<u32, (Timestamp, Position)>,
    lengths: Lengths,
    visits: u64,
}

/// The search index as far as it matters here: it keeps what is committed, with the number of the batch.
#[derive(Clone, Default)]
struct Index {
    batch: Option<u64>,
    pages: BTreeMap<u32, Timestamp>,
}

struct World {
    truth: Truth,
    index: Index,
    clock: i64,
}

fn settings() -> ArchiveSettings {
    ArchiveSettings { rotate_at: 3000, ..ArchiveSettings::default() }
}

impl World {
    fn new() -> Self {
        Self { truth: Truth::default(), index: Index::default(), clock: 1_700_000_000_000 }
    }

    /// Opens, looks whether everything is as it should be, and does some work. Says how recovery went.
    fn live(&mut self, path: &Path, works: &[Work]) -> Recovery {
        let mut folder = DataFolder::open_with(path, settings()).unwrap();
        let recovery = folder.recover(self.index.batch).unwrap();
        self.compare(&mut folder);
        for (number, work) in (recovery.next_batch..).zip(works) {
            if !self.write(&mut folder, number, work) {
                let synced = self.truth.lengths.clone();
                let written = folder.archive.lengths();
                drop(folder);
                if work.end == End::BeforeSync {
                    tear(path, &synced, &written, work.torn);
                }
                return recovery;
            }
        }
        recovery
    }

    /// Does the work up to its end; true if it went through.
    fn write(&mut self, folder: &mut DataFolder, number: u64, work: &Work) -> bool {
        let (batch, truth) = self.batch(folder, number, work);
        if work.end == End::BeforeSync {
            return false;
        }
        folder.archive.sync().unwrap();
        let truth = Truth { lengths: folder.archive.lengths(), ..truth };
        let batch = Batch { archive: truth.lengths.clone(), ..batch };
        if work.end == End::BeforePrepare || (!work.indexed && work.end < End::Never) {
            return false;
        }
        if work.indexed {
            folder.catalogue.prepare(&batch).unwrap();
            if work.end == End::BeforeIndex {
                return false;
            }
            self.index.batch = Some(number);
            self.index.pages.extend(batch.pages.iter().map(|c| (c.page.0, c.values.changed_at.unwrap())));
            self.truth = truth;
            if work.end == End::BeforeApply {
                return false;
            }
        } else {
            self.truth = truth;
        }
        folder.catalogue.apply(&batch).unwrap();
        true
    }

    /// A batch with its records appended, and what is true after it.
    fn batch(&mut self, folder: &mut DataFolder, number: u64, work: &Work) -> (Batch, Truth) {
        let mut truth = self.truth.clone();
        let new: Vec<NewPage> = (0..u32::from(work.new)).map(|n| sample::new_page(truth.pages + n)).collect();
        truth.pages += u32::from(work.new);
        let mut pages = Vec::new();
        let visited = work.visits.iter().filter(|_| truth.pages > 0 && work.indexed);
        for n in visited.map(|n| u32::from(*n) % truth.pages).collect::<std::collections::BTreeSet<_>>() {
            self.clock += 1000;
            let at = Timestamp(self.clock);
            let record = sample::response(n, 300).encode();
            let place = folder.archive.append(&record).unwrap();
            let values = Values {
                state: State::Fetched,
                changed_at: Some(at),
                archive: Some(place),
                indexed: true,
                ..Values::default()
            };
            let visit = crate::Visit { at, archive: Some(place), ..sample::visit(0) };
            pages.push(PageChange { page: PageId(n), visit: Some(visit), values });
            truth.copies.insert(n, (at, place));
            truth.visits += 1;
        }
        (Batch { number, new, pages, hosts: (0..3).map(sample::host).collect(), ..Batch::default() }, truth)
    }

    fn compare(&self, folder: &mut DataFolder) {
        let mut pages = 0;
        let mut copies = BTreeMap::new();
        let load = &mut |page: crate::Page| {
            assert_eq!((page.id.0, &page.url), (pages, &sample::new_page(pages).url));
            pages += 1;
            if let (Some(at), Some(place)) = (page.values.changed_at, page.values.archive) {
                copies.insert(page.id.0, (at, place));
            }
        };
        folder.catalogue.load(load).unwrap();
        let visits = folder.catalogue.counts().unwrap().visits;
        // A catalogue without any batch keeps no records.
        let truth = Truth { pages, copies, lengths: folder.archive.lengths(), visits };
        assert_eq!(truth, self.truth);
        let mut indexed = BTreeMap::new();
        folder.catalogue.indexed(&mut |page, at| indexed.extend([(page.0, at)])).unwrap();
        assert_eq!(indexed, self.index.pages, "the index has each page once, as the catalogue says");
        let report = folder.check(false).unwrap();
        assert_eq!(report.findings, []);
    }
}

/// Leaves only a part of what was written and not synced: later files, too, may be torn or missing.
fn tear(path: &Path, synced: &Lengths, written: &Lengths, share: u8) {
    for (file, length) in written {
        let from = synced.get(file).copied().unwrap_or(0);
        let kept = from + (length - from) * u64::from(share) / 255;
        let path = path.join("archive").join(file_name(*file));
        OpenOptions::new().write(true).open(path).unwrap().set_len(kept).unwrap();
    }
}

fn work(end: End, torn: u8) -> Work {
    Work { new: 3, visits: vec![0, 1, 2, 4], indexed: true, end, torn }
}

#[test]
fn killed_at_every_step() {
    for end in ENDS {
        for torn in [0, 1, 100, 254, 255] {
            let folder = tempfile::tempdir().unwrap();
            let mut world = World::new();
            world.live(folder.path(), &[work(End::Never, 0), work(End::Never, 0), work(end, torn)]);
            let recovery = world.live(folder.path(), &[work(End::Never, 0)]);
            let journal = match end {
                End::BeforeIndex => Journal::Dropped(3),
                End::BeforeApply => Journal::Applied(3),
                _ => Journal::Empty,
            };
            assert_eq!(recovery.journal, journal);
            if end != End::BeforeSync {
                assert_eq!(recovery.is_clean(), end == End::Never, "{recovery}");
            }
            assert!(world.live(folder.path(), &[]).is_clean());
        }
    }
}

fn any_work() -> impl Strategy<Value = Work> {
    let end = prop_oneof![3 => Just(End::Never), 2 => prop::sample::select(&ENDS[..4])];
    let visits = prop::collection::vec(any::<u8>(), 0..6);
    (0_u8..5, visits, any::<bool>(), end, any::<u8>()).prop_map(|(new, visits, indexed, end, torn)| Work {
        new,
        visits,
        indexed,
        end,
        torn,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_history_of_batches_and_crashes(lives in prop::collection::vec(prop::collection::vec(any_work(), 0..5), 1..6)) {
        let folder = tempfile::tempdir().unwrap();
        let mut world = World::new();
        for works in &lives {
            world.live(folder.path(), works);
        }
        world.live(folder.path(), &[]);
        prop_assert!(world.live(folder.path(), &[]).is_clean());
    }
}
