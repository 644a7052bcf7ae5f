//! A web of hosts that do everything wrong, and what must become of each of their pages.

pub(super) mod cases;
pub(super) mod hosts;
pub(super) mod rough;
#[expect(dead_code, reason = "shared with the tests of crate `crawl`, which use other parts of it")]
pub(super) mod server;
pub(super) mod tls;

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::RangeInclusive;

pub(super) use hosts::{Hosts, hosts};
use server::{Ask, Log, Say, Server, html, not_found, page};

/// Says what a server answers.
type Speaker = Box<dyn Fn(&Ask) -> Vec<Say> + Send + Sync>;

/// A page of a site, what the server says when it is asked for, and what must become of it.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// As it is in the catalogue.
    pub(super) path: String,
    say: Option<Speaker>,
    /// As it is linked from the home page, if it is.
    link: Option<String>,
    pub(super) wanted: Wanted,
}

/// What must become of a page.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Its state in the catalogue; none if it must not be known.
    pub(super) state: Option<&'static str>,
    pub(super) indexed: bool,
    /// How often the server is asked for it.
    pub(super) asked: RangeInclusive<usize>,
    pub(super) title: Option<&'static str>,
    /// Whether the archive has a copy.
    pub(super) archived: Option<bool>,
}

/// It is read and found.
pub(super) const FOUND: Wanted =
    Wanted { state: Some("fetched"), indexed: true, asked: 1..=1, title: None, archived: Some(true) };
pub(super) const REDIRECT: Wanted = Wanted { state: Some("redirect"), indexed: false, archived: None, ..FOUND };
pub(super) const DUPLICATE: Wanted = Wanted { state: Some("duplicate"), ..REDIRECT };
pub(super) const EXCLUDED: Wanted = Wanted { state: Some("excluded"), ..REDIRECT };
pub(super) const SKIPPED: Wanted = Wanted { state: Some("skipped"), ..REDIRECT };
pub(super) const GONE: Wanted = Wanted { state: Some("gone"), ..REDIRECT };
/// It is tried twice, as the configuration says, and given up.
pub(super) const FAILED: Wanted =
    Wanted { state: Some("failed"), asked: TRIES..=TRIES, archived: Some(false), ..REDIRECT };
/// It is neither known nor asked for.
pub(super) const UNKNOWN: Wanted = Wanted { state: None, asked: 0..=0, ..REDIRECT };

impl Wanted {
    /// The same, but the server is asked for it so many times.
    fn asked(self, times: usize) -> Self {
        Self { asked: times..=times, ..self }
    }
}

/// How often a page that fails is asked for.
pub(super) const TRIES: usize = 2;

/// All pages of a host.
#[derive(Default)]
pub(super) struct Table {
    cases: Vec<Case>,
}

impl Table {
    /// A page that the home page links to.
    fn page(
        &mut self,
        name: &'static str,
        path: &str,
        wanted: Wanted,
        say: impl Fn(&Ask) -> Vec<Say> + Send + Sync + 'static,
    ) {
        self.cases.push(Case { name, path: path.into(), say: Some(Box::new(say)), link: Some(path.into()), wanted });
    }

    /// A page that nothing on the home page leads to.
    fn beyond(
        &mut self,
        name: &'static str,
        path: &str,
        wanted: Wanted,
        say: impl Fn(&Ask) -> Vec<Say> + Send + Sync + 'static,
    ) {
        self.cases.push(Case { name, path: path.into(), say: Some(Box::new(say)), link: None, wanted });
    }

    /// Something that the home page links to, and the page that is meant by it.
    fn link(&mut self, name: &'static str, link: impl Into<String>, path: &str, wanted: Wanted) {
        self.cases.push(Case { name, path: path.into(), say: None, link: Some(link.into()), wanted });
    }

    /// The server of this table, and what is to be looked at afterwards.
    pub(super) fn serve(self) -> Site {
        let links: Vec<&str> = self.cases.iter().filter_map(|case| case.link.as_deref()).collect();
        let links: String = links.iter().map(|to| format!("<li><a href=\"{to}\">link</a></li>")).collect();
        let home = format!("{}{links}", page("home", &[]));
        let (mut says, mut wanted) = (BTreeMap::new(), Vec::new());
        for Case { name, path, say, wanted: want, .. } in self.cases {
            if let Some(say) = say {
                says.insert(path.clone(), say);
            }
            wanted.push((name, path, want));
        }
        let server = Server::start(move |ask| match says.get(&ask.path) {
            Some(say) => say(ask),
            None if ask.path == "/" => html(&home),
            None => says.get("*").map_or_else(not_found, |say| say(ask)),
        });
        Site { server, wanted }
    }
}

/// A host that is up.
pub(super) struct Site {
    pub(super) server: Server,
    wanted: Vec<(&'static str, String, Wanted)>,
}

impl Site {
    /// What has not become of the pages of this host what must.
    pub(super) fn complaints(&self, rows: &BTreeMap<String, serde_json::Value>) -> Vec<String> {
        let log = self.server.log();
        let mut complaints = Vec::new();
        for (name, path, wanted) in self.wanted.iter().filter(|(_, path, _)| path != "*") {
            let problems = compare(wanted, rows.get(&self.server.url(path)), &log, path);
            complaints.extend(problems.into_iter().map(|problem| format!("{name} ({path}): {problem}")));
        }
        complaints
    }
}

fn compare(wanted: &Wanted, row: Option<&serde_json::Value>, log: &Log, path: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut expect = |what: &str, got: String, wanted: String| {
        if got != wanted {
            problems.push(format!("{what} is {got}, not {wanted}"));
        }
    };
    let null = serde_json::Value::Null;
    let field = |name: &str| row.map_or(&null, |row| &row[name]);
    expect("state", format!("{:?}", field("state").as_str()), format!("{:?}", wanted.state));
    expect("indexed", (field("indexed") == true).to_string(), wanted.indexed.to_string());
    if let Some(title) = wanted.title {
        expect("title", format!("{:?}", field("title").as_str()), format!("{:?}", Some(title)));
    }
    if let Some(archived) = wanted.archived {
        expect("archived", (!field("archive_file").is_null()).to_string(), archived.to_string());
    }
    let asked = log.count(path);
    if !wanted.asked.contains(&asked) {
        problems.push(format!("asked for {asked} times, not {:?}", wanted.asked));
    }
    problems
}

/// Compresses.
pub(super) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}
