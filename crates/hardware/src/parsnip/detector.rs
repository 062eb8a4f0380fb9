//! Metadata of all memory, and who asks for it.

use super::access::Access;
use super::histories::{Pair, Parts};
use super::line::Line;
use super::partition::{BYTES, ByteMask};
use super::reference::Tid;
use super::settings::Settings;
use super::software::Kind;
use rustc_hash::FxHashMap;
use warpsan_thread_detect::{Conflict, Epoch, VectorClock};

/// Who accesses.
#[derive(Clone, Copy)]
pub(super) struct Who<'a> {
    pub(super) epoch: Epoch,
    pub(super) clock: &'a VectorClock,
}

impl Who<'_> {
    pub(super) fn tid(&self) -> Option<Tid> {
        Tid::of(self.epoch.thread())
    }
}

/// What resolved a check, from the cheapest on (figure 4.10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// References alone: who it was, and whether it wrote.
    #[default]
    Capability,
    /// A clock in the table of the core itself.
    LocalTable,
    /// A clock in the table of another core.
    RemoteTable,
    /// An epoch on its way to software.
    Buffer,
    /// A software handler.
    Software,
}

/// What a check has used, for those who count cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) source: Source,
    pub(super) local_lookups: u32,
    pub(super) remote_lookups: u32,
    /// The primary line was not in a cache.
    pub(super) was_missing: bool,
    /// Nobody had accessed the line.
    pub(super) was_cold: bool,
    /// The secondary line was looked at.
    pub(super) secondary: bool,
    pub(super) primary_changed: bool,
    pub(super) secondary_changed: bool,
    /// Software handlers that made a check.
    pub(super) software_checks: u32,
    /// Buffers that were full.
    pub(super) drains: u32,
    /// Entries that went to software without a buffer.
    pub(super) unbuffered: u32,
    /// Clocks that a table had no room for.
    pub(super) rejections: u32,
    /// Lines that went from one mode to the other.
    pub(super) switches: u32,
}

/// Metadata of all memory.
pub(super) struct Detector {
    parts: Parts,
    /// Where a line is in `pairs`.
    numbers: FxHashMap<u64, u32>,
    pairs: Vec<Pair>,
}

impl Detector {
    pub(super) fn new(settings: &Settings) -> Detector {
        Detector { parts: Parts::new(settings), numbers: FxHashMap::default(), pairs: Vec::new() }
    }

    /// Checks an access to bytes of one line. `found` gets bytes that race.
    pub(super) fn check(
        &mut self,
        who: &Who<'_>,
        line: u64,
        mask: ByteMask,
        kind: Kind,
        found: &mut dyn FnMut(ByteMask, Conflict),
    ) -> Used {
        let mut used = Used::default();
        let pair = pair(&mut self.numbers, &mut self.pairs, line);
        let parts = &mut self.parts;
        Access { parts, pair, who, line, kind, used: &mut used }.check(mask, found);
        if used.primary_changed {
            let distinct = pair.primary.as_ref().map_or(0, Line::distinct) as u8;
            pair.most_distinct = pair.most_distinct.max(distinct);
        }
        used
    }

    /// Memory is given back, which is a write to all of it. Software knows of it, whatever is in caches.
    pub(super) fn free(
        &mut self,
        who: &Who<'_>,
        line: u64,
        mask: ByteMask,
        found: &mut dyn FnMut(ByteMask, Conflict),
    ) {
        let pair = pair(&mut self.numbers, &mut self.pairs, line);
        let used = &mut Used::default();
        let parts = &mut self.parts;
        Access { parts, pair, who, line, kind: Kind::Write, used }.free(mask, found);
    }

    /// Memory was given out: nobody has accessed these bytes.
    pub(super) fn forget(&mut self, who: &Who<'_>, line: u64, mask: ByteMask) {
        let Some(pair) = known(&self.numbers, &mut self.pairs, line) else { return };
        let used = &mut Used::default();
        let parts = &mut self.parts;
        Access { parts, pair, who, line, kind: Kind::Write, used }.forget(mask);
        let first = line * BYTES as u64;
        self.parts.buffers.iter_mut().for_each(|buffer| buffer.forget(first, first + BYTES as u64));
    }

    /// Lines whose references are in caches.
    pub(super) fn lines_in_caches(&self) -> Vec<u64> {
        let is_there = |number: u32| self.pairs[number as usize].primary.is_some();
        let there = self.numbers.iter().filter(|(_, number)| is_there(**number));
        there.map(|(line, _)| *line).collect()
    }

    /// The primary line leaves the caches, and takes the secondary one with it. The answer is whether there were clocks in tables.
    pub(super) fn evict_primary(&mut self, line: u64) -> bool {
        let pair = known(&self.numbers, &mut self.pairs, line);
        pair.is_some_and(|pair| self.parts.evict_primary(pair))
    }

    /// The secondary line leaves the caches.
    pub(super) fn evict_secondary(&mut self, line: u64) -> bool {
        let pair = known(&self.numbers, &mut self.pairs, line);
        pair.is_some_and(|pair| self.parts.evict_secondary(pair))
    }

    /// For each line that was accessed, the most different histories that it had at a time (figure 4.1).
    pub(super) fn most_distinct(&self) -> impl Iterator<Item = u8> {
        self.pairs.iter().map(|pair| pair.most_distinct)
    }
}

/// What is known of a line that was accessed before.
fn known<'p>(
    numbers: &FxHashMap<u64, u32>,
    pairs: &'p mut [Pair],
    line: u64,
) -> Option<&'p mut Pair> {
    numbers.get(&line).map(|number| &mut pairs[*number as usize])
}

/// What is known of a line, which may be new.
fn pair<'p>(
    numbers: &mut FxHashMap<u64, u32>,
    pairs: &'p mut Vec<Pair>,
    line: u64,
) -> &'p mut Pair {
    let number = *numbers.entry(line).or_insert_with(|| {
        pairs.push(Pair::default());
        pairs.len() as u32 - 1
    });
    &mut pairs[number as usize]
}

#[cfg(test)]
mod tests;
