//! Which locks a thread holds: guessed from what locks look like, and used only to name a race.
//!
//! A thread that changes a word with a compare-and-swap or an exchange may hold a lock from then on,
//! until it writes the word again. It counts as a lock when the word was given back once, or when the thread has
//! executed a fence, or acquired, after taking it.

use crate::hb::ids::{BlockNumber, LaneId};
use rustc_hash::{FxHashMap, FxHashSet};
use warpsan_event::{Access, AccessKind};
use warpsan_model::Order;

/// A word that may be a lock: the block whose shared memory it is in, and its address.
type Word = (Option<BlockNumber>, u64);

/// A lane holds no more than this; the oldest are forgotten.
const MOST_HELD: usize = 4;
/// The number of a set that could not be given one of its own.
pub(in crate::hb) const UNKNOWN_SET: u8 = u8::MAX;

/// The locks of a launch.
#[derive(Debug, Default)]
pub(in crate::hb) struct Locks {
    /// The kernel has what locks are made of.
    possible: bool,
    held: FxHashMap<LaneId, Held>,
    sets: Vec<Vec<Word>>,
    by_set: FxHashMap<Vec<Word>, u8>,
    /// Words that behave as locks do.
    confirmed: FxHashSet<Word>,
}

#[derive(Debug, Default)]
struct Held {
    words: Vec<Word>,
    set: u8,
}

impl Locks {
    pub(in crate::hb) fn begin(&mut self, possible: bool) {
        *self = Locks { possible, ..Locks::default() };
    }

    /// The number of the set of locks that a lane holds; 0 if there is none.
    #[inline]
    pub(in crate::hb) fn held(&self, id: LaneId) -> u8 {
        if self.held.is_empty() {
            return 0;
        }
        self.held.get(&id).map_or(0, |held| held.set)
    }

    /// Whether any lane may hold a lock.
    #[inline]
    pub(in crate::hb) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// A strong write of a lane: it gives a lock back, or takes one, if `takes` says that its instruction is
    /// one that locks are made of.
    pub(in crate::hb) fn strong_write(
        &mut self,
        access: &Access<'_>,
        id: LaneId,
        word: Word,
        takes: bool,
    ) {
        let wrote = access.wrote >> id.lane & 1 == 1 || access.kind == AccessKind::Reduction;
        if !self.possible || !wrote {
            return;
        }
        if let Some(held) = self.held.get_mut(&id)
            && let Some(index) = held.words.iter().position(|known| *known == word)
        {
            held.words.remove(index);
            self.confirmed.insert(word);
            self.renumber(id);
            return;
        }
        if takes && access.kind == AccessKind::ReadModifyWrite && access.bytes <= 8 {
            let held = self.held.entry(id).or_default();
            if held.words.len() == MOST_HELD {
                held.words.remove(0);
            }
            held.words.push(word);
            if access.strength.order().is_some_and(Order::acquires) {
                self.confirmed.insert(word);
            }
            self.renumber(id);
        }
    }

    /// A fence: what the lane took before it is most likely a lock.
    pub(in crate::hb) fn fence(&mut self, id: LaneId) {
        if let Some(held) = self.held.get(&id) {
            self.confirmed.extend(&held.words);
        }
    }

    fn renumber(&mut self, id: LaneId) {
        let Some(held) = self.held.get_mut(&id) else { return };
        if held.words.is_empty() {
            self.held.remove(&id);
            return;
        }
        let mut words = held.words.clone();
        words.sort_unstable();
        let sets = &mut self.sets;
        held.set = match self.by_set.get(&words) {
            Some(set) => *set,
            None if sets.len() + 1 < usize::from(UNKNOWN_SET) => {
                sets.push(words.clone());
                let set = sets.len() as u8;
                self.by_set.insert(words, set);
                set
            }
            None => UNKNOWN_SET,
        };
    }

    /// Whether the word is one that behaves as locks do.
    pub(in crate::hb) fn is_lock(&self, owner: Option<BlockNumber>, address: u64) -> bool {
        self.confirmed.contains(&(owner, address))
    }

    /// Whether a lock was held on at least one side, and none on both.
    pub(in crate::hb) fn differ(&self, one: u8, other: u8) -> bool {
        if one == UNKNOWN_SET || other == UNKNOWN_SET {
            return one == 0 || other == 0;
        }
        let locks = |set: u8| -> Vec<Word> {
            let words = usize::from(set).checked_sub(1).and_then(|index| self.sets.get(index));
            let words = words.into_iter().flatten().copied();
            words.filter(|word| self.confirmed.contains(word)).collect()
        };
        let (one, other) = (locks(one), locks(other));
        let held = !one.is_empty() || !other.is_empty();
        held && one.iter().all(|word| !other.contains(word))
    }

    /// The address of a lock of the set, for words in a report.
    pub(in crate::hb) fn example(&self, set: u8) -> Option<Word> {
        let words = self.sets.get(usize::from(set).checked_sub(1)?)?;
        words.iter().find(|word| self.confirmed.contains(word)).copied()
    }
}
