use proptest::prelude::*;

use super::*;

const NOINDEX: Directives = Directives { noindex: true, nofollow: false, noarchive: false, unavailable_after: None };
const NOFOLLOW: Directives = Directives { noindex: false, nofollow: true, noarchive: false, unavailable_after: None };
const NONE: Directives = Directives { noindex: true, nofollow: true, noarchive: false, unavailable_after: None };
const NOTHING: Directives = Directives { noindex: false, nofollow: false, noarchive: false, unavailable_after: None };

/// Two dates, one with a comma.
fn read_date(text: &str) -> Option<i64> {
    match text {
        "25 Jun 2010 15:00:00 PST" => Some(1_277_506_800),
        "Sunday, 01-Jan-34 00:00:00 GMT" => Some(2_019_686_400),
        _ => None,
    }
}

fn header(value: &str) -> Directives {
    Directives::from_header(value, "Oriole", read_date)
}

#[test]
fn meta_elements_are_read() {
    let meta = |content: &str| Directives::from_meta(content, read_date);
    assert_eq!(meta("noindex"), NOINDEX);
    assert_eq!(meta(" NoIndex ,NOFOLLOW"), NONE);
    assert_eq!(meta("none"), NONE);
    assert_eq!(meta("noindex nofollow"), NONE);
    assert_eq!(meta("noarchive"), Directives { noarchive: true, ..NOTHING });
    for nothing in ["", "all", "index, follow", "noindexing", "max-snippet:20", "no index", ",,,"] {
        assert_eq!(meta(nothing), NOTHING, "{nothing}");
    }
}

#[test]
fn headers_are_read_for_us_only() {
    assert_eq!(header("noindex"), NOINDEX);
    assert_eq!(header("oriole: nofollow"), NOFOLLOW);
    assert_eq!(header("otherbot: noindex, nofollow"), NOTHING);
    assert_eq!(header("noindex, otherbot: nofollow"), NOINDEX);
    assert_eq!(header("otherbot: noindex, oriole: nofollow"), NOFOLLOW);
    assert_eq!(header("max-image-preview: large, noindex"), NOINDEX);
}

#[test]
fn dates_may_have_commas() {
    let until = |end| Directives { unavailable_after: Some(end), ..NOTHING };
    assert_eq!(header("unavailable_after: 25 Jun 2010 15:00:00 PST"), until(1_277_506_800));
    assert_eq!(header("unavailable_after: Sunday, 01-Jan-34 00:00:00 GMT"), until(2_019_686_400));
    let more = header("nofollow, Unavailable_After: Sunday, 01-Jan-34 00:00:00 GMT, noindex");
    assert_eq!(more, Directives { unavailable_after: Some(2_019_686_400), ..NONE });
    assert_eq!(header("oriole: unavailable_after: 25 Jun 2010 15:00:00 PST"), until(1_277_506_800));
    assert_eq!(header("otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST"), NOTHING);
    assert_eq!(header("unavailable_after: soon, noindex"), NOINDEX);
    assert_eq!(until(5).and(until(3)).and(NOTHING), until(3));
    assert!(until(5).may_index(4) && !until(5).may_index(5) && !NOINDEX.may_index(0) && NOFOLLOW.may_index(0));
}

#[test]
fn long_values_are_cut() {
    assert_eq!(header(&format!("{}noindex", ", ".repeat(MAX_VALUE))), NOTHING);
    assert_eq!(header(&format!("noindex{}", "\u{e9}".repeat(MAX_VALUE))), NOTHING);
    assert_eq!(header(&format!("noindex,{}", "\u{e9}".repeat(MAX_VALUE))), NOINDEX);
}

fn any_directives() -> impl Strategy<Value = Directives> {
    (any::<[bool; 3]>(), any::<Option<i64>>()).prop_map(|([noindex, nofollow, noarchive], unavailable_after)| {
        Directives { noindex, nofollow, noarchive, unavailable_after }
    })
}

proptest! {
    #[test]
    fn any_text_is_read(
        text in any::<String>(),
        parts in prop::collection::vec(prop::sample::select(vec!["unavailable_after", ":", ",", " ", "oriole", "a", "none"]), 0..9),
    ) {
        for value in [text, parts.concat()] {
            let found = header(&value);
            prop_assert_eq!(header(&format!("{value}, oriole: noindex")), found.and(NOINDEX));
            // A value that names no crawler says the same to everyone.
            let is_general = !value.contains(':');
            prop_assert!(!is_general || found == Directives::from_meta(&value, read_date));
        }
    }

    #[test]
    fn combining_has_no_order(a in any_directives(), b in any_directives(), c in any_directives(), now in any::<i64>()) {
        prop_assert_eq!(a.and(b), b.and(a));
        prop_assert_eq!(a.and(b).and(c), a.and(b.and(c)));
        prop_assert_eq!(a.and(a), a);
        prop_assert_eq!(a.and(b).may_index(now), a.may_index(now) && b.may_index(now));
    }
}
