//! Several contexts at a time: each has metadata, reports and kernels of its own, and may end.

use super::*;
use crate::engine::fake::primary;
use warpsan_instrument::LaunchContext;

const OTHER: CUcontext = CUcontext(0x70);
const MODULE_OF_OTHER: CUmodule = CUmodule(2);

/// A program with a second context on a device, and code in both.
fn program_with(device: CUdevice) -> Program {
    let program = Program::new(64 * GIB, settings());
    fake(|fake| fake.context_devices.insert(OTHER, device));
    program.engine.context_made(OTHER);
    within(&program, OTHER, || program.load(CodeContainer::Module(MODULE_OF_OTHER)));
    program
}

fn within<T>(program: &Program, context: CUcontext, action: impl FnOnce() -> T) -> T {
    fake(|fake| fake.stack.push(context));
    let result = action();
    fake(|fake| assert_eq!(fake.stack.pop(), Some(context), "what was current is current again"));
    let _ = program;
    result
}

/// The context behind a launch's parameters.
fn launch_context(call: &LaunchCall) -> LaunchContext {
    // SAFETY: a kernel of ours has it behind the two of the program.
    unsafe { (*call.parameters.add(2)).cast::<LaunchContext>().read() }
}

/// Launches, and looks at what the kernel was given before that is gone.
fn launched(
    program: &Program,
    function: CUfunction,
    stream: CUstream,
) -> (CUfunction, LaunchContext) {
    let (mut data, mut count) = (0u64, 0u32);
    let mut parameters: [*mut c_void; 2] =
        [(&raw mut data).cast::<c_void>(), (&raw mut count).cast::<c_void>()];
    let mut call = program.call(function, LaunchSource::Stream, stream);
    call.parameters = parameters.as_mut_ptr();
    let mut seen = None;
    program.engine.launch(&mut call, &mut |call| {
        seen = Some((call.function, launch_context(call)));
        CUresult::SUCCESS
    });
    seen.expect("a launch")
}

#[test]
fn kernels_know_what_entries_are_for() {
    for (granularity, history) in [(4, 1), (1, 1), (8, 4)] {
        let shape = Shape::new(granularity, history);
        let plan = DevicePlan::Metadata(MetadataPlan::of(shape));
        let program = Program::new(64 * GIB, EngineSettings { plan, ..settings() });
        let (_, context) = launched(&program, program.function("scale"), CUstream::NULL);
        assert_eq!(context.shape, shape.word());
    }
}

fn home(address: u64) -> CUcontext {
    fake(|fake| {
        let (start, bytes) = fake.memory.range(..=address).next_back().expect("memory");
        assert!(address < start + bytes);
        fake.home[start]
    })
}

#[test]
fn each_context_has_metadata_reports_and_kernels_of_its_own() {
    let program = program_with(0);
    program.allocate(1 << 32, MIB);
    within(&program, OTHER, || program.allocate(2 << 32, MIB));
    let (one, other) = (program.function("scale"), program.function_of(MODULE_OF_OTHER, "scale"));
    let (first, of_first) = launched(&program, one, CUstream::NULL);
    let (second, of_second) = within(&program, OTHER, || launched(&program, other, CUstream::NULL));
    assert!(first != one && second != other && first != second);
    for (context, given) in [(CONTEXT, of_first), (OTHER, of_second)] {
        assert_eq!(home(given.shadow_table), context);
        assert_eq!(home(given.reports), context);
    }
    let tables = [of_first, of_second].map(|given| given.shadow_table);
    assert_ne!(metadata(tables[0], 1 << 32), 0);
    assert_ne!(metadata(tables[1], 2 << 32), 0);
    assert_eq!(home(metadata(tables[1], 2 << 32)), OTHER);
    assert_eq!(metadata(tables[0], 2 << 32), 0, "kernels here cannot use it");
    assert_eq!(metadata(tables[1], 1 << 32), 0);
    // Both go on as before.
    assert_eq!(launched(&program, one, CUstream::NULL).0, first);
    assert_eq!(within(&program, OTHER, || launched(&program, other, CUstream::NULL)).0, second);
    assert_eq!(of(&program.reported.not_covered), Vec::<String>::new());
    assert_eq!(program.warnings(), Vec::<String>::new());
}

