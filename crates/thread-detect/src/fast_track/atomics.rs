//! Locations with atomic accesses.

use warpsan_thread_clock::VectorClock;

use super::{Change, FastTrack};
use crate::access::Access;
use crate::conflict::Conflict;
use crate::counters::Count;
use crate::metadata::{Mixed, Pair, Reads, Record, Room};
use crate::rules::Rules;
use crate::slot::Kind;
use crate::thread_state::ThreadState;

impl<R: Rules> FastTrack<R> {
    /// An access to a location with atomic accesses, or the first atomic one.
    pub(super) fn mixed(
        &self,
        thread: &mut ThreadState<Self>,
        record: Record,
        kind: Kind,
        access: Access,
    ) -> (Option<Conflict>, Change) {
        thread.counters.add(if access.is_plain() { Count::PlainOfMixed } else { Count::Atomic });
        let room = match kind {
            Kind::Mixed => {
                let mixed = Mixed(record);
                if mixed.room(thread.id(), access) == Room::Enough {
                    return (mixed.apply::<R>(&thread.moment(), access), Change::Done);
                }
                mixed.capacity() * 2
            }
            Kind::Reads => Reads(record).capacity() * 2,
            Kind::Pair | Kind::Divided => VectorClock::FIRST_SIZE,
        };
        let Some(mixed) = self.new_mixed(thread, room) else { return (None, Change::NoMemory) };
        match kind {
            Kind::Mixed => mixed.copy_from(Mixed(record)),
            Kind::Reads => {
                mixed.clear(Reads(record).write());
                Reads(record).epochs().for_each(|read| mixed.add_read(read));
            }
            Kind::Pair | Kind::Divided => {
                mixed.clear(Pair(record).write());
                mixed.add_read(Pair(record).read());
            }
        }
        let conflict = mixed.apply::<R>(&thread.moment(), access);
        (conflict, Change::Replace(mixed.0, Kind::Mixed))
    }
}
