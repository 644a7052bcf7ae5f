use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{OpenCatalogueError, SqliteCatalogue};
use crate::conformance::{self, sample};
use crate::{
    Batch, Catalogue, CatalogueError, EventKind, Outcome, PageChange, PageId, Standing, State, Timestamp, Values,
    Visit, Wish,
};

fn file(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("oriole.db")
}

#[test]
fn conforms() {
    let fresh = &mut || -> Box<dyn FnMut() -> Box<dyn Catalogue>> {
        let folder = tempfile::tempdir().unwrap();
        Box::new(move || Box::new(SqliteCatalogue::open(&file(&folder)).unwrap()))
    };
    conformance::catalogue(fresh).unwrap();
}

#[test]
fn readers_see_what_is_applied_and_leave_commands() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SqliteCatalogue::open(&file(&folder)).unwrap();
    writer.apply(&sample::batch(1, 0..4, &[1])).unwrap();
    let mut reader = SqliteCatalogue::read(&file(&folder)).unwrap();
    writer.prepare(&sample::batch(2, 4..6, &[])).unwrap();
    assert_eq!(reader.counts().unwrap().pages(), 4);
    writer.apply(&sample::batch(2, 4..6, &[])).unwrap();
    assert_eq!(reader.counts().unwrap().pages(), 6);
    reader.post(Timestamp(1), Wish::Add, &["https://a.example/"]).unwrap();
    assert_eq!(writer.inbox(0, 10).unwrap().len(), 1);
    assert!(matches!(reader.apply(&sample::batch(3, 6..7, &[])), Err(CatalogueError::ReadOnly)));
    assert!(matches!(reader.prepare(&sample::batch(3, 6..7, &[])), Err(CatalogueError::ReadOnly)));
    assert!(matches!(reader.recover(None), Err(CatalogueError::ReadOnly)));
}

#[test]
fn later_formats_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let writer = SqliteCatalogue::open(&file(&folder)).unwrap();
    writer.connection.execute("UPDATE meta SET value = '2' WHERE name = 'format'", []).unwrap();
    drop(writer);
    for opened in [SqliteCatalogue::open(&file(&folder)), SqliteCatalogue::read(&file(&folder))] {
        let error = opened.err().unwrap();
        assert!(matches!(error, OpenCatalogueError::Newer { found: 2, .. }), "{error}");
        assert!(error.to_string().contains("use a newer version"), "{error}");
    }
}

/// What an earlier version has left in its inbox is carried out, and numbers go on.
#[test]
fn an_inbox_of_an_earlier_version_takes_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let writer = SqliteCatalogue::open(&file(&folder)).unwrap();
    let narrow = "DROP TABLE inbox;
        CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
            command TEXT NOT NULL CHECK (command IN ('add', 'remove')), url TEXT NOT NULL) STRICT;
        INSERT INTO inbox (id, at, command, url) VALUES (7, 1, 'remove', 'https://a.example/'), (9, 1, 'add', 'https://b.example/');
        DELETE FROM inbox WHERE id = 9;";
    writer.connection.execute_batch(narrow).unwrap();
    drop(writer);
    let reader = SqliteCatalogue::read(&file(&folder)).unwrap();
    assert_eq!(reader.inbox(0, 10).unwrap().len(), 1);
    reader.post(Timestamp(2), Wish::Weight(Some(2.5)), &["https://a.example/"]).unwrap();
    let told: Vec<(u64, Wish)> = reader.inbox(0, 10).unwrap().iter().map(|one| (one.id, one.wish)).collect();
    assert_eq!(told, [(7, Wish::Remove), (10, Wish::Weight(Some(2.5)))]);
    let writer = SqliteCatalogue::open(&file(&folder)).unwrap();
    writer.connection.execute("INSERT INTO inbox (at, command, url) VALUES (3, 'dance', '')", []).unwrap();
    assert_eq!(writer.inbox(0, 10).unwrap().len(), 2, "what is not understood is passed over");
}

