use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crawl::fleet::{Counters, Delivery, Message, Record, Visited};
use crawl::frontier::Finding;
use index::{Indexer, Request, Searcher};
use store::{
    Buffer, Catalogue, DataFolder, Document, Host, HostId, MemoryBuffer, NewPage, Outcome, PageChange, PageId, State,
    Timestamp, Values, Visit, Wish,
};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Keeper, Tools};
use crate::engine::status::StatusBoard;

/// A keeper at work, with the fleet played by the test.
struct Scene {
    folder: TempDir,
    buffer: Arc<dyn Buffer<Delivery>>,
    records: UnboundedSender<Record>,
    messages: UnboundedReceiver<Message>,
    keeper: Option<Keeper>,
}

impl Scene {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let buffer: Arc<dyn Buffer<Delivery>> = Arc::new(MemoryBuffer::new(8, || 0.0, |_| {}));
        let (tools, records, messages) = tools(&folder, &buffer);
        let scene = Self { folder, buffer, records, messages, keeper: Some(Keeper::new(tools).unwrap()) };
        scene.say(Record::Host(host()));
        scene.say(Record::New((0..4).map(new_page).collect()));
        scene
    }

    fn say(&self, record: Record) {
        self.records.send(record).unwrap();
    }

    /// Lets the keeper do all that has been said and offered, and end. What it told the fleet.
    fn end(mut self) -> (TempDir, Vec<Message>) {
        let keeper = self.keeper.take().unwrap();
        self.buffer.close();
        drop(self.records);
        thread::spawn(move || keeper.run().unwrap()).join().unwrap();
        let told = std::iter::from_fn(|| self.messages.try_recv().ok()).collect();
        (self.folder, told)
    }
}

fn tools(
    folder: &TempDir,
    buffer: &Arc<dyn Buffer<Delivery>>,
) -> (Tools, UnboundedSender<Record>, UnboundedReceiver<Message>) {
    let mut folder = DataFolder::open(folder.path()).unwrap();
    std::fs::create_dir_all(folder.index_path()).unwrap();
    let indexer = Indexer::open(&folder.index_path(), &index::Settings::default()).unwrap();
    let next_batch = folder.recover(indexer.committed()).unwrap().next_batch;
    let (said, records) = unbounded_channel();
    let (fleet, messages) = unbounded_channel();
    let board = Arc::new(StatusBoard::new(Arc::new(Counters::default()), Arc::clone(buffer), 1, None));
    let (indexer, buffer, seen, slowness) = (Some(indexer), Arc::clone(buffer), None, None);
    (Tools { folder, indexer, buffer, records, fleet, board, seen, slowness, next_batch }, said, messages)
}

#[test]
fn a_keeper_that_breaks_down_stops_the_fleet() {
    let (folder, is_broken) = (TempDir::new().unwrap(), Arc::new(AtomicBool::new(false)));
    let watched = Arc::clone(&is_broken);
    let clock = move || if watched.load(Ordering::Relaxed) { panic!("no time") } else { 0.0 };
    let buffer: Arc<dyn Buffer<Delivery>> = Arc::new(MemoryBuffer::new(8, clock, |_| {}));
    let (tools, _records, mut messages) = tools(&folder, &buffer);
    is_broken.store(true, Ordering::Relaxed);
    let keeping = crate::engine::keep(tools).unwrap();
    assert!(matches!(messages.blocking_recv(), Some(Message::Stop)));
    let Err(error) = keeping.blocking_recv().unwrap() else { panic!("it did not break down") };
    assert_eq!(error.to_string(), "the keeper broke down");
}

fn host() -> Host {
    let name = "http://e.org".to_owned();
    Host { id: HostId(0), name, delay: 1.0, failures: 0, blocked_until: None, pages: 0, learned: None }
}

fn new_page(id: u32) -> NewPage {
    let url = format!("http://e.org/{id}");
    let found_at = Timestamp(1_000);
    NewPage { id: PageId(id), url, host: HostId(0), depth: 0, found_at, referrer: None, weight: 1.0, links_in: 0 }
}

fn visited(id: u32, at: i64, (outcome, state): (Outcome, State), finding: Finding) -> Visited {
    let at = Timestamp(at);
    let visit = Visit { at, outcome, status: Some(200), bytes: 10, milliseconds: 1, archive: None };
    let indexed = state == State::Fetched;
    let values = Values { state, checked_at: Some(at), changed_at: Some(at), indexed, ..Values::default() };
    let change = PageChange { page: PageId(id), visit: Some(visit), values };
    Visited { change, record: None, is_copy: false, finding, remove: false }
}

fn delivery(id: u32, at: i64) -> Delivery {
    let document = Document {
        page: PageId(id),
        url: format!("http://e.org/{id}"),
        host: "e.org".into(),
        title: format!("orioles {id}"),
        description: String::new(),
        headings: Vec::new(),
        text: "golden robins come back".into(),
        language: Some("en".into()),
        published: None,
        fetched_at: Timestamp(at),
        changed_at: Timestamp(at),
        links_in: 0,
        depth: 0,
    };
    Delivery { document, visit: visited(id, at, (Outcome::New, State::Fetched), Finding::First) }
}

