//! What a partition does with packets, memory with lines, and a multiprocessor with answers.

use super::{Happening, Machine};
use crate::cache::Victim;
use crate::configuration::LINE_BYTES;
use crate::dram::DramRequest;
use crate::interconnect::{bytes_of_sectors, flits};
use crate::multiprocessor::State;
use crate::transactions::{Kind, NOBODY, Number, Transaction};

impl Machine<'_> {
    /// A packet is at a partition, and comes in flit by flit.
    pub(super) fn arrive(&mut self, at: usize, packet: Number) {
        let now = self.agenda.now();
        let flits = self.transactions.get(packet).flits;
        let inside = self.partitions[at].into.pass(now, flits);
        self.agenda.put(inside, Happening::Inside { partition: at, packet });
    }

    /// A packet has come in. Packets do not pass each other.
    pub(super) fn inside(&mut self, at: usize, packet: Number) {
        if !self.partitions[at].blocked.is_empty() || !self.detector_has_room(at, packet) {
            self.partitions[at].blocked.push_back(packet);
            self.outcome.stalls.packets_at_detector += 1;
            return;
        }
        self.accept(at, packet);
    }

    /// The detector takes the information of a packet, and the L2 its request.
    pub(super) fn accept(&mut self, at: usize, packet: Number) {
        let what = *self.transactions.get(packet);
        self.check(at, packet);
        if what.kind.is_request() {
            let turns = match what.kind {
                Kind::Atomic | Kind::Reduction => u32::from(what.most_on_a_word).max(1),
                _ => 1,
            };
            let time = self.partitions[at].array.pass(self.agenda.now(), turns);
            self.request(at, packet, time);
        }
    }

    fn request(&mut self, at: usize, request: Number, time: u64) {
        let what = *self.transactions.get(request);
        let (_, local) = self.stripes.place(what.line);
        let partition = &mut self.partitions[at];
        let hit = partition.l2.touch(local, what.kind.changes());
        self.outcome.l2_data.count(hit);
        let posted = matches!(what.kind, Kind::Store | Kind::Reduction);
        if hit || posted {
            self.send_answer(at, request, time);
        }
        if hit {
            return;
        }
        if what.kind == Kind::Store && what.words == u32::MAX {
            // Nothing of the old line is left, so nobody has to fetch it.
            match self.partitions[at].awaited.get_mut(&local) {
                Some(awaited) => awaited.changed = true,
                None => self.put_in(at, local, true),
            }
            return;
        }
        let who = if posted { NOBODY } else { request };
        self.want(at, local, what.kind.changes(), who);
    }

    /// Asks memory for a line, unless somebody has.
    pub(super) fn want(&mut self, at: usize, local: u32, changed: bool, who: Number) {
        if self.partitions[at].want(local, changed, who, &mut self.transactions) {
            self.ask_memory(at, DramRequest { local, write: false });
        }
    }

    fn ask_memory(&mut self, at: usize, request: DramRequest) {
        let is_metadata = self.stripes.line(at, request.local) >= self.memory_lines;
        let dram = &mut self.outcome.dram;
        match (is_metadata, request.write) {
            (false, false) => dram.data_reads += 1,
            (false, true) => dram.data_writes += 1,
            (true, false) => dram.metadata_reads += 1,
            (true, true) => dram.metadata_writes += 1,
        }
        self.partitions[at].channel.push(request);
        self.plan_channel(at);
    }

    fn plan_channel(&mut self, at: usize) {
        let now = self.agenda.now();
        let partition = &mut self.partitions[at];
        if partition.channel_planned {
            return;
        }
        if let Some(turn) = partition.channel.next_turn(now) {
            partition.channel_planned = true;
            self.agenda.put(turn, Happening::Channel { partition: at });
        }
    }

    pub(super) fn ask_channel(&mut self, at: usize) {
        let now = self.agenda.now();
        self.partitions[at].channel_planned = false;
        while let Some(served) = self.partitions[at].channel.serve(now) {
            if !served.request.write {
                let local = served.request.local;
                self.agenda.put(served.done, Happening::Fill { partition: at, local });
            }
        }
        self.plan_channel(at);
    }

    /// A line has come from memory, for all who wait for it.
    pub(super) fn fill(&mut self, at: usize, local: u32) {
        let now = self.agenda.now();
        let Some(awaited) = self.partitions[at].awaited.remove(&local) else { return };
        self.put_in(at, local, awaited.changed);
        let mut next = awaited.first();
        while next != NOBODY {
            let waiting = *self.transactions.get(next);
            if waiting.kind == Kind::Lookup {
                // The others are behind it, and the detector knows them.
                self.agenda.put(now, Happening::LookedUp { lookup: next });
                break;
            }
            self.send_answer(at, next, now);
            next = waiting.next;
        }
    }

    fn put_in(&mut self, at: usize, local: u32, changed: bool) {
        if let Some(Victim { line, changed: true }) = self.partitions[at].l2.insert(local, changed)
        {
            self.ask_memory(at, DramRequest { local: line, write: true });
        }
    }

    fn send_answer(&mut self, at: usize, request: Number, time: u64) {
        let flits = flits_of_answer(self.transactions.get(request));
        // It takes its place at the port now, so that lines from memory need not wait for turns of the L2.
        let place = self.partitions[at].out.pass(self.agenda.now(), flits);
        let sent = place.max(time + u64::from(flits));
        let arrival = sent + self.configuration.l2_latency + self.configuration.network_latency;
        self.agenda.put(arrival, Happening::Answer { request });
    }

    /// An answer is at the multiprocessor that asked.
    pub(super) fn answer(&mut self, request: Number) {
        let now = self.agenda.now();
        let what = self.transactions.end(request);
        self.outcome.packets.answers += 1;
        let at = what.from as usize;
        let multiprocessor = &mut self.multiprocessors[at];
        let inside = multiprocessor.into.pass(now, flits_of_answer(&what));
        multiprocessor.requests -= 1;
        let waiting = match what.kind {
            Kind::Load => {
                multiprocessor.l1.insert(what.line, false);
                multiprocessor.awaited.remove(&what.line).unwrap_or(0)
            }
            _ => 1 << what.warp,
        };
        let mut left = waiting;
        while left != 0 {
            let slot = left.trailing_zeros();
            left &= left - 1;
            self.give(at, slot, &what, inside);
        }
        self.room_at(at);
    }

    /// A warp has got one of the things that it waits for.
    fn give(&mut self, at: usize, slot: u32, what: &Transaction, time: u64) {
        let Some(warp) = self.multiprocessors[at].warp(slot) else { return };
        let (left, state) = match what.kind {
            Kind::Store | Kind::Reduction => (&mut warp.stores, State::Stores),
            _ => (&mut warp.loads, State::Loads),
        };
        *left = left.saturating_sub(1);
        if *left == 0 && warp.state == state {
            self.agenda.put(time, Happening::Wake { multiprocessor: at, warp: slot });
        }
    }

    /// Something is free again that a multiprocessor may be stalled for.
    pub(super) fn room_at(&mut self, at: usize) {
        if self.multiprocessors[at].stalled.is_some() {
            self.plan_issue(at);
        }
    }
}

/// Whole lines go to the L1, otherwise what was asked for.
fn flits_of_answer(what: &Transaction) -> u32 {
    flits(match what.kind {
        Kind::Load => LINE_BYTES as u32,
        Kind::LoadAround => bytes_of_sectors(what.words),
        Kind::Atomic => 4 * u32::from(what.lanes),
        _ => 0,
    })
}
