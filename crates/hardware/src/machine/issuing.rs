//! What a multiprocessor does: it issues an instruction after the other, and sends what they ask for.

use super::{Happening, Machine};
use crate::interconnect::flits;
use crate::multiprocessor::{Stall, State};
use crate::transactions::{Kind, NOBODY, Transaction};
use crate::workload::{Action, Line, Operation};

impl Machine<'_> {
    /// A warp goes on: with its next operation, or to its end once its stores are acknowledged.
    pub(super) fn wake(&mut self, at: usize, slot: u32) {
        let multiprocessor = &mut self.multiprocessors[at];
        let Some(warp) = multiprocessor.warp(slot) else { return };
        warp.state = State::Turn;
        if warp.polls_again(&self.issued) {
            self.outcome.operations -= 1;
            self.outcome.polls += 1;
        }
        if warp.operation < warp.program.operations.len() {
            multiprocessor.ready.push_back(slot);
            self.plan_issue(at);
        } else if warp.stores > 0 {
            warp.state = State::Stores;
        } else if multiprocessor.retire(slot) {
            while self.begin_block(at) {}
        }
    }

    /// Puts the next issue on the agenda, unless it is there or nobody wants it.
    pub(super) fn plan_issue(&mut self, at: usize) {
        let now = self.agenda.now();
        let multiprocessor = &mut self.multiprocessors[at];
        let wanted = multiprocessor.busy_with.is_some() || !multiprocessor.ready.is_empty();
        if wanted && !multiprocessor.issue_planned {
            multiprocessor.issue_planned = true;
            let time = multiprocessor.issue_free.max(now);
            self.agenda.put(time, Happening::Issue { multiprocessor: at });
        }
    }

    pub(super) fn issue(&mut self, at: usize) {
        let now = self.agenda.now();
        let multiprocessor = &mut self.multiprocessors[at];
        multiprocessor.issue_planned = false;
        if let Some((why, since)) = multiprocessor.stalled.take() {
            let stalls = &mut self.outcome.stalls;
            match why {
                Stall::Requests => stalls.requests += now.saturating_sub(since),
                Stall::HitBuffer => stalls.hit_buffer += now.saturating_sub(since),
            }
        }
        let next = multiprocessor.busy_with.or_else(|| multiprocessor.ready.pop_front());
        let Some(slot) = next else { return };
        self.operation(at, slot);
        // Who is stalled is called when there is room again.
        if self.multiprocessors[at].stalled.is_none() {
            self.plan_issue(at);
        }
    }

    fn operation(&mut self, at: usize, slot: u32) {
        let now = self.agenda.now();
        let turn = self.configuration.turn();
        let multiprocessor = &mut self.multiprocessors[at];
        let Some(warp) = multiprocessor.warp(slot) else { return };
        let Some(operation) = warp.program.operations.get(warp.operation).copied() else { return };
        let waits_for_stores = operation.releases || operation.action == Action::DeviceFence;
        if waits_for_stores && warp.stores > 0 {
            warp.state = State::Stores;
            return;
        }
        if operation.action.accesses_memory() {
            return self.lines(at, slot, operation);
        }
        warp.advance();
        self.issued[warp.number] = warp.operation as u32;
        self.outcome.operations += 1;
        multiprocessor.issue_free = now + turn;
        match operation.action {
            Action::Barrier => return self.barrier(at, slot, operation.barrier),
            Action::BlockFence | Action::DeviceFence => self.report_fence(at, slot, now),
            _ => {}
        }
        self.agenda.put(now + turn, Happening::Wake { multiprocessor: at, warp: slot });
    }

    fn barrier(&mut self, at: usize, slot: u32, barrier: u32) {
        let now = self.agenda.now();
        let multiprocessor = &mut self.multiprocessors[at];
        let Some(warp) = multiprocessor.warp(slot) else { return };
        warp.state = State::Barrier(barrier);
        let place = warp.block;
        let Some(block) = &mut multiprocessor.blocks[place] else { return };
        let Some(missing) = block.barriers.get_mut(barrier as usize) else { return };
        *missing = missing.saturating_sub(1);
        if *missing > 0 {
            return;
        }
        for (slot, warp) in multiprocessor.warps.iter().enumerate() {
            let waits = |state| state == State::Barrier(barrier);
            if warp.as_ref().is_some_and(|warp| warp.block == place && waits(warp.state)) {
                let wake = Happening::Wake { multiprocessor: at, warp: slot as u32 };
                self.agenda.put(now + 1, wake);
            }
        }
    }

    /// Sends what the lines of an operation need, one in a cycle, until something is full.
    fn lines(&mut self, at: usize, slot: u32, operation: Operation) {
        let begin = self.agenda.now();
        let mut time = begin;
        loop {
            let multiprocessor = &mut self.multiprocessors[at];
            let Some(warp) = multiprocessor.warp(slot) else { return };
            let all = &warp.program.lines[warp.line..];
            let own = &all[..usize::from(operation.lines).min(all.len())];
            let Some(line) = own.get(warp.lines_done).copied() else { break };
            if let Err(why) = self.line(at, slot, operation.action, line, time) {
                let multiprocessor = &mut self.multiprocessors[at];
                multiprocessor.busy_with = Some(slot);
                multiprocessor.stalled = Some((why, time));
                multiprocessor.issue_free = time;
                return;
            }
            if let Some(warp) = self.multiprocessors[at].warp(slot) {
                warp.lines_done += 1;
            }
            time += 1;
        }
        // Instructions of other warps that compute go on beside the lines.
        let turn_ends = time.max(begin + self.configuration.turn());
        let multiprocessor = &mut self.multiprocessors[at];
        multiprocessor.busy_with = None;
        multiprocessor.issue_free = turn_ends;
        self.outcome.operations += 1;
        let Some(warp) = multiprocessor.warp(slot) else { return };
        warp.advance();
        self.issued[warp.number] = warp.operation as u32;
        let wake = Happening::Wake { multiprocessor: at, warp: slot };
        if operation.action.is_posted() {
            self.agenda.put(turn_ends, wake);
        } else if warp.loads > 0 {
            warp.state = State::Loads;
        } else {
            self.agenda.put(time + self.configuration.l1_latency, wake);
        }
    }

    fn line(
        &mut self,
        at: usize,
        slot: u32,
        action: Action,
        line: Line,
        time: u64,
    ) -> Result<(), Stall> {
        let multiprocessor = &mut self.multiprocessors[at];
        if action == Action::Load {
            let hit = multiprocessor.l1.touch(line.number, false);
            let awaited = multiprocessor.awaited.get_mut(&line.number);
            if hit || awaited.is_some() {
                if self.hit_buffer_is_full(at) {
                    return Err(Stall::HitBuffer);
                }
                self.outcome.l1.count(hit);
                if !hit {
                    self.wait_for_line(at, slot, line.number);
                }
                self.report_hit(at, line, time);
                return Ok(());
            }
        }
        if multiprocessor.requests >= self.configuration.outstanding_requests.max(1) {
            return Err(Stall::Requests);
        }
        let (kind, data_bytes) = match action {
            Action::Load => (Kind::Load, 0),
            Action::Store => (Kind::Store, 4 * line.words.count_ones()),
            Action::Atomic => (Kind::Atomic, 4 * u32::from(line.lanes)),
            Action::Reduction => (Kind::Reduction, 4 * u32::from(line.lanes)),
            _ => (Kind::LoadAround, 0),
        };
        if action == Action::Load {
            self.outcome.l1.count(false);
            self.wait_for_line(at, slot, line.number);
        } else if let Some(warp) = multiprocessor.warp(slot) {
            match action.is_posted() {
                true => warp.stores += 1,
                false => warp.loads += 1,
            }
        }
        let multiprocessor = &mut self.multiprocessors[at];
        if kind.changes() {
            multiprocessor.l1.evict(line.number);
        }
        multiprocessor.requests += 1;
        self.outcome.packets.requests += 1;
        let flits = flits(data_bytes) + self.information_flits();
        self.send(at, slot, kind, line, flits, time);
        Ok(())
    }

    /// The warp waits for a line that the L1 has asked for, or will now.
    fn wait_for_line(&mut self, at: usize, slot: u32, line: u32) {
        let multiprocessor = &mut self.multiprocessors[at];
        *multiprocessor.awaited.entry(line).or_default() |= 1 << slot;
        if let Some(warp) = multiprocessor.warp(slot) {
            warp.loads += 1;
        }
    }

    pub(super) fn send(
        &mut self,
        at: usize,
        slot: u32,
        kind: Kind,
        line: Line,
        flits: u32,
        time: u64,
    ) {
        let packet = self.transactions.begin(Transaction {
            kind,
            line: line.number,
            words: line.words,
            lanes: line.lanes,
            most_on_a_word: line.most_on_a_word,
            flits,
            from: at as u32,
            warp: slot,
            link: 0,
            next: NOBODY,
        });
        let (partition, _) = self.stripes.place(line.number);
        let sent = self.multiprocessors[at].out.pass(time, flits);
        let arrival = sent + self.configuration.network_latency;
        self.agenda.put(arrival, Happening::Arrive { partition, packet });
    }
}
