//! Asynchronous copies and `mbarrier` objects.
//!
//! When a copy is carried out is not recorded, and the CPU engine leaves it open, too: it is emitted when
//! somebody knows of it, or at the end of its thread or block. A copy that signals an object does so in the
//! phase in which it began: that phase waits for it.

use super::super::error::ShippingError;
use super::super::operation::Operation;
use super::groups::{BulkGroups, ThreadCopies};
use super::mbarriers::{Asked, Phases};
use super::{Translator, place_of};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use warpsan_event::{CopyBegin, CopyKind, CopySide, Event, LaneAddresses, MbarrierStep};
use warpsan_instrument::record::{ALL_COPIES, Place, RecordKind, SAME_COPY, arrivals_of};
use warpsan_model::{BlockIndex, SiteId, Space, lanes};

/// A lane of a launch: block, warp, lane.
type Thread = (u32, u32, u32);
/// An `mbarrier` object: the block that owns it, and its offset.
pub(super) type Object = (u32, u64);

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// The number of the next copy.
    next: u64,
    threads: FxHashMap<Thread, ThreadCopies>,
    bulk: FxHashMap<Thread, BulkGroups>,
    /// Bulk copies, stores and arrivals that nobody knows to be done, in the order in which they began.
    jobs: BTreeMap<u64, Job>,
    next_job: u64,
    /// Phases that are complete, by object.
    pub(super) phases: FxHashMap<Object, Phases>,
    /// The newest bulk copy or store of each thread: further destinations of it may still come.
    newest: FxHashMap<Thread, u64>,
}

#[derive(Debug)]
struct Job {
    thread: Thread,
    /// The number of the copy; of an arrival, the one behind the thread's newest copy.
    number: u64,
    is_arrival: bool,
    /// The objects that it signals, with their phases; none for a copy of a group.
    objects: Vec<(Object, u64)>,
}

/// One side of copies as an event has it: space, owner, addresses of the active lanes.
pub(super) type Side = (Space, BlockIndex, Vec<u64>);

impl Copies {
    pub(super) fn commit(&mut self, operation: &Operation, mask: u32, bulk: bool) {
        for lane in lanes(mask) {
            let thread = thread(operation, lane);
            match bulk {
                true => self.bulk.entry(thread).or_default().commit(),
                false => self.threads.entry(thread).or_default().commit(),
            }
        }
    }

    fn add_job(&mut self, job: Job) {
        self.jobs.insert(self.next_job, job);
        self.next_job += 1;
    }

    /// Takes the jobs that a condition holds for, oldest first.
    fn take_jobs(&mut self, is_due: impl Fn(&Job) -> bool) -> Vec<Job> {
        let due: Vec<u64> =
            self.jobs.iter().filter(|(_, job)| is_due(job)).map(|(number, _)| *number).collect();
        due.iter().filter_map(|number| self.jobs.remove(number)).collect()
    }
}

fn thread(operation: &Operation, lane: u32) -> Thread {
    let header = operation.header();
    (header.block, u32::from(header.warp), lane)
}

