//! Pages of entries, which come to be when something in them is accessed and begin anew with each launch.

use rustc_hash::FxHashMap;

/// What launches may leave behind for the next one, in bytes; beyond, memory is given back.
const KEPT_BYTES: u64 = 256 << 20;

/// The entries of one page.
pub(crate) trait PageContent {
    /// Nothing has been accessed.
    fn clear(&mut self);
}

#[derive(Debug)]
struct Page<C> {
    /// The launch that the contents are of, as the pages count them.
    launch: u64,
    content: C,
}

/// Pages by number.
#[derive(Debug)]
pub(crate) struct Pages<C> {
    launch: u64,
    /// What one page takes.
    page_bytes: u64,
    pages: Vec<Page<C>>,
    places: FxHashMap<u64, usize>,
    /// The page that was used last, and its place.
    last: Option<(u64, usize)>,
}

impl<C: PageContent> Pages<C> {
    /// No pages, each of which will take so many bytes.
    pub(crate) fn new(page_bytes: u64) -> Self {
        Pages { launch: 0, page_bytes, pages: Vec::new(), places: FxHashMap::default(), last: None }
    }

    /// A launch begins: nothing has been accessed.
    pub(crate) fn begin_launch(&mut self) {
        self.launch += 1;
        self.last = None;
        if self.bytes() > KEPT_BYTES {
            self.pages = Vec::new();
            self.places = FxHashMap::default();
        }
    }

    /// The page of this number, which is made if it is not there.
    #[inline]
    pub(crate) fn page(&mut self, number: u64, make: impl FnOnce() -> C) -> &mut C {
        let place = match self.last {
            Some((last, place)) if last == number => place,
            _ => self.find(number, make),
        };
        &mut self.pages[place].content
    }

    #[inline(never)]
    fn find(&mut self, number: u64, make: impl FnOnce() -> C) -> usize {
        let next = self.pages.len();
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            self.pages.push(Page { launch: self.launch, content: make() });
        }
        let page = &mut self.pages[place];
        if page.launch != self.launch {
            page.content.clear();
            page.launch = self.launch;
        }
        self.last = Some((number, place));
        place
    }

    /// What they take.
    pub(crate) fn bytes(&self) -> u64 {
        self.pages.len() as u64 * self.page_bytes
    }
}
