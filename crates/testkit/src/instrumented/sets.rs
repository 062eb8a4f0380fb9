//! CURD's sets on the emulated device: memory for them, and the kernels that compare blocks afterwards.

use warpsan_instrument::{
    CHECKER, CHECKER_KERNELS, CheckerParameters, DevicePlan, EAGER_OFFSET, GAPS_OFFSET,
    Instrumented, LaunchContext, SetPlaces, SetScheme, SetSizes, eager_words, gaps, set_tag,
};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{DeviceAddress, Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_simt::{Launch, Prepared, Schedule, run};

use super::emulated::Deaf;
use super::{EmulatedDevice, EmulatedLaunch};

/// Sets that are large enough for the programs of the suites, and small enough for some hundred launches.
const SIZES: SetSizes = SetSizes {
    direct_entries: 1 << 10,
    partition_entries: 64,
    partition_rows: 16,
    partition_nodes: 64,
    slots: 64,
    slot_entries: 512,
    bucket_bits: 8,
};
/// The same for the eager scheme, whose entries have no places of their own, and all of them nodes.
const EAGER_SIZES: SetSizes =
    SetSizes { direct_entries: 0, partition_entries: 256, partition_nodes: 1024, ..SIZES };
/// The extents of the kernels that compare.
const CHECKER_GEOMETRY: Geometry =
    Geometry { grid: Dim3 { x: 3, y: 1, z: 1 }, block: Dim3 { x: 64, y: 1, z: 1 } };

impl EmulatedDevice {
    /// Sets for a launch.
    pub(super) fn prepare_sets(
        &self,
        launch: &EmulatedLaunch<'_>,
        context: &mut LaunchContext,
    ) -> anyhow::Result<()> {
        let is_eager = self.plan == DevicePlan::Sets(SetScheme::Eager);
        let sizes = if is_eager { EAGER_SIZES } else { SIZES };
        let mut places = SetPlaces { pieces: [0; SetSizes::PIECES] };
        for (place, bytes) in places.pieces.iter_mut().zip(sizes.bytes()) {
            *place = self.zeros(bytes)?;
        }
        let head = self.zeros(SetSizes::HEAD_BYTES)?;
        let words: Vec<u8> =
            sizes.head(&places).iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(head, &words)?;
        context.sets = head;
        context.set_entries = places.pieces[0];
        context.direct_entries = sizes.direct_entries;
        context.set_tag = set_tag(context.launch);
        if is_eager {
            let words = eager_words(context, launch.geometry.warps_per_block());
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.write(head + EAGER_OFFSET, &bytes)?;
        }
        Ok(())
    }

    /// Compares the blocks of a launch that has ended. An error if something had no room.
    pub(super) fn compare_blocks(
        &self,
        made: &Instrumented,
        launch: &EmulatedLaunch<'_>,
        context: &LaunchContext,
    ) -> anyhow::Result<()> {
        let warps_per_block = launch.geometry.warps_per_block();
        let parameters = CheckerParameters::new(context, &made.uses.places, warps_per_block);
        let document = Document::parse(CHECKER.to_owned());
        let index = ModuleIndex::of(&document);
        let is_eager = self.plan == DevicePlan::Sets(SetScheme::Eager);
        for name in CHECKER_KERNELS.into_iter().filter(|_| !is_eager) {
            let kernel =
                warpsan_ir::kernel(&index, &SymbolTable::new(), name).and_then(Prepared::new)?;
            let bytes = bytes_of(&parameters);
            let schedule = Schedule::random(launch.seed);
            let launch = Launch::new(&kernel, CHECKER_GEOMETRY, &bytes, &schedule);
            run(&launch, self.memory(), &mut Deaf).result?;
        }
        let mut without_room = [0; 4];
        let place = DeviceAddress(context.sets + GAPS_OFFSET);
        self.memory().read(place, &mut without_room)?;
        match u32::from_le_bytes(without_room) {
            0 => Ok(()),
            gaps::THREADS => anyhow::bail!("no room for the sets of threads"),
            other => anyhow::bail!("no room for sets: {other}"),
        }
    }
}

/// The parameters as they lie in the parameter block.
fn bytes_of(parameters: &CheckerParameters) -> Vec<u8> {
    let CheckerParameters { sets, reports, warps, places, launch, .. } = *parameters;
    let CheckerParameters { options, warps_per_block, set_tag, written, seldom, .. } = *parameters;
    let mut bytes: Vec<u8> = [sets, reports].iter().flat_map(|word| word.to_le_bytes()).collect();
    let halves = [warps, places, launch, options, warps_per_block, set_tag];
    bytes.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
    bytes.extend(written.iter().chain(&seldom).flat_map(|word| word.to_le_bytes()));
    bytes
}
