//! The shadow of one memory: lines in pages, which come into being when they are used.

use super::noted_updates::NotedUpdates;
use super::pending::Pending;
use super::slabs::{BeginsAsZeros, Slabs};
use super::{LINE, Line};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Bytes of a page.
pub(crate) const PAGE: u64 = 4096;
const LINES: usize = (PAGE / LINE) as usize;
/// Pages with small numbers, as those of shared memory, are found without a search.
const DIRECT: u64 = 64;
/// Pages whose numbers are kept side by side.
const CHUNK: u64 = 1024;
/// Chunks that are found without a search.
const RECENT: u64 = 32;

/// The lines of 4096 bytes.
struct Page {
    lines: [Line; LINES],
    /// The number of its [`Values`], counted from 1.
    values: u32,
}

/// What was stored in 4096 bytes.
struct Values([u8; PAGE as usize]);

// SAFETY: zeros are an empty line: an entry of zeros is `Entry::EMPTY`, and a box that is not there is a null
// pointer.
unsafe impl BeginsAsZeros for Page {}
// SAFETY: bytes may be zero.
unsafe impl BeginsAsZeros for Values {}

/// Where a chunk would be among the recent ones. Arrays that are used together often begin at multiples of a
/// large power of two, so that more than the low bits count.
#[inline]
fn recent_place(chunk: u64) -> usize {
    ((chunk ^ chunk >> 5) % RECENT) as usize
}

