//! How many blocks and clusters of a kernel fit on the device.

use crate::KernelInfo;
use std::ffi::c_int;
use warpsan_model::EMULATED_DEVICE as DEVICE;

/// Registers are given to a warp in lumps of this many.
const REGISTER_LUMP: usize = DEVICE.register_granularity as usize;
/// Shared memory is given to a block in lumps of this many bytes.
const SHARED_LUMP: usize = DEVICE.shared_granularity as usize;
/// Blocks of clusters that one multiprocessor holds at most.
const MAX_BLOCKS_OF_CLUSTERS: c_int = DEVICE.max_cluster_blocks_per_multiprocessor as c_int;
/// The multiprocessors of each group that a cluster cannot leave.
const GROUPS: [u32; 8] = DEVICE.multiprocessor_groups;

/// How many blocks of a kernel one multiprocessor holds.
pub fn resident_blocks(info: &KernelInfo, threads: c_int, dynamic_shared_bytes: usize) -> c_int {
    if !(1..=DEVICE.max_threads_per_block as c_int).contains(&threads) {
        return 0;
    }
    let warps = (threads as usize).div_ceil(DEVICE.warp_size as usize);
    let warp_slots = (DEVICE.max_threads_per_multiprocessor / DEVICE.warp_size) as usize;
    let registers_per_warp = (info.registers.max(1) as usize * DEVICE.warp_size as usize)
        .next_multiple_of(REGISTER_LUMP);
    let shared_bytes = info
        .static_shared_bytes
        .saturating_add(dynamic_shared_bytes)
        .saturating_add(DEVICE.shared_bytes_reserved as usize);
    let by_warps = warp_slots / warps;
    let by_registers = DEVICE.registers as usize / (registers_per_warp * warps);
    let by_shared_memory = DEVICE.shared_bytes_per_multiprocessor as usize / shared_bytes;
    let blocks = by_warps.min(by_registers).min(by_shared_memory);
    (blocks as c_int).min(DEVICE.max_blocks_per_multiprocessor as c_int)
}

/// The largest cluster, in blocks.
pub fn largest_cluster(non_portable_allowed: bool) -> c_int {
    let most = if non_portable_allowed { DEVICE.max_cluster } else { DEVICE.max_portable_cluster };
    most as c_int
}

/// How many clusters of so many blocks fit on the device, when one multiprocessor holds so many of
/// the blocks. Each block of a cluster is taken to be on a multiprocessor of its own; the device packs
/// some sizes a little closer.
pub fn resident_clusters(blocks: c_int, resident: c_int) -> c_int {
    let places: c_int = GROUPS.iter().map(|group| *group as c_int / blocks.max(1)).sum();
    places * resident.min(MAX_BLOCKS_OF_CLUSTERS)
}

/// Dynamic shared memory that each of so many blocks can have.
pub fn available_shared_bytes(info: &KernelInfo, allowed: usize, blocks: usize) -> usize {
    let share = DEVICE.shared_bytes_per_multiprocessor as usize / blocks;
    let share = share / SHARED_LUMP * SHARED_LUMP;
    share.saturating_sub(info.static_shared_bytes).min(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(registers: u32, static_shared_bytes: usize) -> KernelInfo {
        KernelInfo::that_needs(registers, static_shared_bytes)
    }

    #[test]
    fn the_scarcest_resource_decides() {
        assert_eq!(resident_blocks(&info(16, 0), 1024, 0), 2, "threads");
        assert_eq!(resident_blocks(&info(16, 0), 32, 0), 32, "blocks");
        assert_eq!(resident_blocks(&info(255, 0), 256, 0), 1, "registers");
        assert_eq!(resident_blocks(&info(16, 40 * 1024), 32, 8 * 1024), 4, "shared memory");
        assert_eq!(resident_blocks(&info(16, 0), 1025, 0), 0, "a block that cannot be launched");
    }

    /// Answers as an H200 gave them for a kernel of ten registers.
    #[test]
    fn blocks_are_those_of_the_device() {
        let found = |threads| resident_blocks(&info(10, 0), threads, 0);
        let measured = [
            (1, 32),
            (64, 32),
            (96, 21),
            (100, 16),
            (192, 10),
            (384, 5),
            (512, 4),
            (768, 2),
            (1000, 2),
        ];
        for (threads, blocks) in measured {
            assert_eq!(found(threads), blocks, "{threads} threads");
        }
        assert_eq!(resident_blocks(&info(10, 0), 128, 48 * 1024), 4);
    }

    #[test]
    fn shared_memory_and_clusters_are_those_of_the_device() {
        let kernel = info(10, 0);
        let measured =
            [(1, 49_152), (4, 49_152), (5, 46_592), (6, 38_912), (7, 33_280), (32, 7_296)];
        for (blocks, bytes) in measured {
            assert_eq!(available_shared_bytes(&kernel, 49_152, blocks), bytes, "{blocks} blocks");
        }
        let measured =
            [(1, 8, 1056), (2, 8, 528), (2, 5, 330), (4, 8, 248), (4, 2, 62), (8, 2, 30)];
        for (blocks, resident, clusters) in measured {
            assert_eq!(resident_clusters(blocks, resident), clusters, "clusters of {blocks}");
        }
    }
}
