//! What users can choose, and what a version on a device has to agree on.

use serde::{Deserialize, Serialize};

/// Options of the detector. The thesis makes all of its sets of a fixed size, which its users configure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CurdSettings {
    /// When blocks are compared with each other.
    pub inter_block: InterBlock,
    /// The most regions that a thread's read set, or its write set, has in one memory space.
    pub thread_regions: u32,
    /// The most regions that a block's read set, or its write set, has.
    pub block_regions: u32,
    /// How many regions of a set, from the last one on, are looked at for one that a new region can be merged with.
    pub search: u32,
    /// Megabytes of a GPU's memory for the sets of a stream; a part of all of it unless that is said.
    pub device_memory: Option<u32>,
}

/// When the sets of blocks are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InterBlock {
    /// When the kernel has ended.
    #[default]
    Lazy,
    /// At each barrier, and when a block ends.
    Eager,
}

impl Default for CurdSettings {
    fn default() -> Self {
        CurdSettings {
            inter_block: InterBlock::default(),
            thread_regions: 1 << 12,
            block_regions: 1 << 18,
            search: 8,
            device_memory: None,
        }
    }
}
