//! What an instruction is: known before it runs, and not written into every record.

use super::location::Place;
use warpsan_event::{AccessKind, CopyKind, MbarrierStep, ProxyKind};
use warpsan_model::{Order, Scope, Strength};

/// What a site of an instrumented kernel does, by the site's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteInfo {
    /// Its record says all there is.
    Plain,
    /// A load, store, atomic or reduction.
    Access(AccessInfo),
    /// A fence.
    Fence {
        /// Its order.
        order: Order,
        /// Its scope.
        scope: Scope,
    },
    /// A proxy fence.
    ProxyFence {
        /// Which accesses it orders with ordinary ones.
        proxy: ProxyKind,
    },
    /// A block barrier.
    BlockBarrier {
        /// All threads of a warp have to execute the same instruction.
        aligned: bool,
    },
    /// An arrival at the barrier of the cluster.
    ClusterArrive {
        /// Release, or relaxed, which orders nothing.
        order: Order,
    },
    /// A step of an `mbarrier` object.
    Mbarrier {
        /// Which one.
        step: MbarrierStep,
        /// Order and scope.
        strength: Strength,
    },
    /// The beginning of asynchronous copies.
    Copy {
        /// What kind of copy.
        kind: CopyKind,
        /// It combines what it brings with what is there.
        reduces: bool,
    },
    /// The end of a group of copies, or the wait for groups.
    CopyGroup {
        /// Bulk copies, not those of `cp.async`.
        bulk: bool,
        /// Only their sources are known to be read.
        read: bool,
    },
}

/// What a load, store, atomic or reduction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessInfo {
    /// Where it goes; [`Place::OfSite`] for generic addresses, whose records say it.
    pub place: Place,
    /// What it does.
    pub kind: AccessKind,
    /// How strong it is.
    pub strength: Strength,
    /// Bytes of one element.
    pub bytes: u8,
    /// Neighbouring elements of each lane: 1, 2 or 4.
    pub elements: u8,
    /// It goes through the read-only path (`ld.global.nc`).
    pub read_only_path: bool,
}
