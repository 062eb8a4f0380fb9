use super::super::regions::Source;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use warpsan_model::lanes;

fn item() -> impl Strategy<Value = Item> {
    let stride = prop_oneof![Just(0_u64), Just(4), Just(16), Just(132), 0..40_u64];
    let mask = prop_oneof![3 => Just(u32::MAX), 1 => 1..=u32::MAX, 2 => (0..32_u32).prop_map(|lane| 1 << lane)];
    (1000..9000_u64, stride, 1..9_u64, mask, 0..4_u32).prop_map(
        |(first, stride, bytes, mask, owner)| Item {
            strip: Strip::new((first, stride), bytes, mask, owner * 32, Source::of(owner)),
            owner,
        },
    )
}

fn conflicts(first: &Item, second: &Item, among: Among) -> bool {
    lanes(first.strip.mask).any(|one| {
        lanes(second.strip.mask).any(|other| {
            let is_compared = match among {
                Among::Threads => (first.owner, one) != (second.owner, other),
                Among::Blocks => first.owner != second.owner,
            };
            let (here, there) = (first.strip.address(one), second.strip.address(other));
            is_compared && here < there + second.strip.bytes && there < here + first.strip.bytes
        })
    })
}

type Pairs = BTreeSet<(u32, u32)>;

fn pair(first: &Item, second: &Item) -> (u32, u32) {
    (first.owner.min(second.owner), first.owner.max(second.owner))
}

/// The owners of conflicting writes, and those of writes and reads, without any cleverness.
fn plainly(writes: &[Item], reads: &[Item], among: Among) -> [Pairs; 2] {
    let mut found = [Pairs::new(), Pairs::new()];
    for (number, write) in writes.iter().enumerate() {
        let others = writes[number..].iter().filter(|other| conflicts(write, other, among));
        found[0].extend(others.map(|other| pair(write, other)));
        let reads = reads.iter().filter(|read| conflicts(write, read, among));
        found[1].extend(reads.map(|read| pair(write, read)));
    }
    found
}

fn cleverly(writes: &[Item], reads: &[Item], among: Among) -> ([Pairs; 2], CheckCounts) {
    let mut all = Writes::new(among);
    let mut found = [Pairs::new(), Pairs::new()];
    // Twice, since everything is to be used again.
    for _ in 0..2 {
        found = [Pairs::new(), Pairs::new()];
        all.clear();
        writes.iter().for_each(|item| all.add(item.strip, item.owner));
        all.prepare();
        let ends = all.compressed.windows(2).all(|pair| pair[0].end < pair[1].start);
        assert!(ends, "the compressed set is in order");
        all.with_each_other(|first, second, at| {
            assert!(
                overlaps(first, at.address, at.lanes.0) && overlaps(second, at.address, at.lanes.1)
            );
            found[0].insert(pair(first, second));
        });
        for read in reads {
            all.with_read(read, |write, read, at| {
                assert!(
                    overlaps(write, at.address, at.lanes.0)
                        && overlaps(read, at.address, at.lanes.1)
                );
                found[1].insert(pair(write, read));
            });
        }
    }
    (found, all.counts)
}

fn overlaps(item: &Item, address: u64, lane: u32) -> bool {
    let start = item.strip.address(lane);
    item.strip.mask >> lane & 1 == 1 && (start..start + item.strip.bytes).contains(&address)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn conflicts_are_those_of_all_pairs(
        writes in proptest::collection::vec(item(), 0..24),
        reads in proptest::collection::vec(item(), 0..12),
    ) {
        for among in [Among::Threads, Among::Blocks] {
            let expected = plainly(&writes, &reads, among);
            prop_assert_eq!(cleverly(&writes, &reads, among).0, expected);
        }
    }
}

/// Columns of a matrix, a warp each.
fn columns(count: u32, of: impl Fn(u32) -> u64) -> Vec<Item> {
    let column = |owner: u32| Item {
        strip: Strip::new((of(owner), 4096), 4, u32::MAX, owner * 32, Source::of(owner)),
        owner,
    };
    (0..count).map(column).collect()
}

#[test]
fn strips_that_are_intertwined_are_taken_apart_only_if_they_are_many() {
    let few = columns(16, |owner| u64::from(owner) * 4);
    let ([writes, _], counts) = cleverly(&few, &[], Among::Threads);
    assert!(writes.is_empty() && counts.taken_apart == 0, "{counts:?}");
    let many = columns(200, |owner| u64::from(owner) * 4);
    let ([writes, _], counts) = cleverly(&many, &[], Among::Threads);
    assert!(writes.is_empty() && counts.taken_apart > 0, "{counts:?}");
    let again = columns(200, |owner| u64::from(owner % 199) * 4);
    assert_eq!(cleverly(&again, &[], Among::Threads).0[0], Pairs::from([(0, 199)]));
    // Many reads, each of a column beside those that were written.
    let some = columns(40, |owner| u64::from(owner) * 4);
    let beside = columns(3000, |owner| u64::from(owner % 900) * 4 + 256);
    let ([_, reads], counts) = cleverly(&some, &beside, Among::Blocks);
    assert!(reads.is_empty() && counts.taken_apart == 2, "{counts:?}");
}

#[test]
fn reads_far_from_writes_are_settled_by_the_compressed_set() {
    let writes = columns(4, |owner| u64::from(owner) * 4);
    let reads = columns(4, |owner| (1 << 20) + u64::from(owner) * 4);
    let (found, counts) = cleverly(&writes, &reads, Among::Threads);
    assert_eq!(found, [Pairs::new(), Pairs::new()]);
    assert_eq!(counts.by_compressed, 2 * 4);
}
