//! Streams. Work is put in line by the call that asks for it, and done when somebody waits for it.

use crate::call::{Api, call, call_to_ask};
use crate::error::CudaError;
use crate::events::event_number;
use crate::graph_nodes::{HostFn, HostNode, HostNodeParameters, NodeWork};
use crate::handles::{HandleTable, handle_of, pointer_of};
use crate::types::{CudaEvent, CudaStream};
use crate::{call_site, capture, host_thread, per_thread_default};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use warpsan_runtime::{ApiCall, Stream, Task, Wait, Work};

/// `cudaStreamLegacy` and `cudaStreamPerThread`, which are numbers and not handles.
const LEGACY_STREAM: usize = 1;
const PER_THREAD_STREAM: usize = 2;

/// Priorities as on current devices: a smaller number goes first.
pub(crate) const LEAST_PRIORITY: c_int = 0;
pub(crate) const GREATEST_PRIORITY: c_int = -5;

/// `cudaStreamNonBlocking`, the only flag there is.
const NON_BLOCKING: c_uint = 1;

/// The streams that the program has made.
#[derive(Default)]
pub(crate) struct Streams {
    table: HandleTable<Made>,
}

struct Made {
    flags: c_uint,
    priority: c_int,
}

impl Streams {
    /// Refuses what is not a stream.
    pub(crate) fn check(&self, stream: CudaStream) -> Result<(), CudaError> {
        self.properties(stream).map(|_| ())
    }

    /// Flags and priority of a stream.
    fn properties(&self, stream: CudaStream) -> Result<(c_uint, c_int), CudaError> {
        if matches!(stream.addr(), 0 | LEGACY_STREAM | PER_THREAD_STREAM) {
            return Ok((0, LEAST_PRIORITY));
        }
        let made = self.table.get(handle_of(stream)).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        Ok((made.flags, made.priority))
    }

