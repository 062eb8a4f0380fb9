//! One weak access of lanes that share a view, line by line.

use super::SiteInfo;
use super::compare::{Who, line_of};
use super::segments::Segment;
use super::shadow::{Entry, LINE, Mapping, Shadow, cover_of};
use super::stored::{Stored, store_values};
use super::weak::{self, Setting};
use warpsan_event::{Access, AccessKind};

/// What is done with a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It is compared with the past, and takes its place.
    Both,
    /// It is compared with the past.
    Compare,
    /// The past is forgotten.
    Clear,
    /// It becomes part of the past.
    Add,
}

/// What all pieces have in common.
pub(super) struct Pass<'a, 'v> {
    pub(super) access: &'a Access<'v>,
    /// Bytes of one lane.
    pub(super) size: u64,
    pub(super) step: Step,
    pub(super) byte_exact: bool,
    pub(super) who: Who<'a>,
    pub(super) setting: Setting<'a>,
    pub(super) shadow: &'a mut Shadow,
    pub(super) sites: &'a [SiteInfo],
}

impl Pass<'_, '_> {
    #[inline]
    pub(super) fn segment(&mut self, mut entry: Entry, segment: Segment) {
        entry.lanes = segment.lanes;
        let size = self.size;
        let Some(shift) = segment.shift else {
            entry.mapping = Mapping::UNIFORM;
            self.lines(&entry, segment.first, segment.first.saturating_add(size), |base| {
                cover_of(base, segment.first, size)
            });
            return;
        };
        entry.mapping = Mapping::strided(segment.first, shift);
        let (low, high) = (segment.lanes.trailing_zeros(), 31 - segment.lanes.leading_zeros());
        let start = segment.address(low);
        let end = segment.address(high).saturating_add(size);
        if 1 << shift == size && segment.lanes.count_ones() == high - low + 1 {
            self.lines(&entry, start, end, |base| cover_of(base, start, end.wrapping_sub(start)));
        } else {
            self.lines(&entry, start, end, |base| gaps(base, &segment, size));
        }
    }

    /// The lines from `start` to `end`, with the bytes of each.
    #[inline]
    fn lines(&mut self, entry: &Entry, start: u64, end: u64, cover: impl Fn(u64) -> u128) {
        let mut base = line_of(start);
        while base < end {
            match cover(base) {
                0 => {}
                bytes => self.line(base, entry.with_cover(bytes)),
            }
            let Some(next) = base.checked_add(LINE) else { break };
            base = next;
        }
    }

    #[inline]
    fn line(&mut self, base: u64, mut entry: Entry) {
        if !self.byte_exact {
            entry.set_cover(whole_words(entry.cover()));
        }
        let line = self.shadow.line(base);
        if self.access.kind == AccessKind::Read {
            return weak::read(line, base, &entry, &self.who, &mut self.setting);
        }
        if matches!(self.step, Step::Both | Step::Compare) {
            let before = self.setting.found.len();
            weak::compare_write(line, base, &entry, &self.who, &mut self.setting);
            if self.setting.found.len() > before {
                let values = self.shadow.values(base);
                let stored = Stored { access: self.access, base, values, sites: self.sites };
                stored.tell_apart(self.setting.found, before);
            }
        }
        let line = self.shadow.line(base);
        match self.step {
            Step::Compare => return,
            Step::Both => line.replace(entry),
            Step::Clear => return line.forget(entry.cover()),
            Step::Add => line.add_write(entry),
        }
        if !self.access.values.is_empty() {
            store_values(self.shadow.values(base), base, self.access, &entry);
        }
    }
}

/// The bytes of a line that lanes with gaps between them access.
fn gaps(base: u64, segment: &Segment, size: u64) -> u128 {
    let touches =
        |start: u64| start < base.saturating_add(LINE) && start.saturating_add(size) > base;
    segment
        .addresses()
        .filter(|(_, start)| touches(*start))
        .fold(0, |cover, (_, start)| cover | cover_of(base, start, size))
}

/// All bytes of the words that are touched.
fn whole_words(cover: u128) -> u128 {
    let word = |number: u32| 0xfu128 << (number * 4);
    (0..32)
        .filter(|number| cover & word(*number) != 0)
        .fold(0, |words, number| words | word(number))
}
