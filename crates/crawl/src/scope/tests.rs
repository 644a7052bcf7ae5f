use proptest::prelude::*;

use super::*;

fn page(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

fn scope(seeds: &[&str], rules: ScopeRules) -> Scope {
    let seeds: Vec<PageUrl> = seeds.iter().map(|seed| page(seed)).collect();
    Scope::new(&seeds, &rules).unwrap()
}

fn reach(reach: Reach) -> ScopeRules {
    ScopeRules { reach, ..ScopeRules::default() }
}

#[track_caller]
fn takes(scope: &Scope, urls: &[&str]) {
    for url in urls {
        assert_eq!(scope.judge(&page(url), 1), Verdict::Take, "{url}");
    }
}

#[track_caller]
fn skips(scope: &Scope, reason: &Reason, urls: &[&str]) {
    for url in urls {
        assert_eq!(scope.judge(&page(url), 1), Verdict::Skip(reason.clone()), "{url}");
    }
}

#[test]
fn by_default_the_hosts_of_the_seeds() {
    let scope = scope(&["https://www.example.org/docs/", "http://other.net:8080/"], ScopeRules::default());
    takes(&scope, &["https://www.example.org/", "http://example.org/a?b", "http://other.net:8080/x"]);
    let elsewhere =
        ["https://docs.example.org/", "http://other.net/", "https://example.org:444/", "http://example.org.evil.net/"];
    skips(&scope, &Reason::OtherHost, &elsewhere);
    assert_eq!(scope.site(&page("https://www.example.org/docs/")), "example.org");
}

#[test]
fn a_domain_has_many_hosts() {
    let scope = scope(&["https://docs.example.co.uk/"], reach(Reach::Domain));
    takes(&scope, &["http://example.co.uk/", "https://a.b.example.co.uk:99/"]);
    skips(&scope, &Reason::OtherDomain, &["https://other.co.uk/", "https://badexample.co.uk/"]);
    assert_eq!(scope.site(&page("http://a.b.example.co.uk/")), "example.co.uk");
}

#[test]
fn a_prefix_is_the_folder_of_a_seed() {
    let scope = scope(&["https://e.org/3/library/index.html?x=/y/", "https://e.org/3/faq/"], reach(Reach::Prefix));
    takes(&scope, &["https://e.org/3/library/", "http://www.e.org/3/library/a/b", "https://e.org/3/faq/a"]);
    skips(
        &scope,
        &Reason::OutsidePrefix,
        &["https://e.org/3/", "https://e.org/3/faq", "https://e.org/?/3/faq/", "http://f.org/3/faq/"],
    );
}

#[test]
fn anywhere_is_anywhere() {
    takes(&scope(&["https://e.org/"], reach(Reach::Anywhere)), &["http://1.2.3.4/", "https://other.example/"]);
}

#[test]
fn patterns_include_and_exclude() {
    let include = ["/blog/*", "https://e.org/about$", "re:/20[0-9]{2}/"].map(String::from).to_vec();
    let exclude = ["/*?print=", "*.php$", "re:(?i)/PRIVATE/"].map(String::from).to_vec();
    let scope = scope(&["https://e.org/"], ScopeRules { include, exclude, ..ScopeRules::default() });
    takes(&scope, &["https://e.org/", "https://e.org/blog/a", "https://e.org/about", "https://e.org/x/2024/y"]);
    skips(&scope, &Reason::NotIncluded, &["https://e.org/blog", "https://e.org/about/us", "https://e.org/x/1999/"]);
    let excluded = |pattern: &str| Reason::Excluded { pattern: pattern.into() };
    skips(&scope, &excluded("/*?print="), &["https://e.org/blog/a?print=1"]);
    skips(&scope, &excluded("*.php$"), &["https://e.org/blog/a.php"]);
    skips(&scope, &excluded("re:(?i)/PRIVATE/"), &["https://e.org/blog/private/"]);
}

#[test]
fn patterns_compare_as_addresses_do() {
    let exclude = vec!["/z\u{fc}rich".to_owned(), "/%7ejoe".to_owned()];
    let scope = scope(&["https://e.org/"], ScopeRules { exclude, ..ScopeRules::default() });
    for url in ["https://e.org/z%c3%bcrich/x", "https://e.org/~joe/"] {
        assert!(!scope.judge(&page(url), 1).is_take(), "{url}");
    }
}

#[test]
fn the_first_pattern_that_matches_gives_the_weight() {
    let written = [("/blog/*", 3.0), ("re:/20[0-9]{2}/", 0.5), ("http://e.org/", 2.0), ("*.php$", 0.0)];
    let weights = Weights::new(&written.map(|(pattern, weight)| (pattern.to_owned(), weight))).unwrap();
    let cases = [
        ("https://e.org/blog/2024/", 3.0),
        ("https://e.org/a/2024/", 0.5),
        ("http://e.org/a/2024/", 0.5),
        ("http://e.org/a.php", 2.0),
        ("https://e.org/a.php", 0.0),
        ("https://e.org/a.php?b", 1.0),
        ("https://e.org/x?u=/blog/", 1.0),
    ];
    for (url, weight) in cases {
        assert_eq!(weights.fixed(&page(url)).unwrap_or(1.0), weight, "{url}");
    }
    assert_eq!(Weights::default().fixed(&page("https://e.org/")), None);
    assert_eq!(weights, weights.clone());
    assert_ne!(weights, Weights::new(&[("/blog/*".to_owned(), 3.0)]).unwrap());
    assert!(Weights::new(&[("blog".to_owned(), 1.0)]).is_err());
}

#[test]
fn wrong_patterns_are_explained() {
    let error = |pattern: &str| {
        let rules = ScopeRules { include: vec![pattern.to_owned()], ..ScopeRules::default() };
        Scope::new(&[], &rules).unwrap_err().to_string()
    };
    assert_eq!(error("docs/"), "begin the pattern \"docs/\" with /, *, http://, https:// or re:");
    assert!(error("re:(").starts_with("the pattern re:( is no regular expression: "));
    assert!(error("re:(a{1000}){1000}").contains("size limit"));
}

#[test]
fn depth_and_pages_are_limited() {
    let rules = ScopeRules { max_depth: Some(2), max_pages_per_site: Some(10), ..ScopeRules::default() };
    let scope = scope(&["https://e.org/seed"], rules);
    assert!(scope.judge(&page("https://e.org/a"), 2).is_take());
    let reason = Reason::TooDeep { depth: 3, limit: 2 };
    assert_eq!(reason.to_string(), "3 links away from a seed, more than 2");
    assert_eq!(scope.judge(&page("https://e.org/a"), 3), Verdict::Skip(reason));
    assert!(scope.judge(&page("https://e.org/seed"), 3).is_take());
    assert!(scope.judge_site(9).is_take());
    assert_eq!(scope.judge_site(10), Verdict::Skip(Reason::SiteFull { limit: 10 }));
}

#[test]
fn binaries_are_left_out_unless_asked_for() {
    let rules = ScopeRules { allow_extensions: vec![".SVG".to_owned()], ..ScopeRules::default() };
    let scope = scope(&["https://e.org/", "https://e.org/seed.zip"], rules);
    takes(&scope, &["https://e.org/a.svg", "https://e.org/a.pdf", "https://e.org/?f=a.zip", "https://e.org/seed.zip"]);
    skips(&scope, &Reason::Binary { extension: "zip" }, &["https://e.org/a.ZIP", "https://e.org/a.zip?x"]);
}

proptest! {
    #[test]
    fn any_pattern_and_address_can_be_judged(pattern in any::<String>(), path in any::<String>()) {
        let exclude = vec![format!("/{pattern}"), format!("http{pattern}")];
        let scope = scope(&["https://e.org/"], ScopeRules { exclude, ..ScopeRules::default() });
        if let Ok(page) = PageUrl::parse(&format!("https://e.org/{path}")) {
            let verdict = scope.judge(&page, 1);
            prop_assert_eq!(scope.judge(&page, 1), verdict);
        }
    }

    #[test]
    fn everything_below_a_seed_is_within_its_prefix(folder in "(/[a-z]{1,3}){0,3}/", rest in "[a-z/]{0,9}") {
        let seed = format!("https://e.org{folder}");
        let scope = scope(&[&seed], reach(Reach::Prefix));
        let (below, elsewhere) = (page(&format!("{seed}{rest}")), page(&format!("https://f.org{folder}{rest}")));
        prop_assert!(scope.judge(&below, 1).is_take());
        prop_assert!(!scope.judge(&elsewhere, 1).is_take());
    }
}
