//! The commands that look into a data folder and feed it, on a folder made here.

mod check;
mod export;
mod feeding;
mod import;
mod page;
mod pages;
mod search;
mod status;
#[cfg(unix)]
mod unwritable;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crawl::extract::{Limits, extract};
use crawl::fingerprint::Fingerprint;
use index::{Indexer, Settings};
use store::{
    Archive, Batch, Catalogue, DataFolder, Digest, Document, Host, HostId, HttpHead, NewPage, Outcome, PageChange,
    PageId, Record, State, Timestamp, Values, Visit,
};

use super::{Folder, Run};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

const COMMANDS: [&str; 9] = ["search", "status", "pages", "page", "add", "remove", "export", "import", "check"];

/// A page of the folder: address, state, and hours since it was checked and changed.
struct Sample {
    url: &'static str,
    state: State,
    checked: Option<i64>,
    changed: Option<i64>,
    html: &'static str,
}

/// A stranger's title that would clear the screen and turn the text around.
const HOSTILE: &str = "Errors \x1b[2J\u{202e}and\u{9b}31m how to handle them";

const DOCS: &str = "https://docs.example.org/";

const SAMPLES: [Sample; 8] = [
    Sample {
        url: DOCS,
        state: State::Fetched,
        checked: Some(3),
        changed: Some(50),
        html: "<html lang=en><title>Handbook</title><h1>The handbook</h1><p>All that is known about error handling \
               and about birds that come back, with examples for everybody who wants to read on for a while.</p>",
    },
    Sample {
        url: "https://docs.example.org/errors",
        state: State::Fetched,
        checked: Some(30),
        changed: Some(100),
        html: "<html lang=en><title>Errors</title><p>An error is \
               handled where something can be done about it. Handling of errors elsewhere hides their cause.</p>",
    },
    Sample { url: "https://docs.example.org/old", state: State::Gone, checked: None, changed: Some(300), html: "" },
    Sample { url: "https://docs.example.org/new", state: State::Known, checked: None, changed: None, html: "" },
    Sample {
        url: "http://blog.example.net:8080/vogel",
        state: State::Fetched,
        checked: Some(400),
        changed: Some(400),
        html: "<html lang=de><title>Der Pirol</title><p>Der Pirol ist ein Vogel, der im Mai kommt und im August \
               wieder geht. Sein Gesang klingt wie eine Flöte, und gesehen wird er selten, weil er hoch oben lebt.</p>",
    },
    Sample {
        url: "https://docs.example.org/errors?print=1",
        state: State::Duplicate,
        checked: Some(29),
        changed: Some(100),
        html: "",
    },
    Sample { url: "https://docs.example.org/moved", state: State::Redirect, checked: Some(5), changed: None, html: "" },
    Sample { url: "https://docs.example.org/broken", state: State::Failed, checked: None, changed: None, html: "" },
];

/// A folder with a data folder in it.
struct Site {
    folder: Folder,
    now: Timestamp,
}

