//! hb's entries on a device: pools for lines that are kept in words, identities of launches, and the entries of shared memory.
//!
//! Lines have their entries in shadow memory ([`super::shadow`]). Pools are as large as what the program's memory could need, and never more
//! than half of what is free. What found no room is noted on the device and reported at the end.

use super::device::Device;
use super::error::EngineError;
use super::loading::{attribute_of, blocks_at_once};
use super::shadow::Lines;
use super::variants::Variant;
use super::{Engine, EntriesBytes};
use crate::driver::DriverError;
use crate::driver_types::{CUdeviceAttribute, CUfunctionAttribute, CUstream};
use crate::hooks::{LaunchCall, LaunchSource};
use warpsan_instrument::{
    BYTES_RECORD, EntriesHead, EntriesUse, LaunchContext, PAGE_BYTES, SLOT_ALIGNMENT, entry_gaps,
    launch_names,
};

/// Where the shared memory of a block begins.
const SHARED_START: u32 = 1024;
/// Variables in shared memory begin at multiples of this at most.
const SHARED_ALIGNMENT: u32 = 128;
/// Pages of words, at least, and records of words in bytes.
const FEWEST: Sizes = Sizes { pages: 1 << 8, records: 1 << 12 };
/// Words that are kept in bytes: of each so many bytes one.
const BYTES_OF_RECORD: u64 = 128;
/// Of so many pages one is expected to be needed, where accesses are of whole lines.
const SELDOM: u64 = 16;
/// Bits for the intervals of a block, where nobody knows how many it has.
const MOST_INTERVAL_BITS: u32 = 14;
/// Bits of all identities of a launch.
const LAUNCH_BITS: u32 = 26;

/// How large the pools are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sizes {
    pages: u64,
    records: u64,
}

impl Sizes {
    fn bytes(self) -> u64 {
        self.pages * PAGE_BYTES + self.records * BYTES_RECORD
    }

    /// So many times as large.
    fn times(self, factor: f64) -> Sizes {
        let times = |count: u64| (count as f64 * factor) as u64;
        Sizes { pages: times(self.pages), records: times(self.records) }
    }

    fn at_least(self, other: Sizes) -> Sizes {
        Sizes { pages: self.pages.max(other.pages), records: self.records.max(other.records) }
    }

    fn has(self, other: Sizes) -> bool {
        self.at_least(other) == self
    }
}

/// The pools of a context.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) head: u64,
    pages: u64,
    records: u64,
    sizes: Sizes,
    /// What the device's side begins with, and has again when all is cleared.
    fresh: EntriesHead,
    /// The bits of gaps that were reported before.
    reported: u32,
    /// What there was when the program had most.
    most: EntriesBytes,
}

impl Pools {
    fn new(engine: &Engine, stream: CUstream) -> Result<Pools, DriverError> {
        let head = engine.allocate(EntriesHead::BYTES, stream)?;
        let (sizes, fresh) = (Sizes::default(), EntriesHead::default());
        let most = EntriesBytes::default();
        Ok(Pools { head, pages: 0, records: 0, sizes, fresh, reported: 0, most })
    }

    /// Larger pools in place of those that are there. Nothing may be in parts, and gaps have been reported.
    fn grow(
        &mut self,
        engine: &Engine,
        sizes: Sizes,
        fresh: EntriesHead,
        stream: CUstream,
    ) -> Result<(), DriverError> {
        let before = std::mem::take(&mut self.sizes);
        if before != Sizes::default() {
            engine.give_back(self.pages, before.pages * PAGE_BYTES, stream);
            engine.give_back(self.records, before.records * BYTES_RECORD, stream);
        }
        self.pages = engine.allocate_alone(sizes.pages * PAGE_BYTES, stream)?;
        self.records = engine.allocate_alone(sizes.records * BYTES_RECORD, stream)?;
        self.sizes = sizes;
        self.fresh = EntriesHead {
            pages: self.pages,
            bytes: self.records,
            page_capacity: sizes.pages as u32,
            bytes_capacity: sizes.records as u32,
            ..fresh
        };
        engine.write(self.head, &self.fresh.words(), stream)
    }

