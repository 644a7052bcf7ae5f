use proptest::prelude::*;

use super::*;

/// A text of distinct words.
fn text(words: std::ops::Range<u32>) -> String {
    words.map(|number| format!("word{} ", number.wrapping_mul(2_654_435_761))).collect()
}

fn of(text: impl AsRef<str>) -> Fingerprint {
    Fingerprint::of(text.as_ref())
}

#[test]
fn a_fingerprint_is_the_same_in_every_version() {
    let known =
        of("Coffee is grown in more than seventy countries, and the way in which the beans are dried decides much.");
    assert_eq!(known.hash, GOLDEN_HASH);
    assert_eq!((known.simhash, known.words), (GOLDEN_SIMHASH, 19));
    let bytes: u64 = known.to_bytes().iter().fold(0, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    assert_eq!(bytes, GOLDEN_BYTES);
}

const GOLDEN_HASH: u128 = 77980253796937817521630971382676070459;
const GOLDEN_SIMHASH: u64 = 6053689681585352119;
const GOLDEN_BYTES: u64 = 13224603864125105203;

#[test]
fn white_space_does_not_count() {
    assert_eq!(of(" one two\n three\u{a0}four "), of("one  two three four"));
    assert_ne!(of("one two").hash, of("two one").hash);
    assert_ne!(of("onetwo").hash, of("one two").hash);
    assert_eq!(of(""), of(" \n"));
}

#[test]
fn the_share_of_a_change_is_estimated() {
    let before = of(text(0..2_000));
    for (share, tolerance) in [(0.01, 0.02), (0.05, 0.045), (0.2, 0.1), (0.5, 0.14), (1.0, 0.1)] {
        let replaced = (2_000.0 * share) as u32;
        let after = of(text(0..2_000 - replaced) + &text(10_000..10_000 + replaced));
        let found = before.share_changed(&after);
        assert!((found - share).abs() < tolerance, "{share}: {found}");
    }
    let longer = of(text(0..3_000));
    assert!((before.share_changed(&longer) - 0.2).abs() < 0.1);
}

/// The estimate over many texts has no bias beyond its standard error, and the stated error.
#[test]
fn the_estimate_is_right_on_average() {
    for (share, error) in [(0.05, 0.014), (0.2, 0.033)] {
        let found: Vec<f64> = (0..200)
            .map(|seed| {
                let start = 100_000 * (seed + 1);
                let replaced = (1_000.0 * share) as u32;
                let old = of(text(start..start + 1_000));
                old.share_changed(&of(
                    text(start..start + 1_000 - replaced) + &text(start + 50_000..start + 50_000 + replaced)
                ))
            })
            .collect();
        let mean = found.iter().sum::<f64>() / 200.0;
        let deviation = (found.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 199.0).sqrt();
        assert!((mean - share).abs() < 0.005, "mean {mean} of {share}");
        assert!((deviation / error - 1.0).abs() < 0.25, "deviation {deviation} at {share}");
    }
}

#[test]
fn changes_count_from_the_threshold_on() {
    let old = of(text(0..500));
    let small = of(text(0..500) + "and one more");
    let large = of(text(0..250) + &text(7_000..7_250));
    assert_eq!(Change::between(&old, &old, 0.0), Change::None);
    assert!(Change::between(&old, &small, 0.0).counts());
    assert!(matches!(Change::between(&old, &small, 0.05), Change::Minor { share } if share < 0.05));
    assert!(matches!(Change::between(&old, &large, 0.05), Change::Major { share } if share > 0.3));
    assert!(Change::between(&of(""), &old, 0.5).counts(), "from nothing to something is all");
}

#[test]
fn similar_texts_have_near_simhashes() {
    let page = of(text(0..2_000));
    let edited = of(text(0..2_000).replacen("word0 ", "changed ", 1));
    assert!(page.distance(&edited) <= 3, "{}", page.distance(&edited));
    let other = of(text(5_000..7_000));
    assert!(page.distance(&other) > 15);
    let japanese = "抹茶は、覆いをした茶園で育てた葉を蒸してから乾燥させ、石臼で細かく挽いたものです。覆いをすることで渋みが少なくなります。";
    assert!(of(japanese).words > 50, "characters count where there are no spaces");
    assert!(of(japanese).share_changed(&of(japanese.replace("渋み", "苦み"))) < 0.3);
}

#[test]
fn duplicates_are_found_and_forgotten() {
    let mut known = NearDuplicates::new();
    let page = of(text(0..2_000));
    let edited = of(text(0..2_000).replacen("word0 ", "changed ", 1));
    assert_eq!(known.admit(1, &page), None);
    assert_eq!(known.admit(2, &of(text(5_000..7_000))), None);
    assert_eq!(known.admit(3, &page), Some(Duplicate { page: 1, exact: true }));
    assert_eq!(known.admit(4, &edited), Some(Duplicate { page: 1, exact: false }));
    assert_eq!(known.len(), 2);
    assert!(!known.remove(3, &page));
    assert!(known.remove(1, &page) && !known.remove(1, &page));
    assert_eq!(known.admit(4, &edited), None);
    assert_eq!((known.len(), known.find(&page)), (2, Some(Duplicate { page: 4, exact: false })));
}

#[test]
fn lists_stay_right_through_many_changes() {
    let mut known = NearDuplicates::new();
    let text = |page: u32| with_simhash(finalize(u64::from(page % 1_000) << 40), u128::from(page));
    // Pages of the same simhash and different texts, added and removed in different orders.
    for page in 0..6_000 {
        known.insert(page, &text(page));
    }
    for page in (0..6_000).filter(|page| page % 3 != 1) {
        assert!(known.remove(page, &text(page)), "{page}");
    }
    assert_eq!(known.len(), 2_000);
    for page in 0..6_000 {
        let expected = (page % 3 == 1).then_some(Duplicate { page, exact: true });
        assert_eq!(known.find(&text(page)).filter(|found| found.exact), expected);
    }
    for page in (0..6_000).filter(|page| page % 3 == 1) {
        assert!(known.remove(page, &text(page)));
    }
    assert!(known.is_empty() && known.find(&text(1)).is_none());
}

#[test]
fn short_texts_are_duplicates_only_if_equal() {
    let mut known = NearDuplicates::new();
    assert_eq!(known.admit(1, &of("page not found")), None);
    assert_eq!(known.admit(2, &of("page not here")), None);
    assert_eq!(known.admit(3, &of("page  not found")), Some(Duplicate { page: 1, exact: true }));
}

/// A fingerprint with a simhash of our own.
fn with_simhash(simhash: u64, hash: u128) -> Fingerprint {
    Fingerprint { simhash, hash, words: 1_000, ..of("") }
}

#[test]
fn chains_made_on_purpose_stay_short() {
    let mut known = NearDuplicates::new();
    let start = std::time::Instant::now();
    // All share their lowest block, and no two are near.
    for page in 0..12_000u32 {
        known.admit(page, &with_simhash(finalize(page.into()) << 16, page.into()));
    }
    assert!(known.len() > 11_000);
    for page in 0..12_000u32 {
        known.remove(page, &with_simhash(finalize(page.into()) << 16, page.into()));
    }
    assert!(known.is_empty());
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
#[ignore = "measurement: cargo test --release -p crawl a_million_pages -- --ignored --nocapture"]
fn a_million_pages() {
    let mut known = NearDuplicates::new();
    for pages in [1_000_000u64, 10_000_000] {
        for page in known.len() as u64..pages {
            known.insert(page as u32, &with_simhash(finalize(page), page.into()));
        }
        let start = std::time::Instant::now();
        let found =
            (0..10_000).filter(|page| known.find(&with_simhash(finalize(*page) ^ 0x8010_0001, 0)).is_some()).count();
        println!("{pages} pages, {found} found, {:?} each", start.elapsed() / 10_000);
    }
    let page = text(0..1_800);
    let start = std::time::Instant::now();
    (0..1_000).for_each(|_| assert!(std::hint::black_box(of(&page)).words > 0));
    println!("fingerprint of {} bytes: {:?}", page.len(), start.elapsed() / 1_000);
}

proptest! {
    #[test]
    fn stored_fingerprints_read_back(text in "\\PC{0,200}") {
        let fingerprint = of(&text);
        prop_assert_eq!(Fingerprint::from_bytes(&fingerprint.to_bytes()), fingerprint);
    }

    #[test]
    fn shares_are_symmetric_and_bounded(one in "([a-e] ){0,60}", two in "([a-e] ){0,60}") {
        let (one, two) = (of(one), of(two));
        let share = one.share_changed(&two);
        prop_assert!((0.0..=1.0).contains(&share));
        prop_assert_eq!(share, two.share_changed(&one));
        prop_assert_eq!(one.share_changed(&one), 0.0);
    }

    #[test]
    fn pages_within_three_bits_are_found_and_no_others(
        pages in proptest::collection::vec(any::<u64>(), 1..40), chosen in any::<prop::sample::Index>(),
        flips in proptest::collection::btree_set(0..64u32, 0..6),
    ) {
        let mut known = NearDuplicates::new();
        for (page, simhash) in pages.iter().enumerate() {
            known.insert(page as u32, &with_simhash(*simhash, page as u128));
        }
        let query = flips.iter().fold(pages[chosen.index(pages.len())], |hash, bit| hash ^ 1 << bit);
        let nearest = pages.iter().map(|simhash| (simhash ^ query).count_ones()).min().unwrap();
        let found = known.find(&with_simhash(query, u128::MAX));
        match found {
            Some(found) => prop_assert_eq!((pages[found.page as usize] ^ query).count_ones(), nearest),
            None => prop_assert!(nearest > 3),
        }
    }
}
