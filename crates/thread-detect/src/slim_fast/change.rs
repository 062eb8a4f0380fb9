//! What is done to any bytes of a word: look, judge each part, put what comes of it into the slot, and try again if it has changed.

use super::SlimFast;
use super::changes::{Changes, Failure};
use super::steps::Step;
use super::transitions::Put;
use super::updates::Update;
use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Count;
use crate::metadata::{Composition, Mixed, Parts};
use crate::rules::Rules;
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

/// What a slot was seen to have.
struct View {
    word: Word,
    parts: Parts,
    /// The record that the word names is locked, so that the slot has the word until it is unlocked: it is of atomic accesses, or a
    /// private composition.
    locked: bool,
}

impl<R: Rules> SlimFast<R> {
    /// Does anything to any bytes.
    #[inline(never)]
    pub(super) unsafe fn change(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        deed: Deed,
        findings: &mut Findings<'_>,
    ) {
        loop {
            // SAFETY: the caller's promise.
            let Some(view) = (unsafe { self.look(slot) }) else { continue };
            let mut changes = Changes::none();
            let judged = self.judge(thread, slot, &view, (bytes, deed), &mut changes);
            let done = match judged {
                Ok(()) => self.replace(thread, slot, (&view, bytes, deed), &changes),
                Err(failure) => {
                    self.give_up(thread, &changes);
                    Err(failure)
                }
            };
            if done.is_err() && view.locked {
                // SAFETY: `look` has locked it.
                unsafe { view.word.record() }.unlock();
            }
            match done {
                Ok(()) => {
                    return changes
                        .conflicts
                        .iter()
                        .for_each(|(bytes, race)| findings.report(*bytes, *race));
                }
                Err(Failure::Outdated) => thread.counters.add(Count::Retried),
                Err(Failure::NoMemory) => return thread.counters.add(Count::NotRecorded),
            }
        }
    }

    /// What a slot has. `None`: it has changed meanwhile.
    unsafe fn look(&self, slot: &Slot) -> Option<View> {
        let word = slot.load();
        let (parts, locked) = match word.kind() {
            Kind::Pair | Kind::Reads => (Parts::uniform(word), false),
            Kind::Mixed => {
                // SAFETY: it is of a record of this arena.
                let record = unsafe { word.record() };
                (record.lock(word.generation()).then(|| Parts::uniform(word))?, true)
            }
            Kind::Divided => {
                // SAFETY: it is of a record of this arena.
                let composition = Composition(unsafe { word.record() });
                if composition.is_private() {
                    let locked = composition.0.lock(word.generation());
                    (locked.then(|| composition.parts())?, true)
                } else {
                    let parts = composition.parts();
                    (slot.still_has(word).then_some(parts)?, false)
                }
            }
        };
        Some(View { word, parts, locked })
    }

    /// Finds out what becomes of each part.
    fn judge(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        view: &View,
        (bytes, deed): (Bytes, Deed),
        changes: &mut Changes,
    ) -> Result<(), Failure> {
        if view.word.kind() == Kind::Mixed && bytes != Bytes::ALL {
            // Others may wait for the lock of this record, and would take it for that of the whole word: so the bytes that
            // nothing happens to get a copy under another name, too.
            // SAFETY: it is of a record of this arena.
            let capacity = Mixed(unsafe { view.word.record() }).capacity();
            let copy = self.as_mixed(thread, view.word, capacity).ok_or(Failure::NoMemory)?;
            changes.add(bytes.others(), Update::to(copy.0.name(Kind::Mixed)));
        }
        let is_current = || view.locked || slot.still_has(view.word);
        for (part, name) in view.parts.within(bytes) {
            let within = part.and(bytes);
            let in_place = view.locked && within == part;
            let step = match deed {
                Deed::Reset if name.is_empty() => Step::Stays(None),
                Deed::Reset => Step::Becomes(Update::to(Word::EMPTY), None),
                Deed::Access(Access::Read) if name.kind() != Kind::Mixed => {
                    self.read_step(thread, name, is_current)
                }
                Deed::Access(Access::Write) if name.kind() != Kind::Mixed => {
                    self.write_step(thread, name, is_current)
                }
                Deed::Access(access) => self.mixed_step(thread, name, access, in_place),
            };
            let conflict = match step {
                Step::Stays(conflict) => conflict,
                Step::Becomes(update, conflict) => {
                    changes.add(within, update);
                    conflict
                }
                Step::Outdated => return Err(Failure::Outdated),
                Step::NoMemory => return Err(Failure::NoMemory),
            };
            changes.conflicts.extend(conflict.map(|conflict| (within, conflict)));
        }
        Ok(())
    }

