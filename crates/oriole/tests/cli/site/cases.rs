//! Pages that are what they are, but not what they seem.

use std::io::Write;

use super::server::{answer, html, not_found, page, prose, redirect};
use super::{DUPLICATE, EXCLUDED, FOUND, GONE, REDIRECT, SKIPPED, Table, UNKNOWN, Wanted, gzip};

/// The most calendar pages that are looked at: those without anything new, the first, and four that it earns.
pub(in super::super) const MOST_OF_CALENDAR: usize = 1_005;

/// A host whose pages are well served.
pub(super) fn table() -> Table {
    let mut table = Table::default();
    redirects(&mut table);
    directives(&mut table);
    duplicates(&mut table);
    compressions(&mut table);
    charsets(&mut table);
    kinds(&mut table);
    links(&mut table);
    traps(&mut table);
    lists(&mut table);
    later(&mut table);
    table
}

fn redirects(table: &mut Table) {
    for (name, path, status) in [
        ("moved permanently", "/moved/301", 301),
        ("found elsewhere", "/moved/302", 302),
        ("see other", "/moved/303", 303),
        ("temporary redirect", "/moved/307", 307),
        ("permanent redirect", "/moved/308", 308),
    ] {
        let target = format!("/target-of-{status}");
        let to = target.clone();
        table.page(name, path, REDIRECT, move |_| redirect(status, &to));
        table.beyond("target of a redirect", &target, FOUND, |ask| html(&page(&ask.path, &[])));
    }
    table.page("loop of redirects", "/loop/a", REDIRECT, |_| redirect(302, "/loop/b"));
    table.beyond("loop of redirects, other end", "/loop/b", REDIRECT, |_| redirect(302, "/loop/a"));
    table.page("endless chain of redirects", "/chain/0", REDIRECT, |_| redirect(302, "/chain/1"));
    for n in 1..=10 {
        let next = format!("/chain/{}", n + 1);
        table.beyond("link of a chain", &format!("/chain/{n}"), REDIRECT, move |_| redirect(302, &next));
    }
    table.beyond("where the chain is cut", "/chain/11", UNKNOWN, |_| redirect(302, "/chain/12"));
    table.page("cookie wall that leads to itself", "/wall", REDIRECT, |_| {
        answer(302, "Location: /wall\nSet-Cookie: allowed=1", "")
    });
    table.page("cookie wall by way of another page", "/walled", REDIRECT, |ask| match ask.header("cookie") {
        Some(_) => html(&page("behind the wall", &[])),
        None => redirect(302, "/consent?next=/walled"),
    });
    table.beyond("page of consent", "/consent?next=/walled", REDIRECT, |_| {
        answer(302, "Location: /walled\nSet-Cookie: allowed=1", "")
    });
    table.page("meta refresh", "/refresh", REDIRECT, |_| {
        html("<meta http-equiv=refresh content='0; url=/refreshed'><p>You are being led on.")
    });
    table.beyond("target of a refresh", "/refreshed", FOUND, |_| html(&page("refreshed", &[])));
    table.page("redirect to another host", "/away", REDIRECT, |_| redirect(301, "http://127.0.0.3:9/elsewhere"));
    table.page("redirect to nowhere", "/nowhere", REDIRECT, |_| answer(302, "", ""));
    table.page("redirect to a script", "/script", REDIRECT, |_| redirect(302, "javascript:alert(1)"));
    table.page("redirect of 100 KB", "/far", REDIRECT, |_| redirect(302, &format!("/{}", "x".repeat(100_000))));
}

fn directives(table: &mut Table) {
    table.page("noindex in the page", "/noindex/meta", EXCLUDED, |_| {
        html(&format!("<meta name=robots content=noindex>{}", page("hidden", &["/led-to-by-noindex"])))
    });
    table.beyond("links of a noindex page", "/led-to-by-noindex", FOUND, |_| html(&page("led to by noindex", &[])));
    table.page("noindex in a header", "/noindex/header", EXCLUDED, |_| {
        answer(200, "Content-Type: text/html\nX-Robots-Tag: noindex", page("hidden by header", &[]))
    });
    table.page("noindex for another robot", "/noindex/other", FOUND, |_| {
        answer(200, "Content-Type: text/html\nX-Robots-Tag: otherbot: noindex", page("hidden from others", &[]))
    });
    table.page("nofollow in the page", "/nofollow/meta", FOUND, |_| {
        html(&format!("<meta name=robots content=nofollow>{}", page("nofollow", &["/led-to-by-nofollow/1"])))
    });
    table.beyond("links of a nofollow page", "/led-to-by-nofollow/1", UNKNOWN, |_| not_found());
    table.page("nofollow of a link", "/nofollow/link", FOUND, |_| {
        html(&format!("{}<a rel=nofollow href=/led-to-by-nofollow/2>x</a>", page("nofollow link", &[])))
    });
    table.beyond("a nofollow link", "/led-to-by-nofollow/2", UNKNOWN, |_| not_found());
    let unarchived = Wanted { archived: Some(false), ..FOUND };
    table.page("noarchive in the page", "/noarchive/meta", unarchived.clone(), |_| {
        html(&format!("<meta name=robots content=noarchive>{}", page("noarchive", &[])))
    });
    table.page("noarchive in a header", "/noarchive/header", unarchived, |_| {
        answer(200, "Content-Type: text/html\nX-Robots-Tag: noarchive", page("noarchive by header", &[]))
    });
}

