//! What users can choose, and what a version on a device has to agree on.

use crate::specification::settings::{
    SettingValue, Values, WrongValue, number_from, number_or_default, settings, words,
};
use serde::{Deserialize, Serialize};

settings! {
    /// Options of the detector. The thesis makes all of its sets of a fixed size, which its users configure.
    pub struct CurdSettings {
        /// When blocks are compared with each other
        pub inter_block: InterBlock = InterBlock::Lazy, "WHEN";

        /// Regions of memory that a thread's read or write set has room for
        pub thread_regions: u32 = 1 << 12, "NUMBER";

        /// Regions of memory that a block's read or write set has room for
        pub block_regions: u32 = 1 << 18, "NUMBER";

        /// Regions of a set that are looked at for one that a new region can be merged with
        pub search: u32 = 8, "NUMBER";

        /// Megabytes of a GPU's memory for the sets of each stream [default: a sixteenth of it]
        pub device_memory: DeviceMemory = DeviceMemory::default(), "MIB";
    }
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

words! {
    InterBlock {
        Lazy = "lazy": "When the kernel has ended",
        Eager = "eager": "At each barrier",
    }
}

/// Megabytes of a GPU's memory for the sets of a stream; a part of all of it unless that is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceMemory(pub Option<u32>);

impl DeviceMemory {
    /// The bytes, if users chose them.
    pub fn bytes(self) -> Option<u64> {
        self.0.map(|megabytes| u64::from(megabytes) << 20)
    }
}

number_or_default!(DeviceMemory, 32);
