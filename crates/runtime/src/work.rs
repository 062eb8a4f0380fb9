//! What a program asks a device to do: it is queued, and done when it is its turn.

use crate::kernel::KernelId;
use crate::order::{WorkId, WorkOrder, WorkSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use warpsan_model::{DeviceAddress, Dim3, SourceFrame};
use warpsan_simt::{ProgramAddress, Random};

/// A call of the API that asks for work.
#[derive(Clone)]
pub struct ApiCall {
    /// Its name.
    pub name: String,
    /// Says where the program calls it, innermost function first, as far as that is known. It is asked only if
    /// somebody has to know.
    pub frames: Arc<dyn Fn() -> Vec<SourceFrame> + Send + Sync>,
}

impl fmt::Debug for ApiCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ApiCall").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A function of the host that runs in a stream.
pub type HostFunction = Arc<dyn Fn() + Send + Sync>;

/// What is to be done.
#[derive(Clone)]
pub enum Task {
    /// A launch of a kernel.
    Launch(QueuedLaunch),
    /// Copies and fills, one after the other.
    Transfers(Vec<Transfer>),
    /// A function of the host.
    HostFunction(HostFunction),
    /// Memory is given back.
    Free(DeviceAddress),
    /// Nothing, in its turn.
    Nothing,
}

impl fmt::Debug for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Launch(launch) => launch.fmt(formatter),
            Task::Transfers(transfers) => transfers.fmt(formatter),
            Task::HostFunction(_) => formatter.write_str("HostFunction"),
            Task::Free(address) => address.fmt(formatter),
            Task::Nothing => formatter.write_str("Nothing"),
        }
    }
}

/// A launch as it waits in the queue. [`Session::check_launch`](crate::Session::check_launch) has seen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedLaunch {
    /// The kernel.
    pub kernel: KernelId,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// The parameter block, laid out as the kernel's parameters say.
    pub parameters: Vec<u8>,
    /// All blocks must be able to run at the same time.
    pub cooperative: bool,
    /// Blocks in a cluster, if the launch says so.
    pub cluster: Option<Dim3>,
    /// It may begin before the work before it in its stream has ended.
    pub overlaps: bool,
}

impl QueuedLaunch {
    /// A launch of a grid of blocks, with everything else as usual.
    pub fn new(kernel: KernelId, grid: Dim3, block: Dim3, parameters: Vec<u8>) -> Self {
        QueuedLaunch {
            kernel,
            grid,
            block,
            dynamic_shared_bytes: 0,
            parameters,
            cooperative: false,
            cluster: None,
            overlaps: false,
        }
    }
}

/// Memory that is copied from, copied to or filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Memory of the device, page-locked and managed memory included.
    Device(DeviceAddress),
    /// Memory of the host that the device may use.
    Registered(ProgramAddress),
    /// Any other memory of the host.
    Host(ProgramAddress),
}

/// A copy or a fill of bytes that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transfer {
    /// Copies bytes.
    Copy {
        /// The first that is written.
        to: Side,
        /// The first that is read.
        from: Side,
        /// How many.
        bytes: u64,
    },
    /// Writes bytes that were put aside when the copy was asked for.
    Store {
        /// The first that is written.
        to: Side,
        /// What is written.
        bytes: Arc<[u8]>,
    },
    /// Repeats some bytes.
    Fill {
        /// The first that is written.
        to: Side,
        /// What is repeated: 1, 2 or 4 bytes.
        pattern: Pattern,
        /// How many bytes are written.
        bytes: u64,
    },
}

impl Transfer {
    /// Whether memory of the host alone is read or written.
    pub(crate) fn uses_host(&self) -> bool {
        let is_host = |side: &Side| !matches!(side, Side::Device(_));
        match self {
            Transfer::Copy { to, from, .. } => is_host(to) || is_host(from),
            Transfer::Store { to, .. } | Transfer::Fill { to, .. } => is_host(to),
        }
    }
}

