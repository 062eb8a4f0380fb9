//! The engine in front of a driver without a device: the program and the kernels that all of these tests share.

mod contexts;
mod entries;
mod graphs;
mod memory;
mod ordering;
mod private_copies;
mod sets;
mod shipped_graphs;
mod stack;
mod starting;

use super::fake::{CONTEXT, driver, fake};
use super::*;
use crate::KernelNodeParamsV1;
use crate::driver_types::{CUcontext, CUfunction, CUmodule};
use crate::hooks::{AllocationKind, LaunchSource};
use std::ffi::{CString, c_void};
use warpsan_instrument::{MetadataPlan, SetScheme, Shape, Shipping};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

const PTX: &str = "
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .u32 offset = 5;
.visible .const .align 4 .u32 factor = 5;

.visible .entry scale(.param .u64 data, .param .u32 count)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    cvta.to.global.u64 %rd1, %rd1;
    ld.global.u32 %r1, [offset];
    st.global.u32 [%rd1], %r1;
    ret;
}

.func count_down(.param .u32 from)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [from];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 ret;
    sub.u32 %r2, %r1, 1;
    {
    .param .b32 next;
    st.param.b32 [next], %r2;
    call.uni count_down, (next);
    }
    ret;
}

.visible .entry calls_itself(.param .u64 data, .param .u32 count)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [count];
    {
    .param .b32 from;
    st.param.b32 [from], %r1;
    call.uni count_down, (from);
    }
    ret;
}

.visible .entry counts(.param .u64 data, .param .u32 count)
{
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    cvta.to.global.u64 %rd1, %rd1;
    red.global.add.u32 [%rd1], 1;
    ret;
}

.visible .entry shares(.param .u64 data, .param .u32 count)
{
    .reg .b32 %r<4>;
    .shared .align 4 .b8 tile[1024];
    ld.param.u32 %r1, [count];
    st.shared.u32 [tile], %r1;
    ld.shared.u32 %r2, [tile+4];
    st.shared.u32 [tile+8], %r2;
    ret;
}

.visible .entry by_constant(.param .u64 data, .param .u32 count)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    cvta.to.global.u64 %rd1, %rd1;
    ld.const.u32 %r1, [factor];
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// The module that the program begins with.
const MODULE: CodeContainer = CodeContainer::Module(CUmodule(1));

/// What the engine has reported.
#[derive(Default)]
struct Reported {
    launched: Mutex<Vec<(String, bool)>>,
    not_covered: Mutex<Vec<String>>,
    entries: Mutex<EntriesBytes>,
    warnings: Mutex<Vec<String>>,
    found: Mutex<Vec<String>>,
    gave_up: Mutex<Vec<String>>,
    steps: Mutex<Vec<OrderStep>>,
    copied: Mutex<Vec<CopiesOfLaunch>>,
    timed: Mutex<Vec<(&'static str, Duration)>>,
    /// Kernels that nobody wants to have checked, and those of them that were launched.
    unwanted: Mutex<Vec<String>>,
    compiling: Mutex<Vec<String>>,
    passed_over: Mutex<Vec<String>>,
}

fn of<T: Clone>(list: &Mutex<Vec<T>>) -> Vec<T> {
    list.lock().expect("no panic").clone()
}

impl Listener for Reported {
    fn wants(&self, kernel: &str) -> bool {
        !self.unwanted.lock().expect("no panic").iter().any(|one| one == kernel)
    }
    fn passed_over(&self, kernel: &str) {
        self.passed_over.lock().expect("no panic").push(kernel.to_owned());
    }
    fn launched(&self, kernel: &str, is_covered: bool) {
        self.launched.lock().expect("no panic").push((kernel.to_owned(), is_covered));
    }
    fn not_covered(&self, _: &str, reason: &str) {
        self.not_covered.lock().expect("no panic").push(reason.to_owned());
    }
    fn compiles(&self, kernel: &str) {
        self.compiling.lock().expect("no panic").push(format!("{kernel} begins"));
    }
    fn compiled(&self) {
        self.compiling.lock().expect("no panic").push("ends".to_owned());
    }
    fn prepared(&self, _: &Prepared) {}
    fn found(&self, finding: &ReportedRace) {
        let site = &finding.sites.sites[finding.report.site as usize];
        self.found.lock().expect("no panic").push(site.instruction.to_string());
    }
    fn seen_again(&self, _: &ReportedRace, _: u64) {}
    fn shipped(&self, _: &str, _: u64) {}
    fn gave_up(&self, kernel: &str, _: Duration) {
        self.gave_up.lock().expect("no panic").push(kernel.to_owned());
    }
    fn entries_have(&self, bytes: EntriesBytes) {
        *self.entries.lock().expect("no panic") = bytes;
    }
    fn warning(&self, text: &str) {
        self.warnings.lock().expect("no panic").push(text.to_owned());
    }
    fn allocated(&self, _: &Allocation, _: Option<&str>) {}
    fn freed(&self, _: u64) {}
    fn copied(&self, _: &str, copies: CopiesOfLaunch) {
        self.copied.lock().expect("no panic").push(copies);
    }
    fn timed(&self, _: &str, part: &'static str, time: Duration) {
        self.timed.lock().expect("no panic").push((part, time));
    }
    fn ordered(&self, step: OrderStep) {
        self.steps.lock().expect("no panic").push(step);
    }
    fn ended(&self) {}
}

fn settings() -> EngineSettings {
    EngineSettings {
        plan: DevicePlan::Metadata(MetadataPlan::USUAL),
        options: 0,
        backoff: true,
        ptxas: None,
        cache: None,
        build: None,
        requests: None,
        launch_timeout: None,
        set_bytes: None,
        copies: CopiesSettings::default(),
    }
}

/// An engine whose program has loaded the code above.
struct Program {
    engine: Engine,
    reported: Arc<Reported>,
}

impl Program {
    fn new(capacity: u64, settings: EngineSettings) -> Program {
        let reported = Arc::new(Reported::default());
        let engine = Engine::new(driver(capacity), settings, reported.clone(), None);
        let program = Program { engine, reported };
        program.load(MODULE);
        program
    }

