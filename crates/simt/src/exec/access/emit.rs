//! Events of loads, stores and atomics.

use super::common::Common;
use super::lanes::part_value;
use crate::block::BlockInfo;
use crate::exec::core::{Core, Running};
use crate::lanes::{Lane, Rows, each_lane};
use crate::program::{AccessForm, NO_ROW};
use crate::target::Target;
use crate::warp::{Warp, bits, lanes};
use warpsan_event::{Access, AccessKind, LaneAddresses, only_active};
use warpsan_model::{BlockIndex, Space, Strength};

/// What an event says about an access besides its lanes and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccessDetails<'v> {
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
    /// Elements of the instruction behind these, which nobody asked for.
    pub(crate) unread: usize,
}

impl Core<'_> {
    /// A load of lanes that are all in one memory.
    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(always)]
    pub(super) fn emit_common_load(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        found: &[u64; 32],
        common: &Common,
        form: &AccessForm,
    ) {
        if !self.trace.wants_accesses() {
            self.trace.accesses += u64::from(mask.count_ones());
        } else if form.strength == Strength::Weak || !self.trace.wants_observations() {
            self.push_common(block, warp, running, mask, found, common, &load_details(form, &[]));
        } else {
            let values = self.loaded_values(running.rows, form, mask);
            self.emit_common(
                block,
                warp,
                running,
                mask,
                found,
                common,
                &load_details(form, &values),
            );
        }
    }

    /// A store of lanes that are all in one memory.
    #[inline(always)]
    pub(super) fn emit_common_store(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        found: &[u64; 32],
        common: &Common,
        form: &AccessForm,
    ) {
        if self.trace.wants_accesses() {
            self.emit_wanted_store(block, warp, running, found, common, form);
        } else {
            self.trace.accesses += u64::from(running.mask.count_ones());
        }
    }

    #[inline(always)]
    fn emit_wanted_store(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        found: &[u64; 32],
        common: &Common,
        form: &AccessForm,
    ) {
        let Running { mask, rows, .. } = *running;
        let mut active;
        if !self.trace.wants_values() {
            let details = store_details(form, mask, &[]);
            self.push_common(block, warp, running, mask, found, common, &details);
        } else if let Some(values) = narrow_values(rows, form) {
            // Most stores: one element of at most eight bytes, whose words need no memory.
            let values = match mask {
                u32::MAX => &values[..],
                _ => {
                    active = [0; 32];
                    only_active(mask, &values, &mut active)
                }
            };
            let details = store_details(form, mask, values);
            self.push_common(block, warp, running, mask, found, common, &details);
        } else {
            let values = self.stored_values(rows, form, mask);
            let details = store_details(form, mask, &values);
            self.emit_common(block, warp, running, mask, found, common, &details);
        }
    }

    /// Values of strong loads, where somebody wants them.
    pub(super) fn loaded_values(&self, rows: Rows, form: &AccessForm, mask: u32) -> Vec<u64> {
        if form.strength == Strength::Weak || !self.trace.wants_observations() {
            return Vec::new();
        }
        values_of_parts(rows, form, mask)
    }

    /// What a store writes, where somebody wants to know.
    pub(super) fn stored_values(&self, rows: Rows, form: &AccessForm, mask: u32) -> Vec<u64> {
        match self.trace.wants_values() {
            true => values_of_parts(rows, form, mask),
            false => Vec::new(),
        }
    }

    /// An access of lanes that are all in one memory.
    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(always)]
    pub(crate) fn emit_common(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        found: &[u64; 32],
        common: &Common,
        details: &AccessDetails<'_>,
    ) {
        if !self.trace.wants_accesses() {
            self.trace.accesses += u64::from(mask.count_ones());
            return;
        }
        self.emit_wanted(block, warp, running, mask, found, common, details);
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(never)]
    fn emit_wanted(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        found: &[u64; 32],
        common: &Common,
        details: &AccessDetails<'_>,
    ) {
        self.push_common(block, warp, running, mask, found, common, details);
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(always)]
    fn push_common(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        found: &[u64; 32],
        common: &Common,
        details: &AccessDetails<'_>,
    ) {
        let lanes = Lanes { mask, space: common.space, owner: block.index };
        let size = u64::from(details.bytes) * (details.elements + details.unread) as u64;
        let form = match (common.uniform, common.dense && running.mask == u32::MAX) {
            (true, _) => Some(LaneAddresses::Uniform(found[0])),
            (_, true) => Some(LaneAddresses::Strided { first: found[0], stride: size }),
            _ => None,
        };
        let access = access(block, warp, running, &lanes, details);
        self.trace.access(access, found, form);
    }

    /// Emits an access. Lanes of one instruction may be in different memories at once.
    pub(crate) fn emit(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        targets: &[Target; 32],
        details: &AccessDetails<'_>,
    ) {
        let mut left = mask;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let Some((space, owner, _)) = targets[first].location(block.index) else {
                left &= left - 1;
                continue;
            };
            let same = |lane: usize| {
                let place = targets[lane].location(block.index);
                place.is_some_and(|(other, its, _)| other == space && its == owner)
            };
            let here = bits(left, same);
            left &= !here;
            if !self.trace.wants_accesses() {
                self.trace.accesses += u64::from(here.count_ones());
                continue;
            }
            let place =
                |lane: usize| targets[lane].location(block.index).map_or(0, |location| location.2);
            let addresses: [u64; 32] = std::array::from_fn(place);
            let mut own_values = Vec::new();
            let values = if here == mask || details.values.is_empty() {
                details.values
            } else {
                for (rank, lane) in lanes(mask).enumerate() {
                    if here >> lane & 1 == 1 {
                        let first = rank * details.words;
                        own_values.extend_from_slice(&details.values[first..first + details.words]);
                    }
                }
                &own_values
            };
            let details = AccessDetails { values, ..*details };
            let lanes = Lanes { mask: here, space, owner };
            let access = access(block, warp, running, &lanes, &details);
            self.trace.access(access, &addresses, None);
        }
    }
}

