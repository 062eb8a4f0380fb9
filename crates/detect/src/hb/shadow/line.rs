use super::place::{StrongPlace, range};
use super::sheet::{Sheet, whole_words_of};
use super::tally::Tally;
use super::{Agent, Entry, LINE};

/// What tells of the end of a bulk copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopyEnd {
    /// The `mbarrier` object that it told; none if its thread waits for it.
    pub(crate) object: Option<(u32, u64)>,
    /// Who knows the end of one knows that of those with smaller numbers.
    pub(crate) order: u64,
}

/// What is remembered of 128 bytes.
#[derive(Debug)]
pub(crate) struct Line {
    /// Weak writes of one kind; further ones are in `more`. A byte is in the newest write only, unless
    /// several lanes wrote it with one instruction.
    pub(crate) write: Entry,
    /// Reads of one kind since the write; further ones are in `more`.
    pub(crate) read: Entry,
    pub(crate) more: Option<Box<More>>,
}

/// What only some lines have.
#[derive(Debug, Default)]
pub(crate) struct More {
    pub(crate) writes: Vec<Entry>,
    pub(crate) reads: Vec<Entry>,
    /// Sorted by offset, then by size.
    pub(crate) strong: Vec<StrongPlace>,
    /// Bytes whose next write is a race with a read that is remembered, whoever writes.
    pub(crate) settled: u128,
    /// The reads are thinned out when there are as many.
    pub(crate) read_limit: usize,
    /// Reductions that are alike.
    pub(crate) sheets: Vec<Sheet>,
    /// The last of updates that are alike.
    pub(crate) tally: Option<Box<Tally>>,
    /// The event whose reductions are being taken, and their sheet.
    pub(super) sheet_event: u64,
    pub(super) sheet_index: usize,
    pub(super) sheet_limit: usize,
}

impl Line {
    #[cfg(test)]
    pub(crate) const EMPTY: Line = Line { write: Entry::EMPTY, read: Entry::EMPTY, more: None };

    /// The weak writes.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &Entry> {
        let more = self.more.iter().flat_map(|more| &more.writes);
        std::iter::once(&self.write).chain(more)
    }

    /// The weak reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = &Entry> {
        let more = self.more.iter().flat_map(|more| &more.reads);
        std::iter::once(&self.read).chain(more)
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
        let keep = !cover;
        self.write.set_cover(self.write.cover() & keep);
        if !self.read.read_only_path {
            self.read.set_cover(self.read.cover() & keep);
        }
        if self.more.as_ref().is_some_and(|more| more.has_words()) {
            // Words that lose only some of their bytes are looked at by themselves from now on.
            let whole = whole_words_of(cover);
            self.separate_reductions(cover & !bytes_of(whole));
            if let Some(more) = &mut self.more {
                more.clear_words(whole);
            }
        }
        if let Some(more) = &mut self.more {
            more.forget(keep);
        }
    }

    /// Remembers a write beside those there are.
    #[inline]
    pub(crate) fn add_write(&mut self, new: Entry) {
        if self.write.is_empty() {
            self.write = new;
        } else if self.write.is_alike(&new) {
            self.write.set_cover(self.write.cover() | new.cover());
        } else {
            let writes = &mut self.more.get_or_insert_default().writes;
            match writes.iter_mut().find(|old| old.is_alike(&new)) {
                Some(old) => old.set_cover(old.cover() | new.cover()),
                None => {
                    if writes.is_empty() {
                        writes.reserve_exact(1);
                    }
                    writes.push(new);
                }
            }
        }
    }

    /// Remembers the write of an asynchronous copy. It replaces only earlier copies that everybody knows
    /// who knows it: `end` gives what tells of the end of a bulk copy, and in which order.
    pub(crate) fn add_copy(&mut self, new: Entry, end: impl Fn(&Entry) -> Option<CopyEnd>) {
        self.separate_reductions(new.cover());
        for place in self.more.iter_mut().flat_map(|more| &mut more.strong) {
            if range(place.offset, place.bytes) & new.cover() != 0 {
                place.current = false;
                place.chain = None;
            }
        }
        self.write = without_older(self.write, &new, &end);
        if let Some(more) = &mut self.more {
            let writes = std::mem::take(&mut more.writes);
            for (index, old) in writes.iter().enumerate() {
                // A newer one that told the same object stands for it.
                let newer = writes[index + 1..].iter().find(|newer| newer.agent == old.agent);
                let kept = newer.map_or(*old, |newer| without_older(*old, newer, &end));
                let kept = without_older(kept, &new, &end);
                if !kept.is_empty() {
                    more.writes.push(kept);
                }
            }
        }
        self.add_write(new);
    }

    /// A strong write to these bytes: what other places of strong accesses had there is not there any
    /// more.
    pub(crate) fn overwrite_other_places(&mut self, offset: u8, bytes: u8) {
        let Some(more) = &mut self.more else { return };
        for place in &mut more.strong {
            if (place.offset, place.bytes) != (offset, bytes)
                && range(place.offset, place.bytes) & range(offset, bytes) != 0
            {
                place.current = false;
                place.chain = None;
            }
        }
    }

    /// The place of strong accesses to these bytes, if there were any.
    pub(crate) fn existing_place(&self, offset: u8, bytes: u8) -> Option<&StrongPlace> {
        let strong = &self.more.as_ref()?.strong;
        strong.get(index_of_place(strong, offset, bytes).ok()?)
    }

    /// The place of strong accesses to these bytes.
    pub(crate) fn place(&mut self, offset: u8, bytes: u8) -> &mut StrongPlace {
        let strong = &mut self.more.get_or_insert_default().strong;
        let index = index_of_place(strong, offset, bytes).unwrap_or_else(|index| {
            if strong.is_empty() {
                strong.reserve_exact(1);
            }
            strong.insert(index, StrongPlace::new(offset, bytes));
            index
        });
        &mut strong[index]
    }

    /// Bytes of memory that it takes elsewhere.
    pub(super) fn bytes_besides(&self) -> usize {
        self.more.as_ref().map_or(0, |more| {
            let entries = (more.writes.capacity() + more.reads.capacity()) * size_of::<Entry>();
            let strong = more.strong.capacity() * size_of::<StrongPlace>();
            let lists: usize = more.strong.iter().map(StrongPlace::bytes_besides).sum();
            let sheets = more.sheets.capacity() * size_of::<Sheet>();
            let tally = more.tally.as_ref().map_or(0, |tally| tally.bytes());
            size_of::<More>() + entries + strong + lists + sheets + tally
        })
    }
}

