//! Launches whose operations the host hears of: queues in its memory, and threads that read them.
//!
//! A launch has the queues to itself, so the next one waits until all of it was read.

use super::{Engine, Listener, SharedSink};
use crate::driver::{Driver, DriverError};
use crate::driver_types::{CUcontext, CUevent, CUresult, CUstream, host_memory_flags};
use crate::hooks::LaunchCall;
use crate::shipping::{
    FinalCounts, LaunchEnd, LaunchWatch, QueueMemory, Reader, ShippedLaunch, ShippingOptions, ship,
};
use std::ffi::c_void;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use warpsan_instrument::LaunchContext;
use warpsan_instrument::record::{DeviceHeads, QueueDescriptor, Slot};

/// Slots of a queue.
const CAPACITY: u64 = 256;
/// The table of turns has `1 << TURN_BITS` words of eight bytes.
const TURN_BITS: u32 = 16;
/// Bytes of the lock and the ticket of a total order.
const ORDER_BYTES: u64 = 16;
/// How often somebody looks whether a launch has ended.
const PAUSE: Duration = Duration::from_micros(100);

/// The queues of a device.
pub(super) struct Telling {
    descriptors: u64,
    heads: u64,
    memories: Vec<QueueMemory>,
    turns: u64,
    order: u64,
    stream: CUstream,
    running: Option<JoinHandle<()>>,
}

/// What the threads of a launch need.
struct Listening {
    driver: &'static Driver,
    context: CUcontext,
    event: CUevent,
    heads: u64,
    queues: usize,
    stream: CUstream,
}

impl Telling {
    /// Queues for a device with so many multiprocessors: between 1.1 and 1.5 for each, as the thesis found best.
    pub(super) fn new(
        engine: &Engine,
        multiprocessors: u32,
        stream: CUstream,
    ) -> Result<Telling, DriverError> {
        let driver = engine.driver;
        let count = (multiprocessors * 5).div_ceil(4).max(1) as usize;
        let of_queue = 128 + CAPACITY as usize * (8 + size_of::<Slot>());
        let mut memory = std::ptr::null_mut();
        let flags = host_memory_flags::DEVICE_MAP | host_memory_flags::PORTABLE;
        // SAFETY: a place for an address.
        let result = unsafe { driver.cuMemHostAlloc(&mut memory, count * of_queue, flags) };
        driver.check("cuMemHostAlloc", result)?;
        let start = memory.cast::<u8>();
        // SAFETY: so many bytes were allocated.
        unsafe { start.write_bytes(0, count * of_queue) };
        let mut of_device = 0;
        // SAFETY: memory of the call before.
        let result = unsafe { driver.cuMemHostGetDevicePointer_v2(&mut of_device, memory, 0) };
        driver.check("cuMemHostGetDevicePointer", result)?;
        let heads = engine.allocate((count * size_of::<DeviceHeads>()) as u64, stream)?;
        let mut descriptors = Vec::new();
        let mut memories = Vec::new();
        for queue in 0..count {
            let at = queue * of_queue;
            let (ready, slots) = (at + 128, at + 128 + CAPACITY as usize * 8);
            // SAFETY: the parts of this queue, which nobody else has, in memory that stays.
            memories.push(unsafe {
                QueueMemory::at(
                    start.add(at).cast(),
                    start.add(ready).cast(),
                    start.add(slots).cast(),
                    CAPACITY,
                )
            });
            descriptors.push(QueueDescriptor {
                heads: heads + (queue * size_of::<DeviceHeads>()) as u64,
                read_head: of_device + at as u64,
                ready: of_device + ready as u64,
                slots: of_device + slots as u64,
                capacity: CAPACITY,
            });
        }
        let table = engine.allocate((count * size_of::<QueueDescriptor>()) as u64, stream)?;
        engine.write(table, &descriptors, stream)?;
        Ok(Telling {
            descriptors: table,
            heads,
            memories,
            turns: engine.allocate(8 << TURN_BITS, stream)?,
            order: engine.allocate(ORDER_BYTES, stream)?,
            stream,
            running: None,
        })
    }

