//! hb on the device: one instruction, with the check of its access by entries of lines (`device/hb_lines.h`).
//!
//! [`kernels`] says which kernels this is for; others are refused, and shipped to the host. An access of global memory whose lanes are
//! expected side by side is checked as whole lines, by one lane for each. Loads of shared memory that share no interval with a store are not
//! checked.

pub(crate) mod batch;
pub(crate) mod branches;
mod collected;
mod copies;
pub(crate) mod expected;
mod kernels;
pub(crate) mod layout;
mod matrices;
mod owners;
mod spans;

use crate::accesses::{condition_of, shared_address};
use crate::body::Body;
use crate::calls;
use crate::checks::Access;
use crate::instrumented::CheckedAccess;
use crate::meaning::{access_of, base_of, is_jump, is_narrow, strength_of, what_matters};
use crate::operands::{Based, Rewritten};
use crate::refusal::{InstructionRefusal, Refusal};
use crate::shipping::values::bring_values;
use expected::{Expected, Waiting, may_be_of_lines, space_of};
use kernels::beyond_entries;
pub(crate) use kernels::{are_checks_called, has_copies, uses_of, volatile_of};
use layout::hows;
use std::fmt::Write;
use warpsan_ir::{Instruction as Lowered, MemorySpace, Op};
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

/// Writes what stands at the beginning of a kernel or function.
pub(crate) fn begin(body: &mut Body<'_, '_>) {
    batch::declare(body);
    collected::begin(body);
    if !body.surroundings.is_kernel {
        return;
    }
    expand(body, "ws_hb_begin", 0, &[]);
    if body.writer.uses.entries.shared.is_some() {
        let inputs = shifts(body);
        let begin = if has_slot(body) { "ws_hb_begin_slot" } else { "ws_hb_begin_shared" };
        expand(body, begin, 0, &inputs);
    }
    copies::begin(body);
}

/// How fine the entries of shared memory are, for checks that ask.
fn shifts(body: &Body<'_, '_>) -> Vec<(&'static str, String)> {
    let shared = body.writer.uses.entries.shared;
    let of_shared = |shared: layout::SharedEntries| {
        let in_slot = if shared.in_slot { layout::IN_SLOT } else { 0 };
        let entry = (shared.entry_shift | in_slot).to_string();
        vec![("granule_shift", shared.granule_shift.to_string()), ("entry_shift", entry)]
    };
    shared.map(of_shared).unwrap_or_default()
}

/// Whether entries of shared memory are in a slot of global memory.
fn has_slot(body: &Body<'_, '_>) -> bool {
    body.writer.uses.entries.shared.is_some_and(|shared| shared.in_slot)
}

/// Whether anything is done about an operation.
fn matters(op: &Op) -> bool {
    matches!(op, Op::BlockBarrier { .. } | Op::WarpBarrier { .. } | Op::Fence { .. } | Op::Async(_))
        || space_of(op).is_some()
        || beyond_entries(op).is_some()
}

