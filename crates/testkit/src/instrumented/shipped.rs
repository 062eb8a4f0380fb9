//! Launches of the emulated device whose operations are shipped to the host: the kernel writes its records into queues
//! while threads read them, as on a GPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use warpsan_event::EventSink;
use warpsan_gpu::shipping::{
    FinalCounts, LaunchEnd, LaunchWatch, QueueMemory, Reader, ShippedLaunch, ShippingCounts,
    ShippingError, ShippingOptions, ship,
};
use warpsan_instrument::record::{DeviceHeads, Line, QueueDescriptor, Slot};
use warpsan_instrument::{DevicePlan, DeviceReport, Instrumented, LaunchContext};
use warpsan_model::{DeviceAddress, LaunchId};
use warpsan_simt::{LaunchError, ProgramAddress};

use super::emulated::{EmulatedDevice, EmulatedLaunch};
use super::without_reconvergence::{read_all, ship_split};

/// Queues of the device. Fewer than the blocks of most launches, so that some share one.
const QUEUES: usize = 3;
/// Slots of a queue.
const CAPACITY: usize = 1024;
/// The table of turns has so many words that some locations share one, in larger launches.
const TURN_BITS: u32 = 8;
const LINE: usize = size_of::<Line>();
const HEADS: usize = size_of::<DeviceHeads>();

/// What came of a launch that was shipped.
#[derive(Debug)]
pub struct ShippedKernel {
    /// What the checks on the device found, if there were any.
    pub reports: Vec<DeviceReport>,
    /// What was read, or why that is not all.
    pub shipped: Result<ShippingCounts, ShippingError>,
    /// How the kernel ended.
    pub end: Result<(), LaunchError>,
}

/// The end of a launch.
struct End<'a> {
    watch: &'a LaunchWatch,
    has_come: &'a AtomicBool,
}

/// Queues in memory of the host that the emulated device may use.
struct Queues {
    memory: Vec<[u64; LINE / 8]>,
    heads: u64,
}

impl Queues {
    /// Lines of one queue: the read head, ready words, slots.
    const LINES: usize = 1 + CAPACITY * 8 / LINE + (CAPACITY * size_of::<Slot>()).div_ceil(LINE);

    fn new(device: &EmulatedDevice) -> anyhow::Result<Queues> {
        let memory = vec![[0; LINE / 8]; QUEUES * Self::LINES];
        let heads = device.zeros((QUEUES * HEADS) as u64)?;
        // SAFETY: the lines can be read and written until the queues are gone, which ends the registration.
        let address = unsafe { ProgramAddress::new(memory.as_ptr() as u64) };
        let bytes = size_of_val(memory.as_slice()) as u64;
        let is_new = device.memory().register_host_range(address, bytes);
        is_new.then_some(Queues { memory, heads }).context("no queues")
    }

    /// The addresses of a queue's read head, ready words and slots.
    fn parts(&self, queue: usize) -> (u64, u64, u64) {
        let start = self.memory.as_ptr() as u64 + (queue * Self::LINES * LINE) as u64;
        let ready = start + LINE as u64;
        (start, ready, ready + (CAPACITY * 8) as u64)
    }

    fn reader(&mut self, queue: usize) -> Reader {
        let (read_head, ready, slots) = self.parts(queue);
        // SAFETY: the parts of this queue, in memory that lives as long as the launch; it has one reader.
        Reader::new(unsafe {
            QueueMemory::at(
                read_head as *mut u64,
                ready as *mut u64,
                slots as *mut Slot,
                CAPACITY as u64,
            )
        })
    }

    fn descriptor(&self, queue: usize) -> QueueDescriptor {
        let (read_head, ready, slots) = self.parts(queue);
        let heads = self.heads + (queue * HEADS) as u64;
        QueueDescriptor { heads, read_head, ready, slots, capacity: CAPACITY as u64 }
    }

    /// What the device counted.
    fn counts(&self, device: &EmulatedDevice) -> Vec<FinalCounts> {
        let word = |at: u64| {
            let mut bytes = [0; 8];
            let read = device.memory().read(DeviceAddress(at), &mut bytes);
            read.map_or(0, |()| u64::from_le_bytes(bytes))
        };
        let counts = (0..QUEUES).map(|queue| {
            let heads = self.heads + (queue * HEADS) as u64;
            FinalCounts { reserved: word(heads), committed: word(heads + LINE as u64) }
        });
        counts.collect()
    }