#[test]
fn events_are_noted_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SqliteCatalogue::open(&file(&folder)).unwrap();
    writer.apply(&sample::batch(1, 0..3, &[])).unwrap();
    let reader = SqliteCatalogue::read(&file(&folder)).unwrap();
    let mut number = 1;
    let mut visit = |writer: &mut SqliteCatalogue, page: u32, at: i64, outcome: Outcome, state: State| {
        number += 1;
        let visit = Visit { at: Timestamp(at), outcome, status: None, bytes: 0, milliseconds: 0, archive: None };
        let values = Values { state, checked_at: Some(Timestamp(at)), ..Values::default() };
        let change = PageChange { page: PageId(page), visit: Some(visit), values };
        writer.apply(&Batch { number, pages: vec![change], ..Batch::default() }).unwrap();
    };
    visit(&mut writer, 0, 5, Outcome::New, State::Fetched);
    assert_eq!(reader.events(0, 9).unwrap(), [], "nobody wants to be told");
    writer.note_events(true).unwrap();
    writer.note_events(true).unwrap();
    visit(&mut writer, 1, 30, Outcome::New, State::Fetched);
    visit(&mut writer, 0, 10, Outcome::Unchanged, State::Fetched);
    visit(&mut writer, 0, 20, Outcome::Changed, State::Fetched);
    // Not there for the first time: that has to be confirmed. A page that was never there is not gone.
    visit(&mut writer, 1, 40, Outcome::Gone, State::Fetched);
    visit(&mut writer, 1, 50, Outcome::Gone, State::Gone);
    visit(&mut writer, 1, 60, Outcome::Gone, State::Gone);
    visit(&mut writer, 2, 60, Outcome::Gone, State::Gone);
    let told: Vec<(u32, i64, EventKind)> =
        reader.events(0, 9).unwrap().iter().map(|event| (event.page.0, event.at.0, event.kind)).collect();
    assert_eq!(told, [(1, 30, EventKind::New), (0, 20, EventKind::Changed), (1, 50, EventKind::Gone)]);
    let first = reader.events(0, 1).unwrap();
    assert_eq!(first.len(), 1);
    reader.forget_events(first[0].id + 1).unwrap();
    assert_eq!(reader.events(0, 9).unwrap().len(), 1);
    writer.note_events(false).unwrap();
    visit(&mut writer, 0, 70, Outcome::Changed, State::Fetched);
    assert_eq!(reader.events(0, 9).unwrap(), []);
    writer.note_events(true).unwrap();
    visit(&mut writer, 0, 80, Outcome::Changed, State::Fetched);
    assert_eq!(reader.events(0, 9).unwrap()[0].id, first[0].id + 3, "numbers are not used again");
    assert!(matches!(reader.note_events(true), Err(CatalogueError::ReadOnly)));
}

fn refused(path: &Path) {
    for opened in [SqliteCatalogue::open(path), SqliteCatalogue::read(path)] {
        assert!(matches!(opened.err().unwrap(), OpenCatalogueError::Foreign { .. }));
    }
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = "this is not a database, but it is long enough to be one ".repeat(20);
    fs::write(file(&folder), &text).unwrap();
    refused(&file(&folder));
    assert_eq!(fs::read_to_string(file(&folder)).unwrap(), text);
    let other = folder.path().join("other.db");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE pages (id INTEGER)").unwrap();
    drop(connection);
    refused(&other);
    assert!(SqliteCatalogue::read(&folder.path().join("absent.db")).is_err());
}

#[test]
fn numbers_that_are_none_do_not_stop_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let mut catalogue = SqliteCatalogue::open(&file(&folder)).unwrap();
    let mut batch = sample::batch(1, 0..1, &[0]);
    batch.new[0].weight = f32::NAN;
    batch.pages[0].values.evidence_changes = f32::NEG_INFINITY;
    batch.pages[0].values.sketch = vec![1; 100_000];
    batch.hosts = vec![crate::Host { delay: f64::NAN, ..sample::host(0) }];
    batch.standings = vec![(PageId(0), Standing { depth: 0, weight: f32::NAN, links_in: 0 })];
    catalogue.apply(&batch).unwrap();
    let page = catalogue.page(PageId(0)).unwrap().unwrap();
    assert_eq!((page.standing.weight, page.values.evidence_changes), (0.0, 0.0));
    assert_eq!(page.values.sketch.len(), crate::MOST_SKETCH);
}

#[test]
fn a_damaged_journal_is_an_error_and_not_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut catalogue = SqliteCatalogue::open(&file(&folder)).unwrap();
    catalogue.prepare(&sample::batch(1, 0..3, &[1])).unwrap();
    assert_eq!(catalogue.unfinished().unwrap().unwrap().number, 1);
    catalogue.connection.execute("UPDATE journal SET body = x'ffffffffffffffffff01'", []).unwrap();
    assert!(matches!(catalogue.recover(Some(1)), Err(CatalogueError::Damaged(_))));
    assert_eq!(catalogue.recover(Some(0)).unwrap().batch, 0, "what the index does not have need not be read");
}

/// Tools and people read these names; a change of them is a change of the format.
#[test]
fn the_schema_is_the_documented_one() {
    let formats = include_str!("../../../../../docs/formats.md");
    let folder = tempfile::tempdir().unwrap();
    let catalogue = SqliteCatalogue::open(&file(&folder)).unwrap();
    let query = "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
                 WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'";
    let mut statement = catalogue.connection.prepare(query).unwrap();
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let columns: Vec<(String, String)> = columns.collect::<Result<_, _>>().unwrap();
    assert!(columns.len() > 60);
    for (table, column) in columns {
        let begin = formats.find(&format!("### `{table}`")).unwrap_or_else(|| panic!("{table} is not documented"));
        let section = formats[begin + 3..].split("\n##").next().unwrap_or_default();
        assert!(section.contains(&format!("`{column}`")), "{table}.{column} is not documented");
    }
}

#[test]
fn batches_survive_the_journal() {
    let batch = Batch {
        hosts: vec![sample::host(2)],
        status: Some("{}".into()),
        commands: vec![3],
        notes: vec![("a".into(), "b".into())],
        ..sample::batch(9, 0..5, &[1, 2])
    };
    let bytes = postcard::to_stdvec(&batch).unwrap();
    assert_eq!(postcard::from_bytes::<Batch>(&bytes).unwrap(), batch);
}