impl Site {
    /// All samples, some of them indexed, as if the engine had written them half an hour ago.
    fn new() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let site = Self { folder: Folder::new(), now: Timestamp(since.as_millis() as i64) };
        site.fill();
        site
    }

    fn data(&self) -> std::path::PathBuf {
        self.folder.path("oriole-data")
    }

    /// Half an hour more than these hours ago, so that an age is the same all through a test.
    fn ago(&self, hours: i64) -> Timestamp {
        Timestamp(self.now.0 - hours * HOUR - HOUR / 2)
    }

    /// When the page that failed is tried again.
    fn retry_at(&self) -> Timestamp {
        Timestamp(self.now.0 + 5 * HOUR + HOUR / 2)
    }

    fn fill(&self) {
        let mut data = DataFolder::open(&self.data()).unwrap();
        data.recover(None).unwrap();
        let mut indexer = Indexer::open(&data.index_path(), &Settings { memory: 15_000_000 });
        let indexer = indexer.as_mut().unwrap();
        let mut batch = Batch { number: 1, hosts: hosts(), ..Batch::default() };
        for (number, sample) in SAMPLES.iter().enumerate() {
            batch.new.push(self.new_page(number as u32, sample));
            let change = self.change(number as u32, sample, &mut data);
            if change.values.indexed {
                indexer.put(document(change.page, sample, &change.values)).unwrap();
            }
            batch.pages.extend((sample.state != State::Known).then_some(change));
        }
        batch.archive = data.archive.lengths();
        data.archive.sync().unwrap();
        data.catalogue.prepare(&batch).unwrap();
        indexer.commit(1).unwrap();
        data.catalogue.apply(&batch).unwrap();
    }

    fn new_page(&self, id: u32, sample: &Sample) -> NewPage {
        NewPage {
            id: PageId(id),
            url: sample.url.to_owned(),
            host: HostId(u32::from(sample.url.contains("blog"))),
            depth: u16::from(id > 0),
            found_at: self.ago(500),
            referrer: (id > 0).then_some(PageId(0)),
            weight: 1.0,
            links_in: 10 - id,
        }
    }

    fn change(&self, id: u32, sample: &Sample, data: &mut DataFolder) -> PageChange {
        let at = self.ago(sample.checked.unwrap_or(200));
        let mut values = Values {
            state: sample.state,
            checked_at: sample.checked.map(|hours| self.ago(hours)),
            changed_at: sample.changed.map(|hours| self.ago(hours)),
            visits: 10 - id,
            changes: 2 * u32::from(id < 2),
            evidence_changes: 2.0 * (id < 2) as u8 as f32,
            evidence_exposure: 450.0 * 3600.0,
            ..Values::default()
        };
        (values.status, values.failures) = match sample.state {
            State::Failed => (None, 3),
            State::Gone => (Some(404), 0),
            State::Redirect => (Some(301), 0),
            _ => (Some(200), 0),
        };
        values.retry_at = (sample.state == State::Failed).then(|| self.retry_at());
        values.redirect_to = (sample.state == State::Redirect).then(|| DOCS.to_owned());
        values.duplicate_of = (sample.state == State::Duplicate).then_some(PageId(1));
        if !sample.html.is_empty() {
            self.keep(sample, &mut values, data);
        }
        let visit = Visit {
            at,
            outcome: outcome(sample.state),
            status: values.status,
            bytes: sample.html.len() as u64,
            milliseconds: 12,
            archive: values.archive,
        };
        PageChange { page: PageId(id), visit: Some(visit), values }
    }

    /// The copy, and what is known from it.
    fn keep(&self, sample: &Sample, values: &mut Values, data: &mut DataFolder) {
        let mut head = HttpHead::response(200, "OK");
        head.push("Content-Type", b"text/html; charset=utf-8");
        let at = values.changed_at.unwrap();
        // Of one moment, so that the archive has the same bytes whenever a test runs.
        let written = Timestamp(1_700_000_000_000);
        let record = Record::response(sample.url, written, head, sample.html.as_bytes().to_vec(), false);
        let page = extract(sample.html.as_bytes(), Some("text/html"), sample.url, &Limits::default()).unwrap();
        let fingerprint = Fingerprint::of(&page.text);
        values.archive = Some(data.archive.append(&record.encode()).unwrap());
        (values.archived_at, values.digest) = (Some(at), Some(Digest::of(sample.html.as_bytes())));
        (values.text_hash, values.simhash) = (Some(fingerprint.hash.to_be_bytes()), Some(fingerprint.simhash));
        values.sketch = fingerprint.to_bytes().to_vec();
        let title = page.title.map(|title| if title == "Errors" { HOSTILE.to_owned() } else { title });
        (values.title, values.mime) = (title, Some("text/html".to_owned()));
        values.language = page.language.map(|language| language.as_str().to_owned());
        values.bytes = Some(sample.html.len() as u64);
        values.indexed = true;
    }

    fn run(&self, arguments: &str) -> Run {
        self.folder.run(arguments)
    }

    fn json(&self, arguments: &str) -> serde_json::Value {
        self.folder.json(arguments)
    }

    /// Runs with one argument that has blanks in it.
    fn run_with(&self, command: &str, argument: &str, options: &str) -> Run {
        Run::of(self.folder.command(command).arg(argument).args(options.split_whitespace()).output().unwrap())
    }

    /// The text with the moments of this folder by their age in hours.
    fn steady(&self, text: &str) -> String {
        let ages = SAMPLES.iter().flat_map(|sample| [sample.checked, sample.changed]).flatten().chain([200, 500]);
        let steady = ages.fold(text.to_owned(), |text, hours| {
            text.replace(&self.ago(hours).to_string(), &format!("[{hours}.5 hours ago]"))
        });
        steady.replace(&self.retry_at().to_string(), "[in 5.5 hours]")
    }
}