/// Writes an instruction of a kernel or function.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    meaning: &[Lowered],
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Some(lowered) = what_matters(meaning, matters) else {
        if is_jump(instruction) {
            if !body.batch.is_in_branch() {
                batch::flush_block(body);
            }
            body.checked.forget();
        }
        if meaning.iter().any(|one| matches!(one.op, Op::Exit | Op::Return)) {
            leave(body, Some(instruction));
        }
        body.plain(instruction, rewritten);
        body.checked.written(instruction);
        return Ok(());
    };
    let refuse = |reason| Err(Refusal::because_of(instruction, reason));
    if let Some(what) = beyond_entries(&lowered.op) {
        return refuse(InstructionRefusal::BeyondEntries(what));
    }
    match &lowered.op {
        Op::Opaque(_) => return refuse(InstructionRefusal::UnknownMeaning),
        Op::Call(call) => {
            batch::flush(body);
            collected::check(body);
            body.checked.forget();
            return calls::write(body, instruction, &call.callee, rewritten);
        }
        // With atomics of shared memory, a fence makes patterns that release and acquire.
        Op::Fence { .. } if has_updates(body) => {
            return refuse(InstructionRefusal::BeyondEntries("fences beside atomics"));
        }
        Op::BlockBarrier { .. } | Op::WarpBarrier { .. } | Op::Fence { .. } => {
            batch::flush(body);
            collected::check(body);
            body.checked.forget();
            body.plain(instruction, rewritten);
            let step = match lowered.op {
                Op::BlockBarrier { .. } if has_owners(body) => "ws_hb_block_barrier_of_owners",
                Op::BlockBarrier { .. } => "ws_hb_block_barrier",
                Op::WarpBarrier { .. } => match expected_of(body, instruction, lowered).tile {
                    Some(0) => return Ok(()),
                    Some(shift) if has_tiles(body, shift) => "ws_hb_tile_barrier",
                    _ if body.writer.uses.entries.tiles.is_some() => "ws_hb_warp_barrier_of_tiles",
                    _ => "ws_hb_warp_barrier",
                },
                _ => return Ok(()),
            };
            let inputs = if has_owners(body) { shifts(body) } else { Vec::new() };
            body.guarded(instruction, |body| expand(body, step, 0, &inputs));
        }
        Op::Matrix(matrix) => matrices::write(body, instruction, (lowered, matrix), rewritten)?,
        Op::Async(operation) => {
            copies::write(body, instruction, (lowered, operation), rewritten)?;
        }
        _ => access(body, instruction, lowered, rewritten)?,
    }
    body.checked.written(instruction);
    Ok(())
}

/// Writes the end of a thread: by an instruction, or behind the last one.
pub(crate) fn leave(body: &mut Body<'_, '_>, instruction: Option<&Instruction<'_>>) {
    collected::check(body);
    copies::leave(body, instruction);
    let give_back = |body: &mut Body<'_, '_>| expand(body, "ws_hb_leave_slot", 0, &[]);
    match instruction {
        _ if !has_slot(body) || !body.surroundings.is_kernel => {}
        Some(instruction) => body.guarded(instruction, give_back),
        None => give_back(body),
    }
}

/// Whether the kernel updates shared memory by atomics.
fn has_updates(body: &Body<'_, '_>) -> bool {
    body.writer.uses.entries.shared.is_some_and(|shared| shared.has_updates())
}

/// Whether the kernel has barriers of tiles of this size.
fn has_tiles(body: &Body<'_, '_>, shift: u32) -> bool {
    body.writer.uses.entries.tiles.is_some_and(|tiles| tiles.shift == shift)
}

/// Whether entries of shared memory say who stored last, and nothing else.
fn has_owners(body: &Body<'_, '_>) -> bool {
    body.writer.uses.entries.shared.is_some_and(|shared| shared.is_of_owners())
}

/// Writes an access with its check: in front of a store, and behind a load, so that nobody waits for one before the other.
fn access(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    collected::make_room_ahead(body, &expected_of(body, instruction, lowered));
    let is_behind = matches!(lowered.op, Op::Load { .. }) && lowered.counts_if.is_none();
    if !is_behind {
        check(body, instruction, lowered, rewritten)?;
        body.plain(instruction, rewritten);
        return Ok(());
    }
    // The load may change what its address is counted from.
    let place = rewritten.first_address()?;
    let narrow = base_of(&lowered.op).is_some_and(is_narrow);
    shared_address(body, place, narrow);
    body.plain(instruction, rewritten);
    check(body, instruction, lowered, rewritten)
}

/// What is expected of an instruction.
fn expected_of(body: &Body<'_, '_>, instruction: &Instruction<'_>, lowered: &Lowered) -> Expected {
    let at = body.by_place.get(&instruction.span.start).map_or(0, |range| {
        let code = &body.lowered.code[range.clone()];
        range.start + code.iter().rposition(|one| std::ptr::eq(one, lowered)).unwrap_or(0)
    });
    body.expected[at]
}

