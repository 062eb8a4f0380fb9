//! Accesses, uses of `mbarrier` objects and copies.

use super::{Decoder, Origin, listed, strength};
use crate::EventBuffer;
use crate::trace::bytes::{Cursor, Fault, fault};
use crate::trace::items;
use crate::trace::memory::{Shape, Wrote};
use crate::trace::words::words;
use crate::vocabulary::{Access, CopyBegin, CopySide, Event, LaneAddresses, MbarrierAccess};
use warpsan_model::{Space, WARP_LANES, lanes};

/// More shared memory than a block of any device has, and more bytes than a lane can copy at once.
const MOST_SHARED_BYTES: u64 = 1 << 20;
/// The largest element: two words.
const MOST_ELEMENT_BYTES: u8 = 16;
/// The most neighbouring elements of a lane.
const MOST_ELEMENTS: u8 = 16;

/// The short form of addresses; [`Form::Listed`] has them in a list.
#[derive(Debug, Clone, Copy)]
enum Form {
    Uniform(u64),
    Strided { first: u64, stride: u64 },
    Listed,
}

impl Form {
    fn addresses(self, list: &[u64]) -> LaneAddresses<'_> {
        match self {
            Form::Uniform(address) => LaneAddresses::Uniform(address),
            Form::Strided { first, stride } => LaneAddresses::Strided { first, stride },
            Form::Listed => LaneAddresses::PerLane(list),
        }
    }
}

impl Decoder {
    pub(super) fn access(
        &mut self,
        first: u8,
        cursor: &mut Cursor<'_>,
        buffer: &mut EventBuffer,
    ) -> Result<(), Fault> {
        let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
        let last = self.memory.last_access(site.0);
        let shape = if first & items::SAME_SHAPE == 0 {
            Shape::of_number(cursor.number()?)
        } else {
            last.map(|last| last.shape)
        };
        let Some(shape) = shape else { return fault("an access without a shape") };
        let wrote = match shape.wrote {
            Wrote::Nobody => 0,
            Wrote::All => mask,
            Wrote::Listed => cursor.number32()?,
        };
        if wrote & !mask != 0 {
            return fault("lanes wrote that did not access anything");
        }
        let (bytes, elements) = (shape.bytes, shape.elements);
        if !(1..=MOST_ELEMENT_BYTES).contains(&bytes) || !(1..=MOST_ELEMENTS).contains(&elements) {
            return Err(Fault(format!("an access to {elements} elements of {bytes} bytes")));
        }
        let owner = if shape.own_memory { block } else { self.owner(cursor)? };
        let from = last.map_or(self.memory.address, |last| last.address);
        let (bits, form, address) = addresses(cursor, mask, from, &mut self.lists[0])?;
        let bytes_of_lane = u64::from(bytes) * u64::from(elements);
        check_addresses(shape.space, mask, bytes_of_lane, form.addresses(&self.lists[0]))?;
        self.memory.remember(site.0, shape, address);
        for list in [1, 2] {
            self.lists[list].clear();
            if bits & list as u8 != 0 {
                words(cursor, 0, &mut self.lists[list])?;
            }
        }
        let [lanes, values, versions] = &self.lists;
        buffer.push(Event::Access(Access {
            block,
            warp,
            site,
            mask,
            wrote,
            space: shape.space,
            owner,
            kind: shape.kind,
            strength: shape.strength,
            bytes: shape.bytes,
            elements: shape.elements,
            addresses: form.addresses(lanes),
            values,
            versions,
            read_only_path: shape.read_only_path,
        }));
        Ok(())
    }

    pub(super) fn mbarrier(
        &mut self,
        first: u8,
        cursor: &mut Cursor<'_>,
    ) -> Result<MbarrierAccess, Fault> {
        if first & items::ALL_LANES == 0 {
            return fault("a mask where a lane should be");
        }
        if first & items::SAME_WARP == 0 {
            self.block(cursor)?;
            self.memory.warp = cursor.number32()?;
        }
        let block = self.check_block(self.memory.block)?;
        let site = self.site(cursor)?;
        let (warp, lane) = (self.memory.warp, cursor.number32()?);
        if lane >= WARP_LANES {
            return Err(Fault(format!("there is no lane {lane}")));
        }
        self.check_lanes(warp, 1 << lane)?;
        Ok(MbarrierAccess {
            block,
            warp,
            lane,
            site: self.check_site(site)?,
            step: listed(cursor)?,
            strength: strength(cursor)?,
            owner: self.owner(cursor)?,
            address: self.shared_address(cursor)?,
            phase: cursor.number()?,
        })
    }

