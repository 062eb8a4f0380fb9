//! Counters and locks of a launch.
//!
//! Launches of one stream follow each other, so they share tables; counters are only compared for equality, so
//! nobody clears them.

use super::Engine;
use crate::driver::DriverError;
use crate::driver_types::CUstream;
use warpsan_instrument::{LaunchContext, Uses};

/// The tables of a stream, or of one node of a graph.
#[derive(Debug, Default)]
pub(super) struct Tables {
    fences: Table,
    warp_barriers: Table,
    thread_locks: Table,
    warp_locks: Table,
}

#[derive(Debug, Default)]
struct Table {
    address: u64,
    bytes: u64,
}

impl Table {
    /// Makes it large enough. What was there may still be in use, so it stays.
    fn provide(
        &mut self,
        engine: &Engine,
        bytes: u64,
        stream: CUstream,
    ) -> Result<u64, DriverError> {
        if bytes > self.bytes {
            let bytes = bytes.next_power_of_two().max(64 << 10);
            self.address = engine.allocate(bytes, stream)?;
            self.bytes = bytes;
        }
        Ok(self.address)
    }
}

impl Tables {
    /// Provides what a launch of so many warps needs, and enters it into its context.
    pub(super) fn provide(
        &mut self,
        engine: &Engine,
        uses: Uses,
        warps: u64,
        stream: CUstream,
        context: &mut LaunchContext,
    ) -> Result<(), DriverError> {
        if uses.fences {
            context.thread_fences = self.fences.provide(engine, warps * 32 * 2, stream)?;
        }
        if uses.warp_barriers {
            context.warp_barriers = self.warp_barriers.provide(engine, warps * 4, stream)?;
        }
        if uses.locks {
            context.thread_locks = self.thread_locks.provide(engine, warps * 32 * 8, stream)?;
            context.warp_locks = self.warp_locks.provide(engine, warps * 8, stream)?;
        }
        Ok(())
    }
}