/// Writes the check of an access.
fn check(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Some((access, bytes)) = access_of(&lowered.op, true) else { return Ok(()) };
    let Some(space) = space_of(&lowered.op) else { return Ok(()) };
    let expected = expected_of(body, instruction, lowered);
    if expected.is_alone {
        body.writer.cost.pruned += 1;
        return Ok(());
    }
    collected::check_before(body, &lowered.op);
    let place = rewritten.first_address()?.clone();
    let read_only_path = matches!(lowered.op, Op::Load { read_only_path: true, .. });
    // What was written just before is not seen by the read-only path, and what is volatile is no weak access.
    let may_differ = body.writer.volatile != 0 && space == MemorySpace::Shared;
    let is_unlike_others = read_only_path || may_differ;
    if !is_unlike_others && body.checked.covers(&place, bytes, access) {
        body.writer.cost.pruned += 1;
        return Ok(());
    }
    let condition = condition_of(body, instruction, lowered)?;
    if instruction.guard.is_none() && condition.is_none() {
        body.checked.note(&place, bytes, access);
    }
    let strength = strength_of(&lowered.op).unwrap_or(Strength::Weak);
    let (of_whole_warp, stored) = (expected.of_whole_warp, expected.stored);
    let checked = CheckedAccess {
        read_only_path,
        of_whole_warp,
        stored,
        ..CheckedAccess::new(access, strength, bytes)
    };
    let site = body.site(instruction, lowered, checked);
    body.writer.cost.checked += 1;
    let found = Found { access, bytes, space, expected, site, place };
    let Some(condition) = condition else {
        found.check_somewhere(body, instruction, lowered);
        return Ok(());
    };
    body.guarded(instruction, |body| {
        body.writer.cost.speculated += 1;
        body.out.push_str(&condition);
        body.skipped_unless_it_counts(|body| found.expand(body, instruction, lowered));
    });
    Ok(())
}

/// An access that gets a check.
struct Found {
    access: Access,
    bytes: u32,
    space: MemorySpace,
    expected: Expected,
    site: u32,
    place: Based,
}

impl Found {
    /// Checks it with others of whole lines, or here.
    fn check_somewhere(
        &self,
        body: &mut Body<'_, '_>,
        instruction: &Instruction<'_>,
        lowered: &Lowered,
    ) {
        if !body.batch.is_in_branch() {
            self.flush_what_comes_before(body, lowered);
        }
        match self.may_wait(body) {
            true => {
                self.wait(body, instruction, lowered);
                let is_load = matches!(lowered.op, Op::Load { .. });
                if is_load && self.expected.is_last && !body.batch.is_in_branch() {
                    batch::flush_behind_load(body);
                }
            }
            false => body.guarded(instruction, |body| self.expand(body, instruction, lowered)),
        }
    }

    /// Checks what waits, if this access may not be checked before it, or if there is no room for one more.
    fn flush_what_comes_before(&self, body: &mut Body<'_, '_>, lowered: &Lowered) {
        let how = self.how(body, lowered);
        // Which of them comes first matters to the read-only path.
        let against = match how {
            _ if self.space == MemorySpace::Shared => 0,
            _ if how & (hows::WRITES | hows::UPDATES) != 0 => hows::BY_READ_ONLY_PATH,
            _ if how & hows::BY_READ_ONLY_PATH != 0 => hows::WRITES,
            _ => 0,
        };
        if !(body.batch.has(against) || (body.batch.is_full() && self.may_wait(body))) {
            return;
        }
        // The address of a load is there already, since the load may have changed what it is counted from.
        let is_load = matches!(lowered.op, Op::Load { .. });
        if is_load {
            body.out.push_str("\tmov.b64 %ws_held, %ws_address;\n");
        }
        batch::flush(body);
        if is_load {
            body.out.push_str("\tmov.b64 %ws_address, %ws_held;\n");
        }
    }

