use proptest::prelude::*;
use std::collections::BTreeMap;

use store::{PageId, Timestamp};
use tantivy::TantivyError;
use tantivy::directory::error::OpenWriteError;

use super::{IndexError, Indexer};
use crate::testing::{NOW, found, found_set, page, settings, site};
use crate::{SearchError, Searcher};

fn listed(indexer: &Indexer) -> Vec<(u32, i64)> {
    let mut pages: Vec<(u32, i64)> = indexer.pages().unwrap().map(|(page, at)| (page.0, at.0)).collect();
    pages.sort_unstable();
    pages
}

/// A process that is killed in the middle of a commit leaves files, and the next one gives the same names to its own.
#[test]
fn files_of_a_commit_that_was_not_completed_are_not_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let meta = folder.path().join("meta.json");
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    (1..=3).for_each(|id| indexer.put(page(id, "title", "text")).unwrap());
    indexer.commit(1).unwrap();
    let before = std::fs::read(&meta).unwrap();
    drop(indexer);
    for _ in 0..2 {
        let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
        indexer.remove(PageId(2));
        indexer.commit(2).unwrap();
        assert_eq!(listed(&indexer).len(), 2);
        drop(indexer);
        // Killed just before that.
        std::fs::write(&meta, &before).unwrap();
    }
}

/// Whoever may read the folder may search it: the library itself would keep two files for their owner.
#[cfg(unix)]
#[test]
fn all_files_can_be_read_by_the_same_people() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    for batch in 1..=12 {
        indexer.put(page(batch, "title", "text")).unwrap();
        indexer.commit(u64::from(batch)).unwrap();
    }
    // Merges write them as well.
    indexer.finish().unwrap();
    let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
    for name in ["meta.json", ".managed.json"] {
        assert_eq!(mode(name), mode("format"), "{name}");
    }
}

#[test]
fn a_page_is_replaced_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    assert_eq!(indexer.committed(), None);
    indexer.put(page(1, "one", "first version")).unwrap();
    indexer.put(page(2, "two", "another page")).unwrap();
    indexer.put(page(1, "one", "second version")).unwrap();
    indexer.commit(7).unwrap();
    let searcher = Searcher::open(folder.path()).unwrap();
    assert!(found(&searcher, "first").is_empty());
    assert_eq!(found(&searcher, "second"), [1]);
    indexer.put(page(1, "one", "third version")).unwrap();
    indexer.remove(PageId(2));
    assert_eq!(found(&searcher, "second"), [1], "not committed yet");
    indexer.commit(8).unwrap();
    assert_eq!(found(&searcher, "second"), [1], "not reloaded yet");
    searcher.reload().unwrap();
    assert!(found(&searcher, "second").is_empty());
    assert_eq!(found_set(&searcher, "version OR another"), [1]);
    assert_eq!(searcher.len(), 1);
    assert_eq!(listed(&indexer).len(), 1);
}

#[test]
fn what_was_not_committed_is_gone_and_the_batch_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    indexer.put(page(1, "kept", "committed text")).unwrap();
    indexer.commit(3).unwrap();
    indexer.put(page(1, "lost", "crashed text")).unwrap();
    indexer.put(page(2, "lost", "crashed text")).unwrap();
    drop(indexer);
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    assert_eq!(indexer.committed(), Some(3));
    assert_eq!(listed(&indexer).len(), 1);
    indexer.put(page(1, "again", "fetched text")).unwrap();
    indexer.put(page(2, "again", "fetched text")).unwrap();
    indexer.commit(4).unwrap();
    let searcher = Searcher::open(folder.path()).unwrap();
    assert_eq!((found_set(&searcher, "text"), searcher.committed().unwrap()), (vec![1, 2], Some(4)));
    assert!(found(&searcher, "crashed OR committed").is_empty());
}

#[test]
fn the_batch_survives_merges_and_a_batch_without_pages() {
    let folder = tempfile::tempdir().unwrap();
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    for batch in 0..20 {
        indexer.put(page(batch as u32 % 7, "merged", &format!("round {batch}"))).unwrap();
        indexer.commit(batch).unwrap();
    }
    indexer.commit(20).unwrap();
    indexer.finish().unwrap();
    let indexer = Indexer::open(folder.path(), &settings()).unwrap();
    assert_eq!(indexer.committed(), Some(20));
    assert_eq!(listed(&indexer).len(), 7);
}

