//! Shadow memory: metadata for the memory that the program has.
//!
//! Device memory cannot be mapped when it is touched, so metadata is provided when memory is allocated, in chunks of
//! 2 MiB of the program's addresses. Kernels find it through a table of two levels. It comes in pieces for several
//! chunks ([`pieces`]), from the device or, where that has no memory left, from page-locked memory of the host; where
//! that is short, too, memory stays without. A program that runs out of memory gets metadata back ([`room`]).

mod pieces;
mod room;

use super::Engine;
use crate::driver::DriverError;
use crate::driver_types::CUstream;
use pieces::Pieces;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use warpsan_instrument::{DevicePlan, PAGE};

const MIB: u64 = 1 << 20;
/// Addresses of one chunk.
const CHUNK: u64 = 2 * MIB;
/// Chunks of a region, which has an entry of the first level.
const REGION_CHUNKS: u64 = 4096;
/// Regions that the first level has.
const REGIONS: u64 = 1 << 16;

/// The metadata of the memory that a context reaches.
pub(super) struct Shadow {
    stream: CUstream,
    /// Whether kernels look anything up in it.
    is_used: bool,
    /// The first level, on the device.
    pub(super) table: u64,
    regions: HashMap<u64, Region>,
    /// The second level of many regions together, for hb.
    lines: Option<Lines>,
    chunks: HashMap<u64, Chunk>,
    allocations: BTreeMap<u64, u64>,
    pieces: Pieces,
    warned_of_no_memory: bool,
    warned_of_given_back: bool,
}

/// Tables of chunks, and of pages of words, whose addresses are not far from each other, as nearly all are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    pub(super) table: u64,
    /// The first chunk that it has.
    pub(super) first: u64,
    pub(super) page_table: u64,
    /// The first chunk of its pages.
    first_with_pages: u64,
}

impl Lines {
    /// Chunks that the first one has: 4 TiB of addresses.
    pub(super) const CHUNKS: u64 = 1 << 21;
    /// Chunks that the other one has: 512 GiB of addresses.
    const CHUNKS_WITH_PAGES: u64 = 1 << 18;
    /// Pages of a chunk.
    pub(super) const PAGES: u64 = CHUNK / PAGE;
    /// Pages that there are.
    pub(super) const TABLE_PAGES: u64 = Lines::CHUNKS_WITH_PAGES * Lines::PAGES;

    fn new(engine: &Engine, stream: CUstream, chunk: u64) -> Result<Lines, DriverError> {
        Ok(Lines {
            table: engine.allocate_alone(Lines::CHUNKS * 8, stream)?,
            first: chunk.saturating_sub(Lines::CHUNKS / 2),
            page_table: engine.allocate_alone(Lines::TABLE_PAGES * 8, stream)?,
            first_with_pages: chunk.saturating_sub(Lines::CHUNKS_WITH_PAGES / 2),
        })
    }

    /// The number of the first page that the table has.
    pub(super) fn first_page(&self) -> u64 {
        self.first_with_pages * Lines::PAGES
    }

    /// Other entries for a run of chunks, none of which has pages in the table then. What is farther away is found by both levels of the shadow table.
    fn enter(
        &self,
        engine: &Engine,
        stream: CUstream,
        first_of_run: u64,
        entries: &[u64],
    ) -> Result<(), DriverError> {
        let count = entries.len() as u64;
        if let Some(at) = place_in(first_of_run, count, self.first, Lines::CHUNKS) {
            engine.write(self.table + at * 8, entries, stream)?;
        }
        let with_pages = Lines::CHUNKS_WITH_PAGES;
        if let Some(at) = place_in(first_of_run, count, self.first_with_pages, with_pages) {
            let bytes = Lines::PAGES * 8;
            engine.fill_with_zeros(self.page_table + at * bytes, count * bytes, stream)?;
        }
        Ok(())
    }
}

/// Where a run stands in a table that has so many from a first one on, if it is there as a whole.
fn place_in(run: u64, count: u64, first: u64, all: u64) -> Option<u64> {
    run.checked_sub(first).filter(|at| at + count <= all)
}

struct Region {
    table: u64,
    entries: Vec<u64>,
}

#[derive(Default)]
struct Chunk {
    metadata: Option<u64>,
    /// Allocations that have a part of it.
    users: u32,
}

impl Shadow {
    pub(super) fn new(engine: &Engine, stream: CUstream) -> Result<Shadow, DriverError> {
        let settings = &engine.settings;
        Ok(Shadow {
            stream,
            is_used: settings.plan.looks_up_metadata(),
            table: engine.allocate(REGIONS * 8, stream)?,
            regions: HashMap::new(),
            lines: None,
            chunks: HashMap::new(),
            allocations: BTreeMap::new(),
            pieces: Pieces::new(stream, settings.plan.metadata_of_chunk()),
            warned_of_no_memory: false,
            warned_of_given_back: false,
        })
    }

    /// Provides metadata for memory that the program has got.
    pub(super) fn cover(&mut self, engine: &Engine, address: u64, bytes: u64) {
        if !self.is_used || bytes == 0 {
            return;
        }
        match self.allocations.get(&address) {
            Some(known) if *known >= bytes => return,
            // Somebody else's that was given back in a way that nobody saw.
            Some(_) => self.uncover(address),
            None => {}
        }
        self.allocations.insert(address, bytes);
        self.pieces.taken_by_program(bytes);
        let mut missing = Vec::new();
        for chunk in chunks_of(address, bytes) {
            let known = self.chunks.entry(chunk).or_default();
            known.users += 1;
            if known.metadata.is_none() {
                missing.push(chunk);
            }
        }
        self.provide(engine, &missing);
    }

