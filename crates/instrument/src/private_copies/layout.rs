//! The memory of LD on a device: who has which copy, what is copied, and what was found. `device/ld_layout.h` is printed from this.

use std::mem::offset_of;

/// Pointers that a kernel may count addresses from.
pub(crate) const MOST_ORIGINS: usize = 64;
/// Allocations that a launch may have copies of.
pub const MOST_TARGETS: usize = 64;
/// Copies that findings can name.
pub const MOST_COPIES: u64 = 1 << 16;
/// Nothing was found.
pub(crate) const NOTHING: u64 = u64::MAX;
/// Entries that say who stored to a word of shared memory, in a launch that is logged: more than any block has.
pub const SHADOW_WORDS: u64 = 1 << 16;
/// Bytes of shared memory in which the threads of a block agree where a region ends.
pub const MEETING_BYTES: u32 = 32;
/// A copy begins at an address of its target's alignment modulo this.
pub const GRANULE: u64 = 16;

/// Who has a copy of its own.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Units {
    /// Every block.
    #[default]
    Blocks = 0,
    /// Every warp of the grid.
    Warps = 1,
}

/// An allocation that kernels reach.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Target {
    /// Where it is.
    pub address: u64,
    /// How long it is.
    pub bytes: u64,
    /// Where it begins in a copy, or behind all targets of it.
    pub start: u64,
    /// It has no copies, and is only set back before the kernel runs again.
    pub only_set_back: u64,
}

/// Which unit has which copy, as [`Rounds`](warpsan_model::Rounds) say.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Grouping {
    /// The copies to the power of the round.
    pub power: u64,
    /// Copies.
    pub copies: u32,
    /// Units.
    pub count: u32,
    /// One of [`Units`].
    pub units: u32,
    /// Fills the last word.
    pub unused: u32,
}

impl Grouping {
    /// So many units with so many copies, in a round that is counted from 1. Each round parts the groups of the round before.
    pub fn new(units: Units, count: u32, copies: u32, round: u32) -> Grouping {
        let power = u64::from(copies).saturating_pow(round);
        Grouping { power, copies, count, units: units as u32, unused: 0 }
    }
}

/// Kinds of findings that a launch keeps one key of.
pub(crate) const KEYS: usize = 4;

/// What a launch and the kernels around it share.
#[repr(C)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiesHead {
    /// A race was found, and nothing more is to be checked.
    pub stopped: u32,
    /// Targets below.
    pub target_count: u32,
    /// Of bytes that two units changed, and of results that changed, the smallest key; then the same of regions (`key_bits`).
    pub keys: [u64; KEYS],
    /// Bytes that two changed, and bytes that are others in the second pass.
    pub bytes: [u32; 2],
    /// Who had which copy in the round that found the first. Keys are of that round.
    pub logged: Grouping,
    /// Of the two that raced, the least thread and instruction that the logged run saw: `thread << 16 | site`.
    pub sides: [u64; 2],
    /// The address of the first side that the logged run saw.
    pub logged_address: u64,
    /// The barriers around the region, each its site and 1.
    pub region: [u32; 2],
    /// Who stored to words of shared memory, in a logged run.
    pub shadow: u64,
    /// A number for each thread of the grid, warps being whole: what it stored where there are no copies. Null if that is nothing.
    pub sums: u64,
    /// What leads from an address to the first copy, by origin; 0 where there are no copies.
    pub displacements: [u64; MOST_ORIGINS],
    /// What there are copies of.
    pub targets: [Target; MOST_TARGETS],
    /// A bit for each copy whose users raced.
    pub involved: [u32; MOST_COPIES as usize / 32],
}

impl CopiesHead {
    /// Bytes of the whole.
    pub const BYTES: u64 = size_of::<CopiesHead>() as u64;
    /// Where bits begin that a launch finds cleared.
    pub const INVOLVED: u64 = offset_of!(CopiesHead, involved) as u64;
    pub(crate) const DISPLACEMENTS: u64 = offset_of!(CopiesHead, displacements) as u64;

    /// The head of a launch up to [`INVOLVED`](Self::INVOLVED), as it is copied to the device.
    pub fn words(
        displacements: &[u64],
        targets: &[Target],
        (shadow, sums): (u64, u64),
    ) -> Vec<u64> {
        debug_assert!(displacements.len() <= MOST_ORIGINS && targets.len() <= MOST_TARGETS);
        let mut words = vec![0; Self::INVOLVED as usize / 8];
        let mut put = |offset: usize, value: u64| words[offset / 8] = value;
        put(offset_of!(CopiesHead, stopped), (targets.len() as u64) << 32);
        for index in 0..KEYS {
            put(offset_of!(CopiesHead, keys) + index * 8, NOTHING);
        }
        for index in 0..2 {
            put(offset_of!(CopiesHead, sides) + index * 8, NOTHING);
        }
        put(offset_of!(CopiesHead, shadow), shadow);
        put(offset_of!(CopiesHead, sums), sums);
        for (index, displacement) in displacements.iter().enumerate() {
            put(offset_of!(CopiesHead, displacements) + index * 8, *displacement);
        }
        for (index, target) in targets.iter().enumerate() {
            let at = offset_of!(CopiesHead, targets) + index * size_of::<Target>();
            put(at, target.address);
            put(at + 8, target.bytes);
            put(at + 16, target.start);
            put(at + 24, target.only_set_back);
        }
        words
    }
}