    /// Puts changes into the slot, if it has not changed since it was looked at.
    fn replace(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        (view, bytes, deed): (&View, Bytes, Deed),
        changes: &Changes,
    ) -> Result<(), Failure> {
        if changes.is_empty() {
            if view.locked {
                // SAFETY: `look` has locked it.
                unsafe { view.word.record() }.unlock();
                return Ok(());
            }
            return if slot.still_has(view.word) { Ok(()) } else { Err(Failure::Outdated) };
        }
        self.renew(thread);
        let parts = view.parts.with(changes.bytes(), changes.names());
        let private = parts.have_mixed() || self.is_alone(thread);
        if view.locked && view.word.kind() == Kind::Divided && private {
            // SAFETY: it is of a record of this arena.
            let composition = Composition(unsafe { view.word.record() });
            let is_one = parts.only().is_some() && !self.stays_divided(thread, view, deed);
            if !is_one && self.change_parts(thread, composition, changes) {
                return Ok(());
            }
        }
        let name = self.name_for(thread, &parts, changes, private)?;
        let private = private && name.kind() == Kind::Divided;
        if view.locked {
            slot.set(name);
        } else if !slot.exchange(view.word, name) {
            // SAFETY: it was counted for the slot, which did not take it.
            unsafe { self.arena.drop_name(&mut thread.cache, name) };
            return Err(Failure::Outdated);
        }
        changes.next.iter().for_each(|update| self.lead_to(thread, *update));
        if private || view.locked {
            self.count_private(thread);
        }
        if view.locked {
            // SAFETY: only this slot held it, which has another name now, and it is locked.
            unsafe { self.arena.retire(&mut thread.cache, view.word.record(), view.word.kind()) };
            return Ok(());
        }
        // SAFETY: the slot held the name, and holds it no longer.
        unsafe { self.arena.drop_name(&mut thread.cache, view.word) };
        if let Deed::Access(access) = deed
            && !private
            && let Some((part, update)) = changes.only(&view.parts, bytes)
            && access.is_plain()
        {
            self.note(thread, Put { old: view.word, new: name, bytes, part, update }, access);
        }
        Ok(())
    }

    /// Whether a word stays divided although all its bytes get the same name: the next epoch would divide it again.
    fn stays_divided(&self, thread: &ThreadState<Self>, view: &View, deed: Deed) -> bool {
        let is_short = thread.local.transitions.are_of_short_epochs();
        let is_used = || view.parts.names().iter().all(|name| !name.is_empty());
        is_short && matches!(deed, Deed::Access(_)) && is_used()
    }

    /// What the slot is to name. What changes hold is used or given up.
    #[inline]
    fn name_for(
        &self,
        thread: &mut ThreadState<Self>,
        parts: &Parts,
        changes: &Changes,
        private: bool,
    ) -> Result<Word, Failure> {
        if let Some(name) = parts.only() {
            // All changes are to this name, and the slot needs it once.
            self.give_up_repeated(thread, changes);
            return Ok(name);
        }
        let composed = if private {
            self.composed_alone(thread, parts, changes)
        } else {
            self.composed(thread, &parts.merged(), changes)
        };
        if composed.is_err() {
            self.give_up(thread, changes);
        }
        composed
    }
}
