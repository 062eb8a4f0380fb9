//! Streams: which there are, and by which name the order of work knows them.

use super::error::CudaError;
use super::handles::HandleTable;
use crate::Stream;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number behind a `cudaStream_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamHandle(pub usize);

impl StreamHandle {
    /// The default stream: the legacy one, or the thread's own where the program was compiled for that.
    pub const DEFAULT: StreamHandle = StreamHandle(0);
    /// `cudaStreamLegacy`, which is a number and no handle.
    const LEGACY: StreamHandle = StreamHandle(1);
    /// `cudaStreamPerThread`, which is a number and no handle.
    const PER_THREAD: StreamHandle = StreamHandle(2);

    fn is_default(self) -> bool {
        matches!(self, Self::DEFAULT | Self::LEGACY | Self::PER_THREAD)
    }
}

/// The priority of most streams. A smaller number goes first.
pub const LEAST_PRIORITY: i32 = 0;
/// The priority of those that go first, as on current devices.
pub const GREATEST_PRIORITY: i32 = -5;

/// `cudaStreamNonBlocking`, the only flag there is.
pub const NON_BLOCKING: u32 = 1;

/// The streams that the program has made.
#[derive(Default)]
pub struct Streams {
    table: HandleTable<StreamProperties>,
}

/// What a stream was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamProperties {
    /// [`NON_BLOCKING`], or none.
    pub flags: u32,
    /// From [`GREATEST_PRIORITY`] to [`LEAST_PRIORITY`].
    pub priority: i32,
}

impl Streams {
    /// Makes a stream.
    pub fn create(&mut self, properties: StreamProperties) -> StreamHandle {
        StreamHandle(self.table.insert(properties))
    }

    /// Takes a stream away. The default streams stay.
    pub fn destroy(&mut self, stream: StreamHandle) -> Result<(), CudaError> {
        let removed = self.table.remove(stream.0);
        removed.map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// Refuses what is not a stream.
    pub fn check(&self, stream: StreamHandle) -> Result<(), CudaError> {
        self.properties(stream).map(|_| ())
    }

    /// Flags and priority of a stream.
    pub fn properties(&self, stream: StreamHandle) -> Result<StreamProperties, CudaError> {
        if stream.is_default() {
            return Ok(StreamProperties { flags: 0, priority: LEAST_PRIORITY });
        }
        self.table.get(stream.0).copied().ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// The stream as the order of work knows it.
    pub fn name(&self, stream: StreamHandle) -> Result<Stream, CudaError> {
        let properties = self.properties(stream)?;
        let number = stream.0 as u64;
        Ok(match stream {
            StreamHandle::DEFAULT if per_thread_default_applies() => {
                Stream::Blocking(number_of_this_thread())
            }
            StreamHandle::DEFAULT | StreamHandle::LEGACY => Stream::Legacy,
            StreamHandle::PER_THREAD => Stream::Blocking(number_of_this_thread()),
            _ if properties.flags & NON_BLOCKING != 0 => Stream::NonBlocking(number),
            _ => Stream::Blocking(number),
        })
    }
}

/// Each thread has a default stream of its own, whose number is not that of a handle.
fn number_of_this_thread() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NUMBER: u64 = u64::MAX - THREADS.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

thread_local! {
    static PER_THREAD_DEFAULT: Cell<bool> = const { Cell::new(false) };
}

/// The call that runs now takes the default stream for the thread's own: the program was compiled for that.
pub fn mark_per_thread_default() {
    PER_THREAD_DEFAULT.set(true);
}

fn per_thread_default_applies() -> bool {
    PER_THREAD_DEFAULT.get()
}

/// The call has ended.
pub(super) fn forget_per_thread_default() {
    PER_THREAD_DEFAULT.set(false);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(flags: u32, priority: i32) -> StreamProperties {
        StreamProperties { flags, priority }
    }

    #[test]
    fn the_default_streams_need_not_be_made() {
        let mut streams = Streams::default();
        for number in 0..3 {
            assert_eq!(streams.check(StreamHandle(number)), Ok(()));
        }
        let stream = streams.create(made(NON_BLOCKING, -1));
        assert_eq!(streams.properties(stream), Ok(made(NON_BLOCKING, -1)));
        assert_eq!(streams.destroy(stream), Ok(()));
        assert_eq!(streams.check(stream), Err(CudaError::INVALID_RESOURCE_HANDLE));
    }

    #[test]
    fn streams_have_names_by_what_they_wait_for() {
        let mut streams = Streams::default();
        assert_eq!(streams.name(StreamHandle::DEFAULT), Ok(Stream::Legacy));
        assert_eq!(streams.name(StreamHandle::LEGACY), Ok(Stream::Legacy));
        let own = streams.name(StreamHandle::PER_THREAD);
        assert!(matches!(own, Ok(Stream::Blocking(_))));
        assert_eq!(own, streams.name(StreamHandle::PER_THREAD));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| Streams::default().name(StreamHandle::PER_THREAD));
            assert_ne!(other.join().expect("no panic"), own);
        });
        let free = streams.create(made(NON_BLOCKING, 0));
        assert!(matches!(streams.name(free), Ok(Stream::NonBlocking(_))));
        let blocking = streams.create(made(0, 0));
        assert!(matches!(streams.name(blocking), Ok(Stream::Blocking(_))));
    }
}