fn duplicates(table: &mut Table) {
    let canonical = |to: &str, name: &str| html(&format!("<link rel=canonical href='{to}'>{}", page(name, &[])));
    table.page("the page to be shown", "/best", FOUND, |_| html(&page("best", &[])));
    table.page("canonical elsewhere", "/other", DUPLICATE, move |_| canonical("/best", "other"));
    table.page("canonical is itself", "/self", FOUND, move |_| canonical("/self?utm_source=x", "self"));
    table.page("canonical does not exist", "/to-lost", Wanted { asked: 1..=2, ..FOUND }, move |_| {
        canonical("/lost", "to lost")
    });
    table.beyond("the canonical that does not exist", "/lost", GONE, |_| not_found());
    table.page("one text", "/same/text", FOUND, |_| html(&format!("<title>one</title><p>{}</p>", long())));
    // Whichever of the two is read first is shown; this one is made to be later.
    table.page("the same text", "/same/other", Wanted { asked: 1..=1, ..DUPLICATE }, |_| {
        slow(html(&format!("<title>two</title><nav><a href=/>home</a></nav><p>{}</p>", long())))
    });
    table.page("nearly the same text", "/same/nearly", DUPLICATE, |_| {
        slow(html(&format!("<p>{}</p>", long().replacen("ba", "be", 1))))
    });
}

/// So long that one word makes no difference.
fn long() -> String {
    (0..20).map(|n| prose(&format!("same {n}"))).collect()
}

/// Later than others.
fn slow(mut says: Vec<super::Say>) -> Vec<super::Say> {
    says.insert(0, super::Say::Wait(std::time::Duration::from_millis(700)));
    says
}

fn compressions(table: &mut Table) {
    let found = |title| Wanted { title: Some(title), ..FOUND };
    table.page("gzip", "/gzip", found("gzip"), |_| encoded("gzip", gzip(page("gzip", &[]))));
    table.page("deflate", "/deflate", found("deflate"), |_| encoded("deflate", zlib(&page("deflate", &[]))));
    table.page("deflate without its header", "/deflate-raw", found("raw"), |_| {
        encoded("deflate", zlib(&page("raw", &[]))[2..].to_vec())
    });
    table.page("brotli", "/brotli", found("brotli"), |_| encoded("br", brotli(&page("brotli", &[]))));
    table.page("zstd", "/zstd", found("zstd"), |_| {
        encoded("zstd", zstd::stream::encode_all(page("zstd", &[]).as_bytes(), 3).unwrap())
    });
    table.page("gzip within gzip", "/gzip-gzip", found("twice"), |_| {
        encoded("gzip, gzip", gzip(gzip(page("twice", &[]))))
    });
    let bomb = gzip(vec![0; 200 << 20]);
    table.page("gzip bomb of 200 MB", "/bomb", SKIPPED, move |_| encoded("gzip", bomb.clone()));
    let nested = gzip(gzip(vec![b' '; 100 << 20]));
    table.page("gzip bomb in a gzip bomb", "/bomb-bomb", FOUND, move |_| encoded("gzip, gzip", nested.clone()));
}

fn encoded(encoding: &str, body: Vec<u8>) -> Vec<super::Say> {
    answer(200, &format!("Content-Type: text/html\nContent-Encoding: {encoding}"), body)
}

