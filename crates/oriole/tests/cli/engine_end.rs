//! How the engine ends, and what it leaves.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Folder;
use super::kills::start_site;

const QUICK: &str = "--allow-private --delay 0 --budget unlimited";

fn interrupt(engine: &Child) {
    let sent = Command::new("kill").args(["-INT", &engine.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The exit code; none if it does not end in time.
fn ended(engine: &mut Child, patience: Duration) -> Option<i32> {
    let began = Instant::now();
    while began.elapsed() < patience {
        if let Some(status) = engine.try_wait().unwrap() {
            return status.code();
        }
        thread::sleep(Duration::from_millis(20));
    }
    engine.kill().unwrap();
    None
}

#[test]
fn after_a_clean_end_the_catalogue_is_one_file() {
    let (site, folder) = (start_site(), Folder::new());
    let run = folder.run(&format!("run {site} {QUICK} --once"));
    assert_eq!(run.code, 0, "{}", run.err);
    let known = folder.json("status")["pages_known"].as_u64().unwrap();
    fs::create_dir(folder.path("copy")).unwrap();
    fs::copy(folder.path("oriole-data/oriole.db"), folder.path("copy/oriole.db")).unwrap();
    assert_eq!(folder.json("status --data copy")["pages_known"].as_u64(), Some(known));
    assert!(known >= 270, "{known}");
}

#[test]
fn log_lines_that_nobody_reads_do_not_keep_it_from_ending() {
    let (site, folder) = (start_site(), Folder::new());
    let mut command = folder.command(&format!("run {site} {QUICK} --log-level trace"));
    let mut engine = command.stderr(Stdio::piped()).spawn().unwrap();
    // The pipe is full long before everything has been crawled.
    let began = Instant::now();
    while folder.run("status --json").out.is_empty() || folder.json("status")["pages_fetched"].as_u64() < Some(200) {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", folder.run("status"));
        thread::sleep(Duration::from_millis(200));
    }
    interrupt(&engine);
    // Five seconds are promised; the rest is for machines with other things to do.
    assert_eq!(ended(&mut engine, Duration::from_secs(30)), Some(0));
    assert_eq!(folder.run("check").code, 0);
}

#[test]
fn told_twice_it_ends_at_once() {
    let (site, folder) = (start_site(), Folder::new());
    let mut engine = folder.command(&format!("run {site} {QUICK}")).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(Duration::from_secs(1));
    interrupt(&engine);
    interrupt(&engine);
    let code = ended(&mut engine, Duration::from_secs(30));
    // It may have ended by itself before it was told a second time.
    assert!(matches!(code, Some(0 | 130)), "{code:?}");
    assert_eq!(folder.run(&format!("run {QUICK} --once")).code, 0);
    assert_eq!(folder.run("check").code, 0);
}

#[test]
fn two_engines_do_not_share_a_folder() {
    let (site, folder) = (start_site(), Folder::new());
    let mut engine = folder.command(&format!("run {site} {QUICK}")).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while folder.run("status --json").code != 0 {
        assert!(began.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_millis(100));
    }
    let second = folder.run(&format!("run {site} {QUICK} --metrics 127.0.0.1:1"));
    assert_eq!(second.code, 2, "{}", second.err);
    assert!(second.err.contains("another process is running on oriole-data"), "{}", second.err);
    interrupt(&engine);
    assert_eq!(ended(&mut engine, Duration::from_secs(30)), Some(0));
}

#[test]
fn a_crawl_that_read_nothing_has_failed() {
    let folder = Folder::with("oriole.toml", "[requests]\nretry = \"10ms\"\ntries = 2\n");
    let run = folder.run(&format!("run http://127.0.0.1:9/ {QUICK} --once"));
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("no page could be read"), "{}", run.err);
    let run = folder.run("run http://127.0.0.1:9/ --once --data other");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("allow-private") || run.err.contains("allow_private"), "{}", run.err);
}
