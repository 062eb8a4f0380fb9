//! Whether an access repeats one of the same epoch, where the name in its slot does not say so.
//!
//! Who has read names of a composition asks afterwards whether the slot still has it, and it still has its shape and these names. A shape
//! does not come back, so the names were those of the bytes; and a name that is still there, or there again, was in use all the time, since
//! no name is used twice.

use warpsan_thread_clock::Epoch;

use super::SlimFast;
use crate::access::Access;
use crate::bytes::Bytes;
use crate::counters::Count;
use crate::metadata::{Composition, Mixed, Pair, Reads};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

impl<R: Rules> SlimFast<R> {
    /// Whether this is so of bytes of a word, which is not empty. Nothing is written that other threads see.
    #[inline(never)]
    pub(super) unsafe fn repeats_slowly(
        &self,
        thread: &mut ThreadState<Self>,
        (slot, word): (&Slot, Word),
        bytes: Bytes,
        access: Access,
    ) -> bool {
        let now = thread.epoch;
        if word.kind() != Kind::Divided {
            let same = Self::is_of(now, word, access) && slot.still_has(word);
            if same {
                Self::remember(thread, word, access);
                thread.counters.add(Self::count_of(word.kind(), access));
            }
            return same;
        }
        // SAFETY: it is of a record of this arena.
        let composition = Composition(unsafe { word.record() });
        let shape = composition.shape();
        // Most accesses are to one part.
        let Some(name) = composition.name_in(shape, bytes) else {
            return Self::repeats_in_parts(thread, (slot, word), bytes, access);
        };
        // What was read is a name only if the slot still has the word.
        let same = slot.still_has(word)
            && Self::is_of(now, name, access)
            && slot.still_has(word)
            && composition.shape() == shape
            && composition.name_in(shape, bytes) == Some(name);
        if same {
            thread.counters.add(Self::count_of(name.kind(), access));
        }
        same
    }

    /// The same for bytes of several parts of a composition.
    #[inline(never)]
    fn repeats_in_parts(
        thread: &mut ThreadState<Self>,
        (slot, word): (&Slot, Word),
        bytes: Bytes,
        access: Access,
    ) -> bool {
        // SAFETY: it is of a record of this arena.
        let composition = Composition(unsafe { word.record() });
        let (shape, parts) = (composition.shape(), composition.parts());
        let same = slot.still_has(word)
            && parts.within(bytes).all(|(_, name)| Self::is_of(thread.epoch, name, access))
            && slot.still_has(word)
            && composition.shape() == shape
            && composition.parts() == parts;
        if same {
            for (_, name) in parts.within(bytes) {
                thread.counters.add(Self::count_of(name.kind(), access));
            }
        }
        same
    }

    /// Metadata of a whole word say that an access was made in this epoch.
    fn remember(thread: &mut ThreadState<Self>, name: Word, access: Access) {
        // Those of atomic accesses change in place, and those of parts are not for all bytes.
        if matches!(name.kind(), Kind::Pair | Kind::Reads) {
            match access {
                Access::Read => thread.local.names_read.add(name, thread.epoch),
                Access::Write => thread.local.names_written.add(name, thread.epoch),
                Access::AtomicRead | Access::AtomicWrite => {}
            }
        }
    }

    /// Whether metadata say that an access was made in this epoch already.
    #[inline(always)]
    fn is_of(now: Epoch, name: Word, access: Access) -> bool {
        if name.is_empty() {
            return false;
        }
        // SAFETY: names in slots and compositions are of records of this arena.
        let record = unsafe { name.record() };
        match (name.kind(), access) {
            (Kind::Pair, Access::Read) => R::has(Rule::ReadSameEpoch) && Pair(record).read() == now,
            (Kind::Pair, Access::Write) => {
                R::has(Rule::WriteSameEpoch) && Pair(record).write() == now
            }
            (Kind::Reads, Access::Read) => {
                R::has(Rule::ReadSharedSameEpoch) && Reads(record).read_of(now.thread()) == now
            }
            (Kind::Reads, Access::Write) => {
                R::has(Rule::WriteSameEpoch) && Reads(record).write() == now
            }
            (Kind::Mixed, _) => Mixed(record).same_epoch(now, access),
            (Kind::Pair | Kind::Reads | Kind::Divided, _) => false,
        }
    }

    #[inline(always)]
    pub(super) fn count_of(kind: Kind, access: Access) -> Count {
        match (kind, access) {
            (Kind::Reads, Access::Read) => Count::ReadSharedSameEpoch,
            (Kind::Pair, Access::Read) => Count::ReadSameEpoch,
            (Kind::Pair | Kind::Reads, Access::Write) => Count::WriteSameEpoch,
            (_, Access::Read | Access::Write) => Count::PlainOfMixed,
            (_, Access::AtomicRead | Access::AtomicWrite) => Count::Atomic,
        }
    }
}