fn zlib(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Brotli that compresses nothing: one block of bytes as they are.
fn brotli(text: &str) -> Vec<u8> {
    assert!(text.len() <= 1 << 16);
    let head = ((text.len() as u32 - 1) << 4) | (1 << 20);
    [&head.to_le_bytes()[..3], text.as_bytes(), &[3]].concat()
}

/// A title with letters that every encoding writes in its own way.
const TITLE: &str = "Übergrößenträger café";

fn charsets(table: &mut Table) {
    let found = Wanted { title: Some(TITLE), ..FOUND };
    let western = |name: &str, meta: &str| {
        let text = format!("<html lang=de>{meta}<title>{TITLE}</title><p>Schöne Grüße, daß {}", prose(name));
        text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect::<Vec<u8>>()
    };
    table.page("windows-1252, as it says", "/charset/1252", found.clone(), move |_| {
        answer(200, "Content-Type: text/html; charset=windows-1252", western("1252", ""))
    });
    table.page("windows-1252, unsaid", "/charset/unsaid", found.clone(), move |_| {
        answer(200, "Content-Type: text/html", western("unsaid", ""))
    });
    table.page("windows-1252 that says it is UTF-8", "/charset/lie", found.clone(), move |_| {
        answer(200, "Content-Type: text/html; charset=utf-8", western("lie", "<meta charset=utf-8>"))
    });
    table.page("UTF-8 that says it is latin", "/charset/meta-lie", found.clone(), |_| {
        let text = format!("<meta charset=iso-8859-1><title>{TITLE}</title><p>Grüße, {}", prose("meta lie"));
        answer(200, "Content-Type: text/html", text)
    });
    table.page("UTF-16", "/charset/utf-16", found, |_| {
        let text = format!("\u{feff}<title>{TITLE}</title><p>{}", prose("utf-16"));
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        answer(200, "Content-Type: text/html", units.collect::<Vec<u8>>())
    });
    table.page("Shift-JIS", "/charset/shift-jis", Wanted { title: Some("日本語"), ..FOUND }, |_| {
        // "日本語" twice, with some letters around it.
        let word = b"\x93\xfa\x96\x7b\x8c\xea";
        let body =
            [b"<meta charset=shift_jis><title>", &word[..], b"</title><p>", word, prose("jis").as_bytes()].concat();
        answer(200, "Content-Type: text/html", body)
    });
    table.page("a charset that does not exist", "/charset/unknown", FOUND, |_| {
        answer(200, "Content-Type: text/html; charset=klingon", page("klingon", &[]))
    });
}

fn kinds(table: &mut Table) {
    table.page("plain text", "/notes", FOUND, |_| answer(200, "Content-Type: text/plain", prose("notes")));
    table.page("Markdown", "/readme.md", Wanted { title: Some("Read me"), ..FOUND }, |_| {
        answer(200, "Content-Type: text/markdown", format!("# Read me\n\n{}", prose("readme")))
    });
    table.page("PDF", "/paper.pdf", FOUND, |_| {
        answer(200, "Content-Type: application/pdf", pdf("The golden robin sings"))
    });
    table.page("PDF that is cut", "/cut.pdf", SKIPPED, |_| {
        answer(200, "Content-Type: application/pdf", "%PDF-1.4\n1 0 obj")
    });
    table.page("image", "/picture", SKIPPED, |_| answer(200, "Content-Type: image/png", PNG));
    table.page("image that says it is HTML", "/picture-lie", SKIPPED, |_| answer(200, "Content-Type: text/html", PNG));
    table.page("HTML that says nothing", "/untyped", FOUND, |_| answer(200, "", page("untyped", &[])));
    table.page("JSON", "/data", SKIPPED, |_| answer(200, "Content-Type: application/json", "{\"a\": 1}"));
    table.page("archive", "/download", SKIPPED, |_| answer(200, "Content-Type: application/zip", "PK\x03\x04"));
    table.page("no content", "/empty", SKIPPED, |_| answer(204, "", ""));
    table.page("a stray control byte", "/stray", FOUND, |_| html(&format!("{}\u{1}", page("stray", &[]))));
    table.page("does not exist", "/missing", GONE, |_| not_found());
    table.page("does not exist any more", "/former", GONE, |_| answer(410, "", ""));
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDAT";

/// A PDF with one page and one line.
fn pdf(line: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 700 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let start = file.len();
    file.push_str("xref\n0 6\n0000000000 65535 f \n");
    offsets.iter().for_each(|offset| file.push_str(&format!("{offset:010} 00000 n \n")));
    file.push_str(&format!("trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    file.into_bytes()
}

fn links(table: &mut Table) {
    table.link("script", "javascript:alert('x')", "/alert('x')", UNKNOWN);
    table.link("data", "data:text/html,&lt;p>x", "/p>x", UNKNOWN);
    table.link("mail", "mailto:someone@example.org", "/someone@example.org", UNKNOWN);
    table.link("address of 100 KB", format!("/{}", "long".repeat(25_000)), "/long", UNKNOWN);
    table.link("password in the address", "http://user:secret@127.0.0.1:9/", "/secret", UNKNOWN);
    table.link("picture by its name", "/picture.jpg", "/picture.jpg", UNKNOWN);
    table.link("tracking parameters", "/tracked?utm_source=a&amp;fbclid=b", "/tracked", FOUND);
    table.link("tracking parameters, others", "/tracked?gclid=c#part", "/tracked", FOUND);
    table.beyond("the page that is tracked", "/tracked", FOUND, |_| html(&page("tracked", &["/tracked?_ga=1"])));
    table.link("control characters", "/con\u{1}trol\u{7f}", "/con%01trol%7F", FOUND);
    table.beyond("address with control characters", "/con%01trol%7F", FOUND, |_| html(&page("control", &[])));
    table.link("null byte", "/nu\0ll", "/nu%00ll", GONE);
    table.link("dots", "/a/../b/./dots", "/b/dots", FOUND);
    table.beyond("address without dots", "/b/dots", FOUND, |_| html(&page("dots", &[])));
    table.page("100,000 links", "/many", FOUND, |_| {
        let links: String = (0..100_000).map(|n| format!("<a href=/many/{}>x</a>", name(n))).collect();
        html(&format!("{}{links}", page("many", &[])))
    });
    table.page("a million open elements", "/deep", FOUND, |_| {
        html(&format!("{}{}", page("deep", &[]), "<div>".repeat(1_000_000)))
    });
}

/// Without digits, so that no page looks like one of an endless number.
fn name(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

fn traps(table: &mut Table) {
    table.page("session ids", "/session", FOUND, |ask| {
        let next = format!("/session?PHPSESSID=abcdef0123456789{:016x}", ask.before + 1);
        html(&page("session", &[&next]))
    });
    table.page("a path that repeats itself", "/again/", FOUND, |_| html(&page("again", &["again/"])));
    table.beyond("once more", "/again/again/", FOUND, |_| html(&page("again again", &["again/"])));
    table.beyond("too often", "/again/again/again/", UNKNOWN, |_| html(&page("again again again", &["again/"])));
    table.page("endless calendar", "/calendar/2026/11/15", FOUND, |_| html(&calendar(2026, 11, 15)));
    table.beyond("every other path", "*", FOUND, |ask| {
        let mut parts = ask.path.strip_prefix("/calendar/").unwrap_or("").split('/').map(str::parse::<i32>);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Ok(year)), Some(Ok(month)), Some(Ok(day))) => html(&calendar(year, month, day)),
            _ => not_found(),
        }
    });
}

/// A day without events, and the ways to others.
fn calendar(year: i32, month: i32, day: i32) -> String {
    let at = |days: i32| {
        let days = year * 360 + (month - 1) * 30 + day - 1 + days;
        format!("/calendar/{}/{:02}/{:02}", days / 360, days / 30 % 12 + 1, days % 30 + 1)
    };
    let links = [-360, -30, -1, 1, 30, 360].map(at);
    let links: String = links.iter().map(|to| format!("<a href=\"{to}\">other day</a> ")).collect();
    format!("<title>Calendar</title><p>There are no events on this day. {}</p><nav>{links}</nav>", prose("calendar"))
}

fn lists(table: &mut Table) {
    table.beyond("robots.txt", "/robots.txt", Wanted { state: None, ..UNKNOWN }.asked(1), |ask| {
        let origin = &ask.origin;
        let sitemaps = ["/sitemaps.xml", "/bomb.xml", "/broken.xml"].map(|path| format!("Sitemap: {origin}{path}\n"));
        answer(200, "Content-Type: text/plain", format!("User-agent: *\nDisallow: /secret\n{}", sitemaps.concat()))
    });
    table.page("forbidden by robots.txt", "/secret/page", EXCLUDED.asked(0), |_| html(&page("secret", &[])));
    let list = UNKNOWN.asked(1);
    table.beyond("index of sitemaps", "/sitemaps.xml", list.clone(), |ask| {
        let origin = &ask.origin;
        let maps = ["/map.xml.gz", "/map.txt", "/liar.xml"]
            .map(|path| format!("<sitemap><loc>{origin}{path}</loc></sitemap>"));
        answer(200, "", format!("<?xml version='1.0'?><sitemapindex>{}</sitemapindex>", maps.concat()))
    });
    table.beyond("compressed sitemap", "/map.xml.gz", list.clone(), |ask| {
        answer(200, "", gzip(urlset(&ask.origin, &["/in-map/xml"])))
    });
    table.beyond("sitemap that is a list", "/map.txt", list.clone(), |ask| {
        answer(200, "", format!("{}/in-map/txt\n", ask.origin))
    });
    table.beyond("sitemap that lies", "/liar.xml", list.clone(), |ask| {
        let foreign = "<url><loc>http://127.0.0.3:9/foreign</loc></url>";
        let pages = urlset(&ask.origin, &["/in-map/lost", "/in-map/xml", "/"]);
        answer(200, "", pages.replace("</urlset>", &format!("{foreign}<url><loc>nonsense</loc></url></urlset>")))
    });
    table.beyond("XML bomb", "/bomb.xml", list.clone(), |_| {
        let mut text = "<!DOCTYPE x [<!ENTITY a0 \"lol\">".to_owned();
        (1..30).for_each(|n| text.push_str(&format!("<!ENTITY a{n} \"{}\">", format!("&a{};", n - 1).repeat(10))));
        answer(200, "", format!("{text}]><urlset><url><loc>&a29;</loc></url></urlset>"))
    });
    table.beyond("sitemap that is none", "/broken.xml", list.clone(), |_| answer(200, "", "<<<urlset <url> & \u{0}"));
    for path in ["/in-map/xml", "/in-map/txt", "/in-feed/rss", "/in-feed/atom"] {
        table.beyond("page of a list", path, FOUND, |ask| html(&page(&ask.path, &[])));
    }
    table.beyond("page of a list that does not exist", "/in-map/lost", GONE, |_| not_found());
    table.page("page with feeds", "/news", FOUND, |_| {
        let feeds = "<link rel=alternate type=application/rss+xml href=/rss><link rel=alternate type=application/atom+xml href=/atom>";
        html(&format!("{feeds}{}", page("news", &[])))
    });
    table.beyond("RSS", "/rss", list.clone(), |ask| {
        let item = format!("<item><title>x</title><link>{}/in-feed/rss</link></item>", ask.origin);
        answer(200, "", format!("<rss version='2.0'><channel>{item}</channel></rss>"))
    });
    table.beyond("Atom", "/atom", list, |ask| {
        let entry =
            format!("<entry><link href='{}/in-feed/atom'/><updated>2026-11-15T00:00:00Z</updated></entry>", ask.origin);
        answer(200, "", format!("<feed xmlns='http://www.w3.org/2005/Atom'>{entry}</feed>"))
    });
}

/// Pages that all have changed just now, as always.
fn urlset(origin: &str, paths: &[&str]) -> String {
    let entry = |path: &&str| format!("<url><loc>{origin}{path}</loc><lastmod>2026-11-15T12:00:00Z</lastmod></url>");
    format!("<urlset>{}</urlset>", paths.iter().map(entry).collect::<String>())
}

/// Pages that are asked for again in another crawl.
fn later(table: &mut Table) {
    let dated = "Last-Modified: Sun, 15 Nov 2026 12:00:00 GMT";
    table.page("the same by its tag", "/etag", FOUND, |ask| match ask.header("if-none-match") {
        Some("\"v1\"") => answer(304, "ETag: \"v1\"", ""),
        _ => answer(200, "Content-Type: text/html\nETag: \"v1\"", page("etag", &[])),
    });
    table.page("the same by its date", "/dated", FOUND, move |ask| match ask.header("if-modified-since") {
        Some(_) => answer(304, dated, ""),
        None => answer(200, &format!("Content-Type: text/html\n{dated}"), page("dated", &[])),
    });
    table.page("another text each time", "/changes", FOUND, |ask| html(&page(&format!("version {}", ask.before), &[])));
    table.page("there at first only", "/vanishes", FOUND, |ask| match ask.before {
        0 => html(&page("vanishes", &[])),
        _ => not_found(),
    });
    table.page("missing once", "/flickers", FOUND, |ask| match ask.before {
        1 => answer(410, "", ""),
        _ => html(&page("flickers", &[])),
    });
    table.page("moves later", "/moves", FOUND, |ask| match ask.before {
        0 => html(&page("moves", &[])),
        _ => redirect(301, "/has-moved"),
    });
    table.page("is hidden later", "/hides", FOUND, |ask| match ask.before {
        0 => html(&page("hides", &[])),
        _ => answer(200, "Content-Type: text/html\nX-Robots-Tag: noindex", page("hides", &[])),
    });
}
