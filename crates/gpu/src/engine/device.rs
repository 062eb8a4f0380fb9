//! What the engine has on one device.

use super::Engine;
use super::reports::Reporting;
use super::shadow::Shadow;
use super::tables::Tables;
use super::telling::Telling;
use crate::driver::DriverError;
use crate::driver_types::{CUdevice, CUdeviceAttribute, CUgraph, CUgraphExec, CUstream};
use std::collections::HashMap;
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
    /// Counters and locks of launches, by the stream that orders them.
    pub(super) tables: HashMap<CUstream, Tables>,
    /// Where each graph's number for its tags lies, and how many nodes need one.
    pub(super) graphs: HashMap<CUgraph, GraphTags>,
    pub(super) executables: HashMap<CUgraphExec, CUgraph>,
    next_tag: u32,
    /// Where the host is told of operations, if it is.
    pub(super) telling: Option<Telling>,
}

/// The tags of a graph's kernels: one number for all, which changes with each launch, and one for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphTags {
    pub(super) place: u64,
    pub(super) nodes: u32,
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
            shadow: Shadow::new(engine, number, stream)?,
            reports: Reporting::new(engine, stream)?,
            tables: HashMap::new(),
            graphs: HashMap::new(),
            executables: HashMap::new(),
            next_tag: 0,
            telling,
        })
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
