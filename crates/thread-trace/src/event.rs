//! Events.

use warpsan_thread_detect::{MemoryOrder, Span};

/// A thread, by its number in the trace. Numbers are not given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceThread(pub u32);

/// A place in the program, with the calls that lead there. Zero is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Site(pub u32);

/// A file with code, by its number in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleNumber(pub u32);

/// A file with code, and where it was mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its path.
    pub path: String,
    /// The first of its addresses.
    pub start: u64,
    /// The first behind them.
    pub end: u64,
    /// What was added to the file's own addresses.
    pub bias: u64,
}

/// What a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The call that leads to it; [`Site`] zero where none is known.
    pub caller: Site,
    /// The file that it is in; `None` where no file is mapped.
    pub module: Option<ModuleNumber>,
    /// The address as the file's own addresses count, within the instruction of the access or call.
    pub offset: u64,
}

/// A lock, or anything else that is released and acquired, by its address. No barrier has the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lock(pub u64);

/// A barrier, by its address.
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
    /// Something was released that others have released, too: a semaphore was posted, a waiter notified. Who acquires it later is
    /// behind all of them.
    Post(Lock),
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
    /// A thread has ended that nobody will wait for: it may say so itself, or who decides it.
    Abandon(TraceThread),
    /// The thread began to wait at a barrier of so many parties.
    EnterBarrier(Barrier, u32),
    /// The thread has waited at a barrier.
    LeaveBarrier(Barrier),
    /// Locks, barriers and atomic variables at these addresses are gone: what is there next is another one.
    Destroy(Span),
    /// Memory was given out: nobody has accessed it, and nothing in it synchronises.
    Allocate(Span),
    /// Memory was given back, which is a write to all of it. Nothing in it synchronises any more.
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
