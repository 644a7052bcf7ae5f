//! A data folder made here, and requests to a server of it.

use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, HOST, HeaderName};
use axum::http::{HeaderMap, Request, StatusCode};
use crawl::extract::{Limits, extract};
use index::{Indexer, Settings};
use store::{
    Archive, Batch, Catalogue, DataFolder, Document, Host, HostId, HttpHead, NewPage, Outcome, PageChange, PageId,
    Record, State, Timestamp, Values, Visit,
};
use tower::ServiceExt as _;

use super::{Desk, router};
use crate::cli::EngineArgs;
use crate::config::Config;

/// The time between two versions of a page.
pub(super) const HOUR: i64 = 3_600_000;

/// A data folder.
pub(super) struct Site {
    folder: tempfile::TempDir,
    /// When it was made; the last versions are half an hour old.
    pub(super) now: Timestamp,
}

/// What the server says.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl Site {
    /// Pages by their addresses, each with the HTML of its versions, oldest first, an hour apart.
    pub(super) fn new(pages: &[(&str, &[&str])]) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let site = Self { folder: tempfile::tempdir().unwrap(), now: Timestamp(since.as_millis() as i64) };
        site.fill(pages);
        site
    }

    pub(super) fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// When a version was fetched that is followed by so many.
    pub(super) fn at(&self, followers: usize) -> Timestamp {
        Timestamp(self.now.0 - HOUR / 2 - followers as i64 * HOUR)
    }

    fn fill(&self, pages: &[(&str, &[&str])]) {
        let mut data = DataFolder::open(&self.data()).unwrap();
        data.recover(None).unwrap();
        let settings = Settings { memory: 15_000_000 };
        let mut indexer = Indexer::open(&data.index_path(), &settings).unwrap();
        let mut batch = Batch { number: 1, ..Batch::default() };
        for (number, (url, versions)) in pages.iter().enumerate() {
            let id = PageId(number as u32);
            let host = host_of(&mut batch.hosts, url);
            batch.new.push(new_page(id, url, host, self.at(500)));
            self.visits(id, url, versions, &mut data, &mut batch);
            if let (Some(html), Some(last)) = (versions.last(), batch.pages.last()) {
                indexer.put(document(id, url, html, &last.values)).unwrap();
            }
        }
        batch.archive = data.archive.lengths();
        data.archive.sync().unwrap();
        data.catalogue.prepare(&batch).unwrap();
        indexer.commit(1).unwrap();
        data.catalogue.apply(&batch).unwrap();
    }

    fn visits(&self, id: PageId, url: &str, versions: &[&str], data: &mut DataFolder, batch: &mut Batch) {
        for (number, html) in versions.iter().enumerate() {
            let at = self.at(versions.len() - 1 - number);
            let mut head = HttpHead::response(200, "OK");
            head.push("Content-Type", b"text/html; charset=utf-8");
            let record = Record::response(url, at, head, html.as_bytes().to_vec(), false);
            let archive = Some(data.archive.append(&record.encode()).unwrap());
            let page = extract(html.as_bytes(), Some("text/html"), url, &Limits::default()).unwrap();
            let outcome = if number == 0 { Outcome::New } else { Outcome::Changed };
            let bytes = html.len() as u64;
            let values = Values {
                state: State::Fetched,
                checked_at: Some(at),
                changed_at: Some(at),
                status: Some(200),
                visits: number as u32 + 1,
                changes: number as u32,
                evidence_changes: number as f32,
                evidence_exposure: number as f32 * 3600.0,
                title: page.title,
                mime: Some("text/html".to_owned()),
                language: page.language.map(|language| language.as_str().to_owned()),
                bytes: Some(bytes),
                archive,
                archived_at: Some(at),
                indexed: true,
                ..Values::default()
            };
            let visit = Visit { at, outcome, status: Some(200), bytes, milliseconds: 12, archive };
            batch.pages.push(PageChange { page: id, visit: Some(visit), values });
        }
    }

    /// The last words of an engine that has ended.
    pub(super) fn engine_said(&self, words: &str) {
        let mut data = DataFolder::open(&self.data()).unwrap();
        let archive = data.archive.lengths();
        let batch = Batch { number: 2, status: Some(words.to_owned()), archive, ..Batch::default() };
        data.catalogue.prepare(&batch).unwrap();
        data.catalogue.apply(&batch).unwrap();
    }

    /// A server of this folder with this configuration.
    pub(super) fn desk(&self, configuration: &str) -> Desk {
        let file = self.folder.path().join("oriole.toml");
        std::fs::write(&file, configuration).unwrap();
        let engine = EngineArgs { config: Some(file), data: Some(self.data()) };
        let config = Config::load(&engine, None, Vec::<(String, String)>::new()).unwrap();
        Desk::new(config, SocketAddr::from(([127, 0, 0, 1], 8080)), None).unwrap()
    }

    pub(super) fn router(&self) -> Router {
        router(self.desk(""))
    }
}

