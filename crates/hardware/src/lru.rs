//! Sets of ways whose least recently used one is the victim: what caches of both models are made of.

/// No line has this number.
const NOBODY: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct Way<T> {
    line: u64,
    state: T,
}

/// Lines in sets, each with a state.
#[derive(Debug)]
pub(crate) struct Sets<T> {
    /// Set by set; in each the ways by their last use, the last one first. Empty ways are behind.
    ways: Vec<Way<T>>,
    ways_per_set: usize,
}

impl<T: Copy + Default> Sets<T> {
    pub(crate) fn new(sets: usize, ways_per_set: usize) -> Sets<T> {
        let empty = Way { line: NOBODY, state: T::default() };
        Sets { ways: vec![empty; sets * ways_per_set], ways_per_set }
    }

    fn set(&mut self, set: usize) -> &mut [Way<T>] {
        let first = set * self.ways_per_set;
        &mut self.ways[first..first + self.ways_per_set]
    }

    /// The state of a line, without a use of it.
    pub(crate) fn find(&mut self, set: usize, line: u64) -> Option<&mut T> {
        self.set(set).iter_mut().find(|way| way.line == line).map(|way| &mut way.state)
    }

    /// The state of a line that is used.
    pub(crate) fn touch(&mut self, set: usize, line: u64) -> Option<&mut T> {
        let ways = self.set(set);
        let at = ways.iter().position(|way| way.line == line)?;
        ways[..=at].rotate_right(1);
        Some(&mut ways[0].state)
    }

    /// Puts a line in that is not there; the line that had to go.
    pub(crate) fn insert(&mut self, set: usize, line: u64, state: T) -> Option<(u64, T)> {
        let ways = self.set(set);
        ways.rotate_right(1);
        let victim = std::mem::replace(&mut ways[0], Way { line, state });
        (victim.line != NOBODY).then_some((victim.line, victim.state))
    }

    /// Takes a line out; whether it was there.
    pub(crate) fn remove(&mut self, set: usize, line: u64) -> bool {
        let ways = self.set(set);
        let Some(at) = ways.iter().position(|way| way.line == line) else { return false };
        ways[at].line = NOBODY;
        ways[at..].rotate_left(1);
        true
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) {
        self.ways.iter_mut().for_each(|way| way.line = NOBODY);
    }
}
