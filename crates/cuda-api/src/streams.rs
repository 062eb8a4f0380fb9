//! Streams. Work runs to its end inside the call that starts it, so a stream only has to exist.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::handles::{HandleTable, handle_of, pointer_of};
use crate::types::{CudaEvent, CudaStream};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

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
    table: HandleTable<Stream>,
    /// The streams with work that the program has not waited for, and whether each waits for the
    /// default stream.
    in_flight: BTreeMap<usize, bool>,
}

struct Stream {
    flags: c_uint,
    priority: c_int,
}

impl Streams {
    /// Refuses what is not a stream.
    pub(crate) fn check(&self, stream: CudaStream) -> Result<(), CudaError> {
        self.properties(stream).map(|_| ())
    }

    /// Notes work, and says whether it may run at the same time as work of another stream. The default
    /// stream and the streams that wait for it do not; any other two do, unless the program has waited
    /// for one, or orders them by events, which is not followed yet.
    fn use_for_work(&mut self, stream: CudaStream) -> bool {
        let waits = self.properties(stream).is_ok_and(|(flags, _)| flags & NON_BLOCKING == 0);
        let number = number_of(stream);
        self.in_flight.insert(number, waits);
        let ordered = |other: usize, other_waits: bool| {
            other == number || (number == 0 && other_waits) || (other == 0 && waits)
        };
        !self.in_flight.iter().all(|(other, other_waits)| ordered(*other, *other_waits))
    }

    /// The program has waited for all work of a stream.
    pub(crate) fn finish(&mut self, stream: CudaStream) {
        self.in_flight.remove(&number_of(stream));
    }

    /// The program has waited for everything.
    pub(crate) fn finish_all(&mut self) {
        self.in_flight.clear();
    }

    /// Flags and priority of a stream.
    fn properties(&self, stream: CudaStream) -> Result<(c_uint, c_int), CudaError> {
        if matches!(stream.addr(), 0 | LEGACY_STREAM | PER_THREAD_STREAM) {
            return Ok((0, LEAST_PRIORITY));
        }
        let stream = self.table.get(handle_of(stream)).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        Ok((stream.flags, stream.priority))
    }
}

/// The legacy default stream has two names.
fn number_of(stream: CudaStream) -> usize {
    if stream.addr() == LEGACY_STREAM { 0 } else { stream.addr() }
}

/// Begins work on a stream: a launch, a copy or a fill.
pub(crate) fn begin_work(api: &mut Api, stream: CudaStream) -> Result<(), CudaError> {
    api.streams.check(stream)?;
    if api.streams.use_for_work(stream) {
        api.session()?.not_checked(
            "races between launches and copies of different streams",
            "work on streams that do not wait for each other by themselves",
            "each launch was checked on its own, one after another",
        );
    }
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
        let handle = api.streams.table.insert(Stream { flags, priority });
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(stream, pointer_of(handle)) }
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
        let removed = api.streams.table.remove(handle_of(stream));
        removed.map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamSynchronize(stream: CudaStream) -> CudaError {
    call("cudaStreamSynchronize", |api| {
        api.streams.check(stream)?;
        api.streams.finish(stream);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamQuery(stream: CudaStream) -> CudaError {
    call("cudaStreamQuery", |api| {
        api.streams.check(stream)?;
        api.streams.finish(stream);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamWaitEvent(
    stream: CudaStream,
    event: CudaEvent,
    _flags: c_uint,
) -> CudaError {
    call("cudaStreamWaitEvent", |api| {
        api.streams.check(stream)?;
        api.events.check(event)
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
unsafe extern "C" fn wsrt_cudaStreamIsCapturing(
    stream: CudaStream,
    status: *mut c_int,
) -> CudaError {
    call("cudaStreamIsCapturing", |api| {
        api.streams.check(stream)?;
        // No stream captures, because captures are refused.
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(status, 0) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetStreamPriorityRange(
    least: *mut c_int,
    greatest: *mut c_int,
) -> CudaError {
    call("cudaDeviceGetStreamPriorityRange", |_| {
        for (place, value) in [(least, LEAST_PRIORITY), (greatest, GREATEST_PRIORITY)] {
            if !place.is_null() {
                // SAFETY: the program passes null or a place for a number.
                unsafe { answer(place, value) }?;
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchHostFunc(
    stream: CudaStream,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> CudaError {
    let checked = call("cudaLaunchHostFunc", |api| {
        api.streams.check(stream)?;
        function.map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    });
    if let (CudaError::SUCCESS, Some(function)) = (checked, function) {
        // All earlier work is done. The lock is free, so that the function may call CUDA.
        // SAFETY: the program passes a function for this argument.
        unsafe { function(data) };
    }
    checked
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamAddCallback(
    stream: CudaStream,
    callback: Option<unsafe extern "C" fn(CudaStream, CudaError, *mut c_void)>,
    data: *mut c_void,
    flags: c_uint,
) -> CudaError {
    let checked = call("cudaStreamAddCallback", |api| {
        api.streams.check(stream)?;
        if flags != 0 { Err(CudaError::INVALID_VALUE) } else { Ok(()) }?;
        callback.map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    });
    if let (CudaError::SUCCESS, Some(callback)) = (checked, callback) {
        // All earlier work is done. The lock is free, so that the function may call CUDA.
        // SAFETY: the program passes a function for these arguments.
        unsafe { callback(stream, CudaError::SUCCESS, data) };
    }
    checked
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
        let handle = streams.table.insert(Stream { flags: NON_BLOCKING, priority: -1 });
        let made = pointer_of(handle);
        assert_eq!(streams.properties(made), Ok((NON_BLOCKING, -1)));
        streams.table.remove(handle);
        assert_eq!(streams.check(made), Err(CudaError::INVALID_RESOURCE_HANDLE));
    }

    #[test]
    fn launches_overlap_unless_the_default_stream_is_between_them() {
        let stream = |streams: &mut Streams, flags| {
            pointer_of(streams.table.insert(Stream { flags, priority: 0 }))
        };
        let default = std::ptr::null_mut();
        let mut streams = Streams::default();
        let (one, other) = (stream(&mut streams, 0), stream(&mut streams, 0));
        assert!(!streams.use_for_work(default) && !streams.use_for_work(one));
        assert!(!streams.use_for_work(default), "it waits for the other");
        assert!(streams.use_for_work(other));
        let mut streams = Streams::default();
        let apart = stream(&mut streams, NON_BLOCKING);
        assert!(!streams.use_for_work(apart) && !streams.use_for_work(apart));
        assert!(streams.use_for_work(default));
        streams.finish(apart);
        assert!(!streams.use_for_work(default), "the program has waited for the other");
        streams.finish_all();
        assert!(!streams.use_for_work(apart));
    }
}
