use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn strip(first: u64, stride: i64, bytes: u64, mask: u32) -> Strip {
    Strip::new((first, stride as u64), bytes, mask, 64, Source::of(1))
}

/// Lanes and bytes.
fn bytes_of(strips: impl IntoIterator<Item = Strip>) -> BTreeSet<(u32, u64)> {
    let one = |strip: Strip| {
        let lane = strip.mask.trailing_zeros();
        (strip.first..strip.first + strip.bytes).map(move |byte| (lane, byte))
    };
    strips.into_iter().flat_map(|strip| strip.split()).flat_map(one).collect()
}

#[test]
fn neighbouring_lanes_are_one_region() {
    let coalesced = strip(4096, 4, 4, u32::MAX);
    assert!(coalesced.is_dense());
    assert_eq!(coalesced.hull(), (4096, 4224));
    assert_eq!(coalesced.as_region().thread, 64 + 31);
    assert!(strip(4096, -4, 4, 0xff00).is_dense());
    assert_eq!(strip(4096, -4, 4, 0xff00).hull(), (4096 - 60, 4096 - 28));
    assert!(!strip(4096, 4, 4, 0b101).is_dense());
    assert!(!strip(4096, 8, 4, u32::MAX).is_dense());
    assert!(strip(4096, 0, 4, 0b101).is_dense());
    let alone = strip(4096, 4, 4, 1 << 5);
    assert_eq!((alone.first, alone.stride, alone.is_dense()), (4096 + 20, 0, true));
}

#[test]
fn lanes_that_all_go_on_are_merged() {
    let (one, next) = (strip(0, 64, 4, u32::MAX), strip(4, 64, 4, u32::MAX));
    let (both, grows) = one.merged(&next).expect("neighbours");
    assert_eq!((both.first, both.bytes, grows), (0, 8, true));
    let (same, grows) = both.merged(&next).expect("it is inside");
    assert_eq!((same.first, same.bytes, grows), (0, 8, false));
    assert!(one.merged(&strip(4, 64, 4, 0xffff)).is_none(), "other lanes");
    assert!(one.merged(&strip(4, 32, 4, u32::MAX)).is_none(), "another distance");
    assert!(one.merged(&strip(5, 64, 4, u32::MAX)).is_none(), "a byte between");
}

proptest! {
    #[test]
    fn merging_keeps_the_bytes_of_each_lane(
        first in 3000..3100_u64,
        other in 3000..3100_u64,
        stride in -8..8_i64,
        sizes in (1..9_u64, 1..9_u64),
        mask in 1..=u32::MAX,
    ) {
        let (one, next) = (strip(first, stride, sizes.0, mask), strip(other, stride, sizes.1, mask));
        if let Some((both, grows)) = one.merged(&next) {
            prop_assert_eq!(bytes_of([both]), bytes_of([one, next]));
            prop_assert_eq!(grows, bytes_of([both]) != bytes_of([one]));
        }
        let region = one.as_region();
        let bytes: BTreeSet<u64> = bytes_of([one]).into_iter().map(|(_, byte)| byte).collect();
        prop_assert!(bytes.iter().all(|byte| (region.start..region.end).contains(byte)));
        prop_assert!(!one.is_dense() || bytes.len() as u64 == region.end - region.start);
    }

    #[test]
    fn scattered_regions_keep_the_bytes_of_each_lane(
        rows in proptest::collection::vec((0..3_usize, 0..40_u64, 1..9_u64, 0..3_u32), 1..20),
        search in 0..4_u32,
    ) {
        let places = [[1000, 1500, 1100], [2000, 1040, 1300], [1000, 1508, 1100]];
        let mut set = ScatteredSet::default();
        let mut expected = BTreeSet::new();
        for (place, ahead, bytes, site) in rows {
            let addresses = places[place].map(|address: u64| address + ahead);
            set.insert(&addresses, bytes, 0b1101, 32, Source::of(site), search);
            for (lane, address) in [0, 2, 3].into_iter().zip(addresses) {
                expected.extend((address..address + bytes).map(|byte| (lane, byte)));
            }
        }
        prop_assert_eq!(bytes_of(set.strips()), expected.clone());
        let mut again = ScatteredSet::default();
        again.append(&set);
        again.append(&set);
        prop_assert_eq!(bytes_of(again.strips()), expected);
        for ((start, end), strips) in again.ranges() {
            let inside = |strip: Strip| start <= strip.first && strip.first + strip.bytes <= end;
            prop_assert!(strips.into_iter().all(inside));
        }
    }
}
