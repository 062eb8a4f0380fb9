//! Where events are kept until they are handed on.

use crate::vocabulary::{Access, AccessKind, CopyBegin, CopySide, Event, LaneAddresses};
use crate::{KernelFacts, SiteTable};
use std::ops::Range;
use std::sync::Arc;
use warpsan_model::{BlockIndex, DeviceAddress, Geometry, LaunchId, SiteId, Space, Strength};

/// Events in the order in which they happened, borrowed from an [`EventBuffer`].
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    buffer: &'a EventBuffer,
}

impl<'a> Batch<'a> {
    /// The events.
    pub fn events(&self) -> impl Iterator<Item = Event<'a>> + 'a {
        let batch = *self;
        (0..self.len()).filter_map(move |number| batch.event(number))
    }

    /// The event with this number, if it is an access. Who takes these by themselves saves time on what
    /// nearly all events are.
    #[inline(always)]
    pub fn access(&self, number: usize) -> Option<Access<'a>> {
        match self.buffer.records.get(number)? {
            Record::Access(record) => Some(self.buffer.access(record)),
            Record::Other(_) => None,
        }
    }

    /// The event with this number.
    pub fn event(&self, number: usize) -> Option<Event<'a>> {
        Some(match self.buffer.records.get(number)? {
            Record::Access(record) => Event::Access(self.buffer.access(record)),
            Record::Other(number) => self.buffer.view(&self.buffer.others[*number as usize]),
        })
    }

    /// The first address of global memory that the event with this number accesses, if that is known from a
    /// look at it.
    #[inline]
    pub fn global_address(&self, number: usize) -> Option<u64> {
        match self.buffer.records.get(number)? {
            Record::Access(record)
                if record.space == Space::Global && !matches!(record.form, Form::PerLane) =>
            {
                Some(record.first)
            }
            _ => None,
        }
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
    others: Vec<Other>,
    words: Vec<u64>,
    labels: String,
    earlier_launches: Vec<LaunchId>,
    launches: Vec<(Arc<KernelFacts>, Arc<SiteTable>)>,
}

/// An event. Nearly all are accesses, so that these are kept small and the others elsewhere.
#[derive(Debug)]
enum Record {
    Access(AccessRecord),
    /// A number into [`EventBuffer::others`].
    Other(u32),
}

/// An [`Access`] whose variable-sized parts are words of the buffer. It fills one line of a cache.
#[derive(Debug)]
struct AccessRecord {
    /// The address of lane 0, or where the words of all lanes' addresses begin.
    first: u64,
    /// The distance from one lane to the next, or how many words the addresses are.
    stride: u64,
    /// Where the values begin.
    values: u32,
    /// How many there are. The versions are right behind them.
    value_words: u32,
    version_words: u32,
    block: BlockIndex,
    warp: u32,
    site: SiteId,
    mask: u32,
    wrote: u32,
    owner: BlockIndex,
    strength: Strength,
    space: Space,
    kind: AccessKind,
    form: Form,
    bytes: u8,
    elements: u8,
    read_only_path: bool,
}

/// Which of the [`LaneAddresses`].
#[derive(Debug, Clone, Copy)]
enum Form {
    Uniform,
    Strided,
    PerLane,
}

