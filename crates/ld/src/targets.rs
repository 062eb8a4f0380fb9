//! Target variables (section 5.1): the memory that a kernel may write to, which private copies are made of.
//!
//! On the CPU engine a copy has only the pieces that are written, so that the size of target variables says what copies may
//! need at most: it decides how many there can be.

use warpsan_ir::{MemorySpace, Op, pointer_origins};
use warpsan_model::DeviceAddress;
use warpsan_simt::{DeviceMemory, Launch, PIECE};

/// The bytes of a launch's target variables, padded to whole pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// Allocations and variables in global memory.
    pub(crate) global: u64,
    /// The shared memory of one block, if it is written to.
    pub(crate) shared: u64,
}

impl Targets {
    pub(crate) fn of(launch: &Launch<'_>, memory: &DeviceMemory) -> Targets {
        let kernel = &launch.kernel.kernel;
        let origins = pointer_origins(kernel);
        let mut targets = Targets::default();
        let mut allocations: Vec<(u64, u64)> = Vec::new();
        let mut everything = false;
        for one in &kernel.code {
            let (Op::Store { space, .. }
            | Op::Atomic { space, .. }
            | Op::AtomicVector { space, .. }) = &one.op
            else {
                continue;
            };
            match space {
                MemorySpace::Shared => targets.shared = shared_bytes(launch),
                MemorySpace::Global | MemorySpace::Generic => {
                    let origin = origins.get(one.site.0 as usize).copied().flatten();
                    match origin.and_then(|at| pointee(launch, memory, at)) {
                        Some(allocation) => allocations.push(allocation),
                        None => everything = true,
                    }
                }
                _ => {}
            }
        }
        if everything {
            targets.shared = shared_bytes(launch);
            let all = memory.allocations();
            allocations = all.iter().map(|one| (one.address.0, one.bytes)).collect();
        }
        allocations.sort_unstable();
        allocations.dedup();
        let padded = allocations.iter().map(|(_, bytes)| bytes.next_multiple_of(PIECE as u64));
        targets.global = padded.sum();
        targets
    }

    /// As many copies as fit, of blocks or of the warps of a block, beside the union.
    pub(crate) fn copies_within(bytes: u64, target: u64) -> u64 {
        (bytes / target.max(1)).saturating_sub(1).max(2)
    }
}

fn shared_bytes(launch: &Launch<'_>) -> u64 {
    let bytes = launch.kernel.kernel.static_shared_bytes + u64::from(launch.dynamic_shared_bytes);
    bytes.next_multiple_of(PIECE as u64)
}

/// The allocation that the pointer at this place of the parameters points into.
fn pointee(launch: &Launch<'_>, memory: &DeviceMemory, at: u32) -> Option<(u64, u64)> {
    let bytes = launch.parameters.get(at as usize..at as usize + 8)?;
    let address = u64::from_le_bytes(bytes.try_into().ok()?);
    let allocation = memory.allocation_at(DeviceAddress(address))?;
    Some((allocation.address.0, allocation.bytes))
}