    /// hb's tables.
    pub(super) fn lines(&self) -> Option<Lines> {
        self.lines
    }

    /// Bytes of the program that have metadata.
    pub(super) fn covered_bytes(&self) -> u64 {
        self.allocations.values().sum()
    }

    /// Bytes of metadata.
    pub(super) fn metadata_bytes(&self, plan: DevicePlan) -> u64 {
        let chunks = self.chunks.values().filter(|chunk| chunk.metadata.is_some()).count();
        chunks as u64 * plan.metadata_of_chunk()
    }

    /// Pages that the program has memory in, at most.
    pub(super) fn covered_pages(&self) -> u64 {
        let of_allocations = self.covered_bytes() / PAGE + 2 * self.allocations.len() as u64;
        of_allocations.min(self.chunks.len() as u64 * Lines::PAGES)
    }

    /// Another context may have taken memory of the device.
    pub(super) fn others_took_memory(&mut self) {
        self.pieces.ask_again();
    }

    /// The program gives memory back. Its metadata stays for who gets the addresses next.
    pub(super) fn uncover(&mut self, address: u64) {
        let Some(bytes) = self.allocations.remove(&address) else { return };
        for chunk in chunks_of(address, bytes) {
            if let Some(known) = self.chunks.get_mut(&chunk) {
                known.users = known.users.saturating_sub(1);
            }
        }
    }

    /// Finds metadata for chunks that have none.
    fn provide(&mut self, engine: &Engine, missing: &[u64]) {
        let mut missing = missing;
        while !missing.is_empty() {
            if let Err(reason) = self.pieces.want(engine, missing.len() as u64)
                && !self.recycle(engine)
            {
                if !std::mem::replace(&mut self.warned_of_no_memory, true) {
                    engine.listener.warning(&format!(
                        "there is no memory left for metadata ({reason}): races in part of the program's memory \
                         are not found"
                    ));
                }
                return;
            }
            let mut given = Vec::new();
            while given.len() < missing.len()
                && let Some(place) = self.pieces.take()
            {
                given.push(place);
            }
            let (now, later) = missing.split_at(given.len());
            missing = later;
            let places: Vec<(u64, u64)> = now.iter().copied().zip(given).collect();
            if let Err(error) = self.enter(engine, &places) {
                engine
                    .listener
                    .warning(&format!("metadata cannot be made known to kernels: {error}"));
                return;
            }
        }
    }

    /// Enters into the kernels' table where the metadata of chunks is, or a zero where there is none.
    fn enter(&mut self, engine: &Engine, places: &[(u64, u64)]) -> Result<(), DriverError> {
        for &(chunk, place) in places {
            let number = chunk / REGION_CHUNKS;
            if !self.regions.contains_key(&number) {
                let table = engine.allocate(REGION_CHUNKS * 8, self.stream)?;
                if number < REGIONS {
                    engine.write(self.table + number * 8, &[table], self.stream)?;
                }
                let entries = vec![0; REGION_CHUNKS as usize];
                self.regions.insert(number, Region { table, entries });
            }
            if let Some(region) = self.regions.get_mut(&number) {
                region.entries[(chunk % REGION_CHUNKS) as usize] = place;
            }
            self.chunks.entry(chunk).or_default().metadata = (place != 0).then_some(place);
        }
        // Neighbours are written together.
        let follows = |one: &(u64, u64), next: &(u64, u64)| {
            one.0 + 1 == next.0 && one.0 / REGION_CHUNKS == next.0 / REGION_CHUNKS
        };
        for run in places.chunk_by(follows) {
            let Some(region) = self.regions.get(&(run[0].0 / REGION_CHUNKS)) else { continue };
            let from = (run[0].0 % REGION_CHUNKS) as usize;
            let entries = &region.entries[from..from + run.len()];
            engine.write(region.table + from as u64 * 8, entries, self.stream)?;
            if engine.settings.plan.has_entries() {
                self.enter_lines(engine, run[0].0, from..from + run.len())?;
            }
        }
        Ok(())
    }

    /// Enters a run of chunks of a region into hb's table.
    fn enter_lines(
        &mut self,
        engine: &Engine,
        first_of_run: u64,
        run: Range<usize>,
    ) -> Result<(), DriverError> {
        let lines = match self.lines {
            Some(lines) => lines,
            None => *self.lines.insert(Lines::new(engine, self.stream, first_of_run)?),
        };
        let Some(region) = self.regions.get(&(first_of_run / REGION_CHUNKS)) else { return Ok(()) };
        lines.enter(engine, self.stream, first_of_run, &region.entries[run])
    }

    /// Forgets everything, once all launches have ended: their tags are used again.
    pub(super) fn clear(&mut self, engine: &Engine) {
        engine.uncaptured(|| {
            // SAFETY: the current context.
            unsafe { engine.driver.cuCtxSynchronize() };
            let cleared = self.pieces.clear(engine);
            let cleared = cleared.and_then(|()| match &self.lines {
                Some(lines) => {
                    let bytes = Lines::TABLE_PAGES * 8;
                    engine.fill_with_zeros(lines.page_table, bytes, self.stream)
                }
                None => Ok(()),
            });
            let cleared = cleared.and_then(|()| engine.settle(self.stream));
            if let Err(error) = cleared {
                engine.listener.warning(&format!("metadata cannot be cleared: {error}"));
            }
        });
    }
}

/// The chunks that memory has a part of.
fn chunks_of(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
    address / CHUNK..=(address + bytes - 1) / CHUNK
}
