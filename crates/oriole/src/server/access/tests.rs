use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::server::router;
use crate::server::testing::{Reply, Site, get, post, send};

const TOKEN: &str = "a-token-of-some-length";
const LOCKED: &str = "[server]\ntoken = \"a-token-of-some-length\"\n";
const PUBLIC: &str = "[server]\ntoken = \"a-token-of-some-length\"\npublic_search = true\npublic_rate = \"1/h\"\nhosts = [\"search.example.org\"]\n";

/// What the form on a page must carry.
fn csrf(reply: &Reply) -> String {
    let rest = reply.text.split("name=\"csrf\" value=\"").nth(1).unwrap_or_else(|| panic!("no form: {}", reply.text));
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn only_our_names_are_answered() {
    let site = Site::new(&[]);
    let router = site.router();
    for ours in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST", "oriole.localhost", "[::1]:8080", "127.0.0.2"] {
        let reply = send(&router, "GET", "/healthz", &[("host", ours)], "").await;
        assert_eq!(reply.status, 200, "{ours}");
    }
    for other in ["evil.example", "evil.example:8080", "localhost.evil.example", "192.0.2.1", "127.0.0.1.evil.example"]
    {
        let reply = send(&router, "GET", "/healthz", &[("host", other)], "").await;
        assert_eq!(reply.status, 421, "{other}");
    }
    for wrong in ["", "a b", "\"", "a@@b", "a@localhost"] {
        let reply = send(&router, "GET", "/healthz", &[("host", wrong)], "").await;
        assert!(reply.status.is_client_error(), "{wrong}");
    }
    let two = send(&router, "GET", "/healthz", &[("host", "localhost"), ("host", "localhost")], "").await;
    assert_eq!(two.status, 400);
    let absolute = send(&router, "GET", "http://evil.example/healthz", &[], "").await;
    assert_eq!(absolute.status, 421);
    let named = router_of(&site, PUBLIC);
    assert_eq!(send(&named, "GET", "/healthz", &[("host", "search.example.org")], "").await.status, 200);
}

fn router_of(site: &Site, configuration: &str) -> axum::Router {
    router(site.desk(configuration))
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_it_in() {
    let site = Site::new(&[]);
    let router = site.router();
    for target in ["/healthz", "/nowhere", "/api/nowhere", "/readyz"] {
        let reply = get(&router, target).await;
        assert!(reply.header("content-security-policy").starts_with("default-src 'none'; script-src 'self';"));
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("referrer-policy"), "same-origin");
        assert_eq!(reply.header("cache-control"), "no-store");
    }
    let reply = get(&router, "/api/nowhere").await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (404, "application/json"));
    assert_eq!(reply.json()["error"]["code"], "not_found");
    let reply = get(&router, "/nowhere").await;
    assert!(reply.text.contains("<h1>Not Found</h1>") && reply.text.contains("There is no such page."));
    let reply = send(&router, "POST", "/healthz", &[], "").await;
    assert_eq!((reply.status.as_u16(), reply.header("allow")), (405, "GET,HEAD"));
}

#[tokio::test]
async fn with_a_token_strangers_see_nothing() {
    let site = Site::new(&[]);
    let router = router_of(&site, LOCKED);
    let reply = get(&router, "/metrics?a=b").await;
    assert_eq!((reply.status.as_u16(), reply.header("location")), (401, ""));
    let reply = get(&router, "/dashboard?a=b").await;
    assert_eq!((reply.status.as_u16(), reply.header("location")), (303, "/login?next=%2Fdashboard%3Fa%3Db"));
    for path in ["/metrics", "/changes.atom", "/changes.rss", "/changes.json", "/api/v1/status"] {
        // Programs that follow redirects would take the form for what they want.
        let reply = send(&router, "GET", path, &[("accept", "text/html, */*")], "").await;
        let challenge = "Bearer, Basic realm=\"oriole\", charset=\"UTF-8\"";
        assert_eq!((reply.status.as_u16(), reply.header("www-authenticate")), (401, challenge), "{path}");
        let script = send(&router, "GET", path, &[("sec-fetch-mode", "cors")], "").await;
        assert_eq!((script.status.as_u16(), script.header("www-authenticate")), (401, "Bearer"), "{path}");
    }
    assert_eq!(send(&router, "GET", "/dashboard", &[("accept", "application/json")], "").await.status, 401);
    for wrong in ["Bearer wrong", "Bearer", "Basic a-token-of-some-length", "Bearer a-token-of-some-lengt"] {
        let reply = send(&router, "GET", "/metrics", &[("authorization", wrong)], "").await;
        assert_eq!(reply.status, 401, "{wrong}");
    }
    let bearer = format!("bearer {TOKEN}");
    assert_eq!(send(&router, "GET", "/metrics", &[("authorization", &bearer)], "").await.status, 200);
    assert_eq!(get(&router, "/healthz").await.status, 200);
    assert_eq!(get(&router, "/readyz").await.json()["ready"], true);
}

