//! EpochPlusVC: the last write, and the last reads of several threads.

use warpsan_thread_clock::{Epoch, ThreadId};

use super::record::Record;
use crate::slot::Word;

/// A record as an EpochPlusVC (figures 3.4 and 3.7): `[header, write, capacity, reads…, next…]`.
///
/// The reads are a table of epochs with open addressing by thread. Where ids are below the capacity that is an array
/// indexed by thread, as in the thesis; larger ids take no more room. FastTrack's change under the record's lock (entries
/// are added and raised, never moved), SlimFast's never.
///
/// The Next map is mutable: a word for each place of the table. A thread without an entry uses the place that it would
/// get, or that of its first try where there is none, so that two such threads can displace each other's: that loses reuse,
/// as the wrap-around of `S_t` does, and nothing else. A name in it holds nothing: the record may be gone.
#[derive(Clone, Copy)]
pub(crate) struct Reads(pub(crate) Record);

/// Where a thread is in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Its entry.
    Own(usize),
    /// It has none, and this is where it would be.
    Free(usize),
    /// It has none, and there is no room.
    Full,
}

impl Reads {
    const FIRST: usize = 3;

    /// Begins with no reads and an empty Next map.
    pub(crate) fn clear(self, write: Epoch, next: bool) {
        self.0.set(Record::WRITE, write.bits());
        let words = self.capacity() * if next { 2 } else { 1 };
        for index in Self::FIRST..Self::FIRST + words {
            self.0.set(index, 0);
        }
    }

    #[inline(always)]
    pub(crate) fn write(self) -> Epoch {
        Epoch::from_bits(self.0.get(Record::WRITE))
    }

    #[inline(always)]
    pub(crate) fn capacity(self) -> usize {
        self.0.get(2) as usize
    }

    #[inline]
    pub(crate) fn place(self, thread: ThreadId) -> Place {
        let mask = self.capacity() - 1;
        for tried in 0..=mask {
            let place = (thread.index() + tried) & mask;
            let entry = self.entry(place);
            if entry.is_none() {
                return Place::Free(place);
            }
            if entry.thread() == thread {
                return Place::Own(place);
            }
        }
        Place::Full
    }

    /// The last read of a thread.
    #[inline]
    pub(crate) fn read_of(self, thread: ThreadId) -> Epoch {
        match self.place(thread) {
            Place::Own(place) => self.entry(place),
            Place::Free(_) | Place::Full => Epoch::NONE,
        }
    }

    /// Whether this is the read at the place where its thread is looked for first, as it nearly always is if it is there.
    #[inline(always)]
    pub(crate) fn has_at_first(self, read: Epoch) -> bool {
        self.entry(read.thread().index() & (self.capacity() - 1)) == read
    }

    #[inline(always)]
    fn entry(self, place: usize) -> Epoch {
        Epoch::from_bits(self.0.get(Self::FIRST + place))
    }

    /// Adds or raises an entry. False: there is no room.
    pub(crate) fn set(self, epoch: Epoch) -> bool {
        match self.place(epoch.thread()) {
            Place::Own(place) | Place::Free(place) => {
                self.0.set(Self::FIRST + place, epoch.bits());
                true
            }
            Place::Full => false,
        }
    }

    /// All reads.
    pub(crate) fn epochs(self) -> impl Iterator<Item = Epoch> {
        (0..self.capacity()).map(move |place| self.entry(place)).filter(|epoch| !epoch.is_none())
    }

    fn next_place(self, thread: ThreadId) -> usize {
        let place = match self.place(thread) {
            Place::Own(place) | Place::Free(place) => place,
            Place::Full => thread.index() & (self.capacity() - 1),
        };
        Self::FIRST + self.capacity() + place
    }

    /// `M^Next(t)`.
    pub(crate) fn next(self, thread: ThreadId) -> Word {
        Word::from_bits(self.0.get(self.next_place(thread)))
    }

    /// `M^Next(t) := name`.
    pub(crate) fn set_next(self, thread: ThreadId, name: Word) {
        self.0.set(self.next_place(thread), name.bits());
    }
}
