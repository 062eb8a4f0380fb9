//! The entries of all locations, and beside each what a report needs and the paper's 64 bits do not have.

use super::cache::{Cache, CacheCounts, Home};
use super::metadata::Metadata;
use super::settings::ScordSettings;
use crate::allocations::Allocations;
use crate::last_access::Granularity;
use crate::last_access::pages::{PageContent, Pages};

/// Entries of one page, as a power of two.
const PAGE_SHIFT: u32 = 10;

/// Who accessed a location: for reports, and for what is distinguished beyond the bits of an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Accessor {
    pub(super) block: u32,
    pub(super) site: u32,
    pub(super) warp: u8,
    /// The lowest of the lanes.
    pub(super) lane: u8,
    /// How often the lanes of its warp had met.
    pub(super) meetings: u8,
}

impl Accessor {
    pub(super) fn is_same_warp(&self, other: &Accessor) -> bool {
        (self.block, self.warp) == (other.block, other.warp)
    }
}

/// What is remembered of one location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) metadata: Metadata,
    /// The accessor that the metadata is of.
    pub(super) last: Accessor,
    /// Where warps share the location: the last one that is not the last accessor's.
    pub(super) other: Accessor,
}

impl Slot {
    fn new() -> Slot {
        let nobody = Accessor::default();
        Slot { metadata: Metadata::INITIAL, last: nobody, other: nobody }
    }
}

impl PageContent for Box<[Slot]> {
    fn clear(&mut self) {
        self.fill(Slot::new());
    }
}

/// What is remembered of global memory in one launch.
#[derive(Debug)]
pub(super) struct Shadow {
    pub(super) granularity: Granularity,
    cache: Option<Cache>,
    pages: Pages<Box<[Slot]>>,
}

impl Shadow {
    pub(super) fn new(settings: &ScordSettings) -> Shadow {
        Shadow {
            granularity: settings.granularity,
            cache: settings.cache.then(Cache::default),
            pages: Pages::new((size_of::<Slot>() as u64) << PAGE_SHIFT),
        }
    }

    /// A launch begins: no location has been accessed.
    pub(super) fn begin_launch(&mut self, allocations: &Allocations) {
        self.pages.begin_launch();
        if let Some(cache) = &mut self.cache {
            cache.begin_launch(allocations, self.granularity);
        }
    }

    /// What is remembered of a granule. An entry of the cache that is another one's begins anew.
    #[inline]
    pub(super) fn slot(&mut self, granule: u64) -> &mut Slot {
        let home = match &self.cache {
            None => Home { entry: granule, tag: 0 },
            Some(cache) => cache.home(granule),
        };
        let page =
            self.pages.page(home.entry >> PAGE_SHIFT, || vec![Slot::new(); 1 << PAGE_SHIFT].into());
        let slot = &mut page[(home.entry & ((1 << PAGE_SHIFT) - 1)) as usize];
        if let Some(cache) = &mut self.cache {
            let tag = slot.metadata.tag();
            if slot.metadata.is_initial() {
                cache.counts.misses += 1;
                slot.metadata = Metadata::INITIAL.with_tag(home.tag);
            } else if tag == home.tag {
                cache.counts.hits += 1;
            } else {
                cache.evict(Home { tag, ..home });
                *slot = Slot { metadata: Metadata::INITIAL.with_tag(home.tag), ..Slot::new() };
            }
        }
        slot
    }

    /// Whether the metadata of an address was overwritten by that of another one.
    pub(super) fn was_evicted(&self, address: u64) -> bool {
        let granule = address >> self.granularity.shift();
        self.cache.as_ref().is_some_and(|cache| cache.was_evicted(granule))
    }

    pub(super) fn cache_counts(&self) -> CacheCounts {
        self.cache.as_ref().map(|cache| cache.counts).unwrap_or_default()
    }

    /// What it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.pages.bytes()
    }
}
