//! Sets against plain sets of bytes, and what they hold when they are full.

use super::super::writes::Among;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// An instruction of a warp: lanes, addresses, bytes and site.
#[derive(Debug, Clone)]
struct Access {
    warp: u32,
    mask: u32,
    addresses: Vec<u64>,
    form: u32,
    bytes: u64,
    site: u32,
}

impl Access {
    fn insert(&self, set: &mut WarpSet, settings: &CurdSettings, counts: &mut SetCounts) {
        let stride = self.addresses[1].wrapping_sub(self.addresses[0]);
        let scattered: Vec<u64> =
            lanes(self.mask).map(|lane| self.addresses[lane as usize]).collect();
        let addresses = match self.form {
            0 => LaneAddresses::Uniform(self.addresses[0]),
            1 => LaneAddresses::Strided { first: self.addresses[0], stride },
            _ => LaneAddresses::PerLane(&scattered),
        };
        let Access { mask, bytes, site, .. } = *self;
        set.insert(&Row { addresses, mask, bytes, base: self.warp * 32, site }, settings, counts);
    }

    /// Threads and bytes.
    fn touched(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        lanes(self.mask).flat_map(move |lane| {
            let address = match self.form {
                0 => self.addresses[0],
                1 => {
                    let stride = self.addresses[1].wrapping_sub(self.addresses[0]);
                    self.addresses[0].wrapping_add(stride.wrapping_mul(u64::from(lane)))
                }
                _ => self.addresses[lane as usize],
            };
            (address..address + self.bytes).map(move |byte| (self.warp * 32 + lane, byte))
        })
    }
}

fn access() -> impl Strategy<Value = Access> {
    let addresses = prop_oneof![
        (40000..40600_u64, 0..9_u64).prop_map(|(first, stride)| {
            (0..32).map(|lane| first + lane * stride).collect::<Vec<_>>()
        }),
        (40000..40600_u64)
            .prop_map(|at| (0..32).map(|lane| at + lane / 8 * 100).collect::<Vec<_>>()),
        proptest::collection::vec(40000..40600_u64, 32),
    ];
    let mask = prop_oneof![Just(u32::MAX), Just(0xffff), 1..=u32::MAX];
    (0..3_u32, mask, addresses, 0..3_u32, 1..9_u64, 0..3_u32).prop_map(
        |(warp, mask, addresses, form, bytes, site)| Access {
            warp,
            mask,
            addresses,
            form,
            bytes,
            site,
        },
    )
}

/// Threads and bytes of what a list has, or blocks and bytes.
fn gathered(gather: impl FnOnce(&mut Writes)) -> BTreeSet<(u32, u64)> {
    let mut writes = Writes::new(Among::Threads);
    gather(&mut writes);
    let of_strip = |strip: Strip| {
        let lane = strip.mask.trailing_zeros();
        (strip.first..strip.first + strip.bytes).map(move |byte| (strip.base + lane, byte))
    };
    let strips = writes.items().iter().flat_map(|item| item.strip.split());
    strips.flat_map(of_strip).collect()
}

proptest! {
    #[test]
    fn sets_have_the_bytes_of_each_thread(
        accesses in proptest::collection::vec(access(), 1..40),
        search in 0..9_u32,
    ) {
        let settings = CurdSettings { search, ..CurdSettings::default() };
        let mut warps: [WarpSet; 3] = Default::default();
        let mut counts = SetCounts::default();
        let mut expected = BTreeSet::new();
        for access in &accesses {
            access.insert(&mut warps[access.warp as usize], &settings, &mut counts);
            expected.extend(access.touched());
        }
        let of_threads = gathered(|writes| gather((0..).zip(&warps), writes));
        prop_assert_eq!(&of_threads, &expected);
        // And blocks have them without the threads, also when the same is added twice.
        let (mut block, mut room) = (BlockSet::default(), Room::default());
        for _ in 0..2 {
            block.add(warps.iter(), &mut room, &settings, &mut counts);
        }
        let bytes = |set: BTreeSet<(u32, u64)>| {
            set.into_iter().map(|(_, byte)| byte).collect::<BTreeSet<u64>>()
        };
        let expected = bytes(expected);
        prop_assert_eq!(&bytes(gathered(|writes| block.gather(0, writes))), &expected);
        block.gather_scattered(&settings, &mut counts);
        prop_assert_eq!(&bytes(gathered(|writes| block.gather(0, writes))), &expected);
        prop_assert_eq!(counts.no_room, 0);
    }
}

fn coalesced(warp: u32, first: u64, site: u32) -> Access {
    let addresses = (0..32).map(|lane| first + lane * 4).collect();
    Access { warp, mask: u32::MAX, addresses, form: 1, bytes: 4, site }
}

#[test]
fn coalesced_accesses_of_a_block_are_one_region() {
    let settings = CurdSettings::default();
    let mut counts = SetCounts::default();
    let mut warps: [WarpSet; 3] = Default::default();
    for warp in 0..3 {
        for _ in 0..100 {
            let at = 4096 + u64::from(warp) * 128;
            coalesced(warp, at, 1).insert(&mut warps[warp as usize], &settings, &mut counts);
        }
    }
    assert_eq!((counts.added, counts.merged), (3, 297));
    let mut block = BlockSet::default();
    block.add(warps.iter(), &mut Room::default(), &settings, &mut counts);
    assert_eq!((counts.compressed, block.regions.len()), (1, 1));
    assert!(block.regions.elements()[0].source.complete);
    assert!(block.bytes() > 0 && block.bytes() < 100);
}

#[test]
fn sets_that_are_full_say_so() {
    let settings = CurdSettings { thread_regions: 1, block_regions: 2, ..CurdSettings::default() };
    let mut counts = SetCounts::default();
    let mut warps: [WarpSet; 1] = Default::default();
    for number in 0..40 {
        coalesced(0, 4096 + number * 4096, 1).insert(&mut warps[0], &settings, &mut counts);
    }
    assert_eq!((counts.added, counts.no_room), (32, 8));
    let mut block = BlockSet::default();
    block.add(warps.iter(), &mut Room::default(), &settings, &mut counts);
    assert_eq!((block.regions.len(), counts.no_room), (2, 8 + 30));
    block.clear();
    assert!(block.is_empty());
}

#[test]
fn two_halves_of_a_warp_are_two_strips() {
    let mut lines = [(0, 0, 0); MOST_STRIPS];
    let halves: Vec<u64> = (0..32).map(|lane| 64 + lane / 16 * 1000).collect();
    assert_eq!(lines_of(&halves, u32::MAX, &mut lines), Some(2));
    assert_eq!(lines[..2], [(0xffff, 64, 0), (0xffff_0000, 1064, 0)]);
    let squares: Vec<u64> = (0..32).map(|lane| lane * lane).collect();
    assert_eq!(lines_of(&squares, u32::MAX, &mut lines), None);
}
