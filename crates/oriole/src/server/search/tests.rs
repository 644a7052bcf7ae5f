use std::time::Duration;

use store::{AskKind, Catalogue, DataFolder};

use crate::server::router;
use crate::server::testing::{Site, assert_harmless, get, send};

const PAGES: &[(&str, &[&str])] = &[
    (
        "https://docs.example.org/",
        &[
            "<html lang=en><title>Orioles</title><p>The golden oriole is a bird that comes back in May, and its song is like a flute.",
        ],
    ),
    (
        "https://docs.example.org/nest",
        &[
            "<html lang=en><title>The nest</title><p>An oriole hangs its nest in the fork of a branch, high above the ground, where nobody looks for it.",
        ],
    ),
    (
        "https://blog.example.net/pirol",
        &[
            "<html lang=de><title>Der Pirol</title><p>Der Pirol heißt auf Englisch oriole und ist ein Vogel, der selten gesehen wird, weil er hoch oben lebt.",
        ],
    ),
];

/// Everything that a stranger can put into a page.
const HOSTILE: &[(&str, &[&str])] = &[(
    "https://evil.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E?a=%27onmouseover=",
    &["<title>&lt;script&gt;alert('title')&lt;/script&gt;\" onmouseover=\"alert(1)</title>\
       <p>oriole &lt;script&gt;alert('snippet')&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt; and more words to be indexed here."],
)];

#[tokio::test]
async fn the_start_has_a_box() {
    let reply = get(&Site::new(&[]).router(), "/").await;
    assert_eq!(reply.status, 200);
    assert!(reply.text.contains("type=\"search\" name=\"q\"") && reply.text.contains("autofocus"), "{}", reply.text);
    assert!(reply.text.contains("href=\"/opensearch.xml\""));
}

#[tokio::test]
async fn hits_have_highlights_badges_and_links() {
    let site = Site::new(PAGES);
    let router = site.router();
    let reply = get(&router, "/?q=oriole+bird").await;
    assert!(reply.text.contains("One page.") && reply.text.contains("<mark>oriole</mark>"), "{}", reply.text);
    assert!(
        reply.text.contains("checked 30 min ago") && reply.text.contains("% likely still current</span>"),
        "{}",
        reply.text
    );
    assert!(reply.text.contains("href=\"/cached?id=0\"") && reply.text.contains("href=\"/page?id=0\""));
    assert!(reply.text.contains("https://docs.example.org/"));
    let way = reply.text.split("href=\"/go?").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    let gone = get(&router, &format!("/go?{way}")).await;
    assert_eq!((gone.status.as_u16(), gone.header("location")), (303, "https://docs.example.org/"));
}

#[tokio::test]
async fn filters_and_paging() {
    let site = Site::new(PAGES);
    let router = site.router();
    let count = async |target: &str| get(&router, target).await.text.matches("class=\"snippet\"").count();
    assert_eq!(count("/?q=oriole").await, 3);
    assert_eq!(count("/?q=oriole&site=docs.example.org").await, 2);
    assert_eq!(count("/?q=oriole&lang=de").await, 1);
    assert_eq!(count("/?q=oriole&lang=de&site=docs.example.org").await, 0);
    assert_eq!(count("/?q=oriole&when=day").await, 3);
    assert_eq!(count("/?q=&site=docs.example.org").await, 2, "a filter alone lists all pages");
    assert_eq!(get(&router, "/?q=a&site=a%20b").await.status, 400);
    assert_eq!(get(&router, "/?q=oriole&page=999999").await.status, 200);
    let many: Vec<String> = (0..25).map(|number| format!("https://e.org/{number}")).collect();
    let html = &["<p>golden words about orioles that are many and long enough to be the main text of a page</p>"];
    let pages: Vec<(&str, &[&str])> = many.iter().map(|url| (url.as_str(), html.as_slice())).collect();
    let site = Site::new(&pages);
    let router = site.router();
    let second = get(&router, "/?q=golden&page=2").await.text;
    assert!(second.contains("25 pages; 11 to 20.") && second.contains("start=\"11\""), "{second}");
    assert!(
        second.contains("rel=\"next\" href=\"/?q=golden&amp;page=3\"")
            && second.contains("rel=\"prev\" href=\"/?q=golden\"")
    );
}

