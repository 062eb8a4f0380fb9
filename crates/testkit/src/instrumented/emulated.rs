//! A device for instrumented kernels that is none: they run on the CPU engine, with metadata and reports in its memory.
//!
//! What the checks do on a device is PTX like any other. So whether a kernel still computes the same, and whether its
//! checks find what the detector finds, can be seen without a GPU.

use std::collections::{BTreeMap, HashMap};

use super::entries::INTERVAL_BITS;
use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_instrument::{
    DevicePlan, DeviceReport, Instrumented, LaunchContext, MetadataPlan, Reports,
};
use warpsan_ir::ModuleIndex;
use warpsan_model::{DeviceAddress, Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_simt::{AllocationKind, DeviceMemory, Launch, LaunchError, Prepared, Schedule, run};

/// Warp instructions that a kernel may take, with its checks.
const MOST_INSTRUCTIONS: u64 = 200_000_000;
/// Addresses of an entry of the shadow table's first level, and of the second (`device/layout.h`).
const REGION_BITS: u32 = 33;
const CHUNK_BITS: u32 = 21;
/// The first level covers all addresses of a process.
const REGIONS: u64 = 1 << (47 - REGION_BITS);
const CHUNKS_OF_REGION: u64 = 1 << (REGION_BITS - CHUNK_BITS);
/// Kinds of races that a launch can report.
const RING: u32 = 256;
const REPORT_BYTES: usize = size_of::<DeviceReport>();

/// The memory of the device, with metadata for what was allocated.
pub struct EmulatedDevice {
    memory: DeviceMemory,
    pub(super) table: u64,
    regions: HashMap<u64, u64>,
    chunks: HashMap<u64, u64>,
    pub(super) plan: DevicePlan,
    /// The head of hb's entries, once there is one.
    pub(super) entries: u64,
    /// hb's table of lines, and the first chunk that it has.
    pub(super) lines: (u64, u64),
    /// hb's table of pages.
    pub(super) page_table: u64,
    metadata_of_chunk: u64,
    /// The next numbers of warps, of kernels with locks and of others.
    next_locked: u32,
    next_plain: u32,
    /// Variables of the program.
    pub(crate) of_program: BTreeMap<String, u64>,
    /// Memory of the program: addresses and sizes.
    pub(crate) of_allocations: BTreeMap<u64, u64>,
}

/// How a kernel is launched.
#[derive(Debug, Clone)]
pub struct EmulatedLaunch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Its extents.
    pub geometry: Geometry,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// The program's parameters.
    pub parameters: Vec<u8>,
    /// Whether all blocks are to run at the same time.
    pub cooperative: bool,
    /// The blocks of a cluster, if there are clusters.
    pub cluster: Option<Dim3>,
    /// Options of the checks.
    pub options: u32,
    /// The seed of the schedule.
    pub seed: u64,
}

pub(super) struct Deaf;

impl EventSink for Deaf {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }

    fn batch(&mut self, _: &Batch<'_>) {}
}

impl EmulatedDevice {
    /// A device without any memory of a program, for iGUARD's checks as they usually are.
    pub fn new() -> anyhow::Result<EmulatedDevice> {
        EmulatedDevice::for_plan(DevicePlan::Metadata(MetadataPlan::USUAL))
    }

    /// A device without any memory of a program, for kernels of this plan.
    pub fn for_plan(plan: DevicePlan) -> anyhow::Result<EmulatedDevice> {
        let memory = DeviceMemory::reserve()?;
        let mut device = EmulatedDevice {
            memory,
            table: 0,
            regions: HashMap::new(),
            chunks: HashMap::new(),
            plan,
            entries: 0,
            lines: (0, 0),
            page_table: 0,
            metadata_of_chunk: plan.metadata_of_chunk(),
            next_locked: LaunchContext::LOCKED_BASE,
            next_plain: 1,
            of_program: BTreeMap::new(),
            of_allocations: BTreeMap::new(),
        };
        device.table = device.zeros(REGIONS * 8)?;
        Ok(device)
    }

    /// Memory of the program, all zero, with metadata.
    pub fn allocate(&mut self, bytes: u64) -> anyhow::Result<DeviceAddress> {
        let address = self.zeros(bytes)?;
        self.of_allocations.insert(address, bytes);
        for chunk in address >> CHUNK_BITS..=(address + bytes.max(1) - 1) >> CHUNK_BITS {
            self.cover(chunk)?;
        }
        Ok(DeviceAddress(address))
    }

