use store::{EventKind, PageId};

use super::*;

/// RFC 4231, test case 2.
#[test]
fn signatures_are_those_of_the_standard() {
    let digest = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_eq!(signature(b"Jefe", b"what do ya want for nothing?"), format!("sha256={digest}"));
}

#[test]
fn a_delivery_keeps_its_number() {
    let event = |id, kind| Event {
        id,
        at: Timestamp(1_000),
        kind,
        page: PageId(3),
        url: "https://e.org/\"<a>".to_owned(),
        title: None,
    };
    let events = [event(7, EventKind::New), event(9, EventKind::Gone)];
    let (id, body) = message(&events.iter().collect::<Vec<_>>());
    assert_eq!(id, "7-9");
    let read: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(read["delivery"], "7-9");
    assert_eq!((&read["events"][1]["kind"], &read["events"][1]["id"]), (&json!("gone"), &json!(9)));
    assert_eq!(read["events"][0]["url"], "https://e.org/\"<a>");
    assert_eq!(message(&events.iter().collect::<Vec<_>>()), (id, body), "however often it is sent");
}

#[test]
fn waits_grow_up_to_an_hour() {
    let seconds: Vec<u64> = [1, 2, 3, 11, 12, 100].map(|failures| wait(failures).as_secs()).to_vec();
    assert_eq!(seconds, [2, 4, 8, 2_048, 3_600, 3_600]);
}

#[test]
fn what_was_not_taken_is_told_in_words() {
    let answer = |status| Answer { status, headers: Vec::new(), body: Vec::new(), truncated: false, address: None };
    assert_eq!(judged(Ok(answer(204))), Ok(()));
    assert!(judged(Ok(answer(301))).unwrap_err().contains("leads"));
    assert!(judged(Ok(answer(500))).unwrap_err().contains("500"));
    let private = judged(Err(FetchError::Private([127, 0, 0, 1].into()))).unwrap_err();
    assert!(private.contains("allow_private in its [[webhooks]]"), "{private}");
}
