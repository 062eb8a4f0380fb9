//! Launches of kernels: checked, then queued in a stream or captured.

use super::error::CudaError;
use super::kernels::allowed_dynamic_shared_bytes;
use super::nodes::{KernelNode, NodeWork};
use super::occupancy::{largest_cluster, resident_blocks};
use super::registry::FunctionSettings;
use super::state::Machine;
use super::streams::StreamHandle;
use crate::{Dim3, KernelInfo, QueuedLaunch, Task};
use warpsan_model::EMULATED_DEVICE;

/// One launch as a program asks for it.
pub struct LaunchRequest<'a> {
    /// The host address or handle of the kernel.
    pub function: usize,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: usize,
    /// The stream.
    pub stream: StreamHandle,
    /// What is special about it.
    pub attributes: LaunchAttributes,
    /// Lays the arguments out as the kernel's parameters say.
    pub parameters: &'a dyn Fn(&KernelInfo) -> Result<Vec<u8>, CudaError>,
}

/// What the attributes of a launch mean to this engine.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LaunchAttributes {
    /// All blocks must be able to run at the same time.
    pub cooperative: bool,
    /// Blocks in a cluster.
    pub cluster: Option<Dim3>,
    /// The launch may begin before the work before it in its stream has ended.
    pub overlaps: bool,
}

impl Machine {
    /// Queues a launch, or adds it to the graph that its stream is captured to.
    pub fn launch(&mut self, request: &LaunchRequest<'_>) -> Result<(), CudaError> {
        self.streams.check(request.stream)?;
        let mut queued = self.checked_launch(request)?;
        if self.is_capturing(request.stream)? {
            if request.attributes.overlaps {
                self.session()?.not_checked(
                    "races between a captured launch with programmatic stream serialization and the one before",
                    "cudaLaunchKernelExC",
                    "the launch ran after the one before",
                );
            }
            let node = self.node_of_launch(request.function, queued)?;
            return self.capture(request.stream, node);
        }
        queued.overlaps = request.attributes.overlaps;
        self.submit(request.stream, Task::Launch(queued))
    }

    /// A node that launches a kernel.
    pub fn kernel_node(&mut self, request: &LaunchRequest<'_>) -> Result<NodeWork, CudaError> {
        let queued = self.checked_launch(request)?;
        self.node_of_launch(request.function, queued)
    }

    fn node_of_launch(
        &mut self,
        function: usize,
        launch: QueuedLaunch,
    ) -> Result<NodeWork, CudaError> {
        let info = self.session()?.kernel_info(launch.kernel)?;
        let offsets: Vec<usize> =
            info.parameters.iter().map(|parameter| parameter.offset).collect();
        Ok(NodeWork::Kernel(KernelNode::new(launch, function, &offsets)))
    }

    fn checked_launch(&mut self, request: &LaunchRequest<'_>) -> Result<QueuedLaunch, CudaError> {
        let (info, settings) = self.kernel_and_settings(request.function)?;
        let (session, registry) = self.session_and_registry()?;
        let kernel = registry.kernel(session, request.function)?;
        let dynamic_shared_bytes = check_shared_bytes(&info, request.shared_bytes, &settings)?;
        let cluster = cluster_of(&info, &settings, request)?;
        if request.attributes.cooperative {
            check_cooperative(&info, request)?;
        }
        let parameters = (request.parameters)(&info)?;
        let launch = QueuedLaunch {
            dynamic_shared_bytes,
            cooperative: request.attributes.cooperative,
            cluster,
            ..QueuedLaunch::new(kernel, request.grid, request.block, parameters)
        };
        session.check_launch(&launch)?;
        Ok(launch)
    }
}

/// More shared memory than every device has needs `cudaFuncSetAttribute` first.
fn check_shared_bytes(
    info: &KernelInfo,
    requested: usize,
    settings: &FunctionSettings,
) -> Result<u32, CudaError> {
    let usual =
        (EMULATED_DEVICE.shared_bytes_per_block as usize).saturating_sub(info.static_shared_bytes);
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
    request: &LaunchRequest<'_>,
) -> Result<Option<Dim3>, CudaError> {
    let set = settings.required_cluster;
    let set = set.iter().all(|extent| *extent > 0).then(|| set.map(|extent| extent as u32));
    let of_kernel = info.cluster.or(set.map(|[x, y, z]| Dim3 { x, y, z }));
    let Some(cluster) = request.attributes.cluster.or(of_kernel) else { return Ok(None) };
    let agrees = of_kernel.is_none_or(|of_kernel| of_kernel == cluster);
    let most = largest_cluster(settings.non_portable_cluster_allowed != 0);
    let grid = request.grid;
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
fn check_cooperative(info: &KernelInfo, request: &LaunchRequest<'_>) -> Result<(), CudaError> {
    let threads = request.block.count();
    // A block that cannot be launched at all is refused for that.
    if !(1..=u64::from(EMULATED_DEVICE.max_threads_per_block)).contains(&threads) {
        return Ok(());
    }
    let resident = resident_blocks(info, threads as i32, request.shared_bytes);
    if request.grid.count() > resident as u64 * u64::from(EMULATED_DEVICE.multiprocessors) {
        return Err(CudaError::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info() -> KernelInfo {
        KernelInfo::that_needs(32, 1024)
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

    fn launch(blocks: u32, cluster: Option<u32>) -> LaunchRequest<'static> {
        let extent = |x| Dim3 { x, y: 1, z: 1 };
        LaunchRequest {
            function: 0,
            grid: extent(blocks),
            block: extent(64),
            shared_bytes: 0,
            stream: StreamHandle::DEFAULT,
            attributes: LaunchAttributes {
                cluster: cluster.map(extent),
                ..LaunchAttributes::default()
            },
            parameters: &|_| Ok(Vec::new()),
        }
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
