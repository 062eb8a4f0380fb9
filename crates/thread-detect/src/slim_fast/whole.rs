//! What is done to whole words with one piece of metadata, which needs no list of parts: nearly everything.

use super::SlimFast;
use super::steps::Step;
use super::transitions::Put;
use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Count;
use crate::rules::Rules;
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

impl<R: Rules> SlimFast<R> {
    /// A plain access to a whole word that is not of the same epoch.
    #[inline(always)]
    pub(super) unsafe fn access_whole(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        access: Access,
        findings: &mut Findings<'_>,
    ) {
        loop {
            let word = slot.load();
            if matches!(word.kind(), Kind::Mixed | Kind::Divided) {
                // SAFETY: the caller's promise.
                return unsafe {
                    self.change(thread, slot, Bytes::ALL, Deed::Access(access), findings)
                };
            }
            let step = match access {
                Access::Read => self.read_step(thread, word, || slot.still_has(word)),
                _ => self.write_step(thread, word, || slot.still_has(word)),
            };
            let conflict = match step {
                Step::Stays(conflict) => conflict,
                Step::Becomes(update, conflict) => {
                    if !self.put(thread, slot, word, update) {
                        continue;
                    }
                    if conflict.is_none() {
                        let (new, bytes) = (update.name, Bytes::ALL);
                        let put = Put { old: word, new, bytes, part: word, update: new };
                        self.note(thread, put, access);
                    }
                    conflict
                }
                Step::Outdated => continue,
                Step::NoMemory => return thread.counters.add(Count::NotRecorded),
            };
            if let Some(conflict) = conflict {
                findings.report(Bytes::ALL, conflict);
            }
            return;
        }
    }

    /// The word is given out.
    #[inline(always)]
    pub(super) unsafe fn clear_whole(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        findings: &mut Findings<'_>,
    ) {
        loop {
            let word = slot.load();
            if matches!(word.kind(), Kind::Mixed | Kind::Divided) {
                // SAFETY: the caller's promise.
                return unsafe { self.change(thread, slot, Bytes::ALL, Deed::Reset, findings) };
            }
            if slot.exchange(word, Word::EMPTY) {
                // SAFETY: the slot held the name, and holds it no longer.
                return unsafe { self.arena.drop_name(&mut thread.cache, word) };
            }
        }
    }
}
