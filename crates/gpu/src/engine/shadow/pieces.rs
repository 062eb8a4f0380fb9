//! Where metadata comes from: pieces of memory, each with places for the metadata of several chunks.

use super::MIB;
use crate::driver::DriverError;
use crate::driver_types::{CUstream, host_memory_flags};
use crate::engine::Engine;
use crate::engine::error::EngineError;
use std::collections::HashSet;

/// What is had together even if less is wanted, since a program that allocates once does so again: eight places of the
/// usual size.
const FEWEST_BYTES: u64 = 88 * MIB;
/// What is had together at most.
const MOST_BYTES: u64 = 2816 * MIB;
/// What is left to the program, at least.
const RESERVE: u64 = 768 * MIB;

/// The metadata that there is, in use or not.
pub(super) struct Pieces {
    stream: CUstream,
    /// Bytes of a place: the metadata of a chunk.
    place_bytes: u64,
    all: Vec<Piece>,
    /// Places that no chunk uses.
    spare: Vec<u64>,
    /// What the device had free when it was asked, less what was taken since. The question is slow.
    free: u64,
    host_bytes: u64,
    warned_of_host_memory: bool,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    address: u64,
    bytes: u64,
    of_device: bool,
}

impl Piece {
    fn places(&self, place_bytes: u64) -> impl Iterator<Item = u64> + use<> {
        let Piece { address, bytes, .. } = *self;
        (0..bytes / place_bytes).map(move |index| address + index * place_bytes)
    }
}

impl Pieces {
    pub(super) fn new(stream: CUstream, place_bytes: u64) -> Pieces {
        Pieces {
            stream,
            place_bytes,
            all: Vec::new(),
            spare: Vec::new(),
            free: 0,
            host_bytes: 0,
            warned_of_host_memory: false,
        }
    }

    /// The program has taken so much of the device's memory, or of the host's, which does no harm here.
    pub(super) fn taken_by_program(&mut self, bytes: u64) {
        self.free = self.free.saturating_sub(bytes);
    }

    /// What the device has free is not known any more.
    pub(super) fn ask_again(&mut self) {
        self.free = 0;
    }

    /// A place that is not in use. What is in it, if anything, is of launches that are over.
    pub(super) fn take(&mut self) -> Option<u64> {
        self.spare.pop()
    }

    /// A place that is no longer in use.
    pub(super) fn put_back(&mut self, place: u64) {
        self.spare.push(place);
    }

    /// Sees to it that there is a place, and better so many.
    pub(super) fn want(&mut self, engine: &Engine, places: u64) -> Result<(), EngineError> {
        if !self.spare.is_empty() {
            return Ok(());
        }
        let most = (MOST_BYTES / self.place_bytes).max(1);
        let mut count = places.clamp((FEWEST_BYTES / self.place_bytes).clamp(1, most), most);
        loop {
            if self.has_free(engine, count * self.place_bytes)
                && self.add_of_device(engine, count).is_ok()
            {
                return Ok(());
            }
            match count {
                1 => break,
                _ => count /= 2,
            }
        }
        let mut count = places.clamp(1, most);
        loop {
            match self.add_of_host(engine, count) {
                Err(_) if count > 1 => count /= 2,
                done => return done,
            }
        }
    }

    /// Whether the device has so much, with enough left for the program.
    fn has_free(&mut self, engine: &Engine, bytes: u64) -> bool {
        if self.free < bytes + 4 * RESERVE {
            self.free = engine.free_bytes();
        }
        self.free > bytes + RESERVE
    }

    fn add_of_device(&mut self, engine: &Engine, places: u64) -> Result<(), DriverError> {
        let bytes = places * self.place_bytes;
        let address = engine.allocate_alone(bytes, self.stream)?;
        self.free = self.free.saturating_sub(bytes);
        self.add(Piece { address, bytes, of_device: true });
        Ok(())
    }

    fn add_of_host(&mut self, engine: &Engine, places: u64) -> Result<(), EngineError> {
        let bytes = places * self.place_bytes;
        if self.host_bytes + bytes > most_host_bytes() {
            return Err(EngineError::HostMemoryInUse(self.host_bytes >> 30));
        }
        let driver = engine.driver;
        let mut place = std::ptr::null_mut();
        let flags = host_memory_flags::DEVICE_MAP | host_memory_flags::PORTABLE;
        // SAFETY: a place for an address.
        let result = unsafe { driver.cuMemHostAlloc(&mut place, bytes as usize, flags) };
        driver.check("cuMemHostAlloc", result)?;
        let mut address = 0;
        // SAFETY: memory of the call before.
        let result = unsafe { driver.cuMemHostGetDevicePointer_v2(&mut address, place, 0) };
        driver.check("cuMemHostGetDevicePointer", result)?;
        engine.fill_with_zeros(address, bytes, self.stream)?;
        self.host_bytes += bytes;
        self.add(Piece { address, bytes, of_device: false });
        if !std::mem::replace(&mut self.warned_of_host_memory, true) {
            engine.listener.warning(
                "the GPU has no memory left for metadata; some of it is in the host's memory, which is much slower",
            );
        }
        Ok(())
    }

    fn add(&mut self, piece: Piece) {
        self.all.push(piece);
        // The first of them is taken first.
        let mut places: Vec<u64> = piece.places(self.place_bytes).collect();
        places.reverse();
        self.spare.append(&mut places);
    }

    /// Fills everything with zeros, in the order of the stream.
    pub(super) fn clear(&self, engine: &Engine) -> Result<(), DriverError> {
        let mut pieces = self.all.iter();
        pieces.try_for_each(|piece| engine.fill_with_zeros(piece.address, piece.bytes, self.stream))
    }

    /// Bytes of the device in pieces of which no place is in use.
    pub(super) fn spare_bytes(&self) -> u64 {
        let spare: HashSet<u64> = self.spare.iter().copied().collect();
        self.spare_pieces(&spare).map(|piece| piece.bytes).sum()
    }

    /// Whether a place is memory of the device.
    pub(super) fn is_of_device(&self, place: u64) -> bool {
        let has = |piece: &Piece| (piece.address..piece.address + piece.bytes).contains(&place);
        self.all.iter().any(|piece| piece.of_device && has(piece))
    }

    fn spare_pieces(&self, spare: &HashSet<u64>) -> impl Iterator<Item = &Piece> {
        let is_spare = |piece: &&Piece| {
            let mut places = piece.places(self.place_bytes);
            places.all(|place| spare.contains(&place))
        };
        self.all.iter().filter(|piece| piece.of_device).filter(is_spare)
    }

    /// Gives pieces back of which no place is in use, until so many bytes are free. No kernel may run that knows
    /// of them. Says how many bytes that are.
    pub(super) fn give_back(&mut self, engine: &Engine, bytes: u64) -> u64 {
        let spare: HashSet<u64> = self.spare.iter().copied().collect();
        let mut given = 0;
        let mut gone = HashSet::new();
        for piece in self.spare_pieces(&spare) {
            if given >= bytes {
                break;
            }
            engine.give_back(piece.address, piece.bytes, self.stream);
            given += piece.bytes;
            gone.insert(piece.address);
        }
        let lost: HashSet<u64> = self
            .all
            .iter()
            .filter(|piece| gone.contains(&piece.address))
            .flat_map(|piece| piece.places(self.place_bytes))
            .collect();
        self.all.retain(|piece| !gone.contains(&piece.address));
        self.spare.retain(|place| !lost.contains(place));
        // It is the program that wants it.
        self.ask_again();
        given
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
