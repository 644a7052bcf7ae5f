//! Copies, differences and the pages about pages.

use super::router;
use super::testing::{Site, assert_harmless, get, send};

const URL: &str = "https://docs.example.org/errors";

const VERSIONS: &[&str] = &[
    "<html lang=en><title>Errors</title><h1>Errors</h1><p>An error is handled where something can be done about it, and nowhere else.</p>",
    "<html lang=en><title>Errors</title><h1>Errors</h1><p>An error is reported where something can be done about it, and nowhere else at all.</p>\
     <script>alert(1)</script><img src=//evil.example/x.png><a href='javascript:alert(1)'>click</a><form action=//evil.example><button>b</button></form>",
];

fn site() -> Site {
    Site::new(&[
        ("https://docs.example.org/", &["<p>A page about nothing in particular, with words enough to be kept.</p>"]),
        (URL, VERSIONS),
    ])
}

#[tokio::test]
async fn a_copy_does_nothing() {
    let site = site();
    let router = site.router();
    let reply = get(&router, "/cached?id=1").await;
    assert_eq!(reply.status, 200);
    assert!(reply.header("content-security-policy").contains("; sandbox "), "{:?}", reply.headers);
    assert!(!reply.header("content-security-policy").contains("allow-scripts"));
    assert!(reply.text.contains("An error is reported where") && reply.text.contains("30 min ago"), "{}", reply.text);
    for tag in ["evil.example", "javascript:", "<form action", "alert(1)"] {
        assert!(!reply.text.contains(tag), "{tag}: {}", reply.text);
    }
    assert_harmless(&reply.text);
    let by_url = get(&router, "/cached?url=docs.example.org/errors").await;
    assert!(by_url.text.contains("An error is reported where"));
    let older = get(&router, &format!("/cached?id=1&at={}", site.at(1))).await;
    assert!(older.text.contains("An error is handled where"), "{}", older.text);
    for (target, status) in [
        ("/cached", 404),
        ("/cached?id=9", 404),
        ("/cached?url=://", 404),
        ("/cached?id=1&at=x", 404),
        ("/cached?id=x", 400),
    ] {
        assert_eq!(get(&router, target).await.status, status, "{target}");
    }
}

#[tokio::test]
async fn what_changed_is_marked() {
    let site = site();
    let router = site.router();
    let reply = get(&router, "/diff?id=1").await;
    assert!(reply.text.contains("<del>handled</del>") && reply.text.contains("<ins>reported</ins>"), "{}", reply.text);
    let back = get(&router, &format!("/diff?id=1&from={}&to={}", site.at(0), site.at(1))).await;
    assert!(back.text.contains("<ins>handled</ins>"), "{}", back.text);
    assert_eq!(get(&router, "/diff?id=0").await.status, 404, "there is only one version");
}

#[tokio::test]
async fn all_about_a_page() {
    let site = site();
    let reply = get(&site.router(), "/page?id=1").await;
    for part in [
        "<h1>Errors</h1>",
        "next visit",
        "changes per day",
        "class=\"timeline\"",
        "What changed",
        "<th scope=\"row\">weight</th>",
    ] {
        assert!(reply.text.contains(part), "{part}: {}", reply.text);
    }
    assert_eq!(reply.text.matches("class=\"change\"").count(), 2, "two versions on the timeline");
}

#[tokio::test]
async fn strangers_see_copies_of_what_they_find_and_nothing_more() {
    let site = site();
    let open = "[server]\ntoken = \"a-token-of-some-length\"\npublic_search = true\npublic_rate = \"1/h\"\n";
    let router = router(site.desk(open));
    for allowed in
        ["/", "/?q=error", "/cached?id=1", "/suggest?q=err", "/opensearch.xml", "/go?id=1", "/api/v1/search?q=error"]
    {
        assert!(!get(&router, allowed).await.status.is_client_error(), "{allowed}");
        assert_ne!(get(&router, allowed).await.header("location").split('?').next(), Some("/login"), "{allowed}");
    }
    for owners in ["/page?id=1", "/diff?id=1", "/changes"] {
        assert!(get(&router, owners).await.header("location").starts_with("/login?next="), "{owners}");
    }
    for owners in
        ["/changes.rss", "/metrics", "/api/v1/page?id=1", "/api/v1/changes", "/api/v1/status", "/api/v1/sites"]
    {
        assert_eq!(get(&router, owners).await.status, 401, "{owners}");
    }
    assert!(!get(&router, "/?q=error").await.text.contains("/page?id="), "no links to what is not shown");
    let mut last = get(&router, "/?q=error").await;
    for _ in 0..60 {
        last = get(&router, "/?q=error").await;
    }
    assert_eq!(last.status, 429);
    assert!(last.header("retry-after").parse::<u32>().unwrap() >= 1);
    let owner = [("authorization", "Bearer a-token-of-some-length")];
    assert_eq!(send(&router, "GET", "/?q=error", &owner, "").await.status, 200, "the owner has no limit");
}

