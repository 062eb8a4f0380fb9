//! `cp.async`, bulk copies and `mbarrier`.

use super::atomics::{combined, operand_addresses};
use super::barriers::{condition, set_predicate};
use super::places::{Attempt, Target};
use super::{Core, Next, Running, Stop};
use crate::asynchronous::{Job, Work};
use crate::block::BlockInfo;
use crate::launch::Fault;
use crate::mbarrier::Mbarrier;
use crate::memory::SHARED_OF_BLOCK;
use crate::warp::{Warp, lanes};
use warpsan_event::{
    CopyBegin, CopyKind, CopySide, Event, LaneAddresses, MbarrierAccess, MbarrierStep,
};
use warpsan_ir::{AsyncOp, BulkEnd, MbarrierOp, MemorySpace, Place, Value};
use warpsan_model::{Strength, WARP_LANES};

/// One side of copies: where each lane's is, and its bytes.
type Side<'t> = (&'t [Target; 32], u64);

impl Core<'_> {
    pub(super) fn asynchronous(
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
                    block.pending.commit(thread(warp, lane));
                }
            }
            AsyncOp::BulkCommit => {
                for lane in lanes(running.mask) {
                    block.pending.commit_bulk(thread(warp, lane));
                }
            }
            AsyncOp::Wait { at_most } => {
                let mut before = Vec::new();
                for lane in lanes(running.mask) {
                    let (jobs, done) = block.pending.take_groups(thread(warp, lane), *at_most);
                    self.carry_out_all(block, warp, jobs)?;
                    before.push(done);
                }
                self.told_wait(block, warp, running, false, false, &before);
            }
            AsyncOp::BulkWait { at_most, read } => {
                let mut before = Vec::new();
                for lane in lanes(running.mask) {
                    let (jobs, done) = block.pending.take_bulk_groups(thread(warp, lane), *at_most);
                    self.carry_out_all(block, warp, jobs)?;
                    before.push(done);
                }
                self.told_wait(block, warp, running, true, *read, &before);
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
                    let thread = thread(warp, lane);
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
                thread: thread(warp, lane),
                site: running.site,
                work,
            });
        }
        // Lanes that read as much are told at once, others one by one: a copy may read less than it
        // writes, or nothing.
        let all = wanted_bytes[running.mask.trailing_zeros() as usize];
        if lanes(running.mask).all(|lane| wanted_bytes[lane] == all) {
            let from = (all > 0).then_some((&from_targets, all));
            let sides = (from, (&to_targets, size));
            self.told_begin(block, warp, running, CopyKind::Thread, first, sides, false);
            return Ok(());
        }
        for (rank, lane) in lanes(running.mask).enumerate() {
            let own = Running { mask: 1 << lane, ..*running };
            let wanted = wanted_bytes[lane];
            let from = (wanted > 0).then_some((&from_targets, wanted));
            let sides = (from, (&to_targets, size));
            let number = first + rank as u64;
            self.told_begin(block, warp, &own, CopyKind::Thread, number, sides, false);
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
                return Err(self.fault(block, warp, own.mask, running.site, what));
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
            self.copies += 1;
            for to in &targets {
                let sides = (Some((&[from; 32], size)), (&[*to; 32], size));
                let reduces = reduce.is_some();
                self.told_begin(block, warp, &own, CopyKind::Bulk, number, sides, reduces);
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
            let job = Job { number, thread: thread(warp, lane), site: running.site, work };
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
        self.told_begin(block, warp, running, CopyKind::Store, first, sides, reduce.is_some());
        for (rank, lane) in lanes(running.mask).enumerate() {
            let work = Work::Store {
                values: from.iter().map(|values| values[lane]).collect(),
                to: targets[lane],
                ty: *ty,
                reduce: *reduce,
                barrier: barriers[lane],
            };
            let number = first + rank as u64;
            let thread = thread(warp, lane);
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
        to: &Place,
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
            self.told_begin(block, warp, &own, CopyKind::Store, number, sides, false);
            if let Target::Shared { pointer, .. } = targets[0] {
                // SAFETY: the target was checked to have so many bytes.
                unsafe { std::ptr::write_bytes(pointer, 0, size as usize) };
            }
            self.trace.synchronisation(Event::CopyEnd { copy: number });
        }
        Ok(())
    }

    fn place_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        place: &Place,
        does: &str,
        bytes: u64,
    ) -> Result<[Target; 32], Fault> {
        let found = operand_addresses(running, place.base, place.offset);
        let alignment = bytes.next_power_of_two().min(16);
        let attempt = Attempt { does, space: place.space, address: 0, bytes, alignment };
        self.targets(block, warp, running, &found, attempt)
    }

    fn barrier_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        place: &Place,
    ) -> Result<[Target; 32], Fault> {
        let targets = self.place_targets(block, warp, running, place, "uses an mbarrier of", 8)?;
        for lane in lanes(running.mask) {
            if !matches!(targets[lane], Target::Shared { .. }) {
                let what = "an mbarrier that is not in shared memory";
                return Err(self.fault(block, warp, 1 << lane, running.site, what));
            }
        }
        Ok(targets)
    }

    /// The targets of one lane: one, or with a multicast one in each block of the mask.
    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn bulk_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        place: &Place,
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

    fn mbarrier(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &MbarrierOp,
        barrier: &Place,
        strength: Strength,
    ) -> Result<Next, Fault> {
        let targets = self.barrier_targets(block, warp, running, barrier)?;
        let Running { mask, rows, .. } = *running;
        // SAFETY: the operands are those of the program.
        let values = |value: Value| unsafe { rows.values(value) };
        let amount = |value: Option<Value>, default: u64| value.map_or([default; 32], values);
        match op {
            MbarrierOp::Init { count } => {
                let counts = values(*count);
                for lane in lanes(mask) {
                    if !(1..1 << 20).contains(&(counts[lane] as u32)) {
                        let what = format!("an mbarrier for {} arrivals", counts[lane] as u32);
                        return Err(self.fault(block, warp, 1 << lane, running.site, what));
                    }
                    self.set_barrier(
                        warp,
                        lane,
                        targets[lane],
                        Mbarrier::init(counts[lane] as u32),
                    );
                    self.told_barrier(
                        block,
                        warp,
                        running,
                        lane,
                        targets[lane],
                        MbarrierStep::Init,
                        strength,
                        0,
                    );
                    self.phases.remove(&key(targets[lane]));
                }
            }
            MbarrierOp::Invalidate => {
                for lane in lanes(mask) {
                    self.poke(warp, lane, targets[lane], 8, 0);
                    let step = MbarrierStep::Invalidate;
                    self.told_barrier(block, warp, running, lane, targets[lane], step, strength, 0);
                }
            }
            MbarrierOp::ExpectTransaction { bytes } | MbarrierOp::CompleteTransaction { bytes } => {
                let is_expect = matches!(op, MbarrierOp::ExpectTransaction { .. });
                let bytes = values(*bytes);
                for lane in lanes(mask) {
                    let bytes = i64::from(bytes[lane] as u32);
                    let change = if is_expect { bytes } else { -bytes };
                    let phase = self.phase(targets[lane]);
                    self.change_barrier(block, warp, running, lane, targets[lane], |state| {
                        state.add_transactions(change)
                    })?;
                    let step = MbarrierStep::Expect;
                    self.told_barrier(
                        block,
                        warp,
                        running,
                        lane,
                        targets[lane],
                        step,
                        strength,
                        phase,
                    );
                }
            }
            MbarrierOp::Arrive { drop, to, count, expect, .. } => {
                let counts = amount(*count, 1);
                let expected = amount(*expect, 0);
                let mut states = [0; 32];
                for lane in lanes(mask) {
                    let phase = self.phase(targets[lane]);
                    let step = if *drop { MbarrierStep::ArriveDrop } else { MbarrierStep::Arrive };
                    self.told_barrier(
                        block,
                        warp,
                        running,
                        lane,
                        targets[lane],
                        step,
                        strength,
                        phase,
                    );
                    let (count, bytes) = (counts[lane] as u32, expected[lane] as u32);
                    states[lane] =
                        self.change_barrier(block, warp, running, lane, targets[lane], |state| {
                            state.add_transactions(i64::from(bytes))?;
                            state.arrive(count, *drop)
                        })?;
                }
                if let Some(to) = to {
                    // SAFETY: the register is one of the program.
                    unsafe { rows.set(*to, mask, &states) };
                }
            }
            MbarrierOp::Wait { to, phase, by_parity, may_sleep } => {
                let phases = values(*phase);
                let mut passed = 0;
                for lane in lanes(mask) {
                    let state = self.barrier_state(block, warp, running, lane, targets[lane])?;
                    let waited_for = match by_parity {
                        true => phases[lane] & 1 == 1,
                        false => Mbarrier::of(phases[lane]).parity(),
                    };
                    if state.parity() != waited_for {
                        passed |= 1 << lane;
                        let phase = self.phase(targets[lane]);
                        let step = MbarrierStep::Wait;
                        self.told_barrier(
                            block,
                            warp,
                            running,
                            lane,
                            targets[lane],
                            step,
                            strength,
                            phase,
                        );
                    }
                }
                set_predicate(warp, running.predicates, *to, mask, passed);
                if *may_sleep && passed != mask {
                    // Whoever waits lets others go on.
                    warp.groups[running.group].at += 1;
                    return Ok(Next::Stop(Stop::Over));
                }
            }
        }
        Ok(Next::Forward)
    }

    fn barrier_state(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lane: usize,
        target: Target,
    ) -> Result<Mbarrier, Fault> {
        let state = Mbarrier::of(self.peek(warp, lane, target, 8) as u64);
        if state.is_valid() {
            return Ok(state);
        }
        let what = "it uses an mbarrier that was not initialised, or was overwritten";
        Err(self.fault(block, warp, 1 << lane, running.site, what))
    }

    fn set_barrier(&mut self, warp: &mut Warp, lane: usize, target: Target, state: Mbarrier) {
        self.poke(warp, lane, target, 8, u128::from(state.bits()));
    }

    /// Changes an object and completes its phase if that is due. Returns the state before.
    fn change_barrier(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        lane: usize,
        target: Target,
        change: impl FnOnce(&mut Mbarrier) -> Result<(), &'static str>,
    ) -> Result<u64, Fault> {
        let mut state = self.barrier_state(block, warp, running, lane, target)?;
        let before = state.bits();
        if let Err(what) = change(&mut state) {
            return Err(self.fault(block, warp, 1 << lane, running.site, what));
        }
        if state.complete_if_due() {
            *self.phases.entry(key(target)).or_insert(0) += 1;
        }
        self.set_barrier(warp, lane, target, state);
        Ok(before)
    }

    fn phase(&self, target: Target) -> u64 {
        self.phases.get(&key(target)).copied().unwrap_or(0)
    }

    /// Carries out the oldest copy of a block that can go on by itself.
    pub(crate) fn run_job(
        &mut self,
        block: &mut BlockInfo,
        warps: &mut [Warp],
    ) -> Result<(), Fault> {
        let Some(job) = block.pending.next_job() else { return Ok(()) };
        let Some(warp) = warps.get_mut((job.thread / WARP_LANES) as usize) else { return Ok(()) };
        self.carry_out(block, warp, job)
    }

    fn carry_out_all(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        jobs: Vec<Job>,
    ) -> Result<(), Fault> {
        jobs.into_iter().try_for_each(|job| self.carry_out(block, warp, job))
    }

    /// What threads that exit have begun with `cp.async`.
    pub(super) fn finish_copies_of(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        mask: u32,
    ) -> Result<(), Fault> {
        if self.copies == 0 {
            return Ok(());
        }
        for lane in lanes(mask) {
            let (jobs, _) = block.pending.take_groups(thread(warp, lane), None);
            self.carry_out_all(block, warp, jobs)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, block: &mut BlockInfo, warp: &mut Warp, job: Job) -> Result<(), Fault> {
        let lane = (job.thread % WARP_LANES) as usize;
        let running = Running {
            group: 0,
            mask: 1 << lane,
            rows: crate::lanes::Rows {
                registers: std::ptr::null_mut(),
                constants: std::ptr::null(),
            },
            site: job.site,
            predicates: 0,
            local: 0,
        };
        match job.work {
            Work::Copy { from, to, bytes, source_bytes, reduce, byte_mask, barriers } => {
                for target in &to {
                    self.copy_bytes(
                        warp,
                        lane,
                        (from, *target),
                        (bytes, source_bytes),
                        reduce,
                        byte_mask,
                    );
                }
                self.trace.synchronisation(Event::CopyEnd { copy: job.number });
                for barrier in barriers {
                    self.signal(block, warp, &running, lane, Some(job.number), barrier, |state| {
                        state.add_transactions(-(bytes as i64))
                    })?;
                }
            }
            Work::Store { values, to, ty, reduce, barrier } => {
                let size = u64::from(ty.bytes());
                for (index, value) in values.iter().enumerate() {
                    let target = super::access::behind(to, index as u64 * size);
                    let value = match reduce {
                        Some(op) => {
                            let old = self.peek(warp, lane, target, size) as u64;
                            combined_or_counted(op, ty, old, *value)
                        }
                        None => *value,
                    };
                    self.poke(warp, lane, target, size, u128::from(value));
                }
                self.trace.synchronisation(Event::CopyEnd { copy: job.number });
                let bytes = size as i64 * values.len() as i64;
                self.signal(block, warp, &running, lane, Some(job.number), barrier, |state| {
                    state.add_transactions(-bytes)
                })?;
            }
            Work::Arrive { barrier } => {
                let jobs = block.pending.take_copies_below(job.thread, job.number);
                self.carry_out_all(block, warp, jobs)?;
                let copy = job.number.checked_sub(1);
                self.signal(block, warp, &running, lane, copy, barrier, |state| {
                    state.arrive(1, false)
                })?;
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    fn signal(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        lane: usize,
        copy: Option<u64>,
        barrier: Target,
        change: impl FnOnce(&mut Mbarrier) -> Result<(), &'static str>,
    ) -> Result<(), Fault> {
        let phase = self.phase(barrier);
        if let Target::Shared { owner, offset, .. } = barrier {
            self.trace.synchronisation(Event::CopySignal { copy, owner, address: offset, phase });
        }
        self.change_barrier(block, warp, running, lane, barrier, change).map(drop)
    }

    fn copy_bytes(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (from, to): (Target, Target),
        (bytes, source_bytes): (u64, u64),
        reduce: Option<(warpsan_ir::AtomicOp, warpsan_ir::Type)>,
        byte_mask: Option<u16>,
    ) {
        let step = reduce.map_or(16, |(_, ty)| u64::from(ty.bytes()));
        let mut at = 0;
        while at < bytes {
            let length = step.min(bytes - at);
            let readable = source_bytes.saturating_sub(at).min(length);
            let source = super::access::behind(from, at);
            let target = super::access::behind(to, at);
            let mut value = match readable {
                0 => 0,
                readable => self.peek(warp, lane, source, readable),
            };
            if let Some((op, ty)) = reduce {
                let old = self.peek(warp, lane, target, length) as u64;
                value = u128::from(combined_or_counted(op, ty, old, value as u64));
            }
            if let Some(mask) = byte_mask {
                let old = self.peek(warp, lane, target, length).to_le_bytes();
                let mut bytes = value.to_le_bytes();
                for (index, byte) in bytes.iter_mut().enumerate() {
                    if mask >> index & 1 == 0 {
                        *byte = old[index];
                    }
                }
                value = u128::from_le_bytes(bytes);
            }
            self.poke(warp, lane, target, length, value);
            at += length;
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    fn told_begin(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        kind: CopyKind,
        first: u64,
        (from, to): (Option<Side<'_>>, Side<'_>),
        reduces: bool,
    ) {
        let mask = running.mask;
        let lane = mask.trailing_zeros() as usize;
        let addresses = |targets: &[Target; 32]| -> Vec<u64> {
            let place = |lane: usize| targets[lane].told(block.index).map_or(0, |told| told.2);
            lanes(mask).map(place).collect()
        };
        let (to_addresses, from_addresses) =
            (addresses(to.0), from.map_or(Vec::new(), |(targets, _)| addresses(targets)));
        fn side<'s>(
            own: warpsan_model::BlockIndex,
            target: Target,
            bytes: u64,
            addresses: &'s [u64],
        ) -> CopySide<'s> {
            let (space, owner, _) =
                target.told(own).unwrap_or((warpsan_model::Space::Local, own, 0));
            let addresses = LaneAddresses::PerLane(addresses);
            CopySide { space, owner, addresses, bytes: bytes as u32 }
        }
        self.trace.synchronisation(Event::CopyBegin(CopyBegin {
            block: block.index,
            warp: warp.index,
            mask,
            site: running.site,
            kind,
            first,
            from: from
                .map(|(targets, bytes)| side(block.index, targets[lane], bytes, &from_addresses)),
            to: side(block.index, to.0[lane], to.1, &to_addresses),
            reduces,
        }));
    }

    fn told_wait(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        bulk: bool,
        read: bool,
        before: &[u64],
    ) {
        self.trace.synchronisation(Event::CopyWait {
            block: block.index,
            warp: warp.index,
            mask: running.mask,
            site: running.site,
            bulk,
            read,
            before,
        });
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    fn told_barrier(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lane: usize,
        target: Target,
        step: MbarrierStep,
        strength: Strength,
        phase: u64,
    ) {
        let Target::Shared { owner, offset, .. } = target else { return };
        self.trace.synchronisation(Event::Mbarrier(MbarrierAccess {
            block: block.index,
            warp: warp.index,
            lane: lane as u32,
            site: running.site,
            step,
            strength,
            owner,
            address: offset,
            phase,
        }));
    }
}

/// Reductions of asynchronous copies know counting, too.
fn combined_or_counted(
    op: warpsan_ir::AtomicOp,
    ty: warpsan_ir::Type,
    old: u64,
    value: u64,
) -> u64 {
    use warpsan_ir::AtomicOp;
    match op {
        AtomicOp::Inc | AtomicOp::Dec => {
            let new = super::atomics::updated(op, ty, false, old.into(), value.into(), 0);
            new.map_or(old, |new| new as u64)
        }
        op => combined(op, ty, false, old, value),
    }
}

/// Where an object is.
fn key(target: Target) -> (u32, u64) {
    match target {
        Target::Shared { owner, offset, .. } => (owner.0, offset),
        _ => (0, 0),
    }
}

fn thread(warp: &Warp, lane: usize) -> u32 {
    warp.index * WARP_LANES + lane as u32
}
