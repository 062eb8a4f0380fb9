//! What is remembered of 128 bytes.

use super::entry::{parts, whole};
use super::scattered::Scattered;
use super::sheet::{Sheet, whole_words_of, words_of};
use super::strong_location::{StrongLocation, range};
use super::tally::Tally;
use super::{Entry, LINE, Role, ThisLaunch};
use crate::hb::ids::{Agent, BlockNumber};
use crate::hb::order::CopyEnd;

/// Lists below this length grow by one entry at a time.
const SHORT: usize = 4;

/// What is remembered of 128 bytes.
///
/// Weak writes of threads: a byte is in the newest one only, unless several lanes wrote it with one instruction.
/// Those of copies stay beside what they overwrote. Weak reads: those since the write.
#[derive(Debug)]
pub(crate) struct Line {
    /// A weak access. Most lines have no other.
    pub(crate) first: Entry,
    pub(crate) more: Option<Box<More>>,
}

/// What only some lines have.
#[derive(Debug, Default)]
pub(crate) struct More {
    /// Further weak accesses, none of them empty. The writes among them are in the order in which they were made.
    pub(crate) entries: Vec<Entry>,
    /// How many of the entries write.
    writes: u32,
    /// The reads are thinned out when there are as many entries.
    pub(super) read_limit: u32,
    /// Bytes whose next write is a race with a read that is remembered, whoever of the launch writes.
    settled: [u32; 4],
    /// The first block of that launch: what another launch settled says nothing about its successors.
    settled_since: BlockNumber,
    /// Reads by word, where many single lanes read.
    pub(super) scattered: Option<Box<Scattered>>,
    pub(crate) strong: Option<Box<Strong>>,
}

/// The strong accesses of a line.
#[derive(Debug, Default)]
pub(crate) struct Strong {
    /// Sorted by offset, then by size, each range once. None has bytes of a word that a sheet or the tally has.
    pub(crate) locations: Vec<StrongLocation>,
    /// Reductions that are alike. None is empty.
    pub(crate) sheets: Vec<Sheet>,
    /// The last of updates that are alike. It has no words where there are sheets.
    pub(crate) tally: Option<Box<Tally>>,
    /// The event whose reductions are being taken, and their sheet; 0 if the sheet has to be looked for again.
    pub(super) sheet_event: u64,
    pub(super) sheet_index: usize,
    pub(super) sheet_limit: usize,
}

impl Line {
    #[cfg(test)]
    pub(crate) const EMPTY: Line = Line { first: Entry::EMPTY, more: None };

