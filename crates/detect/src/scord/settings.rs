//! What users can choose.

use crate::last_access::Granularity;
use serde::{Deserialize, Serialize};

/// Options of the detector. The default is the paper's base design, which keeps an entry for every location.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScordSettings {
    /// How much memory shares one entry.
    pub granularity: Granularity,
    /// Entries are kept in a direct-mapped cache with one for sixteen locations.
    pub cache: bool,
    /// Threads of a warp that has diverged count by themselves.
    pub its: bool,
    /// How blocks are told apart.
    pub block_ids: BlockIds,
}

/// How blocks are told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockIds {
    /// All of a block's number counts. It is kept beside the metadata.
    #[default]
    Wide,
    /// Only the eight bits that an entry has: blocks whose numbers differ by a multiple of 256 are taken for one.
    Paper,
}

impl BlockIds {
    /// What is left of a block's number.
    #[inline]
    pub(super) fn key(self, block: u32) -> u32 {
        match self {
            BlockIds::Wide => block,
            BlockIds::Paper => block & 0xff,
        }
    }
}
