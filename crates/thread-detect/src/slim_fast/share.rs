//! Metadata that a thread may put into many slots.

use warpsan_thread_clock::Epoch;

use super::private::Solitude;
use super::repeated::RepeatedNames;
use super::transitions::Transitions;
use super::updates::VectorNames;
use crate::metadata::{Arena, Class, Parts, Record, RecordCache};
use crate::slot::Word;

/// A record that this thread shares between slots. The thread has paid for many holders in advance, so that sharing
/// it changes nothing that other threads see.
pub(crate) struct Share {
    name: Word,
    record: Record,
    /// How many holders are paid for: one is the share itself. Invariant: at least 1.
    paid: u64,
}

impl Share {
    const PAID_AT_ONCE: u64 = 1 << 16;

    /// A new record of this class, filled by `fill`.
    pub(super) fn allocate(
        arena: &Arena,
        cache: &mut RecordCache,
        class: Class,
        fill: impl FnOnce(Record),
    ) -> Option<Share> {
        let record = arena.take(cache, class, Self::PAID_AT_ONCE)?;
        fill(record);
        Some(Share { name: record.name(class.kind()), record, paid: Self::PAID_AT_ONCE })
    }

    /// The name for one more holder.
    #[inline]
    pub(super) fn hand_out(&mut self) -> Word {
        if self.paid == 1 {
            self.record.retain(Self::PAID_AT_ONCE);
            self.paid += Self::PAID_AT_ONCE;
        }
        self.paid -= 1;
        self.name
    }

    pub(super) fn give_up(self, arena: &Arena, cache: &mut RecordCache) {
        // SAFETY: the name is of a record of the arena that allocated it, and the share ends here.
        unsafe { arena.release(cache, self.name, self.paid) };
    }
}

/// An array of a fixed size in which the oldest element is overwritten when it is full (section 3.3.2).
pub(crate) struct Ring<K> {
    elements: Vec<(K, Share)>,
    size: usize,
    oldest: usize,
    /// Where the next search begins: elements are often looked for in the order in which they were added.
    expected: usize,
}

impl<K: PartialEq> Ring<K> {
    pub(super) fn new(size: usize) -> Self {
        Self { elements: Vec::with_capacity(size), size, oldest: 0, expected: 0 }
    }

    #[inline]
    pub(super) fn find(&mut self, key: &K) -> Option<&mut Share> {
        let (before, behind) = self.elements.split_at(self.expected.min(self.elements.len()));
        let found = behind.iter().chain(before).position(|(other, _)| other == key)?;
        let place = (found + before.len()) % self.elements.len();
        self.expected = place + 1;
        Some(&mut self.elements[place].1)
    }

    /// Adds an element; gives back the one that it overwrites.
    pub(super) fn add(&mut self, key: K, share: Share) -> Option<Share> {
        if self.elements.len() < self.size {
            self.elements.push((key, share));
            return None;
        }
        let place = self.oldest;
        self.oldest = (place + 1) % self.size;
        let (_, former) = std::mem::replace(&mut self.elements[place], (key, share));
        Some(former)
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = Share> + '_ {
        (self.oldest, self.expected) = (0, 0);
        self.elements.drain(..).map(|(_, share)| share)
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }
}

/// `W_t`, `S_t`, `Q_t`, and compositions of what is in them and what was there before.
pub struct Sets {
    /// The epoch that they are of. A release or a fork begins an epoch; they are emptied when they are next asked for.
    pub(super) epoch: Epoch,
    /// `W_t`: `(⊥, E(t))`, allocated by the first write that needs it.
    pub(super) written: Option<Share>,
    /// `S_t`, by the write epoch: all its elements have `E(t)` as their read epoch (section 3.3.4).
    pub(super) reads: Ring<Epoch>,
    /// `Q_t`, by the remote read and the write.
    pub(super) inflated: Ring<(Epoch, Epoch)>,
    /// Compositions, by their parts.
    pub(super) compositions: Ring<Parts>,
    /// Whether compositions find a second word.
    pub(super) solitude: Solitude,
    /// Vectors of reads, by what they hold.
    pub(super) vectors: VectorNames,
    /// What became of metadata in this epoch.
    pub(super) transitions: Transitions,
    /// Metadata that say that the thread has read in its epoch.
    pub(super) names_read: RepeatedNames,
    /// Metadata that say that the thread has written in its epoch.
    pub(super) names_written: RepeatedNames,
}
