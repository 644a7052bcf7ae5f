use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;

use super::*;

fn parse(bytes: impl AsRef<[u8]>) -> Result<(Vec<Entry>, Report), SitemapError> {
    let mut entries = Vec::new();
    let report = read(bytes.as_ref(), &Limits::default(), |entry| entries.push(entry))?;
    assert_eq!(report.entries, entries.len());
    Ok((entries, report))
}

fn locs(bytes: impl AsRef<[u8]>) -> Vec<String> {
    parse(bytes).unwrap().0.into_iter().map(|entry| entry.loc).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const URLSET: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc>https://example.org/a?x=1&amp;y=2</loc>
    <lastmod>2024-03-05T09:30:00+01:00</lastmod>
    <changefreq>Weekly</changefreq>
    <priority>0.8</priority>
    <image:image><image:loc>https://example.org/a.png</image:loc></image:image>
  </url>
  <!-- <url><loc>https://example.org/commented</loc></url> -->
  <url><loc><![CDATA[ https://example.org/b?c&d ]]></loc><lastmod>2024-03</lastmod><priority>7</priority></url>
  <url><lastmod>2024</lastmod></url>
  <url><loc>mailto:nobody</loc></url>
</urlset>"#;

#[test]
fn pages_with_all_fields() {
    let (entries, report) = parse(URLSET).unwrap();
    assert_eq!(report, Report { is_index: false, entries: 2, warning: None });
    assert_eq!(
        entries[0],
        Entry {
            loc: "https://example.org/a?x=1&y=2".to_owned(),
            lastmod: Some(1_709_627_400),
            changefreq: Some(ChangeFrequency::Weekly),
            priority: Some(0.8),
        }
    );
    assert_eq!(entries[1].loc, "https://example.org/b?c&d");
    assert_eq!((entries[1].lastmod, entries[1].priority), (Some(1_709_251_200), None));
}

#[test]
fn an_index_with_a_prefix_and_a_byte_order_mark() {
    let index = "\u{feff}<?xml version='1.0'?><sm:sitemapindex xmlns:sm='x'><sm:sitemap><sm:loc>https://a.org/1.xml</sm:loc>\
                 <sm:lastmod>2020-01-01</sm:lastmod></sm:sitemap></sm:sitemapindex>";
    let (entries, report) = parse(index).unwrap();
    assert_eq!(report, Report { is_index: true, entries: 1, warning: None });
    assert_eq!((entries[0].loc.as_str(), entries[0].lastmod), ("https://a.org/1.xml", Some(1_577_836_800)));
}

#[test]
fn lists_of_addresses_and_other_encodings() {
    assert_eq!(locs("https://a.org/1\r\n\n# no\nHTTP://a.org/2  \n"), ["https://a.org/1", "HTTP://a.org/2"]);
    assert!(locs("").is_empty());
    let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>https://a.org/\xE9</loc></url></urlset>";
    assert_eq!(locs(latin), ["https://a.org/é"]);
}

#[test]
fn gzip_is_unpacked_within_limits() {
    let packed = gzip(URLSET.as_bytes());
    assert_eq!(locs(&packed), locs(URLSET));
    let (_, report) = parse(&packed[..packed.len() - 9]).unwrap();
    assert_eq!(report.warning, Some(Warning::Truncated));
    let bomb = gzip(format!("<urlset><url><loc>https://a.org/</loc></url>{}", " ".repeat(1 << 20)).as_bytes());
    let limits = Limits { bytes: 1_000, ..Limits::default() };
    let report = read(&bomb, &limits, |_| ()).unwrap();
    assert_eq!((report.entries, report.warning), (1, Some(Warning::TooLong)));
}

#[test]
fn a_broken_tail_leaves_what_was_read() {
    for end in [URLSET.find("<image:loc>").unwrap(), URLSET.len() - 3, URLSET.find("<lastmod>2024-03<").unwrap()] {
        let (entries, report) = parse(&URLSET[..end]).unwrap();
        assert_eq!(report.warning, Some(Warning::Truncated), "{end}");
        assert!(entries.len() <= 2);
    }
    assert_eq!(parse(&URLSET[..URLSET.find("<url><lastmod>").unwrap()]).unwrap().0.len(), 2);
}

#[test]
fn limits_on_entries_hold() {
    let list = "<urlset>".to_owned() + &"<url><loc>https://a.org/</loc></url>".repeat(20) + "</urlset>";
    let limits = Limits { entries: 10, ..Limits::default() };
    let report = read(list.as_bytes(), &limits, |_| ()).unwrap();
    assert_eq!((report.entries, report.warning), (10, Some(Warning::TooManyEntries)));
}

#[test]
fn entities_of_the_document_are_not_expanded() {
    let laughs = "<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY a 'https://a.org/'><!ENTITY b '&a;&a;&a;'>]>\
                  <urlset><url><loc>https://a.org/&b;</loc></url></urlset>";
    assert_eq!(locs(laughs), ["https://a.org/&b;"]);
}

#[test]
fn other_documents_are_refused() {
    for other in ["<html><body>404</body></html>", "not found", "<rss/>", "<"] {
        assert_eq!(parse(other).unwrap_err(), SitemapError::NotASitemap, "{other}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, &Limits::default(), |_| ());
    }

    #[test]
    fn any_cut_and_any_flip_is_read(at in 0..URLSET.len(), byte in any::<u8>()) {
        let mut bytes = URLSET.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = read(&bytes, &Limits::default(), |_| ());
        let _ = read(&bytes[..at], &Limits::default(), |_| ());
        let _ = read(&gzip(&bytes)[..at.min(200)], &Limits::default(), |_| ());
    }

    #[test]
    fn written_addresses_read_back(paths in proptest::collection::vec("[a-z0-9/&<é]{0,20}", 0..20)) {
        let expected: Vec<String> = paths.iter().map(|path| format!("https://a.org/{path}")).collect();
        let urls: String =
            expected.iter().map(|url| format!("<url><loc>{}</loc></url>", url.replace('&', "&amp;").replace('<', "&lt;"))).collect();
        prop_assert_eq!(locs(format!("<urlset>{urls}</urlset>")), expected);
    }
}