/// A value of 1, 2 or 4 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// The value, in the lowest bytes.
    pub value: u32,
    /// How many bytes count.
    pub bytes: u8,
}

/// Work that waits for its turn.
#[derive(Debug, Clone)]
pub struct Work {
    /// The call that asked for it.
    pub call: ApiCall,
    /// What is to be done.
    pub task: Task,
}

/// All work that waits, and who is next.
#[derive(Debug)]
pub(crate) struct Queue {
    waiting: BTreeMap<WorkId, Work>,
    /// Functions of the host that run now.
    running: BTreeSet<WorkId>,
    random: Random,
}

impl Queue {
    /// An empty queue. The seed determines in which order work is done that streams do not order.
    pub(crate) fn new(seed: u64) -> Queue {
        Queue { waiting: BTreeMap::new(), running: BTreeSet::new(), random: Random::new(seed) }
    }

    pub(crate) fn put(&mut self, id: WorkId, work: Work) {
        self.waiting.insert(id, work);
    }

    /// How much work waits or runs.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len() + self.running.len()
    }

    /// Whether a function of the host runs.
    pub(crate) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// Takes some work of a kind whose turn it may be.
    pub(crate) fn take_ready(
        &mut self,
        order: &WorkOrder,
        also_done: &WorkSet,
        is_wanted: impl Fn(&Task) -> bool,
    ) -> Option<(WorkId, Work)> {
        let wanted = self.waiting.iter().filter(|(_, work)| is_wanted(&work.task));
        let ready = wanted.map(|(id, _)| *id).filter(|id| order.is_ready(*id, also_done));
        let ready: Vec<WorkId> = ready.collect();
        let chosen = match ready.len() {
            0 => return None,
            1 => 0,
            several => self.random.below(several),
        };
        self.waiting.remove_entry(ready.get(chosen)?)
    }

    /// The kernels of all launches that wait.
    pub(crate) fn launches(&self) -> BTreeSet<KernelId> {
        let kernel = |work: &Work| match &work.task {
            Task::Launch(launch) => Some(launch.kernel),
            _ => None,
        };
        self.waiting.values().filter_map(kernel).collect()
    }

    /// All that waits, which nobody will do.
    pub(crate) fn abandon(&mut self) -> Vec<WorkId> {
        std::mem::take(&mut self.waiting).into_keys().collect()
    }

    pub(crate) fn begin(&mut self, work: WorkId) {
        self.running.insert(work);
    }

    pub(crate) fn end(&mut self, work: WorkId) {
        self.running.remove(&work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Stream;

    fn nothing() -> Work {
        let call = ApiCall { name: "cudaCall".to_string(), frames: Arc::new(Vec::new) };
        Work { call, task: Task::Nothing }
    }

    /// In which order six pieces of work in three streams are done.
    fn turns(seed: u64) -> Vec<WorkId> {
        let (mut queue, mut order) = (Queue::new(seed), WorkOrder::default());
        for number in [1, 2, 3, 1, 2, 3] {
            queue.put(order.add(Stream::Blocking(number)), nothing());
        }
        let mut done = Vec::new();
        while let Some((work, _)) = queue.take_ready(&order, &WorkSet::new(), |_| true) {
            order.done(work, None);
            done.push(work);
        }
        assert_eq!((done.len(), queue.len()), (6, 0));
        done
    }

    #[test]
    fn the_seed_decides_where_streams_do_not() {
        assert_eq!(turns(1), turns(1));
        let all: BTreeSet<Vec<WorkId>> = (0..20).map(turns).collect();
        assert!(all.len() > 5, "{all:?}");
        for turns in all {
            let place = |number: usize| {
                let mut sorted = turns.clone();
                sorted.sort_unstable();
                turns.iter().position(|work| *work == sorted[number])
            };
            assert!((0..3).all(|stream| place(stream) < place(stream + 3)), "{turns:?}");
        }
    }
}