    /// All weak accesses but those that are remembered by word.
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.first).chain(self.more.iter().flat_map(|more| &more.entries))
    }

    /// The weak writes.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|entry| entry.writes)
    }

    /// The weak reads, without those that are remembered by word.
    pub(crate) fn reads(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|entry| !entry.writes)
    }

    /// The strong accesses, if there were any.
    #[inline]
    pub(crate) fn strong(&self) -> Option<&Strong> {
        self.more.as_ref()?.strong.as_deref()
    }

    #[inline]
    pub(super) fn strong_mut(&mut self) -> Option<&mut Strong> {
        self.more.as_mut()?.strong.as_deref_mut()
    }

    /// A weak write to `cover` has been compared with everything: it takes the place of what was there.
    /// Reads through the read-only path stay, since no order helps against them.
    #[inline]
    pub(crate) fn replace(&mut self, new: Entry) {
        self.forget(new.cover());
        self.add_write(new);
    }

    /// Forgets what was done to the bytes.
    #[inline]
    pub(crate) fn forget(&mut self, cover: u128) {
        self.first.forget(cover);
        if self.more.is_some() {
            self.forget_more(cover);
        }
    }

    #[inline(never)]
    fn forget_more(&mut self, cover: u128) {
        if self.strong().is_some_and(Strong::has_words) {
            // Words that lose only some of their bytes are looked at by themselves from now on.
            let whole = whole_words_of(cover);
            self.separate_reductions(cover & !bytes_of(whole));
            if let Some(strong) = self.strong_mut() {
                strong.clear_words(whole);
            }
        }
        if let Some(more) = &mut self.more {
            more.forget(cover);
        }
    }

    /// Remembers a write beside those there are.
    #[inline]
    pub(crate) fn add_write(&mut self, new: Entry) {
        if self.first.is_empty() {
            self.first = new;
        } else if self.first.is_alike(&new) {
            self.first.set_cover(self.first.cover() | new.cover());
        } else {
            self.more.get_or_insert_default().add_write(new);
        }
    }

    /// Remembers the write of an asynchronous copy. It replaces only earlier copies that everybody knows
    /// who knows it: `end` gives how others come to know of the end of a bulk copy.
    pub(crate) fn add_copy(&mut self, new: Entry, end: impl Fn(&Entry) -> Option<CopyEnd>) {
        self.separate_reductions(new.cover());
        for location in self.strong_mut().into_iter().flat_map(|strong| &mut strong.locations) {
            if range(location.offset, location.bytes) & new.cover() != 0 {
                location.current = false;
                location.chain = None;
            }
        }
        self.first = without_older(self.first, &new, &end);
        if let Some(more) = &mut self.more {
            let entries = std::mem::take(&mut more.entries);
            for (index, old) in entries.iter().enumerate() {
                // A newer one that signalled the same object stands for it.
                let mut newer = entries[index + 1..].iter();
                let newer = newer.find(|newer| newer.writes && newer.agent == old.agent);
                let kept = newer.map_or(*old, |newer| without_older(*old, newer, &end));
                let kept = without_older(kept, &new, &end);
                if !kept.is_empty() {
                    more.entries.push(kept);
                }
            }
            more.count_writes();
        }
        self.add_write(new);
    }

    /// A strong write to these bytes: what other locations of strong accesses had there is not there any
    /// more.
    pub(crate) fn overwrite_other_locations(&mut self, offset: u8, bytes: u8) {
        for location in self.strong_mut().into_iter().flat_map(|strong| &mut strong.locations) {
            if (location.offset, location.bytes) != (offset, bytes)
                && range(location.offset, location.bytes) & range(offset, bytes) != 0
            {
                location.current = false;
                location.chain = None;
            }
        }
    }

    /// The location of strong accesses to these bytes, if there were any.
    pub(crate) fn existing_location(&self, offset: u8, bytes: u8) -> Option<&StrongLocation> {
        let locations = &self.strong()?.locations;
        locations.get(index_of_location(locations, offset, bytes).ok()?)
    }

    /// The location of strong accesses to these bytes.
    pub(crate) fn location(&mut self, offset: u8, bytes: u8) -> &mut StrongLocation {
        let locations =
            &mut self.more.get_or_insert_default().strong.get_or_insert_default().locations;
        let index = index_of_location(locations, offset, bytes).unwrap_or_else(|index| {
            if locations.is_empty() {
                locations.reserve_exact(1);
            }
            locations.insert(index, StrongLocation::new(offset, bytes));
            index
        });
        &mut locations[index]
    }

    /// Fails where an invariant of the fields is broken.
    pub(super) fn check_invariants(&self) {
        self.entries().for_each(Entry::check_invariants);
        let by_threads = || self.writes().filter(|write| write.agent == Agent::Thread);
        for (index, one) in by_threads().enumerate() {
            let mut others = by_threads().skip(index + 1);
            debug_assert!(
                others.all(|other| one.cover() & other.cover() == 0 || one.is_same_event(other)),
                "a byte is in the newest weak write only"
            );
        }
        if let Some(more) = &self.more {
            more.check_invariants();
        }
    }

    /// Bytes of memory that it takes elsewhere.
    pub(super) fn bytes_besides(&self) -> usize {
        let Some(more) = &self.more else { return 0 };
        let entries = more.entries.capacity() * size_of::<Entry>();
        let scattered = more.scattered.as_ref().map_or(0, |scattered| scattered.bytes());
        let strong = more.strong.as_ref().map_or(0, |strong| strong.bytes());
        size_of::<More>() + entries + scattered + strong
    }
}

