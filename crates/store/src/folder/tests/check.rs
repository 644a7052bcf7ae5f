use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::super::{DataFolder, Finding, Wrong};
use crate::conformance::sample;
use crate::{
    Archive, ArchiveSettings, Batch, Catalogue, PageChange, PageId, Position, State, Timestamp, Values, Visit,
    file_name,
};

/// Ten pages with a copy each in several files.
fn filled(path: &Path) -> (DataFolder, Vec<Position>) {
    let mut folder =
        DataFolder::open_with(path, ArchiveSettings { rotate_at: 3000, ..ArchiveSettings::default() }).unwrap();
    folder.recover(None).unwrap();
    let mut batch = sample::batch(1, 0..10, &[]);
    let mut places = Vec::new();
    for n in 0..10 {
        let place = folder.archive.append(&sample::response(n, 800).encode()).unwrap();
        let at = Timestamp(n.into());
        let etag = Some("x".to_owned());
        let values =
            Values { state: State::Fetched, checked_at: Some(at), archive: Some(place), etag, ..Values::default() };
        let visit = Visit { at, archive: Some(place), ..sample::visit(n) };
        batch.pages.push(PageChange { page: PageId(n), visit: Some(visit), values });
        places.push(place);
    }
    folder.archive.sync().unwrap();
    batch.hosts = (0..3).map(sample::host).collect();
    batch.archive = folder.archive.lengths();
    folder.catalogue.apply(&batch).unwrap();
    (folder, places)
}

fn findings(folder: &mut DataFolder, repair: bool) -> Vec<Finding> {
    let report = folder.check(repair).unwrap();
    assert!(report.findings.iter().all(|(finding, _)| !finding.to_string().is_empty()));
    report.findings.into_iter().map(|(finding, _)| finding).collect()
}

/// Repairs, opens again, and finds nothing that matters.
fn repaired(mut folder: DataFolder) -> DataFolder {
    let report = folder.check(true).unwrap();
    assert!(report.is_sound(), "{report:?}");
    let path = folder.path().to_owned();
    drop(folder);
    let mut folder = DataFolder::open(&path).unwrap();
    let recovery = folder.recover(None).unwrap();
    assert!(recovery.is_clean(), "{recovery}");
    assert!(folder.check(false).unwrap().is_sound());
    folder
}

#[test]
fn all_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let (mut folder, _) = filled(folder.path());
    let report = folder.check(false).unwrap();
    assert_eq!((report.findings.len(), report.counts.pages(), report.counts.visits), (0, 10, 10));
    assert_eq!(report.records, 10 + folder.archive.lengths().len() as u64);
    assert_eq!(report.bytes, folder.archive.lengths().values().sum::<u64>());
    assert!(DataFolder::read(folder.path()).unwrap().check(false).unwrap().findings.is_empty());
}

#[test]
fn a_damaged_record_is_found_and_fetched_again() {
    let path = tempfile::tempdir().unwrap();
    let (mut folder, places) = filled(path.path());
    let mut file =
        fs::OpenOptions::new().write(true).open(path.path().join("archive").join(file_name(places[1].file))).unwrap();
    file.seek(SeekFrom::Start(places[1].offset + 100)).unwrap();
    file.write_all(b"bit rot").unwrap();
    let record = Finding::Record { page: PageId(1), position: places[1], wrong: Wrong::Unreadable };
    let bytes =
        Finding::Bytes { file: places[1].file, offset: places[1].offset, length: places[1].length.into(), places: 1 };
    let found = findings(&mut folder, false);
    assert_eq!(found, [bytes, record, Finding::Cdxj(places[1].file)]);
    let folder = repaired(folder);
    let page = folder.catalogue.page(PageId(1)).unwrap().unwrap();
    assert_eq!((page.values.state, page.values.archive, page.values.etag), (State::Known, None, None));
    assert_eq!(folder.catalogue.history(PageId(1)).unwrap()[0].archive, None);
    assert_eq!(folder.catalogue.page(PageId(2)).unwrap().unwrap().values.archive, Some(places[2]));
}

#[test]
fn missing_and_short_files() {
    let path = tempfile::tempdir().unwrap();
    let (mut folder, places) = filled(path.path());
    let last = places[9].file;
    fs::remove_file(path.path().join("archive").join(file_name(1))).unwrap();
    let file = fs::OpenOptions::new().write(true).open(path.path().join("archive").join(file_name(last))).unwrap();
    file.set_len(places[9].offset + 10).unwrap();
    let found = findings(&mut folder, false);
    assert!(found.iter().any(|finding| matches!(finding, Finding::Length { file: 1, found: None, .. })));
    assert!(
        found.iter().any(|finding| matches!(finding, Finding::Length { file, found: Some(_), .. } if *file == last))
    );
    drop(folder);
    let mut folder = DataFolder::open(path.path()).unwrap();
    assert!(!folder.recover(None).unwrap().is_clean());
    let folder = repaired(folder);
    assert_eq!(folder.catalogue.page(PageId(9)).unwrap().unwrap().values.archive, None);
}

#[test]
fn an_index_that_does_not_fit_is_made_anew() {
    let path = tempfile::tempdir().unwrap();
    let (mut folder, _) = filled(path.path());
    let cdxj = path.path().join("archive/oriole-000001.cdxj");
    let right = fs::read_to_string(&cdxj).unwrap();
    fs::write(&cdxj, right.lines().next().unwrap().to_owned() + "\n").unwrap();
    assert_eq!(findings(&mut folder, false), [Finding::Cdxj(1)]);
    repaired(folder);
    assert_eq!(fs::read_to_string(&cdxj).unwrap(), right);
}

