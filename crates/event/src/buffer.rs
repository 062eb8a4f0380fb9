//! Where events are kept until they are handed on.

use crate::vocabulary::{Access, CopyBegin, CopySide, Event, LaneAddresses};
use crate::{KernelFacts, SiteTable};
use std::ops::Range;
use std::sync::Arc;
use warpsan_model::{BlockIndex, DeviceAddress, Geometry, LaunchId, SiteId};

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
    earlier_launches: Vec<LaunchId>,
    launches: Vec<(Arc<KernelFacts>, Arc<SiteTable>)>,
}

/// An event whose variable-sized parts are ranges of the buffer.
#[derive(Debug)]
enum Record {
    /// An event without such parts.
    Plain(Event<'static>),
    LaunchOrder {
        launch: LaunchId,
        after: Range<usize>,
    },
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
        versions: Range<usize>,
    },
    /// `copies` with the addresses replaced by those of the ranges.
    CopyBegin {
        copies: CopyBegin<'static>,
        from: Range<usize>,
        to: Range<usize>,
    },
    CopyWait {
        block: BlockIndex,
        warp: u32,
        mask: u32,
        site: SiteId,
        bulk: bool,
        read: bool,
        before: Range<usize>,
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
        self.earlier_launches.clear();
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
            Event::LaunchOrder { launch, after } => {
                let start = self.earlier_launches.len();
                self.earlier_launches.extend_from_slice(after);
                Record::LaunchOrder { launch, after: start..self.earlier_launches.len() }
            }
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
            Event::CopyBegin(copies) => self.copy_record(&copies),
            Event::CopyWait { block, warp, mask, site, bulk, read, before } => {
                let before = self.store(before);
                Record::CopyWait { block, warp, mask, site, bulk, read, before }
            }
            Event::Clusters { extent } => Record::Plain(Event::Clusters { extent }),
            Event::LaunchEnd { launch } => Record::Plain(Event::LaunchEnd { launch }),
            Event::BlockEnd { block } => Record::Plain(Event::BlockEnd { block }),
            Event::Fence { block, warp, mask, site, order, scope } => {
                Record::Plain(Event::Fence { block, warp, mask, site, order, scope })
            }
            Event::ProxyFence { block, warp, mask, site, proxy } => {
                Record::Plain(Event::ProxyFence { block, warp, mask, site, proxy })
            }
            Event::BlockArrive { block, warp, mask, site, barrier } => {
                Record::Plain(Event::BlockArrive { block, warp, mask, site, barrier })
            }
            Event::WarpBarrier { block, warp, mask } => {
                Record::Plain(Event::WarpBarrier { block, warp, mask })
            }
            Event::ClusterArrive { block, warp, mask, site, order, phase } => {
                Record::Plain(Event::ClusterArrive { block, warp, mask, site, order, phase })
            }
            Event::ClusterWait { block, warp, mask, site, phase } => {
                Record::Plain(Event::ClusterWait { block, warp, mask, site, phase })
            }
            Event::Mbarrier(access) => Record::Plain(Event::Mbarrier(access)),
            Event::CopyEnd { copy } => Record::Plain(Event::CopyEnd { copy }),
            Event::CopySignal { block, warp, lane, copy, owner, address, phase } => {
                let signal = Event::CopySignal { block, warp, lane, copy, owner, address, phase };
                Record::Plain(signal)
            }
            Event::BarrierDivergence {
                block,
                site,
                thread,
                other_site,
                other_thread,
                completes,
            } => Record::Plain(Event::BarrierDivergence {
                block,
                site,
                thread,
                other_site,
                other_thread,
                completes,
            }),
            Event::Free { address } => Record::Plain(Event::Free { address }),
        };
        self.records.push(record);
    }

    fn access_record(&mut self, access: &Access<'_>) -> Record {
        let (form, addresses) = self.form(&access.addresses);
        let values = self.store(access.values);
        let versions = self.store(access.versions);
        let access = Access {
            addresses: form,
            values: &[],
            versions: &[],
            block: access.block,
            warp: access.warp,
            site: access.site,
            mask: access.mask,
            wrote: access.wrote,
            space: access.space,
            owner: access.owner,
            kind: access.kind,
            strength: access.strength,
            bytes: access.bytes,
            elements: access.elements,
            read_only_path: access.read_only_path,
        };
        Record::Access { access, addresses, values, versions }
    }

    fn copy_record(&mut self, copies: &CopyBegin<'_>) -> Record {
        let (to, to_words) = self.side(&copies.to);
        let from = copies.from.as_ref().map(|from| self.side(from));
        let (from, from_words) = from.map_or((None, 0..0), |(side, words)| (Some(side), words));
        let copies = CopyBegin {
            from,
            to,
            block: copies.block,
            warp: copies.warp,
            mask: copies.mask,
            site: copies.site,
            kind: copies.kind,
            first: copies.first,
            reduces: copies.reduces,
        };
        Record::CopyBegin { copies, from: from_words, to: to_words }
    }

    fn side(&mut self, side: &CopySide<'_>) -> (CopySide<'static>, Range<usize>) {
        let (addresses, words) = self.form(&side.addresses);
        let side = CopySide { addresses, space: side.space, owner: side.owner, bytes: side.bytes };
        (side, words)
    }

    /// Addresses without what they borrow, and where that went.
    fn form(&mut self, addresses: &LaneAddresses<'_>) -> (LaneAddresses<'static>, Range<usize>) {
        match *addresses {
            LaneAddresses::Uniform(address) => (LaneAddresses::Uniform(address), 0..0),
            LaneAddresses::Strided { first, stride } => {
                (LaneAddresses::Strided { first, stride }, 0..0)
            }
            LaneAddresses::PerLane(addresses) => {
                (LaneAddresses::PerLane(&[]), self.store(addresses))
            }
        }
    }

    /// The opposite of [`form`](Self::form).
    fn addresses(&self, form: LaneAddresses<'static>, words: &Range<usize>) -> LaneAddresses<'_> {
        match form {
            LaneAddresses::PerLane(_) => LaneAddresses::PerLane(&self.words[words.clone()]),
            short => short,
        }
    }

    fn store(&mut self, words: &[u64]) -> Range<usize> {
        let start = self.words.len();
        self.words.extend_from_slice(words);
        start..self.words.len()
    }

    fn view<'a>(&'a self, record: &Record) -> Event<'a> {
        match record {
            Record::Plain(event) => *event,
            Record::LaunchOrder { launch, after } => {
                Event::LaunchOrder { launch: *launch, after: &self.earlier_launches[after.clone()] }
            }
            Record::LaunchBegin { launch, index, geometry } => {
                let (facts, sites) = &self.launches[*index];
                Event::LaunchBegin { launch: *launch, facts, sites, geometry: *geometry }
            }
            Record::Access { access, addresses, values, versions } => Event::Access(Access {
                addresses: self.addresses(access.addresses, addresses),
                values: &self.words[values.clone()],
                versions: &self.words[versions.clone()],
                ..*access
            }),
            Record::CopyBegin { copies, from, to } => {
                let side = |side: CopySide<'static>, words: &Range<usize>| -> CopySide<'a> {
                    CopySide { addresses: self.addresses(side.addresses, words), ..side }
                };
                Event::CopyBegin(CopyBegin {
                    from: copies.from.map(|one| side(one, from)),
                    to: side(copies.to, to),
                    ..*copies
                })
            }
            Record::CopyWait { block, warp, mask, site, bulk, read, before } => Event::CopyWait {
                block: *block,
                warp: *warp,
                mask: *mask,
                site: *site,
                bulk: *bulk,
                read: *read,
                before: &self.words[before.clone()],
            },
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
    use crate::vocabulary::AccessKind;
    use warpsan_model::{Space, Strength};

    fn access<'a>(mask: u32, addresses: LaneAddresses<'a>, values: &'a [u64]) -> Access<'a> {
        Access {
            block: BlockIndex(0),
            warp: 0,
            site: SiteId(0),
            mask,
            wrote: mask,
            space: Space::Global,
            owner: BlockIndex(0),
            kind: AccessKind::Write,
            strength: Strength::Weak,
            bytes: 4,
            elements: 1,
            addresses,
            values,
            versions: &[],
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
        buffer.push(Event::LaunchOrder { launch: LaunchId(3), after: &[LaunchId(0), LaunchId(1)] });
        let events: Vec<_> = buffer.batch().events().collect();
        let Event::Access(first) = events[0] else { panic!("{:?}", events[0]) };
        assert_eq!(lanes_of(&first), vec![(0, 8), (1, 24)]);
        assert_eq!(first.values, &[1, 2]);
        assert!(matches!(events[1], Event::Allocation { label: "bins", bytes: 16, .. }));
        assert!(matches!(events[2], Event::BlockBarrier { participants: &[7, 9], .. }));
        let after = &[LaunchId(0), LaunchId(1)];
        assert_eq!(events[3], Event::LaunchOrder { launch: LaunchId(3), after });
        buffer.clear();
        assert!(buffer.batch().is_empty());
    }
}
