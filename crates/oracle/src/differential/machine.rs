//! Kernels are run, and what happens is kept.

use thiserror::Error;
use warpsan_event::{Batch, EventBuffer, EventSink, SiteTable};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{DeviceAddress, Geometry, LaunchId, SiteId};
use warpsan_simt::{AllocationKind, DeviceMemory, Launch, LaunchError, Prepared, run};

use super::Setup;
use crate::synchronised::{GLOBAL_BYTES, SynchronisedKernel};

/// Warp instructions that a kernel may take.
const BUDGET: u64 = 400_000;

/// Device memory to run kernels in, one after the other.
#[derive(Debug)]
pub struct Machine {
    memory: DeviceMemory,
    data: DeviceAddress,
}

/// A finished run.
#[derive(Debug)]
pub struct Recorded {
    /// The PTX text.
    pub text: String,
    /// The sites of the kernel.
    pub sites: std::sync::Arc<SiteTable>,
    /// The extents of the launches.
    pub geometry: Geometry,
    /// All events of all launches.
    pub events: EventBuffer,
}

impl Recorded {
    /// The line of an instruction.
    pub fn line(&self, site: SiteId) -> u32 {
        self.sites.get(site).ptx_line
    }
}

/// Why there is nothing to compare.
#[derive(Debug, Error)]
pub enum NotRun {
    /// There is no memory to run anything in.
    #[error("there is no device memory: {0}")]
    Memory(String),
    /// The parser, the lowering or the engine does not take the kernel.
    #[error("the kernel is refused: {0}")]
    Refused(String),
    /// The launch did not end by itself.
    #[error("the launch failed: {0}")]
    Failed(#[from] LaunchError),
}

struct Recorder {
    events: EventBuffer,
}

impl EventSink for Recorder {
    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            self.events.push(event);
        }
    }
}

impl Machine {
    /// A machine with little memory.
    pub fn new() -> Result<Machine, NotRun> {
        let wrong = |error: warpsan_simt::MemoryError| NotRun::Memory(error.to_string());
        let memory = DeviceMemory::reserve().map_err(wrong)?;
        let data = memory.allocate(GLOBAL_BYTES, AllocationKind::Device).map_err(wrong)?;
        Ok(Machine { memory, data })
    }

    /// Runs a kernel on memory that is zero.
    pub fn run(&self, kernel: &SynchronisedKernel, setup: &Setup) -> Result<Recorded, NotRun> {
        let text = kernel.text();
        let prepared = prepare(&text)?;
        let mut recorder = Recorder { events: EventBuffer::new() };
        let mut parameters = self.data.0.to_le_bytes().to_vec();
        parameters.extend([0; 4]);
        let extents = kernel.extents;
        self.memory
            .fill(self.data, 0, GLOBAL_BYTES)
            .map_err(|error| NotRun::Memory(error.to_string()))?;
        for id in 0..setup.launches {
            let mut launch =
                Launch::new(&prepared, extents.geometry(), &parameters, &setup.schedule);
            launch.id = LaunchId(id);
            launch.max_instructions = BUDGET;
            if extents.cluster > 1 {
                launch.cluster = Some(extents.clusters());
            }
            run(&launch, &self.memory, &mut recorder).result?;
        }
        Ok(Recorded {
            text,
            sites: prepared.sites,
            geometry: extents.geometry(),
            events: recorder.events,
        })
    }
}

fn prepare(text: &str) -> Result<Prepared, NotRun> {
    let document = warpsan_ptx::Document::parse(text.to_owned());
    if let Some(error) = document.errors().first() {
        return Err(NotRun::Refused(format!("{error:?}")));
    }
    let refused = |error: warpsan_ir::LowerError| NotRun::Refused(error.to_string());
    let lowered = warpsan_ir::kernel(&ModuleIndex::of(&document), &SymbolTable::new(), "k")
        .map_err(refused)?;
    Prepared::new(lowered).map_err(refused)
}
