//! The same verdicts, from what was done: no packing, no flags, counters that do not come round, locks by their names.

use crate::last_access::Reach;
use std::collections::{BTreeSet, HashMap};
use warpsan_report::RaceKind;

/// A warp: its block, and its number there.
pub(super) type Warp = (u32, u32);

/// What a warp does to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Load { volatile: bool },
    Store { volatile: bool },
    Atomic(Reach),
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Access(Warp, Operation, u64),
    Fence(Warp, Reach),
    Barrier(u32),
    CompareAndSwap(Warp, Reach, u64),
    Exchange(Warp, Reach, u64),
}

/// An access, with all that was true then.
#[derive(Debug, Clone)]
struct Done {
    warp: Warp,
    site: u32,
    operation: Operation,
    barriers: usize,
    fences: (usize, usize),
    locks: BTreeSet<(u64, Reach)>,
}

impl Done {
    fn is_load(&self) -> bool {
        matches!(self.operation, Operation::Load { .. })
    }
}

/// What is known of a word.
#[derive(Debug, Default)]
struct Word {
    /// The last write, or the loads since the last write and the last barrier that ordered all before them.
    recent: Vec<Done>,
    /// A weak access since the first one or since such a barrier.
    was_weak: bool,
}

#[derive(Debug, Clone, Copy)]
struct Lock {
    word: u64,
    reach: Reach,
    is_held: bool,
    is_given_back: bool,
}

#[derive(Debug, Default)]
pub(super) struct Reference {
    words: HashMap<u64, Word>,
    barriers: HashMap<u32, usize>,
    /// Fences of device and of block scope.
    fences: HashMap<Warp, (usize, usize)>,
    locks: HashMap<Warp, Vec<Lock>>,
    /// Races: row of table IV, kind, both instructions.
    pub(super) found: BTreeSet<(char, &'static str, u32, u32)>,
}

impl Reference {
    /// An access of an instruction, with what it may do to a lock.
    pub(super) fn step(&mut self, step: Step, site: u32) {
        match step {
            Step::Access(warp, operation, word) => self.access(warp, operation, word, site),
            Step::Barrier(block) => *self.barriers.entry(block).or_default() += 1,
            Step::Fence(warp, reach) => {
                let (device, block) = self.fences.entry(warp).or_default();
                *(if reach == Reach::Device { device } else { block }) += 1;
                for lock in self.locks.entry(warp).or_default() {
                    lock.is_held |= reach >= lock.reach;
                }
            }
            Step::CompareAndSwap(warp, reach, word) => {
                self.access(warp, Operation::Atomic(reach), word, site);
                let locks = self.locks.entry(warp).or_default();
                let is_known = |lock: &Lock| (lock.word, lock.reach) == (word, reach);
                if !known(locks).any(is_known) {
                    locks.push(Lock { word, reach, is_held: false, is_given_back: false });
                }
            }
            Step::Exchange(warp, reach, word) => {
                self.access(warp, Operation::Atomic(reach), word, site);
                for lock in self.locks.entry(warp).or_default() {
                    lock.is_given_back |= (lock.word, lock.reach) == (word, reach);
                }
            }
        }
    }

    fn access(&mut self, warp: Warp, operation: Operation, word: u64, site: u32) {
        let held = known(self.locks.entry(warp).or_default()).filter(|lock| lock.is_held);
        let now = Done {
            warp,
            site,
            operation,
            barriers: self.barriers.get(&warp.0).copied().unwrap_or_default(),
            fences: self.fences.get(&warp).copied().unwrap_or_default(),
            locks: held.map(|lock| (lock.word, lock.reach)).collect(),
        };
        let is_weak = matches!(
            operation,
            Operation::Load { volatile: false } | Operation::Store { volatile: false }
        );
        let state = self.words.entry(word).or_default();
        let Some(last) = state.recent.last().cloned() else {
            *state = Word { recent: vec![now], was_weak: is_weak };
            return;
        };
        let all_by_warp = state.recent.iter().all(|done| done.warp == warp);
        let all_in_block = state.recent.iter().all(|done| done.warp.0 == warp.0);
        if !all_by_warp && all_in_block && last.barriers != now.barriers {
            *state = Word { recent: vec![now], was_weak: is_weak };
            return;
        }
        state.was_weak |= is_weak;
        let fences = self.fences.get(&last.warp).copied().unwrap_or_default();
        if !all_by_warp && let Some((row, kind)) = judge(&last, &now, fences, state.was_weak) {
            let others = state.recent.iter().rev();
            let earlier = others.clone().find(|done| done.warp != warp).unwrap_or(&last);
            let earlier = if last.warp == warp { earlier } else { &last };
            self.found.insert((row, kind.name(), earlier.site, site));
        }
        let is_own_write = !last.is_load() && last.warp == warp;
        let is_unpublished = last.fences.0 == now.fences.0;
        match now.is_load() {
            true if is_own_write && is_unpublished => {}
            true if last.is_load() => state.recent.push(now),
            _ => state.recent = vec![now],
        }
    }
}

/// The locks that a table of four has a place for.
fn known(locks: &[Lock]) -> impl Iterator<Item = &Lock> {
    locks.iter().rev().take(4).filter(|lock| !lock.is_given_back)
}

/// The row of table IV that fits, and the kind of race.
fn judge(
    last: &Done,
    now: &Done,
    fences: (usize, usize),
    was_weak: bool,
) -> Option<(char, RaceKind)> {
    if last.is_load() && now.is_load() {
        return None;
    }
    let in_block = last.warp.0 == now.warp.0;
    if last.operation == Operation::Atomic(Reach::Block) && !in_block {
        return Some(('d', RaceKind::Scope));
    }
    let is_atomic = |done: &Done| matches!(done.operation, Operation::Atomic(_));
    if is_atomic(last) && is_atomic(now) {
        return None;
    }
    let (device, block) = (fences.0 > last.fences.0, fences.1 > last.fences.1);
    match (in_block, device, block) {
        (true, false, false) if last.warp != now.warp => {
            return Some(('a', RaceKind::MissingFence));
        }
        (false, false, true) => return Some(('b', RaceKind::Scope)),
        (false, false, false) => return Some(('b', RaceKind::MissingFence)),
        _ => {}
    }
    if was_weak {
        return Some(('c', RaceKind::MissingSync));
    }
    let is_locked = !last.locks.is_empty() || !now.locks.is_empty();
    let row = if now.is_load() { 'e' } else { 'f' };
    // Within a block a lock is the same, whatever its scope.
    let is_common = |(word, reach): &(u64, Reach)| {
        last.locks.iter().any(|lock| lock.0 == *word && (in_block || lock.1 == *reach))
    };
    (is_locked && !now.locks.iter().any(is_common)).then_some((row, RaceKind::Lock))
}
