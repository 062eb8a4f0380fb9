//! Which locks a thread holds: guessed from what locks look like, and used only to name a race.
//!
//! A thread that changes a word with a compare-and-swap or an exchange may hold a lock from then on, until it writes the
//! word again. The word is a lock if it is given back so, with other accesses in between: it has the value then that it had
//! before, or somebody takes it from the value that it has. A counter that compare-and-swaps add to, a slot that is claimed
//! and filled, and the head of a list are no locks: what their words had before does not come again, or each who takes
//! them leaves another value.

use crate::hb::ids::{BlockNumber, LaneId, WarpId};
use crate::hb::swap::Swap;
use rustc_hash::FxHashMap;
use warpsan_event::{Access, AccessKind, AtomicKind};
use warpsan_model::SiteId;

/// A word that may be a lock: the block whose shared memory it is in, and its address.
pub(in crate::hb) type Word = (Option<BlockNumber>, u64);

/// A lane holds no more than this; the oldest are forgotten.
const MOST_HELD: usize = 4;
/// The number of a set that could not be given one of its own.
pub(in crate::hb) const UNKNOWN_SET: u8 = u8::MAX;

/// The locks of a launch.
#[derive(Debug, Default)]
pub(in crate::hb) struct Locks {
    /// The kernel has what locks are made of.
    possible: bool,
    /// By warp, its lanes that may hold something.
    held: FxHashMap<WarpId, Vec<Holder>>,
    sets: Vec<LockSet>,
    by_set: FxHashMap<LockSet, u8>,
    words: FxHashMap<Word, WordState>,
    /// How many words behave as locks do.
    locks: usize,
}

/// What a lane may hold.
#[derive(Debug)]
struct Holder {
    lane: u32,
    words: Vec<Taken>,
    /// The number of the set.
    set: u8,
    /// The number of the same set for lanes that execute with this one.
    of_company: u8,
}

/// A word that a lane took.
#[derive(Debug, Clone, Copy)]
struct Taken {
    word: Word,
    /// The instruction that took it.
    site: SiteId,
    /// What was there before, where values are known.
    free: Option<u64>,
    /// Its warp has accessed something else since.
    used: bool,
}

/// Words that were held at an access.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct LockSet {
    words: Vec<Word>,
    /// Another lane of the instruction held them, not the one that made the access.
    of_company: bool,
}

/// What is known of a word that was taken.
#[derive(Debug, Default)]
struct WordState {
    is_lock: bool,
    /// Only compare-and-swaps have given it back, as those do that take an element off a list.
    only_by_swaps: bool,
    /// What the first who took it found and left there.
    first: Option<(Option<u64>, Option<u64>)>,
    /// Some who took it found or left something else, as with the head of a list.
    differs: bool,
    /// What it had, as far as it is known, when it was given back last.
    given_back: Option<Option<u64>>,
}

/// What an atomic operation found and left in a word, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
struct Values {
    found: Option<u64>,
    left: Option<u64>,
}

impl Locks {
    pub(in crate::hb) fn begin(&mut self, possible: bool) {
        *self = Locks { possible, ..Locks::default() };
    }

    /// The number of the set of locks that a lane holds; 0 if there is none. `active` has the lanes that execute the
    /// instruction with it: what one of them holds may be meant for all.
    #[inline]
    pub(in crate::hb) fn held(&self, id: LaneId, active: u32) -> u8 {
        if self.held.is_empty() {
            return 0;
        }
        let Some(holders) = self.held.get(&id.warp()) else { return 0 };
        let own = holders.iter().find(|holder| holder.lane == id.lane);
        let company = || holders.iter().find(|holder| active >> holder.lane & 1 == 1);
        own.map(|holder| holder.set).or_else(|| company().map(|one| one.of_company)).unwrap_or(0)
    }