#[test]
fn texts_are_stored_as_they_are_and_compressed_when_merged() {
    let folder = tempfile::tempdir().unwrap();
    let stored = || -> u64 {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap());
        let stores = files.filter(|file| file.path().extension().is_some_and(|kind| kind == "store"));
        stores.map(|file| file.metadata().unwrap().len()).sum()
    };
    let text = "the same words again and again ".repeat(1_000);
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    for batch in 1..=7 {
        indexer.put(page(batch, "long", &text)).unwrap();
        indexer.commit(u64::from(batch)).unwrap();
    }
    assert!(stored() > 7 * text.len() as u64);
    indexer.put(page(8, "long", &text)).unwrap();
    indexer.commit(8).unwrap();
    indexer.finish().unwrap();
    // Files that are no longer used go when a writer begins.
    Indexer::open(folder.path(), &settings()).unwrap().finish().unwrap();
    assert!(stored() < text.len() as u64, "{} bytes", stored());
    assert_eq!(found_set(&Searcher::open(folder.path()).unwrap(), "again"), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_full_disk_is_told_in_words() {
    let io_error = std::sync::Arc::new(std::io::Error::from(std::io::ErrorKind::StorageFull));
    let error = OpenWriteError::IoError { io_error, filepath: "index/1.pos".into() };
    let told = IndexError::from(TantivyError::from(error)).to_string();
    assert_eq!(told, "the search index failed: index/1.pos cannot be written: no storage space");
}

#[test]
fn a_second_writer_and_another_format_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Searcher::open(folder.path()), Err(SearchError::NoIndex(_))));
    let indexer = Indexer::open(folder.path(), &settings()).unwrap();
    assert!(matches!(Indexer::open(folder.path(), &settings()), Err(IndexError::Locked(_))));
    drop(indexer);
    std::fs::write(folder.path().join("format"), "0\n").unwrap();
    let error = Indexer::open(folder.path(), &settings()).err().unwrap();
    assert!(error.to_string().contains(r#"it has format "0", this program needs 1"#), "{error}");
    assert!(matches!(Searcher::open(folder.path()), Err(SearchError::Broken { .. })));
    std::fs::write(folder.path().join("format"), [0xff, 0xfe]).unwrap();
    assert!(matches!(Searcher::open(folder.path()), Err(SearchError::Broken { .. })));
    std::fs::remove_file(folder.path().join("format")).unwrap();
    assert!(matches!(Indexer::open(folder.path(), &settings()), Err(IndexError::Broken { .. })));
}

/// The files of an index of two segments, one of them with a page deleted.
fn two_segments() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    for number in 0..20 {
        indexer.put(page(number, "one", "a text that is long enough to be looked at")).unwrap();
    }
    indexer.commit(1).unwrap();
    indexer.put(page(3, "two", "another text")).unwrap();
    indexer.commit(2).unwrap();
    indexer.finish().unwrap();
    folder
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.starts_with('.') && !["format", "meta.json"].contains(&name.as_str())).collect()
}

#[test]
fn every_file_that_is_missing_short_or_garbage_is_noticed() {
    let names = names(two_segments().path());
    assert!(names.len() >= 13, "{names:?}");
    for kind in ["store", "term", "idx", "pos", "fast", "fieldnorm", "del"] {
        for damage in 0..5 {
            let folder = two_segments();
            let name = self::names(folder.path()).into_iter().find(|name| name.ends_with(kind)).unwrap();
            let file = folder.path().join(&name);
            let bytes = std::fs::read(&file).unwrap();
            match damage {
                0 => std::fs::remove_file(&file).unwrap(),
                1 => std::fs::write(&file, &bytes[..bytes.len() - 1]).unwrap(),
                2 => std::fs::write(&file, "garbage").unwrap(),
                3 => std::fs::write(&file, [0x55; 3000]).unwrap(),
                _ => std::fs::write(&file, "").unwrap(),
            }
            let search = Searcher::open(folder.path()).err().unwrap();
            let index = Indexer::open(folder.path(), &settings()).err().unwrap();
            assert!(matches!(search, SearchError::Broken { .. }), "{name} {damage}: {search}");
            assert!(matches!(index, IndexError::Broken { .. }), "{name} {damage}: {index}");
            let text = search.to_string();
            assert!(
                text.contains(&format!(": {name} is ")) && text.contains("check --repair") && !text.contains("Error"),
                "{text}"
            );
        }
    }
}

/// Files that are deleted while they are looked at are no damage.
#[test]
fn a_writer_beside_it_is_no_damage() {
    let folder = two_segments();
    let path = folder.path().to_owned();
    let writer = std::thread::spawn(move || {
        let mut indexer = Indexer::open(&path, &settings()).unwrap();
        for batch in 3..60 {
            indexer.put(page(batch, "three", "a text that takes the place of another")).unwrap();
            indexer.commit(batch.into()).unwrap();
        }
        indexer.finish().unwrap();
    });
    let mut looks = 0;
    while !writer.is_finished() || looks == 0 {
        crate::verify(folder.path()).unwrap();
        Searcher::open(folder.path()).unwrap();
        looks += 1;
    }
    writer.join().unwrap();
}