fn hits(folder: &TempDir) -> Vec<PageId> {
    let searcher = Searcher::open(&folder.path().join("index")).unwrap();
    let answer = searcher.search(&Request::new("robins", Timestamp(0))).unwrap();
    let mut pages: Vec<PageId> = answer.hits.iter().map(|hit| hit.page).collect();
    pages.sort();
    pages
}

#[test]
fn what_is_found_is_remembered_and_the_fleet_is_told() {
    let scene = Scene::new();
    scene.buffer.offer(delivery(1, 5_000), None);
    scene.say(Record::Visit(Box::new(visited(2, 6_000, (Outcome::Gone, State::Gone), Finding::Later(99.0)))));
    scene.say(Record::Note("name".into(), "value".into()));
    let (folder, told) = scene.end();
    assert_eq!(hits(&folder), [PageId(1)]);
    let data = DataFolder::read(folder.path()).unwrap();
    let state = |id| data.catalogue.page(PageId(id)).unwrap().unwrap().values.state;
    assert_eq!([state(0), state(1), state(2), state(3)], [State::Known, State::Fetched, State::Gone, State::Known]);
    assert_eq!(data.catalogue.note("name").unwrap().as_deref(), Some("value"));
    let kept: Vec<_> = told
        .iter()
        .filter_map(|message| if let Message::Kept { visits, pages } = message { Some((visits, *pages)) } else { None })
        .collect();
    assert_eq!(kept.len(), 1, "{told:?}");
    let mut visits: Vec<_> = kept[0].0.iter().map(|(page, at, _)| (page.0, at.0)).collect();
    visits.sort_unstable();
    assert_eq!((visits, kept[0].1), (vec![(1, 5_000), (2, 6_000)], 4));
}

#[test]
fn a_page_taken_out_does_not_come_back_with_what_was_fetched_before() {
    let mut scene = Scene::new();
    let removal = visited(1, 6_000, (Outcome::Excluded, State::Excluded), Finding::Never);
    scene.say(Record::Visit(Box::new(removal)));
    let keeper = scene.keeper.as_mut().unwrap();
    keeper.take_records();
    keeper.commit().unwrap();
    scene.buffer.offer(delivery(1, 5_000), None);
    scene.buffer.offer(delivery(2, 5_000), None);
    let (folder, told) = scene.end();
    assert_eq!(hits(&folder), [PageId(2)]);
    let returned = |message: &&Message| matches!(message, Message::Returned(delivery) if delivery.document.page.0 == 1);
    assert_eq!(told.iter().filter(returned).count(), 1);
    let data = DataFolder::read(folder.path()).unwrap();
    assert_eq!(data.catalogue.page(PageId(1)).unwrap().unwrap().values.state, State::Excluded);
}

#[test]
fn what_is_removed_leaves_the_index() {
    let mut scene = Scene::new();
    scene.buffer.offer(delivery(1, 5_000), None);
    scene.buffer.offer(delivery(2, 5_000), None);
    let keeper = scene.keeper.as_mut().unwrap();
    let deliveries = keeper.buffer.take(8, super::PAUSE);
    keeper.index(deliveries).unwrap();
    keeper.take_records();
    keeper.commit().unwrap();
    let mut removal = visited(2, 7_000, (Outcome::Gone, State::Gone), Finding::Later(99.0));
    removal.remove = true;
    scene.say(Record::Visit(Box::new(removal)));
    let (folder, _) = scene.end();
    assert_eq!(hits(&folder), [PageId(1)]);
}

#[test]
fn commands_are_passed_on_once() {
    let mut scene = Scene::new();
    let reader = DataFolder::read(scene.folder.path()).unwrap();
    reader.catalogue.post(Timestamp(1), Wish::Add, &["http://e.org/new"]).unwrap();
    let keeper = scene.keeper.as_mut().unwrap();
    keeper.commit().unwrap();
    keeper.commit().unwrap();
    let Ok(Message::Command { id, url, .. }) = scene.messages.try_recv() else { panic!("no command") };
    assert_eq!(url, "http://e.org/new");
    assert!(scene.messages.try_recv().is_err());
    scene.say(Record::Command(id));
    let (folder, told) = scene.end();
    assert!(!told.iter().any(|message| matches!(message, Message::Command { .. })));
    assert!(DataFolder::read(folder.path()).unwrap().catalogue.inbox(0, 10).unwrap().is_empty());
}

/// What another program holds is waited for; what is wrong is told at once.
#[test]
fn a_catalogue_that_is_held_is_tried_again() {
    let failure =
        |code| store::CatalogueError::Database(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None));
    let mut tries = 0;
    let mut write = |last: fn() -> Result<(), i32>| {
        super::committer::patiently(|| {
            tries += 1;
            if tries <= 3 { Err(failure(rusqlite::ffi::SQLITE_BUSY)) } else { last().map_err(failure) }
        })
    };
    assert!(write(|| Ok(())).is_ok());
    assert!(write(|| Err(rusqlite::ffi::SQLITE_FULL)).is_err());
    assert_eq!(tries, 5);
}
