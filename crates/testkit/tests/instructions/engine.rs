//! One kernel on the CPU engine: the only place here that knows the engine's interface.

use warpsan_event::{Batch, EventSink};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{Dim3, Geometry};
use warpsan_simt::{AllocationKind, DeviceMemory, Launch, Prepared, Schedule, run};

/// Warp instructions that a kernel may take.
const BUDGET: u64 = 50_000_000;

/// A launch with the parameters that all kernels of the suite have: the address of the data that it writes, the
/// address of its inputs, and a number.
pub(crate) struct Work<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    pub(crate) inputs: &'a [u8],
    pub(crate) data_bytes: usize,
    pub(crate) count: u32,
    /// Of the schedule.
    pub(crate) seed: u64,
}

struct Deaf;

impl EventSink for Deaf {
    fn batch(&mut self, _: &Batch<'_>) {}
}

/// The data after the kernel ran, which was zero before; or what went wrong.
pub(crate) fn data_after(index: &ModuleIndex<'_>, work: &Work<'_>) -> anyhow::Result<Vec<u8>> {
    let lowered = warpsan_ir::kernel(index, &SymbolTable::new(), work.kernel)?;
    let kernel = Prepared::new(lowered)?;
    let memory = DeviceMemory::reserve()?;
    let allocate = |bytes: usize| memory.allocate(bytes as u64, AllocationKind::Device);
    let (data, inputs) = (allocate(work.data_bytes)?, allocate(work.inputs.len())?);
    memory.write(inputs, work.inputs)?;
    memory.write(data, &vec![0; work.data_bytes])?;
    let mut parameters = data.0.to_le_bytes().to_vec();
    parameters.extend(inputs.0.to_le_bytes());
    parameters.extend(work.count.to_le_bytes());
    let geometry =
        Geometry { grid: Dim3::new(work.blocks, 1, 1), block: Dim3::new(work.threads, 1, 1) };
    let schedule = Schedule::random(work.seed);
    let mut launch = Launch::new(&kernel, geometry, &parameters, &schedule);
    launch.max_instructions = BUDGET;
    run(&launch, &memory, &mut Deaf).result?;
    let mut bytes = vec![0; work.data_bytes];
    memory.read(data, &mut bytes)?;
    Ok(bytes)
}
