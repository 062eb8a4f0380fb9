//! A set-associative cache with the least recently used line as victim. It knows which lines are there and
//! which are changed, not what is in them.

use crate::lru::Sets;

/// A line that had to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Victim {
    pub(crate) line: u32,
    /// It was changed, and memory does not know.
    pub(crate) changed: bool,
}

/// A cache of lines that are known by their numbers.
#[derive(Debug)]
pub(crate) struct Cache {
    /// Each line with whether it was changed.
    lines: Sets<bool>,
    sets: u32,
}

impl Cache {
    /// An empty cache of so many lines in sets of so many ways.
    pub(crate) fn new(lines: u64, ways: u32) -> Cache {
        let ways_per_set = ways.max(1) as usize;
        let sets = (lines / ways_per_set as u64).max(1) as u32;
        Cache { lines: Sets::new(sets as usize, ways_per_set), sets }
    }

    fn set_of(&self, line: u32) -> usize {
        (line % self.sets) as usize
    }

    /// Uses the line, if it is there; `change` makes it a changed one.
    pub(crate) fn touch(&mut self, line: u32, change: bool) -> bool {
        let changed = self.lines.touch(self.set_of(line), u64::from(line));
        changed.map(|changed| *changed |= change).is_some()
    }

    /// Puts a line in. It may be there already.
    pub(crate) fn insert(&mut self, line: u32, changed: bool) -> Option<Victim> {
        if self.touch(line, changed) {
            return None;
        }
        let victim = self.lines.insert(self.set_of(line), u64::from(line), changed);
        victim.map(|(line, changed)| Victim { line: line as u32, changed })
    }

    /// Takes a line out, as a store does with what the L1 has.
    pub(crate) fn evict(&mut self, line: u32) {
        self.lines.remove(self.set_of(line), u64::from(line));
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One set of two ways.
    fn pair() -> Cache {
        Cache::new(2, 2)
    }

    #[test]
    fn the_least_recently_used_line_goes() {
        let mut cache = pair();
        assert_eq!(cache.insert(1, false), None);
        assert_eq!(cache.insert(2, false), None);
        assert!(cache.touch(1, false));
        assert_eq!(cache.insert(3, false), Some(Victim { line: 2, changed: false }));
        assert!(cache.touch(1, false) && cache.touch(3, false) && !cache.touch(2, false));
    }

    #[test]
    fn a_changed_line_says_so_when_it_goes() {
        let mut cache = pair();
        cache.insert(1, false);
        cache.touch(1, true);
        cache.insert(2, true);
        assert_eq!(cache.insert(3, false), Some(Victim { line: 1, changed: true }));
        assert_eq!(cache.insert(4, false), Some(Victim { line: 2, changed: true }));
    }

    #[test]
    fn an_evicted_line_leaves_room() {
        let mut cache = pair();
        cache.insert(1, false);
        cache.insert(2, false);
        cache.evict(1);
        assert!(!cache.touch(1, false));
        assert_eq!(cache.insert(3, false), None);
        cache.clear();
        assert!(!cache.touch(2, false) && !cache.touch(3, false));
    }

    #[test]
    fn lines_of_different_sets_do_not_meet() {
        let mut cache = Cache::new(4, 2);
        for line in [0, 2, 1] {
            assert_eq!(cache.insert(line, false), None);
        }
        assert_eq!(cache.insert(4, false), Some(Victim { line: 0, changed: false }));
        assert!(cache.touch(1, false));
    }

    fn misses(lines: &[u32], ways: u32) -> usize {
        let mut cache = Cache::new(u64::from(ways), ways);
        let mut missed = 0;
        for line in lines {
            if !cache.touch(*line, false) {
                missed += 1;
                cache.insert(*line, false);
            }
        }
        missed
    }

    proptest! {
        #[test]
        fn a_smaller_set_never_misses_less(lines in proptest::collection::vec(0u32..12, 0..200)) {
            for ways in 1..8 {
                prop_assert!(misses(&lines, ways) >= misses(&lines, ways + 1));
            }
        }
    }
}
