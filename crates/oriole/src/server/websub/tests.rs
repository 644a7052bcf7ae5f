use super::*;
use crate::server::router;
use crate::server::testing::{Site, get, send};

/// RFC 4231, test case 2, and RFC 2202, test case 2.
#[test]
fn signatures_of_the_standards() {
    let (secret, body) = (b"Jefe".as_slice(), b"what do ya want for nothing?".as_slice());
    let signatures = [
        "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "sha512=164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ];
    for signature in signatures {
        assert!(is_signed(secret, body, signature), "{signature}");
        assert!(!is_signed(b"other", body, signature) && !is_signed(secret, b"other", signature));
    }
    for wrong in [
        "",
        "sha256",
        "sha256=",
        "sha256=zz",
        "md5=00",
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec38",
    ] {
        assert!(!is_signed(secret, body, wrong), "{wrong}");
    }
}

#[tokio::test]
async fn only_what_was_asked_for_is_confirmed_and_heard() {
    let site = Site::new(&[]);
    let desk = site.desk("");
    let (id, subscription) = desk.subscriptions().begin("https://a.org/feed").unwrap();
    assert!(desk.subscriptions().begin("https://a.org/feed").is_none(), "it was asked just now");
    let router = router(desk.clone());
    let ask =
        |id: &str, mode: &str, topic: &str| format!("/websub/{id}?hub.mode={mode}&hub.topic={topic}&hub.challenge=abc");
    let reply = get(&router, &ask(&id, "subscribe", "https://a.org/feed")).await;
    assert_eq!((reply.status.as_u16(), reply.text.as_str()), (200, "abc"));
    assert!(reply.header("content-type").starts_with("text/plain"));
    for other in [
        ask(&id, "subscribe", "https://b.org/feed"),
        ask("0", "subscribe", "https://a.org/feed"),
        ask(&id, "unsubscribe", "https://a.org/feed"),
    ] {
        assert_eq!(get(&router, &other).await.status, 404, "{other}");
    }
    let target = format!("/websub/{id}");
    assert_eq!(send(&router, "POST", &target, &[], "<feed/>").await.status, 403);
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(subscription.secret.as_bytes()).unwrap();
    mac.update(b"<feed/>");
    let signature = format!("sha256={}", hex(&mac.finalize().into_bytes()));
    let signed = [("x-hub-signature", signature.as_str())];
    assert_eq!(send(&router, "POST", &target, &signed, "<feed/>").await.status, 409, "no engine runs here");
    assert_eq!(send(&router, "POST", &target, &signed, "<feed></feed>").await.status, 403);
    assert_eq!(get(&router, &ask(&id, "denied", "https://a.org/feed")).await.status, 200);
    assert_eq!(send(&router, "POST", &target, &signed, "<feed/>").await.status, 404);
}

#[test]
fn a_hub_speaks_of_the_pages_of_its_topic() {
    let urls = ["http://a.org/1", "https://www.a.org/2", "http://b.org/3", "http://a.org:81/4", "http://a.org.b.org/5"];
    let entries: String = urls.iter().map(|url| format!("<entry><link href=\"{url}\"/></entry>")).collect();
    assert_eq!(links(format!("<feed>{entries}</feed>").as_bytes(), "https://a.org/feed"), urls[..2]);
    assert!(links(b"<feed><entry><link href=\"http://a.org/\"/></entry></feed>", "nonsense").is_empty());
}

#[test]
fn messages_are_heard_once_and_so_many_an_hour() {
    let subscriptions = Subscriptions::default();
    let (id, _) = subscriptions.begin("https://a.org/feed").unwrap();
    let start = Instant::now();
    let hear = |body: usize, seconds: u64| {
        subscriptions
            .hear(&id, &body.to_le_bytes(), start + Duration::from_secs(seconds))
            .map_err(|problem| problem.status)
    };
    assert!((0..MOST_HEARD).all(|n| hear(n, n as u64) == Ok(true)));
    assert_eq!(hear(3, 100), Ok(false), "that is known");
    assert_eq!(hear(1_000, 3_599), Err(StatusCode::TOO_MANY_REQUESTS));
    assert_eq!([hear(1_000, 3_600), hear(1_000, 3_600)], [Ok(true), Ok(false)]);
    assert_eq!(hear(1_001, 3_600), Err(StatusCode::TOO_MANY_REQUESTS), "one more has to wait for one more");
    assert_eq!(subscriptions.hear("other", b"", start).map_err(|problem| problem.status), Err(StatusCode::NOT_FOUND));
}

#[tokio::test]
async fn strange_addresses_are_answered_as_programs_expect() {
    let router = Site::new(&[]).router();
    for method in ["GET", "POST"] {
        let reply = send(&router, method, "/websub/%ff?hub.mode=subscribe", &[], "").await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (404, "application/json"), "{}", reply.text);
    }
}