#[test]
fn a_launch_is_for_the_context_of_its_stream() {
    let program = program_with(0);
    let stream = CUstream(0x55);
    fake(|fake| fake.streams.insert(stream, OTHER));
    let other = program.function_of(MODULE_OF_OTHER, "scale");
    let (ours, given) = launched(&program, other, stream);
    assert_ne!(ours, other);
    assert_eq!(home(given.shadow_table), OTHER);
    assert_eq!(fake(|fake| fake.stack.clone()), [CONTEXT]);
    // A function is for the context of its module, whatever is current.
    let (_, given) = launched(&program, other, CUstream::NULL);
    assert_eq!(home(given.shadow_table), OTHER);
}

#[test]
fn memory_of_all_contexts_is_covered_in_each() {
    let program = program_with(1);
    let (managed, pinned, of_device) = (1 << 32, 2 << 32, 3 << 32);
    let allocate = |address, kind| {
        let stream = CUstream::NULL;
        program.engine.allocated(&Allocation { address, bytes: MIB, kind, stream });
    };
    allocate(managed, AllocationKind::Managed);
    let other = program.function_of(MODULE_OF_OTHER, "scale");
    let launch = || within(&program, OTHER, || launched(&program, other, CUstream::NULL)).1;
    let table = launch().shadow_table;
    assert_ne!(metadata(table, managed), 0, "it was there before the context was used");
    allocate(pinned, AllocationKind::Host);
    allocate(of_device, AllocationKind::Device);
    assert_eq!(metadata(table, pinned), 0, "nothing was launched since");
    launch();
    assert_ne!(metadata(table, pinned), 0);
    assert_eq!(metadata(table, of_device), 0);
    within(&program, OTHER, || program.engine.peer_access(CONTEXT));
    launch();
    assert_ne!(metadata(table, of_device), 0, "it may be used from there now");
    allocate(4 << 32, AllocationKind::Device);
    program.allocate(5 << 32, MIB);
    program.free(5 << 32);
    launch();
    assert_ne!(metadata(table, 4 << 32), 0);
    assert_eq!(metadata(table, 5 << 32), 0, "it was given back before");
    assert_eq!(home(metadata(table, 4 << 32)), OTHER);
}

#[test]
fn a_context_that_ends_takes_only_its_own_along() {
    let program = program_with(0);
    let (one, other) = (program.function("scale"), program.function_of(MODULE_OF_OTHER, "scale"));
    program.allocate(1 << 32, MIB);
    within(&program, OTHER, || program.allocate(2 << 32, MIB));
    let first = launched(&program, one, CUstream::NULL).0;
    within(&program, OTHER, || launched(&program, other, CUstream::NULL));
    // It is not current when it is destroyed.
    fake(|fake| fake.waited_for.clear());
    let refused = CUresult::INVALID_CONTEXT;
    let ends = ContextEnd::Destroyed(OTHER);
    assert_eq!(program.engine.context_ends(ends, &mut || refused), refused);
    assert!(program.engine.lock().devices.contains_key(&OTHER), "it is still there");
    program.engine.context_ends(ends, &mut || {
        fake(|fake| fake.context_devices.remove(&OTHER));
        CUresult::SUCCESS
    });
    assert_eq!(fake(|fake| fake.waited_for.clone()), [OTHER, OTHER]);
    let state = program.engine.lock();
    assert_eq!(state.devices.keys().copied().collect::<Vec<_>>(), [CONTEXT]);
    assert!(!state.code.contains_key(&CodeContainer::Module(MODULE_OF_OTHER)));
    assert!(state.code.contains_key(&MODULE));
    drop(state);
    assert_eq!(launched(&program, one, CUstream::NULL).0, first);
    // The next one may have the same handle, and has nothing yet.
    fake(|fake| fake.context_devices.insert(OTHER, 0));
    program.engine.context_made(OTHER);
    within(&program, OTHER, || program.load(CodeContainer::Module(MODULE_OF_OTHER)));
    let (_, given) = within(&program, OTHER, || launched(&program, other, CUstream::NULL));
    assert_eq!(home(given.shadow_table), OTHER);
    assert_eq!(metadata(given.shadow_table, 2 << 32), 0);
}

