use std::fs;

use super::*;

#[test]
fn a_sound_folder() {
    let site = Site::new();
    let run = site.run("check");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.contains("8 pages on 2 hosts, 7 visits; 3 indexed, as in the search index\n"), "{}", run.out);
    assert!(run.out.ends_with("all is sound\n"), "{}", run.out);
    let found = site.json("check");
    assert_eq!((&found["sound"], &found["records"]), (&true.into(), &4.into()));
    assert_eq!(found["findings"], serde_json::json!([]));
}

#[test]
fn an_index_that_was_lost_is_found_and_put_right() {
    let site = Site::new();
    fs::remove_dir_all(site.folder.path("oriole-data/index")).unwrap();
    let run = site.run("check");
    assert_eq!(run.code, 1);
    assert!(run.out.contains("wrong: search index: 3 pages missing"), "{}", run.out);
    fs::create_dir(site.folder.path("oriole-data/index")).unwrap();
    let run = site.run("check --repair");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("put right: search index: 3 pages missing"), "{}", run.out);
    assert_eq!(site.run("check").code, 0);
    assert_eq!(site.json("status")["pages_indexed"], 0, "they are fetched again");
}

#[test]
fn a_damaged_copy_is_found_and_fetched_again() {
    let site = Site::new();
    let file = site.folder.path("oriole-data/archive/oriole-000001.warc.gz");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() - 200;
    bytes[middle..middle + 20].fill(0);
    fs::write(&file, bytes).unwrap();
    let run = site.run("check");
    assert_eq!(run.code, 1);
    assert!(run.out.contains("oriole-000001.warc.gz: the copy of page 4 at "), "{}", run.out);
    assert!(run.err.contains("oriole check --repair"), "{}", run.err);
    assert_eq!(site.run("check --repair").code, 0);
    assert_eq!(site.run("check").code, 0);
}

#[test]
fn no_folder_no_check() {
    let folder = Folder::new();
    for arguments in ["check", "check --repair"] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("oriole-data is not a data folder"), "{}", run.err);
    }
}
