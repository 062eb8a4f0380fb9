//! Loads and stores.

pub(super) mod common;
pub(super) mod emit;
mod lanes;

use self::common::Common;
use self::emit::{load_details, store_details};
use self::lanes::{extend, gather, part_value, scatter, set_all, set_part, store_rows};
use super::addressing::{Attempt, addresses};
use super::core::{Core, Running};
use crate::block::BlockInfo;
use crate::lanes::each_lane;
use crate::outcome::Fault;
use crate::program::{AccessForm, NO_ROW};
use crate::target::Target;
use crate::warp::{Warp, bits, lanes};
use warpsan_ir::MemorySpace;
use warpsan_model::Space;

impl Core<'_> {
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        number: u32,
    ) -> Result<(), Fault> {
        let program = self.program;
        let form = &program.accesses[number as usize];
        let Running { mask, rows, .. } = *running;
        if self.load_rows(warp, running, form) {
            return Ok(());
        }
        // SAFETY: the operands are those of the program.
        let found = unsafe { addresses(rows, &form.address, mask) };
        if let Some(common) = self.common(block, form, &found, number) {
            // SAFETY: all addresses were found to be inside of memory that `base` leads to.
            unsafe { gather(rows, form, mask, &found, &common) };
            let counts = form.counts_if.lanes(&warp.predicates[running.predicates..]) & mask;
            if counts != 0 {
                self.emit_common_load(block, warp, running, counts, &found, &common, form);
            }
            return Ok(());
        }
        self.load_one_by_one(block, warp, running, form, &found)
    }

    /// Loads whose address is the same for all lanes and whose memory is in rows: parameters and
    /// local memory.
    #[inline(always)]
    fn load_rows(&self, warp: &Warp, running: &Running, form: &AccessForm) -> bool {
        let Running { mask, rows, .. } = *running;
        let space = form.address.space;
        if !matches!(space, MemorySpace::Param | MemorySpace::Local | MemorySpace::Frame) {
            return false;
        }
        // SAFETY: the operands are those of the program.
        let found = unsafe { addresses(rows, &form.address, mask) };
        let bytes = u64::from(form.bytes);
        let size = form.size();
        let first = found[0];
        if found.iter().any(|address| *address != first) || first & (size - 1) != 0 {
            return false;
        }
        match space {
            MemorySpace::Param => {
                let all = self.launch.parameters;
                let end = (first as usize).saturating_add(size as usize);
                let Some(source) = all.get(first as usize..end) else { return false };
                for (element, part) in form.parts.iter().enumerate() {
                    let bytes = form.bytes as usize;
                    let mut value = [0u8; 16];
                    value[..bytes].copy_from_slice(&source[element * bytes..(element + 1) * bytes]);
                    let value = extend(u128::from_le_bytes(value), form);
                    // SAFETY: the part is a register of the program.
                    unsafe { set_all(rows, *part, mask, value) };
                }
            }
            _ => {
                let base = if space == MemorySpace::Frame { running.local } else { 0 };
                let first = first.wrapping_add(base);
                if bytes < 4 || first.saturating_add(size) > warp.local.len() as u64 * 4 {
                    return false;
                }
                let word = first as usize / 4;
                for (element, part) in form.parts.iter().enumerate() {
                    let at = word + element * form.bytes as usize / 4;
                    if part.row == NO_ROW {
                        continue;
                    }
                    // SAFETY: the part is a register of the program.
                    unsafe {
                        match (bytes, part.rows) {
                            (4, 1) => rows.write(part.row, mask, &warp.local[at].0),
                            (8, 2) => {
                                let (low, high) = (&warp.local[at].0, &warp.local[at + 1].0);
                                let joined = each_lane(|lane| {
                                    u64::from(low[lane]) | u64::from(high[lane]) << 32
                                });
                                rows.write(part.row, mask, &joined);
                            }
                            _ => return false,
                        }
                    }
                }
            }
        }
        true
    }

    #[inline(never)]
    fn load_one_by_one(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        form: &AccessForm,
        found: &[u64; 32],
    ) -> Result<(), Fault> {
        let Running { mask, rows, .. } = *running;
        let bytes = u64::from(form.bytes);
        let targets = self.targets(block, warp, running, found, Attempt::by(form, "reads"))?;
        for (element, part) in form.parts.iter().enumerate() {
            if part.row == NO_ROW {
                continue;
            }
            let mut values = [0u128; 32];
            for lane in lanes(mask) {
                let target = targets[lane].behind(element as u64 * bytes);
                values[lane] = extend(self.peek(warp, lane, target, bytes), form);
            }
            // SAFETY: the part is a register of the program.
            unsafe { set_part(rows, *part, mask, &values) };
        }
        let counts = form.counts_if.lanes(&warp.predicates[running.predicates..]) & mask;
        let values = self.loaded_values(rows, form, counts);
        let details = load_details(form, &values);
        self.look_for_strays(block, warp, running, counts, &targets, form.size(), details.kind);
        self.emit(block, warp, running, counts, &targets, &details);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn store(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        number: u32,
    ) -> Result<(), Fault> {
        let program = self.program;
        let form = &program.accesses[number as usize];
        let Running { mask, rows, .. } = *running;
        self.writes += 1;
        // SAFETY: the operands are those of the program.
        let found = unsafe { addresses(rows, &form.address, mask) };
        if store_rows(warp, running, form, &found) {
            return Ok(());
        }
        if let Some(common) = self.common(block, form, &found, number) {
            if self.notes.are_taken() {
                self.note_writes(mask, &found, form.size(), &common);
                self.look_for_lane_conflicts(block, warp, running, &found, &common, form);
            }
            // SAFETY: all addresses were found to be inside of memory that `base` leads to.
            unsafe { scatter(rows, form, mask, &found, &common) };
            self.emit_common_store(block, warp, running, &found, &common, form);
            return Ok(());
        }
        self.store_one_by_one(block, warp, running, form, &found)
    }

    /// Notes what a store or an atomic is about to change.
    #[inline(always)]
    pub(super) fn note_writes(&mut self, mask: u32, found: &[u64; 32], size: u64, common: &Common) {
        let notes = &mut self.notes;
        let mut note = |address: u64, bytes: u64| {
            // SAFETY: all addresses were found to be inside of memory that `base` leads to.
            unsafe {
                match common.space {
                    Space::Shared => notes.shared(address, bytes, common.base),
                    _ => notes.global(address, bytes, common.base.wrapping_add(address as usize)),
                }
            }
        };
        if common.uniform {
            note(found[0], size);
        } else if common.dense && mask == u32::MAX {
            note(found[0], size * 32);
        } else {
            for lane in lanes(mask) {
                note(found[lane], size);
            }
        }
    }

    /// Looks whether lanes write different values to one place, where somebody wants to know.
    #[inline(always)]
    fn look_for_lane_conflicts(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        found: &[u64; 32],
        common: &Common,
        form: &AccessForm,
    ) {
        let is_possible = !(common.dense || running.mask.is_power_of_two());
        let Some(conflicts) = self.lane_conflicts.as_mut().filter(|_| is_possible) else { return };
        let who = (block.index, warp.index, running.site);
        let same = |one, other| store_the_same(running, form, one, other);
        conflicts.look_at(who, running.mask, common.space, found, form.size(), same);
    }

    /// The same for lanes that may be in different memories.
    fn look_for_conflicts_among(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        targets: &[Target; 32],
        form: &AccessForm,
    ) {
        let Some(conflicts) = &mut self.lane_conflicts else { return };
        let who = (block.index, warp.index, running.site);
        let location = |lane: usize| targets[lane].location(block.index);
        for space in [Space::Shared, Space::Global] {
            let is_there = |lane: usize| location(lane).is_some_and(|(of, ..)| of == space);
            let mask = bits(running.mask, is_there);
            let addresses = std::array::from_fn(|lane| location(lane).map_or(0, |(.., at)| at));
            let same = |one, other| store_the_same(running, form, one, other);
            conflicts.look_at(who, mask, space, &addresses, form.size(), same);
        }
    }

    #[inline(never)]
    fn store_one_by_one(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        form: &AccessForm,
        found: &[u64; 32],
    ) -> Result<(), Fault> {
        let Running { mask, rows, .. } = *running;
        let bytes = u64::from(form.bytes);
        let targets = self.targets(block, warp, running, found, Attempt::by(form, "writes"))?;
        self.look_for_conflicts_among(block, warp, running, &targets, form);
        for lane in lanes(mask) {
            for (element, part) in form.parts.iter().enumerate() {
                // SAFETY: the part is an operand of the program.
                let value = unsafe { part_value(rows, *part, lane) };
                let target = targets[lane].behind(element as u64 * bytes);
                self.poke(warp, lane, target, bytes, value);
            }
        }
        let values = self.stored_values(rows, form, mask);
        let details = store_details(form, mask, &values);
        self.look_for_strays(block, warp, running, mask, &targets, form.size(), details.kind);
        self.emit(block, warp, running, mask, &targets, &details);
        Ok(())
    }
}

/// Whether two lanes store the same value.
fn store_the_same(running: &Running, form: &AccessForm, one: usize, other: usize) -> bool {
    let value = |lane: usize| {
        // SAFETY: the parts are operands of the program.
        form.parts.iter().map(move |part| unsafe { part_value(running.rows, *part, lane) })
    };
    value(one).eq(value(other))
}