#[tokio::test]
async fn logging_in_and_out() {
    let site = Site::new(&[]);
    let router = router_of(&site, LOCKED);
    let csrf_before = csrf(&get(&router, "/login").await);
    let entry = |token, csrf| [("token", token), ("csrf", csrf), ("next", "/metrics")];
    assert_eq!(post(&router, "/login", &[], &entry(TOKEN, "forged")).await.status, 403);
    let wrong = post(&router, "/login", &[], &entry("wrong", &csrf_before)).await;
    assert!(wrong.status == 403 && wrong.text.contains("not the token"), "{}", wrong.text);
    let right = post(&router, "/login", &[], &entry(TOKEN, &csrf_before)).await;
    assert_eq!((right.status.as_u16(), right.header("location")), (303, "/metrics"));
    let cookie = right.header("set-cookie");
    assert!(cookie.starts_with("oriole_8080=") && cookie.contains("; HttpOnly; SameSite=Strict; Max-Age="), "{cookie}");
    assert!(!cookie.contains("Secure"));
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(send(&router, "GET", "/metrics", &[("cookie", cookie)], "").await.status, 200);
    let page = send(&router, "GET", "/nowhere", &[("cookie", cookie)], "").await;
    let csrf_after = csrf(&page);
    assert_ne!(csrf_after, csrf_before);
    assert_eq!(post(&router, "/logout", &[("cookie", cookie)], &[("csrf", &csrf_before)]).await.status, 403);
    assert_eq!(post(&router, "/logout", &[("cookie", cookie)], &[("csrf", &csrf_after)]).await.status, 303);
    assert_eq!(send(&router, "GET", "/metrics", &[("cookie", cookie)], "").await.status, 401);
}

/// Feed readers can send a name and a password, and no other header.
#[tokio::test]
async fn feeds_are_read_with_the_token_as_password() {
    let site = Site::new(&[]);
    let router = router_of(&site, LOCKED);
    let basic = |pair: &str| format!("Basic {}", BASE64_STANDARD.encode(pair));
    let status = async |method: &str, path: &str, header: &str| {
        send(&router, method, path, &[("authorization", header)], "").await.status.as_u16()
    };
    for name in ["", "anyone", "ü"] {
        assert_eq!(status("GET", "/changes.atom", &basic(&format!("{name}:{TOKEN}"))).await, 200, "{name}");
    }
    // Browsers send it by themselves, so nothing is changed by it.
    assert_eq!(status("POST", "/api/v1/sites", &basic(&format!("a:{TOKEN}"))).await, 401);
    for wrong in ["a:wrong", TOKEN, "a:", "a:b:a-token-of-some-length", ":"] {
        assert_eq!(status("GET", "/changes.atom", &basic(wrong)).await, 401, "{wrong}");
    }
    assert_eq!(status("GET", "/changes.atom", "Basic %%%").await, 401);
    for _ in 0..10 {
        status("GET", "/changes.atom", &basic("a:wrong")).await;
    }
    assert_eq!(status("GET", "/changes.atom", &basic(&format!("a:{TOKEN}"))).await, 429);
}

#[tokio::test]
async fn tokens_cannot_be_tried_out() {
    let site = Site::new(&[]);
    let router = router_of(&site, LOCKED);
    let csrf = csrf(&get(&router, "/login").await);
    let fields = [("token", "wrong"), ("csrf", &csrf)];
    let mut last = post(&router, "/login", &[], &fields).await;
    for _ in 0..10 {
        last = post(&router, "/login", &[], &fields).await;
    }
    assert_eq!(last.status, 429);
    assert!(last.header("retry-after").parse::<u32>().unwrap() >= 1);
}

