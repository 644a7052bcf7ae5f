use std::fs;
use std::path::PathBuf;

use super::super::site::server::{Server, html, not_found, page};
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
    Indexer::open(&site.data().join("index"), &Settings { memory: 15_000_000 }).unwrap()
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
    indexer.put(document(PageId(1), &SAMPLES[1], &values(7))).unwrap();
    indexer.put(document(PageId(3), &SAMPLES[1], &values(7))).unwrap();
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

/// Does something to a file of the index, by how its name ends.
fn damage(data: &Path, end: &str, change: impl Fn(Vec<u8>) -> Option<Vec<u8>>) {
    for entry in fs::read_dir(data.join("index")).unwrap() {
        let path = entry.unwrap().path();
        if path.to_str().unwrap().ends_with(end) {
            match change(fs::read(&path).unwrap()) {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
        }
    }
}

/// Whatever is wrong with it: search says what to do, check says what is wrong, and repair makes it anew.
#[test]
fn an_index_that_cannot_be_read_is_made_anew() {
    let middle = |mut bytes: Vec<u8>| {
        bytes[3] ^= 0x55;
        Some(bytes)
    };
    let site = Site::new();
    for (number, end) in ["meta.json", ".store", ".term", "format", ".idx"].into_iter().enumerate() {
        match end {
            ".store" => damage(&site.data(), end, |_| None),
            ".idx" => damage(&site.data(), end, middle),
            _ => damage(&site.data(), end, |_| Some(b"9".to_vec())),
        }
        if end != ".idx" {
            let run = site.run("search error");
            assert_eq!((run.code, run.out.as_str()), (1, ""), "{end}");
            assert!(run.err.contains("cannot be read") && run.err.contains("`oriole check --repair`"), "{}", run.err);
            assert!(!run.err.contains("Error") && !run.err.contains("Failed"), "{}", run.err);
        }
        let text = wrong(&site);
        assert!(text.contains("wrong  the search index cannot be read: "), "{end}: {text}");
        let text = repaired(&site);
        assert!(text.contains(&format!("it is now in index.broken-{}", number + 1)), "{end}: {text}");
        assert!(text.contains("indexed again from the archive: 3"), "{end}: {text}");
        assert_eq!(site.json("search error")["total"], 2, "{end}");
    }
}

/// The engine itself notices it when it starts, says so, and makes it anew.
#[test]
fn a_run_makes_a_broken_index_anew() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page("home of the oriole", &["/next"])),
        "/next" => html(&page("another oriole", &[])),
        _ => not_found(),
    });
    let folder = Folder::new();
    let run = || folder.run(&format!("run --once --allow-private --delay 0 {}", server.url("/")));
    let found = || serde_json::from_str::<serde_json::Value>(&folder.run("search oriole --json").out).unwrap();
    assert_eq!((run().code, found()["total"].as_u64()), (0, Some(2)));
    for (number, end) in [".store", ".term", "format"].into_iter().enumerate() {
        damage(&folder.path("oriole-data"), end, |_| (end != ".store").then(|| b"9".to_vec()));
        let run = run();
        let warning = format!("it is now in index.broken-{}, and another one is begun", number + 1);
        assert!(run.code == 0 && run.err.contains(&warning), "{end}: {} {}", run.code, run.err);
        assert_eq!(found()["total"], 2, "{end}");
        assert_eq!(folder.run("check").code, 0, "{end}");
    }
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
    assert!(text.contains("put right  catalogue: 1 pages of hosts that are missing"), "{text}");
    assert_eq!((&site.json("status")["pages_known"], &site.json("status")["hosts"]), (&8.into(), &2.into()));
}

/// Hosts are made anew from the addresses of their pages: nothing is lost but what was learned about them.
#[test]
fn hosts_that_are_missing() {
    let site = Site::new();
    let names = |site: &Site| {
        let database = rusqlite::Connection::open(site.data().join("oriole.db")).unwrap();
        let mut statement = database.prepare("SELECT name FROM hosts ORDER BY id").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<Vec<String>, _>>().unwrap()
    };
    let before = names(&site);
    execute(&site, "DELETE FROM hosts");
    assert!(wrong(&site).contains("pages of hosts that are missing"));
    repaired(&site);
    assert_eq!((names(&site), &site.json("status")["pages_known"]), (before, &8.into()));
}

/// A file of the archive that the catalogue does not know is not removed: perhaps the catalogue is wrong.
#[test]
fn a_file_that_the_catalogue_does_not_know() {
    let site = Site::new();
    let files = || fs::read_dir(site.data().join("archive")).unwrap().map(|file| file.unwrap().file_name());
    let names = || files().map(|name| name.into_string().unwrap()).collect::<Vec<_>>();
    assert!(names().iter().any(|name| name.ends_with(".warc.gz")));
    execute(&site, "DELETE FROM archive_files");
    site.run("check --repair");
    assert!(names().iter().any(|name| name.contains(".warc.gz") && name.ends_with(".orphan")), "{:?}", names());
}

