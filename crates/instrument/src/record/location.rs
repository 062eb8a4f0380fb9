//! Where memory is, and which word of the table of turns belongs to it.

use warpsan_model::BlockIndex;

/// A memory, as records name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Place {
    /// As the table of sites says.
    OfSite = 0,
    /// Global memory: lanes hold generic addresses.
    Global = 1,
    /// Shared memory of the warp's own block: lanes hold offsets in the `.shared` window.
    Shared = 2,
    /// Shared memory of a block of the cluster: lanes hold the owner's linear block number in the upper
    /// half, and the offset in its window in the lower half.
    ClusterShared = 3,
}

impl Place {
    /// The place that the low byte of `extra` names.
    pub fn of_extra(extra: u32) -> Option<Place> {
        match extra & 0xFF {
            0 => Some(Place::OfSite),
            1 => Some(Place::Global),
            2 => Some(Place::Shared),
            3 => Some(Place::ClusterShared),
            _ => None,
        }
    }
}

/// Bytes that are one location: the largest access that the hardware makes in one piece, so that accesses
/// which overlap are at the same location whatever their sizes.
pub(crate) const LOCATION_SHIFT: u32 = 4;
/// Distinguishes shared memory from global memory.
pub(crate) const SHARED: u64 = 1 << 63;
/// A key that no memory has.
pub(crate) const FENCES: u64 = 1 << 62;
/// What spreads keys over the table: 2^64 divided by the golden ratio.
pub(crate) const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
/// Where the key of shared memory has the block whose memory it is.
pub(crate) const OWNER_SHIFT: u32 = 28;

/// The word of the table of turns for an address: `owner` is the block whose shared memory it is, none for
/// global memory. The table has `1 << bits` words, 1 to 32.
///
/// The device computes the same (`device/places.h`): global memory has the key `address >> 4`, shared memory
/// `1 << 63 | owner << 28 | offset >> 4`; the word is `key * 0x9E3779B97F4A7C15 >> (64 - bits)`.
#[inline]
pub fn location(owner: Option<BlockIndex>, address: u64, bits: u32) -> u32 {
    let key = match owner {
        None => address >> LOCATION_SHIFT,
        Some(BlockIndex(block)) => {
            SHARED | u64::from(block) << OWNER_SHIFT | (address & 0xFFFF_FFFF) >> LOCATION_SHIFT
        }
    };
    spread(key, bits)
}

/// The word of the table at which `fence.sc` takes its turn: that of the key `1 << 62`.
pub fn fence_location(bits: u32) -> u32 {
    spread(FENCES, bits)
}

#[inline]
fn spread(key: u64, bits: u32) -> u32 {
    (key.wrapping_mul(SPREAD) >> (64 - bits)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_location_have_one_word_and_blocks_have_their_own() {
        let global = |address| location(None, address, 20);
        assert_eq!(global(0x7f00_1000), global(0x7f00_100f));
        assert_ne!(global(0x7f00_1000), global(0x7f00_1010));
        let shared = |block, offset| location(Some(BlockIndex(block)), offset, 20);
        assert_eq!(shared(3, 16), shared(3, 31));
        assert_ne!(shared(3, 16), shared(4, 16));
        assert_ne!(shared(0, 16), global(16));
        assert!(global(u64::MAX) < 1 << 20 && shared(u32::MAX, u64::MAX) < 1 << 20);
        assert!(fence_location(1) < 2);
    }
}
