//! Metadata that a thread may put into many slots.

use warpsan_thread_clock::Epoch;

use super::repeated::RepeatedNames;
use super::solitude::Solitude;
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

/// What a [`Ring`] finds its elements by.
pub(crate) trait RingKey: PartialEq {
    /// A number whose highest bits differ for most keys.
    fn spread(&self) -> u64;
}

const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl RingKey for Epoch {
    #[inline]
    fn spread(&self) -> u64 {
        self.bits().wrapping_mul(SPREAD)
    }
}

impl RingKey for (Epoch, Epoch) {
    #[inline]
    fn spread(&self) -> u64 {
        (self.0.spread() ^ self.1.bits()).wrapping_mul(SPREAD)
    }
}

impl RingKey for Parts {
    #[inline]
    fn spread(&self) -> u64 {
        let mix = |sum: u64, name: &Word| (sum.rotate_left(5) ^ name.bits()).wrapping_mul(SPREAD);
        self.names().iter().fold(u64::from(self.shape()), mix)
    }
}

/// How many places a [`Ring`] spreads its keys to.
const PLACES: usize = 128;
/// No key was spread to this place.
const NOWHERE: u8 = u8::MAX;
/// More elements cannot be told apart in these places.
const MOST: usize = NOWHERE as usize;

/// An array of a fixed size in which the oldest element is overwritten when it is full (section 3.3.2).
pub(crate) struct Ring<K> {
    elements: Vec<(K, Share)>,
    size: usize,
    oldest: usize,
    /// Which element was last added or found of those whose keys are spread to a place: most searches end there.
    places: [u8; PLACES],
}

impl<K: RingKey> Ring<K> {
    pub(super) fn new(size: usize) -> Self {
        let size = size.min(MOST);
        let (elements, places) = (Vec::with_capacity(size), [NOWHERE; PLACES]);
        Self { elements, size, oldest: 0, places }
    }

    #[inline]
    fn place(key: &K) -> usize {
        (key.spread() >> 57) as usize % PLACES
    }

    #[inline]
    pub(super) fn find(&mut self, key: &K) -> Option<&mut Share> {
        let place = &mut self.places[Self::place(key)];
        if *place == NOWHERE {
            return None;
        }
        let is_it = |(other, _): &(K, Share)| other == key;
        if !self.elements.get(usize::from(*place)).is_some_and(is_it) {
            *place = self.elements.iter().position(is_it)? as u8;
        }
        self.elements.get_mut(usize::from(*place)).map(|(_, share)| share)
    }

    /// Adds an element; gives back the one that it overwrites.
    pub(super) fn add(&mut self, key: K, share: Share) -> Option<Share> {
        let hint = Self::place(&key);
        if self.elements.len() < self.size {
            self.places[hint] = self.elements.len() as u8;
            self.elements.push((key, share));
            return None;
        }
        let place = self.oldest;
        self.places[hint] = place as u8;
        self.oldest = (place + 1) % self.size;
        let (_, former) = std::mem::replace(&mut self.elements[place], (key, share));
        Some(former)
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = Share> + '_ {
        self.oldest = 0;
        if !self.elements.is_empty() {
            self.places.fill(NOWHERE);
        }
        self.elements.drain(..).map(|(_, share)| share)
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }
}

/// Elements by their keys, each of which has a few places: who comes later takes one of them. There may be many elements, as of words whose
/// bytes have metadata of several epochs.
pub(crate) struct Shelf<K> {
    /// Empty as long as nothing was added.
    places: Vec<Option<(K, Share)>>,
    /// The places that are taken.
    taken: Vec<u16>,
    /// How many bits of a key choose its places.
    bits: u32,
    /// Which of full places is taken next.
    turn: usize,
}

impl<K: RingKey> Shelf<K> {
    /// Places that an element may have.
    const WAYS: usize = 4;

    /// One with at least so many places, as far as numbers of places go.
    pub(super) fn new(size: usize) -> Self {
        let bits = size.div_ceil(Self::WAYS).next_power_of_two().ilog2().min(u16::BITS - 2);
        Self { places: Vec::new(), taken: Vec::new(), bits, turn: 0 }
    }

    /// The first of its places.
    #[inline]
    fn place(&self, key: &K) -> usize {
        // Shifting by all bits at once, where there is one place, is not possible.
        (key.spread() >> 1 >> (u64::BITS - 1 - self.bits)) as usize * Self::WAYS
    }

    #[inline]
    pub(super) fn find(&mut self, key: &K) -> Option<&mut Share> {
        let first = self.place(key);
        let places = self.places.get_mut(first..first + Self::WAYS)?;
        places.iter_mut().flatten().find(|(other, _)| other == key).map(|(_, share)| share)
    }

    /// Adds an element; gives back the one whose place it takes.
    pub(super) fn add(&mut self, key: K, share: Share) -> Option<Share> {
        if self.places.is_empty() {
            self.places.resize_with(Self::WAYS << self.bits, || None);
        }
        let first = self.place(&key);
        let free = self.places[first..first + Self::WAYS].iter().position(Option::is_none);
        if free.is_none() {
            self.turn = (self.turn + 1) % Self::WAYS;
        }
        let place = first + free.unwrap_or(self.turn);
        if free.is_some() {
            self.taken.push(place as u16);
        }
        self.places[place].replace((key, share)).map(|(_, share)| share)
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = Share> + '_ {
        let Self { places, taken, .. } = self;
        taken
            .drain(..)
            .filter_map(|place| places[usize::from(place)].take())
            .map(|(_, share)| share)
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
    pub(super) compositions: Shelf<Parts>,
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