    fn is_update(&self) -> bool {
        matches!(self.access, Access::Atomic { .. })
    }

    /// Whether it can wait for its check.
    fn may_wait(&self, body: &Body<'_, '_>) -> bool {
        if self.is_update() {
            return false;
        }
        may_be_of_lines(self.space, self.bytes, self.expected.stride) || self.is_of_owner(body)
    }

    /// Whether it is a store of one granule of shared memory whose entries say who stored last alone.
    fn is_of_owner(&self, body: &Body<'_, '_>) -> bool {
        let shared = body.writer.uses.entries.shared.filter(|shared| shared.is_of_owners());
        let is_granule = shared.is_some_and(|shared| self.bytes == 1 << shared.granule_shift);
        self.space == MemorySpace::Shared && is_granule
    }

    /// Lets the access wait for its check.
    fn wait(&self, body: &mut Body<'_, '_>, instruction: &Instruction<'_>, lowered: &Lowered) {
        let how = self.how(body, lowered);
        let is_load = matches!(lowered.op, Op::Load { .. });
        let of_owner = self.is_of_owner(body);
        let waiting = Waiting {
            site: self.site,
            source: source_of(body, self.site),
            bytes: self.bytes,
            // Where lanes are side by side matters to lines of global memory.
            stride: if of_owner { None } else { self.expected.stride }
                .and_then(|stride| u32::try_from(stride).ok())
                .unwrap_or(0),
            base: self.place.base.clone(),
            offset: self.place.offset,
            how,
            value_bytes: 0,
            is_conditional: instruction.guard.is_some() || body.batch.is_in_branch(),
            is_in_loop: self.expected.is_in_loop,
            is_checked: false,
            of_owner,
            room: collected::room_ahead(body, &self.expected),
        };
        let is_conditional = waiting.is_conditional;
        let index = batch::add(body, waiting);
        if !is_load {
            let narrow = base_of(&lowered.op).is_some_and(is_narrow);
            shared_address(body, &self.place, narrow);
        }
        let _ = writeln!(body.out, "\tmov.b64 %ws_at_{index}, %ws_address;");
        if let Op::Store { from, ty, .. } = &lowered.op
            && from.len() == 1
            && bring_values(body, &lowered.op, instruction) == 1
        {
            let _ = writeln!(body.out, "\tmov.b64 %ws_kept_{index}, %ws_value_0;");
            body.batch.knows(index, ty.bytes());
        }
        if is_conditional {
            if !body.batch.is_in_branch() {
                let _ = writeln!(body.out, "\tmov.b32 %ws_wanted_{index}, 0;");
            }
            body.out.push('\t');
            body.guard(instruction);
            let _ = writeln!(body.out, "mov.b32 %ws_wanted_{index}, 1;");
        }
    }

    fn expand(&self, body: &mut Body<'_, '_>, instruction: &Instruction<'_>, lowered: &Lowered) {
        // That of a load is there already.
        if !matches!(lowered.op, Op::Load { .. }) || lowered.counts_if.is_some() {
            let narrow = base_of(&lowered.op).is_some_and(is_narrow);
            shared_address(body, &self.place, narrow);
        }
        let how = self.how(body, lowered);
        let mut inputs = vec![("how", how.to_string())];
        let mut value_bytes = 0;
        if let Op::Store { from, ty, .. } = &lowered.op
            && from.len() == 1
            && bring_values(body, &lowered.op, instruction) == 1
        {
            inputs.push(("value", "%ws_value_0".to_owned()));
            value_bytes = ty.bytes();
        }
        inputs.push(("value_bytes", value_bytes.to_string()));
        inputs.extend(shifts(body));
        let template = self.template(body, how);
        body.writer.uses.entries.scatters |= self.space != MemorySpace::Shared;
        expand(body, &template, self.site, &inputs);
    }

