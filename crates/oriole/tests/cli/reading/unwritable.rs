//! Reading where nothing can be written.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;

use super::*;

/// Nobody, who may not write where root may.
const NOBODY: u32 = 65534;

/// Lets everybody read what is under a path, and nobody write it, or its owner everything.
fn allow(path: &Path, write: bool) {
    let entries = if path.is_dir() { fs::read_dir(path).unwrap().collect() } else { Vec::new() };
    let modes = if path.is_dir() { (0o755, 0o555) } else { (0o644, 0o444) };
    fs::set_permissions(path, Permissions::from_mode(if write { modes.0 } else { modes.1 })).unwrap();
    for entry in entries {
        allow(&entry.unwrap().path(), write);
    }
}

/// Runs a command as somebody who can write nothing in the folder.
fn run_reading(site: &Site, arguments: &str) -> Run {
    let mut command = site.folder.command(arguments);
    if fs::metadata(site.data()).unwrap().uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    Run::of(command.output().unwrap())
}

fn files(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Everything that only reads works, with and without a lock file in the index, and leaves nothing behind.
#[test]
fn a_folder_that_cannot_be_written() {
    let site = Site::new();
    fs::set_permissions(site.folder.path(""), Permissions::from_mode(0o755)).unwrap();
    for has_lock in [true, false] {
        if !has_lock {
            fs::remove_file(site.data().join("index/.tantivy-meta.lock")).unwrap();
        }
        let before = (files(&site.data()), files(&site.data().join("index")));
        assert!(!before.0.iter().any(|name| name.ends_with("-wal")), "{before:?}");
        allow(&site.data(), false);
        for (command, text) in [
            ("search error", "docs.example.org/errors"),
            ("check", "everything agrees"),
            ("status", "pages"),
            ("page https://docs.example.org/errors", "fetched"),
            ("pages", "blog.example.net"),
        ] {
            let run = run_reading(&site, command);
            assert_eq!((run.code, run.out.contains(text)), (0, true), "{command}: {}{}", run.out, run.err);
        }
        assert_eq!((files(&site.data()), files(&site.data().join("index"))), before);
        let run = run_reading(&site, "check --repair");
        assert!(run.code != 0 && run.out.is_empty(), "{}{}", run.out, run.err);
        allow(&site.data(), true);
    }
}

/// Changes that are not in the catalogue itself are read if that is possible, and not passed over in silence if it is not.
#[test]
fn changes_beside_the_catalogue() {
    let site = Site::new();
    fs::set_permissions(site.folder.path(""), Permissions::from_mode(0o755)).unwrap();
    let database = site.data().join("oriole.db");
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; UPDATE pages SET links_in = 77 WHERE id = 1").unwrap();
    // As if the machine had stopped here.
    let kept: Vec<Vec<u8>> = ["", "-wal", "-shm"]
        .map(|end| fs::read(site.data().join(format!("oriole.db{end}"))))
        .map(Result::unwrap)
        .into();
    drop(connection);
    for (end, bytes) in ["", "-wal", "-shm"].into_iter().zip(kept) {
        fs::write(site.data().join(format!("oriole.db{end}")), bytes).unwrap();
    }
    allow(&site.data(), false);
    let run = run_reading(&site, "page https://docs.example.org/errors --json");
    assert_eq!((run.code, run.out.contains("77")), (0, true), "{}{}", run.out, run.err);
    fs::set_permissions(site.data(), Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(site.data().join("oriole.db-shm")).unwrap();
    fs::set_permissions(site.data(), Permissions::from_mode(0o555)).unwrap();
    for command in ["search error", "check"] {
        let run = run_reading(&site, command);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{command}: {}", run.err);
        assert!(run.err.contains("copy the folder to another place"), "{command}: {}", run.err);
    }
    allow(&site.data(), true);
    assert_eq!(site.run("check").code, 0);
}