    /// All pages and records are free again, once all launches have ended and no line is in parts.
    pub(super) fn clear(&self, engine: &Engine, stream: CUstream) -> Result<(), DriverError> {
        engine.fill_with_zeros(self.pages, self.sizes.pages * PAGE_BYTES, stream)?;
        let words = self.fresh.words();
        // What was lost is still to be reported.
        engine.write(self.head, &words[..words.len() - 1], stream)?;
        engine.write(self.head + EntriesHead::BYTES_SPARE, &[0u32], stream)
    }
}

/// Bits of an identity that are the interval, for a grid of so many blocks.
fn interval_bits(uses: &EntriesUse, blocks: u64) -> u32 {
    let of_blocks = 64 - blocks.saturating_sub(1).leading_zeros();
    let rest = LAUNCH_BITS.saturating_sub(of_blocks);
    uses.interval_bits(MOST_INTERVAL_BITS.min(rest).max(1))
}

/// Identities of a launch: one for each interval of each block.
pub(super) fn identities(variant: &Variant, call: &LaunchCall) -> u64 {
    call.blocks() << interval_bits(&variant.uses.entries, call.blocks())
}

/// Slots of a kernel whose entries of shared memory are in global memory: one for each block that can be resident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slots {
    address: u64,
    count: u32,
    /// So many there would be, if there were memory for them.
    wanted: u64,
    bytes: u64,
}

/// Shared memory of a launch with its entries behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedPlaces {
    /// Bytes of the program's shared memory.
    stride: u32,
    /// Dynamic shared memory that the launch needs.
    pub(super) dynamic_bytes: u32,
    /// Bytes of a slot, if entries are in one.
    slot_bytes: Option<u64>,
}

impl Engine {
    /// Why a launch cannot have entries, whatever its kernel does.
    pub(super) fn why_no_entries(
        &self,
        device: &Device,
        variant: &Variant,
        call: &LaunchCall,
    ) -> Result<(), EngineError> {
        if call.source == LaunchSource::SeveralDevices {
            return Err(EngineError::SeveralDevicesWithEntries);
        }
        let identities = identities(variant, call);
        if identities >= u64::from(LaunchContext::WARP_NUMBERS) {
            return Err(EngineError::TooManyIdentities(identities));
        }
        self.shared_places(device, variant, call).map(drop)
    }

    /// Where entries of shared memory go; none for kernels that have no shared memory.
    pub(super) fn shared_places(
        &self,
        device: &Device,
        variant: &Variant,
        call: &LaunchCall,
    ) -> Result<Option<SharedPlaces>, EngineError> {
        let Some(shared) = variant.uses.entries.shared else { return Ok(None) };
        let own =
            attribute_of(self.driver, variant.function, CUfunctionAttribute::SHARED_SIZE_BYTES)
                .max(0) as u32;
        let stride = own.next_multiple_of(SHARED_ALIGNMENT)
            + call.shared_bytes.next_multiple_of(SHARED_ALIGNMENT);
        let all = u64::from(stride) + shared.bytes_behind(stride);
        let most = CUdeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let most = self.driver.device_attribute(most, device.number)?.max(0) as u64;
        if all > most {
            return Err(EngineError::NoSharedEntries(all));
        }
        let (dynamic_bytes, slot_bytes) = (all as u32 - own, shared.slot_bytes(stride));
        Ok(Some(SharedPlaces { stride, dynamic_bytes, slot_bytes }))
    }

