//! Operations, already in order, as the events that the CPU engine would have emitted for them.

mod copies;
mod groups;
mod mbarriers;

use super::error::ShippingError;
use super::launch::ShippedLaunch;
use super::operation::{Operation, resolve};
use copies::Copies;
use rustc_hash::FxHashMap;
use warpsan_event::{
    Access, AccessKind, Event, EventBuffer, EventMask, EventSink, LaneAddresses, only_active,
    regular,
};
use warpsan_instrument::record::{AccessInfo, Place, RecordKind, SiteInfo, Slot};
use warpsan_model::{BlockIndex, SiteId, Space, Strength, lanes};

/// Events of one batch.
const BATCH: usize = 512;

/// Shared memory that a block can have, at most, on any device.
const MOST_SHARED_BYTES: u64 = 228 << 10;

/// Makes events of operations that come in their order, and hands them on in batches.
pub(super) struct Translator<'a> {
    launch: &'a ShippedLaunch,
    sink: &'a mut dyn EventSink,
    interest: EventMask,
    buffer: EventBuffer,
    /// Strong writes that each location has seen, where somebody wants to know.
    versions: FxHashMap<(Space, BlockIndex, u64), u64>,
    copies: Copies,
    /// Used again and again.
    values: Vec<u64>,
    counted: Vec<u64>,
}

/// Lanes of an access that are in one memory.
struct Lanes {
    mask: u32,
    space: Space,
    owner: BlockIndex,
    addresses: [u64; 32],
}

