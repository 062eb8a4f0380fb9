use super::super::regions::Source;
use super::*;
use proptest::prelude::*;

fn strip() -> impl Strategy<Value = Strip> {
    let stride = prop_oneof![Just(0_i64), -9..10_i64, Just(32), Just(-64)];
    (3000..3400_u64, stride, 1..20_u64, 1..=u32::MAX, 0..4_u32).prop_map(
        |(first, stride, bytes, mask, few)| {
            // Masks of all lanes, and of a few.
            let mask = match few {
                0 => u32::MAX,
                1 => 1 << (mask % 32),
                2 => mask & mask.rotate_left(7) | 1,
                _ => mask,
            };
            Strip::new((first, stride as u64), bytes, mask, 0, Source::of(0))
        },
    )
}

/// Every pair of lanes, one after the other.
fn plainly(first: &Strip, second: &Strip, which: Lanes) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for one in lanes(first.mask) {
        for other in lanes(second.mask) {
            let (here, there) = (first.address(one), second.address(other));
            let is_compared = which == Lanes::All || one != other;
            if is_compared && here < there + second.bytes && there < here + first.bytes {
                found.push((one, other));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn strips_overlap_where_lanes_do(first in strip(), second in strip()) {
        for which in [Lanes::All, Lanes::Different] {
            let expected = plainly(&first, &second, which);
            match overlap(&first, &second, which) {
                None => prop_assert!(expected.is_empty(), "{:?}", expected),
                Some(found) => {
                    prop_assert!(expected.contains(&found.lanes), "{found:?}");
                    let is_in = |strip: &Strip, lane| {
                        let start = strip.address(lane);
                        (start..start + strip.bytes).contains(&found.address)
                    };
                    prop_assert!(is_in(&first, found.lanes.0) && is_in(&second, found.lanes.1));
                }
            }
        }
    }
}

#[test]
fn numbers_between_two_others_are_exact() {
    for (low, high, factor) in (-9..9).flat_map(|low| {
        (-9..9).flat_map(move |high| [1, 2, 3, -1, -4].map(move |factor| (low, high, factor)))
    }) {
        let (from, to) = between(low, high, factor);
        let plainly: Vec<i64> =
            (-20..20).filter(|number| number * factor > low && number * factor < high).collect();
        assert_eq!((from..=to).collect::<Vec<_>>(), plainly, "{low} {high} {factor}");
    }
}