#[test]
fn a_primary_context_ends_with_its_last_user() {
    let program = program_with(0);
    let context = primary(0);
    fake(|fake| fake.context_devices.insert(context, 0));
    let driver = program.engine.driver;
    let retain = || {
        let mut place = CUcontext::NULL;
        // SAFETY: a place for a context.
        unsafe { driver.cuDevicePrimaryCtxRetain(&mut place, 0) };
        program.engine.context_made(place);
    };
    let release = || {
        // SAFETY: a device that there is.
        let mut real = || unsafe { driver.cuDevicePrimaryCtxRelease_v2(0) };
        program.engine.context_ends(ContextEnd::PrimaryReleased(0), &mut real);
    };
    retain();
    retain();
    within(&program, context, || program.allocate(1 << 32, MIB));
    fake(|fake| fake.waited_for.clear());
    release();
    assert!(program.engine.lock().devices.contains_key(&context), "somebody still uses it");
    assert_eq!(fake(|fake| fake.waited_for.clone()), [], "so nobody waits");
    release();
    assert!(!program.engine.lock().devices.contains_key(&context));
    assert_eq!(fake(|fake| fake.waited_for.clone()), [context]);
    // A reset ends it for all.
    retain();
    retain();
    within(&program, context, || program.allocate(1 << 32, MIB));
    program.engine.context_ends(ContextEnd::PrimaryReset(0), &mut || CUresult::SUCCESS);
    assert!(!program.engine.lock().devices.contains_key(&context));
}

#[test]
fn races_of_a_context_are_read_before_it_ends() {
    let program = program_with(0);
    let other = program.function_of(MODULE_OF_OTHER, "scale");
    let (_, given) = within(&program, OTHER, || launched(&program, other, CUstream::NULL));
    let ring = fake(|fake| fake.words[&(given.reports + warpsan_instrument::Reports::RING as u64)]);
    let mut report = DeviceReport::default();
    (report.variant, report.site, report.ready) = (1, 1, 1);
    // SAFETY: the ring, whose first place is free.
    unsafe { (ring as *mut DeviceReport).write_volatile(report) };
    program.engine.context_ends(ContextEnd::Destroyed(OTHER), &mut || {
        assert_eq!(of(&program.reported.found).len(), 1, "before the memory is gone");
        CUresult::SUCCESS
    });
    assert_eq!(of(&program.reported.found).len(), 1);
}

#[test]
fn a_part_of_a_device_has_the_memory_of_the_whole() {
    let program = program_with(0);
    let (whole, part) = (primary(0), CUcontext(0x77));
    fake(|fake| {
        fake.context_devices.extend([(whole, 0), (part, 0)]);
        fake.part_of_primary = Some(part);
    });
    within(&program, whole, || {
        program.allocate(1 << 32, MIB);
        program.load(CodeContainer::Module(CUmodule(3)));
    });
    let function = program.function_of(CUmodule(3), "scale");
    let (_, given) = within(&program, part, || launched(&program, function, CUstream::NULL));
    assert_eq!(home(given.shadow_table), whole);
    assert_ne!(metadata(given.shadow_table, 1 << 32), 0);
    within(&program, part, || program.allocate(2 << 32, MIB));
    assert_ne!(metadata(given.shadow_table, 2 << 32), 0);
    assert!(!program.engine.lock().devices.contains_key(&part));
}

