//! Operations: slots of a queue that belong together, and what they say of one instruction of one warp.

use super::error::ShippingError;
use super::launch::ShippedLaunch;
use warpsan_instrument::record::{Header, Place, RecordKind, Slot};
use warpsan_model::{BlockIndex, lanes};

/// One operation of one warp: a slot, and those that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    kind: RecordKind,
    slot: Slot,
    parts: Vec<Slot>,
}

impl Operation {
    /// An operation of these slots. None if they are not the slots of one operation.
    pub fn of_slots(slots: &[Slot]) -> Option<Operation> {
        let (slot, parts) = slots.split_first()?;
        let kind = slot.header.record_kind().filter(|kind| !kind.is_part())?;
        let are_parts =
            parts.iter().all(|part| part.header.record_kind().is_some_and(RecordKind::is_part));
        (are_parts && parts.len() == usize::from(slot.header.parts())).then(|| Operation {
            kind,
            slot: *slot,
            parts: parts.to_vec(),
        })
    }

    /// What it is.
    pub fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Who did it, and where.
    pub fn header(&self) -> &Header {
        &self.slot.header
    }

    /// The block that did it.
    pub fn block(&self) -> BlockIndex {
        BlockIndex(self.slot.header.block)
    }

    /// A word for each lane.
    pub fn lanes(&self) -> &[u64; 32] {
        &self.slot.lanes
    }

    /// Its part of a kind.
    pub fn part(&self, kind: RecordKind) -> Option<&Slot> {
        self.parts.iter().find(|part| part.header.record_kind() == Some(kind))
    }

    /// All its parts of a kind, in their order.
    pub fn parts(&self, kind: RecordKind) -> impl Iterator<Item = &Slot> {
        self.parts.iter().filter(move |part| part.header.record_kind() == Some(kind))
    }

    /// The turns that its lanes took at their locations.
    pub(crate) fn turns(&self) -> Option<&[u64; 32]> {
        self.part(RecordKind::Turns).map(|part| &part.lanes)
    }

    /// Whether another operation is the same instruction, made by lanes that come later.
    pub(crate) fn can_join(&self, other: &Operation) -> bool {
        let (own, its) = (self.header(), other.header());
        let kinds =
            |one: &Operation| one.parts.iter().map(|part| part.header.kind).collect::<Vec<_>>();
        (own.block, own.warp, own.kind, own.site, own.extra)
            == (its.block, its.warp, its.kind, its.site, its.extra)
            && own.mask & its.mask == 0
            && kinds(self) == kinds(other)
    }

    /// The lanes of another operation, which can join this one, are lanes of this one from now on.
    pub(crate) fn join(&mut self, other: &Operation) {
        let slots = std::iter::once(&mut self.slot).chain(&mut self.parts);
        for (own, its) in slots.zip(std::iter::once(&other.slot).chain(&other.parts)) {
            for lane in lanes(its.header.mask) {
                own.lanes[lane as usize] = its.lanes[lane as usize];
            }
            own.header.mask |= its.header.mask;
            own.header.wrote |= its.header.wrote;
        }
    }

    /// An error about it.
    #[cold]
    pub(crate) fn is_bad(&self, launch: &ShippedLaunch, what: impl Into<String>) -> ShippingError {
        ShippingError::BadRecord { what: what.into(), record: self.describe(launch) }
    }

    /// In words, for an error.
    #[cold]
    pub(crate) fn describe(&self, launch: &ShippedLaunch) -> String {
        let Header { block, warp, site, mask, ticket, .. } = self.slot.header;
        let turn = match (ticket, self.turns()) {
            (0, Some(turns)) => format!(", turn {}", turns[mask.trailing_zeros() as usize % 32]),
            (0, None) => String::new(),
            (ticket, _) => format!(", ticket {ticket}"),
        };
        format!(
            "{:?} of block {block}, warp {warp}, lanes {mask:#x}, at site {site} (`{}`){turn}",
            self.kind,
            launch.instruction(site),
        )
    }
}

/// The memory that a slot names, and the address of a lane there: the block that owns it, if it is shared.
pub(crate) fn resolve(
    place: Place,
    own: BlockIndex,
    word: u64,
) -> Option<(Option<BlockIndex>, u64)> {
    match place {
        Place::OfSite => None,
        Place::Global => Some((None, word)),
        Place::Shared => Some((Some(own), word)),
        Place::ClusterShared => Some((Some(BlockIndex((word >> 32) as u32)), word & 0xFFFF_FFFF)),
    }
}

/// Makes operations of slots that come one after the other.
#[derive(Debug, Default)]
pub struct Assembler {
    slots: Vec<Slot>,
    /// Slots that are still to come.
    missing: usize,
}

impl Assembler {
    /// Takes the next slot of a queue; gives the operation that it completes, or what is wrong.
    pub fn push(&mut self, slot: &Slot) -> Result<Option<Operation>, ShippingError> {
        if self.missing == 0 {
            self.slots.clear();
            self.missing = usize::from(slot.header.parts());
        } else {
            self.missing -= 1;
        }
        self.slots.push(*slot);
        if self.missing > 0 {
            return Ok(None);
        }
        match Operation::of_slots(&self.slots) {
            Some(operation) => Ok(Some(operation)),
            None => {
                let kinds: Vec<u16> = self.slots.iter().map(|slot| slot.header.kind).collect();
                Err(ShippingError::BadRecord {
                    what: format!("slots of the kinds {kinds:x?} are no operation"),
                    record: format!("{:?}", self.slots[0].header),
                })
            }
        }
    }

    /// Whether an operation has begun that is not complete.
    pub fn is_open(&self) -> bool {
        self.missing > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(kind: RecordKind, parts: u8) -> Slot {
        let header = Header { kind: kind.with_parts(parts), mask: 1, ..Header::default() };
        Slot { header, lanes: [7; 32] }
    }

    #[test]
    fn parts_go_with_the_slot_before_them() {
        let mut assembler = Assembler::default();
        let alone = assembler.push(&slot(RecordKind::Fence, 0)).expect("good").expect("complete");
        assert_eq!((alone.kind(), alone.turns()), (RecordKind::Fence, None));
        assert_eq!(assembler.push(&slot(RecordKind::Access, 2)), Ok(None));
        assert_eq!(assembler.push(&slot(RecordKind::Turns, 0)), Ok(None));
        assert!(assembler.is_open());
        let whole = assembler.push(&slot(RecordKind::Values, 0)).expect("good").expect("complete");
        assert_eq!(whole.turns(), Some(&[7; 32]));
        assert_eq!(whole.parts(RecordKind::Values).count(), 1);
        assert!(!assembler.is_open());
    }

    #[test]
    fn slots_that_do_not_belong_together_are_refused() {
        let mut assembler = Assembler::default();
        assert!(assembler.push(&slot(RecordKind::Turns, 0)).is_err(), "a part alone");
        assert_eq!(assembler.push(&slot(RecordKind::Access, 1)), Ok(None));
        assert!(assembler.push(&slot(RecordKind::Fence, 0)).is_err(), "no part");
        let unknown = Slot { header: Header { kind: 0x7F, ..Header::default() }, lanes: [0; 32] };
        assert!(assembler.push(&unknown).is_err());
    }
}
