//! Events.

use warpsan_thread_detect::{MemoryOrder, Span};

/// A thread, by its number in the trace. Numbers are not given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceThread(pub u32);

/// A place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Site(pub u32);

/// A lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lock(pub u64);

/// A barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Barrier(pub u64);

/// What a thread did, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Who.
    pub thread: TraceThread,
    /// Where in the program.
    pub site: Site,
    /// What.
    pub action: Action,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A plain read.
    Read(Span),
    /// A plain write.
    Write(Span),
    /// An atomic load, or a compare-and-exchange that failed.
    AtomicRead(Span, MemoryOrder),
    /// An atomic store.
    AtomicWrite(Span, MemoryOrder),
    /// An atomic read-modify-write.
    AtomicUpdate(Span, MemoryOrder),
    /// A fence.
    Fence(MemoryOrder),
    /// A lock was taken.
    Acquire(Lock),
    /// A lock was given back.
    Release(Lock),
    /// A lock for readers and writers was taken for reading.
    AcquireForReading(Lock),
    /// It was given back by a reader.
    ReleaseFromReading(Lock),
    /// A lock for readers and writers was taken for writing.
    AcquireForWriting(Lock),
    /// It was given back by a writer.
    ReleaseFromWriting(Lock),
    /// A thread was started.
    Fork(TraceThread),
    /// A thread's end was waited for.
    Join(TraceThread),
    /// The thread began to wait at a barrier of so many parties.
    EnterBarrier(Barrier, u32),
    /// The thread has waited at a barrier.
    LeaveBarrier(Barrier),
    /// Memory was given out.
    Allocate(Span),
    /// Memory was given back.
    Free(Span),
    /// A block of the program began. No order follows of it.
    Begin,
    /// A block of the program ended. No order follows of it.
    End,
}

/// Events in the order in which they were carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The events.
    pub events: Vec<Event>,
}
