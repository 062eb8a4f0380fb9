//! Where the history of a byte is: in references, tables and software.
//!
//! A byte's history is spread over its primary reference, its secondary one, tables and software. [`Parts::full`] puts it together, and is the
//! invariant of everything here: whatever moves between the parts, it stays the same.

use super::buffer::Buffer;
use super::line::Line;
use super::partition::{ByteMask, Partition, lowest};
use super::reference::{Index, Ref, Tid};
use super::settings::{Settings, ShortCut};
use super::software::History;
use super::table::Table;
use warpsan_thread_detect::Epoch;

/// What is known of a line of data.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) primary: Option<Line>,
    /// Only if the primary one is there.
    pub(super) secondary: Option<Line>,
    /// Histories in software. What counts of them is what references say.
    pub(super) software: Partition<History>,
    /// The most different histories that the line has had at a time.
    pub(super) most_distinct: u8,
}

impl Default for Pair {
    fn default() -> Pair {
        let software = Partition::new(History::default());
        Pair { primary: None, secondary: None, software, most_distinct: 0 }
    }
}

impl Pair {
    /// The bytes of a mask of which the same is known as of its lowest one.
    pub(super) fn alike(&self, mask: ByteMask) -> ByteMask {
        let byte = lowest(mask);
        let of =
            |line: &Option<Line>| line.as_ref().map_or(ByteMask::MAX, |line| line.part(byte).0);
        mask & of(&self.primary) & of(&self.secondary) & self.software.part(byte).0
    }

    /// Whether references say something of a byte that software does not know.
    fn has_more_than_software(&self, byte: usize) -> bool {
        let first = self.first(byte);
        let second = self.secondary.as_ref().filter(|_| first.has_next());
        let has_clock = |one: Ref| one.index() != Index::INVALID;
        first == Ref::NOBODY
            || has_clock(first)
            || second.is_some_and(|line| has_clock(line.get(byte)))
    }

    /// The primary reference of a byte.
    pub(super) fn first(&self, byte: usize) -> Ref {
        self.primary.as_ref().map_or(Ref::NOBODY, |line| line.get(byte))
    }
}

/// What lines share.
pub(super) struct Parts {
    pub(super) settings: Settings,
    pub(super) tables: Vec<Table>,
    pub(super) buffers: Vec<Buffer>,
}

impl Parts {
    pub(super) fn new(settings: &Settings) -> Parts {
        let coalesces = settings.short_cut == Some(ShortCut::Coalescing);
        let buffer = || Buffer::new(settings.buffer_entries, coalesces);
        Parts {
            settings: *settings,
            tables: vec![Table::new(settings.table_entries); Tid::COUNT as usize],
            buffers: (0..settings.cores).map(|_| buffer()).collect(),
        }
    }

    /// The primary line leaves the caches, and takes the secondary one with it. The answer is whether there were clocks in tables.
    pub(super) fn evict_primary(&mut self, pair: &mut Pair) -> bool {
        if pair.primary.is_none() {
            return false;
        }
        self.spill(pair);
        let lines = [pair.primary.take(), pair.secondary.take()];
        self.release_all(lines.iter().flatten().flat_map(Line::references))
    }

    /// The secondary line leaves the caches.
    pub(super) fn evict_secondary(&mut self, pair: &mut Pair) -> bool {
        if pair.secondary.is_none() {
            return false;
        }
        self.spill(pair);
        let gone = pair.secondary.take();
        self.release_all(gone.iter().flat_map(Line::references))
    }

    /// References are gone; whether any had its clock in a table.
    fn release_all(&mut self, references: impl Iterator<Item = Ref>) -> bool {
        let mut has_clocks = false;
        for reference in references {
            has_clocks |= reference.index() != Index::INVALID;
            self.release(reference);
        }
        has_clocks
    }

    /// Software gets the whole history of all bytes.
    fn spill(&self, pair: &mut Pair) {
        let mut rest = ByteMask::MAX;
        while rest != 0 {
            let group = pair.alike(rest);
            rest &= !group;
            if pair.has_more_than_software(lowest(group)) {
                let history = self.full(pair, lowest(group));
                pair.software.set(group, history);
            }
        }
    }

    /// A reference is gone.
    pub(super) fn release(&mut self, reference: Ref) {
        if let Some(tid) = reference.tid() {
            self.tables[tid.index()].remove(reference.index());
        }
    }

    /// A reference is there.
    pub(super) fn count(&mut self, reference: Ref) {
        if let Some(tid) = reference.tid() {
            self.tables[tid.index()].add(reference.index());
        }
    }

    /// The primary line goes over to 1:1 mode. Software has all histories then.
    pub(super) fn part_primary(&mut self, pair: &mut Pair) {
        self.spill(pair);
        self.part(pair.primary.as_mut());
    }

    /// The secondary line does.
    pub(super) fn part_secondary(&mut self, pair: &mut Pair) {
        self.spill(pair);
        self.part(pair.secondary.as_mut());
    }

    fn part(&mut self, line: Option<&mut Line>) {
        let Some(line) = line else { return };
        line.references().for_each(|one| self.release(one));
        line.part_bytes();
    }

    /// Gives bytes a reference for which there is room. The answer is whether the line went back to m:1 mode.
    pub(super) fn set(&mut self, line: &mut Line, group: ByteMask, to: Ref) -> bool {
        let to = if line.is_one_to_one() { to.shortened() } else { to };
        let changed = line.set(group, to);
        if changed.is_new {
            self.count(to);
        }
        changed.gone.into_iter().for_each(|one| self.release(one));
        line.share()
    }

    /// The epoch of a reference, if its clock is in a table.
    pub(super) fn epoch(&self, reference: Ref) -> Option<Epoch> {
        let tid = reference.tid()?;
        let clock = self.tables[tid.index()].clock(reference.index())?;
        Some(Epoch::new(clock, tid.thread()?))
    }

    /// All that is known of a byte.
    pub(super) fn full(&self, pair: &Pair, byte: usize) -> History {
        let software = pair.software.get(byte);
        let Some(primary) = &pair.primary else { return software.clone() };
        let first = primary.get(byte);
        if first == Ref::NOBODY {
            return History::default();
        }
        let second =
            pair.secondary.as_ref().filter(|_| first.has_next()).map(|line| line.get(byte));
        let second = second.filter(|one| one.tid().is_some());
        let Some(own) = self.epoch(first) else {
            // What is behind it may still be in a table.
            let mut history = software.clone();
            if let Some((second, epoch)) = second.and_then(|one| Some((one, self.epoch(one)?))) {
                match second.is_write() {
                    true => history.write = epoch,
                    false if !history.reads.contains(&epoch) => history.reads.insert(0, epoch),
                    false => {}
                }
            }
            return history;
        };
        if first.is_write() {
            return History::of_write(own);
        }
        let mut history = History::default();
        match second {
            None if first.has_next() => history = software.clone(),
            None => {}
            Some(second) if second.is_write() => {
                history.write = self.epoch(second).unwrap_or(software.write);
                if second.has_next() {
                    history.reads.clone_from(&software.reads);
                }
            }
            Some(second) => {
                let epoch = self.epoch(second);
                if second.has_next() || epoch.is_none() {
                    history.reads.clone_from(&software.reads);
                }
                let is_new = |epoch: &Epoch| !history.reads.contains(epoch);
                let epoch = epoch.filter(is_new);
                history.reads.extend(epoch);
            }
        }
        history.reads.retain(|one| one.thread() != own.thread());
        history.reads.push(own);
        history
    }
}
