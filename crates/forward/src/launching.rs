//! Launches in streams. Whichever function a program calls, the hook sees one kind of launch.

use crate::calls::Call;
use crate::driver::forwarding;
use crate::wrapped::{c_name, forwards};
use std::ffi::{c_int, c_uint, c_void};
use warpsan_gpu::{
    CUcontext, CUfunction, CUgraphNode, CUlaunchAttribute, CUlaunchConfig, CUresult, CUstream,
    LaunchCall, LaunchParams, LaunchSource,
};

forwards! {
    fn (
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    ) = launch: cuLaunchKernel, cuLaunchKernel_ptsz;
    fn (
        config: *const CUlaunchConfig,
        function: CUfunction,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    ) = launch_with_config: cuLaunchKernelEx, cuLaunchKernelEx_ptsz;
    fn (
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        parameters: *mut *mut c_void
    ) = launch_cooperative: cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz;
    fn (list: *mut LaunchParams, count: c_uint, flags: c_uint) = launch_on_several_devices:
        cuLaunchCooperativeKernelMultiDevice;
    fn (function: CUfunction) = launch_as_set: cuLaunch;
    fn (function: CUfunction, width: c_int, height: c_int) = launch_grid: cuLaunchGrid;
    fn (function: CUfunction, width: c_int, height: c_int, stream: CUstream) = launch_grid_in_stream:
        cuLaunchGridAsync;
}

type LaunchKernel = unsafe extern "C" fn(
    CUfunction,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    CUstream,
    *mut *mut c_void,
    *mut *mut c_void,
) -> CUresult;

type LaunchCooperative = unsafe extern "C" fn(
    CUfunction,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    CUstream,
    *mut *mut c_void,
) -> CUresult;

type LaunchKernelEx = unsafe extern "C" fn(
    *const CUlaunchConfig,
    CUfunction,
    *mut *mut c_void,
    *mut *mut c_void,
) -> CUresult;

/// A launch that says as little as a launch can.
pub(crate) fn plain(function: CUfunction, grid: [u32; 3], block: [u32; 3]) -> LaunchCall {
    LaunchCall {
        source: LaunchSource::Stream,
        function,
        context: CUcontext::NULL,
        grid,
        block,
        shared_bytes: 0,
        stream: CUstream::NULL,
        per_thread_default_stream: false,
        parameters: std::ptr::null_mut(),
        extra: std::ptr::null_mut(),
        cooperative: false,
        attributes: Vec::new(),
        node: CUgraphNode::NULL,
    }
}

#[allow(clippy::too_many_arguments)]
unsafe fn launch(
    call: Call<LaunchKernel>,
    function: CUfunction,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared_bytes: c_uint,
    stream: CUstream,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    let mut launch = LaunchCall {
        shared_bytes,
        stream,
        parameters,
        extra,
        per_thread_default_stream: call.per_thread_default_stream(),
        ..plain(function, [grid_x, grid_y, grid_z], [block_x, block_y, block_z])
    };
    call.hooks.launch(&mut launch, &mut |launch| {
        if !launch.attributes.is_empty() || launch.cooperative {
            return launch_with_attributes(launch);
        }
        let ([x, y, z], [of_x, of_y, of_z]) = (launch.grid, launch.block);
        // SAFETY: the program's own call, or what the hook has made of it.
        unsafe {
            (call.real)(
                launch.function,
                x,
                y,
                z,
                of_x,
                of_y,
                of_z,
                launch.shared_bytes,
                launch.stream,
                launch.parameters,
                launch.extra,
            )
        }
    })
}

#[allow(clippy::too_many_arguments)]
unsafe fn launch_cooperative(
    call: Call<LaunchCooperative>,
    function: CUfunction,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared_bytes: c_uint,
    stream: CUstream,
    parameters: *mut *mut c_void,
) -> CUresult {
    let mut launch = LaunchCall {
        shared_bytes,
        stream,
        parameters,
        cooperative: true,
        per_thread_default_stream: call.per_thread_default_stream(),
        ..plain(function, [grid_x, grid_y, grid_z], [block_x, block_y, block_z])
    };
    call.hooks.launch(&mut launch, &mut |launch| {
        if !launch.attributes.is_empty() || !launch.cooperative || !launch.extra.is_null() {
            return launch_with_attributes(launch);
        }
        let ([x, y, z], [of_x, of_y, of_z]) = (launch.grid, launch.block);
        // SAFETY: the program's own call, or what the hook has made of it.
        unsafe {
            (call.real)(
                launch.function,
                x,
                y,
                z,
                of_x,
                of_y,
                of_z,
                launch.shared_bytes,
                launch.stream,
                launch.parameters,
            )
        }
    })
}

unsafe fn launch_with_config(
    call: Call<LaunchKernelEx>,
    config: *const CUlaunchConfig,
    function: CUfunction,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    if config.is_null() {
        // SAFETY: the driver refuses it.
        return unsafe { (call.real)(config, function, parameters, extra) };
    }
    // SAFETY: not null, so it is a configuration with its attributes.
    let (config, attributes) = unsafe { (*config, attributes_of(&*config)) };
    let mut launch = LaunchCall {
        shared_bytes: config.shared_bytes,
        stream: config.stream,
        parameters,
        extra,
        cooperative: is_cooperative(&attributes),
        attributes,
        per_thread_default_stream: call.per_thread_default_stream(),
        ..plain(function, config.grid, config.block)
    };
    call.hooks.launch(&mut launch, &mut |launch| {
        // SAFETY: the program's own call, or what the hook has made of it.
        unsafe { launch_by(call.real, launch) }
    })
}

