//! Whether an access repeats one of the same epoch, where the name in its slot does not say so.

use warpsan_thread_clock::Epoch;

use super::SlimFast;
use crate::access::Access;
use crate::bytes::Bytes;
use crate::counters::Count;
use crate::metadata::{Composition, Mixed, Pair, Parts, Reads, Shape};
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
        // A sweep over parts of words finds compositions all the time.
        if thread.local.epoch == now && thread.local.transitions.know(word, bytes, access) {
            return false;
        }
        let (shape, parts) = match word.kind() {
            Kind::Divided => {
                // SAFETY: it is of a record of this arena.
                let composition = Composition(unsafe { word.record() });
                let shape = composition.shape();
                // Most accesses are to one part.
                match composition.name_of(bytes) {
                    Some(name) => (shape, Parts::uniform(name)),
                    None => (shape, composition.parts()),
                }
            }
            Kind::Pair | Kind::Reads | Kind::Mixed => (Shape::default(), Parts::uniform(word)),
        };
        // What was read are names only if the slot still has the word.
        let same = slot.still_has(word)
            && parts.within(bytes).all(|(_, name)| Self::is_of(now, name, access))
            // SAFETY: the word is of a record of this arena.
            && unsafe { Self::still_names(slot, word, bytes, (shape, &parts)) };
        if same {
            Self::remember(thread, word, access);
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