    /// Loads the code once more.
    fn load(&self, container: CodeContainer) {
        let text = CString::new(PTX).expect("text");
        let source = CodeSource::Image { start: text.as_ptr().cast(), stays: false };
        self.engine.code_loaded(container, source);
    }

    fn function(&self, name: &str) -> CUfunction {
        self.function_of(CUmodule(1), name)
    }

    fn function_of(&self, module: CUmodule, name: &str) -> CUfunction {
        let name = CString::new(name).expect("text");
        let mut function = CUfunction::NULL;
        // SAFETY: a place for a handle.
        unsafe { self.engine.driver.cuModuleGetFunction(&mut function, module, name.as_ptr()) };
        function
    }

    fn allocate(&self, address: u64, bytes: u64) {
        let (kind, stream) = (AllocationKind::Device, CUstream::NULL);
        self.engine.allocated(&Allocation { address, bytes, kind, stream });
    }

    fn free(&self, address: u64) {
        let freed = Freed { address, bytes: None, stream: None };
        self.engine.free(&freed, &mut || CUresult::SUCCESS);
    }

    /// Launches, or makes a node: the function that the driver got.
    fn launch(&self, function: CUfunction, source: LaunchSource) -> LaunchCall {
        self.launch_of(function, source, CUgraphNode::NULL)
    }

    fn launch_of(
        &self,
        function: CUfunction,
        source: LaunchSource,
        node: CUgraphNode,
    ) -> LaunchCall {
        let (mut data, mut count) = (0u64, 0u32);
        let mut parameters: [*mut c_void; 2] =
            [(&raw mut data).cast::<c_void>(), (&raw mut count).cast::<c_void>()];
        let mut call = self.call(function, source, CUstream::NULL);
        (call.node, call.parameters) = (node, parameters.as_mut_ptr());
        let mut done = None;
        self.engine.launch(&mut call, &mut |call| {
            let first = KernelNodeParamsV1 {
                function: call.function,
                grid: call.grid,
                block: call.block,
                parameters: call.parameters,
                ..KernelNodeParams::NOTHING.first
            };
            let given = KernelNodeParams { first, ..KernelNodeParams::NOTHING };
            let context = warpsan_instrument::CONTEXT_BYTES as usize;
            let sizes = if call.function == function { &[8, 4][..] } else { &[8, 4, context] };
            let graph = match call.source {
                LaunchSource::NewNode(graph) => Some(graph),
                LaunchSource::Stream => fake(|fake| fake.captured),
                _ => None,
            };
            // SAFETY: the parameters of the kernel, and the context if it is ours.
            fake(|fake| unsafe {
                match graph {
                    Some(graph) => call.node = fake.add_kernel(graph, &given, sizes),
                    None if !call.node.is_null() => fake.set_kernel(call.node, &given, sizes),
                    None => {}
                }
            });
            done = Some(call.clone());
            CUresult::SUCCESS
        });
        done.expect("a launch")
    }

    /// A launch without parameters.
    fn call(&self, function: CUfunction, source: LaunchSource, stream: CUstream) -> LaunchCall {
        LaunchCall {
            source,
            function,
            context: CUcontext::NULL,
            grid: [8, 1, 1],
            block: [128, 1, 1],
            shared_bytes: 0,
            stream,
            per_thread_default_stream: false,
            parameters: std::ptr::null_mut(),
            extra: std::ptr::null_mut(),
            cooperative: false,
            attributes: Vec::new(),
            node: CUgraphNode::NULL,
        }
    }

    fn warnings(&self) -> Vec<String> {
        of(&self.reported.warnings)
    }
}

/// The metadata that kernels find for an address.
fn metadata(table: u64, address: u64) -> u64 {
    let chunk = address / (2 * MIB);
    fake(|fake| {
        let region = fake.words.get(&(table + chunk / 4096 * 8)).copied().unwrap_or(0);
        fake.words.get(&(region + chunk % 4096 * 8)).copied().unwrap_or(0)
    })
}

fn table(program: &Program) -> u64 {
    table_of(program, CONTEXT)
}

fn table_of(program: &Program, context: CUcontext) -> u64 {
    program.engine.lock().devices[&context].shadow.table
}