/// An event that is no access, and whose variable-sized parts are ranges of the buffer.
#[derive(Debug)]
enum Other {
    /// An event without such parts.
    Plain(Event<'static>),
    LaunchOrder {
        launch: LaunchId,
        /// In the order of the event's fields.
        lists: [Range<usize>; 4],
    },
    LaunchBegin {
        launch: LaunchId,
        index: usize,
        geometry: Geometry,
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
        self.others.clear();
        self.words.clear();
        self.labels.clear();
        self.earlier_launches.clear();
        self.launches.clear();
    }

    /// How many events it holds.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Bytes of the lists and texts of its events.
    pub(crate) fn list_bytes(&self) -> usize {
        size_of_val(&self.words[..]) + size_of_val(&self.earlier_launches[..]) + self.labels.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Makes room for so many events, and for addresses of some of them.
    pub fn reserve(&mut self, events: usize) {
        self.records.reserve(events);
        self.words.reserve(events * 8);
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event<'_>) {
        match event {
            Event::Access(access) => self.push_access(&access),
            other => self.push_other(other),
        }
    }

    /// Adds an access, which is cheaper than by [`push`](Self::push).
    #[inline(always)]
    pub fn push_access(&mut self, access: &Access<'_>) {
        let (form, first, stride) = match access.addresses {
            LaneAddresses::Uniform(address) => (Form::Uniform, address, 0),
            LaneAddresses::Strided { first, stride } => (Form::Strided, first, stride),
            LaneAddresses::PerLane(addresses) => {
                let start = self.words.len();
                match <&[u64; 32]>::try_from(addresses) {
                    // Of a size that is known, a copy is a few instructions.
                    Ok(all) => self.words.extend_from_slice(all),
                    Err(_) => self.words.extend_from_slice(addresses),
                }
                (Form::PerLane, start as u64, addresses.len() as u64)
            }
        };
        let values = self.words.len() as u32;
        if !access.values.is_empty() {
            match <&[u64; 32]>::try_from(access.values) {
                Ok(all) => self.words.extend_from_slice(all),
                Err(_) => self.words.extend_from_slice(access.values),
            }
        }
        if !access.versions.is_empty() {
            self.words.extend_from_slice(access.versions);
        }
        self.records.push(Record::Access(AccessRecord {
            first,
            stride,
            values,
            value_words: access.values.len() as u32,
            version_words: access.versions.len() as u32,
            block: access.block,
            warp: access.warp,
            site: access.site,
            mask: access.mask,
            wrote: access.wrote,
            owner: access.owner,
            strength: access.strength,
            space: access.space,
            kind: access.kind,
            form,
            bytes: access.bytes,
            elements: access.elements,
            read_only_path: access.read_only_path,
        }));
    }

    #[inline(never)]
    fn push_other(&mut self, event: Event<'_>) {
        let other = match event {
            // Kept elsewhere, by the caller.
            Event::Access(access) => return self.push_access(&access),
            Event::LaunchOrder { launch, after, after_wait, perhaps_after, open } => {
                let lists = [after, after_wait, perhaps_after, open].map(|launches| {
                    let start = self.earlier_launches.len();
                    self.earlier_launches.extend_from_slice(launches);
                    start..self.earlier_launches.len()
                });
                Other::LaunchOrder { launch, lists }
            }
            Event::LaunchBegin { launch, facts, sites, geometry } => {
                self.launches.push((Arc::clone(facts), Arc::clone(sites)));
                Other::LaunchBegin { launch, index: self.launches.len() - 1, geometry }
            }
            Event::BlockBarrier { block, barrier, participants } => {
                let participants = self.store(participants);
                Other::BlockBarrier { block, barrier, participants }
            }
            Event::Allocation { address, bytes, label } => {
                let start = self.labels.len();
                self.labels.push_str(label);
                Other::Allocation { address, bytes, label: start..self.labels.len() }
            }
            Event::CopyBegin(copies) => self.copy_record(&copies),
            Event::CopyWait { block, warp, mask, site, bulk, read, before } => {
                let before = self.store(before);
                Other::CopyWait { block, warp, mask, site, bulk, read, before }
            }
            Event::Clusters { extent } => Other::Plain(Event::Clusters { extent }),
            Event::LaunchEnd { launch } => Other::Plain(Event::LaunchEnd { launch }),
            Event::BlockEnd { block } => Other::Plain(Event::BlockEnd { block }),
            Event::LanesEnd { block, warp, mask } => {
                Other::Plain(Event::LanesEnd { block, warp, mask })
            }
            Event::Fence { block, warp, mask, site, order, scope } => {
                Other::Plain(Event::Fence { block, warp, mask, site, order, scope })
            }
            Event::ProxyFence { block, warp, mask, site, proxy } => {
                Other::Plain(Event::ProxyFence { block, warp, mask, site, proxy })
            }
            Event::BlockArrive { block, warp, mask, site, barrier } => {
                Other::Plain(Event::BlockArrive { block, warp, mask, site, barrier })
            }
            Event::WarpBarrier { block, warp, mask } => {
                Other::Plain(Event::WarpBarrier { block, warp, mask })
            }
            Event::Reconvergence { block, warp, mask } => {
                Other::Plain(Event::Reconvergence { block, warp, mask })
            }
            Event::ClusterArrive { block, warp, mask, site, order, phase } => {
                Other::Plain(Event::ClusterArrive { block, warp, mask, site, order, phase })
            }
            Event::ClusterWait { block, warp, mask, site, phase } => {
                Other::Plain(Event::ClusterWait { block, warp, mask, site, phase })
            }
            Event::PrerequisiteWait { block, warp, mask, site } => {
                Other::Plain(Event::PrerequisiteWait { block, warp, mask, site })
            }
            Event::Mbarrier(access) => Other::Plain(Event::Mbarrier(access)),
            Event::CopyEnd { copy } => Other::Plain(Event::CopyEnd { copy }),
            Event::CopySignal { block, warp, lane, copy, owner, address, phase } => {
                let signal = Event::CopySignal { block, warp, lane, copy, owner, address, phase };
                Other::Plain(signal)
            }
            Event::BarrierDivergence {
                block,
                site,
                thread,
                lanes,
                other_site,
                other_thread,
                other_lanes,
                completes,
            } => Other::Plain(Event::BarrierDivergence {
                block,
                site,
                thread,
                lanes,
                other_site,
                other_thread,
                other_lanes,
                completes,
            }),
            Event::Free { address } => Other::Plain(Event::Free { address }),
        };
        self.records.push(Record::Other(self.others.len() as u32));
        self.others.push(other);
    }

    fn copy_record(&mut self, copies: &CopyBegin<'_>) -> Other {
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
        Other::CopyBegin { copies, from: from_words, to: to_words }
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

    #[inline(always)]
    fn access<'a>(&'a self, record: &AccessRecord) -> Access<'a> {
        let addresses = match record.form {
            Form::Uniform => LaneAddresses::Uniform(record.first),
            Form::Strided => LaneAddresses::Strided { first: record.first, stride: record.stride },
            Form::PerLane => LaneAddresses::PerLane(
                &self.words[record.first as usize..][..record.stride as usize],
            ),
        };
        let (values, versions) = match (record.value_words, record.version_words) {
            (0, 0) => (&[][..], &[][..]),
            (values, versions) => {
                let both = &self.words[record.values as usize..];
                both[..values as usize + versions as usize].split_at(values as usize)
            }
        };
        Access {
            block: record.block,
            warp: record.warp,
            site: record.site,
            mask: record.mask,
            wrote: record.wrote,
            space: record.space,
            owner: record.owner,
            kind: record.kind,
            strength: record.strength,
            bytes: record.bytes,
            elements: record.elements,
            addresses,
            values,
            versions,
            read_only_path: record.read_only_path,
        }
    }

    fn view<'a>(&'a self, other: &Other) -> Event<'a> {
        match other {
            Other::Plain(event) => *event,
            Other::LaunchOrder { launch, lists } => {
                let [after, after_wait, perhaps_after, open] =
                    lists.each_ref().map(|list| &self.earlier_launches[list.clone()]);
                Event::LaunchOrder { launch: *launch, after, after_wait, perhaps_after, open }
            }
            Other::LaunchBegin { launch, index, geometry } => {
                let (facts, sites) = &self.launches[*index];
                Event::LaunchBegin { launch: *launch, facts, sites, geometry: *geometry }
            }
            Other::CopyBegin { copies, from, to } => {
                let side = |side: CopySide<'static>, words: &Range<usize>| -> CopySide<'a> {
                    CopySide { addresses: self.addresses(side.addresses, words), ..side }
                };
                Event::CopyBegin(CopyBegin {
                    from: copies.from.map(|one| side(one, from)),
                    to: side(copies.to, to),
                    ..*copies
                })
            }
            Other::CopyWait { block, warp, mask, site, bulk, read, before } => Event::CopyWait {
                block: *block,
                warp: *warp,
                mask: *mask,
                site: *site,
                bulk: *bulk,
                read: *read,
                before: &self.words[before.clone()],
            },
            Other::BlockBarrier { block, barrier, participants } => Event::BlockBarrier {
                block: *block,
                barrier: *barrier,
                participants: &self.words[participants.clone()],
            },
            Other::Allocation { address, bytes, label } => Event::Allocation {
                address: *address,
                bytes: *bytes,
                label: &self.labels[label.clone()],
            },
        }
    }
}

#[cfg(test)]
mod tests;
