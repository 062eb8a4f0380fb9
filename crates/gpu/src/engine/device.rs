//! What the engine has on a device, in one context: metadata, sets, counters, queues and reports, and its own stream.

use super::Engine;
use super::entries::{Pools, Slots};
use super::graphs::numbers::Graphs;
use super::private_copies::memory::{Copies, Sweeps};
use super::reports::Reporting;
use super::sets::memory::{Checker, Sets};
use super::shadow::Shadow;
use super::shipping_launches::LaunchShipping;
use super::stack::Stack;
use super::tables::Tables;
use crate::driver::DriverError;
use crate::driver_types::{CUcontext, CUdevice, CUdeviceAttribute, CUstream};
use crate::hooks::LaunchCall;
use std::collections::{BTreeMap, HashMap};
use std::thread::ThreadId;
use warpsan_instrument::LaunchContext;

/// A stream; threads that have a default stream each call them all by the same name.
pub(super) type StreamKey = (CUstream, Option<ThreadId>);

/// A device as one context has it: other contexts have memory, streams and code of their own there.
pub(super) struct Device {
    pub(super) context: CUcontext,
    pub(super) number: CUdevice,
    /// The compute capability, as 90 for 9.0.
    pub(super) architecture: u32,
    pub(super) multiprocessors: u32,
    /// The stream of what the engine does.
    pub(super) stream: CUstream,
    pub(super) shadow: Shadow,
    /// Memory that came while other contexts were current, addresses and sizes: it is covered before a launch.
    pub(super) uncovered: BTreeMap<u64, u64>,
    pub(super) reports: Reporting,
    /// Counters and locks of launches, by the stream that orders them.
    tables: HashMap<StreamKey, Tables>,
    /// CURD's sets, likewise, and the kernels that compare blocks by them.
    pub(super) sets: HashMap<StreamKey, Sets>,
    pub(super) checker: Option<Checker>,
    /// The pools of hb's entries.
    pub(super) pools: Option<Pools>,
    /// Its slots for entries of shared memory, by the numbers of variants.
    pub(super) slots: HashMap<u32, Slots>,
    /// LD's copies, likewise, and the kernels that go over them.
    pub(super) copies: HashMap<StreamKey, Copies>,
    pub(super) sweeps: Option<Sweeps>,
    pub(super) graphs: Graphs,
    numbers: WarpNumbers,
    pub(super) stack: Stack,
    /// The queues through which kernels ship operations, if any do.
    pub(super) shipping: Option<LaunchShipping>,
}

impl Device {
    /// In a context, which is current.
    pub(super) fn new(engine: &Engine, context: CUcontext) -> Result<Device, DriverError> {
        let driver = engine.driver;
        let mut number = 0;
        // SAFETY: a place for a number.
        driver.check("cuCtxGetDevice", unsafe { driver.cuCtxGetDevice(&mut number) })?;
        let major = driver.device_attribute(CUdeviceAttribute::COMPUTE_CAPABILITY_MAJOR, number)?;
        let minor = driver.device_attribute(CUdeviceAttribute::COMPUTE_CAPABILITY_MINOR, number)?;
        let multiprocessors =
            driver.device_attribute(CUdeviceAttribute::MULTIPROCESSOR_COUNT, number)?;
        const NON_BLOCKING: u32 = 1;
        let mut stream = CUstream::NULL;
        // SAFETY: a place for a stream.
        let result = unsafe { driver.cuStreamCreate(&mut stream, NON_BLOCKING) };
        driver.check("cuStreamCreate", result)?;
        let multiprocessors = multiprocessors as u32;
        let shipping = match engine.settings.plan.ships() {
            true => Some(LaunchShipping::new(engine, multiprocessors, stream)?),
            false => None,
        };
        Ok(Device {
            context,
            number,
            architecture: (major * 10 + minor) as u32,
            multiprocessors,
            stream,
            shadow: Shadow::new(engine, stream)?,
            uncovered: BTreeMap::new(),
            reports: Reporting::new(engine, stream)?,
            tables: HashMap::new(),
            sets: HashMap::new(),
            checker: None,
            pools: None,
            slots: HashMap::new(),
            copies: HashMap::new(),
            sweeps: None,
            graphs: Graphs::default(),
            numbers: WarpNumbers::default(),
            stack: Stack::default(),
            shipping,
        })
    }

    /// The shipping of launches here, which begins with the first one.
    pub(super) fn start_shipping(
        &mut self,
        engine: &Engine,
    ) -> Result<&mut LaunchShipping, DriverError> {
        let shipping = match self.shipping.take() {
            Some(shipping) => shipping,
            None => LaunchShipping::new(engine, self.multiprocessors, self.stream)?,
        };
        Ok(self.shipping.insert(shipping))
    }

    /// Memory came while another context was current.
    pub(super) fn others_have(&mut self, address: u64, bytes: u64, is_reachable: bool) {
        self.shadow.others_took_memory();
        if is_reachable {
            self.uncovered.insert(address, bytes);
        }
    }

    /// Provides metadata for what other contexts have allocated.
    pub(super) fn catch_up(&mut self, engine: &Engine) {
        for (address, bytes) in std::mem::take(&mut self.uncovered) {
            self.shadow.cover(engine, address, bytes);
        }
    }

    /// The program has given memory back.
    pub(super) fn lost(&mut self, address: u64) {
        self.uncovered.remove(&address);
        self.shadow.uncover(address);
    }

    /// The counters and locks of a launch in a stream.
    pub(super) fn tables_of(&mut self, call: &LaunchCall) -> &mut Tables {
        self.tables.entry(Device::key_of(call)).or_default()
    }

    /// Identifies the stream of a launch.
    pub(super) fn key_of(call: &LaunchCall) -> StreamKey {
        let stream = call.named_stream();
        let thread = (stream == CUstream::PER_THREAD).then(|| std::thread::current().id());
        (stream, thread)
    }

    /// Numbers that no warp has in metadata: the first of so many, and of so many for kernels that keep locks.
    pub(super) fn take_numbers(&mut self, engine: &Engine, plain: u64, locked: u64) -> (u32, u32) {
        if !self.numbers.have(plain, locked) {
            self.shadow.clear(engine);
            if let Some(Err(error)) =
                self.pools.as_ref().map(|pools| pools.clear(engine, self.stream))
            {
                engine.listener.warning(&format!("entries cannot be cleared: {error}"));
            }
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
