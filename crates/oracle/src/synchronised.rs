//! Small random kernels that use every kind of synchronisation, rightly or nearly so.
//!
//! A kernel is a few hand-offs (flags, locks, barriers, `mbarrier` objects, asynchronous copies) over very
//! few locations, each with a piece weakened or left out now and then, mixed with accesses that have no
//! reason. Whatever waits for a flag gives up after some attempts, so that a kernel always ends.
//! Every instruction has a line of its own: a line of the text is one place of the program.

mod accesses;
mod barriers;
mod copies;
mod handoffs;
mod mbarriers;
mod parties;
mod place;
mod render;
mod shrink;
mod statement;
mod templates;
mod tickets;
mod warp_wide;

use warpsan_model::{Dim3, Geometry};

use crate::random::Random;
pub use statement::{Statement, Test};

/// Bytes of global memory that a kernel uses, all zero before.
pub const GLOBAL_BYTES: u64 = 4096;

/// The extents of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// Blocks of the grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks of a cluster; 1 for a launch without clusters.
    pub cluster: u32,
    /// How blocks and threads lie.
    pub layout: Layout,
}

/// How the blocks of a grid and the threads of a block lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One behind the other.
    Row,
    /// One above the other.
    Column,
    /// Blocks in two columns, where there is an even number of them, and clusters of blocks that are above
    /// each other; threads in two rows.
    Square,
}

impl Extents {
    /// Grid and blocks.
    pub fn geometry(&self) -> Geometry {
        let (blocks, threads) = (self.blocks, self.threads);
        let two = |count: u32| if count.is_multiple_of(2) { 2 } else { 1 };
        let (grid, block) = match self.layout {
            Layout::Row => (Dim3::new(blocks, 1, 1), Dim3::new(threads, 1, 1)),
            Layout::Column => (Dim3::new(1, blocks, 1), Dim3::new(1, threads, 1)),
            Layout::Square => {
                let (columns, rows) = (self.columns(), two(threads));
                (Dim3::new(columns, blocks / columns, 1), Dim3::new(threads / rows, rows, 1))
            }
        };
        Geometry { grid, block }
    }

    /// The extents of a cluster.
    pub fn clusters(&self) -> Dim3 {
        match self.layout {
            Layout::Row => Dim3::new(self.cluster, 1, 1),
            Layout::Column | Layout::Square => Dim3::new(1, self.cluster, 1),
        }
    }

    /// Columns of blocks in a square.
    fn columns(&self) -> u32 {
        if self.blocks == 4 || self.blocks == 2 && self.cluster == 1 { 2 } else { 1 }
    }

    /// The other block of a block's cluster of two.
    pub fn peer(&self, block: u32) -> u32 {
        let distance = match self.layout {
            Layout::Row | Layout::Column => 1,
            Layout::Square => self.columns(),
        };
        if (block / distance).is_multiple_of(2) { block + distance } else { block - distance }
    }

    /// Whether two blocks are in one cluster.
    pub fn are_together(&self, one: u32, other: u32) -> bool {
        one == other || self.cluster > 1 && self.peer(one) == other
    }

    /// Warps of a block; the last one may be partly filled.
    pub fn warps(&self) -> u32 {
        self.threads.div_ceil(32)
    }
}

/// A random kernel, and how to launch it. Its parameters are the address of its global memory and a zero
/// that it does not know to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SynchronisedKernel {
    /// How to launch it.
    pub extents: Extents,
    /// What it does.
    pub statements: Vec<Statement>,
}

impl SynchronisedKernel {
    /// The kernel that belongs to a seed.
    pub fn random(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x5eed_0f5e_edf0_0d5e);
        let extents = random_extents(&mut random);
        let statements = templates::Generator::new(random, extents).kernel();
        Self { extents, statements }
    }

    /// A kernel whose accesses are mostly those of whole warps.
    pub fn warp_wide(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x51de_b751_de00_aa5e);
        let extents = warp_wide::extents(&mut random);
        let in_phases = random.once_in(2);
        let generator = templates::Generator::new(random, extents);
        let statements = match in_phases {
            true => generator.phased_kernel(),
            false => generator.warp_wide_kernel(),
        };
        Self { extents, statements }
    }

    /// A kernel of either kind: one in three is of whole warps.
    pub fn mixed(seed: u64) -> Self {
        if seed % 3 == 2 { Self::warp_wide(seed) } else { Self::random(seed) }
    }

    /// The module with the kernel `k`.
    pub fn text(&self) -> String {
        render::module(self)
    }

    /// Kernels that lack a little of this one, the ones that lack much first.
    pub fn smaller(&self) -> Vec<SynchronisedKernel> {
        shrink::smaller(self)
    }
}

fn random_extents(random: &mut Random) -> Extents {
    let threads = random.choose(&[1, 2, 2, 3, 4, 4, 8, 33, 33, 34, 40, 64, 65, 66, 70]);
    let cluster = if random.once_in(3) { 2 } else { 1 };
    let blocks = match cluster {
        1 => random.choose(&[1, 1, 2, 2, 2, 3, 4]),
        _ => random.choose(&[2, 2, 4]),
    };
    let layout = random.choose(&[
        Layout::Row,
        Layout::Row,
        Layout::Row,
        Layout::Row,
        Layout::Column,
        Layout::Square,
    ]);
    Extents { blocks, threads, cluster, layout }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_one_kernel() {
        assert_eq!(SynchronisedKernel::random(7), SynchronisedKernel::random(7));
        assert_ne!(SynchronisedKernel::random(7).text(), SynchronisedKernel::random(8).text());
    }

    #[test]
    fn peers_are_in_one_cluster() {
        for layout in [Layout::Row, Layout::Column, Layout::Square] {
            for blocks in [2, 4] {
                let extents = Extents { blocks, threads: 4, cluster: 2, layout };
                let (grid, cluster) = (extents.geometry().grid, extents.clusters());
                for block in 0..blocks {
                    let of = |block: u32| {
                        let at = grid.at(u64::from(block));
                        (at.x / cluster.x, at.y / cluster.y)
                    };
                    assert_eq!(of(block), of(extents.peer(block)), "{extents:?}");
                    assert_ne!(block, extents.peer(block));
                }
            }
        }
    }

    #[test]
    fn kernels_are_read_without_errors() {
        for seed in 0..1000 {
            let text = SynchronisedKernel::mixed(seed).text();
            let document = warpsan_ptx::Document::parse(text.clone());
            assert_eq!(document.errors(), [], "seed {seed}:\n{text}");
        }
    }

    #[test]
    fn every_instruction_has_its_own_line() {
        for seed in 0..100 {
            let text = SynchronisedKernel::mixed(seed).text();
            let crowded = text.lines().find(|line| line.matches(';').count() > 1);
            assert_eq!(crowded, None, "seed {seed}");
        }
    }
}
