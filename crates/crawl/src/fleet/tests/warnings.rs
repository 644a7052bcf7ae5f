//! What the user is told when things cannot be read.

use std::fmt::{Debug, Write};
use std::sync::Mutex;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

use super::server::{answer, html, not_found, page, redirect};
use super::*;

/// Hears what this thread says.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<String>>>);

struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Ear {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("crawl")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut words = Words(event.metadata().level().to_string());
        event.record(&mut words);
        self.0.lock().unwrap().push(words.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// What is said at this level while everything is visited once.
async fn heard(crawl: &mut Crawl, level: Level) -> Vec<String> {
    let ear = Ear::default();
    let guard = tracing::subscriber::set_default(ear.clone());
    crawl.run().await;
    drop(guard);
    let said = ear.0.lock().unwrap().clone();
    said.into_iter().filter(|words| words.starts_with(level.as_str())).collect()
}

#[tokio::test]
async fn one_warning_per_host_with_the_reason_and_the_remedy() {
    let private = Server::start_at("127.0.0.2", |_| html("secret"));
    let busy = Server::start(|_| answer(429, "", "slower"));
    let closed = Server::start(|ask| match ask.path.as_str() {
        "/robots.txt" => not_found(),
        _ => answer(403, "", "no"),
    });
    let nobody = "http://127.0.0.1:9/".to_owned();
    let seeds = [private.url("/"), busy.url("/"), closed.url("/"), closed.url("/too"), nobody.clone()];
    let mut crawl = Crawl::of(&seeds);
    crawl.fetch.allow_private = false;
    crawl.fetch.public = Some(std::net::Ipv4Addr::LOCALHOST.into());
    let warnings = heard(&mut crawl, Level::WARN).await;
    assert_eq!(crawl.read, 0);
    assert_eq!(warnings.len(), 4, "{warnings:#?}");
    for (url, words) in [
        (private.url(""), "127.0.0.2 is a private address; allow it with --allow-private"),
        (busy.url(""), "status 429; ask it less often"),
        (closed.url(""), "status 403; ask the operator"),
        (nobody.trim_end_matches('/').to_owned(), "no connection"),
    ] {
        let said = warnings.iter().any(|warning| warning.contains(&format!("{url:?}")) && warning.contains(words));
        assert!(said, "{url} {words}: {warnings:#?}");
    }
}

#[tokio::test]
async fn a_host_that_is_still_left_alone_is_named() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/robots.txt" => answer(503, "Retry-After: 5000", "busy"),
        _ => html(&page(&ask.path, &[])),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    for words in ["status 503", "seconds more; run again after that"] {
        let warnings = heard(&mut crawl, Level::WARN).await;
        assert_eq!((warnings.len(), crawl.read), (1, 0), "{warnings:#?}");
        assert!(warnings[0].contains(words), "{warnings:#?}");
    }
}

#[tokio::test]
async fn the_reason_of_a_failure_is_logged_and_what_was_read_is_counted() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page("/", &["/a", "/no"])),
        "/a" => html(&page("/a", &[])),
        "/no" => answer(403, "", "no"),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    let said = heard(&mut crawl, Level::DEBUG).await;
    assert_eq!(crawl.read, 2);
    let failed =
        said.iter().filter(|words| words.contains("/no\"") && words.contains("the server answered with status 403"));
    assert_eq!(failed.count(), 3, "{said:#?}");
}

#[tokio::test]
async fn a_seed_that_leads_out_of_the_crawl_is_told() {
    let elsewhere = Server::start(|_| html("not asked for"));
    let there = elsewhere.url("/");
    let to = there.clone();
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => not_found(),
        _ => redirect(301, &to),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    let warnings = heard(&mut crawl, Level::WARN).await;
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert!(warnings[0].contains(&format!("leads_to={there:?}")), "{warnings:#?}");
    assert_eq!((crawl.read, elsewhere.log().requests.len()), (0, 0));
}
