//! Shadow memory: metadata for the memory that the program has.
//!
//! Device memory cannot be mapped when it is touched, so metadata is mapped when memory is allocated, in chunks of 2 MiB of
//! the program's addresses. Kernels find it through a table of two levels. Where the device has no memory
//! left, metadata goes to page-locked memory of the host; where that is short, too, memory stays without.

use super::Engine;
use crate::driver::DriverError;
use crate::driver_structures::{CUmemAccessDesc, CUmemAllocationProp};
use crate::driver_types::{CUdevice, CUstream, host_memory_flags};
use std::collections::{BTreeMap, HashMap};

const MIB: u64 = 1 << 20;
/// Addresses of one chunk.
const CHUNK: u64 = 2 * MIB;
/// Its metadata: 16 bytes for each 4, and 4 bytes for the two instructions.
const CHUNK_METADATA: u64 = 10 * MIB;
/// The part of it that has to be cleared.
const CHUNK_ENTRIES: u64 = 8 * MIB;
/// Chunks of a region, which has an entry of the first level.
const REGION_CHUNKS: u64 = 4096;
/// Regions that the first level has.
const REGIONS: u64 = 1 << 16;
/// Chunks that are mapped together.
const LARGEST_PIECE: u64 = 256;
/// What is left to the program, at least.
const RESERVE: u64 = 768 * MIB;

/// The metadata of a device's memory.
pub(super) struct Shadow {
    device: CUdevice,
    stream: CUstream,
    /// The first level, on the device.
    pub(super) table: u64,
    regions: HashMap<u64, Region>,
    chunks: HashMap<u64, Chunk>,
    allocations: BTreeMap<u64, u64>,
    pieces: Vec<(u64, u64)>,
    host_bytes: u64,
    told_host: bool,
    told_nothing: bool,
}

struct Region {
    table: u64,
    entries: Vec<u64>,
}

struct Chunk {
    metadata: Option<u64>,
    users: u32,
}

impl Shadow {
    pub(super) fn new(
        engine: &Engine,
        device: CUdevice,
        stream: CUstream,
    ) -> Result<Shadow, DriverError> {
        Ok(Shadow {
            device,
            stream,
            table: engine.allocate(REGIONS * 8, stream)?,
            regions: HashMap::new(),
            chunks: HashMap::new(),
            allocations: BTreeMap::new(),
            pieces: Vec::new(),
            host_bytes: 0,
            told_host: false,
            told_nothing: false,
        })
    }

    /// Provides metadata for memory that the program has got.
    pub(super) fn cover(&mut self, engine: &Engine, address: u64, bytes: u64) {
        if bytes == 0 || self.allocations.insert(address, bytes).is_some() {
            return;
        }
        let (first, last) = (address / CHUNK, (address + bytes - 1) / CHUNK);
        let mut missing: Option<(u64, u64)> = None;
        for chunk in first..=last {
            let known = self.chunks.entry(chunk).or_insert(Chunk { metadata: None, users: 0 });
            known.users += 1;
            let is_there = known.metadata.is_some();
            missing = match (missing, is_there) {
                (Some((start, end)), false) if end - start < LARGEST_PIECE => {
                    Some((start, chunk + 1))
                }
                (before, _) => {
                    if let Some((start, end)) = before {
                        self.map(engine, start, end);
                    }
                    (!is_there).then_some((chunk, chunk + 1))
                }
            };
        }
        if let Some((start, end)) = missing {
            self.map(engine, start, end);
        }
    }

    /// The program gives memory back. Its metadata stays for who gets the addresses next.
    pub(super) fn uncover(&mut self, address: u64) {
        let Some(bytes) = self.allocations.remove(&address) else { return };
        for chunk in address / CHUNK..=(address + bytes - 1) / CHUNK {
            if let Some(known) = self.chunks.get_mut(&chunk) {
                known.users = known.users.saturating_sub(1);
            }
        }
    }

    /// Maps metadata for chunks from `first` to before `end`.
    fn map(&mut self, engine: &Engine, first: u64, end: u64) {
        let bytes = (end - first) * CHUNK_METADATA;
        let on_device =
            (engine.free_bytes() > bytes + RESERVE).then(|| self.device_memory(engine, bytes));
        let metadata = match on_device {
            Some(Ok(address)) => Ok(address),
            _ => self.host_memory(engine, bytes),
        };
        match metadata {
            Ok(address) => {
                self.pieces.push((address, bytes));
                let entries = self.enter(engine, first, end, address);
                if let Err(error) = entries {
                    engine
                        .listener
                        .warning(&format!("metadata cannot be made known to kernels: {error}"));
                }
            }
            Err(_) if end - first > 1 => {
                let middle = first + (end - first) / 2;
                self.map(engine, first, middle);
                self.map(engine, middle, end);
            }
            Err(reason) => {
                if !std::mem::replace(&mut self.told_nothing, true) {
                    engine.listener.warning(&format!(
                        "there is no memory left for metadata ({reason}): races in part of the program's memory \
                         are not found"
                    ));
                }
            }
        }
    }