/// An earlier copy without the bytes for which a later one stands.
fn without_older(old: Entry, newer: &Entry, end: impl Fn(&Entry) -> Option<CopyEnd>) -> Entry {
    let same_thread =
        old.block == newer.block && old.warp == newer.warp && old.lanes == newer.lanes;
    let known_with_it = old.writes
        && old.role != Role::Reduces
        && newer.role != Role::Reduces
        && old.agent == newer.agent
        && match old.agent {
            Agent::Thread => false,
            Agent::ThreadCopy => same_thread && old.epoch <= newer.epoch,
            Agent::BulkCopy | Agent::AsyncStore => {
                let ends = end(&old).zip(end(newer));
                ends.is_some_and(|(ours, theirs)| {
                    ours.object == theirs.object
                        && ours.order <= theirs.order
                        && (ours.object.is_some() || same_thread)
                })
            }
        };
    if known_with_it { old.with_cover(old.cover() & !newer.cover()) } else { old }
}

impl More {
    fn check_invariants(&self) {
        let writes = self.entries.iter().filter(|entry| entry.writes).count();
        debug_assert_eq!(self.writes as usize, writes, "writes are counted");
        debug_assert!(!self.entries.iter().any(Entry::is_empty), "no entry of a list is empty");
        if let Some(strong) = &self.strong {
            strong.check_invariants();
        }
    }

    /// Nobody wrote, besides what is in the line itself.
    #[inline]
    pub(crate) fn has_only_reads(&self) -> bool {
        self.writes == 0 && self.strong.as_ref().is_none_or(|strong| strong.is_empty())
    }

    /// There are no weak accesses, besides what is in the line itself.
    #[inline]
    pub(super) fn has_only_strong(&self) -> bool {
        self.entries.is_empty() && self.scattered.is_none()
    }

    #[inline]
    pub(super) fn settled(&self, launch: ThisLaunch) -> u128 {
        if self.settled_since == launch.first_block { whole(self.settled) } else { 0 }
    }

    /// For the rest of the launch, nobody has to remember reads of these bytes.
    pub(super) fn settle(&mut self, cover: u128, launch: ThisLaunch) {
        self.settled = parts(self.settled(launch) | cover);
        self.settled_since = launch.first_block;
    }

    fn add_write(&mut self, new: Entry) {
        match self.entries.iter_mut().find(|old| old.is_alike(&new)) {
            Some(old) => old.set_cover(old.cover() | new.cover()),
            None => {
                self.push(new);
                self.writes += 1;
            }
        }
    }

    /// Adds an entry. Short lists, of which there are many, take no more memory than they need.
    pub(super) fn push(&mut self, new: Entry) {
        if self.entries.len() < SHORT {
            self.entries.reserve_exact(1);
        }
        self.entries.push(new);
    }

    fn count_writes(&mut self) {
        self.writes = self.entries.iter().filter(|entry| entry.writes).count() as u32;
    }

    /// Forgets all accesses to the bytes.
    fn forget(&mut self, cover: u128) {
        self.settled = parts(whole(self.settled) & !cover);
        for entry in &mut self.entries {
            entry.forget(cover);
        }
        self.entries.retain(|entry| !entry.is_empty());
        self.count_writes();
        if let Some(scattered) = &mut self.scattered {
            scattered.forget(whole_words_of(cover));
        }
        if let Some(strong) = &mut self.strong {
            strong.forget(cover);
        }
    }
}

impl Strong {
    fn check_invariants(&self) {
        let range_of = |location: &StrongLocation| (location.offset, location.bytes);
        debug_assert!(
            self.locations.is_sorted_by(|one, next| range_of(one) < range_of(next)),
            "locations are sorted"
        );
        self.locations.iter().for_each(StrongLocation::check_invariants);
        self.sheets.iter().for_each(Sheet::check_invariants);
        let updated = self.tally.as_ref().map_or(0, |tally| tally.words);
        let reduced = self.sheets.iter().fold(0, |words, sheet| words | sheet.words);
        debug_assert!(self.sheets.is_empty() || updated == 0, "sheets, or a tally");
        let has_word = |location: &StrongLocation| {
            words_of(range(location.offset, location.bytes)) & (updated | reduced) != 0
        };
        debug_assert!(!self.locations.iter().any(has_word), "a word is remembered in one way");
        debug_assert!(self.sheet_event == 0 || self.sheet_index < self.sheets.len());
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.locations.is_empty() && !self.has_words()
    }

