//! Blocks that are running, and the clusters that they form.

use crate::asynchronous::Pending;
use crate::program::Program;
use crate::warp::{State, Warp};
use std::ptr::NonNull;
use warpsan_model::barriers::{BarrierArrival, BlockBarrier, BlockBarriers};
use warpsan_model::{BlockIndex, Dim3, Geometry, WARP_LANES};

/// What every warp of a block sees of it.
#[derive(Debug)]
pub(crate) struct BlockInfo {
    pub(crate) index: BlockIndex,
    pub(crate) position: Dim3,
    /// Its number in its cluster.
    pub(crate) rank: u32,
    pub(crate) shared: SharedMemory,
    /// The shared memory of all blocks of the cluster, by rank; empty without a cluster.
    pub(crate) peers: Vec<Peer>,
    /// The cluster that it belongs to.
    pub(crate) cluster: usize,
    /// Asynchronous copies that have begun.
    pub(crate) pending: Pending,
}

/// The shared memory of a block. Blocks of a cluster reach into each other's, so it is used through
/// pointers alone.
#[derive(Debug, Default)]
pub(crate) struct SharedMemory {
    /// Owns the memory; nobody looks at it but through the pointer.
    words: Vec<[u64; 16]>,
    pointer: Option<NonNull<u8>>,
    bytes: usize,
}

// SAFETY: the pointer is to memory that this value owns; nothing is tied to a thread.
unsafe impl Send for SharedMemory {}

impl SharedMemory {
    fn start(&mut self, bytes: usize) {
        self.bytes = bytes;
        self.words.clear();
        self.words.resize(bytes.div_ceil(128), [0; 16]);
        self.pointer = NonNull::new(self.words.as_mut_ptr().cast());
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer.map_or(std::ptr::null_mut(), NonNull::as_ptr)
    }
}

/// The shared memory of a block as others of its cluster see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) index: BlockIndex,
    pub(crate) pointer: *mut u8,
    pub(crate) bytes: u64,
}

/// A block that is running.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) info: BlockInfo,
    pub(crate) warps: Vec<Warp>,
    pub(crate) barriers: BlockBarriers,
    /// All its threads have exited.
    pub(crate) has_ended: bool,
    /// The scheduler has its copies in its queue.
    pub(crate) copies_queued: bool,
}

impl Block {
    pub(crate) fn new() -> Block {
        Block {
            info: BlockInfo {
                index: BlockIndex(0),
                position: Dim3::new(0, 0, 0),
                rank: 0,
                shared: SharedMemory::default(),
                peers: Vec::new(),
                cluster: 0,
                pending: Pending::default(),
            },
            warps: Vec::new(),
            barriers: BlockBarriers::default(),
            has_ended: false,
            copies_queued: false,
        }
    }

    /// As new, for this block of the grid. Memory of an earlier one is used again.
    pub(crate) fn start(
        &mut self,
        program: &Program,
        geometry: &Geometry,
        index: u32,
        shared: usize,
    ) {
        let threads = geometry.threads_per_block();
        let warps = geometry.warps_per_block();
        self.warps.truncate(warps as usize);
        for warp in self.warps.len() as u32..warps {
            self.warps.push(Warp::new(warp));
        }
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let lanes = (threads - number as u32 * WARP_LANES).min(WARP_LANES);
            warp.start_kernel(lanes, program);
        }
        self.barriers.reset();
        self.has_ended = false;
        self.copies_queued = false;
        self.info.index = BlockIndex(index);
        self.info.position = geometry.grid.at(u64::from(index));
        self.info.rank = 0;
        self.info.shared.start(shared);
        self.info.peers.clear();
        self.info.pending.start();
    }

    /// Lanes of a warp are at a barrier now.
    pub(crate) fn arrive(&mut self, warp: usize, arrival: &BarrierArrival) {
        self.barriers.arrive(self.warps.len(), warp, arrival);
    }

    /// The number of a barrier that has all it waits for.
    pub(crate) fn complete_barrier(&self) -> Option<usize> {
        self.barriers.complete(|| self.warps.iter().map(|warp| warp.live))
    }

    /// Lets those go on who wait at a barrier, and makes it ready for the next phase. Returns what it
    /// was at its end.
    pub(crate) fn release_barrier(&mut self, number: usize) -> BlockBarrier {
        for warp in &mut self.warps {
            for group in &mut warp.groups {
                if let State::AtBlockBarrier { barrier, .. } = group.state
                    && barrier as usize == number
                {
                    group.state = State::Ready;
                }
            }
        }
        self.barriers.release(number)
    }
}