fn host_of(hosts: &mut Vec<Host>, url: &str) -> HostId {
    let name = url.split('/').take(3).collect::<Vec<_>>().join("/");
    if let Some(host) = hosts.iter_mut().find(|host| host.name == name) {
        host.pages += 1;
        return host.id;
    }
    let id = HostId(hosts.len() as u32);
    hosts.push(Host { id, name, delay: 1.0, failures: 0, blocked_until: None, pages: 1, learned: None });
    id
}

fn new_page(id: PageId, url: &str, host: HostId, found_at: Timestamp) -> NewPage {
    let referrer = (id.0 > 0).then_some(PageId(0));
    NewPage { id, url: url.to_owned(), host, depth: u16::from(id.0 > 0), found_at, referrer, weight: 1.0, links_in: 1 }
}

fn document(page: PageId, url: &str, html: &str, values: &Values) -> Document {
    let found = extract(html.as_bytes(), Some("text/html"), url, &Limits::default()).unwrap();
    Document {
        page,
        url: url.to_owned(),
        host: url.split('/').nth(2).unwrap().to_owned(),
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

/// Sends a request with these headers, and `Host` if it is not among them.
pub(super) async fn send(router: &Router, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut request = Request::builder().method(method).uri(target);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header(HOST, "127.0.0.1:8080");
    }
    for (name, value) in headers {
        request = request.header(HeaderName::from_bytes(name.as_bytes()).unwrap(), *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    let (head, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    let bytes = to_bytes(body, 64 << 20).await.unwrap();
    Reply { status: head.status, headers: head.headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

pub(super) async fn get(router: &Router, target: &str) -> Reply {
    send(router, "GET", target, &[], "").await
}

/// Sends a form from one of our own pages.
pub(super) async fn post(router: &Router, target: &str, headers: &[(&str, &str)], fields: &[(&str, &str)]) -> Reply {
    let mut all = vec![(CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded")];
    all.extend(headers);
    send(router, "POST", target, &all, &serde_urlencoded::to_string(fields).unwrap()).await
}

/// Fails if a tag of a page does something that is not ours: handlers, scripts and pictures from elsewhere, strange addresses. Values
/// of attributes are in quotation marks and have no `>`.
pub(super) fn assert_harmless(html: &str) {
    for tag in html.split('<').skip(1).filter_map(|part| part.split('>').next()) {
        let (name, rest) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
        assert!(!matches!(name, "iframe" | "object" | "embed" | "style" | "base"), "<{tag}>");
        let attributes = rest.split("\" ").filter_map(|pair| pair.trim().split_once("=\""));
        for (attribute, value) in attributes {
            assert!(!attribute.to_lowercase().starts_with("on") && attribute != "style", "<{tag}>");
            let value = value.to_lowercase();
            assert!(attribute != "src" || value.starts_with("/assets/"), "<{tag}>");
            assert!(!value.trim_start().starts_with("javascript:") && !value.starts_with("data:"), "<{tag}>");
        }
        assert!(name != "script" || rest.starts_with(" src=\"/assets/"), "<{tag}>");
    }
}