    /// Entries for a launch.
    pub(super) fn prepare_entries(
        &self,
        device: &mut Device,
        variant: &Variant,
        call: &LaunchCall,
        context: &mut LaunchContext,
    ) -> Result<Option<SharedPlaces>, EngineError> {
        self.provide_pools(device, variant, call).map_err(EngineError::NoEntries)?;
        self.note_size(device);
        let shared = self.shared_places(device, variant, call)?;
        if let Some(places) = shared {
            self.allow_shared(variant.function, places.dynamic_bytes as i32);
            context.shared_start = SHARED_START;
            context.shared_stride = places.stride;
            if let Some(bytes) = places.slot_bytes {
                let slots = self.provide_slots(device, variant, call, places.dynamic_bytes, bytes);
                let slots = slots.map_err(EngineError::NoEntries)?;
                (context.slots, context.slot_count) = (slots.address, slots.count);
                context.slot_bytes = slots.bytes as u32;
            }
        }
        let bits = interval_bits(&variant.uses.entries, call.blocks());
        let (tiles, warps) = (variant.uses.entries.tiles, call.warps_of_block());
        context.names = launch_names(context.launch, variant.number, bits, tiles, warps);
        context.identities = (call.blocks() << bits) as u32;
        (context.interval_bits, context.last_interval) = (bits, (1 << bits) - 1);
        context.entries = device.pools.as_ref().map_or(0, |pools| pools.head);
        if let Some(lines) = device.shadow.lines() {
            (context.line_table, context.page_table) = (lines.table, lines.page_table);
            (context.first_chunk, context.chunks) = (lines.first as u32, Lines::CHUNKS as u32);
            context.first_page = lines.first_page() as u32;
            context.table_pages = Lines::TABLE_PAGES as u32;
        }
        Ok(shared)
    }

    /// Slots for the blocks of a launch. Those of an earlier one stay where they are too small, since it may still be running.
    fn provide_slots(
        &self,
        device: &mut Device,
        variant: &Variant,
        call: &LaunchCall,
        dynamic_bytes: u32,
        bytes: u64,
    ) -> Result<Slots, DriverError> {
        let threads = call.threads_of_block() as u32;
        let resident = blocks_at_once(self.driver, variant.function, threads, dynamic_bytes);
        let resident = u64::from(device.multiprocessors.max(1)) * resident.max(1) as u64;
        let known = device.slots.get(&variant.number).copied();
        let (wanted, bytes) = known.map_or((resident, bytes), |known| {
            (resident.max(known.wanted), bytes.max(known.bytes))
        });
        if let Some(known) = known.filter(|one| (one.wanted, one.bytes) == (wanted, bytes)) {
            return Ok(known);
        }
        // If there are fewer, blocks wait for those that have one.
        let count = wanted.min(self.free_bytes() / 2 / bytes).max(1);
        let head = (count * 4).next_multiple_of(SLOT_ALIGNMENT);
        let address = self.allocate_alone(head + count * bytes, device.stream)?;
        let slots = Slots { address, count: count as u32, wanted, bytes };
        device.slots.insert(variant.number, slots);
        Ok(slots)
    }

    /// Pools that are large enough for what the program has.
    fn provide_pools(
        &self,
        device: &mut Device,
        variant: &Variant,
        call: &LaunchCall,
    ) -> Result<(), DriverError> {
        // Larger ones are waited for by the whole device, which ends a capture.
        if device.pools.is_some() && self.is_captured(call) {
            return Ok(());
        }
        let all = Sizes {
            pages: device.shadow.covered_pages(),
            records: device.shadow.covered_bytes() / BYTES_OF_RECORD,
        };
        let scatters = variant.uses.entries.scatters;
        let wanted = all.times(if scatters { 1.0 } else { 1.0 / SELDOM as f64 }).at_least(FEWEST);
        let own = device.pools.as_ref().map(|pools| pools.sizes).unwrap_or_default();
        if own.has(wanted) {
            return Ok(());
        }
        // Not a little more each time that the program allocates something.
        let with_reserve = wanted.times(1.5);
        let room = (self.free_bytes() + own.bytes()) / 2;
        let share = (room as f64 / with_reserve.bytes() as f64).min(1.0);
        let sizes = with_reserve.times(share).at_least(FEWEST);
        if own.has(sizes) {
            return Ok(());
        }
        let stream = device.stream;
        if device.pools.is_some() {
            // Nothing may be in parts, and what was lost so far is not noted in the new head.
            device.shadow.clear(self);
            self.report_entry_gaps(device);
        }
        let lines = device.shadow.lines();
        let fresh = EntriesHead {
            reports: device.reports.place,
            shadow: device.shadow.table,
            page_table: lines.map_or(0, |lines| lines.page_table),
            first_page: lines.map_or(0, |lines| lines.first_page()),
            table_pages: lines.map_or(0, |_| Lines::TABLE_PAGES as u32),
            ..EntriesHead::default()
        };
        let pools = match &mut device.pools {
            Some(pools) => pools,
            None => device.pools.insert(Pools::new(self, stream)?),
        };
        pools.grow(self, sizes, fresh, stream)
    }

