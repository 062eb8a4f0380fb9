//! One weak access of lanes that share a view, line by line.

use super::lines::{self, Setting};
use super::stored::Stored;
use crate::hb::history::{Entry, Segment, Shadow, Sites};
use crate::hb::order::Observer;
use warpsan_event::{Access, AccessKind};

/// What is done with a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassStep {
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
    pub(super) step: PassStep,
    pub(super) byte_exact: bool,
    pub(super) who: Observer<'a>,
    pub(super) setting: Setting<'a>,
    pub(super) shadow: &'a mut Shadow,
    pub(super) sites: &'a Sites,
}

impl Pass<'_, '_> {
    #[inline]
    pub(super) fn segment(&mut self, mut entry: Entry, segment: Segment) {
        entry.lanes = segment.lanes;
        entry.mapping = segment.mapping();
        segment.for_each_line(self.size, |base, cover| self.line(base, entry.with_cover(cover)));
    }

    #[inline]
    fn line(&mut self, base: u64, mut entry: Entry) {
        if !self.byte_exact {
            entry.set_cover(whole_words(entry.cover()));
        }
        let line = self.shadow.line(base);
        if self.access.kind == AccessKind::Read {
            return lines::read(line, base, &entry, &self.who, &mut self.setting);
        }
        if matches!(self.step, PassStep::Both | PassStep::Compare) {
            let before = self.setting.pending.len();
            lines::compare_write(line, base, &entry, &self.who, &mut self.setting);
            if self.setting.pending.len() > before {
                let values = self.shadow.values_of_line(base);
                let stored = Stored { access: self.access, base, values, sites: self.sites };
                stored.split_by_value(self.setting.pending, before);
            }
        }
        let line = self.shadow.line(base);
        match self.step {
            PassStep::Compare => {}
            PassStep::Both => line.replace(entry),
            PassStep::Clear => line.forget(entry.cover()),
            PassStep::Add => line.add_write(entry),
        }
    }
}

/// All bytes of the words that are touched.
fn whole_words(cover: u128) -> u128 {
    let word = |number: u32| 0xfu128 << (number * 4);
    (0..32)
        .filter(|number| cover & word(*number) != 0)
        .fold(0, |words, number| words | word(number))
}