/// Nor by programs: who has been wrong too often is not told what is right.
#[tokio::test]
async fn tokens_of_programs_cannot_be_tried_out_either() {
    let site = Site::new(&[]);
    let router = router_of(&site, LOCKED);
    let status = async |token: &str| {
        let header = format!("Bearer {token}");
        send(&router, "GET", "/api/v1/status", &[("authorization", &header)], "").await.status.as_u16()
    };
    for _ in 0..10 {
        assert_eq!((status(TOKEN).await, status("wrong").await), (200, 401));
    }
    assert_eq!([status("wrong").await, status(TOKEN).await], [429; 2]);
    assert_eq!(get(&router, "/api/v1/status").await.status, 401);
    assert_eq!(get(&router, "/healthz").await.status, 200);
}

#[tokio::test]
async fn commands_of_other_pages_are_refused() {
    let site = Site::new(&[]);
    let router = router_of(&site, LOCKED);
    let csrf = csrf(&get(&router, "/login").await);
    let fields = [("token", TOKEN), ("csrf", &csrf)];
    let refused = [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:9999"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ];
    for header in refused {
        assert_eq!(post(&router, "/login", &[header], &fields).await.status, 403, "{header:?}");
    }
    let from_us = [("origin", "http://127.0.0.1:8080"), ("sec-fetch-site", "same-origin")];
    assert_eq!(post(&router, "/login", &from_us, &fields).await.status, 303);
    let https = [("origin", "https://127.0.0.1:8080")];
    assert!(post(&router, "/login", &https, &fields).await.header("set-cookie").ends_with("; Secure"));
    let json = send(&router, "POST", "/login", &[("content-type", "application/json")], "{}").await;
    assert_eq!(json.status, 415);
    let long = "x".repeat(300 << 10);
    assert_eq!(post(&router, "/login", &[], &[("token", &long)]).await.status, 413);
}

/// Pictures, frames and scripts of other sites are not answered, so that no page can have the server work unseen.
#[tokio::test]
async fn pages_of_others_lead_here_but_embed_nothing() {
    let site = Site::new(&[]);
    let router = router_of(&site, "");
    let status = async |target: &str, [from, mode, dest]: [&str; 3]| {
        let headers = [("sec-fetch-site", from), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)];
        send(&router, "GET", target, &headers, "").await.status.as_u16()
    };
    for target in ["/what-if?robots=1&buffer=100000", "/api/v1/what-if", "/?q=lion", "/dashboard", "/metrics"] {
        for from in ["cross-site", "same-site"] {
            assert_eq!(status(target, [from, "no-cors", "image"]).await, 403, "{target} as a picture");
            assert_eq!(status(target, [from, "cors", "empty"]).await, 403, "{target} by a script");
            assert_eq!(status(target, [from, "navigate", "iframe"]).await, 403, "{target} in a frame");
            assert_eq!(status(target, [from, "navigate", "document"]).await, 200, "{target} by a link");
        }
        assert_eq!(status(target, ["same-origin", "cors", "empty"]).await, 200, "{target} by our own script");
        assert_eq!(status(target, ["none", "navigate", "document"]).await, 200, "{target} as typed");
    }
    assert_eq!(status("/suggest?q=li", ["cross-site", "cors", "empty"]).await, 200, "the search box of a browser");
    assert_eq!(status("/healthz", ["cross-site", "no-cors", "image"]).await, 200);
}

/// Keys of IndexNow are tried out at the cost of no one else.
#[tokio::test]
async fn wrong_keys_do_not_keep_the_owner_out() {
    let site = Site::new(&[]);
    let router = router_of(&site, &format!("{LOCKED}[signals]\nindexnow_key = \"0123456789abcdef\"\n"));
    let mut last = 0;
    for _ in 0..11 {
        last = get(&router, "/indexnow?url=https://a.org/&key=wrong").await.status.as_u16();
    }
    assert_eq!(last, 429);
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(send(&router, "GET", "/api/v1/status", &[("authorization", &bearer)], "").await.status, 200);
}
