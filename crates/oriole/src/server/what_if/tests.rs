use axum::http::StatusCode;

use crate::server::testing::{Site, get, post, send};

/// Pages that have changed, so that something is known of their rates.
fn site() -> Site {
    let versions: &[&str] = &["<p>one two three", "<p>one two four", "<p>one two five"];
    Site::new(&[
        ("https://a.example/", versions),
        ("https://a.example/b", versions),
        ("https://b.example/", &["<p>six"]),
    ])
}

#[tokio::test]
async fn budgets_are_compared_with_what_the_catalogue_remembers() {
    let site = site();
    let router = site.router();
    let page = get(&router, "/what-if?budget=0.5&robots=8&decide=auto&buffer=32").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert!(page.text.contains("What a budget buys") && page.text.contains("From 3 of 3 pages"), "{}", page.text);
    assert!(page.text.contains("No engine runs here"), "{}", page.text);
    assert!(!page.text.contains("<style") && !page.text.contains(" style="), "the policy forbids it");
    let answer = get(&router, "/api/v1/what-if?budget=0.5").await.json();
    assert_eq!(answer["wanted"]["budget"], 0.5);
    assert_eq!(answer["current"]["budget"], 5.0, "the default");
    let curve = answer["staleness"]["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 21);
    let best = |n: usize| curve[n]["best"].as_f64().unwrap();
    assert!((1..21).all(|n| best(n) <= best(n - 1)), "{curve:?}");
    assert!(answer["thresholds"].is_null(), "nothing has been fitted");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let site = site();
    let router = site.router();
    for query in ["budget=0", "budget=-1", "budget=nan", "robots=0", "robots=10001", "buffer=0", "buffer=x", "speed=1"]
    {
        let reply = get(&router, &format!("/api/v1/what-if?{query}")).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{query}: {}", reply.text);
    }
    let reply = get(&router, "/api/v1/what-if?robots=65&fixed=false").await;
    assert!(
        reply.status == StatusCode::UNPROCESSABLE_ENTITY && reply.text.contains("fix their number"),
        "{}",
        reply.text
    );
    for query in ["budget=many", "decide=perhaps", "robots=0"] {
        assert_eq!(get(&router, &format!("/what-if?{query}")).await.status, StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn without_an_engine_nothing_is_applied() {
    let site = site();
    let router = site.router();
    let page = get(&router, "/sites").await;
    let (_, rest) = page.text.split_once("name=\"csrf\" value=\"").unwrap();
    let token = rest.split('"').next().unwrap();
    let reply = post(&router, "/what-if", &[], &[("budget", "1"), ("csrf", token)]).await;
    assert!(reply.status == StatusCode::CONFLICT && reply.text.contains("oriole run"), "{}", reply.text);
    let reply = post(&router, "/what-if", &[], &[("budget", "1")]).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN);
    let json = [("content-type", "application/json")];
    let reply = send(&router, "POST", "/api/v1/what-if", &json, r#"{"budget": 1.0}"#).await;
    assert_eq!(reply.status, StatusCode::CONFLICT);
    for wrong in [r#"{"budgets": 1.0}"#, "[null, null]", "[]", "null", "", "{} {}", "\u{feff}{}"] {
        let reply = send(&router, "POST", "/api/v1/what-if", &json, wrong).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

/// Whoever asks what if takes no place of those who search, however many ask and however long it takes.
#[tokio::test]
async fn questions_wait_for_each_other_and_not_for_readers() {
    let site = site();
    let desk = site.desk("");
    let study = super::Study::default();
    let turn = std::sync::Arc::clone(&study.turn).acquire_owned().await.unwrap();
    let ask = || {
        let (desk, study) = (desk.clone(), study.clone());
        tokio::spawn(async move { super::answer(&desk, &study, super::Params::default()).await.is_ok() })
    };
    let asked: Vec<_> = (0..32).map(|_| ask()).collect();
    tokio::task::yield_now().await;
    assert_eq!(get(&crate::server::router(desk.clone()), "/?q=one").await.status, StatusCode::OK);
    assert!(asked.iter().all(|asked| !asked.is_finished()), "they wait for their turn");
    drop(turn);
    for asked in asked {
        assert!(asked.await.unwrap());
    }
}

/// What is present is what the folder was last crawled with, not what another configuration would do.
#[tokio::test]
async fn without_an_engine_the_settings_are_those_of_the_last_crawl() {
    let site = site();
    let assumed = get(&site.router(), "/what-if").await.text;
    assert!(assumed.contains("it is not known with which settings") && assumed.contains("5 requests per second"));
    site.engine_said(
        r#"{"updated_at": "2026-01-02T03:04:05Z", "budget_per_day": 3456000.0, "robots_max": 12, "buffer_capacity": 99,
            "control": {"rule": "fixed"}, "least_revisit_seconds": 0.25}"#,
    );
    let router = site.router();
    let answer = get(&router, "/api/v1/what-if").await.json();
    assert_eq!(answer["current"], serde_json::json!({"budget": 40.0, "robots": 12, "fixed": true, "buffer": 99}));
    assert_eq!((&answer["basis"], &answer["least_revisit_seconds"]), (&"last_crawl".into(), &0.25.into()));
    let page = get(&router, "/what-if").await.text;
    assert!(page.contains("was last crawled: 40 requests per second, always 12 robots, 99 places"), "{page}");
    assert!(page.contains("a page at most every 0.25 s"), "{page}");
    let dashboard = get(&router, "/dashboard").await.text;
    assert!(dashboard.contains("with up to 40 requests/s"), "{dashboard}");
}
