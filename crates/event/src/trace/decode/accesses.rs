//! Accesses, uses of `mbarrier` objects and copies.

use super::{Decoder, Origin, listed, strength};
use crate::EventBuffer;
use crate::trace::bytes::{Cursor, Fault, fault};
use crate::trace::items;
use crate::trace::memory::{Shape, Wrote};
use crate::trace::words::words;
use crate::vocabulary::{Access, CopyBegin, CopySide, Event, LaneAddresses, MbarrierAccess};
use warpsan_model::WARP_LANES;

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
        let owner = if shape.own_memory { block } else { self.owner(cursor)? };
        let from = last.map_or(self.memory.address, |last| last.address);
        let (bits, form, address) = addresses(cursor, mask, from, &mut self.lists[0])?;
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
            address: self.address(cursor)?,
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
