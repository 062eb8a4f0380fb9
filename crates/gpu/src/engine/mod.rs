//! The engine: kernels are exchanged for instrumented ones when they are launched.
//!
//! Code is remembered when it is loaded ([`code`]) and read when a kernel of it is launched for the first time. A launch
//! finds or makes the kernel's instrumented variant for its block size ([`variants`]), and runs that with a
//! context ([`launching`]): where metadata is ([`shadow`]), where counters and locks of this launch are
//! ([`tables`]), and where races go ([`reports`]). All that is kept for each context ([`contexts`]). What cannot be
//! instrumented runs as it is, and is reported as not covered.

mod ahead;
mod arguments;
mod cache;
mod claims;
mod code;
mod compiler;
mod contexts;
mod device;
mod entries;
mod error;
#[cfg(test)]
mod fake;
mod graphs;
mod identity;
mod instrumented;
mod kept;
mod launching;
mod linking;
mod loading;
mod memory;
mod ordering;
mod private_copies;
mod queues;
mod reach;
mod ready;
mod reports;
mod sets;
mod shadow;
mod shipping_launches;
mod sites;
mod stack;
mod tables;
#[cfg(test)]
mod tests;
mod variants;
mod watchdog;

use crate::driver::Driver;
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::{
    CUcontext, CUdevice, CUdeviceptr, CUgraph, CUgraphExec, CUgraphNode, CUmodule, CUresult,
    CUstream,
};
use crate::hooks::{
    Allocation, AllocationKind, CodeContainer, CodeSource, ContextEnd, Freed, Hooks, LaunchCall,
};
use crate::order_steps::OrderStep;
pub use ahead::{AheadRequest, AheadSettings, assemble_ahead, take_requests};
use code::Code;
use contexts::Contexts;
use device::Device;
use identity::Identities;
use linking::Functions;
use memory::OwnMemory;
pub use private_copies::CopiesSettings;
use reach::Reach;
use shipping_launches::UnderWay;
use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use variants::Variants;
use warpsan_event::{EventSink, SiteTable};
use warpsan_instrument::{CheckedAccess, Cost, DevicePlan, DeviceReport};
use watchdog::Watchdog;

/// What the user chose.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// What instrumented kernels do.
    pub plan: DevicePlan,
    /// Bits of `instrument::options`.
    pub options: u32,
    /// Whether contended metadata is waited for longer and longer.
    pub backoff: bool,
    /// The assembler; without one the driver compiles.
    pub ptxas: Option<PathBuf>,
    /// Where compiled kernels are kept.
    pub cache: Option<PathBuf>,
    /// Identifies this build of warpsan. Without it instrumented kernels are not kept, only their
    /// machine code by its text.
    pub build: Option<String>,
    /// Where requests to assemble kernels ahead are left, if somebody takes them from there.
    pub requests: Option<PathBuf>,
    /// A launch that takes longer is given up, and with it the process.
    pub launch_timeout: Option<Duration>,
    /// Bytes for the sets of a stream, if not a part of the device's memory.
    pub set_bytes: Option<u64>,
    /// Private copies, where kernels run on them.
    pub copies: CopiesSettings,
}

/// Takes the events of kernels.
pub type SharedSink = Arc<Mutex<Box<dyn EventSink + Send>>>;

/// A race that the device found.
#[derive(Debug, Clone)]
pub struct ReportedRace {
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

/// What a launch on private copies took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiesOfLaunch {
    /// Copies at the same time, at most.
    pub copies: u64,
    /// Bytes of what there are copies of.
    pub target_bytes: u64,
    /// Bytes of all copies and of what was before.
    pub total_bytes: u64,
    /// Accesses of the text that need no copies, of all to global memory.
    pub left_out: u32,
    /// See there.
    pub accesses: u32,
    /// How often the kernel was run, runs that return at once included.
    pub runs: u32,
}

/// How much memory hb's entries take, beside that of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntriesBytes {
    /// Of the program, in the context where it has most.
    pub program: u64,
    /// Entries of lines.
    pub lines: u64,
    /// Pools for lines that are kept in words, and words in bytes.
    pub pools: u64,
    /// What of the pools was in use.
    pub used: u64,
}