    /// Notes how much memory there is, if the program has more than before.
    fn note_size(&self, device: &mut Device) {
        let program = device.shadow.covered_bytes();
        let Some(pools) = &mut device.pools else { return };
        if program > pools.most.program {
            let lines = device.shadow.metadata_bytes(self.settings.plan);
            let pools_bytes = pools.sizes.bytes();
            pools.most = EntriesBytes { program, lines, pools: pools_bytes, ..pools.most };
        }
    }

    /// Reports how much memory there was, and what of the pools is in use.
    fn report_size(&self, device: &mut Device) {
        let stream = device.stream;
        let Some(pools) = &mut device.pools else { return };
        let (mut pages, mut records) = ([0u32], [0u32]);
        let of_pages = self.read(pools.head + EntriesHead::PAGES_TAKEN, &mut pages, stream);
        let of_records = self.read(pools.head + EntriesHead::BYTES_TAKEN, &mut records, stream);
        if of_pages.and(of_records).is_ok() {
            let used = Sizes { pages: pages[0].into(), records: records[0].into() }.bytes();
            pools.most.used = pools.most.used.max(used);
        }
        self.listener.entries_have(pools.most);
    }

    /// Reports what was lost.
    pub(super) fn report_entry_gaps(&self, device: &mut Device) {
        self.report_size(device);
        let stream = device.stream;
        let Some(pools) = &mut device.pools else { return };
        let mut found = [0u32];
        if self.read(pools.head + EntriesHead::GAPS, &mut found, stream).is_err() {
            return;
        }
        let new = found[0] & !pools.reported;
        pools.reported |= new;
        for (gap, what) in [
            (entry_gaps::NO_ROOM, "memory for entries of single words or bytes was used up"),
            (entry_gaps::CONTENDED, "too many threads used one location at the same time"),
            (
                entry_gaps::EPOCHS,
                "a warp, or a tile of one, passed more barriers between two of its block than entries can distinguish",
            ),
            (entry_gaps::INTERVALS, "a block passed more barriers than entries can distinguish"),
            (
                entry_gaps::WITNESSES,
                "of a race with one of several updates or readers, which one that was was not known any more",
            ),
            (
                entry_gaps::COPIES,
                "a thread had more than 64 asynchronous copies that it had not waited for",
            ),
            (
                entry_gaps::SOURCES,
                "a thread wrote what an asynchronous copy of its own may have been reading",
            ),
            (
                entry_gaps::OBSERVED,
                "a thread may have seen a volatile store of shared memory before it accessed the location",
            ),
            (entry_gaps::UNKNOWN_MEMORY, "a kernel used memory that nobody was seen to allocate"),
        ] {
            if new & gap != 0 {
                self.listener.warning(&format!(
                    "hb on the device could not keep everything ({what}): races may be missed, which `--engine cpu` would show"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_get_as_many_bits_as_they_need() {
        let known = |intervals| EntriesUse { intervals, ..EntriesUse::default() };
        assert_eq!(interval_bits(&known(1), 1 << 20), 0);
        assert_eq!(interval_bits(&known(2), 1 << 20), 1);
        assert_eq!(interval_bits(&known(3), 1 << 20), 2);
        assert_eq!(interval_bits(&known(0), 1), MOST_INTERVAL_BITS);
        assert_eq!(interval_bits(&known(0), 1 << 20), 6);
        assert_eq!(interval_bits(&known(0), 1 << 30), 1);
    }
}
