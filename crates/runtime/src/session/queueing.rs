//! Work that waits for its turn: streams keep their asynchrony.

use super::Session;
use crate::RuntimeError;
use crate::kernel::KernelId;
use crate::operation::{MemoryPart, Toucher};
use crate::order::{EventNumber, Stream, Wait, WorkId, WorkSet};
use crate::record::Record;
use crate::work::{ApiCall, HostFunction, Task, Transfer, Work};
use std::time::Duration;
use warpsan_model::DeviceAddress;
use warpsan_simt::set_asked_for;

/// How long a launch may take that is left when the program ends.
const AT_EXIT: Duration = Duration::from_secs(10);

/// A piece of the work of a graph.
#[derive(Debug, Clone)]
pub struct GraphPiece {
    /// The work.
    pub work: Work,
    /// The numbers of earlier pieces that it is after.
    pub after: Vec<usize>,
    /// An event that it waits for, besides.
    pub waits_for: Option<EventNumber>,
    /// An event that stands for it from now on.
    pub records: Option<EventNumber>,
}

/// What came of an attempt to do some work.
pub enum QueueStep {
    /// Nothing waits that could be done now, and nothing runs.
    Nothing,
    /// What waits has to wait for a function of the host that runs now.
    Busy,
    /// A piece of work is done.
    Done(Result<(), RuntimeError>),
    /// A function of the host is to be called, by somebody who does not hold the session meanwhile, between
    /// [`begin_host_function`](Session::begin_host_function) and [`end_host_function`](Session::end_host_function).
    HostFunction(WorkId, HostFunction),
}

impl Session {
    /// Puts work into a stream.
    pub fn enqueue(&mut self, stream: Stream, work: Work) {
        let overlaps = matches!(&work.task, Task::Launch(launch) if launch.overlaps);
        let id = match overlaps {
            true => self.order.add_overlapping(stream),
            false => self.order.add(stream),
        };
        self.put(id, work);
        self.memory.watch_host();
    }

    fn put(&mut self, id: WorkId, work: Work) {
        if matches!(work.task, Task::Launch(_)) {
            self.order.set_launch(id);
        }
        self.queue.put(id, work);
        set_asked_for(self.order.asked_for());
        self.record_whether_work_waits();
    }

    /// Puts the work of a graph into a stream, after what the stream is after and after some other work. The answer
    /// is all of it.
    pub fn enqueue_graph(
        &mut self,
        stream: Stream,
        also_after: &WorkSet,
        pieces: Vec<GraphPiece>,
    ) -> WorkSet {
        let before = &self.order.before_graph(stream) | also_after;
        let mut ids: Vec<WorkId> = Vec::new();
        for GraphPiece { work, after, waits_for, records } in pieces {
            let after: WorkSet =
                after.iter().filter_map(|index| ids.get(*index)).copied().collect();
            let waited = waits_for.map(|event| self.order.awaited(Wait::Event(event)));
            let id = self.order.add_after(&(&after | &before) | &waited.unwrap_or_default());
            if let Some(event) = records {
                self.order.record_work(event, id);
            }
            self.put(id, work);
            ids.push(id);
        }
        let all: WorkSet = ids.into_iter().collect();
        self.order.end_graph(stream, all.clone());
        self.memory.watch_host();
        all
    }

    /// How much work waits or runs.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Does some work whose turn it may be; the seed decides which.
    pub fn step(&mut self) -> QueueStep {
        self.step_of(|_| true)
    }

    /// Does some work whose turn it may be and that surely ends by itself: a launch that looks at memory again and
    /// again may wait for what the host does next.
    pub fn step_that_ends(&mut self) -> QueueStep {
        let waiting = self.queue.launches();
        let may_wait: Vec<KernelId> =
            waiting.into_iter().filter(|kernel| self.may_wait(*kernel)).collect();
        self.step_of(|task| match task {
            Task::Launch(launch) => !may_wait.contains(&launch.kernel),
            _ => true,
        })
    }

    fn may_wait(&mut self, kernel: KernelId) -> bool {
        self.prepared(kernel).is_ok_and(|prepared| prepared.facts.uses_strong_accesses)
    }

    fn step_of(&mut self, is_wanted: impl Fn(&Task) -> bool) -> QueueStep {
        self.note_host_accesses();
        let Some((id, work)) = self.queue.take_ready(&self.order, &WorkSet::new(), is_wanted)
        else {
            return if self.queue.is_running() { QueueStep::Busy } else { QueueStep::Nothing };
        };
        if let Task::HostFunction(function) = work.task {
            // Its accesses can be distinguished from earlier ones only if they fault.
            self.memory.watch_host();
            self.queue.begin(id);
            return QueueStep::HostFunction(id, function);
        }
        let result = self.run_work(id, &work);
        self.after_work();
        QueueStep::Done(result)
    }

