use std::fs;

use super::*;

fn wrong(site: &Site) -> String {
    let run = site.run("check");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    format!("{}{}", run.out, run.err)
}

/// Puts right what is wrong; afterwards nothing is.
fn repaired(site: &Site) -> String {
    let run = site.run("check --repair");
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let after = site.json("check");
    assert_eq!((&after["sound"], &after["findings"]), (&true.into(), &serde_json::json!([])), "{after}");
    run.out
}

fn index(site: &Site) -> Indexer {
    Indexer::open(&site.data().join("index"), &Settings { memory: 15_000_000, ..Settings::default() }).unwrap()
}

#[test]
fn all_is_well() {
    let site = Site::new();
    let run = site.run("check");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!("check", run.out);
    let report = site.json("check");
    assert_eq!((&report["sound"], &report["index_pages"], &report["pages"]), (&true.into(), &3.into(), &8.into()));
    let before = fs::read(site.data().join("archive/oriole-000001.cdxj")).unwrap();
    assert!(repaired(&site).contains("everything agrees"));
    assert_eq!(fs::read(site.data().join("archive/oriole-000001.cdxj")).unwrap(), before);
}

#[test]
fn beside_a_running_engine() {
    let site = Site::new();
    let _engine = engine(&site.data(), "{}");
    let run = site.run("check");
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("an engine is running"));
    let run = site.run("check --repair");
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("another process is running on oriole-data"), "{}", run.err);
}

#[test]
fn a_damaged_archive() {
    let site = Site::new();
    let file = site.data().join("archive/oriole-000001.warc.gz");
    let mut bytes = fs::read(&file).unwrap();
    let length = bytes.len();
    bytes[length - 100] ^= 0x55;
    fs::write(&file, bytes).unwrap();
    let text = wrong(&site);
    assert!(text.contains("the copy of page 4 at"), "{text}");
    let run = site.run("check --repair");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("put right  oriole-000001.warc.gz: the copy of page 4"), "{}", run.out);
    assert_eq!(site.run("check").code, 0);
    let row = site.run("pages --json --host blog.example.net").out;
    let row: serde_json::Value = serde_json::from_str(&row).unwrap();
    assert_eq!((&row["state"], &row["archive_file"]), (&"known".into(), &().into()), "it is fetched again");
}

#[test]
fn torn_ends_and_missing_lines() {
    let site = Site::new();
    let archive = site.data().join("archive");
    fs::remove_file(archive.join("oriole-000001.cdxj")).unwrap();
    assert!(wrong(&site).contains("its CDXJ index does not fit"));
    let mut torn = fs::OpenOptions::new().append(true).open(archive.join("oriole-000001.warc.gz")).unwrap();
    std::io::Write::write_all(&mut torn, &[0x1f, 0x8b, 8, 0, 1, 2, 3]).unwrap();
    let text = repaired(&site);
    assert!(text.contains("7 bytes of an interrupted write were cut off"), "{text}");
    assert!(archive.join("oriole-000001.cdxj").is_file());
}

/// An index that lacks pages, has too many or others is made to agree: from the archive where there is a copy.
#[test]
fn an_index_that_differs() {
    let site = Site::new();
    let mut indexer = index(&site);
    indexer.remove(PageId(0));
    let values = |hours| Values { changed_at: Some(site.ago(hours)), ..Values::default() };
    indexer.put(&document(PageId(1), &SAMPLES[1], &values(7))).unwrap();
    indexer.put(&document(PageId(3), &SAMPLES[1], &values(7))).unwrap();
    indexer.commit(1).unwrap();
    drop(indexer);
    insta::assert_snapshot!("check_index", wrong(&site));
    insta::assert_snapshot!("check_index_repaired", repaired(&site));
    let answer = site.json("search error handling");
    assert_eq!(answer["total"], 2);
    assert_eq!(site.json("search intitle:handbook")["hits"][0]["changed_at"], site.ago(50).to_string());
}

#[test]
fn a_lost_index_is_made_anew() {
    let site = Site::new();
    let before = site.run("search error handling").out;
    fs::remove_dir_all(site.data().join("index")).unwrap();
    assert!(wrong(&site).contains("search index: 3 pages missing"));
    let text = repaired(&site);
    assert!(text.contains("indexed again from the archive: 3; to be fetched again: 0"), "{text}");
    let after = site.run("search error handling").out;
    assert_eq!(after.lines().nth(3), before.lines().nth(3), "the same pages are found");
    assert_eq!(site.json("search pirol")["total"], 1);
}

