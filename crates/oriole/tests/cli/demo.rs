//! The demo: the engine against a living web, measured by the truth.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::{Folder, Run, number};

/// How much more than the bound the measured cost may be. Over 14 seeds it was 1.031 times the bound on average, with a standard
/// deviation of 0.016 (docs/benchmarks/engine.md), so a run of a minute is long enough.
const WITHIN: f64 = 1.10;

/// Runs of which one must have been let make its fetches: beside other tests a crawl can be held up.
const TRIES: usize = 3;

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

/// The summary of a demo that could do what it wanted to: the bound is for visits that are made when they are due.
fn undisturbed(folder: &Folder) -> Value {
    for _try in 0..TRIES {
        let run = demo(folder, "--seed 3 --for 60s --json").env("ORIOLE_BUDGET", "1/day").output();
        let run = Run::of(run.unwrap());
        assert_eq!((run.code, run.out.lines().count()), (0, 1), "{}{}", run.out, run.err);
        let summary: Value = serde_json::from_str(&run.out).unwrap();
        if number(&summary, "fetches_per_second") > 0.97 * number(&summary, "budget_per_second") {
            return summary;
        }
        println!("held up: {summary}");
    }
    panic!("the machine was too busy for a demo, {TRIES} times");
}

#[test]
fn the_copy_is_nearly_as_fresh_as_can_be() {
    let folder = Folder::new();
    // What is configured elsewhere does not matter.
    folder.write("oriole.toml", "this is no configuration");
    let summary = undisturbed(&folder);
    let of = |name: &str| number(&summary, name);
    assert_eq!((of("seed"), of("pages"), of("pages_held")), (3.0, 800.0, 800.0), "{summary}");
    assert!(of("changes") > 0.0 && of("fetches") > of("fetches_measured"), "{summary}");
    assert!((of("measured_seconds") + of("warm_up_seconds") - of("seconds")).abs() < 0.1, "{summary}");
    let [measured, bound, uniform, proportional] =
        ["stale_measured", "stale_bound", "stale_uniform", "stale_proportional"].map(of);
    assert!(0.0 < bound && bound < uniform && bound < proportional, "{summary}");
    assert!(measured < uniform, "{summary}");
    assert!(measured <= WITHIN * bound, "{} times the bound: {summary}", measured / bound);
    assert_eq!(leftovers(&folder), 0);
}

/// A demo that runs. It is killed if it has not ended when this is dropped.
pub(super) struct Playing {
    child: Child,
    out: BufReader<ChildStdout>,
    /// Where its pages are.
    pub(super) origin: String,
}

impl Playing {
    /// Starts a demo and waits until it says where everything is.
    pub(super) fn start(folder: &Folder, arguments: &str) -> Self {
        let mut command = demo(folder, &format!("{arguments} --listen 127.0.0.1:0"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (mut line, mut origin) = (String::new(), String::new());
        while !line.starts_with("truth") {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "the demo has ended");
            if let Some(address) = line.strip_prefix("look   ") {
                address.trim_end().trim_end_matches('/').clone_into(&mut origin);
            }
        }
        Self { child, out, origin }
    }

    /// Ends it as Ctrl-C does; its exit code and what it still says.
    fn interrupt(&mut self) -> (Option<i32>, String) {
        signal(&self.child, "-INT");
        let mut text = String::new();
        self.out.read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap().code(), text)
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

#[test]
fn it_ends_with_a_summary_when_it_is_interrupted() {
    let folder = Folder::new();
    let mut playing = Playing::start(&folder, "--pages 40 --hosts 2 --seed 7");
    assert_eq!(leftovers(&folder), 1);
    let (code, text) = playing.interrupt();
    assert_eq!(code, Some(0));
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
        ("--listen 0.0.0.0:0", "without a token"),
        ("elsewhere", "unexpected argument"),
    ] {
        let run = Run::of(demo(&folder, options).output().unwrap());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{options}: {}", run.err);
        assert!(run.err.contains(remedy), "{options}: {}", run.err);
    }
}