    pub(super) fn copy_begin(
        &mut self,
        first: u8,
        cursor: &mut Cursor<'_>,
        buffer: &mut EventBuffer,
    ) -> Result<(), Fault> {
        let Origin { block, warp, mask, site } = self.origin(first, cursor)?;
        let bits = cursor.byte()?;
        let kind = listed(cursor)?;
        let number = self.copy(cursor)?;
        if number.checked_add(u64::from(WARP_LANES)).is_none() {
            return Err(Fault(format!("a copy with the number {number}")));
        }
        let from = if bits & 2 != 0 { Some(self.side(cursor, mask, 0)?) } else { None };
        let to = self.side(cursor, mask, 1)?;
        let [from_lanes, to_lanes, _] = &self.lists;
        buffer.push(Event::CopyBegin(CopyBegin {
            block,
            warp,
            mask,
            site,
            kind,
            first: number,
            from: from.map(|side| side.with(from_lanes)),
            to: to.with(to_lanes),
            reduces: bits & 1 != 0,
        }));
        Ok(())
    }

    fn side(&mut self, cursor: &mut Cursor<'_>, mask: u32, list: usize) -> Result<Side, Fault> {
        let space = listed(cursor)?;
        let owner = self.owner(cursor)?;
        let bytes = cursor.number32()?;
        let (_, form, address) =
            addresses(cursor, mask, self.memory.address, &mut self.lists[list])?;
        self.memory.address = address;
        if u64::from(bytes) > MOST_SHARED_BYTES {
            return Err(Fault(format!("a lane that copies {bytes} bytes at once")));
        }
        check_addresses(space, mask, u64::from(bytes), form.addresses(&self.lists[list]))?;
        Ok(Side {
            side: CopySide { space, owner, addresses: LaneAddresses::Uniform(0), bytes },
            form,
        })
    }
}

/// One side of a copy whose addresses are elsewhere.
struct Side {
    side: CopySide<'static>,
    form: Form,
}

impl Side {
    fn with<'a>(self, list: &'a [u64]) -> CopySide<'a> {
        CopySide { addresses: self.form.addresses(list), ..self.side }
    }
}

/// Addresses of the lanes of a mask: two bits of the caller's, the form, and the address to measure
/// the next from.
fn addresses(
    cursor: &mut Cursor<'_>,
    mask: u32,
    from: u64,
    list: &mut Vec<u64>,
) -> Result<(u8, Form, u64), Fault> {
    let head = cursor.byte()?;
    let (bits, form) = (head & 3, head >> 2);
    list.clear();
    Ok(match form {
        0 => {
            let address = cursor.difference(from)?;
            (bits, Form::Uniform(address), address)
        }
        1 => {
            let first = cursor.difference(from)?;
            let stride = cursor.difference(0)?;
            (bits, Form::Strided { first, stride }, first)
        }
        2 => {
            words(cursor, from, list)?;
            if list.len() != mask.count_ones() as usize {
                return fault("a list of addresses that does not fit its lanes");
            }
            (bits, Form::Listed, list.first().copied().unwrap_or(from))
        }
        _ => return fault("addresses have no known form"),
    })
}

/// All that lanes access has to be in memory: shared memory ends somewhere, and nothing is behind the last address.
fn check_addresses(
    space: Space,
    mask: u32,
    bytes: u64,
    addresses: LaneAddresses<'_>,
) -> Result<(), Fault> {
    let end = match space {
        Space::Shared => MOST_SHARED_BYTES,
        Space::Global | Space::Local | Space::Const | Space::Param => u64::MAX,
    };
    let last = end.saturating_sub(bytes);
    let outside = match addresses {
        LaneAddresses::Uniform(address) => Some(address).filter(|address| *address > last),
        LaneAddresses::Strided { first, stride } => {
            // Between the lowest and the highest lane the addresses only grow, or only fall. Lane 0 need not be active,
            // and `first` may be in front of all addresses.
            let lowest = mask.trailing_zeros();
            let distance = (u32::BITS - mask.leading_zeros()).saturating_sub(lowest + 1);
            let start = first.wrapping_add(stride.wrapping_mul(u64::from(lowest)));
            let reached = i128::from(start) + i128::from(stride as i64) * i128::from(distance);
            let is_inside = start <= last && (0..=i128::from(last)).contains(&reached);
            (!is_inside && mask != 0).then_some(if start > last { start } else { reached as u64 })
        }
        LaneAddresses::PerLane(list) => list.iter().copied().find(|address| *address > last),
    };
    debug_assert!(
        outside.is_some() || addresses.of(mask).all(|(_, address)| address <= last),
        "{addresses:?} of {} lanes",
        lanes(mask).count()
    );
    match (outside, space) {
        (None, _) => Ok(()),
        (Some(address), Space::Shared) => outside_of_shared(address),
        (Some(address), _) => {
            Err(Fault(format!("an access to {bytes} bytes at {address:#x}, past the last address")))
        }
    }
}

/// Shared memory ends somewhere.
pub(super) fn check_shared_address(address: u64) -> Result<(), Fault> {
    if address < MOST_SHARED_BYTES { Ok(()) } else { outside_of_shared(address) }
}

#[cold]
fn outside_of_shared(address: u64) -> Result<(), Fault> {
    Err(Fault(format!("an access to shared memory at {address:#x}, where no device has any")))
}
