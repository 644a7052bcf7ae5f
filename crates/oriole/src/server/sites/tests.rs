use axum::http::StatusCode;
use store::{Catalogue, DataFolder, Wish};

use crate::server::testing::{Reply, Site, get, post, send};

/// What a form sends.
type Fields<'a> = &'a [(&'a str, &'a str)];

fn site() -> Site {
    Site::new(&[
        ("https://a.example/", &["<title>A</title><p>one two three"]),
        ("https://b.example/", &["<p>four five"]),
    ])
}

fn inbox(site: &Site) -> Vec<(Wish, String)> {
    let folder = DataFolder::read(&site.data()).unwrap();
    folder.catalogue.inbox(0, 100).unwrap().into_iter().map(|command| (command.wish, command.url)).collect()
}

fn csrf(page: &Reply) -> String {
    let (_, rest) = page.text.split_once("name=\"csrf\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn forms_leave_commands_for_the_engine() {
    let site = site();
    let router = site.router();
    let page = get(&router, "/sites").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert!(page.text.contains("https://a.example") && page.text.contains("2 sites"), "{}", page.text);
    let token = csrf(&page);
    let cases: [(Fields<'_>, &[(Wish, &str)]); 7] = [
        (&[("action", "add"), ("site", "docs.example.org")], &[(Wish::AddSite, "https://docs.example.org/")]),
        (&[("action", "pause"), ("site", "https://a.example")], &[(Wish::Pause, "https://a.example/")]),
        (&[("action", "resume"), ("site", "https://a.example")], &[(Wish::Resume, "https://a.example/")]),
        (&[("action", "remove"), ("site", "https://b.example")], &[(Wish::RemoveSite, "https://b.example/")]),
        (
            &[("action", "limit"), ("site", "https://b.example"), ("delay", "2.5"), ("most_pages", "")],
            &[(Wish::Delay(Some(2.5)), "https://b.example/"), (Wish::MostPages(None), "https://b.example/")],
        ),
        (&[("action", "weigh"), ("site", "/news/"), ("weight", "3")], &[(Wish::Weight(Some(3.0)), "/news/")]),
        (&[("action", "weigh"), ("site", "/news/"), ("weight", "")], &[(Wish::Weight(None), "/news/")]),
    ];
    let mut left = 0;
    for (fields, wanted) in cases {
        let fields: Vec<(&str, &str)> = fields.iter().copied().chain([("csrf", token.as_str())]).collect();
        let reply = post(&router, "/sites", &[], &fields).await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER, "{fields:?}: {}", reply.text);
        let wanted: Vec<(Wish, String)> = wanted.iter().map(|(wish, url)| (*wish, (*url).to_owned())).collect();
        assert_eq!(inbox(&site)[left..], wanted[..], "{fields:?}");
        left = inbox(&site).len();
        let told = get(&router, reply.header("location")).await;
        assert!(told.text.contains("when the engine runs"), "{}", told.text);
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_in_words() {
    let site = site();
    let router = site.router();
    let token = csrf(&get(&router, "/sites").await);
    let cases: [(Fields<'_>, StatusCode, &str); 7] = [
        (&[("action", "dance"), ("site", "a.example")], StatusCode::BAD_REQUEST, "not understood"),
        (&[("action", "add"), ("site", "https://")], StatusCode::UNPROCESSABLE_ENTITY, "not the address of a site"),
        (&[("action", "pause"), ("site", "https://c.example")], StatusCode::NOT_FOUND, "not known"),
        (&[("action", "limit"), ("site", "a.example"), ("delay", "-1")], StatusCode::BAD_REQUEST, "at least 0"),
        (&[("action", "limit"), ("site", "a.example"), ("delay", "1e9")], StatusCode::BAD_REQUEST, "86400"),
        (&[("action", "weigh"), ("site", "re:("), ("weight", "1")], StatusCode::UNPROCESSABLE_ENTITY, "pattern"),
        (&[("action", "weigh"), ("site", "/a"), ("weight", "nan")], StatusCode::BAD_REQUEST, "weight"),
    ];
    for (fields, status, words) in cases {
        let fields: Vec<(&str, &str)> = fields.iter().copied().chain([("csrf", token.as_str())]).collect();
        let reply = post(&router, "/sites", &[], &fields).await;
        assert!(reply.status == status && reply.text.contains(words), "{fields:?}: {} {}", reply.status, reply.text);
    }
    let forged = post(&router, "/sites", &[], &[("action", "add"), ("site", "c.example")]).await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    assert!(inbox(&site).is_empty());
}

#[tokio::test]
async fn programs_send_json() {
    let site = site();
    let router = site.router();
    let json = [("content-type", "application/json")];
    let send = async |body: &str| send(&router, "POST", "/api/v1/sites", &json, body).await;
    let reply = send(r#"{"action": "pause", "site": "https://a.example/"}"#).await;
    assert_eq!(
        (reply.status, reply.json()["accepted"].as_bool()),
        (StatusCode::ACCEPTED, Some(true)),
        "{}",
        reply.text
    );
    assert_eq!(inbox(&site), [(Wish::Pause, "https://a.example/".to_owned())]);
    let wrongs = [
        "",
        "{",
        "[]",
        r#"["pause", {"site": "a.example"}]"#,
        r#"{"action": "pause"}"#,
        r#"{"action": "pause", "site": "a.example", "speed": 1}"#,
        r#"{"action": "pause", "site": "a.example", "delay": 1}"#,
        r#"{"action": "limit", "site": "a.example", "weight": 1}"#,
    ];
    for (pages, status) in
        [("5", 202), ("5.0", 202), ("null", 202), ("5.5", 400), ("-1", 400), ("1e10", 400), ("\"5\"", 400)]
    {
        let order = format!(r#"{{"action": "limit", "site": "https://a.example/", "most_pages": {pages}}}"#);
        assert_eq!(send(&order).await.status, status, "{order}");
    }
    for wrong in wrongs {
        let reply = send(wrong).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{wrong}: {}", reply.text);
        assert!(reply.json()["error"]["message"].is_string());
    }
    let plain =
        crate::server::testing::send(&router, "POST", "/api/v1/sites", &[("content-type", "text/plain")], "{}").await;
    assert_eq!(plain.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

/// What was typed comes back as text.
#[tokio::test]
async fn nothing_foreign_becomes_markup() {
    let site = site();
    let router = site.router();
    let page = get(&router, "/sites?did=pause&site=%3Cscript%3Ealert(1)%3C/script%3E&q=%22%3E%3Cimg%20src=x%3E").await;
    assert!(page.status == StatusCode::OK && !page.text.contains("<script>alert") && !page.text.contains("<img src=x"));
}

#[tokio::test]
async fn what_is_wanted_and_what_is_limited_is_shown() {
    let site = site();
    let router = site.router();
    let token = csrf(&get(&router, "/sites").await);
    let fields = [("action", "pause"), ("site", "https://b.example"), ("csrf", &token)];
    let reply = post(&router, "/sites", &[], &fields).await;
    let page = get(&router, reply.header("location")).await;
    assert!(page.text.contains("pausing") && page.text.contains("One command waits"), "{}", page.text);
    assert_eq!(page.header("refresh"), "", "without an engine nothing is waited for");
    let fields = [("action", "limit"), ("site", "https://b.example"), ("most_pages", "50"), ("csrf", &token)];
    let reply = post(&router, "/sites", &[], &fields).await;
    let page = get(&router, reply.header("location")).await;
    assert!(page.text.contains("those that are known stay, and are kept fresh"), "{}", page.text);
    assert!(page.text.contains("3 commands wait"), "{}", page.text);
}
