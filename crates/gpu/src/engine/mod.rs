//! The engine: kernels are exchanged for instrumented ones when they are launched.
//!
//! Code is remembered when it is loaded ([`code`]) and read when a kernel of it is launched for the first time. A launch
//! finds or makes the kernel's instrumented variant for its block size ([`variants`]), and runs that with a
//! context ([`launching`]): where metadata is ([`shadow`]), where counters and locks of this launch are
//! ([`tables`]), and where races go ([`reports`]). What cannot be instrumented runs as it is, and is told.

mod arguments;
mod code;
mod compiler;
mod device;
#[cfg(test)]
mod fake;
mod graphs;
mod identity;
mod kept;
mod launching;
mod memory;
mod ready;
mod reports;
mod shadow;
mod tables;
mod telling;
#[cfg(test)]
mod tests;
mod variants;
mod watchdog;

use crate::driver::Driver;
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::{CUdevice, CUgraph, CUgraphExec, CUgraphNode, CUresult, CUstream};
use crate::hooks::{Allocation, CodeContainer, CodeSource, ContextEnd, Freed, Hooks, LaunchCall};
use code::Code;
use device::Device;
use identity::Identities;
use memory::OwnMemory;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use variants::Variants;
use warpsan_event::{EventSink, SiteTable};
use warpsan_instrument::{CheckedAccess, Checks, Cost, DeviceReport};
use watchdog::Watchdog;

/// What the user chose.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Whose checks.
    pub checks: Checks,
    /// Bits of `instrument::options`.
    pub options: u32,
    /// Whether contended metadata is waited for longer and longer.
    pub backoff: bool,
    /// The assembler; without one the driver compiles.
    pub ptxas: Option<PathBuf>,
    /// Where compiled kernels are kept.
    pub cache: Option<PathBuf>,
    /// What tells this build of warpsan from every other. Without it instrumented kernels are not kept, only their
    /// machine code by its text.
    pub build: Option<String>,
    /// A launch that takes longer is given up, and with it the process.
    pub launch_timeout: Option<Duration>,
}

/// Takes the events of kernels.
pub type SharedSink = Arc<Mutex<Box<dyn EventSink + Send>>>;

/// A race that the device found.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What the device said.
    pub report: DeviceReport,
    /// The kernel's name in its module.
    pub kernel: Arc<str>,
    /// The kernel's instructions.
    pub sites: Arc<SiteTable>,
    /// What they do.
    pub accesses: Arc<[CheckedAccess]>,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

/// A kernel that was made ready.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Its name.
    pub kernel: Arc<str>,
    /// What was done to it.
    pub cost: Cost,
    /// Registers of a thread, before and after.
    pub registers: [i32; 2],
    /// Blocks that fit on a multiprocessor, before and after.
    pub occupancy: [i32; 2],
    /// Bytes of local memory of a thread, before and after.
    pub local_bytes: [i32; 2],
    /// Bytes of the new machine code.
    pub code_bytes: usize,
    /// Whether its source lines are known.
    pub has_line_information: bool,
}

/// Hears what the engine does. Any thread may call.
pub trait Listener: Send + Sync {
    /// A kernel was launched, instrumented or not.
    fn launched(&self, kernel: &str, is_covered: bool);
    /// A kernel runs as it is; told once for each reason.
    fn not_covered(&self, kernel: &str, reason: &str);
    /// A kernel was instrumented.
    fn prepared(&self, prepared: &Prepared);
    /// A kind of race was seen for the first time.
    fn found(&self, finding: &Finding);
    /// A kind of race that was told before was seen so many times more.
    fn seen_again(&self, finding: &Finding, times: u64);
    /// All of a launch was told, so many operations of warps.
    fn shipped(&self, kernel: &str, operations: u64);
    /// A launch of this kernel, or of a graph, did not end in time. Nothing but the end of the process stops it, which
    /// is the listener's to bring about. All that was found is told.
    fn gave_up(&self, kernel: &str, limit: Duration);
    /// Something that the user should know.
    fn warning(&self, text: &str);
    /// Memory that the program has, for names in reports.
    fn allocated(&self, allocation: &Allocation, label: Option<&str>);
    /// Memory that it has no more.
    fn freed(&self, address: u64);
    /// Nothing more is told.
    fn ended(&self);
}

/// The engine of a process.
pub struct Engine {
    pub(crate) driver: &'static Driver,
    pub(crate) settings: EngineSettings,
    pub(crate) listener: Arc<dyn Listener>,
    /// Who hears of the operations of kernels, if anybody does.
    pub(crate) events: Option<SharedSink>,
    own: OwnMemory,
    watchdog: Option<Watchdog>,
    state: Mutex<State>,
}

/// What changes while the program runs.
#[derive(Default)]
pub(crate) struct State {
    code: HashMap<CodeContainer, Arc<Mutex<Code>>>,
    identities: Identities,
    variants: Variants,
    devices: HashMap<CUdevice, Device>,
    launches: u32,
}

