//! Points that are before others.

use super::operations::PointNumber;

/// One point is before another, by these rules together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub(super) to: PointNumber,
    pub(super) from: PointNumber,
    /// A bit for each rule.
    pub(super) rules: u32,
}