/// Lines for an address space that is mostly empty.
#[derive(Default)]
pub(crate) struct Shadow {
    pages: Slabs<Page>,
    values: Slabs<Values>,
    direct: Vec<u32>,
    /// By the number of a chunk, its place.
    table: FxHashMap<u64, u32>,
    /// The numbers of the pages of each chunk, counted from 1.
    chunks: Vec<Box<[u32; CHUNK as usize]>>,
    /// Chunks that were used, with their places.
    recent: Vec<(u64, u32)>,
    /// Pages of memory that is gone, empty, to be used for other memory; counted from 1.
    spare: Vec<u32>,
    /// Reads that are not in their lines yet.
    pub(crate) pending: Pending,
    /// Updates that are not in their lines yet.
    pub(crate) updates: NotedUpdates,
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
        let index = self.index_of_page(address / PAGE);
        &mut self.pages.get_mut(index).lines[(address % PAGE / LINE) as usize]
    }

    /// What was stored last in the page that has the byte at `address`: only bytes that some entry says were
    /// written have a meaning.
    #[inline]
    pub(crate) fn values(&mut self, address: u64) -> &mut [u8; PAGE as usize] {
        let index = self.index_of_page(address / PAGE);
        let number = &mut self.pages.get_mut(index).values;
        if *number == 0 {
            self.values.add();
            *number = self.values.len() as u32;
        }
        &mut self.values.get_mut(*number as usize - 1).0
    }

    /// What was stored last in the line that begins at `base`.
    pub(crate) fn values_of_line(&mut self, base: u64) -> &[u8] {
        let start = (base % PAGE) as usize;
        &self.values(base)[start..start + LINE as usize]
    }

    /// Asks for the line that has the byte at `address`, which will be needed soon.
    #[inline]
    pub(crate) fn prefetch(&self, address: u64) {
        let Some(index) = self.known_page(address / PAGE) else { return };
        let line = &self.pages.get(index).lines[(address % PAGE / LINE) as usize];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch changes nothing and does not fault, wherever it points.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = line;
    }

    /// The page, if it is there and can be found without a search.
    #[inline]
    fn known_page(&self, number: u64) -> Option<usize> {
        let index = match number < DIRECT {
            true => self.direct.get(number as usize),
            false => {
                let chunk = number / CHUNK;
                let (recent, place) = self.recent.get(recent_place(chunk))?;
                let pages = self.chunks.get(*place as usize).filter(|_| *recent == chunk);
                pages.map(|pages| &pages[(number % CHUNK) as usize])
            }
        };
        (*index?).checked_sub(1).map(|index| index as usize)
    }

    #[inline]
    fn index_of_page(&mut self, number: u64) -> usize {
        match self.known_page(number) {
            Some(index) => index,
            None => self.find_page(number),
        }
    }

    #[cold]
    fn find_page(&mut self, number: u64) -> usize {
        let index = if number < DIRECT {
            if self.direct.len() <= number as usize {
                self.direct.resize(number as usize + 1, 0);
            }
            &mut self.direct[number as usize]
        } else {
            let chunk = number / CHUNK;
            let place = *self.table.entry(chunk).or_insert_with(|| {
                self.chunks.push(Box::new([0; _]));
                self.chunks.len() as u32 - 1
            });
            if self.recent.is_empty() {
                self.recent.resize(RECENT as usize, (u64::MAX, 0));
            }
            self.recent[recent_place(chunk)] = (chunk, place);
            &mut self.chunks[place as usize][(number % CHUNK) as usize]
        };
        if *index == 0 {
            *index = self.spare.pop().unwrap_or_else(|| self.pages.add() as u32 + 1);
        }
        *index as usize - 1
    }

    /// Forgets what was done to some bytes.
    pub(crate) fn forget(&mut self, start: u64, bytes: u64) {
        if self.pages.len() == 0 {
            return;
        }
        let end = start.saturating_add(bytes);
        for (number, index) in self.existing_pages(start / PAGE..end.div_ceil(PAGE)) {
            for (line, place) in self.pages.get_mut(index).lines.iter_mut().enumerate() {
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

    /// Forgets memory that is gone. Its addresses may never be used again, so that its whole pages are used for others.
    pub(crate) fn give_up(&mut self, start: u64, bytes: u64) {
        self.forget(start, bytes);
        let whole = start.div_ceil(PAGE).max(DIRECT)..start.saturating_add(bytes) / PAGE;
        for (number, index) in self.existing_pages(whole) {
            if let Some(place) = self.table.get(&(number / CHUNK)) {
                self.chunks[*place as usize][(number % CHUNK) as usize] = 0;
                self.spare.push(index as u32 + 1);
            }
        }
    }

    /// The pages with these numbers that are there, and where. An allocation may be large and hardly used, so that
    /// chunks are looked for only where there are fewer numbers than chunks.
    fn existing_pages(&self, numbers: Range<u64>) -> Vec<(u64, usize)> {
        let direct = (0..).zip(&self.direct);
        let direct = direct.filter(|(number, _)| numbers.contains(number));
        let chunks = numbers.start / CHUNK..numbers.end.div_ceil(CHUNK);
        let places: Vec<(u64, u32)> = if chunks.end - chunks.start <= self.table.len() as u64 {
            chunks.filter_map(|chunk| Some((chunk, *self.table.get(&chunk)?))).collect()
        } else {
            let known = self.table.iter().map(|(chunk, place)| (*chunk, *place));
            known.filter(|(chunk, _)| chunks.contains(chunk)).collect()
        };
        let pages = places
            .into_iter()
            .flat_map(|(chunk, place)| (chunk * CHUNK..).zip(self.chunks[place as usize].iter()));
        direct
            .chain(pages.filter(|(number, _)| numbers.contains(number)))
            .filter_map(|(number, index)| Some((number, index.checked_sub(1)? as usize)))
            .collect()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Shadow::default();
    }

    /// Fails where an invariant of the lines, or of what is noted, is broken.
    pub(super) fn check_invariants(&self) {
        self.pages.iter().flat_map(|page| &page.lines).for_each(Line::check_invariants);
        self.pending.check_invariants();
        self.updates.check_invariants();
    }

    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let besides = self.pages.iter().flat_map(|page| &page.lines).map(Line::bytes_besides);
        let pages = self.pages.bytes() + self.values.bytes() + besides.sum::<usize>();
        let tables = self.recent.len() * size_of::<(u64, u32)>()
            + self.table.capacity() * size_of::<(u64, u32)>()
            + self.chunks.len() * size_of::<[u32; CHUNK as usize]>()
            + (self.direct.len() + self.spare.capacity()) * size_of::<u32>()
            + self.pending.bytes()
            + self.updates.bytes();
        (pages + tables) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::Entry;
    use super::*;
    use crate::hb::ids::SiteNumber;

    #[test]
    fn lines_are_found_again_near_and_far() {
        let mut shadow = Shadow::default();
        let addresses: Vec<u64> =
            (0..200).map(|step| step * 4096 * 37 + step * 128).chain([1 << 40, u64::MAX]).collect();
        for (number, address) in addresses.iter().enumerate() {
            let line = shadow.line(*address);
            assert!(line.first.is_empty() && line.more.is_none());
            let entry = Entry { site: SiteNumber(number as u32), ..Entry::EMPTY };
            assert!(line.first.is_alike(&Entry::EMPTY), "a fresh line is one of zeros");
            line.first = entry.with_cover(1);
            shadow.values(*address)[(address & !127) as usize % 4096 + 5] = number as u8;
        }
        for (number, address) in addresses.iter().enumerate() {
            assert_eq!(shadow.line(*address).first.site.index(), number);
            assert_eq!(shadow.line(address & !127).first.site.index(), number);
            assert_eq!(shadow.values(*address)[(address & !127) as usize % 4096 + 5], number as u8);
        }
        assert!(shadow.bytes() > 200 * 4096);
        shadow.clear();
        assert!(shadow.line(4096 * 37).first.is_empty());
    }

    #[test]
    fn pages_of_memory_that_is_gone_are_used_again() {
        let mut shadow = Shadow::default();
        let entry = Entry { site: SiteNumber(1), ..Entry::EMPTY };
        for round in 1..=100 {
            let start = round << 30;
            for address in (start..start + 8 * PAGE).step_by(LINE as usize) {
                assert!(shadow.line(address).first.is_empty());
                shadow.line(address).first = entry.with_cover(u128::MAX);
                shadow.values(address)[0] = 1;
            }
            // The last page is not gone as a whole.
            shadow.give_up(start, 8 * PAGE - LINE);
            assert!(shadow.line(start).first.is_empty());
            assert!(!shadow.line(start + 8 * PAGE - LINE).first.is_empty());
        }
        assert!(shadow.pages.len() <= 100 * 2 + 8, "{} pages", shadow.pages.len());
    }

    #[test]
    fn forgetting_takes_time_for_what_is_there_not_for_the_range() {
        let mut shadow = Shadow::default();
        let used = [5, 70 * PAGE, 3 << 30, 1 << 60];
        let entry = Entry { site: SiteNumber(1), ..Entry::EMPTY };
        for address in used {
            shadow.line(address).first = entry.with_cover(u128::MAX);
        }
        shadow.forget(4096, 1 << 50);
        let left = used.map(|address| !shadow.line(address).first.is_empty());
        assert_eq!(left, [true, false, false, true]);
        shadow.forget(0, u64::MAX);
        assert!(used.iter().all(|address| shadow.line(*address).first.is_empty()));
    }
}
