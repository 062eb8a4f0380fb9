//! Launching kernels.

use crate::call::{Api, call};
use crate::capture;
use crate::device::{MAX_THREADS_PER_BLOCK, MULTIPROCESSORS, SHARED_BYTES_PER_BLOCK};
use crate::error::CudaError;
use crate::functions::{allowed_dynamic_shared_bytes, kernel_and_settings};
use crate::graph_nodes::{KernelNode, NodeWork};
use crate::launch_attributes::{LaunchAttributes, attributes_of};
use crate::occupancy::{largest_cluster, resident_blocks};
use crate::registry::FunctionSettings;
use crate::streams::submit;
use crate::types::{CudaDim3, CudaKernel, CudaStream, LaunchConfig};
use std::ffi::{c_int, c_void};
use warpsan_runtime::{Dim3, KernelInfo, LaunchRequest, QueuedLaunch, Task};

/// One launch as a program asks for it.
pub(crate) struct Launch {
    pub(crate) function: *const c_void,
    pub(crate) grid: CudaDim3,
    pub(crate) block: CudaDim3,
    pub(crate) arguments: *const *const c_void,
    pub(crate) shared_bytes: usize,
    pub(crate) stream: CudaStream,
    pub(crate) attributes: LaunchAttributes,
}

impl Launch {
    /// A launch without attributes.
    fn plain(
        function: *const c_void,
        (grid, block): (CudaDim3, CudaDim3),
        arguments: *const *const c_void,
        shared_bytes: usize,
        stream: CudaStream,
    ) -> Launch {
        let attributes = LaunchAttributes::default();
        Launch { function, grid, block, arguments, shared_bytes, stream, attributes }
    }
}

/// Puts one launch in line, or into the graph that its stream is captured to.
///
/// # Safety
/// As for [`checked_launch`].
unsafe fn launch_kernel(api: &mut Api, launch: &Launch) -> Result<(), CudaError> {
    api.streams.check(launch.stream)?;
    // SAFETY: passed on from the caller.
    let mut queued = unsafe { checked_launch(api, launch) }?;
    if capture::is_capturing(api, launch.stream)? {
        if launch.attributes.overlaps {
            api.session()?.not_checked(
                "races between a captured launch with programmatic stream serialization and the one before",
                "cudaLaunchKernelExC",
                "the launch ran after the one before",
            );
        }
        let node = KernelNode::of_launch(api, launch, queued)?;
        return capture::add_node(api, launch.stream, NodeWork::Kernel(node));
    }
    queued.overlaps = launch.attributes.overlaps;
    // SAFETY: a launch uses no memory of the host but what is registered.
    unsafe { submit(api, launch.stream, Task::Launch(queued)) }
}

/// A launch, checked.
///
/// # Safety
/// `launch.arguments` points to one pointer for each of the kernel's parameters, each to a value of
/// the parameter's size.
pub(crate) unsafe fn checked_launch(
    api: &mut Api,
    launch: &Launch,
) -> Result<QueuedLaunch, CudaError> {
    let (info, settings) = kernel_and_settings(api, launch.function)?;
    let (session, registry) = api.session_and_registry()?;
    let kernel = registry.kernel(session, launch.function)?;
    let dynamic_shared_bytes = check_shared_bytes(&info, launch.shared_bytes, &settings)?;
    let cluster = cluster_of(&info, &settings, launch)?;
    if launch.attributes.cooperative {
        check_cooperative(&info, launch)?;
    }
    // SAFETY: passed on from the caller.
    let parameters = unsafe { gather_parameters(&info, launch.arguments) }?;
    let checked = session.checked_launch(&LaunchRequest {
        kernel,
        grid: launch.grid.into(),
        block: launch.block.into(),
        dynamic_shared_bytes,
        parameters: &parameters,
        cooperative: launch.attributes.cooperative,
        cluster,
        stream: None,
    });
    Ok(checked?)
}

/// More shared memory than every device has needs `cudaFuncSetAttribute` first.
fn check_shared_bytes(
    info: &KernelInfo,
    requested: usize,
    settings: &FunctionSettings,
) -> Result<u32, CudaError> {
    let usual = SHARED_BYTES_PER_BLOCK.saturating_sub(info.static_shared_bytes);
    let allowed = allowed_dynamic_shared_bytes(info, settings).max(usual);
    if requested > allowed {
        return Err(CudaError::INVALID_VALUE);
    }
    u32::try_from(requested).map_err(|_| CudaError::INVALID_VALUE)
}

