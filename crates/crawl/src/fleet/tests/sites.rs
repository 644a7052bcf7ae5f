//! What the user says about sites by commands.

use super::server::{answer, html, not_found, page};
use super::*;
use crate::fleet::survey::HostQuery;

/// A site of three pages that say what no other site says.
fn small_site() -> Server {
    Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page(&ask.origin, &["/one", "/two"])),
        "/one" | "/two" => html(&page(&format!("{}{}", ask.origin, ask.path), &[])),
        _ => not_found(),
    })
}

fn asked_for_pages(server: &Server) -> usize {
    ["/", "/one", "/two"].iter().map(|path| server.log().count(path)).sum()
}

fn wish(crawl: &mut Crawl, wish: Wish, url: &str) {
    crawl.wishes = vec![(wish, url.to_owned())];
}

#[tokio::test]
async fn a_paused_site_is_asked_nothing_until_it_is_resumed() {
    let (site, other) = (small_site(), small_site());
    let mut crawl = Crawl::of(&[site.url("/"), other.url("/")]);
    wish(&mut crawl, Wish::Pause, &site.url("/anything"));
    crawl.run().await;
    // What it allows may have been asked before the command came.
    assert_eq!((asked_for_pages(&site), asked_for_pages(&other)), (0, 3));
    let asked = site.log().requests.len();
    crawl.run().await;
    assert_eq!(site.log().requests.len(), asked, "it is remembered");
    wish(&mut crawl, Wish::Resume, &site.url("/"));
    crawl.run().await;
    assert_eq!(asked_for_pages(&site), 3);
}

#[tokio::test]
async fn a_removed_site_is_forgotten_until_it_is_added_again() {
    let (site, other) = (small_site(), small_site());
    let mut crawl = Crawl::of(&[site.url("/"), other.url("/")]);
    crawl.run().await;
    assert_eq!((crawl.indexed().len(), asked_for_pages(&site)), (6, 3));
    wish(&mut crawl, Wish::RemoveSite, &site.url("/"));
    crawl.run().await;
    assert_eq!(crawl.indexed().len(), 3);
    assert_eq!(crawl.state_of(&site.url("/one")), Some(Known::Excluded));
    let asked = asked_for_pages(&site);
    crawl.run().await;
    assert_eq!((crawl.indexed().len(), asked_for_pages(&site)), (3, asked), "it stays out");
    wish(&mut crawl, Wish::AddSite, &site.url("/"));
    crawl.run().await;
    assert_eq!((crawl.indexed().len(), asked_for_pages(&site)), (6, asked + 3));
}

/// What was removed and is added at once is visited when the catalogue knows that it was removed, so that it is indexed again.
#[tokio::test]
async fn of_a_page_or_site_removed_and_added_at_once_the_last_word_holds() {
    let site = small_site();
    let mut crawl = Crawl::of(&[site.url("/")]);
    crawl.run().await;
    for (remove, add) in [(Wish::Remove, Wish::Add), (Wish::RemoveSite, Wish::AddSite)] {
        crawl.wishes = [remove, add].map(|wish| (wish, site.url("/one"))).to_vec();
        crawl.run().await;
        assert_eq!(crawl.indexed().len(), 3, "{remove:?}");
        crawl.wishes = [add, remove].map(|wish| (wish, site.url("/one"))).to_vec();
        crawl.run().await;
        assert_eq!(crawl.state_of(&site.url("/one")), Some(Known::Excluded), "{remove:?}");
        wish(&mut crawl, add, &site.url("/one"));
        crawl.run().await;
        assert_eq!(crawl.indexed().len(), 3, "{remove:?}");
    }
}

