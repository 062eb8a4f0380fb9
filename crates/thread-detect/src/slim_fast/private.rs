//! Compositions that one slot alone names, which are changed in place.
//!
//! A short epoch rarely has a second word for a composition, and making one for each change has its price. So compositions that are made
//! early in an epoch are private, and so are later ones while the thread finds that its compositions have no second word. A change of
//! a part is a store or two under the lock of the record. Parts that come to the same name stay apart while epochs are short, since
//! the next one would divide them again; but not those that nobody had accessed before. In a long epoch a word that is one is faster.
//!
//! Who looks without the lock finds out afterwards whether what was seen was so (`same_epoch.rs`).

use super::SlimFast;
use super::changes::Changes;
use super::steps::Step;
use crate::access::Access;
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Count;
use crate::metadata::{Composition, Placed};
use crate::rules::Rules;
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

/// A private composition that this thread has locked, so that it stays the slot's.
struct Locked<'a> {
    slot: &'a Slot,
    composition: Composition,
}

impl<R: Rules> SlimFast<R> {
    /// Whether a composition that is made or changed now is one slot's alone.
    #[inline]
    pub(super) fn is_alone(&self, thread: &ThreadState<Self>) -> bool {
        let local = &thread.local;
        local.transitions.are_early() || local.solitude.is_likely(self.settings.unmatched)
    }

    /// A plain access to bytes of one part of a private composition. False: it is none, or has changed, and nothing was done.
    #[inline(always)]
    pub(super) unsafe fn access_part(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        (bytes, access): (Bytes, Access),
        findings: &mut Findings<'_>,
    ) -> bool {
        let word = slot.load();
        if word.kind() != Kind::Divided {
            return false;
        }
        // SAFETY: it is of a record of this arena.
        let composition = Composition(unsafe { word.record() });
        // Before the lock, so that it is held for as short as can be.
        self.renew(thread);
        if !composition.is_private()
            || !self.is_alone(thread)
            || !composition.0.lock(word.generation())
        {
            return false;
        }
        let plain = composition.name_of(bytes).filter(|name| name.kind() != Kind::Mixed);
        let Some(name) = plain else {
            composition.0.unlock();
            return false;
        };
        let step = match access {
            Access::Read => self.read_step(thread, name, || true),
            _ => self.write_step(thread, name, || true),
        };
        let conflict = match step {
            Step::Becomes(update, conflict) => {
                self.lead_to(thread, update);
                self.place(thread, &Locked { slot, composition }, (bytes, update.name));
                conflict
            }
            Step::Stays(conflict) => {
                composition.0.unlock();
                conflict
            }
            Step::Outdated | Step::NoMemory => {
                composition.0.unlock();
                thread.counters.add(Count::NotRecorded);
                None
            }
        };
        if let Some(conflict) = conflict {
            findings.report(bytes, conflict);
        }
        true
    }

    /// Gives bytes of one part another name, which is counted for them, and unlocks the composition or ends it.
    #[inline(always)]
    fn place(
        &self,
        thread: &mut ThreadState<Self>,
        locked: &Locked<'_>,
        (bytes, name): (Bytes, Word),
    ) {
        let Locked { slot, composition } = *locked;
        let is_short = thread.local.transitions.are_of_short_epochs();
        self.count_private(thread);
        let may_be_one = !is_short || composition.name_of(bytes).is_none_or(Word::is_empty);
        if may_be_one && composition.is_one_with(bytes, name) {
            slot.set(name);
            // SAFETY: only this slot held it, which has another name now, and it is locked.
            return unsafe { self.arena.retire(&mut thread.cache, composition.0, Kind::Divided) };
        }
        let given_up = match composition.place_name(bytes, name) {
            Placed::Instead(former) => former,
            Placed::Apart => Word::EMPTY,
            Placed::Joined => name,
            Placed::Nowhere => return self.enlarge(thread, locked, (bytes, name)),
        };
        composition.0.unlock();
        // SAFETY: the composition held it, and holds it no longer; or it holds it already.
        unsafe { self.arena.drop_name(&mut thread.cache, given_up) };
    }

    /// Puts a composition with room for one more part in the place of one that has none.
    #[cold]
    fn enlarge(
        &self,
        thread: &mut ThreadState<Self>,
        locked: &Locked<'_>,
        (bytes, name): (Bytes, Word),
    ) {
        let Locked { slot, composition } = *locked;
        let parts = composition.parts().with(&[bytes], &[name]);
        let Some(record) = self.arena.take(&mut thread.cache, Self::class(&parts), 1) else {
            composition.0.unlock();
            thread.counters.add(Count::NotRecorded);
            // SAFETY: it was counted for the bytes, which do not get it.
            return unsafe { self.arena.drop_name(&mut thread.cache, name) };
        };
        thread.counters.add(Count::CompositionAllocated);
        Composition(record).fill(&parts, true);
        slot.set(record.name(Kind::Divided));
        // All that it held goes over to the other one.
        self.arena.give(&mut thread.cache, composition.0, Kind::Divided);
    }

    /// A private composition was made, changed or replaced.
    #[inline]
    pub(super) fn count_private(&self, thread: &mut ThreadState<Self>) {
        let local = &mut thread.local;
        if !local.transitions.count_early() {
            local.solitude.go_on(self.settings.unmatched);
        }
    }

    /// Puts changes into a composition that is private and locked, and unlocks it. False: there is no room for them.
    pub(super) fn change_parts(
        &self,
        thread: &mut ThreadState<Self>,
        composition: Composition,
        changes: &Changes,
    ) -> bool {
        let is_new = |bytes: &&Bytes| !composition.is_part(**bytes);
        let new = changes.bytes().iter().filter(is_new).count();
        if composition.len() + new > composition.capacity() {
            return false;
        }
        changes.next.iter().for_each(|update| self.lead_to(thread, *update));
        for (bytes, name) in changes.bytes().iter().zip(changes.names()) {
            if let Placed::Instead(former) = composition.place_name(*bytes, *name) {
                // SAFETY: the composition held it, and holds it no longer.
                unsafe { self.arena.drop_name(&mut thread.cache, former) };
            }
        }
        composition.0.unlock();
        self.count_private(thread);
        true
    }
}
