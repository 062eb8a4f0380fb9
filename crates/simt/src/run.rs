//! A launch from its beginning to its end.

use crate::launch::Launch;
use crate::memory::{AllocationKind, DeviceMemory};
use crate::outcome::{LaunchError, Outcome};
use crate::parallel;
use warpsan_event::EventSink;

/// Bytes that the system gives a cooperative launch for the barrier of its grid.
const GRID_WORKSPACE: u64 = 256;

/// Runs a launch to its end. The events before an error are emitted all the same.
pub fn run(launch: &Launch<'_>, memory: &DeviceMemory, sink: &mut dyn EventSink) -> Outcome {
    let failed = |error| Outcome::without_work(Err(error));
    let (grid, cluster) = (launch.geometry.grid, launch.cluster_extents());
    if !grid.x.is_multiple_of(cluster.x)
        || !grid.y.is_multiple_of(cluster.y)
        || !grid.z.is_multiple_of(cluster.z)
    {
        return failed(LaunchError::Geometry(format!(
            "a grid of {grid} blocks is no multiple of clusters of {cluster}"
        )));
    }
    let mut launch = launch.for_blocks(memory);
    let workspace = match launch.kernel.uses_environment && launch.cooperative {
        true => match memory.allocate(GRID_WORKSPACE, AllocationKind::Device) {
            Ok(address) => Some(address),
            Err(error) => return failed(LaunchError::Memory(error.to_string())),
        },
        false => None,
    };
    if let Some(address) = workspace {
        launch.grid_workspace = address.0;
        let mut content = [0; GRID_WORKSPACE as usize];
        content[..4].copy_from_slice(&(GRID_WORKSPACE as u32).to_le_bytes());
        if let Err(error) = memory.write(address, &content) {
            return failed(LaunchError::Memory(error.to_string()));
        }
    }
    let outcome = parallel::run(&launch, memory, sink);
    if let Some(address) = workspace {
        // It was taken above and nobody else knows it.
        let _ = memory.free(address);
    }
    outcome
}
