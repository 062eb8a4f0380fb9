//! Compositions that one slot alone names, which are changed in place.
//!
//! A short epoch rarely has a second word for a composition, and making one for each change has its price. So compositions that are made
//! early in an epoch are private, and so are later ones while the thread finds that its compositions have no second word. While the shape
//! stays, a change of a part is one store under the lock of the record. Parts that come to the same name stay apart, since the next epoch
//! would divide them again; but not those that nobody had accessed before, and not in a long epoch.
//!
//! Who looks without the lock asks afterwards whether the slot still has the composition and the composition still has the names
//! ([`SlimFast::still_names`]): a name that is still there, or there again, was in use all the time, since no name is used twice.

use super::SlimFast;
use super::changes::Changes;
use super::steps::Step;
use crate::access::Access;
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Count;
use crate::metadata::{Composition, Part, Parts};
use crate::rules::Rules;
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

/// How many compositions of a thread found no second word, one after another.
#[derive(Default)]
pub(crate) struct Solitude {
    missed: u32,
}

impl Solitude {
    /// One in so many is shared nevertheless, to find out whether another word has it now.
    const TRIED: u32 = 16;

    /// Another word had it.
    pub(super) fn end(&mut self) {
        self.missed = 0;
    }

    /// No other word had it.
    pub(super) fn go_on(&mut self, limit: u32) {
        self.missed = if self.missed >= limit + Self::TRIED { limit + 1 } else { self.missed + 1 };
    }

    /// Whether the next one will hardly have a second word.
    pub(super) fn is_likely(&self, limit: u32) -> bool {
        self.missed >= limit && self.missed != limit + Self::TRIED
    }
}

/// A part of a private composition that this thread has locked.
struct LockedPart<'a> {
    slot: &'a Slot,
    word: Word,
    composition: Composition,
    part: Part,
}

impl<R: Rules> SlimFast<R> {
    /// Whether a composition that is made or changed now is one slot's alone.
    #[inline]
    pub(super) fn is_alone(&self, thread: &ThreadState<Self>) -> bool {
        let local = &thread.local;
        local.transitions.are_early() || local.solitude.is_likely(self.settings.unmatched)
    }

    /// A plain access to exactly one part of a private composition. False: it is none, or has changed, and nothing was done.
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
        let Some(part) = composition.part_of(bytes) else { return false };
        // Before the lock, so that it is held for as short as can be.
        self.renew(thread);
        if !composition.is_private()
            || !self.is_alone(thread)
            || !composition.0.lock(word.generation())
        {
            return false;
        }
        // It lives, so what was seen of its shape is of this life. It stays the slot's until it is unlocked.
        let locked = LockedPart { slot, word, composition, part };
        let name = composition.name_at(part);
        if name.kind() == Kind::Mixed {
            composition.0.unlock();
            return false;
        }
        let step = match access {
            Access::Read => self.read_step(thread, name, || true),
            _ => self.write_step(thread, name, || true),
        };
        let conflict = match step {
            Step::Becomes(update, conflict) => {
                self.lead_to(thread, update);
                self.rename(thread, &locked, update.name);
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

    /// Gives a part another name, which is counted for it, and unlocks the composition.
    #[inline(always)]
    fn rename(&self, thread: &mut ThreadState<Self>, locked: &LockedPart<'_>, name: Word) {
        let LockedPart { slot, word, composition, part } = *locked;
        let former = composition.name_at(part);
        let is_early = thread.local.transitions.are_early();
        self.count_private(thread);
        if (former.is_empty() || !is_early) && composition.others_have(part, name) {
            slot.set(name);
            // SAFETY: only this slot held it, which has another name now, and it is locked.
            return unsafe { self.arena.retire(&mut thread.cache, composition.0, word.kind()) };
        }
        composition.set_name(part, name);
        composition.0.unlock();
        // SAFETY: the composition held it, and holds it no longer.
        unsafe { self.arena.drop_name(&mut thread.cache, former) };
    }

    /// A private composition was made, changed or replaced.
    #[inline]
    pub(super) fn count_private(&self, thread: &mut ThreadState<Self>) {
        let local = &mut thread.local;
        if !local.transitions.count_early() {
            local.solitude.go_on(self.settings.unmatched);
        }
    }

    /// Puts changes into a composition that is private and locked, whose parts are these then. False: it does not have these parts, or
    /// they are one.
    pub(super) fn change_parts(
        &self,
        thread: &mut ThreadState<Self>,
        composition: Composition,
        parts: &Parts,
        changes: &Changes,
    ) -> bool {
        let keeps_shape = changes.bytes().iter().all(|bytes| composition.part_of(*bytes).is_some());
        if !keeps_shape || parts.only().is_some() {
            return false;
        }
        changes.next.iter().for_each(|update| self.lead_to(thread, *update));
        for (bytes, name) in changes.bytes().iter().zip(changes.names()) {
            let Some(part) = composition.part_of(*bytes) else { continue };
            let former = composition.name_at(part);
            composition.set_name(part, *name);
            // SAFETY: the composition held it, and holds it no longer.
            unsafe { self.arena.drop_name(&mut thread.cache, former) };
        }
        composition.0.unlock();
        self.count_private(thread);
        true
    }

    /// Whether a composition that a slot had still is the slot's and still has the names that were read from it.
    #[inline]
    pub(super) unsafe fn still_names(slot: &Slot, word: Word, bytes: Bytes, parts: &Parts) -> bool {
        if !slot.still_has(word) {
            return false;
        }
        if word.kind() != Kind::Divided {
            return true;
        }
        // SAFETY: it is of a record of this arena.
        let composition = Composition(unsafe { word.record() });
        match parts.only() {
            Some(name) => composition.name_of(bytes) == Some(name),
            None => composition.parts() == *parts,
        }
    }
}