/// Gets what the engine reports, from any thread.
pub trait Listener: Send + Sync {
    /// Whether the next launch of this kernel is to be checked. Asked once for each launch, and for each kernel node of a graph.
    fn wants(&self, kernel: &str) -> bool {
        let _ = kernel;
        true
    }
    /// A launch that is not to be checked has begun.
    fn passed_over(&self, kernel: &str) {
        let _ = kernel;
    }
    /// A kernel was launched, instrumented or not.
    fn launched(&self, kernel: &str, is_covered: bool);
    /// A kernel runs as it is; reported once for each reason.
    fn not_covered(&self, kernel: &str, reason: &str);
    /// A kernel is about to be instrumented and compiled, which may take long.
    fn compiles(&self, kernel: &str) {
        let _ = kernel;
    }
    /// That is done, or was given up.
    fn compiled(&self) {}
    /// A kernel was instrumented.
    fn prepared(&self, prepared: &Prepared);
    /// A kind of race was seen for the first time.
    fn found(&self, finding: &ReportedRace);
    /// A kind of race that was reported before was seen so many times more.
    fn seen_again(&self, finding: &ReportedRace, times: u64);
    /// All of a launch was shipped, so many operations of warps.
    fn shipped(&self, kernel: &str, operations: u64);
    /// A launch of this kernel, or of a graph, did not end in time. Nothing but the end of the process stops it, which
    /// is the listener's to bring about. All that was found has been reported.
    fn gave_up(&self, kernel: &str, limit: Duration);
    /// A launch ran on private copies.
    fn copied(&self, kernel: &str, copies: CopiesOfLaunch) {
        let _ = (kernel, copies);
    }
    /// A part of a launch on private copies took so long on the device.
    fn timed(&self, kernel: &str, part: &'static str, time: Duration) {
        let _ = (kernel, part, time);
    }
    /// The entries of a context have taken so much, at most.
    fn entries_have(&self, bytes: EntriesBytes) {
        let _ = bytes;
    }
    /// Something that the user should know.
    fn warning(&self, text: &str);
    /// Memory that the program has, for names in reports.
    fn allocated(&self, allocation: &Allocation, label: Option<&str>);
    /// Memory that it has no more.
    fn freed(&self, address: u64);
    /// The program has put work into an order. Called only where kernels may ship their operations.
    fn ordered(&self, step: OrderStep) {
        let _ = step;
    }
    /// The last call: nothing more is reported.
    fn ended(&self);
}

/// The engine of a process.
pub struct Engine {
    pub(crate) driver: &'static Driver,
    pub(crate) settings: EngineSettings,
    pub(crate) listener: Arc<dyn Listener>,
    /// The sink for operations that kernels ship, if there is one.
    pub(crate) events: Option<SharedSink>,
    own: OwnMemory,
    functions: Functions,
    /// Launches that are shipping their operations.
    under_way: Arc<UnderWay>,
    watchdog: Option<Watchdog>,
    state: Mutex<State>,
}

/// What changes while the program runs.
#[derive(Default)]
pub(crate) struct State {
    code: HashMap<CodeContainer, Arc<Mutex<Code>>>,
    identities: Identities,
    variants: Variants,
    /// What the engine has in each context.
    devices: HashMap<CUcontext, Device>,
    contexts: Contexts,
    /// The context that each module is loaded in.
    modules: HashMap<CUmodule, CUcontext>,
    memory: Reach,
    launches: u32,
    /// Graphs that can be launched and call functions of the host.
    graphs_with_host: HashSet<CUgraphExec>,
}