fn hosts() -> Vec<Host> {
    let host = |id: u32, name: &str, learned: Option<&str>| Host {
        id: HostId(id),
        name: name.to_owned(),
        delay: 1.0,
        failures: 0,
        blocked_until: None,
        pages: 7 - 6 * id,
        learned: learned.map(str::to_owned),
    };
    // Half of the pages of the blog change less than once a year.
    let blog = r#"{"median_rate": 3e-8, "spread": 0.5}"#;
    vec![host(0, "https://docs.example.org", None), host(1, "http://blog.example.net:8080", Some(blog))]
}

fn outcome(state: State) -> Outcome {
    match state {
        State::Known | State::Fetched => Outcome::Changed,
        State::Gone => Outcome::Gone,
        State::Excluded => Outcome::Excluded,
        State::Redirect => Outcome::Redirect,
        State::Duplicate => Outcome::Duplicate,
        State::Skipped => Outcome::Skipped,
        State::Failed => Outcome::Failed,
    }
}

fn document(page: PageId, sample: &Sample, values: &Values) -> Document {
    let found = extract(sample.html.as_bytes(), Some("text/html"), sample.url, &Limits::default()).unwrap();
    Document {
        page,
        url: sample.url.to_owned(),
        host: sample.url.split('/').nth(2).unwrap().to_owned(),
        title: values.title.clone().unwrap_or_default(),
        description: String::new(),
        headings: found.headings,
        text: found.text,
        language: values.language.clone(),
        published: None,
        fetched_at: values.changed_at.unwrap(),
        changed_at: values.changed_at.unwrap(),
        links_in: 1,
        depth: 1,
    }
}

/// Holds the lock of a data folder and says what a running engine would.
fn engine(data: &Path, status: &str) -> DataFolder {
    engine_again(data, 2, status)
}

fn engine_again(data: &Path, number: u64, status: &str) -> DataFolder {
    let mut folder = DataFolder::open(data).unwrap();
    folder.recover(Some(1)).unwrap();
    let batch =
        Batch { number, status: Some(status.to_owned()), archive: folder.archive.lengths(), ..Batch::default() };
    folder.catalogue.apply(&batch).unwrap();
    folder
}

#[test]
fn without_a_data_folder() {
    let folder = Folder::new();
    let (page, out) = ("docs.example.org", "export --format csv --out -");
    for command in [
        "search word",
        "status",
        "pages",
        &format!("page {page}"),
        &format!("add {page}"),
        out,
        "check",
        "check --repair",
    ] {
        let run = folder.run(command);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{command}");
        assert!(run.err.contains("oriole-data is not a data folder; `oriole run` makes one"), "{}", run.err);
    }
    assert_eq!(folder.files(), Vec::<String>::new(), "looking makes nothing");
}

#[test]
fn the_data_folder_is_the_one_that_was_named() {
    let site = Site::new();
    let moved = site.folder.path("elsewhere");
    std::fs::rename(site.data(), &moved).unwrap();
    assert_eq!(site.run("status").code, 2);
    assert_eq!(site.run("status --data elsewhere").code, 0);
    let run = site.folder.command("status").env("ORIOLE_DATA", &moved).output().unwrap();
    assert!(run.status.success());
}

#[test]
fn the_help() {
    let folder = Folder::new();
    for command in COMMANDS {
        let run = folder.run(&format!("{command} --help"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{command}");
        assert!(run.out.contains("Examples:"), "{command}: {}", run.out);
        insta::assert_snapshot!(format!("help_{command}"), run.out);
    }
}