    /// Whether any lane may hold a lock.
    #[inline]
    pub(in crate::hb) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// A weak access of a warp: it is made under what its lanes hold, or gives a word back.
    pub(in crate::hb) fn weak_access(
        &mut self,
        access: &Access<'_>,
        warp: WarpId,
        owner: Option<BlockNumber>,
    ) {
        if !self.held.contains_key(&warp) {
            return;
        }
        for (rank, (lane, address)) in access.lanes().enumerate() {
            let id = LaneId { block: warp.block, warp: warp.warp, lane };
            let word = (owner, address);
            let value = access.values.get(rank * usize::from(access.elements)).copied();
            if access.kind == AccessKind::Write
                && self.give_back(id, access.site, word, value, false)
            {
                continue;
            }
            self.use_under_lock(warp, word);
        }
    }

    /// A strong access of a lane: it gives a lock back, or takes one, if its instruction is one that locks are taken
    /// with.
    pub(in crate::hb) fn strong_access(
        &mut self,
        access: &Access<'_>,
        id: LaneId,
        word: Word,
        takes: Option<Swap>,
    ) {
        if !self.possible {
            return;
        }
        let wrote = access.wrote >> id.lane & 1 == 1 || access.kind == AccessKind::Reduction;
        let updates = access.kind == AccessKind::ReadModifyWrite;
        let rank = (access.mask & ((1u32 << id.lane) - 1)).count_ones() as usize;
        let value = |index: usize| access.values.get(index).copied();
        let observed =
            (updates && access.elements == 1).then(|| (value(rank * 2), value(rank * 2 + 1)));
        let (found, left) = observed.unwrap_or_default();
        let values = Values {
            found: found.or(takes.and_then(|swap| swap.expected)),
            left: match access.kind {
                AccessKind::Write => value(rank * usize::from(access.elements)),
                _ => left.or(takes.and_then(|swap| swap.left)),
            },
        };
        let swaps = takes.is_some_and(|swap| swap.kind == AtomicKind::CompareAndSwap);
        if access.kind != AccessKind::Read
            && wrote
            && self.give_back(id, access.site, word, values.left, swaps)
        {
            return;
        }
        self.use_under_lock(id.warp(), word);
        // An exchange that leaves what was there, as one does that waits, has taken nothing.
        let changes = values.found.zip(values.left).is_none_or(|(found, left)| found != left);
        if takes.is_some() && updates && wrote && changes && access.bytes <= 8 {
            self.take(id, access.site, word, values);
        }
    }

    fn take(&mut self, id: LaneId, site: SiteId, word: Word, values: Values) {
        let state = self.words.entry(word).or_default();
        let taken_again = state.given_back.is_some_and(|given_back| {
            given_back.zip(values.found).is_none_or(|(given_back, found)| given_back == found)
        });
        if taken_again && !state.is_lock {
            state.is_lock = true;
            self.locks += 1;
        }
        let of_all = (values.found, values.left);
        state.differs |= state.first.is_some_and(|first| first != of_all);
        state.first = state.first.or(Some(of_all));
        if state.differs && state.only_by_swaps && state.is_lock {
            state.is_lock = false;
            self.locks -= 1;
        }
        let holders = self.held.entry(id.warp()).or_default();
        let index = holders.iter().position(|holder| holder.lane == id.lane);
        let index = index.unwrap_or_else(|| {
            let (lane, words) = (id.lane, Vec::new());
            holders.push(Holder { lane, words, set: 0, of_company: 0 });
            holders.len() - 1
        });
        let words = &mut holders[index].words;
        if words.len() == MOST_HELD {
            words.remove(0);
        }
        words.push(Taken { word, site, free: values.found, used: false });
        self.renumber(id);
    }