    /// The memory itself.
    pub fn memory(&self) -> &DeviceMemory {
        &self.memory
    }

    pub(crate) fn zeros(&self, bytes: u64) -> anyhow::Result<u64> {
        let address = self.memory.allocate(bytes.max(1), AllocationKind::Device);
        let address = address?;
        self.memory.fill(address, 0, bytes)?;
        Ok(address.0)
    }

    /// Provides metadata for a chunk of addresses.
    fn cover(&mut self, chunk: u64) -> anyhow::Result<()> {
        if self.chunks.contains_key(&chunk) {
            return Ok(());
        }
        let number = chunk / CHUNKS_OF_REGION;
        let region = match self.regions.get(&number) {
            Some(region) => *region,
            None => {
                let region = self.zeros(CHUNKS_OF_REGION * 8)?;
                self.write(self.table + number * 8, &region.to_le_bytes())?;
                self.regions.insert(number, region);
                region
            }
        };
        let metadata = self.zeros(self.metadata_of_chunk)?;
        self.write(region + chunk % CHUNKS_OF_REGION * 8, &metadata.to_le_bytes())?;
        if self.plan.has_entries() {
            self.enter_chunk(chunk, metadata)?;
        }
        self.chunks.insert(chunk, metadata);
        Ok(())
    }

    pub(crate) fn write(&self, to: u64, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.memory.write(DeviceAddress(to), bytes)?)
    }

    /// Runs an instrumented kernel. What its checks reported, each kind of race once.
    pub fn launch(
        &mut self,
        made: &Instrumented,
        launch: &EmulatedLaunch<'_>,
    ) -> anyhow::Result<Vec<DeviceReport>> {
        let (context, ring) = self.context(made, launch)?;
        self.run(made, launch, &context)??;
        if self.plan.has_sets() {
            self.compare_blocks(made, launch, &context)?;
        }
        if self.plan.has_entries() {
            self.nothing_lost(&context)?;
        }
        self.reports(ring)
    }

    /// Metadata for a launch, and where its reports will be.
    pub(crate) fn context(
        &mut self,
        made: &Instrumented,
        launch: &EmulatedLaunch<'_>,
    ) -> anyhow::Result<(LaunchContext, u64)> {
        let count = |extent: Dim3| u64::from(extent.x) * u64::from(extent.y) * u64::from(extent.z);
        let (blocks, threads) = (count(launch.geometry.grid), count(launch.geometry.block));
        let warps = blocks * threads.div_ceil(32);
        // Metadata of an earlier launch is not of this one: its warps have other numbers.
        let next = if made.uses.locks { &mut self.next_locked } else { &mut self.next_plain };
        let base = *next;
        let bits = made.uses.entries.interval_bits(INTERVAL_BITS);
        *next += if self.plan.has_entries() { (blocks << bits) as u32 } else { warps as u32 };
        let ring = self.zeros(u64::from(RING) * REPORT_BYTES as u64)?;
        let reports = self.zeros(Reports::BYTES as u64)?;
        self.write(reports + Reports::RING as u64, &ring.to_le_bytes())?;
        self.write(reports + Reports::CAPACITY as u64, &RING.to_le_bytes())?;
        let mut context = LaunchContext {
            shadow_table: self.table,
            thread_fences: self.zeros(warps * 32 * 2)?,
            warp_barriers: self.zeros(warps * 4)?,
            thread_locks: self.zeros(warps * 32 * 8)?,
            warp_locks: self.zeros(warps * 8)?,
            reports,
            base,
            warps: warps as u32,
            options: launch.options,
            shape: self.plan.shape().word(),
            ..LaunchContext::default()
        };
        if self.plan.has_sets() {
            self.prepare_sets(launch, &mut context)?;
        }
        if self.plan.has_entries() {
            self.prepare_entries(made, launch, (blocks, bits), &mut context)?;
        }
        Ok((context, ring))
    }

    /// Runs an instrumented kernel with its context. What the engine says of its end, unless it does not begin.
    pub(crate) fn run(
        &self,
        made: &Instrumented,
        launch: &EmulatedLaunch<'_>,
        context: &LaunchContext,
    ) -> anyhow::Result<Result<(), LaunchError>> {
        let document = Document::parse(made.whole_text(self.plan));
        if let Some(error) = document.errors().first() {
            anyhow::bail!(error.message_with_line(document.text()));
        }
        let index = ModuleIndex::of(&document);
        let placed = self.place_own(&index, made)?;
        let kernel = match self.plan.has_entries() {
            // Their checks are behind calls, which would be expanded over and over.
            true => warpsan_ir::kernel_with_calls(&index, &placed.symbols, launch.kernel),
            false => warpsan_ir::kernel(&index, &placed.symbols, launch.kernel),
        };
        let kernel = kernel.and_then(Prepared::new)?;
        let mut parameters = launch.parameters.clone();
        parameters.resize(parameters.len().next_multiple_of(8), 0);
        parameters.extend(bytes_of(context));
        let schedule = Schedule::random(launch.seed);
        let mut on_engine = Launch::new(&kernel, launch.geometry, &parameters, &schedule);
        on_engine.max_instructions = MOST_INSTRUCTIONS;
        on_engine.dynamic_shared_bytes = launch.dynamic_shared_bytes;
        if let Some(shared) = made.uses.entries.shared.filter(|_| self.plan.has_entries()) {
            on_engine.dynamic_shared_bytes +=
                shared.bytes_behind(context.shared_stride) as u32 + 256;
        }
        on_engine.cooperative = launch.cooperative;
        on_engine.collectives_in_one_place = true;
        on_engine.cluster = launch.cluster;
        on_engine.constants = &placed.constants;
        Ok(run(&on_engine, &self.memory, &mut Deaf).result.map(drop))
    }

    pub(crate) fn reports(&self, ring: u64) -> anyhow::Result<Vec<DeviceReport>> {
        let mut bytes = vec![0; RING as usize * REPORT_BYTES];
        self.memory.read(DeviceAddress(ring), &mut bytes)?;
        let all = bytes.chunks_exact(REPORT_BYTES).map(report_of);
        Ok(all.filter(|report| report.ready != 0).collect())
    }
}

