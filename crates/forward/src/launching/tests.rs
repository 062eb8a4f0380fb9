//! Each function that launches, in front of one that stands for the driver: what the hook sees, and what is launched.

use super::*;
use std::cell::RefCell;
use warpsan_gpu::Hooks;

/// Gives every launch another kernel, and a cluster.
struct OtherKernel;

const CLUSTER: CUlaunchAttribute = CUlaunchAttribute {
    id: CUlaunchAttribute::CLUSTER_DIMENSION,
    padding: 0,
    value: [2 | 1 << 32, 1, 0, 0, 0, 0, 0, 0],
};

impl Hooks for OtherKernel {
    fn launch(
        &self,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        call.function = CUfunction(call.function.0 + 100);
        real(call)
    }
}

/// Passes everything on.
struct Nothing;

impl Hooks for Nothing {}

/// What the driver was asked to launch: the function, the grid, the stream and the cooperative attribute.
type Launched = (usize, [u32; 3], usize, Option<u32>);

thread_local! {
    static LAUNCHED: RefCell<Vec<Launched>> = const { RefCell::new(Vec::new()) };
}

fn launched() -> Vec<Launched> {
    LAUNCHED.with(RefCell::take)
}

fn note(launched: Launched) -> CUresult {
    LAUNCHED.with(|all| all.borrow_mut().push(launched));
    CUresult::SUCCESS
}

unsafe extern "C" fn real_launch(
    function: CUfunction,
    x: c_uint,
    y: c_uint,
    z: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    stream: CUstream,
    _: *mut *mut c_void,
    _: *mut *mut c_void,
) -> CUresult {
    note((function.0, [x, y, z], stream.0, None))
}

unsafe extern "C" fn real_launch_with_config(
    config: *const CUlaunchConfig,
    function: CUfunction,
    _: *mut *mut c_void,
    _: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the test passes a configuration.
    let (config, attributes) = unsafe { (*config, attributes_of(&*config)) };
    let cooperative = attributes.iter().find(|one| one.id == CUlaunchAttribute::COOPERATIVE);
    note((function.0, config.grid, config.stream.0, cooperative.map(|one| one.numbers()[0])))
}

unsafe extern "C" fn real_launch_on_several(
    list: *mut LaunchParams,
    count: c_uint,
    _: c_uint,
) -> CUresult {
    // SAFETY: so many launches.
    for one in unsafe { std::slice::from_raw_parts(list, count as usize) } {
        note((one.function.0, one.grid, one.stream.0, None));
    }
    CUresult::NOT_PERMITTED
}

fn call<F>(real: F, hooks: &'static dyn Hooks) -> Call<F> {
    Call { real, hooks, name: "cuLaunch" }
}

#[test]
fn a_hook_can_put_another_kernel_in_place() {
    let null = std::ptr::null_mut();
    for (hooks, expected) in [(&Nothing as &'static dyn Hooks, 7), (&OtherKernel, 107)] {
        let call = call(real_launch as LaunchKernel, hooks);
        // SAFETY: nothing is read.
        let answer =
            unsafe { launch(call, CUfunction(7), 4, 2, 1, 32, 1, 1, 0, CUstream(9), null, null) };
        assert_eq!(answer, CUresult::SUCCESS);
        assert_eq!(launched(), [(expected, [4, 2, 1], 9, None)]);
    }
}

#[test]
fn attributes_reach_the_hook_and_the_driver() {
    let cooperative =
        CUlaunchAttribute { id: CUlaunchAttribute::COOPERATIVE, padding: 0, value: [1; 8] };
    let attributes = [CLUSTER, cooperative];
    let config = CUlaunchConfig {
        grid: [8, 1, 1],
        block: [64, 1, 1],
        shared_bytes: 16,
        stream: CUstream(3),
        attributes: attributes.as_ptr(),
        attribute_count: 2,
    };
    let null = std::ptr::null_mut();
    let call = call(real_launch_with_config as LaunchKernelEx, &OtherKernel);
    // SAFETY: a configuration of our own.
    let answer = unsafe { launch_with_config(call, &config, CUfunction(7), null, null) };
    assert_eq!(answer, CUresult::SUCCESS);
    assert_eq!(launched(), [(107, [8, 1, 1], 3, Some(1))]);
}

#[test]
fn a_launch_says_that_it_is_cooperative_exactly_when_it_is() {
    let mut launch = plain(CUfunction(1), [1; 3], [1; 3]);
    let mut launched_as = |cooperative: bool, attributes: Vec<CUlaunchAttribute>| {
        launch.cooperative = cooperative;
        launch.attributes = attributes;
        // SAFETY: nothing is read.
        unsafe { launch_by(real_launch_with_config, &mut launch) };
        launched()[0].3
    };
    let said = |value| CUlaunchAttribute {
        id: CUlaunchAttribute::COOPERATIVE,
        padding: 0,
        value: [value; 8],
    };
    assert_eq!(launched_as(false, vec![CLUSTER]), None);
    assert_eq!(launched_as(true, vec![CLUSTER]), Some(1));
    assert_eq!(launched_as(true, vec![said(1)]), Some(1));
    assert_eq!(launched_as(false, vec![said(1), CLUSTER]), Some(0));
}

#[test]
fn launches_on_several_devices_are_hooked_one_by_one_and_done_together() {
    let one = |function: usize| LaunchParams {
        function: CUfunction(function),
        grid: [1; 3],
        block: [1; 3],
        shared_bytes: 0,
        stream: CUstream(function),
        parameters: std::ptr::null_mut(),
    };
    let mut list = [one(1), one(2), one(3)];
    let call = call(real_launch_on_several as LaunchOnSeveral, &OtherKernel);
    // SAFETY: a list of our own.
    let answer = unsafe { launch_on_several_devices(call, list.as_mut_ptr(), 3, 0) };
    assert_eq!(answer, CUresult::NOT_PERMITTED);
    let functions: Vec<_> = launched().iter().map(|one| (one.0, one.2)).collect();
    assert_eq!(functions, [(101, 1), (102, 2), (103, 3)]);
    assert_eq!(list[0].function, CUfunction(1), "the program's own list stays as it is");
}
