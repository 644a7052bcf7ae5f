use proptest::prelude::*;

use super::{of_places, shortest_window};

#[test]
fn words_in_a_row_are_closest() {
    assert_eq!(of_places(&[(3, 1), (7, 0), (8, 1)], 2), 1.0);
    assert_eq!(of_places(&[(7, 1), (8, 0)], 2), 0.8);
    assert_eq!(of_places(&[(0, 0), (3, 1)], 2), 0.4);
    assert_eq!(of_places(&[(0, 0)], 2), 0.0);
}

proptest! {
    /// As found by trying all stretches.
    #[test]
    fn the_shortest_window_is_the_shortest(places in prop::collection::btree_set((0..40_u32, 0..3_usize), 0..12)) {
        let places: Vec<(u32, usize)> = places.into_iter().collect();
        let mut best = None;
        for (start, &(from, _)) in places.iter().enumerate() {
            for (end, &(to, _)) in places.iter().enumerate().skip(start) {
                let all = (0..3).all(|word| places[start..=end].iter().any(|place| place.1 == word));
                let length = to - from + 1;
                if all && best.is_none_or(|best| length < best) {
                    best = Some(length);
                }
            }
        }
        prop_assert_eq!(shortest_window(&places, 3), best);
    }
}
