//! Work that waits for its turn: streams keep their asynchrony.

use super::{KernelId, Session};
use crate::RuntimeError;
use crate::order::{EventNumber, Stream, Wait, WorkId, WorkSet};
use crate::work::{HostFunction, Task, Transfer, Work};

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
pub enum Step {
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
    ///
    /// # Safety
    /// Memory of the host that the work uses stays as it is until the work is done.
    pub unsafe fn enqueue(&mut self, stream: Stream, work: Work) {
        let overlaps = matches!(&work.task, Task::Launch(launch) if launch.overlaps);
        let id = match overlaps {
            true => self.order.add_overlapping(stream),
            false => self.order.add(stream),
        };
        self.queue.put(id, work);
        self.memory.watch_host();
    }

    /// Puts the work of a graph into a stream, after what the stream is after and after some other work. The answer
    /// is all of it.
    ///
    /// # Safety
    /// As for [`enqueue`](Self::enqueue).
    pub unsafe fn enqueue_graph(
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
            self.queue.put(id, work);
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
    pub fn step(&mut self) -> Step {
        self.step_of(|_| true)
    }

    /// Does some work whose turn it may be and that surely ends by itself: a launch that looks at memory again and
    /// again may wait for what the host does next.
    pub fn step_that_ends(&mut self) -> Step {
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

    fn step_of(&mut self, is_wanted: impl Fn(&Task) -> bool) -> Step {
        self.note_host_accesses();
        let Some((id, work)) = self.queue.take_ready(&self.order, is_wanted) else {
            return if self.queue.is_running() { Step::Busy } else { Step::Nothing };
        };
        if let Task::HostFunction(function) = work.task {
            // Its accesses are told apart from earlier ones only if they fault.
            self.memory.watch_host();
            self.queue.begin(id);
            return Step::HostFunction(id, function);
        }
        let result = self.run_work(id, &work);
        self.let_host_go();
        Step::Done(result)
    }

    /// Does work of the device, or skips a function of the host.
    fn run_work(&mut self, id: WorkId, work: &Work) -> Result<(), RuntimeError> {
        match &work.task {
            Task::Launch(launch) => return self.run_launch(id, launch),
            Task::Transfers(transfers) => return self.run_transfers(id, &work.call, transfers),
            Task::HostFunction(_) | Task::Free(_) | Task::Nothing => self.order.done(id, None),
        }
        match work.task {
            Task::Free(address) => self.free(address),
            _ => Ok(()),
        }
    }

    /// Does what waits and need not wait for a function of the host.
    pub fn run_device_work(&mut self) {
        self.run_all(|task| !matches!(task, Task::HostFunction(_)));
    }

    /// A function of the host has returned.
    pub fn end_host_function(&mut self, work: WorkId) {
        // It was known to others before it returned, and to whom cannot be seen.
        self.order.know_before(work);
        self.tell_host_function(work);
        self.queue.end(work);
        self.let_host_go();
    }

    /// Nobody will do what waits, since the device has failed.
    pub fn abandon_work(&mut self) {
        for work in self.queue.abandon() {
            self.order.done(work, None);
        }
        self.let_host_go();
    }

    /// Does what waits when the program ends, up to functions of the host, which are not called, and copies of the
    /// host's own memory: the program has taken them down.
    pub fn run_rest(&mut self) {
        let is_possible = |task: &Task| match task {
            Task::Launch(_) | Task::Free(_) | Task::Nothing => true,
            Task::Transfers(transfers) => !transfers.iter().any(Transfer::uses_host),
            Task::HostFunction(_) => false,
        };
        self.run_all(is_possible);
        self.abandon_work();
    }

    fn run_all(&mut self, is_wanted: impl Fn(&Task) -> bool) {
        loop {
            self.note_host_accesses();
            let Some((id, work)) = self.queue.take_ready(&self.order, &is_wanted) else { break };
            if self.run_work(id, &work).is_err() {
                return self.abandon_work();
            }
        }
        self.let_host_go();
    }

    /// The host has waited for work, which is done.
    pub fn know(&mut self, work: &WorkSet) {
        self.order.know(work);
        self.let_host_go();
    }

    /// The host is watched only while work is in flight.
    fn let_host_go(&mut self) {
        if !self.order.is_in_flight() {
            self.note_host_accesses();
            self.memory.leave_host_alone();
        }
    }
}
