//! The race detector, which hangs off the interconnect: what multiprocessors send to it beside their
//! requests, and its lookups of metadata through the L2.
//!
//! A request waits for its answer, not for its check. Only full buffers make anybody wait for the detector.
//!
//! Checks of one entry must see each other's changes. So a lookup of a line that another one has asked for
//! joins it, and the line is read and written once for all of them.

use super::{Happening, Machine};
use crate::transactions::{Kind, NOBODY, Number, Transaction};
use crate::workload::Line;

impl Machine<'_> {
    /// Flits that what the detector wants to know adds to a packet.
    pub(super) fn information_flits(&self) -> u32 {
        match self.detection {
            Some(detection) if detection.noc => self.configuration.information_flits,
            _ => 0,
        }
    }

    /// Flits of a packet that is for the detector alone.
    fn flits_of_own_packet(&self) -> u32 {
        u32::from(self.detection.is_some_and(|detection| detection.noc))
    }

    /// Whether a load that sends no request has to wait.
    pub(super) fn hit_buffer_is_full(&self, at: usize) -> bool {
        let packets = self.multiprocessors[at].packets_of_hits;
        self.detection.is_some_and(|detection| detection.lhd)
            && packets >= self.configuration.hit_buffer.max(1)
    }

    /// Sends the packet of a load that sends no request.
    pub(super) fn report_hit(&mut self, at: usize, line: Line, time: u64) {
        if self.detection.is_none() {
            return;
        }
        self.multiprocessors[at].packets_of_hits += 1;
        self.outcome.packets.of_hits += 1;
        self.send(at, 0, Kind::OfHit, line, self.flits_of_own_packet(), time);
    }

    /// Sends the packet of a fence, to the part of the fence file that has the warp.
    pub(super) fn report_fence(&mut self, at: usize, slot: u32, time: u64) {
        if self.detection.is_none() {
            return;
        }
        self.outcome.packets.of_fences += 1;
        let places = self.multiprocessors[at].warps.len() as u32;
        let number =
            self.stripes.line((at as u32 * places + slot) as usize % self.partitions.len(), 0);
        let line = Line { number, words: 0, lanes: 0, most_on_a_word: 0 };
        self.send(at, slot, Kind::OfFence, line, self.flits_of_own_packet(), time);
    }

    /// Whether a packet can come in at a partition. One always can, so that all get there.
    pub(super) fn detector_has_room(&self, at: usize, packet: Number) -> bool {
        let what = self.transactions.get(packet);
        let under_way = self.partitions[at].lookups;
        let more = self.lookups_of(what).count() as u32;
        under_way == 0
            || more == 0
            || under_way + more <= self.configuration.lookups_per_partition.max(1)
    }

    /// The lines of metadata that a packet's check needs.
    fn lookups_of(&self, what: &Transaction) -> impl Iterator<Item = u32> + use<> {
        let counts = self.detection.is_some_and(|detection| detection.md);
        let region = self.region.filter(|_| counts);
        let (line, words) = (what.line, what.words);
        region.into_iter().flat_map(move |region| region.lines_of(line, words))
    }

    /// Begins the check of a packet.
    pub(super) fn check(&mut self, at: usize, packet: Number) {
        let what = *self.transactions.get(packet);
        let own = what.kind == Kind::OfHit;
        let mut begun = 0;
        for line in self.lookups_of(&what) {
            begun += 1;
            self.begin_lookup(at, line, if own { packet } else { NOBODY });
        }
        if own && begun > 0 {
            self.transactions.get_mut(packet).link = begun;
        } else if own {
            self.end_packet_of_hit(packet);
        } else if what.kind == Kind::OfFence {
            self.transactions.end(packet);
        }
    }

    fn begin_lookup(&mut self, at: usize, line: u32, packet: Number) {
        let lookup = self.transactions.begin(Transaction {
            kind: Kind::Lookup,
            line,
            words: 0,
            lanes: 0,
            most_on_a_word: 0,
            flits: 0,
            from: at as u32,
            warp: 0,
            link: packet,
            next: NOBODY,
        });
        self.partitions[at].lookups += 1;
        let (place, _) = self.stripes.place(line);
        let turn = self.partitions[place].checks.pass(self.agenda.now(), 1);
        self.agenda.put(turn, Happening::LookUp { lookup });
    }

    /// It is a lookup's turn: it joins another one of the same line, or asks the L2.
    pub(super) fn look_up(&mut self, lookup: Number) {
        let (place, local) = self.stripes.place(self.transactions.get(lookup).line);
        let partition = &mut self.partitions[place];
        if let Some(last) = partition.looked_up.insert(local, lookup) {
            self.outcome.lookups_joined += 1;
            self.transactions.get_mut(last).next = lookup;
            return;
        }
        let accesses = self.configuration.accesses_of_lookup;
        let begun = partition.array.pass(self.agenda.now(), accesses);
        let hit = partition.l2.touch(local, true);
        self.outcome.l2_metadata.count(hit);
        if hit {
            let there = begun + self.configuration.l2_latency;
            self.agenda.put(there, Happening::LookedUp { lookup });
        } else {
            self.want(place, local, true, lookup);
        }
    }

    /// Metadata is there: the checks of all who looked it up are made.
    pub(super) fn looked_up(&mut self, lookup: Number) {
        let (place, local) = self.stripes.place(self.transactions.get(lookup).line);
        self.partitions[place].looked_up.remove(&local);
        let mut next = lookup;
        while next != NOBODY {
            let checked = self.transactions.end(next);
            self.checked(checked);
            next = checked.next;
        }
    }

    /// A check is made, and the next packets can come in.
    fn checked(&mut self, what: Transaction) {
        self.outcome.lookups_ended += 1;
        if what.link != NOBODY {
            let packet = self.transactions.get_mut(what.link);
            packet.link -= 1;
            if packet.link == 0 {
                self.end_packet_of_hit(what.link);
            }
        }
        let at = what.from as usize;
        self.partitions[at].lookups -= 1;
        while let Some(packet) = self.partitions[at].blocked.front().copied() {
            if !self.detector_has_room(at, packet) {
                break;
            }
            self.partitions[at].blocked.pop_front();
            self.accept(at, packet);
        }
    }

    fn end_packet_of_hit(&mut self, packet: Number) {
        let at = self.transactions.end(packet).from as usize;
        self.multiprocessors[at].packets_of_hits -= 1;
        self.room_at(at);
    }
}