impl Translator<'_> {
    pub(super) fn copy_begin(
        &mut self,
        operation: &Operation,
        mask: u32,
        kind: CopyKind,
        reduces: bool,
    ) -> Result<(), ShippingError> {
        let header = operation.header();
        if header.extra & SAME_COPY != 0 && mask.count_ones() > 1 {
            // The copies of several lanes need not have neighbouring numbers.
            return lanes(mask)
                .try_for_each(|lane| self.copy_begin(operation, 1 << lane, kind, reduces));
        }
        let first = self.number_of_copies(operation, mask, kind)?;
        let source = operation.part(RecordKind::CopySource);
        let to = Place::of_extra(header.extra)
            .filter(|place| *place != Place::OfSite)
            .ok_or_else(|| operation.is_bad(self.launch, "it does not say where it copies to"))?;
        let from = source.map(|part| place_of(operation, part, self.launch)).transpose()?;
        // An event has one memory on each side: lanes that differ are emitted one by one.
        let together = self.sides(operation, mask, to, from.zip(source))?;
        let groups = match together {
            Some(sides) => vec![(mask, sides)],
            None => {
                let mut groups = Vec::new();
                for lane in lanes(mask) {
                    let alone = 1 << lane;
                    let sides = self.sides(operation, alone, to, from.zip(source))?;
                    groups.extend(sides.map(|sides| (alone, sides)));
                }
                groups
            }
        };
        let mut number = first;
        for (mask, (to, from)) in &groups {
            let from = from.as_ref().zip(source).map(|(from, part)| CopySide {
                space: from.0,
                owner: from.1,
                addresses: LaneAddresses::PerLane(&from.2),
                bytes: part.header.wrote,
            });
            let addresses = LaneAddresses::PerLane(&to.2);
            self.synchronisation(Event::CopyBegin(CopyBegin {
                block: operation.block(),
                warp: u32::from(header.warp),
                mask: *mask,
                site: SiteId(header.site),
                kind,
                first: number,
                from,
                to: CopySide { space: to.0, owner: to.1, addresses, bytes: header.wrote },
                reduces,
            }));
            number += u64::from(mask.count_ones());
        }
        self.remember_copies(operation, mask, kind, first)
    }

    /// The number of the first of the copies that begin; they have numbers one after the other.
    fn number_of_copies(
        &mut self,
        operation: &Operation,
        mask: u32,
        kind: CopyKind,
    ) -> Result<u64, ShippingError> {
        if operation.header().extra & SAME_COPY != 0 {
            let known = self.copies.newest.get(&thread(operation, mask.trailing_zeros())).copied();
            return known
                .ok_or_else(|| operation.is_bad(self.launch, "there is no copy before it"));
        }
        let first = self.copies.next;
        self.copies.next += u64::from(mask.count_ones());
        if kind != CopyKind::Thread {
            let numbers = (first..).zip(lanes(mask));
            self.copies
                .newest
                .extend(numbers.map(|(number, lane)| (thread(operation, lane), number)));
        }
        Ok(first)
    }

    fn remember_copies(
        &mut self,
        operation: &Operation,
        mask: u32,
        kind: CopyKind,
        first: u64,
    ) -> Result<(), ShippingError> {
        let object = operation.part(RecordKind::CopyObject);
        let same = operation.header().extra & SAME_COPY != 0;
        for (number, lane) in (first..).zip(lanes(mask)) {
            let thread = thread(operation, lane);
            let signalled = match object {
                Some(part) => {
                    let place = place_of(operation, part, self.launch)?;
                    let object = self.object(operation, place, &part.lanes, lane)?;
                    let asked = Asked::of(&part.header, lane, Asked::WillBeSignalled);
                    Some((object, self.copies.phase(object, asked)))
                }
                None => None,
            };
            if kind == CopyKind::Thread {
                self.copies.threads.entry(thread).or_default().begin(number);
                continue;
            }
            if same {
                // A further destination of a copy may signal an object of its own.
                let is_it = |job: &&mut Job| job.number == number && !job.is_arrival;
                if let Some(job) = self.copies.jobs.values_mut().rev().find(is_it) {
                    job.objects.extend(signalled);
                    continue;
                }
            }
            if signalled.is_none() && kind == CopyKind::Bulk && !same {
                self.copies.bulk.entry(thread).or_default().begin(number);
            }
            let objects = signalled.into_iter().collect();
            self.copies.add_job(Job { thread, number, is_arrival: false, objects });
        }
        Ok(())
    }

    pub(super) fn copy_wait(&mut self, operation: &Operation, mask: u32, bulk: bool, read: bool) {
        let at_most = operation.header().extra;
        let mut before = Vec::new();
        for lane in lanes(mask) {
            let thread = thread(operation, lane);
            if bulk {
                let done = self.copies.bulk.entry(thread).or_default().done_before(at_most);
                let is_due = |job: &Job| {
                    let is_grouped = job.objects.is_empty() && !job.is_arrival;
                    is_grouped && job.thread == thread && job.number < done
                };
                for job in self.copies.take_jobs(is_due) {
                    self.synchronisation(Event::CopyEnd { copy: job.number });
                }
                before.push(done);
            } else {
                let at_most = (at_most != ALL_COPIES).then_some(at_most);
                let copies = self.copies.threads.entry(thread).or_default();
                let (jobs, done) = copies.take_groups(at_most);
                self.emit_ends(&jobs);
                before.push(done);
            }
        }
        let header = operation.header();
        self.synchronisation(Event::CopyWait {
            block: operation.block(),
            warp: u32::from(header.warp),
            mask,
            site: SiteId(header.site),
            bulk,
            read,
            before: &before,
        });
    }

    fn emit_ends(&mut self, copies: &[u64]) {
        for copy in copies {
            self.synchronisation(Event::CopyEnd { copy: *copy });
        }
    }

    pub(super) fn copy_arrive(
        &mut self,
        operation: &Operation,
        mask: u32,
    ) -> Result<(), ShippingError> {
        let place = self.place(operation)?;
        for lane in lanes(mask) {
            let object = self.object(operation, place, operation.lanes(), lane)?;
            let asked = Asked::of(operation.header(), lane, Asked::Arrives);
            let phase = self.copies.phase(object, asked);
            let arrivals = arrivals_of(operation.header().extra);
            self.copies.count(object, MbarrierStep::Arrive, arrivals);
            let thread = thread(operation, lane);
            let number = self.copies.threads.entry(thread).or_default().newest();
            let objects = vec![(object, phase)];
            self.copies.add_job(Job { thread, number, is_arrival: true, objects });
        }
        Ok(())
    }

    /// What signals an object in a phase that is complete has been carried out.
    pub(super) fn carry_out_for(&mut self, object: Object, complete: u64) {
        let is_due = |job: &Job| {
            job.objects.iter().any(|(signalled, phase)| *signalled == object && *phase < complete)
        };
        if !self.copies.jobs.is_empty() {
            let jobs = self.copies.take_jobs(is_due);
            jobs.into_iter().for_each(|job| self.carry_out(&job));
        }
    }

    fn carry_out(&mut self, job: &Job) {
        let copy = match job.is_arrival {
            false => {
                self.synchronisation(Event::CopyEnd { copy: job.number });
                Some(job.number)
            }
            true => {
                let copies = self.copies.threads.entry(job.thread).or_default();
                let done = copies.take_below(job.number);
                self.emit_ends(&done);
                job.number.checked_sub(1)
            }
        };
        let (block, warp, lane) = (BlockIndex(job.thread.0), job.thread.1, job.thread.2);
        for ((owner, address), phase) in &job.objects {
            let (owner, address, phase) = (BlockIndex(*owner), *address, *phase);
            let signal = Event::CopySignal { block, warp, lane, copy, owner, address, phase };
            self.synchronisation(signal);
        }
    }

    /// Threads that end have waited for nothing, but their copies are carried out.
    pub(super) fn finish_copies_of_lanes(&mut self, operation: &Operation, mask: u32) {
        if self.copies.threads.is_empty() {
            return;
        }
        for lane in lanes(mask) {
            if let Some(copies) = self.copies.threads.get_mut(&thread(operation, lane)) {
                let (jobs, _) = copies.take_groups(None);
                self.emit_ends(&jobs);
            }
        }
    }

    pub(super) fn finish_copies_of_block(&mut self, block: BlockIndex) {
        if self.copies.next == 0 && self.copies.phases.is_empty() {
            return;
        }
        // What signals objects of other blocks is left to these.
        let is_due = |job: &Job| match job.objects.as_slice() {
            [] => job.thread.0 == block.0,
            objects => objects.iter().any(|((owner, _), _)| *owner == block.0),
        };
        let jobs = self.copies.take_jobs(is_due);
        jobs.into_iter().for_each(|job| self.carry_out(&job));
        self.copies.threads.retain(|thread, _| thread.0 != block.0);
        self.copies.bulk.retain(|thread, _| thread.0 != block.0);
        self.copies.newest.retain(|thread, _| thread.0 != block.0);
        self.copies.phases.retain(|object, _| object.0 != block.0);
    }

    /// What nobody ever waited for.
    pub(super) fn finish_all_copies(&mut self) {
        let jobs = self.copies.take_jobs(|_| true);
        jobs.into_iter().for_each(|job| self.carry_out(&job));
    }
}
