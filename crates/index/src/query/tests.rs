use proptest::prelude::*;
use store::Timestamp;

use super::{Clause, Day, LONGEST_QUERY, MOST_TERMS, Note, Query, Term, What};

fn parsed(text: &str) -> Query {
    Query::parse(text).0
}

fn one(negated: bool, what: What) -> Clause {
    Clause { alternatives: vec![Term { negated, what }] }
}

#[test]
fn every_operator_is_understood() {
    let (query, notes) = Query::parse(
        r#"fresh "web crawl" site:https://Docs.Example.org/x lang:DE-at intitle:index inurl:"a b" before:2026-03-04 after:2025 -old"#,
    );
    assert_eq!(notes, []);
    assert_eq!(
        query.clauses,
        [
            one(false, What::Word("fresh".into())),
            one(false, What::Phrase("web crawl".into())),
            one(false, What::Site("docs.example.org".into())),
            one(false, What::Language("de".into())),
            one(false, What::InTitle("index".into())),
            one(false, What::InUrl("a b".into())),
            one(false, What::Before(Day::parse("2026-03-04").unwrap())),
            one(false, What::After(Day::parse("2025").unwrap())),
            one(true, What::Word("old".into())),
        ]
    );
}

#[test]
fn or_binds_its_neighbours() {
    let query = parsed("a OR -b OR \"c d\" e");
    assert_eq!(query.clauses.len(), 2);
    assert_eq!(query.clauses[0].alternatives.len(), 3);
    assert!(query.clauses[0].alternatives[1].negated);
    assert_eq!(query.clauses[0].alternatives[2].what, What::Phrase("c d".into()));
    assert_eq!(parsed("OR a OR").clauses.len(), 3);
    assert_eq!(parsed("a OR OR b").clauses.len(), 4);
    assert_eq!(parsed("a or b").clauses.len(), 3);
}

#[test]
fn odd_input_is_searched_as_words_and_said_so() {
    let (query, notes) = Query::parse("before:yesterday lang:klingon site: http://x.y/z");
    assert_eq!(
        query.clauses,
        [
            one(false, What::Word("before:yesterday".into())),
            one(false, What::Word("lang:klingon".into())),
            one(false, What::Word("site:".into())),
            one(false, What::Word("http://x.y/z".into())),
        ]
    );
    assert_eq!(notes.len(), 3);
    let notes = |text: &str| Query::parse(text).1;
    assert_eq!(notes("har* foo:bar"), ["har*", "foo:bar"].map(|part| Note::SearchedAsWords(part.to_owned())));
    assert_eq!(notes("std::vec 12:30 a:b * \"x*\" C*").len(), 1);
    let (query, notes) = Query::parse("\"open quote");
    assert_eq!(query.clauses.len(), 2);
    assert_eq!(notes, [Note::OpenQuote]);
    assert_eq!(parsed("“typographic quotes”").clauses, [one(false, What::Phrase("typographic quotes".into()))]);
    assert_eq!(parsed("\"\" - \0").clauses, [one(false, What::Word("-".into()))]);
}

#[test]
fn long_queries_are_cut_and_said_so() {
    let (query, notes) = Query::parse(&"word ".repeat(500));
    assert_eq!(query.clauses.len(), MOST_TERMS);
    assert_eq!(notes, [Note::Cut]);
    let (query, notes) = Query::parse(&"ü".repeat(LONGEST_QUERY));
    assert_eq!(query.to_string().len(), LONGEST_QUERY);
    assert_eq!(notes, [Note::Cut]);
}

#[test]
fn days_are_moments() {
    let start = |text| Day::parse(text).unwrap().start();
    assert_eq!(start("1970"), Timestamp(0));
    assert_eq!(start("2000-03-01"), Timestamp(951_868_800_000));
    assert_eq!(start("2026-01"), Timestamp(1_767_225_600_000));
    assert_eq!(start("1969-12-31"), Timestamp(-86_400_000));
    for wrong in
        ["", "26", "2026-13", "2026-00", "2026-02-29", "1900-02-29", "2026-1-1", "2026-01-01-01", "2026-", "+026"]
    {
        assert_eq!(Day::parse(wrong), None, "{wrong}");
    }
    assert!(Day::parse("2024-02-29").is_some() && Day::parse("2000-02-29").is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// A query that was understood is printed as text that is understood as the same query.
    #[test]
    fn printed_queries_mean_the_same(
        text in "\\PC{0,80}|([-:\" ]|OR|a|B|site:|lang:|intitle:|inurl:|before:|after:|de|2026|-01|x\\.y|://|/|“){0,30}"
    ) {
        let (query, _) = Query::parse(&text);
        let printed = query.to_string();
        prop_assert_eq!(Query::parse(&printed).0, query, "{}", printed);
    }

    /// Days follow each other without hole.
    #[test]
    fn each_day_follows_the_one_before(year in 1900..2200_u16, month in 1..=12_u8, day in 1..=28_u8) {
        let start = Day::parse(&format!("{year:04}-{month:02}-{day:02}")).unwrap().start();
        let next = Day::parse(&format!("{year:04}-{month:02}-{:02}", day + 1));
        let first = if month == 12 { format!("{:04}-01-01", year + 1) } else { format!("{year:04}-{:02}-01", month + 1) };
        let next = next.unwrap_or_else(|| Day::parse(&first).unwrap());
        prop_assert_eq!(next.start().0 - start.0, 86_400_000);
    }
}
