use super::Entry;
use crate::hb::ids::BlockNumber;

/// The launch that reads.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ThisLaunch {
    /// Its first block among all that are remembered. Those below are of earlier launches, which threads of
    /// this one may be after, and those of another one not.
    pub(crate) first_block: BlockNumber,
    /// The kernel has nothing that could order threads of two blocks.
    pub(crate) blocks_never_meet: bool,
}

impl ThisLaunch {
    /// Whether the access was made in this launch.
    #[inline]
    pub(super) fn has(self, entry: &Entry) -> bool {
        entry.block >= self.first_block
    }
}