/// Addresses that are known but cannot be found are for the owner.
#[tokio::test]
async fn strangers_are_led_only_to_what_they_find() {
    let page = "<title>Open</title><p>A page with a few words that can be found by everyone who looks for them here.";
    let site = Site::new(&[("https://docs.example.org/", &[page]), ("https://docs.example.org/hidden", &[])]);
    let router = router(site.desk("[server]\ntoken = \"a-token-of-some-length\"\npublic_search = true\n"));
    assert_eq!(get(&router, "/go?id=0").await.header("location"), "https://docs.example.org/");
    assert_eq!(get(&router, "/go?id=1").await.status, 404);
    let owner = [("authorization", "Bearer a-token-of-some-length")];
    assert_eq!(
        send(&router, "GET", "/go?id=1", &owner, "").await.header("location"),
        "https://docs.example.org/hidden"
    );
}

/// It is not taken for an index in which there is nothing, however often it is asked.
#[tokio::test]
async fn a_damaged_index_is_told() {
    let site = site();
    std::fs::write(site.data().join("index/meta.json"), "damaged").unwrap();
    let router = site.router();
    for _ in 0..3 {
        let reply = get(&router, "/?q=error").await;
        assert!(reply.status == 500 && reply.text.contains("oriole check --repair"), "{}", reply.text);
        let ready = get(&router, "/readyz").await;
        assert!(ready.status == 503 && ready.json()["index"] == false && ready.json()["catalogue"] == true);
    }
}

/// A folder that was moved away and made anew is another one.
#[tokio::test]
async fn a_folder_in_the_place_of_another_is_read() {
    let old = Site::new(&[("https://old.example/", &["<title>Old</title><p>heron"])]);
    let new = Site::new(&[("https://new.example/", &["<title>New</title><p>heron"])]);
    let router = old.router();
    let pages = async || get(&router, "/api/v1/page?id=0").await;
    assert_eq!(pages().await.json()["url"], "https://old.example/");
    let away = old.data().with_file_name("away");
    std::fs::rename(old.data(), &away).unwrap();
    assert_eq!(get(&router, "/readyz").await.status, 503, "there is none");
    std::fs::rename(new.data(), old.data()).unwrap();
    assert_eq!(pages().await.json()["url"], "https://new.example/");
    assert_eq!(get(&router, "/readyz").await.json()["ready"], true);
}

/// Strangers are not told which pages are known that they cannot find.
#[tokio::test]
async fn what_is_hidden_is_like_what_is_not_there() {
    let site = Site::new(&[("https://a.example/", &["<p>heron"]), ("https://a.example/hidden", &[])]);
    let configuration = "[server]\ntoken = \"a-token-of-some-length\"\npublic_search = true\n";
    let router = crate::server::router(site.desk(configuration));
    let say = async |query: &str| {
        let reply = get(&router, &format!("/cached?{query}")).await;
        (reply.status.as_u16(), reply.text)
    };
    let hidden = say("url=https://a.example/hidden").await;
    assert_eq!(hidden.0, 404);
    for unknown in ["url=https://a.example/unknown", "url=https://other.example/", "id=77"] {
        assert_eq!(say(unknown).await, hidden, "{unknown}");
    }
    assert_eq!(say("id=1").await, hidden);
    assert_eq!(say("url=https://a.example/").await.0, 200);
}