#[test]
fn damage_in_the_middle_is_noticed_by_reading_everything() {
    let folder = two_segments();
    crate::verify(folder.path()).unwrap();
    let name = names(folder.path()).into_iter().find(|name| name.ends_with("store")).unwrap();
    let mut bytes = std::fs::read(folder.path().join(&name)).unwrap();
    bytes[3] ^= 0x55;
    std::fs::write(folder.path().join(&name), bytes).unwrap();
    let error = crate::verify(folder.path()).unwrap_err();
    assert!(matches!(&error, SearchError::Broken { reason, .. } if reason.contains(&name)), "{error}");
    for text in ["{", "{}", "[]"] {
        std::fs::write(folder.path().join("meta.json"), text).unwrap();
        assert!(matches!(Searcher::open(folder.path()), Err(SearchError::Broken { .. })), "{text}");
        assert!(matches!(Indexer::open(folder.path(), &settings()), Err(IndexError::Broken { .. })), "{text}");
    }
}

#[test]
fn a_reader_sees_whole_batches_while_the_writer_writes() {
    let (folder, searcher) = site(&[]);
    let writer = std::thread::spawn({
        let path = folder.path().to_owned();
        move || {
            let mut indexer = Indexer::open(&path, &settings()).unwrap();
            for batch in 0..30 {
                for number in 0..10 {
                    indexer.put(page(number, "page", &format!("round{batch}"))).unwrap();
                }
                indexer.commit(batch).unwrap();
            }
        }
    });
    let mut seen = 0;
    while !writer.is_finished() {
        searcher.reload().unwrap();
        let answer = crate::testing::ask(&searcher, "page");
        assert!(answer.total == 0 || answer.total == 10, "{}", answer.total);
        let texts: std::collections::HashSet<&str> = answer.hits.iter().map(|hit| hit.snippet.text.as_str()).collect();
        assert!(texts.len() <= 1, "{texts:?}");
        seen += usize::from(answer.total == 10);
    }
    writer.join().unwrap();
    assert!(seen > 0);
}

#[test]
fn hostile_documents_are_indexed() {
    let mut hostile =
        page(1, &"t".repeat(1 << 20), &format!("{} needle\0{}", "x".repeat(1 << 20), "\u{202e}\u{301}\u{301}"));
    hostile.headings = vec!["h".repeat(100); 100_000];
    hostile.language = Some("en\0\u{1}".repeat(100));
    hostile.host = format!("{}:99999", "a.".repeat(10_000));
    hostile.url = "%%%zz%C3%28%".repeat(10_000);
    hostile.changed_at = Timestamp(i64::MIN);
    hostile.published = Some(Timestamp(i64::MAX));
    let plain = page(2, "", "before the mark\0needle\u{202e}after שלום");
    let (_folder, searcher) = site(&[hostile, plain]);
    assert_eq!(found(&searcher, "needle"), [2], "the body of the first is cut before the needle");
    assert_eq!(found_set(&searcher, &"x".repeat(500)), [1]);
    assert_eq!(found(&searcher, "שלום"), [2]);
    assert_eq!(found(&searcher, "mark needle"), [2]);
}

#[derive(Clone, Debug)]
enum Step {
    Put(u32, u8),
    Remove(u32),
    Commit,
    Crash,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..6_u32, any::<u8>()).prop_map(|(page, version)| Step::Put(page, version)),
        2 => (0..6_u32).prop_map(Step::Remove),
        2 => Just(Step::Commit),
        1 => Just(Step::Crash),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever happens, the index holds what a map would hold as of the last commit.
    #[test]
    fn the_index_is_a_map(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
        let mut model: BTreeMap<u32, i64> = BTreeMap::new();
        let mut committed = (None, BTreeMap::new());
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Put(id, version) => {
                    let mut document = page(id, "page", "text");
                    document.changed_at = Timestamp(NOW.0 + i64::from(version));
                    indexer.put(document.clone()).unwrap();
                    model.insert(id, document.changed_at.0);
                }
                Step::Remove(id) => {
                    indexer.remove(PageId(id));
                    model.remove(&id);
                }
                Step::Commit => {
                    indexer.commit(number as u64).unwrap();
                    committed = (Some(number as u64), model.clone());
                }
                Step::Crash => {
                    // Merges would go on beside the next indexer, which no crash allows.
                    indexer.finish().unwrap();
                    indexer = Indexer::open(folder.path(), &settings()).unwrap();
                    model = committed.1.clone();
                }
            }
            prop_assert_eq!(indexer.committed(), committed.0);
            prop_assert_eq!(listed(&indexer), committed.1.clone().into_iter().collect::<Vec<_>>());
        }
    }
}