    /// Some words have reductions or updates that are alike.
    #[inline]
    pub(super) fn has_words(&self) -> bool {
        !self.sheets.is_empty() || self.tally.as_ref().is_some_and(|tally| tally.words != 0)
    }

    fn forget(&mut self, cover: u128) {
        for location in &mut self.locations {
            if range(location.offset, location.bytes) & cover != 0 {
                location.live &= !cover;
                location.current = false;
                location.chain = None;
            }
        }
        self.locations.retain(|location| location.live != 0);
    }

    fn bytes(&self) -> usize {
        let locations = self.locations.capacity() * size_of::<StrongLocation>();
        let lists: usize = self.locations.iter().map(StrongLocation::bytes_besides).sum();
        let sheets = self.sheets.capacity() * size_of::<Sheet>();
        let tally = self.tally.as_ref().map_or(0, |tally| tally.bytes());
        size_of::<Strong>() + locations + lists + sheets + tally
    }

    /// Forgets the reductions of some words.
    pub(super) fn clear_words(&mut self, words: u32) {
        self.sheet_event = 0;
        for sheet in &mut self.sheets {
            sheet.clear(words);
        }
        self.sheets.retain(|sheet| sheet.words != 0);
        if let Some(tally) = &mut self.tally {
            tally.clear(words);
        }
    }
}

/// Where a place is, or where it would have to be.
fn index_of_location(strong: &[StrongLocation], offset: u8, bytes: u8) -> Result<usize, usize> {
    strong.binary_search_by_key(&(offset, bytes), |location| (location.offset, location.bytes))
}

/// The bytes of words.
fn bytes_of(words: u32) -> u128 {
    warpsan_model::lanes(words).fold(0, |bytes, word| bytes | 0xf << (word * 4))
}

/// The bytes of the line at `base` that are among those from `start`.
pub(crate) fn cover_of(base: u64, start: u64, bytes: u64) -> u128 {
    let from = start.max(base) - base;
    let end = start.saturating_add(bytes).min(base.saturating_add(LINE)) - base;
    match end.saturating_sub(from) {
        0 => 0,
        LINE => u128::MAX,
        count => ((1u128 << count) - 1) << from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hb::ids::SiteNumber;

    #[test]
    fn a_write_takes_its_bytes_from_what_was_there() {
        let mut line = Line::EMPTY;
        let write = |site| Entry { site: SiteNumber(site), lanes: 1, writes: true, ..Entry::EMPTY };
        let sites = |line: &Line| line.entries().map(|entry| entry.site.0).collect::<Vec<_>>();
        line.replace(write(1).with_cover(u128::MAX));
        let read = Entry { writes: false, ..write(2) };
        line.add_read(read.with_cover(0xff00), |_| false, |_| false, ThisLaunch::default());
        line.replace(write(3).with_cover(0x0ff0));
        assert_eq!(sites(&line), [1, 2, 3]);
        let covers: Vec<u128> = line.entries().map(Entry::cover).collect();
        assert_eq!(covers, [!0x0ff0, 0xf000, 0x0ff0]);
        assert_eq!((line.writes().count(), line.reads().count()), (2, 1));
        line.replace(write(4).with_cover(u128::MAX));
        assert_eq!(sites(&line), [4]);
    }

    #[test]
    fn covers_are_cut_at_the_ends_of_a_line() {
        assert_eq!(cover_of(128, 120, 16), 0xff);
        assert_eq!(cover_of(128, 252, 8), 0xf << 124);
        assert_eq!(cover_of(128, 128, 128), u128::MAX);
        assert_eq!(cover_of(128, 0, 1000), u128::MAX);
        assert_eq!(cover_of(128, 64, 64), 0);
    }
}