#[test]
fn rows_that_do_not_belong() {
    let path = tempfile::tempdir().unwrap();
    let (mut folder, places) = filled(path.path());
    let stray = PageChange { page: PageId(99), visit: Some(sample::visit(1)), values: Values::default() };
    let mut twice = sample::new_page(10);
    twice.url = sample::new_page(3).url;
    let values = Values { archive: Some(places[4]), ..Values::default() };
    let other = PageChange { page: PageId(10), visit: None, values };
    let batch = Batch { number: 2, new: vec![twice], pages: vec![stray, other], ..Batch::default() };
    folder.catalogue.apply(&batch).unwrap();
    let found = findings(&mut folder, true);
    let record = Finding::Record { page: PageId(10), position: places[4], wrong: Wrong::OtherPage };
    assert_eq!(found, [Finding::StrayVisits(1), Finding::RepeatedPages(1), record]);
    assert_eq!(findings(&mut folder, false), [Finding::RepeatedPages(1)]);
}

/// Lengths and rows are of one moment, whatever is written in between.
#[test]
fn a_writer_in_between_is_not_seen() {
    let path = tempfile::tempdir().unwrap();
    let (mut writer, _) = filled(path.path());
    let mut reader = DataFolder::read(path.path()).unwrap();
    let between = &mut || {
        let place = writer.archive.append(&sample::response(10, 800).encode()).unwrap();
        writer.archive.sync().unwrap();
        let values = Values { state: State::Fetched, archive: Some(place), ..Values::default() };
        let change = PageChange { page: PageId(10), visit: None, values };
        let archive = writer.archive.lengths();
        let batch =
            Batch { number: 2, new: vec![sample::new_page(10)], pages: vec![change], archive, ..Batch::default() };
        writer.catalogue.apply(&batch).unwrap();
    };
    let report = reader.check_with(false, between).unwrap();
    assert_eq!((report.findings, report.counts.pages()), (vec![], 10));
    let report = reader.check(false).unwrap();
    assert_eq!((report.findings, report.counts.pages()), (vec![], 11));
}

/// Does something to the catalogue behind the program's back.
fn execute(path: &Path, statement: &str) {
    rusqlite::Connection::open(path.join("oriole.db")).unwrap().execute_batch(statement).unwrap();
}

#[test]
fn what_cannot_be_understood_is_told_with_its_row() {
    for (statement, text) in [
        ("UPDATE pages SET depth = -3 WHERE id = 4", "row 4 of pages: its depth cannot be -3; restore a backup or"),
        ("UPDATE meta SET value = 'abc' WHERE name = 'batch'", "row \"batch\" of meta: its value cannot be \"abc\""),
        ("UPDATE visits SET outcome = 'x' WHERE page = 4", "of visits: its outcome cannot be \"x\""),
        ("UPDATE hosts SET failures = -1 WHERE id = 2", "row 2 of hosts: its failures cannot be -1"),
        ("UPDATE archive_files SET length = -1 WHERE id = 1", "row 1 of archive_files: its length cannot be -1"),
        ("INSERT INTO journal VALUES (9, x'ff')", "row 9 of journal: its body cannot be these 1 bytes"),
        ("DROP TABLE visits", "table visits: it is missing"),
        ("ALTER TABLE hosts DROP COLUMN delay", "table hosts: it is missing, lacks a column"),
    ] {
        let path = tempfile::tempdir().unwrap();
        drop(filled(path.path()));
        execute(path.path(), statement);
        let mut folder = DataFolder::open(path.path()).unwrap();
        for repair in [false, true] {
            let report = folder.check(repair).unwrap();
            let [(finding, false)] = report.findings.as_slice() else { panic!("{statement}: {report:?}") };
            let told = finding.to_string();
            assert!(told.contains(text) && !told.contains("oriole check"), "{statement}: {told}");
            assert!(!told.contains("SELECT") && !report.is_readable(), "{statement}: {told}");
        }
    }
    let path = tempfile::tempdir().unwrap();
    let (mut folder, _) = filled(path.path());
    execute(path.path(), "UPDATE visits SET outcome = 'x'; UPDATE pages SET depth = -1");
    assert_eq!(findings(&mut folder, false).len(), 20, "all ten pages and all ten visits");
}

#[test]
fn unknown_states_and_hosts_are_put_right() {
    let path = tempfile::tempdir().unwrap();
    let (mut folder, _) = filled(path.path());
    execute(path.path(), "UPDATE pages SET state = 'bogus' WHERE id = 3; UPDATE pages SET host = 99 WHERE id = 5");
    assert_eq!(findings(&mut folder, false), [Finding::UnknownStates(1), Finding::StrayPages(1)]);
    let folder = repaired(folder);
    let page = folder.catalogue.page(PageId(3)).unwrap().unwrap();
    assert_eq!((page.values.state, page.values.indexed, page.values.etag), (State::Known, false, None));
    // Its host is known by its address under another number, or is made anew.
    let page = folder.catalogue.page(PageId(5)).unwrap().unwrap();
    let host = folder.catalogue.host(page.host).unwrap().unwrap();
    assert!(page.url.starts_with(&format!("{}/", host.name)), "{} is not on {}", page.url, host.name);
    let names: Vec<String> = folder.catalogue.hosts().unwrap().into_iter().map(|host| host.name).collect();
    assert_eq!(names.iter().filter(|name| **name == host.name).count(), 1, "{names:?}");
}
