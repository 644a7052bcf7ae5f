use axum::http::StatusCode;

use crate::server::testing::{Site, get};

fn site() -> Site {
    Site::new(&[
        ("https://a.example/", &["<title>A</title><p>one two three"]),
        ("https://a.example/b", &["<p>four five"]),
    ])
}

#[tokio::test]
async fn without_an_engine_it_says_so_and_shows_what_is_known() {
    let site = site();
    let router = site.router();
    let page = get(&router, "/dashboard").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert!(page.text.contains("No engine is running"), "{}", page.text);
    assert!(page.text.contains("Sites with most pages") && page.text.contains("https://a.example"), "{}", page.text);
    for untrue in ["None is known", "unlimited", "unknown/s"] {
        assert!(!page.text.contains(untrue), "{untrue}: {}", page.text);
    }
    assert!(page.text.contains("How stale the copies are") && page.text.contains("Nothing is known of this yet"));
    assert!(!page.text.contains("<style") && !page.text.contains(" style="), "the policy forbids it");
    for range in ["recent", "day", "month"] {
        assert_eq!(get(&router, &format!("/dashboard?range={range}")).await.status, StatusCode::OK);
        let history = get(&router, &format!("/api/v1/history?range={range}")).await.json();
        assert_eq!((history["range"].as_str(), history["points"].as_array().unwrap().len()), (Some(range), 0));
    }
    assert_eq!(get(&router, "/dashboard?range=year").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(get(&router, "/api/v1/history?since=1").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(get(&router, "/api/v1/next").await.json()["next"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn it_is_for_the_owner_alone() {
    let site = site();
    let router = crate::server::router(site.desk("[server]\ntoken = \"0123456789abcdef\"\n"));
    for target in ["/api/v1/events", "/api/v1/history", "/api/v1/next", "/dashboard/part"] {
        let reply = get(&router, target).await;
        let is_refused = reply.status == StatusCode::UNAUTHORIZED || reply.status == StatusCode::SEE_OTHER;
        assert!(is_refused, "{target}: {}", reply.status);
    }
}

/// However many listen, the folder is read once for all of them.
#[tokio::test]
async fn all_who_listen_share_one_status() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static READ: AtomicUsize = AtomicUsize::new(0);
    let site = site();
    let desk = site.desk("");
    let ask = || desk.shared_status(|_| Ok(READ.fetch_add(1, Ordering::Relaxed).into()));
    let said = futures_util::future::join_all((0..200).map(|_| ask())).await;
    assert!(said.into_iter().all(|said| said == Ok(0.into())));
    assert_eq!(READ.load(Ordering::Relaxed), 1);
}
