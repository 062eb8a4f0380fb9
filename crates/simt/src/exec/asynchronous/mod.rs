//! `cp.async`, bulk copies and `mbarrier`: how they begin, and what waits for them.

mod emit;
mod jobs;
mod objects;

use super::addressing::{Attempt, operand_addresses};
use super::barriers::condition;
use super::core::{Core, Next, Running, Stop};
use crate::asynchronous::{Job, Work};
use crate::block::BlockInfo;
use crate::mbarrier::Mbarrier;
use crate::memory::SHARED_OF_BLOCK;
use crate::outcome::{Fault, FaultKind};
use crate::target::Target;
use crate::warp::{Warp, lanes};
use warpsan_event::{AccessKind, CopyKind, Event};
use warpsan_ir::{AddressOperand, AsyncOp, BulkEnd, MemorySpace, Value};

impl Core<'_> {
    pub(in crate::exec) fn asynchronous(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &AsyncOp,
    ) -> Result<Next, Fault> {
        match op {
            AsyncOp::Copy { .. } => self.begin_copy(block, warp, running, op)?,
            AsyncOp::Commit => {
                for lane in lanes(running.mask) {
                    block.pending.commit(warp.thread(lane));
                }
            }
            AsyncOp::BulkCommit => {
                for lane in lanes(running.mask) {
                    block.pending.commit_bulk(warp.thread(lane));
                }
            }
            AsyncOp::Wait { at_most } => {
                let mut before = Vec::new();
                for lane in lanes(running.mask) {
                    let (jobs, done) = block.pending.take_groups(warp.thread(lane), *at_most);
                    self.carry_out_all(block, warp, jobs)?;
                    before.push(done);
                }
                self.emit_wait(block, warp, running, false, false, &before);
            }
            AsyncOp::BulkWait { at_most, read } => {
                let mut before = Vec::new();
                for lane in lanes(running.mask) {
                    let (jobs, done) = block.pending.take_bulk_groups(warp.thread(lane), *at_most);
                    self.carry_out_all(block, warp, jobs)?;
                    before.push(done);
                }
                self.emit_wait(block, warp, running, true, *read, &before);
            }
            AsyncOp::CopyArrive { barrier, no_increment } => {
                let targets = self.barrier_targets(block, warp, running, barrier)?;
                for lane in lanes(running.mask) {
                    let barrier = targets[lane];
                    if !no_increment {
                        self.change_barrier(block, warp, running, lane, barrier, |state| {
                            state.expect_one_more()
                        })?;
                    }
                    let thread = warp.thread(lane);
                    let number = block.pending.newest(thread);
                    let work = Work::Arrive { barrier };
                    block.pending.push(Job { number, thread, site: running.site, work });
                }
                warp.groups[running.group].at += 1;
                return Ok(Next::Stop(Stop::Over));
            }
            AsyncOp::Mbarrier { op, barrier, strength } => {
                return self.mbarrier(block, warp, running, op, barrier, *strength);
            }
            AsyncOp::PendingCount { to, state } => {
                // SAFETY: the operands are those of the program.
                unsafe {
                    let states = running.rows.values(*state);
                    let counts = states.map(|state| u64::from(Mbarrier::of(state).pending()));
                    running.rows.set(*to, running.mask, &counts);
                }
            }
            AsyncOp::Bulk { .. } => {
                self.begin_bulk(block, warp, running, op)?;
                warp.groups[running.group].at += 1;
                return Ok(Next::Stop(Stop::Over));
            }
            AsyncOp::Store { .. } => {
                self.begin_store(block, warp, running, op)?;
                warp.groups[running.group].at += 1;
                return Ok(Next::Stop(Stop::Over));
            }
            AsyncOp::Fill { to, bytes } => self.fill(block, warp, running, to, *bytes)?,
        }
        Ok(Next::Forward)
    }

    fn begin_copy(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &AsyncOp,
    ) -> Result<(), Fault> {
        let AsyncOp::Copy { to, from, bytes, source_bytes, ignore_source } = op else {
            return Ok(());
        };
        let size = u64::from(*bytes);
        let to_targets = self.place_targets(block, warp, running, to, "copies to", size)?;
        let ignored = ignore_source.map_or(0, |ignore| condition(warp, running.predicates, ignore));
        // SAFETY: the operand is one of the program.
        let source = source_bytes.map(|value| unsafe { running.rows.values(value) });
        let first = self.copies;
        self.copies += u64::from(running.mask.count_ones());
        let from_addresses = operand_addresses(running, from.base, from.offset);
        let mut from_targets = to_targets;
        let mut wanted_bytes = [0; 32];
        for (rank, lane) in lanes(running.mask).enumerate() {
            let wanted = source.map_or(size, |source| u64::from(source[lane] as u32).min(size));
            let wanted = if ignored >> lane & 1 == 1 { 0 } else { wanted };
            wanted_bytes[lane] = wanted;
            if wanted > 0 {
                let attempt = Attempt {
                    does: "copies",
                    space: from.space,
                    address: from_addresses[lane],
                    bytes: wanted,
                    alignment: size,
                };
                from_targets[lane] = self.target(block, warp, running, lane, attempt)?;
            }
            let work = Work::Copy {
                from: from_targets[lane],
                to: vec![to_targets[lane]],
                bytes: size,
                source_bytes: wanted,
                reduce: None,
                byte_mask: None,
                barriers: Vec::new(),
            };
            block.pending.push_thread_copy(Job {
                number: first + rank as u64,
                thread: warp.thread(lane),
                site: running.site,
                work,
            });
        }
        for lane in lanes(running.mask).filter(|lane| wanted_bytes[*lane] > 0) {
            let (own, bytes) = (1 << lane, wanted_bytes[lane]);
            let kind = AccessKind::Read;
            self.look_for_strays(block, warp, running, own, &from_targets, bytes, kind);
        }
        // Lanes that read as much have one event, others one each: a copy may read less than it
        // writes, or nothing.
        let all = wanted_bytes[running.mask.trailing_zeros() as usize];
        if lanes(running.mask).all(|lane| wanted_bytes[lane] == all) {
            let from = (all > 0).then_some((&from_targets, all));
            let sides = (from, (&to_targets, size));
            self.emit_begin(block, warp, running, CopyKind::Thread, first, sides, false);
            return Ok(());
        }
        for (rank, lane) in lanes(running.mask).enumerate() {
            let own = Running { mask: 1 << lane, ..*running };
            let wanted = wanted_bytes[lane];
            let from = (wanted > 0).then_some((&from_targets, wanted));
            let sides = (from, (&to_targets, size));
            let number = first + rank as u64;
            self.emit_begin(block, warp, &own, CopyKind::Thread, number, sides, false);
        }
        Ok(())
    }

    fn begin_bulk(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &AsyncOp,
    ) -> Result<(), Fault> {
        let AsyncOp::Bulk { to, from, bytes, end, multicast, reduce, byte_mask } = op else {
            return Ok(());
        };
        // SAFETY: the operands are those of the program.
        let values = |value: Value| unsafe { running.rows.values(value) };
        let sizes = values(*bytes);
        let blocks = multicast.map(values);
        let byte_masks = byte_mask.map(values);
        for lane in lanes(running.mask) {
            let own = Running { mask: 1 << lane, ..*running };
            let size = u64::from(sizes[lane] as u32);
            if size % 16 != 0 {
                let what = format!("a bulk copy of {size} bytes, which is no multiple of 16");
                let kind = FaultKind::InvalidCopySize;
                return Err(self.fault(block, warp, own.mask, running.site, kind, what));
            }
            let sources = self.bulk_targets(block, warp, &own, from, "copies", size, None)?;
            let ranks = blocks.map(|blocks| blocks[lane] as u16);
            let targets = self.bulk_targets(block, warp, &own, to, "copies to", size, ranks)?;
            let barriers = match end {
                BulkEnd::Mbarrier(barrier) => {
                    self.bulk_targets(block, warp, &own, barrier, "signals", 8, ranks)?
                }
                BulkEnd::Group => Vec::new(),
            };
            let (from, number) = (sources[0], self.copies);
            for (targets, kind) in [(&sources, AccessKind::Read), (&targets, AccessKind::Write)] {
                if let Some(target) = targets.first() {
                    self.look_for_strays(block, warp, &own, own.mask, &[*target; 32], size, kind);
                }
            }
            self.copies += 1;
            for to in &targets {
                let sides = (Some((&[from; 32], size)), (&[*to; 32], size));
                let reduces = reduce.is_some();
                self.emit_begin(block, warp, &own, CopyKind::Bulk, number, sides, reduces);
            }
            let work = Work::Copy {
                from,
                to: targets,
                bytes: size,
                source_bytes: size,
                reduce: *reduce,
                byte_mask: byte_masks.map(|masks| masks[lane] as u16),
                barriers,
            };
            let job = Job { number, thread: warp.thread(lane), site: running.site, work };
            match end {
                BulkEnd::Mbarrier(_) => block.pending.push(job),
                BulkEnd::Group => block.pending.push_grouped(job),
            }
        }
        Ok(())
    }

    fn begin_store(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &AsyncOp,
    ) -> Result<(), Fault> {
        let AsyncOp::Store { to, from, ty, barrier, reduce } = op else { return Ok(()) };
        // SAFETY: the operands are those of the program.
        let from: Vec<[u64; 32]> =
            from.iter().map(|value| unsafe { running.rows.values(*value) }).collect();
        let size = u64::from(ty.bytes()) * from.len() as u64;
        let targets = self.place_targets(block, warp, running, to, "stores to", size)?;
        let barriers = self.barrier_targets(block, warp, running, barrier)?;
        let first = self.copies;
        self.copies += u64::from(running.mask.count_ones());
        let sides = (None, (&targets, size));
        self.emit_begin(block, warp, running, CopyKind::Store, first, sides, reduce.is_some());
        for (rank, lane) in lanes(running.mask).enumerate() {
            let work = Work::Store {
                values: from.iter().map(|values| values[lane]).collect(),
                to: targets[lane],
                ty: *ty,
                reduce: *reduce,
                barrier: barriers[lane],
            };
            let number = first + rank as u64;
            let thread = warp.thread(lane);
            block.pending.push(Job { number, thread, site: running.site, work });
        }
        Ok(())
    }

    /// `st.bulk`: zeros, at once.
    fn fill(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        to: &AddressOperand,
        bytes: Value,
    ) -> Result<(), Fault> {
        // SAFETY: the operand is one of the program.
        let sizes = unsafe { running.rows.values(bytes) };
        for lane in lanes(running.mask) {
            let own = Running { mask: 1 << lane, ..*running };
            let size = sizes[lane];
            let targets = self.bulk_targets(block, warp, &own, to, "fills", size, None)?;
            let number = self.copies;
            self.copies += 1;
            let sides = (None, (&[targets[0]; 32], size));
            self.emit_begin(block, warp, &own, CopyKind::Store, number, sides, false);
            if let Target::Shared { pointer, .. } = targets[0] {
                // SAFETY: the target was checked to have so many bytes.
                unsafe { std::ptr::write_bytes(pointer, 0, size as usize) };
            }
            self.trace.synchronisation(Event::CopyEnd { copy: number });
        }
        Ok(())
    }

    pub(super) fn place_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        place: &AddressOperand,
        does: &str,
        bytes: u64,
    ) -> Result<[Target; 32], Fault> {
        let found = operand_addresses(running, place.base, place.offset);
        let alignment = bytes.next_power_of_two().min(16);
        let attempt = Attempt { does, space: place.space, address: 0, bytes, alignment };
        self.targets(block, warp, running, &found, attempt)
    }

    /// The targets of one lane: one, or with a multicast one in each block of the mask.
    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    pub(super) fn bulk_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        place: &AddressOperand,
        does: &str,
        bytes: u64,
        ranks: Option<u16>,
    ) -> Result<Vec<Target>, Fault> {
        let lane = running.mask.trailing_zeros() as usize;
        let address = operand_addresses(running, place.base, place.offset)[lane];
        let alignment = bytes.clamp(1, 16).next_power_of_two();
        let mut attempt = Attempt { does, space: place.space, address, bytes, alignment };
        let Some(ranks) = ranks else {
            return Ok(vec![self.target(block, warp, running, lane, attempt)?]);
        };
        let offset = match place.space {
            MemorySpace::Generic => address.wrapping_sub(crate::memory::SHARED_WINDOW),
            _ => address,
        } % SHARED_OF_BLOCK;
        attempt.space = MemorySpace::SharedCluster;
        (0..16u64)
            .filter(|rank| ranks >> rank & 1 == 1)
            .map(|rank| {
                let address = (rank + 1) * SHARED_OF_BLOCK + offset;
                self.target(block, warp, running, lane, Attempt { address, ..attempt })
            })
            .collect()
    }
}