    fn give_back(self, device: &EmulatedDevice) {
        device.memory().unregister_host_range(self.memory.as_ptr() as u64);
    }
}

impl EmulatedDevice {
    /// Runs an instrumented kernel, and gives a sink the events that its records stand for.
    pub fn launch_shipped(
        &mut self,
        made: &Instrumented,
        plan: DevicePlan,
        launch: &EmulatedLaunch<'_>,
        number: LaunchId,
        sink: &mut (dyn EventSink + Send),
    ) -> anyhow::Result<ShippedKernel> {
        self.launch_read(made, plan, launch, number, |shipped, readers, end| {
            ship(&shipped, readers, end.watch, sink, ShippingOptions::default())
        })
    }

    /// The same for a device whose lanes do not reconverge: once they have diverged, they run by themselves up to a barrier.
    pub fn launch_shipped_without_reconvergence(
        &mut self,
        made: &Instrumented,
        plan: DevicePlan,
        launch: &EmulatedLaunch<'_>,
        number: LaunchId,
        sink: &mut (dyn EventSink + Send),
    ) -> anyhow::Result<ShippedKernel> {
        let seed = launch.seed;
        self.launch_read(made, plan, launch, number, |shipped, readers, end| {
            let operations = read_all(readers, end.has_come);
            ship_split(shipped, &operations, seed, sink)
        })
    }

    /// Runs an instrumented kernel, while somebody reads its records.
    fn launch_read(
        &mut self,
        made: &Instrumented,
        plan: DevicePlan,
        launch: &EmulatedLaunch<'_>,
        number: LaunchId,
        read: impl FnOnce(ShippedLaunch, Vec<Reader>, End<'_>) -> Result<ShippingCounts, ShippingError>
        + Send,
    ) -> anyhow::Result<ShippedKernel> {
        let (mut context, ring) = self.context(made, launch)?;
        let mut queues = Queues::new(self)?;
        self.describe(&queues, plan, &mut context)?;
        let shipped = ShippedLaunch {
            launch: number,
            facts: Arc::new(made.facts.clone()),
            sites: Arc::new(made.sites.clone()),
            infos: Arc::from(made.infos.as_slice()),
            paths: Arc::new(made.paths.clone()),
            geometry: launch.geometry,
            cluster: launch.cluster,
            turn_bits: TURN_BITS,
            shared_base: 0,
        };
        let readers = (0..QUEUES).map(|queue| queues.reader(queue)).collect();
        let (watch, has_come) = (LaunchWatch::new(), AtomicBool::new(false));
        let (end, shipped) = std::thread::scope(|scope| {
            let end = End { watch: &watch, has_come: &has_come };
            let reading = scope.spawn(move || read(shipped, readers, end));
            let end = self.run(made, launch, &context);
            let stopped = !matches!(end, Ok(Ok(())));
            let counts = queues.counts(self);
            watch.ended(LaunchEnd { counts, stopped });
            has_come.store(true, Ordering::Release);
            (end, reading.join())
        });
        queues.give_back(self);
        let shipped = shipped.ok().context("the reading of queues has failed")?;
        Ok(ShippedKernel { reports: self.reports(ring)?, shipped, end: end? })
    }

    /// Enters queues, turns and order into the context of a launch.
    fn describe(
        &self,
        queues: &Queues,
        plan: DevicePlan,
        context: &mut LaunchContext,
    ) -> anyhow::Result<()> {
        let words = (0..QUEUES).flat_map(|queue| {
            let QueueDescriptor { heads, read_head, ready, slots, capacity } =
                queues.descriptor(queue);
            [heads, read_head, ready, slots, capacity]
        });
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        context.queues = self.zeros(bytes.len() as u64)?;
        self.write(context.queues, &bytes)?;
        context.queue_count = QUEUES as u32;
        context.turns = self.zeros(8 << TURN_BITS)?;
        context.turn_bits = TURN_BITS;
        context.order = if plan.has_metadata() { self.zeros(16)? } else { 0 };
        Ok(())
    }
}