/// An earlier copy without the bytes of which a later one tells as much.
fn without_older(old: Entry, newer: &Entry, end: impl Fn(&Entry) -> Option<CopyEnd>) -> Entry {
    let same_thread =
        old.block == newer.block && old.warp == newer.warp && old.lanes == newer.lanes;
    let known_with_it = !old.reduces
        && !newer.reduces
        && old.agent == newer.agent
        && match old.agent {
            Agent::Thread => false,
            Agent::ThreadCopy => same_thread && old.epoch <= newer.epoch,
            Agent::BulkCopy => {
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
    /// Nobody wrote, besides what is in the line itself.
    #[inline]
    pub(crate) fn has_only_reads(&self) -> bool {
        self.writes.is_empty() && self.strong.is_empty() && !self.has_words()
    }

    /// Some words have reductions or updates that are alike.
    #[inline]
    pub(super) fn has_words(&self) -> bool {
        !self.sheets.is_empty() || self.tally.as_ref().is_some_and(|tally| tally.words != 0)
    }

    /// Forgets all accesses to bytes that are not to be kept.
    fn forget(&mut self, keep: u128) {
        self.settled &= keep;
        for entry in &mut self.writes {
            entry.set_cover(entry.cover() & keep);
        }
        self.writes.retain(|entry| !entry.is_empty());
        for entry in self.reads.iter_mut().filter(|entry| !entry.read_only_path) {
            entry.set_cover(entry.cover() & keep);
        }
        self.reads.retain(|entry| !entry.is_empty());
        for place in &mut self.strong {
            if range(place.offset, place.bytes) & !keep != 0 {
                place.live &= keep;
                place.current = false;
                place.chain = None;
            }
        }
        self.strong.retain(|place| place.live != 0);
    }
}

/// Where a place is, or where it would have to be.
fn index_of_place(strong: &[StrongPlace], offset: u8, bytes: u8) -> Result<usize, usize> {
    strong.binary_search_by_key(&(offset, bytes), |place| (place.offset, place.bytes))
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

    #[test]
    fn a_write_takes_its_bytes_from_what_was_there() {
        let mut line = Line::EMPTY;
        let entry = |site| Entry { site, lanes: 1, ..Entry::EMPTY };
        line.replace(entry(1).with_cover(u128::MAX));
        line.read = entry(2).with_cover(0xff00);
        line.replace(entry(3).with_cover(0x0ff0));
        assert_eq!(line.write.cover(), !0x0ff0);
        assert_eq!(line.read.cover(), 0xf000);
        let more = line.more.as_ref().unwrap();
        assert_eq!((more.writes[0].site, more.writes[0].cover()), (3, 0x0ff0));
        line.replace(entry(4).with_cover(u128::MAX));
        assert_eq!(line.writes().filter(|entry| !entry.is_empty()).count(), 1);
        assert_eq!(line.write.site, 4);
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