/// The clusters of a launch: those that its attributes or the kernel ask for, which must agree, not be
/// larger than the device allows, and divide the grid.
fn cluster_of(
    info: &KernelInfo,
    settings: &FunctionSettings,
    launch: &Launch,
) -> Result<Option<Dim3>, CudaError> {
    let set = settings.required_cluster;
    let set = set.iter().all(|extent| *extent > 0).then(|| set.map(|extent| extent as u32));
    let of_kernel = info.cluster.or(set.map(|[x, y, z]| Dim3 { x, y, z }));
    let of_launch = launch.attributes.cluster.map(Dim3::from);
    let Some(cluster) = of_launch.or(of_kernel) else { return Ok(None) };
    let agrees = of_kernel.is_none_or(|of_kernel| of_kernel == cluster);
    let most = largest_cluster(settings.non_portable_cluster_allowed != 0);
    let grid = launch.grid;
    let divides = cluster.count() > 0
        && grid.x.is_multiple_of(cluster.x)
        && grid.y.is_multiple_of(cluster.y)
        && grid.z.is_multiple_of(cluster.z);
    if agrees && divides && cluster.count() <= most as u64 {
        Ok(Some(cluster))
    } else {
        Err(CudaError::INVALID_CLUSTER_SIZE)
    }
}

