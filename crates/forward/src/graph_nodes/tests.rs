//! Kernel nodes in each form of their parameters, in front of functions that stand for the driver.

use super::*;
use std::cell::RefCell;
use std::sync::Mutex;
use warpsan_gpu::{
    Allocation, AllocationKind, CUstream, Hooks, MemAllocNodeParams, NodeParamsOfType,
};

/// Gives every node another kernel, and notes the launches that it sees.
#[derive(Default)]
struct OtherKernel {
    seen: Mutex<Vec<(LaunchSource, usize, usize, usize)>>,
    allocated: Mutex<Vec<Allocation>>,
}

impl Hooks for OtherKernel {
    fn launch(
        &self,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        let (function, context) = (call.function.0, call.context.0);
        call.function = CUfunction(function + 100);
        let answer = real(call);
        self.seen.lock().expect("a lock").push((call.source, function, context, call.node.0));
        answer
    }

    fn allocated(&self, allocation: &Allocation) {
        self.allocated.lock().expect("a lock").push(*allocation);
    }

    fn node_queried(&self, _: CUgraphNode, parameters: &mut KernelNodeParams) {
        parameters.first.function = CUfunction(parameters.first.function.0 - 100);
    }
}

thread_local! {
    static GIVEN: RefCell<Vec<KernelNodeParams>> = const { RefCell::new(Vec::new()) };
}

fn given() -> Vec<(usize, usize)> {
    let given = GIVEN.with(RefCell::take);
    given.iter().map(|one| (one.first.function.0, one.kernel.0)).collect()
}

fn note(parameters: KernelNodeParams) {
    GIVEN.with(|all| all.borrow_mut().push(parameters));
}

fn hooks() -> &'static OtherKernel {
    Box::leak(Box::default())
}

fn parameters(function: usize, kernel: usize) -> KernelNodeParams {
    KernelNodeParams {
        first: KernelNodeParamsV1 {
            function: CUfunction(function),
            grid: [2, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            parameters: std::ptr::null_mut(),
            extra: std::ptr::null_mut(),
        },
        kernel: CUkernel(kernel),
        context: CUcontext(5),
    }
}

unsafe extern "C" fn real_add(
    node: *mut CUgraphNode,
    _: CUgraph,
    _: *const CUgraphNode,
    _: usize,
    parameters: *const KernelNodeParams,
) -> CUresult {
    // SAFETY: the test passes both.
    unsafe {
        note(*parameters);
        node.write(CUgraphNode(77));
    }
    CUresult::SUCCESS
}

unsafe extern "C" fn real_add_any(
    node: *mut CUgraphNode,
    _: CUgraph,
    _: *const CUgraphNode,
    _: usize,
    parameters: *mut GraphNodeParams,
) -> CUresult {
    // SAFETY: the test passes both, and the type says what is in them.
    unsafe {
        match (*parameters).node_type {
            GraphNodeParams::KERNEL => {
                let behind = size_of::<KernelNodeParams>() / size_of::<i64>();
                let words = (*parameters).of_type.other;
                let nothing = words[behind..].iter().all(|word| *word == 0);
                if !nothing || (*parameters).reserved_end != 0 {
                    return CUresult::INVALID_VALUE;
                }
                note((*parameters).of_type.kernel);
            }
            _ => (*parameters).of_type.allocation.address = 0x1000,
        }
        node.write(CUgraphNode(78));
    }
    CUresult::SUCCESS
}

#[test]
fn a_node_gets_another_kernel_and_the_hook_learns_the_node() {
    let hooks = hooks();
    for (function, kernel) in [(7, 0), (7, 8), (0, 8)] {
        let call = Call { real: real_add as Add<KernelNodeParams>, hooks, name: "" };
        let mut node = CUgraphNode::NULL;
        let parameters = parameters(function, kernel);
        // SAFETY: a place and parameters of our own.
        let answer = unsafe { add(call, &mut node, CUgraph(1), std::ptr::null(), 0, &parameters) };
        assert_eq!((answer, node), (CUresult::SUCCESS, CUgraphNode(77)));
    }
    assert_eq!(given(), [(107, 0), (107, 0), (108, 0)]);
    let seen = hooks.seen.lock().expect("a lock");
    let source = LaunchSource::NewNode(CUgraph(1));
    assert_eq!(*seen, [(source, 7, 0, 77), (source, 7, 0, 77), (source, 8, 5, 77)]);
}

#[test]
fn a_node_of_any_type_is_hooked_by_its_type() {
    let hooks = hooks();
    let all = |mut parameters: GraphNodeParams| {
        let call = Call { real: real_add_any as AddAny, hooks, name: "" };
        let mut node = CUgraphNode::NULL;
        // SAFETY: a place and parameters of our own.
        let answer =
            unsafe { add_any(call, &mut node, CUgraph(1), std::ptr::null(), 0, &mut parameters) };
        assert_eq!((answer, node), (CUresult::SUCCESS, CUgraphNode(78)));
        parameters
    };
    let any = |node_type, of_type| GraphNodeParams {
        node_type,
        reserved: [0; 3],
        of_type,
        reserved_end: 0,
    };
    let mut kernel = NodeParamsOfType { other: [0; 29] };
    kernel.kernel = parameters(7, 0);
    let after = all(any(GraphNodeParams::KERNEL, kernel));
    // SAFETY: the type says so.
    let seen = unsafe { after.of_type.kernel };
    assert_eq!(seen, parameters(7, 0), "the program's own parameters stay as they are");
    assert_eq!(given(), [(107, 0)]);
    let allocation = MemAllocNodeParams {
        pool: [0; 11],
        access: std::ptr::null(),
        access_count: 0,
        bytes: 64,
        address: 0,
    };
    let after = all(any(GraphNodeParams::MEM_ALLOC, NodeParamsOfType { allocation }));
    // SAFETY: the type says so.
    assert_eq!(unsafe { after.of_type.allocation.address }, 0x1000, "the program sees the address");
    let expected = Allocation {
        address: 0x1000,
        bytes: 64,
        kind: AllocationKind::Graph,
        stream: CUstream::NULL,
    };
    assert_eq!(*hooks.allocated.lock().expect("a lock"), [expected]);
}

#[test]
fn a_program_that_asks_for_parameters_sees_its_own() {
    unsafe extern "C" fn real(_: CUgraphNode, place: *mut KernelNodeParams) -> CUresult {
        // SAFETY: the test passes a place.
        unsafe { place.write(parameters(107, 0)) };
        CUresult::SUCCESS
    }
    let mut seen = parameters(0, 0);
    type Get = unsafe extern "C" fn(CUgraphNode, *mut KernelNodeParams) -> CUresult;
    let call = Call { real: real as Get, hooks: hooks(), name: "" };
    // SAFETY: a place of our own.
    let answer = unsafe { get(call, CUgraphNode(77), &mut seen) };
    assert_eq!((answer, seen), (CUresult::SUCCESS, parameters(7, 0)));
}
