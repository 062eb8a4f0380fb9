//! What a program does that puts work of its devices into an order, or that waits for it.

use crate::driver_types::{CUevent, CUstream};
use warpsan_model::LaunchId;

/// One step of the order of work. It is reported after the driver has done it, so that whoever keeps the order knows
/// rather more of it than less; only ends of streams and events are reported before. A stream has a name that means the same in
/// calls of every kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderStep {
    /// A stream was made.
    StreamMade(CUstream),
    /// A stream is gone, and its handle may be another's. Nobody has waited for its work.
    StreamEnded(CUstream),
    /// An event is gone, and its handle may be another's.
    EventEnded(CUevent),
    /// A launch whose operations are shipped.
    Launched(OrderedLaunch),
    /// Other work in a stream.
    Work(CUstream),
    /// Memory is given back in the order of a stream.
    Freed(CUstream),
    /// Memory was taken in the order of a stream, which may wait for another one that gives it back.
    Taken(CUstream),
    /// An event stands for what is in a stream now.
    Recorded {
        /// The event.
        event: CUevent,
        /// The stream.
        stream: CUstream,
    },
    /// An event stands for work that is not known.
    RecordedElsewhere(CUevent),
    /// What comes next in a stream waits for an event.
    StreamWaits {
        /// The stream.
        stream: CUstream,
        /// The event.
        event: CUevent,
    },
    /// The host knows that all work in a stream is done.
    HostWaitedForStream(CUstream),
    /// The host knows that what an event stands for is done.
    HostWaitedForEvent(CUevent),
    /// The host knows that all work is done.
    HostWaitedForAll,
    /// A context is gone with its streams and events, whose handles may be others'.
    ContextEnded,
    /// From now on there is memory that kernels and the host use at the same time.
    SharedWithHost,
    /// From now on work may be in an order that nobody can see.
    NotFollowed,
}

/// A launch, as far as the order of work is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedLaunch {
    /// The number that its events have.
    pub launch: LaunchId,
    /// The stream.
    pub stream: CUstream,
    /// It may begin before the launch in front of it has ended.
    pub overlaps: bool,
    /// Its kernel has operations by which it could pass something to the host, or get something from it, while it runs.
    pub speaks_to_host: bool,
    /// It is one of several that wait for each other's streams.
    pub is_one_of_several: bool,
}