    fn device_memory(&self, engine: &Engine, bytes: u64) -> Result<u64, DriverError> {
        let driver = engine.driver;
        let properties = CUmemAllocationProp::of_device(self.device);
        let mut handle = 0;
        // SAFETY: places and properties that live until the call is over.
        let result = unsafe { driver.cuMemCreate(&mut handle, bytes as usize, &properties, 0) };
        driver.check("cuMemCreate", result)?;
        let mut address = 0;
        // SAFETY: the same.
        let result = unsafe { driver.cuMemAddressReserve(&mut address, bytes as usize, 0, 0, 0) };
        if let Err(error) = driver.check("cuMemAddressReserve", result) {
            // SAFETY: memory that nobody has mapped.
            unsafe { driver.cuMemRelease(handle) };
            return Err(error);
        }
        let access = CUmemAccessDesc::read_write(self.device);
        // SAFETY: addresses and memory of that size. The mapping keeps the memory.
        unsafe {
            let mapped = driver.cuMemMap(address, bytes as usize, 0, handle, 0);
            driver.cuMemRelease(handle);
            driver.check("cuMemMap", mapped)?;
            driver.check(
                "cuMemSetAccess",
                driver.cuMemSetAccess(address, bytes as usize, &access, 1),
            )?;
        }
        engine.fill_with_zeros(address, bytes, self.stream)?;
        Ok(address)
    }

    fn host_memory(&mut self, engine: &Engine, bytes: u64) -> Result<u64, String> {
        let most = most_host_bytes();
        if self.host_bytes + bytes > most {
            return Err(format!(
                "{} GiB of the host's memory are in use for it already",
                self.host_bytes >> 30
            ));
        }
        let driver = engine.driver;
        let mut place = std::ptr::null_mut();
        let flags = host_memory_flags::DEVICE_MAP | host_memory_flags::PORTABLE;
        // SAFETY: a place for an address.
        let result = unsafe { driver.cuMemHostAlloc(&mut place, bytes as usize, flags) };
        driver.check("cuMemHostAlloc", result).map_err(|error| error.to_string())?;
        let mut address = 0;
        // SAFETY: memory of the call before.
        let result = unsafe { driver.cuMemHostGetDevicePointer_v2(&mut address, place, 0) };
        driver.check("cuMemHostGetDevicePointer", result).map_err(|error| error.to_string())?;
        engine.fill_with_zeros(address, bytes, self.stream).map_err(|error| error.to_string())?;
        self.host_bytes += bytes;
        if !std::mem::replace(&mut self.told_host, true) {
            engine.listener.warning(
                "the GPU has no memory left for metadata; some of it is in the host's memory, which is much slower",
            );
        }
        Ok(address)
    }

    /// Tells kernels where metadata is.
    fn enter(
        &mut self,
        engine: &Engine,
        first: u64,
        end: u64,
        metadata: u64,
    ) -> Result<(), DriverError> {
        let mut chunk = first;
        while chunk < end {
            let number = chunk / REGION_CHUNKS;
            let stop = end.min((number + 1) * REGION_CHUNKS);
            if !self.regions.contains_key(&number) {
                let table = engine.allocate(REGION_CHUNKS * 8, self.stream)?;
                if number < REGIONS {
                    engine.write(self.table + number * 8, &[table], self.stream)?;
                }
                self.regions
                    .insert(number, Region { table, entries: vec![0; REGION_CHUNKS as usize] });
            }
            let Some(region) = self.regions.get_mut(&number) else { return Ok(()) };
            for index in chunk..stop {
                let place = metadata + (index - first) * CHUNK_METADATA;
                region.entries[(index % REGION_CHUNKS) as usize] = place;
                if let Some(known) = self.chunks.get_mut(&index) {
                    known.metadata = Some(place);
                }
            }
            let (from, to) =
                ((chunk % REGION_CHUNKS) as usize, ((stop - 1) % REGION_CHUNKS) as usize);
            engine.write(
                region.table + from as u64 * 8,
                &region.entries[from..=to],
                self.stream,
            )?;
            chunk = stop;
        }
        Ok(())
    }

    /// Forgets everything, once all launches have ended: their tags are used again.
    pub(super) fn clear(&mut self, engine: &Engine) {
        engine.uncaptured(|| {
            // SAFETY: the current context.
            unsafe { engine.driver.cuCtxSynchronize() };
            for (address, bytes) in &self.pieces {
                for chunk in 0..bytes / CHUNK_METADATA {
                    // SAFETY: metadata of ours.
                    unsafe {
                        engine.driver.cuMemsetD8Async(
                            address + chunk * CHUNK_METADATA,
                            0,
                            CHUNK_ENTRIES as usize,
                            self.stream,
                        )
                    };
                }
            }
            // SAFETY: a stream of ours.
            unsafe { engine.driver.cuStreamSynchronize(self.stream) };
        });
    }
}

/// Half of what the host has left.
fn most_host_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes =
        available.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024 / 2
}
