use crate::clock::Epoch;

/// An access of one lane to a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByLane {
    pub(crate) block: u32,
    pub(crate) epoch: Epoch,
    pub(crate) site: u32,
    /// All lanes that executed the instruction with it.
    pub(crate) active: u32,
    pub(crate) warp: u8,
    pub(crate) lane: u8,
}

impl ByLane {
    /// What stands where there is none.
    pub(super) const NONE: ByLane =
        ByLane { block: 0, epoch: 0, site: 0, active: 0, warp: 0, lane: 0 };
}
