use proptest::prelude::*;

use super::*;

const NOVEMBER: i64 = 784_111_777;

#[test]
fn the_three_http_forms_name_the_same_moment() {
    for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
        assert_eq!(parse(text), Some(NOVEMBER), "{text}");
    }
    assert_eq!(http(NOVEMBER), "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(http(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

#[test]
fn feed_dates_are_read_leniently() {
    for text in [
        "Sun, 06 Nov 1994 09:49:37 +0100",
        "06 Nov 94 08:49:37 UT",
        "Sun, 6 Nov 1994 03:49:37 EST",
        "Sunday, 6 November 1994 00:49:37 -0800",
        "November 6, 1994 08:49:37",
        " 6 nov 1994 8:49:37 z ",
    ] {
        assert_eq!(parse(text), Some(NOVEMBER), "{text}");
    }
    assert_eq!(parse("06 Nov 1994 08:49 GMT"), Some(NOVEMBER - 37));
    assert_eq!(parse("06 Nov 1994"), Some(NOVEMBER - 37 - 49 * 60 - 8 * 3600));
}

#[test]
fn w3c_dates_in_every_partial_form() {
    let midnight = NOVEMBER - 37 - 49 * 60 - 8 * 3600;
    for (text, expected) in [
        ("1994-11-06T08:49:37Z", NOVEMBER),
        ("1994-11-06T08:49:37.123Z", NOVEMBER),
        ("1994-11-06T09:49:37+01:00", NOVEMBER),
        ("1994-11-06T09:49:37+0100", NOVEMBER),
        ("1994-11-06 08:49:37", NOVEMBER),
        ("1994-11-06t08:49:37z", NOVEMBER),
        ("1994-11-06T08:49Z", NOVEMBER - 37),
        ("1994-11-06", midnight),
        ("19941106", midnight),
        ("1994-11", midnight - 5 * DAY),
        ("1994", 757_382_400),
        ("1970-01-01T00:00:00-00:30", 1800),
        ("2016-12-31T23:59:60Z", 1_483_228_799),
        ("2024-02-29", 1_709_164_800),
    ] {
        assert_eq!(parse(text), Some(expected), "{text}");
    }
}

#[test]
fn what_is_no_date_is_refused() {
    for text in [
        "",
        "yesterday",
        "12",
        "01/02/2024",
        "1994-13-01",
        "1994-02-30",
        "2023-02-29",
        "1994-11-06T25:00",
        "1994-11-06T08",
        "1994-11-06-07",
        "Sun, 31 Feb 1994 00:00:00 GMT",
        "6 Nov",
        "-1994-11-06",
        "1994-11-06T08:49:37+99:00",
        "１９９４",
        "99999-01-01",
        "1 2 3 4 5",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_string_is_read_without_panic(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn strings_that_look_like_dates_are_read_without_panic(text in "[0-9TZ:., +JanFebGM-]{0,40}") {
        let _ = parse(&text);
    }

    #[test]
    fn a_written_date_reads_back(seconds in FIRST..=LAST) {
        prop_assert_eq!(parse(&http(seconds)), Some(seconds));
    }

    #[test]
    fn days_and_civil_are_inverse(day in -719_528i64..2_932_896) {
        let (year, month, dom) = civil(day);
        prop_assert_eq!(days(year, month, dom), day);
    }
}
