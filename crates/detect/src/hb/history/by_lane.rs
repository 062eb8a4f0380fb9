use crate::clock::Epoch;
use crate::hb::ids::{BlockNumber, SiteNumber};

/// An access of one lane to a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByLane {
    pub(crate) block: BlockNumber,
    pub(crate) epoch: Epoch,
    pub(crate) site: SiteNumber,
    /// All lanes that executed the instruction with it.
    pub(crate) active: u32,
    pub(crate) warp: u8,
    pub(crate) lane: u8,
}

impl ByLane {
    /// What stands where there is none.
    pub(super) const NONE: ByLane = ByLane {
        block: BlockNumber(0),
        epoch: 0,
        site: SiteNumber(0),
        active: 0,
        warp: 0,
        lane: 0,
    };
}