const _: () = assert!(size_of::<CopiesHead>().is_multiple_of(8));
const _: () = assert!(offset_of!(CopiesHead, involved).is_multiple_of(8));

/// How the device packs what it found. Where a pass over a whole kernel did: the address, and below it the copy. Where a region did:
/// the block, the region in it, which memory, the word, the warp, from the highest bit on.
#[cfg(any(test, feature = "device-sources"))]
pub(crate) mod key_bits {
    pub(crate) const COPY: u32 = 16;
    pub(crate) const REGION: u32 = 12;
    pub(crate) const WORD: u32 = 26;
    pub(crate) const WARP: u32 = 5;
}

/// The parameters of the kernels that go over all addresses.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SweepParameters {
    /// A [`CopiesHead`].
    pub head: u64,
    /// The first copy.
    pub copies: u64,
    /// What targets held before the launch.
    pub originals: u64,
    /// Bytes of a copy.
    pub stride: u64,
    /// The device's side of the reports.
    pub reports: u64,
    /// Who has which copy.
    pub grouping: Grouping,
    /// [`sweeps`].
    pub flags: u32,
    /// The number of the launch, and of the instrumented kernel.
    pub launch: u32,
    /// See there.
    pub variant: u32,
    /// So many warps are a block.
    pub warps_per_block: u32,
    /// Copies that are merged: every so many-th.
    pub step: u32,
    /// Fills the last word.
    pub unused: u32,
}

impl SweepParameters {
    /// The parameters as they lie in the parameter block.
    pub fn bytes(&self) -> Vec<u8> {
        let Grouping { power, copies, count, units, unused } = self.grouping;
        let longs = [self.head, self.copies, self.originals, self.stride, self.reports, power];
        let words = [
            copies,
            count,
            units,
            unused,
            self.flags,
            self.launch,
            self.variant,
            self.warps_per_block,
            self.step,
            self.unused,
        ];
        let longs = longs.iter().flat_map(|word| word.to_le_bytes());
        longs.chain(words.iter().flat_map(|word| word.to_le_bytes())).collect()
    }
}

/// Bits of [`SweepParameters::flags`].
pub mod sweeps {
    /// What targets hold is kept before anything runs.
    pub const FIRST: u32 = 1;
    /// A race stops nothing.
    pub const GOES_ON: u32 = 2;
    /// Whatever was found.
    pub const ALWAYS: u32 = 4;
    /// The program's memory has the result already, and keeps it.
    pub const COPIES_ONLY: u32 = 8;
}

/// The PTX of those kernels.
pub const SWEEPS: &str = include_str!("../../device/ld_sweeps.ptx");
/// Their names.
pub const SWEEP_KERNELS: [&str; 6] = [
    "ws_ld_begin",
    "ws_ld_union",
    "ws_ld_compare",
    "ws_ld_merge",
    "ws_ld_set_back",
    "ws_ld_report",
];

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_model::Rounds;

    #[test]
    fn copies_are_those_of_the_rounds() {
        for (count, copies) in [(8u32, 2u32), (960, 31), (96, 4), (7, 3), (5, 5)] {
            let rounds = Rounds::new(count.into(), copies.into());
            for round in 1..=rounds.count() {
                let Grouping { power, .. } = Grouping::new(Units::Blocks, count, copies, round);
                for unit in 0..u64::from(count) {
                    // As in `copy_of` of `device/ld.h`.
                    let copy = unit * power / u64::from(count) % u64::from(copies);
                    assert_eq!(copy, rounds.copy(unit, round), "{count} units, {copies} copies");
                }
            }
        }
    }

    #[test]
    fn a_head_begins_with_nothing_found() {
        let target = Target { address: 0x1000, bytes: 64, start: 0, only_set_back: 0 };
        let words = CopiesHead::words(&[5, 0], &[target], (0x77, 0));
        assert_eq!(words.len() as u64 * 8, CopiesHead::INVOLVED);
        assert_eq!(words[0] >> 32, 1);
        assert_eq!(words[1..5], [NOTHING; 4]);
        assert_eq!(words[CopiesHead::DISPLACEMENTS as usize / 8], 5);
        assert_eq!(SweepParameters::default().bytes().len(), size_of::<SweepParameters>());
    }
}