    /// The word that tells the device how the access is made.
    fn how(&self, body: &Body<'_, '_>, lowered: &Lowered) -> u32 {
        let mut how = self.bytes << hows::BYTES_PLACE;
        match &lowered.op {
            Op::Load { read_only_path: true, .. } => how |= hows::BY_READ_ONLY_PATH,
            Op::Store { .. } => how |= hows::WRITES,
            Op::Atomic { to, .. } => {
                how |= hows::UPDATES;
                how |= if to.is_none() { hows::RETURNS_NOTHING } else { 0 };
            }
            _ => {}
        }
        if strength_of(&lowered.op) == Some(Strength::Volatile) {
            how |= hows::VOLATILE;
        }
        how | of_kernel(body)
    }

    fn template(&self, body: &Body<'_, '_>, how: u32) -> String {
        let is_load = self.access == Access::Load;
        let stride = self.expected.stride;
        let shared = body.writer.uses.entries.shared;
        let is_granule = shared.is_some_and(|shared| self.bytes == 1 << shared.granule_shift);
        // Entries of copies, updates and volatile accesses say more than the usual checks look at.
        let is_usual = !has_updates(body)
            && !body.writer.has_copies
            && body.writer.volatile == 0
            && !has_slot(body);
        match self.space {
            MemorySpace::Shared if has_owners(body) => "ws_hb_shared_owners".to_owned(),
            MemorySpace::Shared if is_granule && is_usual && is_load => {
                "ws_hb_shared_load".to_owned()
            }
            MemorySpace::Shared if is_granule && is_usual && self.expected.without_loads => {
                "ws_hb_shared_store".to_owned()
            }
            MemorySpace::Shared if is_granule && is_usual => "ws_hb_shared_write".to_owned(),
            MemorySpace::Shared
                if is_granule && !has_slot(body) && how & hows::RETURNS_NOTHING != 0 =>
            {
                "ws_hb_shared_update".to_owned()
            }
            MemorySpace::Shared => "ws_hb_shared_any".to_owned(),
            MemorySpace::Generic if self.is_update() => "ws_hb_generic_update".to_owned(),
            MemorySpace::Generic => in_place_or_called(body, "ws_hb_generic"),
            _ if self.is_update() => "ws_hb_global_update".to_owned(),
            // Lanes of several tiles have no epoch in common.
            _ if is_load && stride == Some(0) && body.writer.uses.entries.tiles.is_none() => {
                in_place_or_called(body, "ws_hb_global_read")
            }
            _ => in_place_or_called(body, "ws_hb_global"),
        }
    }
}

/// What accesses of the kernel have to look at, as `hows` has it.
fn of_kernel(body: &Body<'_, '_>) -> u32 {
    let updates = if has_updates(body) { hows::HAS_UPDATES } else { 0 };
    updates | body.writer.volatile
}

/// The name of a check of global memory: its code stands in place, unless the kernel has too many, or tiles have barriers of their own.
fn in_place_or_called(body: &Body<'_, '_>, name: &str) -> String {
    let is_called = body.writer.has_called_checks || body.writer.uses.entries.tiles.is_some();
    let called = if is_called { "_called" } else { "" };
    format!("{name}{called}")
}

/// A number that accesses of one source line have in common, among those that wait.
fn source_of(body: &Body<'_, '_>, site: u32) -> usize {
    let sites = &body.writer.sites;
    let frames = |site: u32| &sites[site as usize].frames;
    let is_known = frames(site).first().is_some_and(|frame| frame.position.is_some());
    let mut waiting = body.batch.waiting.iter();
    let other = waiting.find(|one| is_known && frames(one.site) == frames(site));
    other.map_or(site as usize, |one| one.source)
}

fn expand(body: &mut Body<'_, '_>, template: &str, site: u32, inputs: &[(&str, String)]) {
    if let Some(template) = body.writer.device_plan.template(template) {
        body.expand_with(template, site, inputs, "");
    }
}

#[cfg(test)]
mod tests;
