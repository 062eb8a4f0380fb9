//! Races on their way from the device.
//!
//! Kernels write each kind of race once into a ring in the host's memory, while they run; a thread of ours reads it. How
//! often a kind was seen is counted on the device.

use super::sites::Sites;
use super::{Engine, Listener, ReportedRace};
use crate::driver::DriverError;
use crate::driver_types::{CUstream, host_memory_flags};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use warpsan_instrument::{CheckedAccess, DeviceReport, Reports};

/// Bytes of the ring.
const RING_BYTES: usize = 1 << 20;
const CAPACITY: usize = RING_BYTES / size_of::<DeviceReport>();
/// How often the thread looks.
const PAUSE: Duration = Duration::from_millis(2);

/// What is known of an instrumented kernel, for its reports.
#[derive(Debug, Clone)]
pub(super) struct Described {
    pub(super) kernel: Arc<str>,
    pub(super) sites: Arc<Sites>,
    pub(super) accesses: Arc<[CheckedAccess]>,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

/// The reports of a context.
pub(super) struct Reporting {
    /// The device's side.
    pub(super) place: u64,
    stream: CUstream,
    shared: Arc<Shared>,
    /// The warning that a kernel has failed was given.
    has_failed: Cell<bool>,
}

struct Shared {
    ring: usize,
    next: Mutex<Reader>,
    described: Mutex<HashMap<u32, Described>>,
    listener: Arc<dyn Listener>,
    ends: AtomicBool,
}

/// What was read so far.
struct Reader {
    next: usize,
    found: Vec<ReportedRace>,
    counted: HashMap<u32, u32>,
}

impl Reporting {
    pub(super) fn new(engine: &Engine, stream: CUstream) -> Result<Reporting, DriverError> {
        let driver = engine.driver;
        let mut ring = std::ptr::null_mut();
        let flags = host_memory_flags::DEVICE_MAP | host_memory_flags::PORTABLE;
        // SAFETY: a place for an address.
        let result = unsafe { driver.cuMemHostAlloc(&mut ring, RING_BYTES, flags) };
        driver.check("cuMemHostAlloc", result)?;
        // SAFETY: so many bytes were allocated.
        unsafe { ring.cast::<u8>().write_bytes(0, RING_BYTES) };
        let mut of_device = 0;
        // SAFETY: memory of the call before.
        let result = unsafe { driver.cuMemHostGetDevicePointer_v2(&mut of_device, ring, 0) };
        driver.check("cuMemHostGetDevicePointer", result)?;
        let place = engine.allocate(Reports::BYTES as u64, stream)?;
        // The ring and, behind it, how large it is and a zero: its first place is free.
        const { assert!(Reports::CAPACITY == Reports::RING + 8) };
        engine.write(place + Reports::RING as u64, &[of_device, CAPACITY as u64], stream)?;
        let shared = Arc::new(Shared {
            ring: ring as usize,
            next: Mutex::new(Reader { next: 0, found: Vec::new(), counted: HashMap::new() }),
            described: Mutex::default(),
            listener: engine.listener.clone(),
            ends: AtomicBool::new(false),
        });
        let reader = shared.clone();
        let thread = std::thread::Builder::new().name("warpsan-reports".to_owned());
        let started = thread.spawn(move || {
            while !reader.ends.load(Ordering::Relaxed) {
                reader.drain();
                std::thread::sleep(PAUSE);
            }
        });
        if let Err(error) = started {
            engine.listener.warning(&format!("races are only read at the end: {error}"));
        }
        Ok(Reporting { place, stream, shared, has_failed: Cell::new(false) })
    }

    /// Says what a number stands for, before the first launch that uses it.
    pub(super) fn describe(&self, variant: u32, described: Described) {
        let mut all = self.shared.described.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(variant, described);
    }

    /// Reads what is there, and how often each kind was seen.
    pub(super) fn drain(&self, engine: &Engine) {
        self.shared.drain();
        let mut counts = vec![0u32; Reports::KINDS];
        let place = self.place + Reports::COUNTS_OFFSET as u64;
        match engine.read(place, &mut counts, self.stream) {
            Ok(()) => self.shared.count(&counts),
            Err(error) if error.result.is_fault() && !self.has_failed.replace(true) => {
                engine.listener.warning(&format!(
                    "a kernel has failed ({}), and what it and later ones would have done is not checked",
                    error.name
                ));
            }
            Err(_) => {}
        }
        let mut lost = [0u32];
        if engine.read(self.place + Reports::LOST as u64, &mut lost, self.stream).is_ok()
            && lost[0] > 0
        {
            engine.listener.warning(&format!(
                "{} occurrences of races found no place among {} kinds",
                lost[0],
                Reports::KINDS
            ));
        }
    }

    /// Reads the last ones; the memory goes with its context.
    pub(super) fn end(&self, engine: &Engine) {
        self.drain(engine);
        let _reader = self.shared.reader();
        self.shared.ends.store(true, Ordering::Relaxed);
    }

    /// Does what may take the memory away, and says whether it did, while nobody reads it.
    pub(super) fn while_paused(&self, action: impl FnOnce() -> bool) {
        let _reader = self.shared.reader();
        if action() {
            self.shared.ends.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    /// Who has this is the only one that reads.
    fn reader(&self) -> MutexGuard<'_, Reader> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drain(&self) {
        let mut reader = self.reader();
        while reader.next < CAPACITY && !self.ends.load(Ordering::Relaxed) {
            let place =
                (self.ring + reader.next * size_of::<DeviceReport>()) as *const DeviceReport;
            // SAFETY: a place of the ring, which the device writes. The last field is written last.
            let ready = unsafe { std::ptr::addr_of!((*place).ready).read_volatile() };
            if ready == 0 {
                return;
            }
            std::sync::atomic::fence(Ordering::Acquire);
            // SAFETY: all of it is written now.
            let report = unsafe { place.read_volatile() };
            reader.next += 1;
            let described = self.described.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(described) = described.get(&report.variant).cloned() else { continue };
            let finding = ReportedRace {
                report,
                kernel: described.kernel,
                sites: described.sites.table(),
                accesses: described.accesses,
                grid: described.grid,
                block: described.block,
            };
            self.listener.found(&finding);
            reader.counted.insert(report.slot, 1);
            reader.found.push(finding);
        }
    }

    fn count(&self, counts: &[u32]) {
        let mut reader = self.reader();
        let Reader { found, counted, .. } = &mut *reader;
        for finding in found.iter() {
            let slot = finding.report.slot;
            let now = counts.get(slot as usize).copied().unwrap_or(0);
            let before = counted.insert(slot, now).unwrap_or(0);
            if now > before {
                self.listener.seen_again(finding, u64::from(now - before));
            }
        }
    }
}
