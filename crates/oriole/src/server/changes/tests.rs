use store::{Archive, Batch, Catalogue, DataFolder, PageChange, PageId, State, Values};

use crate::server::testing::{Site, get};

fn site() -> Site {
    let text = |word: &str| {
        format!(
            "<title>On {word} &amp; more</title><p>{word} is a word that this page is about, and there are others too.</p>"
        )
    };
    let [one, two, three] = ["one", "two", "three"].map(text);
    Site::new(&[
        ("https://a.example/x", &[&one, &two, &three]),
        ("https://b.example/\u{3c}y", &[&one]),
        ("https://b.example/z", &[&two, &one]),
    ])
}

#[tokio::test]
async fn newest_first_and_filtered() {
    let site = site();
    let router = site.router();
    let kinds = async |target: &str| {
        let found = get(&router, target).await.json();
        let list = found["changes"].as_array().unwrap().clone();
        list.iter().map(|change| format!("{} {}", change["page"], change["kind"].as_str().unwrap())).collect::<Vec<_>>()
    };
    let all = kinds("/api/v1/changes").await;
    assert_eq!(all, ["2 changed", "1 new", "0 changed", "2 new", "0 changed", "0 new"]);
    assert_eq!(kinds("/api/v1/changes?site=b.example").await, ["2 changed", "1 new", "2 new"]);
    assert_eq!(kinds("/api/v1/changes?q=A.EXAMPLE").await, ["0 changed", "0 changed", "0 new"]);
    assert_eq!(kinds("/api/v1/changes?when=hour").await, ["2 changed", "1 new", "0 changed"]);
    assert!(kinds("/api/v1/changes?site=c.example").await.is_empty());
    let first = get(&router, "/api/v1/changes?limit=2").await.json();
    let next = first["next"].as_str().unwrap();
    assert_eq!(kinds(&format!("/api/v1/changes?limit=2&before={next}")).await, ["0 changed", "2 new"]);
    for wrong in [
        "before=x",
        "before=1",
        "before=-1.2",
        "when=year",
        "when=",
        "limit=0",
        "limit=101",
        "zebra=1",
        "limit=1&limit=2",
    ] {
        assert_eq!(get(&router, &format!("/api/v1/changes?{wrong}")).await.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn the_page_of_changes() {
    let site = site();
    let text = get(&site.router(), "/changes").await.text;
    let detail = format!("/diff?id=0&amp;to={}", site.at(0));
    assert!(text.contains(&detail) && text.contains("On three &amp; more"), "{text}");
    assert!(text.contains("<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Changes (Atom)\""), "{text}");
    assert!(text.contains("href=\"/webhooks\"") && text.contains("href=\"/api/openapi.json\""), "{text}");
    assert!(text.contains("href=\"/changes.rss\"") && text.contains("aria-current=\"page\">Changes<"), "{text}");
}

#[tokio::test]
async fn feeds_are_well_formed() {
    let site = site();
    let router = site.router();
    for (path, kind) in [("rss", "application/rss+xml; charset=utf-8"), ("atom", "application/atom+xml; charset=utf-8")]
    {
        let reply = get(&router, &format!("/changes.{path}?site=b.example")).await;
        assert_eq!(reply.header("content-type"), kind);
        let read = crawl::feed::read(reply.text.as_bytes(), &crawl::feed::Limits::default()).unwrap();
        let links: Vec<&str> = read.entries.iter().map(|entry| entry.link.as_str()).collect();
        assert_eq!(links, ["https://b.example/z", "https://b.example/<y", "https://b.example/z"], "{}", reply.text);
        let updated = read.entries[0].updated.or(read.entries[0].published).unwrap();
        assert_eq!(updated, site.at(0).0 / 1000);
    }
    let titles = [("?site=b.example", "Changes at b.example"), ("?q=x&when=day", "Changes with x of the past day")];
    for (query, title) in titles {
        assert_eq!(get(&router, &format!("/changes.json{query}")).await.json()["title"], title);
        let atom = get(&router, &format!("/changes.atom{query}")).await.text;
        assert!(atom.contains(&format!("<title>{title}</title>")), "{atom}");
    }
    let feed = get(&router, "/changes.json").await.json();
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(feed["items"].as_array().unwrap().len(), 6);
    assert_eq!(feed["items"][0]["title"], "On one & more");
    assert!(feed["items"][0]["content_text"].as_str().unwrap().contains("http://127.0.0.1:8080/diff?id=2&to="));
}

/// A page that was removed is not shown any more, though the archive keeps its copies.
#[tokio::test]
async fn removed_pages_are_not_shown() {
    let site = site();
    let router = site.router();
    let before = get(&router, "/cached?id=0").await;
    assert_eq!(before.status, 200, "{}", before.text);
    let mut data = DataFolder::open(&site.data()).unwrap();
    let next = data.recover(Some(1)).unwrap().next_batch;
    let values = data.catalogue.page(PageId(0)).unwrap().unwrap().values;
    let values = Values { state: State::Excluded, indexed: false, ..values };
    let pages = vec![PageChange { page: PageId(0), visit: None, values }];
    let archive = data.archive.lengths();
    data.catalogue.apply(&Batch { number: next, pages, archive, ..Batch::default() }).unwrap();
    for target in ["/cached?id=0", "/diff?id=0"] {
        assert_eq!(get(&router, target).await.status, 404, "{target}");
    }
    let found = get(&router, "/api/v1/changes").await.json();
    assert!(found["changes"].as_array().unwrap().iter().all(|change| change["page"] != 0), "{found}");
    assert_eq!(get(&router, "/page?id=0").await.status, 200);
}
