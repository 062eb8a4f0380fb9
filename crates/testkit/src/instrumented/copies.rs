//! LD on the emulated device: the kernels that a launch becomes, one after the other, on copies in its memory.

use std::collections::HashMap;

use anyhow::Context;
use warpsan_instrument::{
    Compared, CopiesHead, CopiesLimits, CopiesMode, CopiesPart, CopiesPlaces, CopiesPlan,
    DeviceReport, Instrumented, KnownMemory, LaunchExtents, Placement, SWEEP_KERNELS, SWEEPS,
    Sequence, Step, SweepParameters, Wanted, instrument,
};
use warpsan_ir::{LaunchValues, ModuleIndex, SymbolTable};
use warpsan_model::{Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_simt::{Launch, Prepared, Schedule, run};

use super::emulated::Deaf;
use super::{EmulatedDevice, EmulatedLaunch};

/// The extents of the kernels that go over all addresses.
const SWEEP_GEOMETRY: Geometry =
    Geometry { grid: Dim3 { x: 3, y: 1, z: 1 }, block: Dim3 { x: 64, y: 1, z: 1 } };
/// Bytes that a block of the emulated device can have.
const MOST_SHARED_BYTES: u32 = 227 << 10;
/// Where its shared memory begins.
const SHARED_START: u32 = 0;

/// What a launch on private copies came to.
#[derive(Debug)]
pub struct OnCopies {
    /// What was reported.
    pub reports: Vec<DeviceReport>,
    /// The instructions that reports name.
    pub logged: Option<Instrumented>,
    /// What was copied.
    pub placement: Placement,
    /// What was run.
    pub sequence: Sequence,
}

impl KnownMemory for EmulatedDevice {
    fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        let (start, bytes) = self.of_allocations.range(..=address).next_back()?;
        (address - start < *bytes).then_some((*start, *bytes))
    }

    fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let address = *self.of_program.get(name)?;
        self.allocation(address)
    }
}

fn extents([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) * u64::from(y) * u64::from(z)
}

impl EmulatedDevice {
    /// Runs a kernel of a module on private copies.
    pub fn launch_on_copies(
        &mut self,
        document: &Document,
        launch: &EmulatedLaunch<'_>,
        mode: CopiesMode,
        limits: &CopiesLimits,
    ) -> anyhow::Result<OnCopies> {
        let dim3 = |extent: Dim3| [extent.x, extent.y, extent.z];
        let (grid, block) = (dim3(launch.geometry.grid), dim3(launch.geometry.block));
        let index = ModuleIndex::of(document);
        let make = |part| {
            let plan = CopiesPlan::new(mode).with(part);
            let kernel = launch.kernel;
            let wanted = Wanted { kernel, block, blocks_at_once: None, target: "sm_90", plan };
            instrument(document, &index, &wanted)
        };
        let pass = make(CopiesPart::Pass)?;
        self.place_program(document, &pass)?;
        let values = LaunchValues { grid, block, parameters: &launch.parameters };
        let warps = launch.geometry.warps_per_block();
        let uses = &pass.copies;
        let sets_back = !uses.has_regions || warps < 2;
        let placement = Placement::of(uses, &values, self, sets_back)?;
        let of_launch = LaunchExtents {
            blocks: extents(grid),
            warps,
            compared: match sets_back {
                true => Compared::GridWarps,
                false => Compared::BlocksAndRegions,
            },
            shared_bytes: uses.shared_bytes + launch.dynamic_shared_bytes,
            shared_start: SHARED_START,
            most_shared_bytes: MOST_SHARED_BYTES,
        };
        let sequence = Sequence::of(mode, &placement, &of_launch, limits)?;
        let bytes = sequence.copies.max(2) * placement.stride;
        let places = CopiesPlaces {
            head: self.zeros(CopiesHead::BYTES)?,
            copies: self.zeros(bytes)?,
            originals: self.zeros(placement.original_bytes)?,
        };
        let shadow = self.zeros(CopiesPlaces::SHADOW_BYTES)?;
        let displacements = placement.displacements(places.copies);
        let sums = self.zeros(extents(grid) * u64::from(warps) * 128)?;
        let head = CopiesHead::words(&displacements, &placement.targets, (shadow, sums));
        let head: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(places.head, &head)?;
        let (context, ring) = self.context(&pass, launch)?;
        let mut variants = HashMap::from([("pass", pass)]);
        for step in &sequence.steps {
            match *step {
                Step::Sweep(sweep, flags, grouping, apart) => {
                    let how = (flags, grouping, apart);
                    let parameters = places.sweep(&placement, how, &context, warps);
                    self.sweep(SWEEP_KERNELS[sweep as usize], &parameters, launch.seed)?;
                }
                Step::Run(part, more_options, grouping) => {
                    let name = match part {
                        CopiesPart::Pass => "pass",
                        CopiesPart::Regions => "regions",
                        CopiesPart::Log => "log",
                    };
                    if !variants.contains_key(name) {
                        variants.insert(name, make(part)?);
                    }
                    let how = (more_options, grouping);
                    let context = places.context(&placement, &sequence, how, SHARED_START, context);
                    let mut of_step = launch.clone();
                    if part == CopiesPart::Regions {
                        of_step.dynamic_shared_bytes = sequence.shared_bytes;
                    }
                    self.run(&variants[name], &of_step, &context)??;
                }
                Step::Original => {
                    let plain = places.context(
                        &placement,
                        &sequence,
                        (
                            0,
                            warpsan_instrument::Grouping {
                                count: 1,
                                copies: 1,
                                power: 1,
                                ..Default::default()
                            },
                        ),
                        SHARED_START,
                        context,
                    );
                    self.run(&variants["pass"], launch, &plain)??;
                }
            }
        }
        let reports = self.reports(ring)?;
        Ok(OnCopies { reports, logged: variants.remove("log"), placement, sequence })
    }

    fn sweep(&self, name: &str, parameters: &SweepParameters, seed: u64) -> anyhow::Result<()> {
        let document = Document::parse(SWEEPS.to_owned());
        let index = ModuleIndex::of(&document);
        let kernel =
            warpsan_ir::kernel(&index, &SymbolTable::new(), name).and_then(Prepared::new)?;
        let (bytes, schedule) = (parameters.bytes(), Schedule::random(seed));
        let launch = Launch::new(&kernel, SWEEP_GEOMETRY, &bytes, &schedule);
        run(&launch, self.memory(), &mut Deaf).result.with_context(|| name.to_owned())?;
        Ok(())
    }
}
