//! What is told about loads, stores and atomics.

use super::super::places::Target;
use super::super::{Core, Running, bits};
use super::Common;
use super::lanes::part_value;
use crate::block::BlockInfo;
use crate::lanes::Rows;
use crate::program::{AccessForm, NO_ROW};
use crate::warp::{Warp, lanes};
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_model::{BlockIndex, Space, Strength};

/// What an event says about an access besides its lanes and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told<'v> {
    pub(crate) kind: AccessKind,
    pub(crate) strength: Strength,
    pub(crate) bytes: u32,
    pub(crate) elements: usize,
    pub(crate) wrote: u32,
    /// By active lane; see [`Access::values`].
    pub(crate) values: &'v [u64],
    /// Words in `values` for each lane.
    pub(crate) words: usize,
    pub(crate) read_only_path: bool,
}

impl Core<'_> {
    /// Values of strong loads, where somebody wants them.
    pub(super) fn loaded_values(&self, rows: Rows, form: &AccessForm, mask: u32) -> Vec<u64> {
        let mut values = Vec::new();
        if form.strength == Strength::Weak || !self.trace.wants_observations() {
            return values;
        }
        for lane in lanes(mask) {
            for part in &form.parts {
                let value = match part.row {
                    NO_ROW => 0,
                    // SAFETY: the parts are rows of the program.
                    _ => unsafe { part_value(rows, *part, lane) },
                };
                let value = value & bytes_of_ones(form.bytes);
                values.push(value as u64);
                if form.bytes == 16 {
                    values.push((value >> 64) as u64);
                }
            }
        }
        values
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(always)]
    pub(in crate::exec) fn tell_common(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        found: &[u64; 32],
        common: &Common,
        told: &Told<'_>,
    ) {
        if !self.trace.wants_accesses() {
            self.trace.accesses += u64::from(mask.count_ones());
            return;
        }
        let lanes = Lanes { mask, space: common.space, owner: block.index };
        let size = u64::from(told.bytes) * told.elements as u64;
        let form = match (common.uniform, common.dense && running.mask == u32::MAX) {
            (true, _) => Some(LaneAddresses::Uniform(found[0])),
            (_, true) => Some(LaneAddresses::Strided { first: found[0], stride: size }),
            _ => None,
        };
        self.tell_lanes(block, warp, running, &lanes, found, form, told);
    }

    /// Tells the sink. Lanes of one instruction may be in different memories at once.
    pub(crate) fn tell(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        targets: &[Target; 32],
        told: &Told<'_>,
    ) {
        let mut left = mask;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let Some((space, owner, _)) = targets[first].told(block.index) else {
                left &= left - 1;
                continue;
            };
            let same = |lane: usize| {
                let place = targets[lane].told(block.index);
                place.is_some_and(|(other, its, _)| other == space && its == owner)
            };
            let here = bits(left, same);
            left &= !here;
            if !self.trace.wants_accesses() {
                self.trace.accesses += u64::from(here.count_ones());
                continue;
            }
            let place = |lane: usize| targets[lane].told(block.index).map_or(0, |told| told.2);
            let addresses: [u64; 32] = std::array::from_fn(place);
            let mut own_values = Vec::new();
            let values = if here == mask || told.values.is_empty() {
                told.values
            } else {
                for (rank, lane) in lanes(mask).enumerate() {
                    if here >> lane & 1 == 1 {
                        let first = rank * told.words;
                        own_values.extend_from_slice(&told.values[first..first + told.words]);
                    }
                }
                &own_values
            };
            let told = Told { values, ..*told };
            let lanes = Lanes { mask: here, space, owner };
            self.tell_lanes(block, warp, running, &lanes, &addresses, None, &told);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(never)]
    fn tell_lanes(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lanes: &Lanes,
        addresses: &[u64; 32],
        form: Option<LaneAddresses<'static>>,
        told: &Told<'_>,
    ) {
        let access = Access {
            block: block.index,
            warp: warp.index,
            site: running.site,
            mask: lanes.mask,
            wrote: told.wrote & lanes.mask,
            space: lanes.space,
            owner: lanes.owner,
            kind: told.kind,
            strength: told.strength,
            bytes: told.bytes as u8,
            elements: told.elements as u8,
            addresses: LaneAddresses::Uniform(0),
            values: told.values,
            versions: &[],
            read_only_path: told.read_only_path,
        };
        self.trace.access(access, addresses, form);
    }
}

/// The lanes of an access that are in one memory.
struct Lanes {
    mask: u32,
    space: Space,
    owner: BlockIndex,
}

pub(super) fn told_load<'v>(form: &AccessForm, values: &'v [u64]) -> Told<'v> {
    Told {
        kind: AccessKind::Read,
        strength: form.strength,
        bytes: form.bytes,
        elements: form.parts.len(),
        wrote: 0,
        values,
        words: form.parts.len() * form.bytes.div_ceil(8) as usize,
        read_only_path: form.read_only_path,
    }
}

/// What a store writes, for events.
pub(super) fn stored_values(rows: Rows, form: &AccessForm, mask: u32) -> Vec<u64> {
    let mut values = Vec::with_capacity(form.parts.len() * 32);
    for lane in lanes(mask) {
        for part in &form.parts {
            // SAFETY: the part is an operand of the program.
            let value = unsafe { part_value(rows, *part, lane) };
            let value = value & bytes_of_ones(form.bytes);
            values.push(value as u64);
            if form.bytes == 16 {
                values.push((value >> 64) as u64);
            }
        }
    }
    values
}

fn bytes_of_ones(bytes: u32) -> u128 {
    u128::MAX >> (128 - bytes * 8)
}