/// The attributes of a configuration.
///
/// # Safety
/// They are as many as it says.
unsafe fn attributes_of(config: &CUlaunchConfig) -> Vec<CUlaunchAttribute> {
    if config.attributes.is_null() {
        return Vec::new();
    }
    let count = config.attribute_count as usize;
    // SAFETY: so many attributes.
    unsafe { std::slice::from_raw_parts(config.attributes, count) }.to_vec()
}

fn is_cooperative(attributes: &[CUlaunchAttribute]) -> bool {
    let mut all = attributes.iter();
    all.any(|one| one.id == CUlaunchAttribute::COOPERATIVE && one.numbers()[0] != 0)
}

/// Launches by the function that takes everything, in place of one that takes less.
fn launch_with_attributes(launch: &mut LaunchCall) -> CUresult {
    let name = match launch.per_thread_default_stream {
        true => c_name("cuLaunchKernelEx_ptsz\0"),
        false => c_name("cuLaunchKernelEx\0"),
    };
    let found = forwarding().map_or(std::ptr::null_mut(), |forwarding| forwarding.real(name));
    // SAFETY: null is none, and what the driver has under this name has this type.
    let real = unsafe { std::mem::transmute::<*mut c_void, Option<LaunchKernelEx>>(found) };
    match real {
        // SAFETY: what the hook has made of the program's own call.
        Some(real) => unsafe { launch_by(real, launch) },
        None => CUresult::NOT_FOUND,
    }
}

/// Launches by the function that takes everything.
///
/// # Safety
/// The launch is one that the driver can be given.
unsafe fn launch_by(real: LaunchKernelEx, launch: &mut LaunchCall) -> CUresult {
    let mut with_cooperation;
    let attributes = match launch.cooperative == is_cooperative(&launch.attributes) {
        true => &launch.attributes,
        false => {
            with_cooperation = launch.attributes.clone();
            with_cooperation.retain(|one| one.id != CUlaunchAttribute::COOPERATIVE);
            let value = [u64::from(launch.cooperative), 0, 0, 0, 0, 0, 0, 0];
            let id = CUlaunchAttribute::COOPERATIVE;
            with_cooperation.push(CUlaunchAttribute { id, padding: 0, value });
            &with_cooperation
        }
    };
    let config = CUlaunchConfig {
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared_bytes,
        stream: launch.stream,
        attributes: if attributes.is_empty() { std::ptr::null() } else { attributes.as_ptr() },
        attribute_count: attributes.len() as c_uint,
    };
    // SAFETY: the configuration lives until the driver has read it.
    unsafe { real(&config, launch.function, launch.parameters, launch.extra) }
}

type LaunchOnSeveral = unsafe extern "C" fn(*mut LaunchParams, c_uint, c_uint) -> CUresult;

unsafe fn launch_on_several_devices(
    call: Call<LaunchOnSeveral>,
    list: *mut LaunchParams,
    count: c_uint,
    flags: c_uint,
) -> CUresult {
    if list.is_null() {
        // SAFETY: the driver refuses it.
        return unsafe { (call.real)(list, count, flags) };
    }
    // SAFETY: not null, so there are so many.
    let mut list = unsafe { std::slice::from_raw_parts(list, count as usize) }.to_vec();
    launch_from(&call, &mut list, 0, flags)
}

/// Passes one launch after the other to the hook, and when it has seen all of them, launches them together.
fn launch_from(
    call: &Call<LaunchOnSeveral>,
    list: &mut [LaunchParams],
    next: usize,
    flags: c_uint,
) -> CUresult {
    let Some(one) = list.get(next).copied() else {
        // SAFETY: the program's own call, or what the hook has made of it.
        return unsafe { (call.real)(list.as_mut_ptr(), list.len() as c_uint, flags) };
    };
    let mut launch = LaunchCall {
        source: LaunchSource::SeveralDevices,
        shared_bytes: one.shared_bytes,
        stream: one.stream,
        parameters: one.parameters,
        cooperative: true,
        ..plain(one.function, one.grid, one.block)
    };
    call.hooks.launch(&mut launch, &mut |launch| {
        list[next] = LaunchParams {
            function: launch.function,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            stream: launch.stream,
            parameters: launch.parameters,
        };
        launch_from(call, list, next + 1, flags)
    })
}

/// Functions from before version 4, whose parameters were set by other calls: nobody can put another kernel in
/// place there.
unsafe fn launch_as_set(
    call: Call<unsafe extern "C" fn(CUfunction) -> CUresult>,
    function: CUfunction,
) -> CUresult {
    call.hooks.not_seen(call.name);
    // SAFETY: the program's own call.
    unsafe { (call.real)(function) }
}

unsafe fn launch_grid(
    call: Call<unsafe extern "C" fn(CUfunction, c_int, c_int) -> CUresult>,
    function: CUfunction,
    width: c_int,
    height: c_int,
) -> CUresult {
    call.hooks.not_seen(call.name);
    // SAFETY: the program's own call.
    unsafe { (call.real)(function, width, height) }
}

unsafe fn launch_grid_in_stream(
    call: Call<unsafe extern "C" fn(CUfunction, c_int, c_int, CUstream) -> CUresult>,
    function: CUfunction,
    width: c_int,
    height: c_int,
    stream: CUstream,
) -> CUresult {
    call.hooks.not_seen(call.name);
    // SAFETY: the program's own call.
    unsafe { (call.real)(function, width, height, stream) }
}

#[cfg(test)]
mod tests;
