//! IndexNow: others tell that pages have changed (<https://www.indexnow.org/documentation>).
//!
//! The key is one that the owner of the crawl gives to those who may tell. What they say makes pages look older by as much as such
//! words have proved to be worth; pages that are not known yet are taken up if they belong to the crawl.

use axum::Json;
use axum::extract::State;
use crawl::address::PageUrl;
use crawl::fleet::Message;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Desk, Problem, Sent, Visitor};

/// Addresses in one message.
const MOST_URLS: usize = 10_000;

/// One page.
#[derive(Deserialize)]
pub(super) struct One {
    url: String,
    key: String,
}

/// Many pages of a host.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Many {
    host: String,
    key: String,
    url_list: Vec<String>,
}

/// A page has changed.
pub(super) async fn one(
    State(desk): State<Desk>,
    visitor: Visitor,
    Asked(one): Asked<One>,
) -> Result<Json<Value>, Problem> {
    tell(&desk, &visitor, &one.key, vec![one.url], None)
}

/// Pages have changed.
pub(super) async fn many(
    State(desk): State<Desk>,
    visitor: Visitor,
    Sent(many): Sent<Many>,
) -> Result<Json<Value>, Problem> {
    if many.url_list.len() > MOST_URLS {
        return Err(Problem::unfit(format!("there are more than {MOST_URLS} addresses; send fewer at a time")));
    }
    tell(&desk, &visitor, &many.key, many.url_list, Some(&many.host))
}

fn tell(
    desk: &Desk,
    visitor: &Visitor,
    key: &str,
    urls: Vec<String>,
    host: Option<&str>,
) -> Result<Json<Value>, Problem> {
    let Some(ours) = &desk.config().signals.indexnow_key else {
        return Err(Problem::forbidden("nobody may tell of changes here; signals.indexnow_key allows it"));
    };
    desk.gate().check_key(ours, key, visitor)?;
    let is_of_host = |url: &PageUrl| {
        host.is_none_or(|host| [url.host(), url.authority()].iter().any(|own| own.eq_ignore_ascii_case(host)))
    };
    let is_fit = |url: &String| PageUrl::parse(url).is_ok_and(|url| is_of_host(&url));
    if let Some(wrong) = urls.iter().find(|url| !is_fit(url)) {
        let wrong = crate::failure::quoted(wrong);
        return Err(Problem::unfit(format!("{wrong} is not the address of a page, or is not of the host")));
    }
    let engine = desk
        .engine()
        .ok_or_else(|| Problem::conflict("the engine does not run here; tell the server of `oriole run`"))?;
    let count = urls.len();
    engine.fleet.send(Message::Pinged(urls)).map_err(|_| Problem::conflict("the engine is ending"))?;
    Ok(Json(json!({"taken": count})))
}

#[cfg(test)]
mod tests {
    use crate::server::router;
    use crate::server::testing::{Site, get, send};

    const KEY: &str = "[signals]\nindexnow_key = \"0123456789abcdef\"\n";

    #[tokio::test]
    async fn who_does_not_know_the_key_is_not_heard() {
        let site = Site::new(&[]);
        assert_eq!(get(&site.router(), "/indexnow?url=https://a.org/&key=0123456789abcdef").await.status, 403);
        let router = router(site.desk(KEY));
        for (target, status) in [
            ("/indexnow?url=https://a.org/&key=wrong", 403),
            ("/indexnow?url=https://a.org/", 400),
            ("/indexnow?url=nowhere&key=0123456789abcdef", 422),
            ("/indexnow?url=https://a.org/&key=0123456789abcdef", 409),
        ] {
            let reply = get(&router, target).await;
            assert_eq!((reply.status.as_u16(), reply.header("content-type")), (status, "application/json"), "{target}");
        }
        let post = async |body: &str| {
            send(
                &router,
                "POST",
                "/indexnow",
                &[("origin", "https://elsewhere.example"), ("content-type", "application/json; charset=utf-8")],
                body,
            )
            .await
            .status
            .as_u16()
        };
        let many = |host: &str, key: &str| {
            format!(r#"{{"host":"{host}","key":"{key}","urlList":["https://a.org/1","https://a.org/2"]}}"#)
        };
        assert_eq!(post(&many("a.org", "0123456789abcdef")).await, 409, "no engine runs here");
        assert_eq!(post(&many("b.org", "0123456789abcdef")).await, 422);
        assert_eq!(post(&many("a.org", "wrong")).await, 403);
        assert_eq!(post("{}").await, 400);
        assert_eq!(post("").await, 400);
    }
}
