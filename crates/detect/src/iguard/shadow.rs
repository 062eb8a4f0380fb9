//! The entries of all locations.

use super::rules::{Entry, Stamp};
use super::settings::IguardSettings;
use crate::last_access::Granularity;
use crate::last_access::pages::{PageContent, Pages};

/// Memory that one page stands for, as a power of two: 4 KiB.
const PAGE_SHIFT: u32 = 12;

#[derive(Debug)]
struct Page {
    entries: Box<[Entry]>,
    /// For each entry, the accessors before the last one.
    older: Box<[Stamp]>,
}

impl PageContent for Page {
    fn clear(&mut self) {
        // An entry that is not valid begins anew, its older accessors included.
        self.entries.fill(Entry::default());
    }
}

/// What is remembered of global memory in one launch.
#[derive(Debug)]
pub(super) struct Shadow {
    granularity: Granularity,
    /// Accessors of an entry before the last one.
    older: usize,
    pages: Pages<Page>,
}

impl Shadow {
    pub(super) fn new(settings: &IguardSettings) -> Shadow {
        let (granularity, older) = (settings.granularity, settings.history.older());
        let entry = size_of::<Entry>() + older * size_of::<Stamp>();
        let pages = Pages::new((entry as u64) << (PAGE_SHIFT - granularity.shift()));
        Shadow { granularity, older, pages }
    }

    /// A launch begins: no location has been accessed.
    pub(super) fn begin_launch(&mut self) {
        self.pages.begin_launch();
    }

    /// The numbers of the first and the last granule of a range; none where it has no bytes.
    #[inline]
    pub(super) fn granules(&self, address: u64, bytes: u64) -> std::ops::RangeInclusive<u64> {
        self.granularity.granules(address, bytes)
    }

    /// The first address of a granule.
    #[inline]
    pub(super) fn address(&self, granule: u64) -> u64 {
        self.granularity.address(granule)
    }

    /// The entry of a granule, and its accessors before the last one.
    #[inline]
    pub(super) fn entry(&mut self, granule: u64) -> (&mut Entry, &mut [Stamp]) {
        let shift = PAGE_SHIFT - self.granularity.shift();
        let older = self.older;
        let page = self.pages.page(granule >> shift, || Page {
            entries: vec![Entry::default(); 1 << shift].into(),
            older: vec![Stamp::NOBODY; older << shift].into(),
        });
        let index = (granule & ((1 << shift) - 1)) as usize;
        (&mut page.entries[index], &mut page.older[index * older..(index + 1) * older])
    }

    /// What it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.pages.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shadow(granularity: u8, history: u8) -> Shadow {
        Shadow::new(&IguardSettings {
            granularity: granularity.try_into().expect("a choice"),
            history: history.try_into().expect("a choice"),
            ..IguardSettings::default()
        })
    }

    #[test]
    fn entries_keep_to_themselves_and_to_their_launch() {
        for (granularity, history) in [(1, 1), (4, 8), (16, 2)] {
            let mut shadow = shadow(granularity, history);
            let far = (1 << 40) >> granularity.trailing_zeros();
            let places = [0, 1, 4095, 4096, far, far + 1, 2];
            let mark = |shadow: &mut Shadow, granule: u64| {
                let (entry, older) = shadow.entry(granule);
                assert_eq!((*entry, older.len()), (Entry::default(), usize::from(history) - 1));
                let current = super::super::rules::tests::load_of_lane(granule as u8 & 31);
                super::super::rules::check(entry, older, &current, true, |_| Default::default());
                assert_ne!(*entry, Entry::default());
            };
            for launch in 0..3 {
                shadow.begin_launch();
                places.iter().for_each(|granule| mark(&mut shadow, *granule));
                assert!(shadow.bytes() > 0, "{launch}");
            }
        }
    }
}