impl Engine {
    /// An engine in front of this driver.
    pub fn new(
        driver: &'static Driver,
        settings: EngineSettings,
        listener: Arc<dyn Listener>,
        events: Option<SharedSink>,
    ) -> Engine {
        let under_way = Arc::<UnderWay>::default();
        let watchdog = settings
            .launch_timeout
            .map(|limit| Watchdog::new(driver, limit, listener.clone(), under_way.clone()));
        Engine {
            driver,
            settings,
            listener,
            events,
            own: OwnMemory::default(),
            functions: Functions::default(),
            under_way,
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

    /// Provides metadata for memory in the current context, and has others that reach it do so when they launch.
    fn cover(&self, address: u64, bytes: u64, kind: AllocationKind) {
        let mut state = self.lock();
        let current = self.current_context(&mut state);
        let State { memory, devices, .. } = &mut *state;
        memory.add(address, bytes, kind, current);
        for (context, device) in devices {
            if Some(*context) != current {
                device.others_have(address, bytes, memory.is_reachable(*context, address));
            }
        }
        if let Some(context) = current {
            self.with_device_of(&mut state, context, |_, device| {
                self.uncaptured(|| device.shadow.cover(self, address, bytes));
            });
        }
    }

    /// The device of the current context; none if there is no context.
    fn current_device(&self) -> Option<CUdevice> {
        let mut device = 0;
        // SAFETY: a place for a number.
        unsafe { self.driver.cuCtxGetDevice(&mut device) }.ok().ok()?;
        Some(device)
    }
}

impl Hooks for Engine {
    fn context_made(&self, context: CUcontext) {
        self.lock().contexts.made(context);
    }

    fn context_ends(&self, end: ContextEnd, real: &mut dyn FnMut() -> CUresult) -> CUresult {
        let result = self.end_context(end, real);
        if result.is_success() {
            self.ordered(OrderStep::ContextEnded);
        }
        result
    }

    fn peer_access(&self, peer: CUcontext) {
        let mut state = self.lock();
        let Some(user) = self.current_context(&mut state) else { return };
        let State { memory, devices, .. } = &mut *state;
        memory.allow(user, peer);
        if let Some(device) = devices.get_mut(&user) {
            device.uncovered = memory.reachable(user);
        }
    }

    fn code_loaded(&self, container: CodeContainer, source: CodeSource<'_>) {
        let code = Arc::new(Mutex::new(Code::of(source)));
        let mut state = self.lock();
        if let CodeContainer::Module(module) = container
            && let Some(context) = self.current_context(&mut state)
        {
            state.modules.insert(module, context);
        }
        state.code.insert(container, code);
    }

    fn code_unloads(&self, container: CodeContainer) {
        let mut state = self.lock();
        state.code.remove(&container);
        if let CodeContainer::Module(module) = container {
            state.modules.remove(&module);
        }
        state.identities.forget(container);
        let gone = state.variants.forget(container);
        drop(state);
        for variant in gone {
            self.within(variant.context, || self.uncaptured(|| variant.unload(self.driver)));
        }
        // Variables are given back with it.
        self.ordered(OrderStep::HostWaitedForAll);
    }

    fn allocated(&self, allocation: &Allocation) {
        self.listener.allocated(allocation, None);
        self.order_allocation(allocation);
        self.cover(allocation.address, allocation.bytes, allocation.kind);
    }

    fn variable_queried(&self, address: CUdeviceptr, bytes: u64, name: &str) {
        let (kind, stream) = (AllocationKind::Device, CUstream::NULL);
        self.listener.allocated(&Allocation { address, bytes, kind, stream }, Some(name));
        self.cover(address, bytes, kind);
    }

    fn free(&self, freed: &Freed, real: &mut dyn FnMut() -> CUresult) -> CUresult {
        let mut state = self.lock();
        state.memory.remove(freed.address);
        for device in state.devices.values_mut() {
            device.lost(freed.address);
        }
        let result = real();
        drop(state);
        self.listener.freed(freed.address);
        self.ordered(match freed.stream {
            Some(stream) => OrderStep::Freed(stream),
            // Memory is taken away when nothing can use it any more.
            None => OrderStep::HostWaitedForAll,
        });
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
        let of_stream = self.before_graph(executable, stream);
        let result = real();
        if result.is_success()
            && let Some(context) = of_stream
        {
            self.listen_to_graph(executable, stream, context);
            self.order_graph(executable, stream);
            self.within(context, || self.watch(stream, "a graph"));
        }
        result
    }

    fn ordered(&self, step: OrderStep) {
        if self.settings.plan.may_ship() {
            self.listener.ordered(step);
        }
    }

    fn node_queried(&self, _: CUgraphNode, parameters: &mut KernelNodeParams) {
        let state = self.lock();
        self.show_original(&state, parameters);
    }

    fn graph_destroyed(&self, graph: CUgraph) {
        self.forget_graph(graph);
    }

    fn graph_ends(&self, executable: CUgraphExec) {
        self.forget_instance(executable);
    }

    fn make_room(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        let Some(current) = self.current_context(&mut state) else { return false };
        let number = self.current_device();
        // The context that wants memory gives first, then the others of its device.
        let others = state.devices.iter().filter(|(_, device)| Some(device.number) == number);
        let mut contexts: Vec<CUcontext> = others.map(|(context, _)| *context).collect();
        contexts.sort_by_key(|context| (*context != current, context.0));
        let mut given = 0;
        for context in contexts {
            if given >= bytes {
                break;
            }
            let more = self.with_device_of(&mut state, context, |_, device| {
                self.uncaptured(|| device.shadow.make_room(self, bytes - given))
            });
            given += more.unwrap_or(0);
        }
        given > 0
    }

    fn memory_queried(&self, free: &mut usize, total: &mut usize) {
        // Sets are kept, and what they take is not free.
        if self.settings.plan.has_sets() || self.settings.plan.copies().is_some() {
            return;
        }
        let state = self.lock();
        let Some(number) = self.current_device() else { return };
        // The program sees what it would see without us: it gets the memory if it wants it.
        let of_device = state.devices.values().filter(|device| device.number == number);
        let held: u64 = of_device.map(|device| self.held_bytes(device.stream)).sum();
        *free = free.saturating_add(held as usize).min(*total);
    }

    fn limit_queried(&self, limit: c_int, value: &mut usize) {
        if limit != stack::STACK_SIZE {
            return;
        }
        let mut state = self.lock();
        if let Some(context) = self.current_context(&mut state)
            && let Some(device) = state.devices.get(&context)
        {
            *value = device.stack.as_asked(*value);
        }
    }

    fn graph_instantiated(&self, graph: CUgraph, executable: CUgraphExec) {
        self.graph_is_ready(graph, executable);
    }

    fn process_ends(&self) {
        self.drain_all();
        self.listener.ended();
    }
}
