//! Answers of `cudaDeviceGetAttribute`.

use crate::device::limits as device;
use std::ffi::c_int;

/// The attributes of an H200 that are not zero. What cannot be offered is left out, so that a
/// program takes its other path: sparse and deferred arrays, semaphores and memory pools that other
/// processes share, direct access by other devices, inter-process handles.
static ATTRIBUTES: &[(c_int, c_int)] = &[
    (1, device::MAX_THREADS_PER_BLOCK),
    (2, device::MAX_BLOCK[0]),
    (3, device::MAX_BLOCK[1]),
    (4, device::MAX_BLOCK[2]),
    (5, device::MAX_GRID[0]),
    (6, device::MAX_GRID[1]),
    (7, device::MAX_GRID[2]),
    (8, device::SHARED_BYTES_PER_BLOCK as c_int),
    (9, device::CONSTANT_BYTES as c_int),
    (10, device::WARP_SIZE),
    (11, device::MAX_PITCH as c_int),
    (12, device::REGISTERS),
    (13, device::CLOCK_KILOHERTZ),
    (14, device::TEXTURE_ALIGNMENT as c_int),
    (15, 1),
    (16, device::MULTIPROCESSORS),
    (19, 1),
    (21, 131072),
    (22, 131072),
    (23, 65536),
    (24, 16384),
    (25, 16384),
    (26, 16384),
    (27, 32768),
    (28, 32768),
    (29, 2048),
    (30, 512),
    (31, 1),
    (32, 1),
    (33, device::PCI_BUS),
    (34, device::PCI_DEVICE),
    (36, device::MEMORY_CLOCK_KILOHERTZ),
    (37, device::MEMORY_BUS_BITS),
    (38, device::L2_BYTES),
    (39, device::MAX_THREADS_PER_MULTIPROCESSOR),
    (40, device::ASYNC_ENGINES),
    (41, 1),
    (42, 32768),
    (43, 2048),
    (44, 1),
    (45, 32768),
    (46, 32768),
    (47, 8192),
    (48, 8192),
    (49, 32768),
    (50, device::PCI_DOMAIN),
    (51, device::TEXTURE_PITCH_ALIGNMENT as c_int),
    (52, 32768),
    (53, 32768),
    (54, 2046),
    (55, 32768),
    (56, 131072),
    (57, 65536),
    (58, 16384),
    (59, 16384),
    (60, 16384),
    (61, 32768),
    (62, 2048),
    (63, 32768),
    (64, 32768),
    (65, 2048),
    (66, 32768),
    (67, 32768),
    (68, 2046),
    (69, 268435456),
    (70, 131072),
    (71, 65000),
    (72, 2097120),
    (73, 32768),
    (74, 32768),
    (75, device::COMPUTE_CAPABILITY.0),
    (76, device::COMPUTE_CAPABILITY.1),
    (77, 32768),
    (78, 1),
    (79, 1),
    (80, 1),
    (81, device::SHARED_BYTES_PER_MULTIPROCESSOR as c_int),
    (82, device::REGISTERS),
    (83, 1),
    (87, 2),
    (89, 1),
    (90, 1),
    (91, 1),
    (95, 1),
    (96, 1),
    (97, device::SHARED_BYTES_PER_BLOCK_OPT_IN as c_int),
    (99, 1),
    (102, 1),
    (103, 1),
    (106, device::MAX_BLOCKS_PER_MULTIPROCESSOR),
    (107, 1),
    (108, device::PERSISTING_L2_BYTES),
    (109, device::ACCESS_POLICY_WINDOW_BYTES),
    (110, 1),
    (111, device::SHARED_BYTES_RESERVED as c_int),
    (113, 1),
    (115, 1),
    (120, 1),
    (121, 1),
    (122, 1),
    (123, 1),
    (126, 4),
    (127, 1),
    (128, 1),
    (129, 1),
    (131, -1),
    (141, 1),
    (142, 1),
    (144, 1),
    (145, 1),
];

/// The greatest number that CUDA 13.0 gives an attribute.
const LAST_ATTRIBUTE: c_int = 147;

/// The value of an attribute; what the table does not name is a thing that this device lacks.
pub(crate) fn attribute(id: c_int) -> Option<c_int> {
    if !(1..=LAST_ATTRIBUTE).contains(&id) {
        return None;
    }
    let found = ATTRIBUTES.binary_search_by_key(&id, |entry| entry.0);
    Some(found.map_or(0, |index| ATTRIBUTES[index].1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered_so_that_it_can_be_searched() {
        assert!(ATTRIBUTES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn attributes_that_programs_ask_for_are_answered() {
        assert_eq!(attribute(16), Some(132));
        assert_eq!(attribute(75), Some(9));
        assert_eq!(attribute(120), Some(1), "clusters are offered");
        assert_eq!(attribute(125), Some(0), "handles for other processes are not offered");
        assert_eq!(attribute(131), Some(-1), "the device is no NUMA node");
        assert_eq!(attribute(0), None);
        assert_eq!(attribute(100_000), None);
    }
}