/// Pages outside of the scope are taken up when it is widened, and those that `robots.txt` keeps out are not asked for.
#[tokio::test]
async fn a_wider_scope_brings_back_what_a_narrower_one_left_out() {
    let site = Server::start(|ask| match ask.path.as_str() {
        "/robots.txt" => answer(200, "", "User-agent: *\nDisallow: /two"),
        "/" => html(&page(&ask.origin, &["/one", "/two"])),
        "/one" => html(&page(&format!("{}{}", ask.origin, ask.path), &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[site.url("/")]);
    crawl.run().await;
    crawl.rules.max_depth = Some(0);
    crawl.run().await;
    assert_eq!(crawl.state_of(&site.url("/one")), Some(Known::Excluded));
    crawl.rules.max_depth = None;
    crawl.run().await;
    assert!(crawl.is_indexed(&site.url("/one")));
    assert_eq!(crawl.state_of(&site.url("/two")), Some(Known::Excluded));
}

#[tokio::test]
async fn an_added_site_is_crawled_as_if_it_were_a_seed() {
    let (site, other) = (small_site(), small_site());
    let mut crawl = Crawl::of(&[site.url("/")]);
    wish(&mut crawl, Wish::AddSite, &other.url("/"));
    crawl.run().await;
    assert_eq!(crawl.indexed().len(), 6);
    let later = PageUrl::parse(&other.url("/later")).unwrap();
    assert!(crawl.state().examiner.scope.judge(&later, 1).is_take(), "also after a restart");
    let mut alone = Crawl::of(&[site.url("/")]);
    wish(&mut alone, Wish::Add, &other.url("/"));
    alone.run().await;
    assert_eq!(alone.indexed().len(), 4, "a page that is added does not bring its site");
}

#[tokio::test]
async fn a_site_may_have_a_limit_of_its_own() {
    let (site, other) = (small_site(), small_site());
    let mut crawl = Crawl::of(&[site.url("/"), other.url("/")]);
    wish(&mut crawl, Wish::MostPages(Some(2)), &site.url("/"));
    crawl.run().await;
    assert_eq!((asked_for_pages(&site), asked_for_pages(&other)), (2, 3));
}

#[tokio::test]
async fn weights_of_commands_go_before_those_of_the_configuration() {
    let site = small_site();
    let mut crawl = Crawl::of(&[site.url("/")]);
    crawl.settings.weights = crate::scope::Weights::new(&[("/one".to_owned(), 9.0)]).unwrap();
    let weights = |crawl: &Crawl| {
        let catalogue = SqliteCatalogue::read(&crawl.catalogue()).unwrap();
        ["/", "/one"].map(|path| catalogue.find(&site.url(path)).unwrap().unwrap().standing.weight)
    };
    crawl.run().await;
    assert_eq!(weights(&crawl), [1.0, 9.0]);
    wish(&mut crawl, Wish::Weight(Some(5.0)), &site.url("/"));
    crawl.run().await;
    assert_eq!(weights(&crawl), [5.0, 5.0]);
    assert_eq!(crawl.state().frontier.weight(freshness::PageId(1)), 5.0, "also after a restart");
    wish(&mut crawl, Wish::Weight(None), &site.url("/"));
    crawl.run().await;
    assert_eq!(weights(&crawl), [1.0, 9.0]);
    wish(&mut crawl, Wish::Weight(Some(5.0)), "re:(");
    crawl.run().await;
    assert_eq!(weights(&crawl), [1.0, 9.0], "a pattern that is none changes nothing");
    crawl.settings.weights = crate::scope::Weights::new(&[("/one".to_owned(), 3.0)]).unwrap();
    crawl.run().await;
    assert_eq!(weights(&crawl), [1.0, 3.0], "the catalogue hears of another configuration");
    crawl.settings.weights = crate::scope::Weights::default();
    crawl.run().await;
    assert!(weights(&crawl)[1] < 2.0, "also of one without the pattern");
}

#[test]
fn a_delay_holds_unless_the_site_asks_for_more() {
    let crawl = Crawl::of(&["http://site.example/".to_owned()]);
    drop(SqliteCatalogue::open(&crawl.catalogue()).unwrap());
    let mut state = crawl.state();
    let url = PageUrl::parse("http://site.example/").unwrap();
    state.seed(std::slice::from_ref(&url), now());
    let host = freshness::HostId(0);
    state.frontier.rules(host, f64::INFINITY, Some(3.0));
    for (own, delay) in [(Some(1.0), 3.0), (Some(5.0), 5.0), (None, 3.0)] {
        state.command(Wish::Delay(own), url.as_str(), now());
        assert_eq!(state.frontier.delay_of(host), delay);
    }
    state.frontier.rules(host, f64::INFINITY, None);
    assert_eq!(state.frontier.delay_of(host), 0.0);
}

#[tokio::test]
async fn trouble_is_told_in_words_until_it_is_over() {
    let site = Server::start(|ask| match ask.path.as_str() {
        "/robots.txt" if ask.before < 3 => answer(503, "", ""),
        "/" => html(&page("/", &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[site.url("/")]);
    let told = |crawl: &Crawl| {
        let (total, hosts) = crawl.state().survey_hosts(&HostQuery { limit: 9, ..HostQuery::default() });
        assert_eq!(total, 1);
        hosts[0].trouble.clone()
    };
    crawl.run().await;
    assert!(told(&crawl).is_some_and(|words| words.contains("robots.txt cannot be had")), "{:?}", told(&crawl));
    tokio::time::sleep(Duration::from_millis(400)).await;
    crawl.run().await;
    assert_eq!(told(&crawl), None);
}

#[test]
fn rules_that_make_no_sense_are_none() {
    use crate::fleet::{Presence, SiteRules};
    for note in [None, Some(""), Some("[]"), Some("{\"sites\": 3}")] {
        assert_eq!(SiteRules::read(note), SiteRules::default());
    }
    let rules = SiteRules::read(Some(r#"{"sites": {"http://a.example": {"presence": "paused"}}, "later": 1}"#));
    assert_eq!(rules.of("http://a.example").presence, Presence::Paused);
    assert_eq!(rules.of("http://b.example").presence, Presence::Crawled);
}
