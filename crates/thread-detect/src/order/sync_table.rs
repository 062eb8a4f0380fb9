//! Which clock belongs to which address.
//!
//! A clock that was made for an address stays there until the table is dropped, so that every atomic operation finds it without
//! a lock and without counting. When memory is freed its clocks are emptied in place: a variable that is made there later begins
//! with one that says nothing, and a thread that is late with the old one, which is a bug of the program, can at most
//! order itself before the new one's users.

use super::chain::Chain;
use super::sync_clock::SyncClock;

/// The clocks of atomic variables and locks, by their address. Any number of threads may use it at once.
pub struct SyncTable {
    /// Pages of addresses, so that a range can be emptied without asking for each address of it.
    pages: Box<[Chain<Page>]>,
}

/// Clocks of the variables of a page, by the line that they begin in.
struct Page([Chain<SyncClock>; Page::LINES]);

impl Page {
    const BITS: u32 = 12;
    const LINE_BITS: u32 = 6;
    const LINES: usize = 1 << (Self::BITS - Self::LINE_BITS);

    #[inline]
    fn line(&self, address: u64) -> &Chain<SyncClock> {
        &self.0[(address >> Self::LINE_BITS) as usize % Self::LINES]
    }
}

impl Default for Page {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Chain::default()))
    }
}

impl Default for SyncTable {
    fn default() -> Self {
        // SAFETY: a chain of zeroes is an empty one. The system gives the pages that are used.
        Self { pages: unsafe { Box::new_zeroed_slice(Self::CHAINS).assume_init() } }
    }
}

impl std::fmt::Debug for SyncTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SyncTable").field("variables", &self.len()).finish()
    }
}

impl SyncTable {
    /// Pages that are side by side have chains that are, too; 256 MiB of addresses have each their own.
    const CHAINS: usize = 1 << 16;

    #[inline]
    fn chain(&self, page: u64) -> &Chain<Page> {
        &self.pages[(page ^ (page >> 16)) as usize % Self::CHAINS]
    }

    /// The clock of the variable at this address.
    #[inline]
    pub fn at(&self, address: u64) -> &SyncClock {
        let page = address >> Page::BITS;
        self.chain(page).at(page).line(address).at(address)
    }

    /// Memory was freed: the variables in it are gone.
    pub fn forget(&self, address: u64, size: u64) {
        if size == 0 {
            return;
        }
        let last = address.saturating_add(size - 1);
        let (first_page, last_page) = (address >> Page::BITS, last >> Page::BITS);
        if last_page - first_page < Self::CHAINS as u64 {
            let pages = (first_page..=last_page).filter_map(|page| self.chain(page).find(page));
            pages.for_each(|page| page.forget(address, last));
        } else {
            self.all_pages().for_each(|page| page.forget(address, last));
        }
    }

    /// How many variables carry something from one thread to another.
    pub fn len(&self) -> usize {
        let clocks = self.all_pages().flat_map(|page| &page.0).flat_map(Chain::iter);
        clocks.filter(|(_, clock)| !clock.is_empty()).count()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn all_pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter().flat_map(Chain::iter).map(|(_, page)| page)
    }
}

impl Page {
    fn forget(&self, first: u64, last: u64) {
        // What is smaller than a line lies in two of them at most, and most of what is freed is small.
        let small = last - first < 1 << Self::LINE_BITS;
        if small {
            Self::forget_in(self.line(first), first, last);
            Self::forget_in(self.line(last), first, last);
        } else {
            self.0.iter().for_each(|line| Self::forget_in(line, first, last));
        }
    }

    fn forget_in(line: &Chain<SyncClock>, first: u64, last: u64) {
        let gone = line.iter().filter(|(address, _)| (first..=last).contains(address));
        gone.for_each(|(_, clock)| clock.forget());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Checker;
    use crate::empty_tool::EmptyTool;
    use crate::storage::RustAllocation;
    use std::sync::Arc;

    fn with_clocks(addresses: &[u64]) -> SyncTable {
        let checker = Checker::new(EmptyTool::default(), Arc::new(RustAllocation));
        let checker = checker.expect("there is memory");
        let mut thread = checker.root().expect("the first thread");
        let table = SyncTable::default();
        for address in addresses {
            thread.release(table.at(*address));
        }
        table
    }

    #[test]
    fn what_is_freed_is_forgotten_and_nothing_else() {
        let addresses = [0x1000, 0x1004, 0x103c, 0x1040, 0x1fff, 0x2000, 0x7000_0000_0000];
        for first in addresses {
            for size in [1, 4, 60, 64, 68, 0x1000, 0x1_0000, 1 << 44, u64::MAX] {
                let table = with_clocks(&addresses);
                table.forget(first, size);
                for address in addresses {
                    let gone = address >= first && address - first < size;
                    assert_eq!(
                        table.at(address).is_empty(),
                        gone,
                        "{address:x} {first:x} {size:x}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_address_has_one_clock_and_others_have_their_own() {
        let table = SyncTable::default();
        assert!(table.is_empty());
        assert!(std::ptr::eq(table.at(0x5000), table.at(0x5000)));
        assert!(!std::ptr::eq(table.at(0x5000), table.at(0x5004)));
        assert_eq!(with_clocks(&[0x5000, 0x6000, 0x5000]).len(), 2);
    }
}
