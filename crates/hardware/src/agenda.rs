//! What is to happen when. Things of one cycle happen in the order in which they were put down, so that
//! nothing depends on anything but the workload and the configuration.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cycles that have a list of their own; later ones wait in a heap. A power of two.
const NEAR: u64 = 1024;

/// Entries by their time.
#[derive(Debug)]
pub(crate) struct Agenda<T> {
    near: Vec<Vec<T>>,
    far: BinaryHeap<Reverse<Far<T>>>,
    /// Entries of the current cycle, and how many of them are done.
    current: Vec<T>,
    done: usize,
    now: u64,
    /// How many entries `near` has.
    near_count: usize,
    put_far: u64,
}

#[derive(Debug)]
struct Far<T> {
    time: u64,
    number: u64,
    entry: T,
}

impl<T> Far<T> {
    fn key(&self) -> (u64, u64) {
        (self.time, self.number)
    }
}

impl<T> PartialEq for Far<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Far<T> {}

impl<T> PartialOrd for Far<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Far<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T: Copy> Agenda<T> {
    pub(crate) fn new() -> Agenda<T> {
        Agenda {
            near: (0..NEAR).map(|_| Vec::new()).collect(),
            far: BinaryHeap::new(),
            current: Vec::new(),
            done: 0,
            now: 0,
            near_count: 0,
            put_far: 0,
        }
    }

    /// The time of the entry that was taken last.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Puts an entry down. What is past happens now.
    pub(crate) fn put(&mut self, time: u64, entry: T) {
        let time = time.max(self.now);
        if time == self.now {
            self.current.push(entry);
        } else if time - self.now < NEAR {
            self.near[(time % NEAR) as usize].push(entry);
            self.near_count += 1;
        } else {
            self.put_far += 1;
            self.far.push(Reverse(Far { time, number: self.put_far, entry }));
        }
    }

    /// Takes the next entry, and goes to its time.
    pub(crate) fn take(&mut self) -> Option<T> {
        loop {
            if let Some(entry) = self.current.get(self.done) {
                self.done += 1;
                return Some(*entry);
            }
            self.current.clear();
            self.done = 0;
            let next_far = self.far.peek().map(|Reverse(far)| far.time);
            self.now = match (self.near_count, next_far) {
                (0, None) => return None,
                (0, Some(time)) => time,
                (_, far) => {
                    let near = self.next_near();
                    far.map_or(near, |far| far.min(near))
                }
            };
            // What was put down long ago comes before what was put down since.
            while self.far.peek().is_some_and(|Reverse(far)| far.time == self.now) {
                self.current.extend(self.far.pop().map(|Reverse(far)| far.entry));
            }
            let list = &mut self.near[(self.now % NEAR) as usize];
            self.near_count -= list.len();
            self.current.append(list);
        }
    }

    /// The next cycle with a list; there is one.
    fn next_near(&self) -> u64 {
        let lists = self.now + 1..self.now + NEAR;
        let found = |time: &u64| !self.near[(*time % NEAR) as usize].is_empty();
        lists.clone().find(found).unwrap_or(lists.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn entries_come_by_time_and_then_in_their_order() {
        let mut agenda = Agenda::new();
        agenda.put(5, 'c');
        agenda.put(100_000, 'e');
        agenda.put(2, 'a');
        agenda.put(5, 'd');
        agenda.put(2, 'b');
        let all: String = std::iter::from_fn(|| agenda.take()).collect();
        assert_eq!((all.as_str(), agenda.now()), ("abcde", 100_000));
    }

    #[test]
    fn what_is_past_happens_now() {
        let mut agenda = Agenda::new();
        agenda.put(10, 1);
        assert_eq!(agenda.take(), Some(1));
        agenda.put(3, 2);
        assert_eq!((agenda.take(), agenda.now()), (Some(2), 10));
        assert_eq!(agenda.take(), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_time_never_goes_back(
            delays in proptest::collection::vec(0u64..10_000, 1..300),
        ) {
            let mut agenda = Agenda::new();
            let mut expected = Vec::new();
            let (first, rest) = delays.split_at(delays.len() / 2);
            for (number, delay) in first.iter().enumerate() {
                agenda.put(*delay, number);
                expected.push(number);
            }
            let mut rest = rest.iter().enumerate();
            let (mut taken, mut last) = (Vec::new(), 0);
            loop {
                let entry = agenda.take();
                prop_assert!(agenda.now() >= last);
                last = agenda.now();
                taken.extend(entry);
                match rest.next() {
                    Some((number, delay)) => {
                        agenda.put(last + delay, first.len() + number);
                        expected.push(first.len() + number);
                    }
                    None if entry.is_none() => break,
                    None => {}
                }
            }
            taken.sort_unstable();
            prop_assert_eq!(taken, expected);
        }
    }
}