/// All blocks of a cooperative launch have to fit on the device at once.
fn check_cooperative(info: &KernelInfo, launch: &Launch) -> Result<(), CudaError> {
    let threads = Dim3::from(launch.block).count();
    // A block that cannot be launched at all is refused for that.
    if !(1..=MAX_THREADS_PER_BLOCK as u64).contains(&threads) {
        return Ok(());
    }
    let resident = resident_blocks(info, threads as c_int, launch.shared_bytes);
    if Dim3::from(launch.grid).count() > resident as u64 * MULTIPROCESSORS as u64 {
        return Err(CudaError::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    Ok(())
}

/// Copies the arguments to the places that the kernel's parameters have.
///
/// # Safety
/// As for [`launch_kernel`].
unsafe fn gather_parameters(
    info: &KernelInfo,
    arguments: *const *const c_void,
) -> Result<Vec<u8>, CudaError> {
    let mut bytes = vec![0; info.parameter_bytes];
    if info.parameters.is_empty() {
        return Ok(bytes);
    }
    if arguments.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    for (index, parameter) in info.parameters.iter().enumerate() {
        // SAFETY: there is one pointer for each parameter.
        let argument = unsafe { *arguments.add(index) };
        let place = bytes.get_mut(parameter.offset..parameter.offset + parameter.size);
        let (Some(place), false) = (place, argument.is_null()) else {
            return Err(CudaError::INVALID_VALUE);
        };
        // SAFETY: the argument has the size of the parameter, and `place` is a fresh buffer.
        unsafe { argument.cast::<u8>().copy_to_nonoverlapping(place.as_mut_ptr(), place.len()) };
    }
    Ok(bytes)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchKernel(
    function: *const c_void,
    grid: CudaDim3,
    block: CudaDim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaLaunchKernel", |api| {
        let launch = Launch::plain(function, (grid, block), arguments, shared_bytes, stream);
        // SAFETY: the program passes one argument for each parameter.
        unsafe { launch_kernel(api, &launch) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaLaunchKernel(
    kernel: CudaKernel,
    grid: CudaDim3,
    block: CudaDim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: CudaStream,
) -> CudaError {
    // SAFETY: the same contract; a kernel's handle is its host address.
    unsafe { wsrt_cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchCooperativeKernel(
    function: *const c_void,
    grid: CudaDim3,
    block: CudaDim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaLaunchCooperativeKernel", |api| {
        let mut launch = Launch::plain(function, (grid, block), arguments, shared_bytes, stream);
        launch.attributes.cooperative = true;
        // SAFETY: the program passes one argument for each parameter.
        unsafe { launch_kernel(api, &launch) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchKernelExC(
    config: *const LaunchConfig,
    function: *const c_void,
    arguments: *const *const c_void,
) -> CudaError {
    call("cudaLaunchKernelExC", |api| {
        // SAFETY: the program passes null or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the configuration states how many attributes it has.
        let attributes = unsafe { attributes_of(config) }?;
        let attributes = LaunchAttributes::read(api, attributes)?;
        let launch = Launch {
            function,
            grid: config.grid,
            block: config.block,
            arguments,
            shared_bytes: config.dynamic_shared_bytes,
            stream: config.stream,
            attributes,
        };
        // SAFETY: the program passes one argument for each parameter.
        unsafe { launch_kernel(api, &launch) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_runtime::ParameterInfo;

    fn info() -> KernelInfo {
        KernelInfo {
            name: "kernel".to_owned(),
            parameters: vec![
                ParameterInfo { offset: 0, size: 1 },
                ParameterInfo { offset: 8, size: 8 },
            ],
            parameter_bytes: 16,
            static_shared_bytes: 1024,
            registers: 32,
            local_bytes: 0,
            max_threads: 1024,
            cluster: None,
        }
    }

    #[test]
    fn arguments_land_at_the_offsets_of_their_parameters() {
        let (first, second) = (7_u8, 0x0102_0304_0506_0708_u64);
        let arguments: [*const c_void; 2] = [(&raw const first).cast(), (&raw const second).cast()];
        // SAFETY: one argument for each parameter, of its size.
        let bytes = unsafe { gather_parameters(&info(), arguments.as_ptr()) }.expect("gathered");
        assert_eq!(bytes[0], 7);
        assert_eq!(bytes[1..8], [0; 7]);
        assert_eq!(bytes[8..], second.to_ne_bytes());
    }

    #[test]
    fn a_missing_argument_is_an_invalid_value() {
        let arguments = [std::ptr::null(); 2];
        // SAFETY: null pointers are refused before they are followed.
        let result = unsafe { gather_parameters(&info(), arguments.as_ptr()) };
        assert_eq!(result.err(), Some(CudaError::INVALID_VALUE));
        // SAFETY: as above.
        let result = unsafe { gather_parameters(&info(), std::ptr::null()) };
        assert_eq!(result.err(), Some(CudaError::INVALID_VALUE));
    }

    #[test]
    fn more_shared_memory_than_usual_has_to_be_asked_for() {
        let info = info();
        let allowing = |bytes| FunctionSettings {
            max_dynamic_shared_bytes: Some(bytes),
            ..FunctionSettings::default()
        };
        let usual = FunctionSettings::default();
        assert_eq!(check_shared_bytes(&info, 47 * 1024, &usual), Ok(47 * 1024));
        assert!(check_shared_bytes(&info, 48 * 1024, &usual).is_err());
        assert_eq!(check_shared_bytes(&info, 48 * 1024, &allowing(64 * 1024)), Ok(48 * 1024));
        assert_eq!(check_shared_bytes(&info, 47 * 1024, &allowing(1024)), Ok(47 * 1024));
        assert!(check_shared_bytes(&info, 65 * 1024, &allowing(64 * 1024)).is_err());
        assert!(check_shared_bytes(&info, usize::MAX, &allowing(64 * 1024)).is_err());
    }

    fn launch(blocks: u32, cluster: Option<u32>) -> Launch {
        let extent = |x| CudaDim3 { x, y: 1, z: 1 };
        let null = std::ptr::null();
        let shape = (extent(blocks), extent(64));
        let mut launch = Launch::plain(null, shape, std::ptr::null(), 0, std::ptr::null_mut());
        launch.attributes.cluster = cluster.map(extent);
        launch
    }

    #[test]
    fn clusters_divide_the_grid_and_are_not_too_large() {
        let (plain, usual) = (info(), FunctionSettings::default());
        let compiled = KernelInfo { cluster: Some(Dim3 { x: 2, y: 1, z: 1 }), ..info() };
        let large = FunctionSettings { non_portable_cluster_allowed: 1, ..usual };
        let clusters = |info: &KernelInfo, settings: &FunctionSettings, blocks, cluster| {
            let found = cluster_of(info, settings, &launch(blocks, cluster));
            found.map(|cluster| cluster.map_or(1, |cluster| cluster.count()))
        };
        let refused = Err(CudaError::INVALID_CLUSTER_SIZE);
        assert_eq!(clusters(&plain, &usual, 3, None), Ok(1));
        assert_eq!(clusters(&plain, &usual, 8, Some(4)), Ok(4));
        assert_eq!(clusters(&plain, &usual, 8, Some(3)), refused);
        assert_eq!(clusters(&plain, &usual, 8, Some(0)), refused);
        assert_eq!(clusters(&plain, &usual, 16, Some(16)), refused);
        assert_eq!(clusters(&plain, &large, 16, Some(16)), Ok(16));
        assert_eq!(clusters(&plain, &large, 32, Some(32)), refused);
        assert_eq!(clusters(&compiled, &usual, 4, None), Ok(2));
        assert_eq!(clusters(&compiled, &usual, 3, None), refused);
        assert_eq!(clusters(&compiled, &usual, 4, Some(4)), refused);
    }

    #[test]
    fn a_cooperative_launch_fits_on_the_device() {
        assert_eq!(check_cooperative(&info(), &launch(32 * 132, None)), Ok(()));
        let too_large = Err(CudaError::COOPERATIVE_LAUNCH_TOO_LARGE);
        assert_eq!(check_cooperative(&info(), &launch(32 * 132 + 1, None)), too_large);
    }
}
