use crate::{KernelFacts, SiteTable};
use std::ops::Range;
use std::sync::Arc;
use warpsan_model::{
    BlockIndex, DeviceAddress, Geometry, LaunchId, Order, Scope, SiteId, Space, Strength, lanes,
};

/// What an access does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// It only reads.
    Read,
    /// It only writes.
    Write,
    /// It reads and writes in one step; lanes outside [`Access::wrote`] only read.
    ReadModifyWrite,
    /// It writes a value computed from the old one, but gives nothing back (`red`).
    Reduction,
}

/// The addresses of the active lanes, in the shortest form that says them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneAddresses<'a> {
    /// All lanes use the same address.
    Uniform(u64),
    /// Lane `n` uses `first + n * stride`, active or not.
    Strided {
        /// The address of lane 0.
        first: u64,
        /// The distance from one lane to the next.
        stride: u64,
    },
    /// One address for each active lane, lowest lane first.
    PerLane(&'a [u64]),
}

/// One load, store or atomic of one warp, in shared or global memory.
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    /// The block of the warp.
    pub block: BlockIndex,
    /// The warp's number in its block.
    pub warp: u32,
    /// The instruction.
    pub site: SiteId,
    /// The lanes that access memory.
    pub mask: u32,
    /// The lanes that wrote: differs from `mask` for a compare-and-swap that failed.
    pub wrote: u32,
    /// Global or shared. Addresses in shared memory are offsets in the block's.
    pub space: Space,
    /// What it does.
    pub kind: AccessKind,
    /// How strong it is.
    pub strength: Strength,
    /// Bytes of one element.
    pub bytes: u8,
    /// Neighbouring elements of each lane: 1, 2 or 4.
    pub elements: u8,
    /// Where each lane's first element is.
    pub addresses: LaneAddresses<'a>,
    /// What a store writes, by active lane, then by element; empty where nobody asked.
    pub values: &'a [u64],
    /// It goes through the read-only path (`ld.global.nc`).
    pub read_only_path: bool,
}

impl Access<'_> {
    /// The lanes with their addresses, lowest lane first.
    pub fn lanes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        lanes(self.mask).enumerate().map(|(rank, lane)| {
            let address = match self.addresses {
                LaneAddresses::Uniform(address) => address,
                LaneAddresses::Strided { first, stride } => {
                    first.wrapping_add(stride.wrapping_mul(u64::from(lane)))
                }
                LaneAddresses::PerLane(addresses) => addresses[rank],
            };
            (lane, address)
        })
    }
}

/// Something that happened. Closed on purpose: a detector that forgets one does not compile.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A kernel begins; what earlier launches did is ordered before it.
    LaunchBegin {
        /// The launch.
        launch: LaunchId,
        /// What is known about the kernel.
        facts: &'a Arc<KernelFacts>,
        /// Its sites.
        sites: &'a Arc<SiteTable>,
        /// Its extents.
        geometry: Geometry,
    },
    /// The kernel has ended, all of it.
    LaunchEnd {
        /// The launch.
        launch: LaunchId,
    },
    /// A block has ended; its shared memory is gone.
    BlockEnd {
        /// The block.
        block: BlockIndex,
    },
    /// A warp accessed memory.
    Access(Access<'a>),
    /// Lanes executed a fence.
    Fence {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The instruction.
        site: SiteId,
        /// Its order.
        order: Order,
        /// Its scope.
        scope: Scope,
    },
    /// A phase of a block barrier is complete.
    BlockBarrier {
        /// The block.
        block: BlockIndex,
        /// The barrier's number, 0 for `__syncthreads`.
        barrier: u32,
        /// The participating lanes of each warp of the block.
        participants: &'a [u64],
    },
    /// Lanes of one warp met at `bar.warp.sync`.
    WarpBarrier {
        /// The block of the warp.
        block: BlockIndex,
        /// The warp's number in its block.
        warp: u32,
        /// The lanes that met.
        mask: u32,
    },
    /// A block barrier that can never complete: some live threads of the block wait elsewhere.
    BarrierDivergence {
        /// The block.
        block: BlockIndex,
        /// Where one thread waits.
        site: SiteId,
        /// That thread, in its block.
        thread: u32,
        /// Where another thread is instead.
        other_site: SiteId,
        /// The other thread, in its block.
        other_thread: u32,
    },
    /// Device memory was taken.
    Allocation {
        /// Its first byte.
        address: DeviceAddress,
        /// Its size.
        bytes: u64,
        /// What to call it in a report.
        label: &'a str,
    },
    /// Device memory was given back.
    Free {
        /// Its first byte.
        address: DeviceAddress,
    },
}

