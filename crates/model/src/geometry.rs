use serde::{Deserialize, Serialize};
use std::fmt;

/// Lanes of a warp. PTX calls it `WARP_SZ`; every architecture so far has 32.
pub const WARP_LANES: u32 = 32;

/// The lanes of a mask, lowest first.
pub fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut remaining = mask;
    std::iter::from_fn(move || {
        let lane = remaining.trailing_zeros();
        (remaining != 0).then(|| {
            remaining &= remaining - 1;
            lane
        })
    })
}

/// An extent or an index in three dimensions, as CUDA's `dim3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dim3 {
    /// The fastest-moving dimension.
    pub x: u32,
    /// The middle dimension.
    pub y: u32,
    /// The slowest-moving dimension.
    pub z: u32,
}

impl Dim3 {
    /// An extent or index from its three parts.
    pub fn new(x: u32, y: u32, z: u32) -> Self {
        Dim3 { x, y, z }
    }

    /// How many cells an extent has.
    pub fn count(self) -> u64 {
        u64::from(self.x) * u64::from(self.y) * u64::from(self.z)
    }

    /// The index of the cell with this linear number, x fastest.
    pub fn at(self, linear: u64) -> Dim3 {
        let (x, y) = (u64::from(self.x.max(1)), u64::from(self.y.max(1)));
        Dim3 { x: (linear % x) as u32, y: ((linear / x) % y) as u32, z: (linear / (x * y)) as u32 }
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// The number of a launch within a process, from 0 in the order of execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LaunchId(pub u32);

/// The linear number of a block in its grid, x fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockIndex(pub u32);

/// The linear number of a thread in its block, x fastest; its warp is this divided by 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadInBlock(pub u32);

impl ThreadInBlock {
    /// The warp that the thread belongs to.
    pub fn warp(self) -> u32 {
        self.0 / WARP_LANES
    }

    /// The thread's lane in its warp.
    pub fn lane(self) -> u32 {
        self.0 % WARP_LANES
    }
}

/// One thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadRef {
    /// Its block.
    pub block: BlockIndex,
    /// Its place in the block.
    pub thread: ThreadInBlock,
}

/// The extents of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
}

impl Geometry {
    /// Threads of one block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.count() as u32
    }

    /// Warps of one block; the last one may be partly filled.
    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block().div_ceil(WARP_LANES)
    }

    /// The lanes of a warp that there are threads for.
    pub fn lanes_of_warp(&self, warp: u32) -> u32 {
        let threads = self.threads_per_block().saturating_sub(warp.saturating_mul(WARP_LANES));
        if threads >= WARP_LANES { u32::MAX } else { (1 << threads) - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_numbers_count_x_first() {
        let extent = Dim3::new(4, 3, 2);
        assert_eq!(extent.count(), 24);
        assert_eq!(extent.at(0), Dim3::new(0, 0, 0));
        assert_eq!(extent.at(5), Dim3::new(1, 1, 0));
        assert_eq!(extent.at(23), Dim3::new(3, 2, 1));
    }

    #[test]
    fn the_lanes_of_a_mask_come_lowest_first() {
        assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!(lanes(0).count(), 0);
    }

    #[test]
    fn a_partly_filled_warp_counts() {
        let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(33, 1, 1) };
        assert_eq!(geometry.warps_per_block(), 2);
        assert_eq!([0, 1, 2].map(|warp| geometry.lanes_of_warp(warp)), [u32::MAX, 1, 0]);
        assert_eq!(ThreadInBlock(33).warp(), 1);
        assert_eq!(ThreadInBlock(33).lane(), 1);
    }
}
