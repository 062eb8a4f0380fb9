//! Reductions that scatter over the words of a line, as those of histograms do: many, and all alike.
//!
//! They order nothing and race with nothing strong, so all that is needed is who did them.

use super::ByLane;
use super::line::{Line, Strong};
use super::sheet::{Sheet, words_of};
use super::strong_location::StrongEntry;
use crate::clock::Epoch;
use crate::hb::ids::BlockNumber;

/// Fewer sheets are not thinned out.
const SHORT: usize = 16;

impl Line {
    /// Remembers a reduction that is part of an event, if the line has nothing that it would have to be compared with.
    /// `is_ordered` says of a weak access that it is ordered before the reduction.
    #[inline]
    pub(crate) fn reduce(
        &mut self,
        reduction: &ByLane,
        event: u64,
        word: u32,
        is_ordered: impl Fn(&super::Entry) -> bool,
        is_permanent: impl Fn(BlockNumber, u8, Epoch) -> bool,
    ) -> bool {
        let more = self.more.get_or_insert_default();
        let has_only_strong = more.has_only_strong();
        let strong = more.strong.get_or_insert_default();
        if strong.sheet_event != event {
            let quiet = has_only_strong
                && strong.locations.is_empty()
                && strong.tally.as_ref().is_none_or(|tally| tally.words == 0)
                && is_ordered(&self.first);
            if !quiet {
                return false;
            }
            strong.sheet_event = event;
            strong.find_sheet(reduction, is_permanent);
        }
        let sheet = &mut strong.sheets[strong.sheet_index];
        sheet.words |= 1 << word;
        sheet.lanes[word as usize] |= 1 << reduction.lane;
        true
    }

    /// Gives reductions of some bytes locations of their own, where they can be compared one by one.
    pub(crate) fn separate_reductions(&mut self, cover: u128) {
        let Some(strong) = self.strong().filter(|strong| strong.has_words()) else { return };
        let updated = strong.tally.as_ref().map_or(0, |tally| tally.words);
        let used = strong.sheets.iter().fold(updated, |all, sheet| all | sheet.words);
        let touched = words_of(cover) & used;
        for word in warpsan_model::lanes(touched) {
            let Some(strong) = self.strong_mut() else { return };
            let mut entries: Vec<StrongEntry> =
                strong.sheets.iter().filter_map(|sheet| sheet.entry(word)).collect();
            if let Some(tally) = &strong.tally {
                let mut updates: Vec<StrongEntry> = tally.entries(word).collect();
                updates.reverse();
                entries.extend(updates);
            }
            strong.clear_words(1 << word);
            let location = self.location(word as u8 * 4, 4);
            for entry in entries {
                location.add(entry, |_| false);
            }
        }
    }
}

impl Strong {
    fn find_sheet(
        &mut self,
        reduction: &ByLane,
        is_permanent: impl Fn(BlockNumber, u8, Epoch) -> bool,
    ) {
        let is_own = |sheet: &Sheet| {
            sheet.block == reduction.block
                && sheet.epoch == reduction.epoch
                && sheet.site == reduction.site
                && sheet.active == reduction.active
                && sheet.warp == reduction.warp
        };
        if let Some(index) = self.sheets.iter().position(is_own) {
            self.sheet_index = index;
            return;
        }
        if self.sheets.len() >= self.sheet_limit.max(SHORT) {
            self.thin_out_sheets(is_permanent);
            self.sheet_limit = (self.sheets.len() * 2).max(SHORT);
        }
        let ByLane { block, epoch, site, active, warp, .. } = *reduction;
        self.sheets.push(Sheet { block, epoch, site, active, warp, words: 0, lanes: [0; 32] });
        self.sheet_index = self.sheets.len() - 1;
    }

    /// Drops what later reductions stand for: those of the same lanes, and all but one of those that
    /// nobody can come to know of.
    fn thin_out_sheets(&mut self, is_permanent: impl Fn(BlockNumber, u8, Epoch) -> bool) {
        let mut settled = 0u32;
        for index in (0..self.sheets.len()).rev() {
            let (earlier, rest) = self.sheets.split_at_mut(index);
            let Some(sheet) = rest.first_mut() else { continue };
            if is_permanent(sheet.block, sheet.warp, sheet.epoch) {
                sheet.clear(settled);
                settled |= sheet.words;
            }
            for old in earlier {
                if (old.block, old.warp, old.site) == (sheet.block, sheet.warp, sheet.site) {
                    for word in warpsan_model::lanes(old.words & sheet.words) {
                        old.lanes[word as usize] &= !sheet.lanes[word as usize];
                    }
                    old.recount();
                }
            }
        }
        self.sheets.retain(|sheet| sheet.words != 0);
    }
}