#[tokio::test]
async fn strangers_texts_stay_texts() {
    let site = Site::new(HOSTILE);
    let router = site.router();
    for target in [
        "/?q=oriole",
        "/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "/?q=x&site=%22%3E%3Cscript%3E",
        "/?q=x&lang='%3E%3Csvg/onload=alert(1)%3E",
    ] {
        let reply = get(&router, target).await;
        assert_harmless(&reply.text);
    }
    let found = get(&router, "/?q=oriole").await.text;
    assert!(found.contains("&lt;script&gt;alert('title')&lt;/script&gt;"), "{found}");
    assert!(found.contains("&lt;img src=x onerror=alert(1)&gt;"), "{found}");
    for target in ["/cached?id=0", "/page?id=0", "/changes", "/changes?q=%22%3E%3Cscript%3E&site=%22onload="] {
        assert_harmless(&get(&router, target).await.text);
    }
}

#[tokio::test]
async fn what_is_typed_is_completed() {
    let site = Site::new(PAGES);
    let router = site.router();
    let reply = get(&router, "/suggest?q=golden+ori").await;
    assert_eq!(reply.header("content-type"), "application/x-suggestions+json");
    assert_eq!(reply.json(), serde_json::json!(["golden ori", ["golden oriole", "golden orioles"]]));
    assert_eq!(get(&router, "/suggest").await.json(), serde_json::json!(["", []]));
}

#[tokio::test]
async fn a_misspelt_word_is_put_right() {
    let site = Site::new(PAGES);
    let router = site.router();
    let text = get(&router, "/?q=oirole").await.text;
    assert!(text.contains("Did you mean <a href=\"/?q=oriole\">oriole</a>?"), "{text}");
}

#[tokio::test]
async fn browsers_can_add_it() {
    let reply = get(&Site::new(&[]).router(), "/opensearch.xml").await;
    assert_eq!(reply.header("content-type"), "application/opensearchdescription+xml");
    assert!(reply.text.contains("template=\"http://127.0.0.1:8080/?q={searchTerms}\""), "{}", reply.text);
}

#[tokio::test]
async fn nobody_is_led_elsewhere() {
    let site = Site::new(PAGES);
    let router = site.router();
    assert_eq!(get(&router, "/go?id=99").await.status, 404);
    assert_eq!(
        get(&router, "/go?id=0&url=https://evil.example/").await.header("location"),
        "https://docs.example.org/"
    );
    assert_eq!(get(&router, "/go?id=https://evil.example/").await.status, 400);
}

/// What is shown and what is chosen is counted, but not what nobody has seen on our own page.
#[tokio::test]
async fn readers_are_counted() {
    let site = Site::new(PAGES);
    let router = router(site.desk(""));
    let text = get(&router, "/?q=nest").await.text;
    let way = text.split("href=\"/go?").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    get(&router, &format!("/go?{way}")).await;
    get(&router, "/go?id=0").await;
    get(&router, "/go?id=0&key=forged").await;
    let led = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    assert_eq!(send(&router, "GET", &format!("/go?{way}"), &led, "").await.status, 303);
    // Nor what pages of others ask, nor anything again.
    assert_eq!(send(&router, "GET", "/?q=hanging+OR+documentation", &led, "").await.status, 200);
    for again in ["/?q=nest", "/api/v1/search?q=nest"] {
        assert_eq!(get(&router, again).await.status, 200);
    }
    let folder = DataFolder::read(&site.data()).unwrap();
    let mut asks = Vec::new();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        asks = folder.catalogue.asks(0, 10).unwrap();
        if asks.len() >= 2 {
            break;
        }
    }
    let seen: Vec<(AskKind, u32)> = asks.iter().map(|ask| (ask.kind, ask.page.0)).collect();
    assert_eq!(seen, [(AskKind::Shown, 1), (AskKind::Clicked, 1)]);
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_in_words() {
    let site = Site::new(PAGES);
    let router = router(site.desk(""));
    for (query, words) in [("page=x", "whole number"), ("page=-1", "whole number"), ("when=zzz", "day, week, month")] {
        let reply = get(&router, &format!("/?q=nest&{query}")).await;
        assert!(reply.status == 400 && reply.text.contains(words), "{query}: {}", reply.text);
        assert!(!reply.text.contains("invalid digit"), "{}", reply.text);
    }
}