/// Events in the order in which they happened, borrowed from an [`EventBuffer`].
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    buffer: &'a EventBuffer,
}

impl<'a> Batch<'a> {
    /// The events.
    pub fn events(&self) -> impl Iterator<Item = Event<'a>> + 'a {
        let buffer = self.buffer;
        buffer.records.iter().map(move |record| buffer.view(record))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.buffer.records.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.buffer.records.is_empty()
    }
}

/// What an engine writes events into. Reused from batch to batch, so that a running kernel
/// allocates nothing for them.
#[derive(Debug, Default)]
pub struct EventBuffer {
    records: Vec<Record>,
    words: Vec<u64>,
    labels: String,
    launches: Vec<(Arc<KernelFacts>, Arc<SiteTable>)>,
}

/// An event whose variable-sized parts are ranges of the buffer.
#[derive(Debug)]
enum Record {
    /// An event without such parts.
    Plain(Event<'static>),
    LaunchBegin {
        launch: LaunchId,
        index: usize,
        geometry: Geometry,
    },
    /// `access` with its addresses and values replaced by those of the ranges.
    Access {
        access: Access<'static>,
        addresses: Range<usize>,
        values: Range<usize>,
    },
    BlockBarrier {
        block: BlockIndex,
        barrier: u32,
        participants: Range<usize>,
    },
    Allocation {
        address: DeviceAddress,
        bytes: u64,
        label: Range<usize>,
    },
}

impl EventBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written since the last [`clear`](Self::clear).
    pub fn batch(&self) -> Batch<'_> {
        Batch { buffer: self }
    }

    /// Forgets the events and keeps the memory.
    pub fn clear(&mut self) {
        self.records.clear();
        self.words.clear();
        self.labels.clear();
        self.launches.clear();
    }

    /// How many events it holds.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event<'_>) {
        let record = match event {
            Event::LaunchBegin { launch, facts, sites, geometry } => {
                self.launches.push((Arc::clone(facts), Arc::clone(sites)));
                Record::LaunchBegin { launch, index: self.launches.len() - 1, geometry }
            }
            Event::Access(access) => self.access_record(&access),
            Event::BlockBarrier { block, barrier, participants } => {
                let participants = self.store(participants);
                Record::BlockBarrier { block, barrier, participants }
            }
            Event::Allocation { address, bytes, label } => {
                let start = self.labels.len();
                self.labels.push_str(label);
                Record::Allocation { address, bytes, label: start..self.labels.len() }
            }
            Event::LaunchEnd { launch } => Record::Plain(Event::LaunchEnd { launch }),
            Event::BlockEnd { block } => Record::Plain(Event::BlockEnd { block }),
            Event::Fence { block, warp, mask, site, order, scope } => {
                Record::Plain(Event::Fence { block, warp, mask, site, order, scope })
            }
            Event::WarpBarrier { block, warp, mask } => {
                Record::Plain(Event::WarpBarrier { block, warp, mask })
            }
            Event::BarrierDivergence { block, site, thread, other_site, other_thread } => {
                Record::Plain(Event::BarrierDivergence {
                    block,
                    site,
                    thread,
                    other_site,
                    other_thread,
                })
            }
            Event::Free { address } => Record::Plain(Event::Free { address }),
        };
        self.records.push(record);
    }

    fn access_record(&mut self, access: &Access<'_>) -> Record {
        let (form, addresses) = match access.addresses {
            LaneAddresses::Uniform(address) => (LaneAddresses::Uniform(address), 0..0),
            LaneAddresses::Strided { first, stride } => {
                (LaneAddresses::Strided { first, stride }, 0..0)
            }
            LaneAddresses::PerLane(addresses) => {
                (LaneAddresses::PerLane(&[]), self.store(addresses))
            }
        };
        let values = self.store(access.values);
        let access = Access {
            addresses: form,
            values: &[],
            block: access.block,
            warp: access.warp,
            site: access.site,
            mask: access.mask,
            wrote: access.wrote,
            space: access.space,
            kind: access.kind,
            strength: access.strength,
            bytes: access.bytes,
            elements: access.elements,
            read_only_path: access.read_only_path,
        };
        Record::Access { access, addresses, values }
    }

    fn store(&mut self, words: &[u64]) -> Range<usize> {
        let start = self.words.len();
        self.words.extend_from_slice(words);
        start..self.words.len()
    }

    fn view<'a>(&'a self, record: &Record) -> Event<'a> {
        match record {
            Record::Plain(event) => *event,
            Record::LaunchBegin { launch, index, geometry } => {
                let (facts, sites) = &self.launches[*index];
                Event::LaunchBegin { launch: *launch, facts, sites, geometry: *geometry }
            }
            Record::Access { access, addresses, values } => {
                let mut access: Access<'a> = *access;
                if let LaneAddresses::PerLane(_) = access.addresses {
                    access.addresses = LaneAddresses::PerLane(&self.words[addresses.clone()]);
                }
                access.values = &self.words[values.clone()];
                Event::Access(access)
            }
            Record::BlockBarrier { block, barrier, participants } => Event::BlockBarrier {
                block: *block,
                barrier: *barrier,
                participants: &self.words[participants.clone()],
            },
            Record::Allocation { address, bytes, label } => Event::Allocation {
                address: *address,
                bytes: *bytes,
                label: &self.labels[label.clone()],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access<'a>(mask: u32, addresses: LaneAddresses<'a>, values: &'a [u64]) -> Access<'a> {
        Access {
            block: BlockIndex(0),
            warp: 0,
            site: SiteId(0),
            mask,
            wrote: mask,
            space: Space::Global,
            kind: AccessKind::Write,
            strength: Strength::Weak,
            bytes: 4,
            elements: 1,
            addresses,
            values,
            read_only_path: false,
        }
    }

    fn lanes_of(access: &Access<'_>) -> Vec<(u32, u64)> {
        access.lanes().collect()
    }

    #[test]
    fn the_three_forms_give_the_same_lanes() {
        let mask = 0b1011;
        let expected = vec![(0, 100), (1, 104), (3, 112)];
        let strided = access(mask, LaneAddresses::Strided { first: 100, stride: 4 }, &[]);
        assert_eq!(lanes_of(&strided), expected);
        let per_lane = access(mask, LaneAddresses::PerLane(&[100, 104, 112]), &[]);
        assert_eq!(lanes_of(&per_lane), expected);
        let uniform = access(mask, LaneAddresses::Uniform(100), &[]);
        assert_eq!(lanes_of(&uniform), vec![(0, 100), (1, 100), (3, 100)]);
    }

    #[test]
    fn a_batch_gives_back_what_was_pushed() {
        let mut buffer = EventBuffer::new();
        buffer.push(Event::Access(access(3, LaneAddresses::PerLane(&[8, 24]), &[1, 2])));
        buffer.push(Event::Allocation { address: DeviceAddress(64), bytes: 16, label: "bins" });
        buffer.push(Event::BlockBarrier {
            block: BlockIndex(5),
            barrier: 0,
            participants: &[7, 9],
        });
        let events: Vec<_> = buffer.batch().events().collect();
        let Event::Access(first) = events[0] else { panic!("{:?}", events[0]) };
        assert_eq!(lanes_of(&first), vec![(0, 8), (1, 24)]);
        assert_eq!(first.values, &[1, 2]);
        assert!(matches!(events[1], Event::Allocation { label: "bins", bytes: 16, .. }));
        assert!(matches!(events[2], Event::BlockBarrier { participants: &[7, 9], .. }));
        buffer.clear();
        assert!(buffer.batch().is_empty());
    }
}
