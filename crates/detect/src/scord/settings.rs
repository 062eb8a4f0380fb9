//! What users can choose.

use crate::last_access::Granularity;
use crate::specification::settings::{settings, words};
use serde::{Deserialize, Serialize};

settings! {
    /// Options of the detector. The default is the paper's base design, which keeps an entry for every location.
    pub struct ScordSettings {
        /// Bytes of memory that are one location: the paper's 4, 8 or 16, or 1 or 2
        pub granularity: Granularity = Granularity::default(), "BYTES";

        /// Whether metadata are kept in a cache with one entry for sixteen locations, which misses races where locations
        /// share an entry
        pub cache: bool = false, "SWITCH";

        /// Whether threads of a warp that has diverged count by themselves
        pub its: bool = false, "SWITCH";

        /// How blocks are distinguished
        pub block_ids: BlockIds = BlockIds::Wide, "HOW";
    }
}

words! {
    BlockIds {
        Wide = "wide": "By all of their number",
        Paper = "paper": "By the eight bits that metadata have",
    }
}

/// How blocks are distinguished.
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