    /// A lane writes a word, by a compare-and-swap if `swaps`, and leaves a value there. Returns whether it held the word
    /// and gives it back.
    fn give_back(
        &mut self,
        id: LaneId,
        site: SiteId,
        word: Word,
        left: Option<u64>,
        swaps: bool,
    ) -> bool {
        let Some(holders) = self.held.get_mut(&id.warp()) else { return false };
        let holder = holders.iter_mut().find(|holder| holder.lane == id.lane);
        let Some(holder) = holder else { return false };
        let Some(index) = holder.words.iter().position(|taken| taken.word == word) else {
            return false;
        };
        let taken = holder.words.remove(index);
        self.renumber(id);
        let state = self.words.entry(word).or_default();
        if taken.site == site {
            // It is tried again.
            return false;
        }
        // Where it is not known what was there, a free lock is most likely 0.
        let restores = match (left, taken.free) {
            (Some(left), Some(free)) => left == free,
            (Some(left), None) => !swaps && left == 0,
            (None, _) => !swaps,
        };
        if swaps && (!restores || state.differs) {
            // It goes on to something else: a counter, a position, another head.
            return false;
        }
        state.given_back = taken.used.then_some(left);
        if restores && taken.used {
            state.only_by_swaps = swaps && (!state.is_lock || state.only_by_swaps);
            self.locks += usize::from(!state.is_lock);
            state.is_lock = true;
        }
        true
    }

    /// A warp accesses something while its lanes may hold locks.
    fn use_under_lock(&mut self, warp: WarpId, word: Word) {
        for holder in self.held.get_mut(&warp).into_iter().flatten() {
            for taken in holder.words.iter_mut().filter(|taken| taken.word != word) {
                taken.used = true;
            }
        }
    }

    fn renumber(&mut self, id: LaneId) {
        let warp = id.warp();
        let Some(holders) = self.held.get_mut(&warp) else { return };
        holders.retain(|holder| !holder.words.is_empty());
        if holders.is_empty() {
            self.held.remove(&warp);
            return;
        }
        let Some(holder) = holders.iter_mut().find(|holder| holder.lane == id.lane) else { return };
        let mut words: Vec<Word> = holder.words.iter().map(|taken| taken.word).collect();
        words.sort_unstable();
        words.dedup();
        for (of_company, number) in [(false, &mut holder.set), (true, &mut holder.of_company)] {
            let set = LockSet { words: words.clone(), of_company };
            *number = match self.by_set.get(&set) {
                Some(number) => *number,
                None if self.sets.len() + 1 < usize::from(UNKNOWN_SET) => {
                    self.sets.push(set.clone());
                    let number = self.sets.len() as u8;
                    self.by_set.insert(set, number);
                    number
                }
                None => UNKNOWN_SET,
            };
        }
    }

    /// Whether the word is one that behaves as locks do.
    pub(in crate::hb) fn is_lock(&self, word: Word) -> bool {
        self.words.get(&word).is_some_and(|state| state.is_lock)
    }

    fn set(&self, number: u8) -> Option<&LockSet> {
        self.sets.get(usize::from(number).checked_sub(1)?)
    }

    /// Words that were held at an access, if these are locks, and whether by the lane itself.
    fn held_words(&self, number: u8, is_lock: impl Fn(Word) -> bool) -> (Vec<Word>, bool) {
        let Some(set) = self.set(number) else { return (Vec::new(), true) };
        (set.words.iter().copied().filter(|word| is_lock(*word)).collect(), !set.of_company)
    }

    /// What locks say about two accesses, under these sets.
    pub(in crate::hb) fn verdict(&self, one: u8, other: u8) -> LockVerdict {
        if one == UNKNOWN_SET || other == UNKNOWN_SET {
            let differ = self.locks > 0 && (one == 0 || other == 0);
            return if differ { LockVerdict::Differ } else { LockVerdict::Nothing };
        }
        match self.verdict_if(one, other, |word| self.is_lock(word)) {
            LockVerdict::Nothing => match self.verdict_if(one, other, |_| true) {
                LockVerdict::Nothing => LockVerdict::Nothing,
                _ => LockVerdict::Undecided,
            },
            decided => decided,
        }
    }

    /// The verdict if certain words are locks.
    pub(in crate::hb) fn verdict_if(
        &self,
        one: u8,
        other: u8,
        is_lock: impl Fn(Word) -> bool,
    ) -> LockVerdict {
        let (one, one_itself) = self.held_words(one, &is_lock);
        let (other, other_itself) = self.held_words(other, &is_lock);
        match one.iter().any(|word| other.contains(word)) {
            _ if one.is_empty() && other.is_empty() => LockVerdict::Nothing,
            true if one_itself && other_itself => LockVerdict::Nothing,
            true => LockVerdict::OfCompany,
            false => LockVerdict::Differ,
        }
    }