#[test]
fn an_index_that_cannot_be_read_is_moved_away() {
    let site = Site::new();
    fs::write(site.data().join("index/meta.json"), "{").unwrap();
    assert!(wrong(&site).contains("the search"));
    let text = repaired(&site);
    assert!(text.contains("it is now in index.broken-1"), "{text}");
    assert!(site.data().join("index.broken-1").is_dir());
    assert_eq!(site.json("search error")["total"], 2);
}

/// Pages without a copy cannot be indexed again: they are fetched again, without asking whether they have changed.
#[test]
fn without_copies_pages_are_fetched_again() {
    let site = Site::new();
    fs::remove_dir_all(site.data().join("index")).unwrap();
    fs::remove_file(site.data().join("archive/oriole-000001.warc.gz")).unwrap();
    let run = site.run("check --repair");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("indexed again from the archive: 0; to be fetched again: 3"), "{}", run.out);
    assert_eq!(site.run("check").code, 0);
    let status = site.json("status");
    assert_eq!((&status["pages_indexed"], &status["states"]["known"]), (&0.into(), &4.into()));
}

/// A batch that was under way when the process ended is no fault: whichever way it goes, all agrees.
#[test]
fn an_interrupted_batch_is_no_fault() {
    for committed in [false, true] {
        let site = Site::new();
        let mut data = DataFolder::open(&site.data()).unwrap();
        data.recover(Some(1)).unwrap();
        let mut page = data.catalogue.page(PageId(0)).unwrap().unwrap();
        (page.values.indexed, page.values.state) = (false, State::Gone);
        let change = PageChange { page: PageId(0), visit: None, values: page.values };
        let batch = Batch { number: 2, pages: vec![change], archive: data.archive.lengths(), ..Batch::default() };
        data.catalogue.prepare(&batch).unwrap();
        drop(data);
        if committed {
            let mut indexer = index(&site);
            indexer.remove(PageId(0));
            indexer.commit(2).unwrap();
        }
        let run = site.run("check");
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
        assert!(run.out.contains("batch 2 was under way; the next start completes or drops it"), "{}", run.out);
        assert_eq!(site.json("check")["index_pages"], if committed { 2 } else { 3 });
        let text = repaired(&site);
        assert!(text.contains("batch 2 was under way"), "{text}");
        assert_eq!(site.json("status")["pages_indexed"], if committed { 2 } else { 3 });
    }
}

/// What the engine could not read, check tells, and never names itself as the remedy.
#[test]
fn a_damaged_catalogue() {
    for (statement, text) in [
        ("UPDATE pages SET depth = -3 WHERE id = 2", "row 2 of pages: its depth cannot be -3"),
        ("UPDATE meta SET value = 'abc' WHERE name = 'batch'", "of meta: its value cannot be \"abc\""),
        ("UPDATE hosts SET name = 'not a url' WHERE id = 1", "row 1 of hosts: `not a url` is not the name of a host"),
        ("UPDATE pages SET url = 'nowhere' WHERE id = 2", "pages: `nowhere` is not the address of a page"),
        ("DROP TABLE robots_txt", "table robots_txt: it is missing"),
    ] {
        let site = Site::new();
        execute(&site, statement);
        for command in ["check", "check --repair"] {
            let run = site.run(command);
            assert_eq!(run.code, 1, "{statement}: {}{}", run.out, run.err);
            assert!(run.out.contains(text) && run.out.contains("restore a backup"), "{statement}: {}", run.out);
            assert_eq!(run.out.matches("wrong  ").count(), 1, "{statement}: {}", run.out);
            let told = format!("{}{}", run.out, run.err);
            assert!(!told.contains("oriole check") && !told.contains("SELECT"), "{statement}: {told}");
        }
    }
    let site = Site::new();
    execute(&site, "UPDATE pages SET state = 'bogus' WHERE id = 1; UPDATE pages SET host = 99 WHERE id = 2");
    assert!(wrong(&site).contains("catalogue: 1 pages in a state that is not known"));
    let text = repaired(&site);
    assert!(text.contains("put right  catalogue: 1 pages of hosts that do not exist"), "{text}");
    assert_eq!(site.json("status")["pages_known"], 7);
}

fn execute(site: &Site, statement: &str) {
    rusqlite::Connection::open(site.data().join("oriole.db")).unwrap().execute_batch(statement).unwrap();
}
