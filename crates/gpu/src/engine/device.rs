//! What the engine has on one device.

use super::Engine;
use super::graphs::Graphs;
use super::reports::Reporting;
use super::shadow::Shadow;
use super::tables::Tables;
use super::telling::Telling;
use crate::driver::DriverError;
use crate::driver_types::{CUdevice, CUdeviceAttribute, CUstream};
use crate::hooks::LaunchCall;
use std::collections::HashMap;
use std::thread::ThreadId;
use warpsan_instrument::LaunchContext;

/// A device that the program uses.
pub(super) struct Device {
    /// The compute capability, as 90 for 9.0.
    pub(super) architecture: u32,
    pub(super) multiprocessors: u32,
    /// The stream of what the engine does.
    pub(super) stream: CUstream,
    pub(super) shadow: Shadow,
    pub(super) reports: Reporting,
    /// Counters and locks of launches, by the stream that orders them. Threads that have a default stream each
    /// call them all by the same name.
    tables: HashMap<(CUstream, Option<ThreadId>), Tables>,
    pub(super) graphs: Graphs,
    numbers: WarpNumbers,
    /// Where the host is told of operations, if it is.
    pub(super) telling: Option<Telling>,
}

impl Device {
    pub(super) fn new(engine: &Engine, number: CUdevice) -> Result<Device, DriverError> {
        let driver = engine.driver;
        let major = driver.device_attribute(CUdeviceAttribute::COMPUTE_CAPABILITY_MAJOR, number)?;
        let minor = driver.device_attribute(CUdeviceAttribute::COMPUTE_CAPABILITY_MINOR, number)?;
        let multiprocessors =
            driver.device_attribute(CUdeviceAttribute::MULTIPROCESSOR_COUNT, number)?;
        const NON_BLOCKING: u32 = 1;
        let mut stream = CUstream::NULL;
        // SAFETY: a place for a stream.
        let result = unsafe { driver.cuStreamCreate(&mut stream, NON_BLOCKING) };
        driver.check("cuStreamCreate", result)?;
        let telling = match engine.settings.checks.tells() {
            true => Some(Telling::new(engine, multiprocessors as u32, stream)?),
            false => None,
        };
        Ok(Device {
            architecture: (major * 10 + minor) as u32,
            multiprocessors: multiprocessors as u32,
            stream,
            shadow: Shadow::new(engine, stream)?,
            reports: Reporting::new(engine, stream)?,
            tables: HashMap::new(),
            graphs: Graphs::default(),
            numbers: WarpNumbers::default(),
            telling,
        })
    }

    /// The counters and locks of a launch in a stream.
    pub(super) fn tables_of(&mut self, call: &LaunchCall) -> &mut Tables {
        let stream = call.named_stream();
        let thread = (stream == CUstream::PER_THREAD).then(|| std::thread::current().id());
        self.tables.entry((stream, thread)).or_default()
    }

    /// Numbers that no warp has in metadata: the first of so many, and of so many for kernels that keep locks.
    pub(super) fn take_numbers(&mut self, engine: &Engine, plain: u64, locked: u64) -> (u32, u32) {
        if !self.numbers.have(plain, locked) {
            self.shadow.clear(engine);
            self.numbers = WarpNumbers::default();
        }
        self.numbers.take(plain, locked)
    }
}

/// Which numbers of warps metadata has already.
#[derive(Debug, Clone, Copy, Default)]
struct WarpNumbers {
    plain: u32,
    locked: u32,
}

impl WarpNumbers {
    fn have(self, plain: u64, locked: u64) -> bool {
        // 0 is nobody.
        u64::from(self.plain) + plain < u64::from(LaunchContext::WARP_NUMBERS)
            && u64::from(self.locked) + locked <= u64::from(LaunchContext::LOCKED_WARP_NUMBERS)
    }

    fn take(&mut self, plain: u64, locked: u64) -> (u32, u32) {
        let first = (self.plain + 1, LaunchContext::LOCKED_BASE + self.locked);
        self.plain = self.plain.saturating_add(plain as u32);
        self.locked = self.locked.saturating_add(locked as u32);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_launches_have_the_same_numbers() {
        let mut numbers = WarpNumbers::default();
        assert_eq!(numbers.take(10, 0), (1, LaunchContext::LOCKED_BASE));
        assert_eq!(numbers.take(5, 7), (11, LaunchContext::LOCKED_BASE));
        assert_eq!(numbers.take(0, 1), (16, LaunchContext::LOCKED_BASE + 7));
        assert!(numbers.have(u64::from(LaunchContext::WARP_NUMBERS) - 16, 0));
        assert!(!numbers.have(u64::from(LaunchContext::WARP_NUMBERS) - 15, 0));
        assert!(numbers.have(0, u64::from(LaunchContext::LOCKED_WARP_NUMBERS) - 8));
        assert!(!numbers.have(0, u64::from(LaunchContext::LOCKED_WARP_NUMBERS) - 7));
    }
}
