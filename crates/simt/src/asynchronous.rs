//! Asynchronous copies that have begun and are not carried out yet.
//!
//! A copy is carried out when its thread waits for it, or when the scheduler lets the block's copies
//! go on; never before something could have noticed that it is not.

use crate::target::Target;
use std::collections::{BTreeMap, VecDeque};
use warpsan_ir::{AtomicOp, Type};
use warpsan_model::SiteId;

/// A copy, or an arrival that follows the copies of a thread.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// The copy's number in the launch.
    pub(crate) number: u64,
    /// Who began it.
    pub(crate) thread: u32,
    pub(crate) site: SiteId,
    pub(crate) work: Work,
}

#[derive(Debug, Clone)]
pub(crate) enum Work {
    /// Bytes from one place to others: more than one for a multicast.
    Copy {
        from: Target,
        to: Vec<Target>,
        bytes: u64,
        /// Bytes that are read; the rest is zeros.
        source_bytes: u64,
        reduce: Option<(AtomicOp, Type)>,
        byte_mask: Option<u16>,
        /// The `mbarrier` objects that count the bytes.
        barriers: Vec<Target>,
    },
    /// Values from registers.
    Store { values: Vec<u64>, to: Target, ty: Type, reduce: Option<AtomicOp>, barrier: Target },
    /// An arrival once the thread's copies so far are done.
    Arrive { barrier: Target },
}

/// What threads of a block have begun.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Copies of `cp.async`, by thread.
    threads: BTreeMap<u32, ThreadCopies>,
    /// Bulk copies and arrivals, in the order in which they began.
    queue: VecDeque<Job>,
    /// Groups of bulk copies, by thread.
    bulk: BTreeMap<u32, BulkGroups>,
}

#[derive(Debug, Default)]
struct ThreadCopies {
    /// Groups that are closed, oldest first.
    groups: VecDeque<Vec<Job>>,
    open: Vec<Job>,
    /// The number behind the newest copy that is known to be done.
    done_before: u64,
}

#[derive(Debug, Default)]
struct BulkGroups {
    /// For each closed group, the number behind its newest copy; oldest first.
    closed: VecDeque<u64>,
    /// The number behind the newest copy of the open group.
    open: u64,
    done_before: u64,
}

impl Pending {
    pub(crate) fn start(&mut self) {
        self.threads.clear();
        self.queue.clear();
        self.bulk.clear();
    }

    /// Whether there is anything that can go on by itself.
    pub(crate) fn has_jobs(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The oldest job that can go on by itself.
    pub(crate) fn next_job(&mut self) -> Option<Job> {
        self.queue.pop_front()
    }

    pub(crate) fn push(&mut self, job: Job) {
        self.queue.push_back(job);
    }

    /// A copy of `cp.async`.
    pub(crate) fn push_thread_copy(&mut self, job: Job) {
        self.threads.entry(job.thread).or_default().open.push(job);
    }

    /// A bulk copy that belongs to the thread's open group.
    pub(crate) fn push_grouped(&mut self, job: Job) {
        self.bulk.entry(job.thread).or_default().open = job.number + 1;
        self.queue.push_back(job);
    }

    /// Closes the thread's open group of copies.
    pub(crate) fn commit(&mut self, thread: u32) {
        let copies = self.threads.entry(thread).or_default();
        let group = std::mem::take(&mut copies.open);
        copies.groups.push_back(group);
    }

    /// Closes the thread's open group of bulk copies.
    pub(crate) fn commit_bulk(&mut self, thread: u32) {
        let groups = self.bulk.entry(thread).or_default();
        let newest = groups.closed.back().copied().unwrap_or(groups.done_before);
        groups.closed.push_back(groups.open.max(newest));
    }

    /// The copies that a wait for all but the newest groups has to see done, and the number that all
    /// earlier copies of the thread are below. Without a number of groups, all copies.
    pub(crate) fn take_groups(&mut self, thread: u32, at_most: Option<u32>) -> (Vec<Job>, u64) {
        let copies = self.threads.entry(thread).or_default();
        let mut jobs = Vec::new();
        let keep = at_most.unwrap_or(0) as usize;
        while copies.groups.len() > keep {
            jobs.extend(copies.groups.pop_front().unwrap_or_default());
        }
        if at_most.is_none() {
            jobs.append(&mut copies.open);
        }
        if let Some(last) = jobs.last() {
            copies.done_before = last.number + 1;
        }
        (jobs, copies.done_before)
    }

    /// The thread's copies up to a number, whatever their group. Their groups stay, emptied.
    pub(crate) fn take_copies_below(&mut self, thread: u32, number: u64) -> Vec<Job> {
        let Some(copies) = self.threads.get_mut(&thread) else { return Vec::new() };
        let mut jobs = Vec::new();
        for group in copies.groups.iter_mut().chain([&mut copies.open]) {
            let split = group.partition_point(|job| job.number < number);
            jobs.extend(group.drain(..split));
        }
        if let Some(last) = jobs.last() {
            copies.done_before = copies.done_before.max(last.number + 1);
        }
        jobs
    }

    /// The bulk copies that a wait for all but the newest groups has to see done.
    pub(crate) fn take_bulk_groups(&mut self, thread: u32, at_most: u32) -> (Vec<Job>, u64) {
        let groups = self.bulk.entry(thread).or_default();
        while groups.closed.len() > at_most as usize {
            let before = groups.closed.pop_front().unwrap_or_default();
            groups.done_before = groups.done_before.max(before);
        }
        let before = groups.done_before;
        let is_due = |job: &Job| {
            let grouped = matches!(&job.work, Work::Copy { barriers, .. } if barriers.is_empty());
            grouped && job.thread == thread && job.number < before
        };
        let jobs = self.queue.iter().filter(|job| is_due(job)).cloned().collect();
        self.queue.retain(|job| !is_due(job));
        (jobs, before)
    }

    /// The number of the thread's newest copy of `cp.async`, plus one.
    pub(crate) fn newest(&self, thread: u32) -> u64 {
        let Some(copies) = self.threads.get(&thread) else { return 0 };
        let newest = copies.groups.iter().flatten().chain(&copies.open).map(|job| job.number + 1);
        newest.max().unwrap_or(copies.done_before)
    }
}
