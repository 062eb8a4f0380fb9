//! Answers of `cudaDeviceGetAttribute`.

use crate::device;
use std::ffi::c_int;

/// What cannot be offered is said here as well, so that a program takes its other path: mapped and
/// registered host memory, clusters, textures, peers, inter-process handles.
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
    (31, 1),
    (36, device::MEMORY_CLOCK_KILOHERTZ),
    (37, device::MEMORY_BUS_BITS),
    (38, device::L2_BYTES),
    (39, device::MAX_THREADS_PER_MULTIPROCESSOR),
    (40, device::ASYNC_ENGINES),
    (41, 1),
    (51, device::TEXTURE_PITCH_ALIGNMENT as c_int),
    (75, device::COMPUTE_CAPABILITY.0),
    (76, device::COMPUTE_CAPABILITY.1),
    (78, 1),
    (79, 1),
    (80, 1),
    (81, device::SHARED_BYTES_PER_MULTIPROCESSOR as c_int),
    (82, device::REGISTERS),
    (83, 1),
    (87, 2),
    (89, 1),
    (90, 1),
    (95, 1),
    (97, device::SHARED_BYTES_PER_BLOCK_OPT_IN as c_int),
    (106, device::MAX_BLOCKS_PER_MULTIPROCESSOR),
    (111, device::SHARED_BYTES_RESERVED as c_int),
    (115, 1),
    (126, 1),
    // There is no NUMA node of the device or near it.
    (131, -1),
    (134, -1),
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
        assert_eq!(attribute(120), Some(0), "clusters are not offered");
        assert_eq!(attribute(0), None);
        assert_eq!(attribute(100_000), None);
    }
}