impl Engine {
    /// An engine in front of this driver.
    pub fn new(
        driver: &'static Driver,
        settings: EngineSettings,
        listener: Arc<dyn Listener>,
        events: Option<SharedSink>,
    ) -> Engine {
        let watchdog =
            settings.launch_timeout.map(|limit| Watchdog::new(driver, limit, listener.clone()));
        Engine {
            driver,
            settings,
            listener,
            events,
            own: OwnMemory::default(),
            watchdog,
            state: Mutex::new(State::default()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something while this thread's capturing streams do not mind.
    fn uncaptured<T>(&self, action: impl FnOnce() -> T) -> T {
        let mut mode = crate::CUstreamCaptureMode::RELAXED;
        // SAFETY: a place for a mode, which gets the one before.
        unsafe { self.driver.cuThreadExchangeStreamCaptureMode(&mut mode) };
        let result = action();
        // SAFETY: the mode that was there.
        unsafe { self.driver.cuThreadExchangeStreamCaptureMode(&mut mode) };
        result
    }

    /// The device of the current context; none if there is no context.
    fn current_device(&self) -> Option<CUdevice> {
        let mut device = 0;
        // SAFETY: a place for a number.
        unsafe { self.driver.cuCtxGetDevice(&mut device) }.ok().ok()?;
        Some(device)
    }

    /// Runs with the device of the current context, which is made on first use.
    fn with_device<T>(
        &self,
        state: &mut State,
        action: impl FnOnce(&mut State, &mut Device) -> T,
    ) -> Option<T> {
        let number = self.current_device()?;
        let mut device = match state.devices.remove(&number) {
            Some(device) => device,
            None => match self.uncaptured(|| Device::new(self, number)) {
                Ok(device) => device,
                Err(error) => {
                    self.listener.warning(&format!("the GPU cannot be used for checking: {error}"));
                    return None;
                }
            },
        };
        let result = action(state, &mut device);
        state.devices.insert(number, device);
        Some(result)
    }
}

impl Hooks for Engine {
    fn code_loaded(&self, container: CodeContainer, source: CodeSource<'_>) {
        let code = Arc::new(Mutex::new(Code::of(source)));
        self.lock().code.insert(container, code);
    }

    fn code_unloads(&self, container: CodeContainer) {
        let mut state = self.lock();
        state.code.remove(&container);
        state.identities.forget(container);
        let gone = state.variants.forget(container);
        drop(state);
        self.uncaptured(|| gone.into_iter().for_each(|variant| variant.unload(self.driver)));
    }

    fn allocated(&self, allocation: &Allocation) {
        self.listener.allocated(allocation, None);
        let mut state = self.lock();
        self.with_device(&mut state, |_, device| {
            self.uncaptured(|| device.shadow.cover(self, allocation.address, allocation.bytes));
        });
    }

    fn free(&self, freed: &Freed, real: &mut dyn FnMut() -> CUresult) -> CUresult {
        let mut state = self.lock();
        for device in state.devices.values_mut() {
            device.shadow.uncover(freed.address);
        }
        let result = real();
        drop(state);
        self.listener.freed(freed.address);
        result
    }

    fn launch(
        &self,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        self.launch_instrumented(call, real)
    }

    fn graph_launch(
        &self,
        executable: CUgraphExec,
        stream: CUstream,
        real: &mut dyn FnMut() -> CUresult,
    ) -> CUresult {
        self.before_graph(executable, stream);
        let result = real();
        if result.is_success() {
            self.watch(stream, "a graph");
        }
        result
    }

    fn node_told(&self, _: CUgraphNode, parameters: &mut KernelNodeParams) {
        let state = self.lock();
        self.tell_original(&state, parameters);
    }

    fn graph_destroyed(&self, graph: CUgraph) {
        self.forget_graph(graph);
    }

    fn graph_ends(&self, executable: CUgraphExec) {
        self.forget_instance(executable);
    }

    fn make_room(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        let given = self.with_device(&mut state, |_, device| {
            self.uncaptured(|| device.shadow.make_room(self, bytes))
        });
        given.is_some_and(|given| given > 0)
    }

    fn memory_told(&self, free: &mut usize, total: &mut usize) {
        let state = self.lock();
        let device = self.current_device().and_then(|number| state.devices.get(&number));
        // The program sees what it would see without us: it gets the memory if it wants it.
        let held = device.map_or(0, |device| self.held_bytes(device.stream));
        *free = free.saturating_add(held as usize).min(*total);
    }

    fn graph_instantiated(&self, graph: CUgraph, executable: CUgraphExec) {
        self.graph_is_ready(graph, executable);
    }

    fn context_ends(&self, end: ContextEnd) {
        self.forget_context(end);
    }

    fn process_ends(&self) {
        self.drain_all();
        self.listener.ended();
    }
}
