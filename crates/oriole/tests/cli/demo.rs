//! The demo: the engine against a living web, measured by the truth.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::{Folder, Run, number};

/// A demo with a folder of its own for temporary files.
fn demo(folder: &Folder, arguments: &str) -> Command {
    std::fs::create_dir_all(folder.path("tmp")).unwrap();
    let mut command = folder.command(&format!("demo {arguments}"));
    command.env("TMPDIR", folder.path("tmp"));
    command
}

fn leftovers(folder: &Folder) -> usize {
    std::fs::read_dir(folder.path("tmp")).unwrap().count()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn the_copy_is_nearly_as_fresh_as_can_be() {
    let folder = Folder::new();
    // What is configured elsewhere does not matter.
    folder.write("oriole.toml", "this is no configuration");
    let run = Run::of(demo(&folder, "--for 60s --seed 3 --json").env("ORIOLE_BUDGET", "1/day").output().unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out.lines().count(), 1, "{}", run.out);
    let summary: Value = serde_json::from_str(&run.out).unwrap();
    let of = |name: &str| number(&summary, name);
    assert_eq!((of("seed"), of("pages"), of("pages_held")), (3.0, 600.0, 600.0), "{summary}");
    assert!(of("changes") > 0.0 && of("fetches") > of("fetches_measured"), "{summary}");
    assert!((of("measured_seconds") + of("warm_up_seconds") - of("seconds")).abs() < 0.1, "{summary}");
    let [measured, bound, uniform, proportional] =
        ["stale_measured", "stale_bound", "stale_uniform", "stale_proportional"].map(of);
    assert!(0.0 < bound && bound < uniform && bound < proportional, "{summary}");
    assert!(measured < uniform, "{summary}");
    assert_eq!(leftovers(&folder), 0);
}

/// Starts a demo and waits until it says where everything is.
fn start(folder: &Folder, arguments: &str) -> (Child, impl BufRead) {
    let mut command = demo(folder, arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("truth") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "the demo has ended");
    }
    (child, out)
}

#[test]
fn it_ends_with_a_summary_when_it_is_interrupted() {
    let folder = Folder::new();
    let (mut child, mut out) = start(&folder, "--pages 40 --hosts 2 --seed 7");
    assert_eq!(leftovers(&folder), 1);
    signal(&child, "-INT");
    let mut text = String::new();
    out.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    for said in
        ["the warm-up was not over", "bound", "oriole demo --pages 40 --hosts 2 --seed 7 --budget 8/s --for 60s"]
    {
        assert!(text.contains(said), "{said} is not in {text}");
    }
    assert_eq!(leftovers(&folder), 0);
}

#[test]
fn what_was_crawled_can_be_kept_and_searched() {
    let folder = Folder::new();
    let run = Run::of(demo(&folder, "--pages 40 --hosts 2 --for 6s --data kept").output().unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("after a warm-up of 3."), "{}", run.out);
    assert_eq!(leftovers(&folder), 0);
    let pages = folder.run("pages --json --data kept").out;
    assert!(pages.lines().count() >= 40, "{pages}");
    assert!(folder.run("search harbour OR bread OR comet OR tulip --json --data kept").out.lines().count() > 0);
    let run = Run::of(demo(&folder, "--data kept").output().unwrap());
    assert_eq!(run.code, 2);
    assert!(run.err.contains("give a folder that is new or empty"), "{}", run.err);
}

#[test]
fn wrong_options_say_what_would_be_right() {
    let folder = Folder::with("file", "");
    for (options, remedy) in [
        ("--pages 0", "pages must be from 1"),
        ("--pages 30000", "use oriole livingweb and oriole run"),
        ("--pages 3 --hosts 4", "hosts must be"),
        ("--for 1ms", "--for must be from 1 s"),
        ("--for soon", "give a time such as"),
        ("--budget 5", "per which unit of time"),
        ("--budget 1/day", "--budget must be from 0.1/s"),
        ("--data file", "is no folder"),
        ("elsewhere", "unexpected argument"),
    ] {
        let run = Run::of(demo(&folder, options).output().unwrap());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{options}: {}", run.err);
        assert!(run.err.contains(remedy), "{options}: {}", run.err);
    }
}