    /// Waits until everything of the last launch was read.
    pub(super) fn wait(&mut self) {
        if let Some(thread) = self.running.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread that reads queues has failed");
        }
    }

    /// Makes the queues ready for a launch, in the order of its stream.
    pub(super) fn prepare(
        &mut self,
        engine: &Engine,
        call: &LaunchCall,
        context: &mut LaunchContext,
    ) {
        self.wait();
        let stream = call.named_stream();
        // SAFETY: memory of ours, in the order of the launch's stream.
        unsafe {
            engine.driver.cuMemsetD8Async(self.turns, 0, 8 << TURN_BITS, stream);
            engine.driver.cuMemsetD8Async(self.order, 0, ORDER_BYTES as usize, stream);
        }
        context.queues = self.descriptors;
        context.queue_count = self.memories.len() as u32;
        context.turns = self.turns;
        context.turn_bits = TURN_BITS;
        context.order = if engine.settings.checks.has_metadata() { self.order } else { 0 };
    }

    /// Listens to a launch that has begun.
    pub(super) fn listen(
        &mut self,
        engine: &Engine,
        call: &LaunchCall,
        mut launch: ShippedLaunch,
    ) -> Result<(), DriverError> {
        launch.turn_bits = TURN_BITS;
        let driver = engine.driver;
        let Some(sink) = engine.events.clone() else { return Ok(()) };
        let mut context = CUcontext::NULL;
        // SAFETY: a place for a context.
        unsafe { driver.cuCtxGetCurrent(&mut context) };
        const NO_TIMING: u32 = 2;
        let mut event = CUevent(0);
        // SAFETY: a place for an event.
        driver.check("cuEventCreate", unsafe { driver.cuEventCreate(&mut event, NO_TIMING) })?;
        // SAFETY: the event, and the stream of the launch.
        let recorded = unsafe {
            match call.per_thread_default_stream {
                true => driver.cuEventRecord_ptsz(event, call.stream),
                false => driver.cuEventRecord(event, call.stream),
            }
        };
        driver.check("cuEventRecord", recorded)?;
        let readers: Vec<Reader> = self.memories.iter().cloned().map(Reader::new).collect();
        let listening = Listening {
            driver,
            context,
            event,
            heads: self.heads,
            queues: readers.len(),
            stream: self.stream,
        };
        let listener = engine.listener.clone();
        let thread = std::thread::Builder::new().name("warpsan-events".to_owned());
        let started = thread.spawn(move || listen(listening, launch, readers, &sink, &*listener));
        match started {
            Ok(running) => self.running = Some(running),
            Err(error) => {
                engine.listener.warning(&format!("nobody can listen to a launch: {error}"))
            }
        }
        Ok(())
    }
}

fn listen(
    listening: Listening,
    launch: ShippedLaunch,
    readers: Vec<Reader>,
    sink: &SharedSink,
    listener: &dyn Listener,
) {
    let watch = LaunchWatch::new();
    let kernel = launch.facts.name.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| watch.ended(listening.wait()));
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        let shipped = ship(&launch, readers, &watch, &mut **sink, ShippingOptions::default());
        match shipped {
            Ok(counts) => listener.shipped(&kernel, counts.operations),
            Err(error) => {
                listener.not_covered(&kernel, &format!("its events were not complete: {error}"))
            }
        }
    });
}

impl Listening {
    /// Waits for the end of the launch.
    fn wait(&self) -> LaunchEnd {
        // SAFETY: the context of the launch.
        unsafe { self.driver.cuCtxSetCurrent(self.context) };
        let result = loop {
            // SAFETY: an event of ours.
            match unsafe { self.driver.cuEventQuery(self.event) } {
                CUresult::NOT_READY => std::thread::sleep(PAUSE),
                result => break result,
            }
        };
        // SAFETY: the same; nobody uses it any more.
        unsafe { self.driver.cuEventDestroy_v2(self.event) };
        if !result.is_success() {
            return LaunchEnd { counts: Vec::new(), stopped: true };
        }
        let mut heads = vec![DeviceHeads::default(); self.queues];
        let place = heads.as_mut_ptr().cast::<c_void>();
        // SAFETY: as many heads as there are queues, and a stream of ours.
        let read = unsafe {
            let bytes = size_of_val(heads.as_slice());
            self.driver.cuMemcpyDtoHAsync_v2(place, self.heads, bytes, self.stream);
            self.driver.cuStreamSynchronize(self.stream)
        };
        let counts = heads.iter().map(|heads| FinalCounts {
            reserved: heads.write_head.value,
            committed: heads.commit_index.value,
        });
        LaunchEnd {
            counts: if read.is_success() { counts.collect() } else { Vec::new() },
            stopped: false,
        }
    }
}

/// Keeps what is told about a kernel for its launches.
pub(super) type Infos = Arc<[warpsan_instrument::record::SiteInfo]>;
