use super::*;

fn pages(numbers: &[(u32, i64)]) -> Vec<(PageId, Timestamp)> {
    numbers.iter().map(|(page, at)| (PageId(*page), Timestamp(*at))).collect()
}

#[test]
fn every_kind_of_difference() {
    let wanted = pages(&[(1, 10), (2, 20), (3, 30), (4, 40)]).into_iter().collect();
    let has = pages(&[(4, 40), (2, 21), (9, 1), (4, 40), (9, 1), (1, 10)]);
    let difference = Difference::between(wanted, has.into_iter());
    assert_eq!(difference.missing, [PageId(3)]);
    assert_eq!(difference.other, [PageId(2)]);
    assert_eq!(difference.extra, [PageId(9)]);
    assert_eq!(difference.repeated, [PageId(4), PageId(9)]);
    assert_eq!(difference.to_be_indexed(), [2, 3, 4].map(PageId));
    let later = Difference { missing: vec![PageId(3), PageId(5)], ..Difference::default() };
    assert_eq!(difference.clone().lasting(&later), Difference { missing: vec![PageId(3)], ..Difference::default() });
    assert!(!difference.is_empty() && difference.lasting(&Difference::default()).is_empty());
}