impl<'a> Translator<'a> {
    /// Emits the beginning of the launch.
    pub(super) fn new(launch: &'a ShippedLaunch, sink: &'a mut dyn EventSink) -> Translator<'a> {
        let interest = sink.interest();
        let mut new = Translator {
            launch,
            sink,
            interest,
            buffer: EventBuffer::new(),
            versions: FxHashMap::default(),
            copies: Copies::default(),
            values: Vec::new(),
            counted: Vec::new(),
        };
        let ShippedLaunch { launch, facts, sites, geometry, .. } = new.launch;
        let (launch, geometry) = (*launch, *geometry);
        new.structure(Event::LaunchBegin { launch, facts, sites, geometry });
        let extent = new.launch.cluster_extents();
        if extent.count() > 1 {
            new.structure(Event::Clusters { extent });
        }
        new
    }

    /// Emits the end of the launch, and all that was not emitted yet.
    pub(super) fn launch_end(&mut self) {
        self.finish_all_copies();
        self.structure(Event::LaunchEnd { launch: self.launch.launch });
        self.flush();
    }

    fn structure(&mut self, event: Event<'_>) {
        self.push_if(EventMask::STRUCTURE, event);
    }

    pub(super) fn synchronisation(&mut self, event: Event<'_>) {
        self.push_if(EventMask::SYNCHRONISATION, event);
    }

    fn push_if(&mut self, class: EventMask, event: Event<'_>) {
        if self.interest.contains(class) {
            self.buffer.push(event);
            self.flush_if_full();
        }
    }

    fn flush_if_full(&mut self) {
        if self.buffer.len() >= BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.sink.buffer(&mut self.buffer);
        }
    }

    /// Lanes have ended.
    pub(super) fn lanes_end(&mut self, operation: &Operation, mask: u32) {
        self.finish_copies_of_lanes(operation, mask);
        if self.launch.facts.uses_block_barriers {
            let (block, warp) = (operation.block(), u32::from(operation.header().warp));
            self.synchronisation(Event::LanesEnd { block, warp, mask });
        }
    }

    /// A block has ended, with all that it had begun.
    pub(super) fn block_end(&mut self, block: BlockIndex) {
        self.finish_copies_of_block(block);
        self.structure(Event::BlockEnd { block });
    }

    /// An operation of these lanes, which is no barrier.
    pub(super) fn operation(
        &mut self,
        operation: &Operation,
        mask: u32,
    ) -> Result<(), ShippingError> {
        let header = operation.header();
        let (block, warp, site) = (operation.block(), u32::from(header.warp), SiteId(header.site));
        let info = self.launch.infos.get(header.site as usize).copied();
        match (operation.kind(), info) {
            (RecordKind::Access, Some(SiteInfo::Access(info))) => {
                self.access(operation, mask, &info)?;
            }
            (RecordKind::Fence, Some(SiteInfo::Fence { order, scope })) => {
                self.synchronisation(Event::Fence { block, warp, mask, site, order, scope });
            }
            (RecordKind::ProxyFence, Some(SiteInfo::ProxyFence { proxy })) => {
                self.synchronisation(Event::ProxyFence { block, warp, mask, site, proxy });
            }
            (RecordKind::PrerequisiteWait, Some(_)) => {
                self.synchronisation(Event::PrerequisiteWait { block, warp, mask, site });
            }
            (RecordKind::Mbarrier, Some(SiteInfo::Mbarrier { step, strength })) => {
                self.mbarrier(operation, mask, step, strength)?;
            }
            (RecordKind::CopyBegin, Some(SiteInfo::Copy { kind, reduces })) => {
                self.copy_begin(operation, mask, kind, reduces)?;
            }
            (RecordKind::CopyCommit, Some(SiteInfo::CopyGroup { bulk, .. })) => {
                self.copies.commit(operation, mask, bulk);
            }
            (RecordKind::CopyWait, Some(SiteInfo::CopyGroup { bulk, read })) => {
                self.copy_wait(operation, mask, bulk, read);
            }
            (RecordKind::CopyArrive, Some(_)) => self.copy_arrive(operation, mask)?,
            _ => return Err(operation.is_bad(self.launch, "its site is something else")),
        }
        Ok(())
    }

    /// The memory that an operation is about.
    pub(super) fn place(&self, operation: &Operation) -> Result<Place, ShippingError> {
        let header = operation.header();
        match (Place::of_extra(header.extra), self.launch.infos.get(header.site as usize)) {
            (Some(Place::OfSite), Some(SiteInfo::Access(info))) if info.place != Place::OfSite => {
                Ok(info.place)
            }
            (Some(place), _) if place != Place::OfSite => Ok(place),
            _ => Err(operation.is_bad(self.launch, "it does not say in which memory it is")),
        }
    }

    /// The space of an address, whose it is, and the address as events have it.
    fn shipped_place(
        &self,
        operation: &Operation,
        place: Place,
        word: u64,
    ) -> Result<(Space, BlockIndex, u64), ShippingError> {
        let own = operation.block();
        match resolve(place, own, word) {
            Some((None, address)) => Ok((Space::Global, own, address)),
            Some((Some(owner), offset)) if u64::from(owner.0) < self.launch.blocks() => {
                Ok((Space::Shared, owner, self.shared_offset(offset)))
            }
            _ => Err(operation.is_bad(self.launch, "it is in no memory of the launch")),
        }
    }

    /// The address in a block's own shared memory as events have it. What is in front of that is the system's part, which libraries of threads' groups use: behind
    /// all that a block can have, as on the CPU engine it is behind what the block has.
    fn shared_offset(&self, word: u64) -> u64 {
        word.checked_sub(self.launch.shared_base).unwrap_or(MOST_SHARED_BYTES + word)
    }

    #[inline]
    fn access(
        &mut self,
        operation: &Operation,
        mask: u32,
        info: &AccessInfo,
    ) -> Result<(), ShippingError> {
        if !self.interest.contains(EventMask::ACCESSES) {
            return Ok(());
        }
        let own = operation.block();
        let words = operation.lanes();
        let all = |space, addresses| Lanes { mask, space, owner: own, addresses };
        match self.place(operation)? {
            Place::Global => self.access_in(operation, &all(Space::Global, *words), info),
            Place::Shared => {
                let addresses = words.map(|word| self.shared_offset(word));
                self.access_in(operation, &all(Space::Shared, addresses), info);
            }
            place => {
                let mut left = mask;
                while left != 0 {
                    let first = words[left.trailing_zeros() as usize];
                    let (space, owner, _) = self.shipped_place(operation, place, first)?;
                    let mut found = Lanes { mask: 0, space, owner, addresses: [0; 32] };
                    for lane in lanes(left) {
                        let word = words[lane as usize];
                        let (_, its, address) = self.shipped_place(operation, place, word)?;
                        if its == owner {
                            found.mask |= 1 << lane;
                            found.addresses[lane as usize] = address;
                        }
                    }
                    left &= !found.mask;
                    self.access_in(operation, &found, info);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn access_in(&mut self, operation: &Operation, of: &Lanes, info: &AccessInfo) {
        let header = operation.header();
        let mut active = [0; 32];
        let addresses = match regular(of.mask, &of.addresses) {
            Some(short) => short,
            None => LaneAddresses::PerLane(only_active(of.mask, &of.addresses, &mut active)),
        };
        self.collect_values(operation, of.mask, info);
        self.count_versions(of, header.wrote, info);
        self.buffer.push_access(&Access {
            block: operation.block(),
            warp: u32::from(header.warp),
            site: SiteId(header.site),
            mask: of.mask,
            wrote: header.wrote & of.mask,
            space: of.space,
            owner: of.owner,
            kind: info.kind,
            strength: info.strength,
            bytes: info.bytes,
            elements: info.elements,
            addresses,
            values: &self.values,
            versions: &self.counted,
            read_only_path: info.read_only_path,
        });
        self.flush_if_full();
    }

    /// The values of an access by lane, where they came and somebody wants them.
    fn collect_values(&mut self, operation: &Operation, mask: u32, info: &AccessInfo) {
        self.values.clear();
        let wanted = match info.kind {
            AccessKind::Write => EventMask::VALUES,
            _ => EventMask::OBSERVATIONS,
        };
        if operation.header().parts() == 0 || !self.interest.contains(wanted) {
            return;
        }
        for lane in lanes(mask) {
            let words = operation.parts(RecordKind::Values).map(|part| part.lanes[lane as usize]);
            self.values.extend(words);
        }
    }

    fn count_versions(&mut self, of: &Lanes, wrote: u32, info: &AccessInfo) {
        self.counted.clear();
        if info.strength == Strength::Weak || !self.interest.contains(EventMask::OBSERVATIONS) {
            return;
        }
        let writes = if info.kind == AccessKind::Read { 0 } else { wrote };
        for lane in lanes(of.mask) {
            // Global memory is one, whoever accesses it.
            let owner = match of.space {
                Space::Shared => of.owner,
                _ => BlockIndex(0),
            };
            let place = (of.space, owner, of.addresses[lane as usize]);
            let version = self.versions.entry(place).or_insert(0);
            *version += u64::from(writes >> lane & 1);
            self.counted.push(*version);
        }
    }
}

/// The memory that a part of an operation names.
pub(super) fn place_of(
    operation: &Operation,
    part: &Slot,
    launch: &ShippedLaunch,
) -> Result<Place, ShippingError> {
    match Place::of_extra(part.header.extra) {
        Some(place) if place != Place::OfSite => Ok(place),
        _ => Err(operation.is_bad(launch, "a part does not say in which memory it is")),
    }
}
