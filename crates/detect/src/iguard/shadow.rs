//! The entries of all locations: pages that come to be when something in them is accessed.

use super::rules::{Entry, Stamp};
use super::settings::IguardSettings;
use rustc_hash::FxHashMap;

/// Memory that one page stands for, as a power of two: 4 KiB.
const PAGE_SHIFT: u32 = 12;
/// What launches may leave behind for the next one, in bytes; beyond, memory is given back.
const KEPT_BYTES: u64 = 256 << 20;

#[derive(Debug)]
struct Page {
    /// The launch that the contents are of, as the shadow counts them.
    launch: u64,
    entries: Box<[Entry]>,
    /// For each entry, the accessors before the last one.
    older: Box<[Stamp]>,
}

/// What is remembered of global memory in one launch.
#[derive(Debug)]
pub(super) struct Shadow {
    /// From addresses to granules.
    granule_shift: u32,
    /// Accessors of an entry before the last one.
    older: usize,
    launch: u64,
    pages: Vec<Page>,
    places: FxHashMap<u64, usize>,
    /// The page that was used last, and its place.
    last: Option<(u64, usize)>,
}

impl Shadow {
    pub(super) fn new(settings: &IguardSettings) -> Shadow {
        Shadow {
            granule_shift: settings.granularity.shift(),
            older: settings.history.older(),
            launch: 0,
            pages: Vec::new(),
            places: FxHashMap::default(),
            last: None,
        }
    }

    /// A launch begins: no location has been accessed.
    pub(super) fn begin_launch(&mut self) {
        self.launch += 1;
        self.last = None;
        if self.bytes() > KEPT_BYTES {
            self.pages = Vec::new();
            self.places = FxHashMap::default();
        }
    }

    /// The numbers of the first and the last granule of a range; none where it has no bytes.
    #[inline]
    pub(super) fn granules(&self, address: u64, bytes: u64) -> std::ops::RangeInclusive<u64> {
        let end = address.saturating_add(bytes.wrapping_sub(1));
        if bytes == 0 {
            #[expect(
                clippy::reversed_empty_ranges,
                reason = "an inclusive range without anything"
            )]
            return 1..=0;
        }
        address >> self.granule_shift..=end >> self.granule_shift
    }

    /// The first address of a granule.
    #[inline]
    pub(super) fn address(&self, granule: u64) -> u64 {
        granule << self.granule_shift
    }

    /// The entry of a granule, and its accessors before the last one.
    #[inline]
    pub(super) fn entry(&mut self, granule: u64) -> (&mut Entry, &mut [Stamp]) {
        let shift = PAGE_SHIFT - self.granule_shift;
        let number = granule >> shift;
        let place = match self.last {
            Some((last, place)) if last == number => place,
            _ => self.find(number),
        };
        let index = (granule & ((1 << shift) - 1)) as usize;
        let page = &mut self.pages[place];
        let older = &mut page.older[index * self.older..(index + 1) * self.older];
        (&mut page.entries[index], older)
    }

    #[inline(never)]
    fn find(&mut self, number: u64) -> usize {
        let entries = 1 << (PAGE_SHIFT - self.granule_shift);
        let next = self.pages.len();
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            self.pages.push(Page {
                launch: self.launch,
                entries: vec![Entry::default(); entries].into(),
                older: vec![Stamp::NOBODY; entries * self.older].into(),
            });
        }
        let page = &mut self.pages[place];
        if page.launch != self.launch {
            // An entry that is not valid begins anew, its older accessors included.
            page.entries.fill(Entry::default());
            page.launch = self.launch;
        }
        self.last = Some((number, place));
        place
    }

    /// What it takes.
    pub(super) fn bytes(&self) -> u64 {
        let entries = 1_u64 << (PAGE_SHIFT - self.granule_shift);
        let entry = size_of::<Entry>() + self.older * size_of::<Stamp>();
        self.pages.len() as u64 * entries * entry as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shadow(granularity: u8, history: u8) -> Shadow {
        Shadow::new(&IguardSettings {
            granularity: granularity.try_into().expect("a choice"),
            history: history.try_into().expect("a choice"),
            coalescing: true,
            sharing: true,
        })
    }

    #[test]
    fn a_range_has_every_granule_that_it_touches() {
        let granules = |granularity, address, bytes| -> Vec<u64> {
            shadow(granularity, 1).granules(address, bytes).collect()
        };
        assert_eq!(granules(4, 8, 4), [2]);
        assert_eq!(granules(4, 6, 4), [1, 2]);
        assert_eq!(granules(4, 8, 16), [2, 3, 4, 5]);
        assert_eq!(granules(1, 8, 2), [8, 9]);
        assert_eq!(granules(16, 8, 16), [0, 1]);
        assert!(granules(4, 8, 0).is_empty());
        assert_eq!(granules(4, u64::MAX, 4).len(), 1, "the end of all addresses");
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