#[test]
fn room_is_made_by_all_contexts_of_a_device() {
    let program = program_with(0);
    program.allocate(1 << 32, MIB);
    within(&program, OTHER, || program.allocate(2 << 32, GIB));
    let table = table_of(&program, OTHER);
    let (mut free, mut total) = (0, 64 << 30);
    // SAFETY: places for two numbers.
    unsafe { program.engine.driver.cuMemGetInfo_v2(&mut free, &mut total) };
    program.engine.memory_queried(&mut free, &mut total);
    assert_eq!(free, 64 << 30, "nothing of ours is shown, wherever it is");
    assert!(program.engine.make_room(4 * GIB));
    assert_eq!(metadata(table, 2 << 32), 0);
    assert_eq!(program.warnings().len(), 2, "one of each context");
}

#[test]
fn code_that_goes_is_unloaded_in_its_context() {
    let program = program_with(0);
    let other = program.function_of(MODULE_OF_OTHER, "scale");
    within(&program, OTHER, || launched(&program, other, CUstream::NULL));
    let modules = || fake(|fake| fake.home.keys().filter(|place| **place < 1 << 32).count());
    assert_eq!(modules(), 1, "the variant's");
    program.engine.code_unloads(CodeContainer::Module(MODULE_OF_OTHER));
    assert_eq!(modules(), 0);
}

#[test]
fn a_graph_may_have_kernels_of_several_contexts() {
    let program = program_with(1);
    let graph = CUgraph(0x91);
    let (one, other) = (program.function("scale"), program.function_of(MODULE_OF_OTHER, "scale"));
    program.launch(one, LaunchSource::NewNode(graph));
    program.launch(other, LaunchSource::NewNode(graph));
    program.engine.graph_instantiated(graph, CUgraphExec(1));
    fake(|fake| {
        fake.filled.clear();
        fake.waiting.clear();
    });
    let stream = CUstream(0x33);
    fake(|fake| fake.streams.insert(stream, CONTEXT));
    program.engine.graph_launch(CUgraphExec(1), stream, &mut || CUresult::SUCCESS);
    let filled = fake(|fake| fake.filled.clone());
    let homes: Vec<CUcontext> = filled.iter().map(|(place, _)| home(*place)).collect();
    assert_eq!(homes, [CONTEXT, OTHER]);
    let own = program.engine.lock().devices[&OTHER].stream;
    assert_eq!(fake(|fake| fake.waiting.clone()), [own, stream], "each in the other's order");
    assert_eq!(program.warnings(), Vec::<String>::new());
}

#[test]
fn launches_on_several_devices_are_hooked_one_inside_of_the_other() {
    let program = program_with(1);
    let stream = CUstream(0x55);
    fake(|fake| fake.streams.insert(stream, OTHER));
    let other = program.function_of(MODULE_OF_OTHER, "scale");
    let mut parameters = [std::ptr::null_mut(); 2];
    let mut first =
        program.call(program.function("scale"), LaunchSource::SeveralDevices, CUstream::NULL);
    let mut second = program.call(other, LaunchSource::SeveralDevices, stream);
    for call in [&mut first, &mut second] {
        call.parameters = parameters.as_mut_ptr();
    }
    let mut tables = Vec::new();
    program.engine.launch(&mut first, &mut |first| {
        tables.push(launch_context(first).shadow_table);
        program.engine.launch(&mut second, &mut |second| {
            tables.push(launch_context(second).shadow_table);
            CUresult::SUCCESS
        })
    });
    let homes: Vec<CUcontext> = tables.into_iter().map(home).collect();
    assert_eq!(homes, [CONTEXT, OTHER]);
    assert_eq!(of(&program.reported.launched).len(), 2);
}
