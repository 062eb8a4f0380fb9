//! Locations with atomic accesses, whose metadata are not shared.

use warpsan_thread_clock::VectorClock;

use super::SlimFast;
use super::updates::Update;
use crate::conflict::Halt;
use crate::counters::Count;
use crate::metadata::{Class, Mixed, MixedAccess, Reads, Room};
use crate::rules::Rules;
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

impl<R: Rules> SlimFast<R> {
    /// An access to a location with atomic accesses, or the first atomic one.
    #[inline(never)]
    pub(super) unsafe fn mixed(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        access: MixedAccess,
    ) -> Result<(), Halt> {
        let plain = matches!(access, MixedAccess::Read | MixedAccess::Write);
        let count = if plain { Count::PlainOfMixed } else { Count::Atomic };
        loop {
            let word = slot.load();
            if word.kind() == Kind::Divided {
                return Err(Halt::Divided);
            }
            if word.kind() == Kind::Mixed {
                // SAFETY: it is of a record of this arena.
                let mixed = Mixed(unsafe { word.record() });
                if mixed.same_epoch(thread.epoch, access) && slot.still_has(word) {
                    thread.counters.add(count);
                    return Ok(());
                }
                if !mixed.0.lock(word.generation()) {
                    continue;
                }
                thread.counters.add(count);
                let moment = thread.moment();
                // Locked, and of this generation: the slot names it until it is unlocked.
                if mixed.room(moment.epoch.thread(), access) == Room::Enough {
                    let conflict = mixed.apply::<R>(&moment, access);
                    mixed.0.unlock();
                    return Halt::verdict(conflict);
                }
                let class = Class::mixed(mixed.capacity() * 2);
                let Some(record) = self.arena.take(&mut thread.cache, class, 1) else {
                    mixed.0.unlock();
                    thread.counters.add(Count::NotRecorded);
                    return Ok(());
                };
                thread.counters.add(Count::MixedAllocated);
                let larger = Mixed(record);
                larger.copy_from(mixed);
                let conflict = larger.apply::<R>(&thread.moment(), access);
                slot.set(record.name(Kind::Mixed));
                self.arena.give(&mut thread.cache, mixed.0, Kind::Mixed);
                return Halt::verdict(conflict);
            }
            let Some(mixed) = self.as_mixed(thread, word) else {
                thread.counters.add(Count::NotRecorded);
                return Ok(());
            };
            let conflict = mixed.apply::<R>(&thread.moment(), access);
            if self.put(thread, slot, word, Update::Counted(mixed.0.name(Kind::Mixed))) {
                thread.counters.add(count);
                return Halt::verdict(conflict);
            }
        }
    }

    /// What a pair or a vector says, as a record for atomic accesses, with room for one thread more.
    pub(super) fn as_mixed(&self, thread: &mut ThreadState<Self>, word: Word) -> Option<Mixed> {
        let first = VectorClock::FIRST_SIZE;
        let room = match word.kind() {
            // SAFETY: it is of a vector of this arena.
            Kind::Reads => Reads(unsafe { word.record() }).capacity() * 2,
            Kind::Pair | Kind::Mixed | Kind::Divided => first,
        };
        let mixed = Mixed(self.arena.take(&mut thread.cache, Class::mixed(room), 1)?);
        thread.counters.add(Count::MixedAllocated);
        if word.kind() == Kind::Reads {
            // SAFETY: as above.
            let reads = Reads(unsafe { word.record() });
            mixed.clear(reads.write());
            reads.epochs().for_each(|read| mixed.add_read(read));
        } else {
            let (write, read) = Self::pair(word);
            mixed.clear(write);
            mixed.add_read(read);
        }
        Some(mixed)
    }
}
