//! Launches that ship their operations: queues in the host's memory, and threads that read them.
//!
//! A launch in a stream has the queues to itself, so the next one waits until all of it was read. Kernels in graphs have
//! queues of their own: see `graphs`.

mod graphs;
mod under_way;

use super::queues::{Queues, TURN_BITS, counts};
use super::{Engine, Listener, SharedSink};
use crate::driver::{Driver, DriverError};
use crate::driver_types::{CUcontext, CUevent, CUresult, CUstream};
use crate::hooks::LaunchCall;
use crate::shipping::{LaunchEnd, LaunchWatch, Reader, ShippedLaunch, ShippingOptions, ship};
use graphs::ShippedGraphs;
pub(super) use graphs::ShippedNodes;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
pub(super) use under_way::UnderWay;
use warpsan_instrument::LaunchContext;

/// How often somebody looks whether a launch has ended.
const PAUSE: Duration = Duration::from_micros(100);

/// The launches of a device that ship their operations, and the queues for them.
pub(super) struct LaunchShipping {
    /// The queues of launches in streams.
    queues: Queues,
    graphs: ShippedGraphs,
    stream: CUstream,
    running: Option<JoinHandle<()>>,
}

/// What a thread needs that waits for the end of work in a stream.
struct Listening {
    driver: &'static Driver,
    context: CUcontext,
    event: CUevent,
    /// The device's counters: where, and of how many queues.
    heads: (u64, usize),
    stream: CUstream,
}

impl LaunchShipping {
    /// Queues for a device with so many multiprocessors: between 1.1 and 1.5 for each, as the thesis found best.
    pub(super) fn new(
        engine: &Engine,
        multiprocessors: u32,
        stream: CUstream,
    ) -> Result<LaunchShipping, DriverError> {
        let count = (multiprocessors * 5).div_ceil(4).max(1) as usize;
        let queues = Queues::new(engine, count, stream)?;
        Ok(LaunchShipping { queues, graphs: ShippedGraphs::default(), stream, running: None })
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
        self.queues.reset(engine, call.named_stream());
        self.queues.enter(engine, context);
    }

    /// Listens to a launch that has begun.
    pub(super) fn listen(
        &mut self,
        engine: &Engine,
        call: &LaunchCall,
        mut launch: ShippedLaunch,
    ) -> Result<(), DriverError> {
        launch.turn_bits = TURN_BITS;
        let Some(sink) = engine.events.clone() else { return Ok(()) };
        let heads = (self.queues.heads(), self.queues.count());
        let listening = Listening::of(engine, call.named_stream(), heads, self.stream)?;
        let readers = self.queues.readers();
        let recipients = Recipients::of(engine, sink);
        self.start(engine, move || listen(&listening, &launch, readers, &recipients));
        Ok(())
    }

    fn start(&mut self, engine: &Engine, work: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().name("warpsan-events".to_owned());
        match thread.spawn(work) {
            Ok(running) => self.running = Some(running),
            Err(error) => {
                engine.listener.warning(&format!("nobody can listen to a launch: {error}"));
            }
        }
    }
}

/// Where the events of launches go, and who is to know how far they are.
struct Recipients {
    sink: SharedSink,
    listener: Arc<dyn Listener>,
    under_way: Arc<UnderWay>,
}

impl Recipients {
    fn of(engine: &Engine, sink: SharedSink) -> Recipients {
        let (listener, under_way) = (engine.listener.clone(), engine.under_way.clone());
        Recipients { sink, listener, under_way }
    }
}

fn listen(
    listening: &Listening,
    launch: &ShippedLaunch,
    readers: Vec<Reader>,
    recipients: &Recipients,
) {
    let watch = LaunchWatch::new();
    std::thread::scope(|scope| {
        scope.spawn(|| watch.ended(listening.wait()));
        ship_to(launch, readers, &watch, recipients, ShippingOptions::default());
    });
}

/// Ships one launch to the sink.
fn ship_to(
    launch: &ShippedLaunch,
    readers: Vec<Reader>,
    watch: &LaunchWatch,
    recipients: &Recipients,
    options: ShippingOptions,
) {
    let Recipients { sink, listener, under_way } = recipients;
    let kernel = &launch.facts.name;
    under_way.follow(watch, || {
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        match ship(launch, readers, watch, &mut **sink, options) {
            Ok(counts) => listener.shipped(kernel, counts.operations),
            Err(error) => {
                listener.not_covered(kernel, &format!("its events were not complete: {error}"));
            }
        }
    });
}

impl Listening {
    /// For what a stream has been given so far.
    fn of(
        engine: &Engine,
        of: CUstream,
        heads: (u64, usize),
        stream: CUstream,
    ) -> Result<Listening, DriverError> {
        let driver = engine.driver;
        let mut context = CUcontext::NULL;
        // SAFETY: a place for a context.
        unsafe { driver.cuCtxGetCurrent(&mut context) };
        const NO_TIMING: u32 = 2;
        let mut event = CUevent(0);
        // SAFETY: a place for an event.
        driver.check("cuEventCreate", unsafe { driver.cuEventCreate(&mut event, NO_TIMING) })?;
        // SAFETY: the event, and the stream of the launch by a name that means the same in every call.
        driver.check("cuEventRecord", unsafe { driver.cuEventRecord(event, of) })?;
        Ok(Listening { driver, context, event, heads, stream })
    }

    /// Waits for the end of the work, in a thread of ours.
    fn wait(&self) -> LaunchEnd {
        self.driver.spare_captures();
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
        let (heads, queues) = self.heads;
        let counts = match queues {
            0 => Vec::new(),
            queues => counts(self.driver, heads, queues, self.stream),
        };
        LaunchEnd { counts, stopped: false }
    }
}

/// What the host knows of the sites of a kernel, shared by its launches.
pub(super) type Infos = Arc<[warpsan_instrument::record::SiteInfo]>;