    /// Does work of the device, or skips a function of the host.
    fn run_work(&mut self, id: WorkId, work: &Work) -> Result<(), RuntimeError> {
        if !self.freed.is_empty() {
            self.give_back_freed(Some(id))?;
        }
        match &work.task {
            Task::Launch(launch) => return self.run_launch(id, launch),
            Task::Transfers(transfers) => return self.run_transfers(id, &work.call, transfers),
            Task::Free(address) => return self.run_free(id, &work.call, *address),
            Task::HostFunction(_) | Task::Nothing => self.order.done(id, None),
        }
        Ok(())
    }

    /// Gives memory back, which nobody may use at the same time: that is emitted as a write of all of it.
    fn run_free(
        &mut self,
        id: WorkId,
        call: &ApiCall,
        address: DeviceAddress,
    ) -> Result<(), RuntimeError> {
        let bytes = self.memory.allocation_at(address).map_or(0, |allocation| allocation.bytes);
        let part =
            MemoryPart { address: address.0, bytes, writes: true, toucher: 0, by_host: false };
        let parts: &[MemoryPart] = if bytes > 0 { &[part] } else { &[] };
        self.emit_work(id, &call.name, parts, || vec![Toucher::of_call(call)]);
        self.freed.push((id, address));
        self.give_back_freed(None)
    }

    /// Does what waits and need not wait for a function of the host.
    pub fn run_device_work(&mut self) {
        self.run_all(|task| !matches!(task, Task::HostFunction(_)), |_| false);
    }

    /// A function of the host has returned.
    pub fn end_host_function(&mut self, work: WorkId) {
        let done = self.order.with_before(work);
        self.emit_host_function(work);
        // It may have signalled others that it is done, and whom cannot be seen.
        self.order.know_all(&done);
        self.queue.end(work);
        self.after_work();
    }

    /// Nobody will do what waits, since the device has failed.
    pub fn abandon_work(&mut self) {
        for work in self.queue.abandon() {
            self.order.done(work, None);
        }
        self.after_work();
    }

    /// Does what waits when the program ends. Functions of the host are not called, and memory of the host is not
    /// used: the program has taken them down. That is in the report. A launch that does not end soon is given up, as it would be on a GPU.
    pub fn run_rest(&mut self) {
        let limit = self.options.timeout.map_or(AT_EXIT, |limit| limit.min(AT_EXIT));
        let limit = self.options.timeout.replace(limit);
        let uses_host = |task: &Task| match task {
            Task::Transfers(transfers) => transfers.iter().any(Transfer::uses_host),
            task => matches!(task, Task::HostFunction(_)),
        };
        self.run_all(|_| true, uses_host);
        self.options.timeout = limit;
        self.abandon_work();
    }

    /// Does all work of a kind, but for what is skipped, until a piece of it fails.
    fn run_all(&mut self, is_wanted: impl Fn(&Task) -> bool, is_skipped: impl Fn(&Task) -> bool) {
        loop {
            self.note_host_accesses();
            let Some((id, work)) = self.queue.take_ready(&self.order, &WorkSet::new(), &is_wanted)
            else {
                break;
            };
            if is_skipped(&work.task) {
                self.name_skipped(&work);
                self.order.done(id, None);
            } else if self.run_work(id, &work).is_err() {
                return self.abandon_work();
            }
        }
        self.after_work();
    }

    fn name_skipped(&mut self, work: &Work) {
        let what = match work.task {
            Task::HostFunction(_) => {
                "a function of the host that was queued when the program ended"
            }
            _ => "a copy with the host's memory that was queued when the program ended",
        };
        let advice = "wait for the device before the program ends";
        self.not_checked(what, &work.call.name, advice);
    }

    /// The host has waited for work, which is done.
    pub fn know(&mut self, work: &WorkSet) {
        // What threads of the host did meanwhile was before that.
        self.note_host_accesses();
        self.order.know(work);
        self.after_work();
    }

    /// The host is watched only while work is in flight.
    fn after_work(&mut self) {
        self.note_host_accesses();
        if !self.freed.is_empty()
            && let Err(error) = self.give_back_freed(None)
        {
            tracing::error!("memory that was freed cannot be given back: {error}");
        }
        if !self.order.is_in_flight() {
            self.memory.leave_host_alone();
        }
        self.record_whether_work_waits();
    }

    fn record_whether_work_waits(&mut self) {
        let waits = self.queue.len() > 0;
        if waits != self.work_waits {
            self.work_waits = waits;
            self.journal.write(Record::WorkWaits(waits));
        }
    }
}