/// The lanes of an access that are in one memory.
struct Lanes {
    mask: u32,
    space: Space,
    owner: BlockIndex,
}

pub(super) fn load_details<'v>(form: &AccessForm, values: &'v [u64]) -> AccessDetails<'v> {
    AccessDetails {
        kind: AccessKind::Read,
        strength: form.strength,
        bytes: form.bytes,
        elements: usize::from(form.read),
        wrote: 0,
        values,
        words: form.parts.len() * form.bytes.div_ceil(8) as usize,
        read_only_path: form.read_only_path,
        unread: form.parts.len() - usize::from(form.read),
    }
}

pub(super) fn store_details<'v>(
    form: &AccessForm,
    mask: u32,
    values: &'v [u64],
) -> AccessDetails<'v> {
    AccessDetails {
        kind: AccessKind::Write,
        strength: form.strength,
        bytes: form.bytes,
        elements: form.parts.len(),
        wrote: mask,
        values,
        words: form.parts.len() * form.bytes.div_ceil(8) as usize,
        read_only_path: false,
        unread: 0,
    }
}

/// All but the addresses, which are still to be filled in.
#[inline(always)]
fn access<'v>(
    block: &BlockInfo,
    warp: &Warp,
    running: &Running,
    lanes: &Lanes,
    details: &AccessDetails<'v>,
) -> Access<'v> {
    Access {
        block: block.index,
        warp: warp.index,
        site: running.site,
        mask: lanes.mask,
        wrote: details.wrote & lanes.mask,
        space: lanes.space,
        owner: lanes.owner,
        kind: details.kind,
        strength: details.strength,
        bytes: details.bytes as u8,
        elements: details.elements as u8,
        addresses: LaneAddresses::Uniform(0),
        values: details.values,
        versions: &[],
        read_only_path: details.read_only_path,
    }
}

/// The value of each lane, active or not, if the lanes have one each that fits into a word.
#[inline(always)]
fn narrow_values(rows: Rows, form: &AccessForm) -> Option<[u64; 32]> {
    let [part] = form.parts[..] else { return None };
    let ones = bytes_of_ones(form.bytes) as u64;
    // SAFETY: the part is an operand of the program.
    unsafe {
        match (part.row, part.rows) {
            (NO_ROW, _) => None,
            (row, 1) => {
                let row = rows.source(row);
                Some(each_lane(|lane| u64::from(u32::get(row, lane)) & ones))
            }
            (row, 2) if form.bytes <= 8 => {
                let row = rows.source(row);
                Some(each_lane(|lane| u64::get(row, lane) & ones))
            }
            _ => None,
        }
    }
}

/// The values of the active lanes, of every part in turn.
fn values_of_parts(rows: Rows, form: &AccessForm, mask: u32) -> Vec<u64> {
    let mut values = Vec::with_capacity(form.parts.len() * 32);
    for lane in lanes(mask) {
        for part in &form.parts {
            let value = match part.row {
                NO_ROW => 0,
                // SAFETY: the part is an operand of the program.
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

fn bytes_of_ones(bytes: u32) -> u128 {
    u128::MAX >> (128 - bytes * 8)
}
