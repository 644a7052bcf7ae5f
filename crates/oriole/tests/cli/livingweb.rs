//! The living web, crawled by the engine and played by the command.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use livingweb::{Clock, Handle, Options, Settings, Weights, World, serve};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Folder, Run, number};

pub(super) fn play(settings: &Settings) -> (tokio::runtime::Runtime, Handle) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let served = serve(World::new(settings).unwrap(), Clock::starting_now(), Options::default());
    let living = runtime.block_on(served).unwrap();
    (runtime, living)
}

fn states(folder: &Folder) -> BTreeMap<String, usize> {
    let mut states = BTreeMap::new();
    for line in folder.run("pages --json").out.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        *states.entry(row["state"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    states
}

/// Pages hardly change, so that all copies must be current in the end, and nothing is given twice.
#[test]
fn the_engine_finds_and_holds_every_page() {
    let settings = Settings { pages: 300, hosts: 3, mean_interval: 1e7, weights: Weights::Rate, ..Settings::default() };
    let (_runtime, living) = play(&settings);
    let folder = Folder::new();
    let seeds = living.seeds().join(" ");
    let run = folder.run(&format!("run {seeds} --once --allow-private --delay 0 --budget unlimited"));
    assert_eq!(run.code, 0, "{}", run.err);
    let truth = living.truth();
    assert_eq!((truth.pages, truth.pages_held), (300, 300));
    assert_eq!((truth.since_start.fetches, truth.since_start.fetches_304), (300, 0));
    assert_eq!(truth.stale_now.all.unweighted, Some(0.0));
    // Pages, roots and lists; none is taken for a copy of another, none for a trap.
    let lists: usize = (0..3).map(|host| living.world().lists(host).len()).sum();
    assert_eq!(states(&folder), BTreeMap::from([("fetched".to_owned(), 300 + 3 + lists)]));
    // The configuration that is served can be read, its weights hold, and what is held is not sent again.
    folder.write("oriole.toml", living.oriole_toml());
    let run = folder.run("run --once --budget unlimited");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!((living.truth().since_start.fetches, living.truth().since_start.fetches_304), (600, 300));
    assert!(folder.run("search harbour OR bread OR comet OR tulip --json").out.lines().count() > 0);
}

#[test]
fn sitemaps_and_feeds_are_read_by_the_crawler() {
    let (runtime, living) = play(&Settings { pages: 90, hosts: 1, ..Settings::default() });
    let get = |path: &str| {
        runtime.block_on(async {
            let mut stream = tokio::net::TcpStream::connect(living.hosts()[0]).await.unwrap();
            let request = format!("GET {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer.split_once("\r\n\r\n").unwrap().1.to_owned()
        })
    };
    let mut listed = BTreeMap::new();
    let take = |entry: crawl::sitemap::Entry| _ = listed.insert(entry.loc, entry.lastmod);
    crawl::sitemap::read(get("/sitemap.xml").as_bytes(), &crawl::sitemap::Limits::default(), take).unwrap();
    let pages = living.pages();
    assert!(listed.len() == 90 && pages.iter().all(|page| listed[&page.url].is_some()), "{listed:?}");
    let feed = crawl::feed::read(get("/feed.xml").as_bytes(), &crawl::feed::Limits::default()).unwrap();
    assert_eq!(feed.entries.len(), 50);
}

struct Playing {
    child: Child,
    seeds: Vec<String>,
}

/// Starts the command and waits until it says where everything is.
fn start(folder: &Folder, arguments: &str) -> Playing {
    let mut command = folder.command(&format!("livingweb {arguments} --json"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let lines: Vec<String> = lines.take_while(|line| !line.starts_with("crawl")).collect();
    let seeds = lines.iter().filter_map(|line| line.strip_prefix("seed   ")).map(str::to_owned).collect();
    Playing { child, seeds }
}

impl Playing {
    fn interrupt(mut self) -> Run {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        Run { code: self.child.wait().unwrap().code().unwrap_or(-1), out, err: String::new() }
    }
}

#[test]
fn the_command_judges_a_data_folder() {
    let folder = Folder::new();
    let playing = start(&folder, "--pages 60 --hosts 2 --mean-interval 20s --seed 7 --data oriole-data");
    assert_eq!(playing.seeds.len(), 2);
    let seeds = playing.seeds.join(" ");
    let run = folder.run(&format!("run {seeds} --once --allow-private --delay 0 --budget unlimited"));
    assert_eq!(run.code, 0, "{}", run.err);
    let ended = playing.interrupt();
    assert_eq!(ended.code, 0);
    let summary: Value = serde_json::from_str(&ended.out).unwrap();
    for (path, wanted) in [("seed", 7.0), ("pages", 60.0), ("pages_held", 60.0), ("copy.pages_held", 60.0)] {
        assert_eq!(number(&summary, path), wanted, "{path}");
    }
    // The folder has what the server gave, but it was looked at a moment earlier.
    let (judged, measured) = (number(&summary, "copy.stale.all.weighted"), number(&summary, "stale_now.all.weighted"));
    assert!((judged - measured).abs() < 0.2, "{judged} {measured}");
    let bound = number(&summary, "since_start.expected.weighted.bound");
    assert!(bound > 0.0 && bound <= number(&summary, "since_start.expected.weighted.uniform") + 1e-12);
}

#[test]
fn it_ends_when_its_time_is_over() {
    let folder = Folder::new();
    let run = folder.run("livingweb --pages 30 --hosts 2 --for 200ms");
    assert_eq!(run.code, 0, "{}", run.err);
    for text in ["30 pages on 2 hosts, seed 1", "/living/truth", "stale on average", "as often as they change"] {
        assert!(run.out.contains(text), "{text} is not in {}", run.out);
    }
    folder.write("changes.csv", "unix_time,page,event\n0,a,changed\n3600,b,changed\n7200,a,changed\n");
    let summary = folder.json("livingweb --replay changes.csv --speed 36000 --hosts 1 --for 500ms");
    assert_eq!((number(&summary, "pages"), number(&summary, "changes")), (2.0, 2.0));
    folder.write("pages.csv", "page,change_rate\na,0\nb,0\nc,0\n");
    let summary = folder.json("livingweb --rates file:pages.csv --hosts 1 --for 100ms");
    assert_eq!((number(&summary, "pages"), number(&summary, "changes")), (3.0, 0.0));
}

#[test]
fn wrong_options_say_what_would_be_right() {
    let folder = Folder::new();
    for (options, remedy) in [
        ("--pages 0", "pages must be from 1 to 1000000"),
        ("--pages 3 --hosts 4", "hosts must be"),
        ("--mean-interval 1us", "mean interval must be"),
        ("--rates weibull(1)", "give one of equal, uniform"),
        ("--rates pareto(0)", "alpha must be"),
        ("--changes bursty(0.5)", "coefficient of variation must be"),
        ("--replace 0.2", "give a share and a time such as"),
        ("--faults crash=1%", "give shares such as error=1%"),
        ("--faults error=60%,slow=60%", "share of all faults must be at most 1"),
        ("--size 2kB,1kB", "least size must be"),
        ("--slow-hosts 1 --crawl-delay 0", "crawl delay must be"),
        ("--port 65535", "choose a lower port"),
        ("--latency soon", "give one of exp(MEAN)"),
        ("--speed 2", "--replay"),
        ("--rates file:absent.csv", "no such file"),
    ] {
        let run = folder.run(&format!("livingweb {options} --for 1ms"));
        assert_eq!(run.code, 2, "{options}: {}{}", run.out, run.err);
        assert!(run.err.contains(remedy), "{options}: {}", run.err);
    }
}
