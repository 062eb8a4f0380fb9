//! Memory orders of C++.

/// The order of an atomic operation or a fence. `consume` is acquire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// No order.
    Relaxed,
    /// Reads acquire.
    Acquire,
    /// Writes release.
    Release,
    /// Both.
    AcquireRelease,
    /// Both, in one total order with all others of its kind.
    SequentiallyConsistent,
}

impl MemoryOrder {
    /// All of them.
    pub const ALL: [MemoryOrder; 5] = [
        MemoryOrder::Relaxed,
        MemoryOrder::Acquire,
        MemoryOrder::Release,
        MemoryOrder::AcquireRelease,
        MemoryOrder::SequentiallyConsistent,
    ];

    /// Whether what reads with it acquires.
    pub fn acquires(self) -> bool {
        use MemoryOrder::{Acquire, AcquireRelease, SequentiallyConsistent};
        matches!(self, Acquire | AcquireRelease | SequentiallyConsistent)
    }

    /// Whether what writes with it releases.
    pub fn releases(self) -> bool {
        use MemoryOrder::{AcquireRelease, Release, SequentiallyConsistent};
        matches!(self, Release | AcquireRelease | SequentiallyConsistent)
    }
}