    /// The verdict when the launch is over.
    pub(in crate::hb) fn last_verdict(&self, one: u8, other: u8) -> LockVerdict {
        self.verdict_if(one, other, |word| self.is_lock(word))
    }

    /// The address of a lock of the set, for words in a report.
    pub(in crate::hb) fn example(&self, set: u8) -> Option<Word> {
        let words = &self.set(set)?.words;
        words.iter().find(|word| self.is_lock(**word)).or(words.first()).copied()
    }
}

/// What locks say about two accesses that race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) enum LockVerdict {
    /// No lock was held, or one by both.
    Nothing,
    /// A lock was held on at least one side, and none on both.
    Differ,
    /// The same lock was held on both sides, but on one of them by another lane of the warp.
    OfCompany,
    /// Something was held that may turn out to be a lock.
    Undecided,
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_event::testing::{Lanes, MemoryOperand, RELAXED, WEAK};

    const WORD: u64 = 0x100;
    const OTHER: u64 = 0x200;

    fn lane(block: u32, lane: u32) -> LaneId {
        LaneId { block: BlockNumber(block), warp: crate::hb::ids::WarpNumber(0), lane }
    }

    fn locks() -> Locks {
        let mut locks = Locks::default();
        locks.begin(true);
        locks
    }

    /// A compare-and-swap that finds and leaves these values.
    fn swap(locks: &mut Locks, who: LaneId, found: u64, left: u64) {
        atomic(locks, who, found, left, Some(AtomicKind::CompareAndSwap));
    }

    /// Each pair of values is an instruction of its own.
    fn atomic(locks: &mut Locks, who: LaneId, found: u64, left: u64, kind: Option<AtomicKind>) {
        let site = SiteId((found * 100 + left) as u32);
        let takes = kind.map(|kind| Swap { kind, expected: None, left: None });
        let lanes = Lanes::from((who.block.0, 0, 1 << who.lane));
        let at = MemoryOperand::global(WORD);
        let access = lanes.access(AccessKind::ReadModifyWrite, RELAXED, at);
        let access = Access { values: &[found, left], wrote: 1 << who.lane, site, ..access };
        locks.strong_access(&access, who, (None, WORD), takes);
    }

    fn store(locks: &mut Locks, who: LaneId, address: u64, value: u64) {
        let lanes = Lanes::from((who.block.0, 0, 1 << who.lane));
        let access = lanes.access(AccessKind::Write, WEAK, MemoryOperand::global(address));
        locks.weak_access(&Access { values: &[value], ..access }, who.warp(), None);
    }

    /// Whether the word is a lock, once a lane has done this with it.
    fn is_lock(story: impl FnOnce(&mut Locks, LaneId)) -> bool {
        let mut locks = locks();
        story(&mut locks, lane(0, 0));
        locks.is_lock((None, WORD))
    }

    #[test]
    fn a_lock_is_taken_and_given_back_with_accesses_in_between() {
        for give_back in [
            (|locks, who| store(locks, who, WORD, 0)) as fn(&mut Locks, LaneId),
            |locks, who| atomic(locks, who, 1, 0, None),
            |locks, who| atomic(locks, who, 1, 0, Some(AtomicKind::Exchange)),
            |locks, who| swap(locks, who, 1, 0),
        ] {
            assert!(is_lock(|locks, who| {
                swap(locks, who, 0, 1);
                store(locks, who, OTHER, 5);
                give_back(locks, who);
            }));
            assert!(!is_lock(|locks, who| {
                swap(locks, who, 0, 1);
                give_back(locks, who);
            }));
        }
    }

    #[test]
    fn a_counter_is_no_lock() {
        assert!(!is_lock(|locks, who| {
            for count in 0..5 {
                swap(locks, who, count, count + 1);
                store(locks, who, OTHER, count);
            }
        }));
    }

    #[test]
    fn a_slot_that_is_claimed_and_filled_is_no_lock() {
        assert!(!is_lock(|locks, who| {
            swap(locks, who, 0, 1);
            store(locks, who, OTHER, 5);
            store(locks, who, WORD, 2);
        }));
    }

    #[test]
    fn the_head_of_a_list_is_no_lock() {
        assert!(!is_lock(|locks, who| {
            // Two nodes are pushed, one after the other, and popped again.
            swap(locks, who, 0, 7);
            store(locks, who, OTHER, 5);
            swap(locks, who, 7, 8);
            store(locks, who, OTHER, 5);
            swap(locks, who, 8, 7);
            store(locks, who, OTHER, 5);
            swap(locks, who, 7, 0);
        }));
        assert!(!is_lock(|locks, who| {
            // One after the other is pushed and popped.
            for node in [7, 8] {
                swap(locks, who, 0, node);
                store(locks, who, OTHER, 5);
                swap(locks, who, node, 0);
            }
        }));
    }

    #[test]
    fn a_version_that_somebody_takes_again_is_a_lock() {
        let story = |found_next: u64| {
            is_lock(|locks, who| {
                swap(locks, who, 0, 1);
                store(locks, who, OTHER, 5);
                store(locks, who, WORD, 2);
                swap(locks, lane(1, 0), found_next, 3);
            })
        };
        assert!(story(2) && !story(9));
    }

    #[test]
    fn an_exchange_that_changes_nothing_takes_nothing() {
        let mut locks = locks();
        swap(&mut locks, lane(0, 0), 1, 1);
        assert_eq!(locks.held(lane(0, 0), 1), 0);
    }

    #[test]
    fn an_exchange_that_is_tried_again_gives_nothing_back() {
        let mut locks = locks();
        let who = lane(0, 0);
        let at = MemoryOperand::global(WORD);
        let access = Lanes::from((0, 0, 1)).access(AccessKind::ReadModifyWrite, RELAXED, at);
        let takes = Some(Swap { kind: AtomicKind::Exchange, expected: None, left: Some(1) });
        for _ in 0..4 {
            locks.strong_access(&Access { wrote: 1, ..access }, who, (None, WORD), takes);
            assert_ne!(locks.held(who, 1), 0, "its values are not known");
        }
    }

    #[test]
    fn what_one_lane_holds_may_be_meant_for_those_that_execute_with_it() {
        let mut locks = locks();
        let holders = [lane(0, 0), lane(1, 0)];
        let mut sets = Vec::new();
        for holder in holders {
            swap(&mut locks, holder, 0, 1);
            let other = LaneId { lane: 3, ..holder };
            assert_eq!(locks.held(other, 0b1000), 0, "the holder is elsewhere");
            sets.push((locks.held(holder, 0b1001), locks.held(other, 0b1001)));
            store(&mut locks, holder, OTHER, 1);
            store(&mut locks, holder, WORD, 0);
        }
        let [(own, company), (own_too, company_too)] = sets[..] else { panic!("{sets:?}") };
        assert_eq!((own, company), (own_too, company_too), "the same lock");
        assert_eq!(locks.verdict(own, own), LockVerdict::Nothing);
        assert_eq!(locks.verdict(own, company), LockVerdict::OfCompany);
        assert_eq!(locks.verdict(company, company), LockVerdict::OfCompany);
        assert_eq!(locks.verdict(company, 0), LockVerdict::Differ);
        assert_eq!(locks.verdict(0, 0), LockVerdict::Nothing);
    }

    #[test]
    fn what_is_not_given_back_yet_is_undecided() {
        let mut locks = locks();
        swap(&mut locks, lane(0, 0), 0, 1);
        let held = locks.held(lane(0, 0), 1);
        assert_eq!(locks.verdict(held, 0), LockVerdict::Undecided);
        assert_eq!(locks.last_verdict(held, 0), LockVerdict::Nothing);
        store(&mut locks, lane(0, 0), OTHER, 1);
        store(&mut locks, lane(0, 0), WORD, 0);
        assert_eq!(locks.verdict(held, 0), LockVerdict::Differ);
    }
}
