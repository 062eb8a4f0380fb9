use super::{LINE, Line};
use rustc_hash::FxHashMap;

/// Bytes of a page.
const PAGE: u64 = 4096;
const LINES: usize = (PAGE / LINE) as usize;
/// Pages with small numbers, as those of shared memory, are found without a search.
const DIRECT: u64 = 64;
const CACHED: u64 = 512;

/// The lines of 4096 bytes, and what was stored there last.
struct Page {
    lines: [Line; LINES],
    values: Option<Box<Values>>,
}

/// What was stored in 4096 bytes.
struct Values([u8; PAGE as usize]);

impl Page {
    /// A page without accesses. Most of a large allocation is zero already, and is not written before it
    /// is used.
    fn empty() -> Box<Page> {
        // SAFETY: zeros are an empty line: an entry of zeros is `Entry::EMPTY`, and a box that is not there
        // is a null pointer.
        unsafe { Box::<Page>::new_zeroed().assume_init() }
    }
}

impl Values {
    fn empty() -> Box<Values> {
        // SAFETY: bytes may be zero.
        unsafe { Box::<Values>::new_zeroed().assume_init() }
    }
}

/// Lines for an address space that is mostly empty.
#[derive(Default)]
pub(crate) struct Shadow {
    #[expect(clippy::vec_box, reason = "pages are large, and must not move when there are more")]
    pages: Vec<Box<Page>>,
    direct: Vec<u32>,
    table: FxHashMap<u64, u32>,
    /// By the low bits of the page: its number and its place. Most accesses are near earlier ones.
    cache: Vec<(u64, u32)>,
}

impl std::fmt::Debug for Shadow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shadow").field("pages", &self.pages.len()).finish_non_exhaustive()
    }
}

impl Shadow {
    /// The line that has the byte at `address`.
    #[inline]
    pub(crate) fn line(&mut self, address: u64) -> &mut Line {
        let index = self.page(address / PAGE);
        &mut self.pages[index].lines[(address % PAGE / LINE) as usize]
    }

    /// What was stored last in the line that begins at `address`: only bytes that some entry says were
    /// written have a meaning.
    #[inline]
    pub(crate) fn values(&mut self, address: u64) -> &mut [u8; LINE as usize] {
        let index = self.page(address / PAGE);
        let values = &mut self.pages[index].values.get_or_insert_with(Values::empty).0;
        let start = (address % PAGE) as usize;
        (&mut values[start..start + LINE as usize]).try_into().unwrap_or_else(|_| unreachable!())
    }

    #[inline]
    fn page(&mut self, number: u64) -> usize {
        if number < DIRECT {
            if let Some(&index) = self.direct.get(number as usize)
                && index != u32::MAX
            {
                return index as usize;
            }
        } else if let Some(&(cached, index)) = self.cache.get((number % CACHED) as usize)
            && cached == number
        {
            return index as usize;
        }
        self.find_page(number)
    }

    #[cold]
    fn find_page(&mut self, number: u64) -> usize {
        let pages = &mut self.pages;
        let mut add = || {
            pages.push(Page::empty());
            pages.len() as u32 - 1
        };
        if number < DIRECT {
            if self.direct.len() <= number as usize {
                self.direct.resize(number as usize + 1, u32::MAX);
            }
            let index = &mut self.direct[number as usize];
            if *index == u32::MAX {
                *index = add();
            }
            return *index as usize;
        }
        let index = *self.table.entry(number).or_insert_with(add);
        if self.cache.is_empty() {
            self.cache.resize(CACHED as usize, (u64::MAX, 0));
        }
        self.cache[(number % CACHED) as usize] = (number, index);
        index as usize
    }

    /// Forgets what was done to some bytes.
    pub(crate) fn forget(&mut self, start: u64, bytes: u64) {
        if self.pages.is_empty() {
            return;
        }
        let end = start.saturating_add(bytes);
        for number in start / PAGE..end.div_ceil(PAGE) {
            let Some(&index) = self.table.get(&number) else { continue };
            for (line, place) in self.pages[index as usize].lines.iter_mut().enumerate() {
                let base = number * PAGE + line as u64 * LINE;
                let cover = match base < end && base.saturating_add(LINE) > start {
                    true => super::cover_of(base, start, bytes),
                    false => 0,
                };
                if cover != 0 {
                    place.forget(cover);
                }
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Shadow::default();
    }

    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let of_page = |page: &Page| {
            let values = page.values.as_ref().map_or(0, |_| size_of::<Values>());
            let lines: usize = page.lines.iter().map(Line::bytes_besides).sum();
            size_of::<Page>() + size_of::<Box<Page>>() + values + lines
        };
        let pages: usize = self.pages.iter().map(|page| of_page(page)).sum();
        let tables = self.cache.len() * size_of::<(u64, u32)>()
            + self.table.capacity() * size_of::<(u64, u32)>()
            + self.direct.len() * size_of::<u32>();
        (pages + tables) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::Entry;
    use super::*;

    #[test]
    fn lines_are_found_again_near_and_far() {
        let mut shadow = Shadow::default();
        let addresses: Vec<u64> =
            (0..200).map(|step| step * 4096 * 37 + step * 128).chain([1 << 40, u64::MAX]).collect();
        for (number, address) in addresses.iter().enumerate() {
            let line = shadow.line(*address);
            assert!(line.write.is_empty() && line.read.is_empty() && line.more.is_none());
            let entry = Entry { site: number as u32, ..Entry::EMPTY };
            assert!(line.write.is_alike(&Entry::EMPTY), "a fresh line is one of zeros");
            line.write = entry.with_cover(1);
            shadow.values(address & !127)[5] = number as u8;
        }
        for (number, address) in addresses.iter().enumerate() {
            assert_eq!(shadow.line(*address).write.site, number as u32);
            assert_eq!(shadow.line(address & !127).write.site, number as u32);
            assert_eq!(shadow.values(address & !127)[5], number as u8);
        }
        assert!(shadow.bytes() > 200 * 4096);
        shadow.clear();
        assert!(shadow.line(4096 * 37).write.is_empty());
    }
}
