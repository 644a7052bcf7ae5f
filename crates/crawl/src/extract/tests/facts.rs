//! What a page says about itself.

use super::*;

#[test]
fn title_description_and_addresses() {
    let docs = html(page("docs"));
    assert_eq!(docs.title.as_deref(), Some("queue — A synchronized queue — Manual 3.2"));
    assert_eq!(docs.description.as_deref(), Some("The queue module & its classes."));
    assert_eq!(docs.canonical.as_deref(), Some("https://docs.example.org/3/library/queue.html"));
    assert_eq!(docs.headings, ["queue — A synchronized queue", "Example", "See also"]);
    let broken = html(page("broken"));
    assert_eq!(broken.title.as_deref(), Some("Unclosed & broken"));
    assert_eq!(html("<h1>Only a heading</h1>").title.as_deref(), Some("Only a heading"));
    assert_eq!(html("<svg><title>Icon</title></svg><title>Page</title>").title.as_deref(), Some("Page"));
    assert_eq!(html("<base href='/x/'><base href='/y/'>").base.as_deref(), Some("/x/"));
}

#[test]
fn robots_directives_and_feeds() {
    let blog = html(page("blog"));
    assert_eq!(blog.meta_robots, ["index, follow, max-snippet:-1", "noarchive"]);
    assert_eq!(blog.feeds, ["/feed/", "/atom.xml"]);
}

#[test]
fn the_best_publication_date_wins() {
    assert_eq!(html(page("blog")).published, Some(1_709_627_400));
    assert_eq!(html(page("news")).published, Some(1_777_874_400));
    let time = "<article><time datetime='2020-01-01'>New Year</time></article>";
    assert_eq!(html(time).published, Some(1_577_836_800));
    assert_eq!(html("<footer><time datetime='2020-01-01'></time></footer>").published, None, "not the page's own");
    for date in ["1970-01-01", "2999-01-01", "soon", ""] {
        assert_eq!(html(format!("<meta property=article:published_time content='{date}'>")).published, None, "{date}");
    }
    let limits = Limits { latest_date: 1_577_836_799, ..Limits::default() };
    assert_eq!(extract(time.as_bytes(), Some("text/html"), "", &limits).unwrap().published, None);
}

#[test]
fn links_are_found() {
    let blog = html(page("blog"));
    let link = blog.links.iter().find(|link| link.href == "../washed/?a=1&b=2").unwrap();
    assert!(link.nofollow);
    assert!(!blog.links[0].nofollow);
    assert_eq!((html(page("docs")).links[0].href.as_str()), "threads.html", "link rel=next");
    let news = html(page("news"));
    assert_eq!(news.links[0].href, "/");

    let odd = "<a href='#top'>a</a><a href='javascript:x()'>b</a><a href='mailto:a@b.c'>c</a><a href=' /ok '>d<b>e</b>\n f</a>\
               <a name=n>g</a><a href=''>h</a><a href=HTTP://x.org/>i<a href=/j?x=a:b>j<area href=/k><iframe src=/l></iframe>\
               <a href='/&eacute;&notit;?a&copy=1&amp;b'>m";
    let links = html(odd).links;
    let found: Vec<_> = links.iter().map(|link| link.href.as_str()).collect();
    assert_eq!(found, ["/ok", "HTTP://x.org/", "/j?x=a:b", "/k", "/l", "/é&notit;?a&copy=1&b"]);
}

#[test]
fn scripts_comments_and_templates_hold_no_links() {
    let page = "<script>'<a href=/1>'</script><!-- <a href=/2> --><style><a href=/3></style><textarea><a href=/4></textarea>\
                <title><a href=/5></title><noscript><a href=/6>six</a></noscript>";
    let links = html(page).links;
    assert_eq!(links.iter().map(|link| link.href.as_str()).collect::<Vec<_>>(), ["/6"]);
}

#[test]
fn refresh_targets() {
    for (content, target) in [
        ("0; url=/next", Some("/next")),
        ("5;URL='/quoted?a=1'", Some("/quoted?a=1")),
        ("0,/bare", Some("/bare")),
        ("1.5 ; url = https://x.org/ ", Some("https://x.org/")),
        ("30", None),
        ("0; url=", None),
        ("soon; url=/x", None),
    ] {
        let page = format!("<meta http-equiv=\"Refresh\" content=\"{content}\">");
        assert_eq!(html(page).refresh.as_deref(), target, "{content}");
    }
}

#[test]
fn text_is_cut_into_words_as_it_is_seen() {
    assert_eq!(
        html("<p>un<b>believ</b>able<br>new<span> line</span>&#32;&nbsp;x\u{3000}y").text,
        "unbelievable new line x y"
    );
    assert_eq!(html("<p>soft&shy;ware and zero\u{200b}width").text, "software and zerowidth");
    assert_eq!(html("<p>five words in this text").words, 5);
    assert_eq!(html("<p>fi<i>ve</i> words in this te<b>xt</b>").words, 5);
    let japanese = html(page("japanese"));
    assert!((20..80).contains(&japanese.words), "{}", japanese.words);
}

#[test]
fn limits_hold() {
    let limits = Limits { links: 2, headings: 1, label_bytes: 6, text_bytes: 40, href_bytes: 5, ..Limits::default() };
    let page = "<title>A long title</title><h1>First one</h1><h2>Second</h2><a href=/1>one</a><a href=/23456>x</a>\
                <a href=/2>two three</a><a href=/3>three</a><p>and much more text that goes on and on";
    let found = extract(page.as_bytes(), Some("text/html"), "", &limits).unwrap();
    assert_eq!(found.links.iter().map(|link| link.href.as_str()).collect::<Vec<_>>(), ["/1", "/2"]);
    assert_eq!((found.title.as_deref(), found.headings.len()), (Some("A long"), 1));
    assert!(found.text.len() <= 40);
    let limits = Limits { input_bytes: 30, ..Limits::default() };
    assert_eq!(
        extract(page.as_bytes(), Some("text/html"), "", &limits).unwrap().title.as_deref(),
        Some("A long title")
    );
}
