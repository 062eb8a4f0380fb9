//! Atomic updates with a result that scatter over the words of a line: many, and all alike.
//!
//! Each observes the one before it, so whoever knows the last one knows all of them, and whoever does not
//! races with it. Only the last one is needed, and the last one of another block, which a scope may
//! distinguish.

use super::line::Line;
use super::tally::Tally;
use super::{ByLane, Entry};

impl Line {
    /// Remembers an update that is part of an event, if the line has nothing that it would have to be compared with.
    /// `is_ordered` says of a weak access that it is ordered before the update.
    #[inline]
    pub(crate) fn update(
        &mut self,
        update: ByLane,
        event: u64,
        word: u32,
        is_ordered: impl Fn(&Entry) -> bool,
    ) -> bool {
        let more = self.more.get_or_insert_default();
        let has_only_strong = more.has_only_strong();
        let strong = more.strong.get_or_insert_default();
        let known = strong.tally.as_ref().is_some_and(|tally| tally.event == event);
        if !known {
            let quiet = has_only_strong
                && strong.locations.is_empty()
                && strong.sheets.is_empty()
                && is_ordered(&self.first);
            if !quiet {
                return false;
            }
        }
        let tally = strong.tally.get_or_insert_with(Tally::empty);
        tally.event = event;
        tally.set(word, update);
        true
    }

    /// Remembers the last update of a word that had nothing to be compared with.
    pub(super) fn set_update(&mut self, word: u32, update: ByLane) {
        let strong = self.more.get_or_insert_default().strong.get_or_insert_default();
        strong.tally.get_or_insert_with(Tally::empty).set(word, update);
    }
}
