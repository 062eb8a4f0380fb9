use super::super::regions::Source;
use super::*;
use proptest::prelude::*;

fn region(start: u64, bytes: u64, site: u32) -> Region {
    Region { start, end: start + bytes, source: Source::of(site), thread: site }
}

fn compress(regions: &[Region]) -> (Vec<Region>, bool) {
    let mut compressed = Vec::new();
    let compression = Compressor::default().compress(regions, &mut compressed);
    (compressed, compression.is_sorted)
}

fn bytes(regions: &[Region]) -> Vec<u64> {
    let mut all: Vec<u64> = regions.iter().flat_map(|region| region.start..region.end).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn neighbouring_threads_become_one_region() {
    let row = |at: u64| (0..256).map(move |thread| region(at + thread * 4, 4, 1));
    let two_rows: Vec<Region> = row(0).chain(row(8192)).collect();
    let (compressed, is_sorted) = compress(&two_rows);
    assert!(is_sorted);
    assert_eq!(compressed.len(), 2);
    assert_eq!((compressed[1].start, compressed[1].end), (8192, 9216));
    assert!(compressed[0].source.complete);
    let backwards: Vec<Region> = row(0).rev().collect();
    let (compressed, is_sorted) = compress(&backwards);
    assert_eq!((compressed.len(), is_sorted), (1, false));
    assert_eq!((compressed[0].start, compressed[0].end), (0, 1024));
}

#[test]
fn a_region_inside_of_a_former_run_is_not_called_sorted() {
    let (compressed, is_sorted) =
        compress(&[region(0, 100, 1), region(10, 10, 1), region(50, 10, 2)]);
    assert_eq!((compressed.len(), is_sorted), (2, false));
}

#[test]
fn what_is_there_already_stays() {
    let mut compressed = vec![region(0, 4, 1)];
    Compressor::default().compress(&[region(4, 4, 2)], &mut compressed);
    assert_eq!(compressed, [region(0, 4, 1), region(4, 4, 2)]);
}

proptest! {
    #[test]
    fn the_union_is_kept(
        regions in proptest::collection::vec((0..400_u64, 1..16_u64, 0..3_u32), 0..200),
    ) {
        let regions: Vec<Region> =
            regions.into_iter().map(|(start, bytes, site)| region(start, bytes, site)).collect();
        for given in [regions.clone(), { let mut sorted = regions; sorted.sort_by_key(|r| r.start); sorted }] {
            let (compressed, is_sorted) = compress(&given);
            prop_assert_eq!(bytes(&compressed), bytes(&given));
            prop_assert!(compressed.len() <= given.len());
            let in_order = compressed.windows(2).all(|pair| pair[0].end < pair[1].start);
            prop_assert!(!is_sorted || in_order);
        }
    }
}
