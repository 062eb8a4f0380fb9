//! The memory of LD's copies on a device.

use crate::driver::DriverError;
use crate::driver_types::{CUfunction, CUstream};
use crate::engine::Engine;
use warpsan_instrument::{CopiesHead, CopiesPlaces, Placement, SWEEP_KERNELS, Sequence};

/// The copies of a stream, whose launches follow each other.
#[derive(Debug, Default)]
pub(in crate::engine) struct Copies {
    head: u64,
    pub(super) shadow: u64,
    /// Copies, then what targets held before the launch.
    place: u64,
    pub(super) bytes: u64,
    /// Bytes that there was room for when that was last asked.
    pub(super) room: Option<u64>,
    sums: u64,
    sum_bytes: u64,
}

/// The kernels that go over all addresses, in a context.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Sweeps {
    pub(super) functions: [CUfunction; SWEEP_KERNELS.len()],
}

impl Copies {
    /// Numbers for all threads of a launch, if it stores to memory without copies. The rest of the old ones stays for nobody.
    pub(super) fn sums(
        &mut self,
        engine: &Engine,
        placement: &Placement,
        threads: u64,
        stream: CUstream,
    ) -> Result<u64, DriverError> {
        if !placement.stores_elsewhere {
            return Ok(0);
        }
        let bytes = threads * size_of::<u32>() as u64;
        if bytes > self.sum_bytes {
            self.sum_bytes = bytes.next_power_of_two();
            self.sums = engine.allocate(self.sum_bytes, stream)?;
        }
        Ok(self.sums)
    }

    /// Makes them large enough for a launch. What was there is given back, once nobody uses it.
    pub(super) fn provide(
        &mut self,
        engine: &Engine,
        (placement, sequence): (&Placement, &Sequence),
        stream: CUstream,
    ) -> Result<CopiesPlaces, DriverError> {
        if self.head == 0 {
            self.shadow = engine.allocate(CopiesPlaces::SHADOW_BYTES, stream)?;
            self.head = engine.allocate(CopiesHead::BYTES, stream)?;
        }
        let bytes = sequence.bytes(placement);
        if bytes > self.bytes {
            if self.place != 0 {
                engine.give_back(self.place, self.bytes, stream);
                (self.place, self.bytes) = (0, 0);
            }
            self.place = engine.allocate_alone(bytes, stream)?;
            self.bytes = bytes;
        }
        let of_copies = sequence.copies * placement.stride;
        debug_assert!(of_copies + placement.original_bytes <= self.bytes, "copies times targets");
        let originals = self.place + of_copies;
        Ok(CopiesPlaces { head: self.head, copies: self.place, originals })
    }
}
