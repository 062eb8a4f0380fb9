use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn region(start: u64, bytes: u64, site: u32) -> Region {
    Region { start, end: start + bytes, source: Source::of(site), thread: site }
}

fn merged(count: u32, at_once: bool) -> Inserted {
    Inserted::Merged { count, at_once }
}

fn bytes(regions: &[Region]) -> Vec<u64> {
    let mut all: Vec<u64> = regions.iter().flat_map(|region| region.start..region.end).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn set(regions: &[Region], search: u32) -> Set<Region> {
    let mut set = Set::default();
    for region in regions {
        assert_ne!(set.insert(*region, search, usize::MAX), Inserted::Full);
    }
    set
}

fn regions() -> impl Strategy<Value = Vec<Region>> {
    let one =
        (0..200_u64, 1..12_u64, 0..4_u32).prop_map(|(start, len, site)| region(start, len, site));
    proptest::collection::vec(one, 0..60)
}

proptest! {
    #[test]
    fn a_set_has_the_bytes_that_were_inserted(regions in regions(), search in 0..6_u32) {
        let mut set = set(&regions, search);
        prop_assert_eq!(bytes(set.elements()), bytes(&regions));
        set.merge_all();
        prop_assert_eq!(bytes(set.elements()), bytes(&regions));
        let mut pairs = set.elements().windows(2);
        prop_assert!(pairs.all(|pair| pair[0].end < pair[1].start), "apart, and in order");
    }

    #[test]
    fn an_unbounded_search_keeps_regions_apart(regions in regions()) {
        let set = set(&regions, u32::MAX);
        for (number, one) in set.elements().iter().enumerate() {
            for other in &set.elements()[number + 1..] {
                prop_assert!(one.end < other.start || other.end < one.start);
            }
        }
    }

    #[test]
    fn the_complete_bit_is_right(regions in regions(), search in 0..6_u32) {
        let mut sites: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for region in &regions {
            (region.start..region.end).for_each(|byte| sites.entry(byte).or_default().push(region.source.site));
        }
        // Bounded searches leave what was inserted later in regions of their own, which is not lost.
        for region in set(&regions, search).elements().iter().filter(|region| region.source.complete) {
            let inside = |byte: u64| sites[&byte].contains(&region.source.site);
            prop_assert!((region.start..region.end).all(inside), "{region:?}");
        }
    }
}

#[test]
fn the_example_of_figure_6_2() {
    let mut set = set(&[region(0, 8, 1), region(12, 4, 1), region(40, 8, 1)], 8);
    assert_eq!(set.insert(region(8, 6, 2), 8, 3), merged(2, false));
    assert_eq!(set.len(), 2);
    let last = set.elements()[1];
    assert_eq!((last.start, last.end), (0, 16), "what was merged last stands last");
    assert_eq!(last.source, Source { site: 2, complete: false });
    assert!(set.elements()[0].source.complete);
}

#[test]
fn a_search_is_bounded_and_begins_at_the_end() {
    let mut set = set(&[region(0, 4, 1), region(100, 4, 1), region(200, 4, 1)], 2);
    assert_eq!(set.insert(region(4, 4, 1), 2, 9), Inserted::Added, "the first is not looked at");
    assert_eq!(set.insert(region(204, 4, 1), 2, 9), merged(1, false));
    assert_eq!(set.insert(region(204, 4, 1), 1, 9), merged(1, true), "it stands last now");
}

#[test]
fn a_full_set_takes_only_what_can_be_merged() {
    let mut set = set(&[region(0, 4, 1), region(100, 4, 1)], 8);
    assert_eq!(set.insert(region(50, 4, 1), 8, 2), Inserted::Full);
    assert_eq!(set.insert(region(4, 4, 1), 8, 2), merged(1, false));
    set.clear();
    assert!(set.is_empty());
}
