//! The memory of CURD's sets on a device.

use crate::driver::DriverError;
use crate::driver_types::{CUfunction, CUstream};
use crate::engine::Engine;
use warpsan_instrument::{CHECKER_KERNELS, SetPlaces, SetSizes};

/// Sets smaller than this are not worth having.
pub(super) const LEAST_BYTES: u64 = 32 << 20;
/// Longer lists of a block would have more pairs than can be counted in 32 bits.
const LONGEST_LIST: u64 = 1 << 15;
/// Threads and blocks that a multiprocessor has room for, on every device so far.
const THREADS_AT_ONCE: u64 = 2048;
const BLOCKS_AT_ONCE: u64 = 32;

/// The sets of a stream.
#[derive(Debug)]
pub(in crate::engine) struct Sets {
    pub(super) head: u64,
    pub(super) entries: u64,
    pub(super) sizes: SetSizes,
    /// Blocks and the entries of their lists, as they are on the device.
    pub(super) slots: (u32, u32),
    pub(super) last_launch: u32,
    /// The bits of `gaps` that were reported before.
    pub(super) reported: u32,
}

/// The kernels that compare blocks, in a context.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Checker {
    pub(super) functions: [CUfunction; CHECKER_KERNELS.len()],
}

impl Sets {
    /// Sets of about so many bytes, for so many multiprocessors. The eager scheme has lists of all entries, and these no places of
    /// their own.
    fn sizes(bytes: u64, multiprocessors: u64, is_eager: bool) -> SetSizes {
        let part = |bytes_of_one: u64| (bytes / bytes_of_one).min(u64::from(u32::MAX / 4)) as u32;
        let slots = (multiprocessors * BLOCKS_AT_ONCE).max(1) as u32;
        SetSizes {
            direct_entries: if is_eager { 0 } else { part(160) },
            partition_entries: part(if is_eager { 90 } else { 170 }) / 256,
            partition_rows: part(700) / 256,
            partition_nodes: part(if is_eager { 110 } else { 220 }) / 256,
            slots,
            slot_entries: (u64::from(part(512)) / SetSizes::LISTS / u64::from(slots))
                .min(LONGEST_LIST) as u32,
            bucket_bits: part(300).max(2).ilog2(),
        }
    }

    /// Allocates sets, for a device with so many multiprocessors.
    pub(super) fn new(
        engine: &Engine,
        (multiprocessors, stream): (u32, CUstream),
        is_eager: bool,
        bytes: u64,
    ) -> Result<Sets, DriverError> {
        let sizes = Sets::sizes(bytes, u64::from(multiprocessors), is_eager);
        let mut places = SetPlaces { pieces: [0; SetSizes::PIECES] };
        for (index, bytes) in sizes.bytes().into_iter().enumerate() {
            match engine.allocate_alone(bytes, stream) {
                Ok(address) => places.pieces[index] = address,
                Err(error) => {
                    for (address, bytes) in places.pieces.iter().zip(sizes.bytes()).take(index) {
                        engine.give_back(*address, bytes, stream);
                    }
                    return Err(error);
                }
            }
        }
        let head = engine.allocate(SetSizes::HEAD_BYTES, stream)?;
        engine.write(head, &sizes.head(&places), stream)?;
        let slots = (sizes.slots, sizes.slot_entries);
        Ok(Sets { head, entries: places.pieces[0], sizes, slots, last_launch: 0, reported: 0 })
    }

    /// As many slots as blocks of so many threads can be there at once, and lists as long as there is room for.
    pub(super) fn slots_for(&self, threads: u64) -> (u32, u32) {
        let of_multiprocessor =
            (THREADS_AT_ONCE / threads.next_multiple_of(32).max(1)).clamp(1, BLOCKS_AT_ONCE);
        let slots = u64::from(self.sizes.slots) / BLOCKS_AT_ONCE * of_multiprocessor;
        let all = u64::from(self.sizes.slots) * u64::from(self.sizes.slot_entries);
        (slots as u32, (all / slots.max(1)).min(LONGEST_LIST) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_take_about_the_memory_that_they_may() {
        for bytes in [LEAST_BYTES, 1 << 30, 8 << 30] {
            for is_eager in [false, true] {
                let taken: u64 = Sets::sizes(bytes, 132, is_eager).bytes().iter().sum();
                assert!(taken <= bytes && taken > bytes / 2, "{taken} of {bytes}");
            }
        }
    }

    #[test]
    fn small_blocks_are_more_and_have_shorter_lists() {
        let sizes = Sets::sizes(1 << 30, 132, false);
        let slots = (sizes.slots, sizes.slot_entries);
        let sets = Sets { head: 0, entries: 0, sizes, slots, last_launch: 0, reported: 0 };
        assert_eq!(sets.slots_for(32), (132 * 32, sizes.slot_entries));
        let (slots, entries) = sets.slots_for(1024);
        assert_eq!((slots, entries), (132 * 2, sizes.slot_entries * 16));
    }
}
