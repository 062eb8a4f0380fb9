//! Which copies a thread has begun, and which of them a wait is for.

use std::collections::VecDeque;

/// Copies of one thread, by their numbers.
#[derive(Debug, Default)]
pub(super) struct ThreadCopies {
    /// Groups that are closed, oldest first.
    groups: VecDeque<Vec<u64>>,
    open: Vec<u64>,
    /// The number behind the newest copy that is known to be done.
    done_before: u64,
}

impl ThreadCopies {
    pub(super) fn begin(&mut self, number: u64) {
        self.open.push(number);
    }

    pub(super) fn commit(&mut self) {
        self.groups.push_back(std::mem::take(&mut self.open));
    }

    /// The copies that a wait for all but the newest groups has seen done, and the number that all
    /// earlier copies of the thread are below. Without a number of groups, all copies.
    pub(super) fn take_groups(&mut self, at_most: Option<u32>) -> (Vec<u64>, u64) {
        let mut done = Vec::new();
        while self.groups.len() > at_most.unwrap_or(0) as usize {
            done.extend(self.groups.pop_front().unwrap_or_default());
        }
        if at_most.is_none() {
            done.append(&mut self.open);
        }
        if let Some(last) = done.last() {
            self.done_before = last + 1;
        }
        (done, self.done_before)
    }

    /// The thread's copies below a number, whatever their group. Their groups stay, emptied.
    pub(super) fn take_below(&mut self, number: u64) -> Vec<u64> {
        let mut done = Vec::new();
        for group in self.groups.iter_mut().chain([&mut self.open]) {
            let split = group.partition_point(|copy| *copy < number);
            done.extend(group.drain(..split));
        }
        if let Some(last) = done.last() {
            self.done_before = self.done_before.max(last + 1);
        }
        done
    }

    /// The number of the newest copy, plus one.
    pub(super) fn newest(&self) -> u64 {
        let copies = self.groups.iter().flatten().chain(&self.open);
        copies.map(|copy| copy + 1).max().unwrap_or(self.done_before)
    }
}

/// Groups of bulk copies of one thread.
#[derive(Debug, Default)]
pub(super) struct BulkGroups {
    /// For each closed group, the number behind its newest copy; oldest first.
    closed: VecDeque<u64>,
    /// The number behind the newest copy of the open group.
    open: u64,
    done_before: u64,
}

impl BulkGroups {
    pub(super) fn begin(&mut self, number: u64) {
        self.open = number + 1;
    }

    pub(super) fn commit(&mut self) {
        let newest = self.closed.back().copied().unwrap_or(self.done_before);
        self.closed.push_back(self.open.max(newest));
    }

    /// The number that all copies are below which a wait for all but the newest groups has seen done.
    pub(super) fn done_before(&mut self, at_most: u32) -> u64 {
        while self.closed.len() > at_most as usize {
            let before = self.closed.pop_front().unwrap_or_default();
            self.done_before = self.done_before.max(before);
        }
        self.done_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_for_all_but_the_newest_groups() {
        let mut copies = ThreadCopies::default();
        for number in [3, 5, 9] {
            copies.begin(number);
            copies.commit();
        }
        copies.begin(12);
        assert_eq!(copies.take_groups(Some(1)), (vec![3, 5], 6));
        assert_eq!(copies.take_groups(Some(1)), (vec![], 6));
        assert_eq!(copies.newest(), 13);
        assert_eq!(copies.take_below(10), [9]);
        assert_eq!(copies.take_groups(None), (vec![12], 13));
        assert_eq!(copies.newest(), 13);
    }

    #[test]
    fn a_group_without_copies_counts_as_one() {
        let mut groups = BulkGroups::default();
        groups.begin(4);
        groups.commit();
        groups.commit();
        assert_eq!(groups.done_before(2), 0);
        assert_eq!(groups.done_before(1), 5);
        assert_eq!(groups.done_before(0), 5);
    }
}