/// The context as it lies in the parameter block.
fn bytes_of(context: &LaunchContext) -> Vec<u8> {
    let LaunchContext {
        shadow_table,
        thread_fences,
        warp_barriers,
        thread_locks,
        warp_locks,
        reports,
        base,
        backoff_limit,
        options,
        launch,
        base_place,
        queues,
        turns,
        order,
        queue_count,
        turn_bits,
        warps,
        shape,
        sets,
        set_entries,
        direct_entries,
        set_tag,
        copies,
        copy_start,
        copy_stride,
        copy_power,
        copy_count,
        unit_count,
        units,
        shared_start,
        shared_stride,
        identities,
        entries,
        names,
        line_table,
        first_chunk,
        chunks,
        page_table,
        first_page,
        table_pages,
        interval_bits,
        last_interval,
        slots,
        slot_count,
        slot_bytes,
    } = *context;
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let words = [
        shadow_table,
        thread_fences,
        warp_barriers,
        thread_locks,
        warp_locks,
        reports,
        pair(base, backoff_limit),
        pair(options, launch),
        base_place,
        queues,
        turns,
        order,
        pair(queue_count, turn_bits),
        pair(warps, shape),
        sets,
        set_entries,
        pair(direct_entries, set_tag),
        copies,
        copy_start,
        copy_stride,
        copy_power,
        pair(copy_count, unit_count),
        pair(units, shared_start),
        pair(shared_stride, identities),
        entries,
        names,
        line_table,
        pair(first_chunk, chunks),
        page_table,
        pair(first_page, table_pages),
        pair(interval_bits, last_interval),
        slots,
        pair(slot_count, slot_bytes),
    ];
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A report as the device wrote it.
fn report_of(bytes: &[u8]) -> DeviceReport {
    let half = |at: usize| {
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[at..at + 4]);
        u32::from_le_bytes(word)
    };
    let whole = |at: usize| u64::from(half(at)) | u64::from(half(at + 4)) << 32;
    let mut report = DeviceReport::default();
    (report.address, report.accessor, report.previous) = (whole(0), whole(8), whole(16));
    (report.site, report.previous_site) = (half(24), half(28));
    (report.rule, report.mask, report.launch, report.slot) =
        (half(32), half(36), half(40), half(44));
    report.more = whole(48);
    (report.variant, report.ready) = (half(56), half(60));
    report
}
