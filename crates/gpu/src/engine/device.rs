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
    next_tag: u32,
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
            next_tag: 0,
            telling,
        })
    }

    /// The counters and locks of a launch in a stream.
    pub(super) fn tables_of(&mut self, call: &LaunchCall) -> &mut Tables {
        let stream = call.named_stream();
        let thread = (stream == CUstream::PER_THREAD).then(|| std::thread::current().id());
        self.tables.entry((stream, thread)).or_default()
    }

    /// Tags that no metadata has: the first of so many.
    pub(super) fn take_tags(&mut self, engine: &Engine, count: u32) -> u32 {
        if self.next_tag + count >= LaunchContext::TAGS - 1 {
            self.shadow.clear(engine);
            self.next_tag = 0;
        }
        let first = self.next_tag + 1;
        self.next_tag += count;
        first
    }
}
