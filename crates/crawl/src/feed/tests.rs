use proptest::prelude::*;

use super::*;

const RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
  <title>News</title><link>https://example.org/</link>
  <atom:link href="https://example.org/feed.xml" rel="self" type="application/rss+xml"/>
  <atom:link rel="hub" href="https://hub.example.org/?a=1&amp;b=2"/>
  <lastBuildDate>Sun, 06 Nov 1994 08:49:37 GMT</lastBuildDate>
  <image><url>https://example.org/i.png</url><link>https://example.org/image</link></image>
  <item><title>One &amp; only</title><link>https://example.org/1?a=1&amp;b=2</link>
    <description><![CDATA[<p><a href="https://example.org/x">x</a><link>no</link></p>]]></description>
    <pubDate>Sun, 06 Nov 1994 09:49:37 +0100</pubDate></item>
  <item><guid>https://example.org/2</guid><dc:date>1994-11-06T08:49:37Z</dc:date></item>
  <item><guid isPermaLink="false">https://example.org/no</guid></item>
  <item><link><![CDATA[ https://example.org/3 ]]></link><pubDate>rubbish</pubDate></item>
</channel></rss>"#;

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom">
  <updated>1994-11-06T08:49:37Z</updated>
  <link rel="self" href="/atom.xml"/><link href="/"/><link rel="hub" href="https://hub.example.org/"/>
  <entry><id>tag:1</id><link rel="edit" href="/edit/1"/><link rel="alternate" type="text/html" href="/1"/>
    <published>1994-11-05T00:00:00Z</published><updated>1994-11-06T08:49:37Z</updated>
    <content type="xhtml"><div><link href="/wrong"/><updated>2000-01-01</updated></div></content></entry>
  <entry><link href='/2'/></entry>
</feed>"#;

fn parse(text: &str) -> Feed {
    read(text.as_bytes(), &Limits::default()).unwrap()
}

fn entry(link: &str, updated: Option<i64>, published: Option<i64>) -> Entry {
    Entry { link: link.to_owned(), updated, published }
}

#[test]
fn rss_with_hub_and_dates() {
    let feed = parse(RSS);
    let moment = Some(784_111_777);
    assert_eq!(
        feed.entries,
        [
            entry("https://example.org/1?a=1&b=2", None, moment),
            entry("https://example.org/2", None, moment),
            entry("https://example.org/3", None, None),
        ]
    );
    assert_eq!(feed.hub.as_deref(), Some("https://hub.example.org/?a=1&b=2"));
    assert_eq!(feed.self_link.as_deref(), Some("https://example.org/feed.xml"));
    assert_eq!((feed.updated, feed.complete), (moment, true));
}

#[test]
fn atom_with_hub_and_dates() {
    let feed = parse(ATOM);
    let moment = 784_111_777;
    assert_eq!(feed.entries, [entry("/1", Some(moment), Some(783_993_600)), entry("/2", None, None)]);
    assert_eq!((feed.hub.as_deref(), feed.self_link.as_deref()), (Some("https://hub.example.org/"), Some("/atom.xml")));
    assert_eq!((feed.updated, feed.complete), (Some(moment), true));
}

#[test]
fn rdf_feeds_and_prefixes() {
    let rdf = "<?xml version='1.0'?><rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel rdf:about='x'><link>https://a.org/</link>\
               </channel><item rdf:about='https://a.org/1'><dc:date>1994-11-06</dc:date></item>\
               <item rdf:about='urn:x'><link>https://a.org/2</link></item></rdf:RDF>";
    let links: Vec<String> = parse(rdf).entries.into_iter().map(|entry| entry.link).collect();
    assert_eq!(links, ["https://a.org/1", "https://a.org/2"]);
    let prefixed = "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link href='/p'/></a:entry></a:feed>";
    assert_eq!(parse(prefixed).entries, [entry("/p", None, None)]);
}

#[test]
fn a_broken_tail_leaves_what_was_read() {
    let cut = &RSS[..RSS.find("<dc:date>").unwrap()];
    let feed = parse(cut);
    assert_eq!((feed.entries.len(), feed.complete), (1, false));
    let limits = Limits { entries: 2, ..Limits::default() };
    assert_eq!(read(RSS.as_bytes(), &limits).unwrap().entries.len(), 2);
}

#[test]
fn other_documents_are_refused() {
    for other in ["", "text", "<html></html>", "<urlset/>", "\u{feff}<"] {
        assert_eq!(read(other.as_bytes(), &Limits::default()), Err(FeedError::NotAFeed), "{other}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, &Limits::default());
    }

    #[test]
    fn any_cut_and_any_flip_is_read(at in 0..ATOM.len(), byte in any::<u8>()) {
        for text in [RSS, ATOM] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = read(&bytes, &Limits::default());
            let found = read(&bytes[..at], &Limits::default());
            prop_assert!(found.is_err() || !found.unwrap().complete || at > text.len() - 20);
        }
    }
}