/// Wherever a byte is wrong, a search ends with an answer or with the remedy. Not in the stored texts: a wrong length there can ask
/// for more memory than there is, which ends the program; `check` finds it.
#[test]
fn wrong_bytes_in_the_search_index() {
    let site = Site::new();
    let folder = site.data().join("index");
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let kinds = ["idx", "pos", "term", "fast", "fieldnorm"];
    let is_part = |path: &PathBuf| path.extension().is_some_and(|kind| kinds.iter().any(|other| kind == *other));
    for path in files.filter(is_part) {
        let sound = fs::read(&path).unwrap();
        for at in (0..sound.len()).step_by((sound.len() / 12).max(1)) {
            let mut wrong = sound.clone();
            wrong[at] ^= 0xff;
            fs::write(&path, &wrong).unwrap();
            for query in ["search the OR errors", "search site:docs.example.org intitle:errors --json"] {
                let run = site.run(query);
                let told = format!("{} at {at}: {}", path.display(), run.err);
                assert!(matches!(run.code, 0 | 1) && !run.err.contains("panicked"), "{told}");
                assert!(run.code == 0 || run.err.contains("check --repair"), "{told}");
            }
        }
        fs::write(&path, &sound).unwrap();
    }
}

fn execute(site: &Site, statement: &str) {
    rusqlite::Connection::open(site.data().join("oriole.db")).unwrap().execute_batch(statement).unwrap();
}

/// Pages that were fetched without an index are indexed from their copies.
#[test]
fn pages_fetched_without_an_index() {
    let site = Site::new();
    execute(&site, "UPDATE pages SET indexed = 0 WHERE id = 1");
    let mut indexer = index(&site);
    indexer.remove(PageId(1));
    indexer.commit(1).unwrap();
    drop(indexer);
    assert!(wrong(&site).contains("search index: one page fetched but not in it: https://docs.example.org/errors"));
    let text = repaired(&site);
    assert!(text.contains("indexed again from the archive: 1; to be fetched again: 0"), "{text}");
    assert_eq!(
        (site.json("search error")["total"].as_u64(), site.json("status")["pages_indexed"].as_u64()),
        (Some(2), Some(3))
    );
}

/// A crawl without an index, and what becomes of it when there is to be one again.
#[test]
fn a_run_indexes_what_was_read_without_an_index() {
    let text = std::sync::Arc::new(std::sync::Mutex::new("a blackbird"));
    let shown = std::sync::Arc::clone(&text);
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/" => html(&page(*shown.lock().unwrap(), &["/next"])),
        "/next" => html(&page("another oriole", &[])),
        _ => not_found(),
    });
    let folder = Folder::new();
    let options = format!("--allow-private --delay 0 {}", server.url("/"));
    let run = |more: &str| folder.run(&format!("run {more} {options}"));
    let found = |word: &str| folder.json(&format!("search {word}"))["total"].as_u64();
    assert_eq!(run("--once --no-index").code, 0);
    let check = folder.run("check");
    assert!(check.code == 0 && check.out.contains("2 pages are fetched but cannot be searched"), "{check:?}");
    let run_with_index = run("--once --log text");
    assert!(run_with_index.err.contains("indexed=2"), "{}", run_with_index.err);
    assert_eq!((found("blackbird"), found("oriole"), folder.run("check").code), (Some(1), Some(1), 0));
    // A page that changes while there is no index: the index has another version of it.
    *text.lock().unwrap() = "a nightingale";
    assert_eq!(run("--once --no-index").code, 0);
    let check = folder.run("check");
    assert!(check.code == 1 && check.out.contains("one page of another version"), "{check:?}");
    // Nothing is fetched any more: it comes from the archive.
    drop(server);
    assert!(run("--for 1s --log text").err.contains("indexed=1"));
    assert_eq!((found("blackbird"), found("nightingale"), folder.run("check").code), (Some(0), Some(1), 0));
}

/// Without copies the pages are visited again soon, long before they would be.
#[test]
fn a_run_visits_again_what_has_no_copy() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page("home of the oriole", &["/next"])),
        "/next" => html(&page("another oriole", &[])),
        _ => not_found(),
    });
    let folder = Folder::new();
    let options = format!("--allow-private --delay 0 --no-archive {}", server.url("/"));
    assert_eq!(folder.run(&format!("run --once --no-index {options}")).code, 0);
    assert_eq!(server.log().count("/next"), 1);
    let mut engine = folder.command(&format!("run {options}")).stderr(std::process::Stdio::null()).spawn().unwrap();
    let began = std::time::Instant::now();
    while server.log().count("/next") < 2 || folder.run("search oriole --json").out.matches("/next").count() == 0 {
        assert!(began.elapsed().as_secs() < 30, "{}", folder.run("pages").out);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert_eq!(folder.json("search oriole")["total"], 2);
}
