//! Hand-offs between kernels and the host through memory, where it is not known which value the host read or wrote.
//!
//! The host's loads acquire and its stores release, at system scope. But only its first access to a page is seen, and a
//! value that it read is not: a host that waits for a flag reads it many times, and only the last read counts. So
//! whatever the host may have read or written by then may order the two. Such a race is a warning.

use super::pending_races::PendingRace;
use super::report::Evidence;
use super::{Diagnosis, Point};
use crate::clock::{Epoch, Join, View};
use crate::hb::history::PAGE;
use crate::hb::ids::{BlockNumber, SiteNumber, WarpId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use warpsan_model::LaunchId;

/// So many warps that read at system scope are remembered, by page.
const MOST_READERS: usize = 1 << 16;

/// A number of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Page(u64);

impl Page {
    fn of(address: u64) -> Page {
        Page(address / PAGE)
    }
}

/// What may have been handed over between kernels and the host.
#[derive(Debug, Default)]
pub(in crate::hb) struct HostHandoffs {
    /// What the host has learned, if it has observed all that was released where it may have read; and the instruction
    /// that released it last.
    learned: View,
    released_at: Option<SiteNumber>,
    /// The pages that the host may have written, by the block that stands for it.
    written: FxHashMap<BlockNumber, Vec<Page>>,
    /// The first read at system scope of each warp in each page, and the first epoch behind it.
    readers: FxHashMap<(Page, WarpId), (Epoch, SiteNumber)>,
}

impl HostHandoffs {
    /// Nothing that happened before counts any more.
    pub(in crate::hb) fn forget(&mut self) {
        *self = HostHandoffs::default();
    }

    /// The host may have observed from now on what a kernel released.
    pub(in crate::hb) fn learn(&mut self, released: &View, at: SiteNumber) {
        self.learned.join(released);
        self.released_at = Some(at);
    }

    /// The host may write anywhere in the page from now on.
    pub(in crate::hb) fn write(&mut self, host: BlockNumber, address: u64) {
        let (page, pages) = (Page::of(address), self.written.entry(host).or_default());
        if !pages.contains(&page) {
            pages.push(page);
        }
    }

    /// A warp of a kernel that acquires at system scope reads at system scope, before an epoch. Returns whether it is the
    /// first time in the page.
    pub(in crate::hb) fn read(
        &mut self,
        warp: WarpId,
        before: Epoch,
        site: SiteNumber,
        address: u64,
    ) -> bool {
        let is_full = self.readers.len() >= MOST_READERS;
        match self.readers.entry((Page::of(address), warp)) {
            Entry::Vacant(place) if !is_full => {
                place.insert((before, site));
                true
            }
            _ => false,
        }
    }

    /// The instruction through which a kernel may have handed an access of the launch over to the host by now.
    fn via_kernel(&self, access: &Point, launch: Option<LaunchId>) -> Option<SiteNumber> {
        let known = &self.learned.known;
        let is_known =
            known.threads.lanes(access.block.key(), access.warp.0, access.lanes, access.epoch) != 0
                || known
                    .more()
                    .zip(launch)
                    .is_some_and(|(more, launch)| more.ended.contains(launch));
        self.released_at.filter(|_| is_known)
    }

    /// The instruction by which a kernel's block may have learned before an access what the host did.
    fn via_host(&self, host: BlockNumber, access: &Point) -> Option<SiteNumber> {
        let pages = self.written.get(&host)?;
        let may_know = |reader: &WarpId, first: Epoch| {
            reader.block == access.block && (reader.warp != access.warp || first <= access.epoch)
        };
        let readers = self.readers.iter().filter(|((page, reader), (first, _))| {
            pages.contains(page) && may_know(reader, *first)
        });
        readers.map(|(_, (_, site))| *site).min()
    }
}

impl Diagnosis {
    /// The instruction of a kernel through which the first access may have been handed over to the thread of the second
    /// one, as far as that is known by now. One of the two is of the host.
    pub(super) fn handed_over(
        &self,
        conflict: &PendingRace,
        evidence: &Evidence<'_>,
    ) -> Option<SiteNumber> {
        let PendingRace { old, new, .. } = conflict;
        let (threads, launches) = (&evidence.order.threads, &evidence.order.launches);
        match (threads.is_of_host(old.block), threads.is_of_host(new.block)) {
            (true, false) => self.host_handoffs.via_host(old.block, &new.point()),
            (false, true) => {
                let launch = launches.of_block(old.block).map(|launched| launched.launch);
                self.host_handoffs.via_kernel(&old.point(), launch)
            }
            _ => None,
        }
    }

    /// The same, once all is known that the host did: a kernel may have learned of it before its own access, which was
    /// seen first.
    pub(super) fn handed_over_unseen(&self, conflict: &PendingRace) -> Option<SiteNumber> {
        self.host_handoffs.via_host(conflict.new.block, &conflict.old.point())
    }
}
