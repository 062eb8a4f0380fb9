//! Work on its way into a stream: it is queued, or captured as a node of a graph.

use super::error::CudaError;
use super::graphs::{Executable, Node};
use super::host_thread;
use super::nodes::NodeWork;
use super::plan::{Plan, PlannedWork};
use super::state::Machine;
use super::streams::{StreamHandle, StreamProperties};
use crate::{EventNumber, Task, Work, WorkSet};
use std::collections::BTreeSet;
use std::time::Instant;

impl Machine {
    /// Queues work in a stream.
    pub fn submit(&mut self, stream: StreamHandle, task: Task) -> Result<(), CudaError> {
        let stream = self.streams.name(stream)?;
        // Launches and functions of the host have lines of their own.
        let call = match &task {
            Task::Transfers(_) | Task::Free(_) => self.current_call(),
            Task::Launch(_) | Task::HostFunction(_) | Task::Nothing => self.current_call_by_name(),
        };
        self.session()?.enqueue(stream, Work { call, task });
        host_thread::watch();
        Ok(())
    }

    /// Whether work that is put into a stream is captured.
    pub fn is_capturing(&mut self, stream: StreamHandle) -> Result<bool, CudaError> {
        let stream = self.streams.name(stream)?;
        self.captures.is_capturing(stream)
    }

    /// Makes a node of work that is put into a stream which is captured.
    pub fn capture(&mut self, stream: StreamHandle, work: NodeWork) -> Result<(), CudaError> {
        let stream = self.streams.name(stream)?;
        let call = self.current_call();
        self.captures.add_node(&mut self.graphs, stream, (work, call)).map(|_| ())
    }

    /// Adds a node to a graph, and gives its handle.
    pub fn add_node(
        &mut self,
        graph: usize,
        after: BTreeSet<usize>,
        work: NodeWork,
    ) -> Result<usize, CudaError> {
        let call = self.current_call();
        self.graphs.add(graph, Node::new(work, after, call))
    }

    /// Makes a graph that can be launched of one that can be changed, and gives its handle.
    pub fn instantiate(&mut self, graph: usize, flags: u64) -> Result<usize, CudaError> {
        /// Launched by kernels.
        const DEVICE_LAUNCH: u64 = 4;
        /// All flags that there are.
        const KNOWN: u64 = 15;
        if flags & !KNOWN != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        if flags & DEVICE_LAUNCH != 0 {
            return self.refuse("a graph that kernels can launch");
        }
        let plan = self.graphs.plan(graph)?;
        let made = Executable { plan, flags, launched: WorkSet::new() };
        Ok(self.graphs.executables.insert(made))
    }

    /// A graph that can be launched.
    pub fn executable_mut(&mut self, executable: usize) -> Result<&mut Executable, CudaError> {
        self.graphs.executables.get_mut(executable).ok_or(CudaError::INVALID_VALUE)
    }

    /// Has a node of an executable graph do something else of the same kind.
    pub fn change_planned(
        &mut self,
        executable: usize,
        node: usize,
        work: NodeWork,
    ) -> Result<(), CudaError> {
        let inner: Option<Plan> = match &work {
            NodeWork::Graph(inner) => Some(self.graphs.plan(*inner)?),
            _ => None,
        };
        let plan = &mut self.executable_mut(executable)?.plan;
        let planned = plan.node_mut(node).ok_or(CudaError::INVALID_VALUE)?;
        match (&mut planned.work, inner) {
            (PlannedWork::Graph(own), Some(inner)) => {
                own.update(&inner).map_err(|_| CudaError::GRAPH_EXEC_UPDATE_FAILURE)
            }
            (PlannedWork::One(own), None) if own.can_become(&work) => {
                *own = work;
                Ok(())
            }
            _ => Err(CudaError::INVALID_VALUE),
        }
    }

    /// Queues the work of a graph in a stream.
    pub fn launch_graph(
        &mut self,
        executable: usize,
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        let name = self.streams.name(stream)?;
        if self.is_capturing(stream)? {
            return self.refuse("cudaGraphLaunch in a stream that is captured");
        }
        let known = self.executable_mut(executable)?;
        let (pieces, before) = (known.plan.pieces(), known.launched.clone());
        let launched = self.session()?.enqueue_graph(name, &before, pieces);
        self.executable_mut(executable)?.launched = launched;
        host_thread::watch();
        Ok(())
    }

    /// Makes a stream.
    pub fn create_stream(
        &mut self,
        properties: StreamProperties,
    ) -> Result<StreamHandle, CudaError> {
        let stream = self.streams.create(properties);
        let name = self.streams.name(stream)?;
        self.session()?.order().begin_stream(name);
        Ok(stream)
    }

    /// Takes a stream away. What is queued in it is done all the same.
    pub fn destroy_stream(&mut self, stream: StreamHandle) -> Result<(), CudaError> {
        let name = self.streams.name(stream)?;
        self.streams.destroy(stream)?;
        self.session()?.order().end_stream(name);
        Ok(())
    }

    /// Takes an event away.
    pub fn destroy_event(&mut self, event: EventNumber) -> Result<(), CudaError> {
        self.events.destroy(event)?;
        self.captures.forget_event(event);
        self.session()?.order().end_event(event);
        Ok(())
    }

    /// An event stands for all that is in a stream now.
    pub fn record_event(
        &mut self,
        event: EventNumber,
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        let stream = self.streams.name(stream)?;
        self.events.note_recorded(event)?;
        if !self.captures.record(event, stream)? {
            self.session()?.order().record(event, stream);
        }
        Ok(())
    }

    /// What comes next in a stream is after an event.
    pub fn wait_for_event(
        &mut self,
        stream: StreamHandle,
        event: EventNumber,
    ) -> Result<(), CudaError> {
        let stream = self.streams.name(stream)?;
        self.events.check(event)?;
        if !self.captures.wait(stream, event)? {
            self.session()?.order().wait(stream, event);
        }
        Ok(())
    }

    /// When an event happened.
    pub fn time_of(&mut self, event: EventNumber) -> Result<Instant, CudaError> {
        self.events.check_has_time(event)?;
        self.session()?.order().time_of(event).ok_or(CudaError::NOT_READY)
    }
}