    /// The stream as the order of work knows it.
    pub(crate) fn name(&self, stream: CudaStream) -> Result<Stream, CudaError> {
        let (flags, _) = self.properties(stream)?;
        let number = stream.addr() as u64;
        Ok(match stream.addr() {
            0 if per_thread_default::applies() => Stream::Blocking(number_of_this_thread()),
            0 | LEGACY_STREAM => Stream::Legacy,
            PER_THREAD_STREAM => Stream::Blocking(number_of_this_thread()),
            _ if flags & NON_BLOCKING != 0 => Stream::NonBlocking(number),
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

/// Puts work into a stream.
///
/// # Safety
/// Memory of the host that the work uses stays as it is until the work is done.
pub(crate) unsafe fn submit(
    api: &mut Api,
    stream: CudaStream,
    task: Task,
) -> Result<(), CudaError> {
    let stream = api.streams.name(stream)?;
    // Launches and functions of the host have lines of their own, and finding a caller takes a while.
    let frames = match &task {
        Task::Transfers(_) | Task::Free(_) => call_site::here(),
        Task::Launch(_) | Task::HostFunction(_) | Task::Nothing => Arc::new(Vec::new),
    };
    let call = ApiCall { name: api.entry_point.clone(), frames };
    // SAFETY: passed on from the caller.
    unsafe { api.session()?.enqueue(stream, Work { call, task }) };
    host_thread::watch();
    Ok(())
}

/// Writes an answer to a place that the program passes.
///
/// # Safety
/// `place` is null or a place for a `T`.
pub(crate) unsafe fn answer<T>(place: *mut T, value: T) -> Result<(), CudaError> {
    if place.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: not null, so it is a place for a `T`.
    unsafe { place.write(value) };
    Ok(())
}

/// Writes an answer to a place that the program need not pass.
///
/// # Safety
/// `place` is null or a place for a `T`.
pub(crate) unsafe fn answer_if_wanted<T>(place: *mut T, value: T) {
    // SAFETY: passed on from the caller. Without a place nobody wants to know.
    let _ = unsafe { answer(place, value) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamCreateWithPriority(
    stream: *mut CudaStream,
    flags: c_uint,
    priority: c_int,
) -> CudaError {
    call("cudaStreamCreateWithPriority", |api| {
        if stream.is_null() || flags & !NON_BLOCKING != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        // A priority outside the range is moved to its nearest end.
        let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
        let handle = pointer_of(api.streams.table.insert(Made { flags, priority }));
        let name = api.streams.name(handle)?;
        api.session()?.order().begin_stream(name);
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(stream, handle) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamCreateWithFlags(
    stream: *mut CudaStream,
    flags: c_uint,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaStreamCreateWithPriority(stream, flags, LEAST_PRIORITY) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamCreate(stream: *mut CudaStream) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaStreamCreateWithPriority(stream, 0, LEAST_PRIORITY) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamDestroy(stream: CudaStream) -> CudaError {
    call("cudaStreamDestroy", |api| {
        let name = api.streams.name(stream)?;
        let removed = api.streams.table.remove(handle_of(stream));
        removed.ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        api.session()?.order().end_stream(name);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamSynchronize(stream: CudaStream) -> CudaError {
    call("cudaStreamSynchronize", |api| {
        let stream = api.streams.name(stream)?;
        api.wait_for(Wait::Stream(stream))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamQuery(stream: CudaStream) -> CudaError {
    call_to_ask("cudaStreamQuery", |api| {
        let stream = api.streams.name(stream)?;
        api.query(Wait::Stream(stream))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamWaitEvent(
    stream: CudaStream,
    event: CudaEvent,
    _flags: c_uint,
) -> CudaError {
    call("cudaStreamWaitEvent", |api| {
        let stream = api.streams.name(stream)?;
        api.events.check(event)?;
        if !api.captures.wait(stream, event_number(event))? {
            api.session()?.order().wait(stream, event_number(event));
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetFlags(stream: CudaStream, flags: *mut c_uint) -> CudaError {
    call("cudaStreamGetFlags", |api| {
        let (value, _) = api.streams.properties(stream)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(flags, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetPriority(
    stream: CudaStream,
    priority: *mut c_int,
) -> CudaError {
    call("cudaStreamGetPriority", |api| {
        let (_, value) = api.streams.properties(stream)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(priority, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetId(stream: CudaStream, id: *mut c_ulonglong) -> CudaError {
    call("cudaStreamGetId", |api| {
        api.streams.check(stream)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(id, stream.addr() as c_ulonglong) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetDevice(stream: CudaStream, device: *mut c_int) -> CudaError {
    call("cudaStreamGetDevice", |api| {
        api.streams.check(stream)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(device, 0) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetStreamPriorityRange(
    least: *mut c_int,
    greatest: *mut c_int,
) -> CudaError {
    call("cudaDeviceGetStreamPriorityRange", |_| {
        for (place, value) in [(least, LEAST_PRIORITY), (greatest, GREATEST_PRIORITY)] {
            // SAFETY: the program passes null or a place for a number.
            unsafe { answer_if_wanted(place, value) };
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchHostFunc(
    stream: CudaStream,
    function: Option<HostFn>,
    data: *mut c_void,
) -> CudaError {
    call("cudaLaunchHostFunc", |api| {
        let function = HostNode::new(&HostNodeParameters { function, data })?;
        if capture::is_capturing(api, stream)? {
            return capture::add_node(api, stream, NodeWork::Host(function));
        }
        // SAFETY: what the function uses is the program's business.
        unsafe { submit(api, stream, function.task()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamAddCallback(
    stream: CudaStream,
    callback: Option<unsafe extern "C" fn(CudaStream, CudaError, *mut c_void)>,
    data: *mut c_void,
    flags: c_uint,
) -> CudaError {
    call("cudaStreamAddCallback", |api| {
        let callback = callback.filter(|_| flags == 0).ok_or(CudaError::INVALID_VALUE)?;
        let name = api.streams.name(stream)?;
        api.captures.check_wait(Wait::Stream(name))?;
        let (handle, data) = (stream.expose_provenance(), data.expose_provenance());
        let task = Task::HostFunction(Arc::new(move || {
            let stream = std::ptr::with_exposed_provenance_mut(handle);
            let data = std::ptr::with_exposed_provenance_mut(data);
            // SAFETY: the program passes a function for these arguments.
            unsafe { callback(stream, CudaError::SUCCESS, data) };
        }));
        // SAFETY: what the function uses is the program's business.
        unsafe { submit(api, stream, task) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_streams_need_not_be_made() {
        let mut streams = Streams::default();
        for number in [0, LEGACY_STREAM, PER_THREAD_STREAM] {
            assert_eq!(streams.check(std::ptr::without_provenance_mut(number)), Ok(()));
        }
        let handle = streams.table.insert(Made { flags: NON_BLOCKING, priority: -1 });
        let made = pointer_of(handle);
        assert_eq!(streams.properties(made), Ok((NON_BLOCKING, -1)));
        streams.table.remove(handle);
        assert_eq!(streams.check(made), Err(CudaError::INVALID_RESOURCE_HANDLE));
    }

    #[test]
    fn streams_have_names_by_what_they_wait_for() {
        let mut streams = Streams::default();
        let default = |number| std::ptr::without_provenance_mut(number);
        assert_eq!(streams.name(default(0)), Ok(Stream::Legacy));
        assert_eq!(streams.name(default(LEGACY_STREAM)), Ok(Stream::Legacy));
        let own = streams.name(default(PER_THREAD_STREAM));
        assert!(matches!(own, Ok(Stream::Blocking(_))));
        assert_eq!(own, streams.name(default(PER_THREAD_STREAM)));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| Streams::default().name(default(PER_THREAD_STREAM)));
            assert_ne!(other.join().expect("no panic"), own);
        });
        let free = pointer_of(streams.table.insert(Made { flags: NON_BLOCKING, priority: 0 }));
        assert!(matches!(streams.name(free), Ok(Stream::NonBlocking(_))));
        let blocking = pointer_of(streams.table.insert(Made { flags: 0, priority: 0 }));
        assert!(matches!(streams.name(blocking), Ok(Stream::Blocking(_))));
    }
}
