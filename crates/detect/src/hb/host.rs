//! What kernels and the host may hand over to each other through memory.

use super::HappensBefore;
use super::history::{LINE, PAGE};
use warpsan_event::{Access, AccessKind};
use warpsan_model::{Scope, Space};

impl HappensBefore {
    /// Notes what the access of a launch means for hand-offs between kernels and the host.
    #[cold]
    pub(super) fn host_may_hand_over(&mut self, access: &Access<'_>) {
        if access.space != Space::Global {
            return;
        }
        let block = self.order.block_number(access.block);
        if !self.order.threads.is_of_host(block) {
            return self.system_read(access);
        }
        let mut pages: Vec<u64> =
            access.lanes().map(|(_, address)| address / PAGE * PAGE).collect();
        pages.dedup();
        for page in pages {
            if access.kind != AccessKind::Read {
                self.diagnosis.host_handoffs.write(block, page);
            }
            // Further reads of the page are not seen.
            self.host_may_observe(page);
        }
    }

    /// A kernel reads: where its scope reaches the host, it may observe what the host wrote.
    fn system_read(&mut self, access: &Access<'_>) {
        let observes = matches!(access.kind, AccessKind::Read | AccessKind::ReadModifyWrite);
        let reaches_host = access.strength.scope() == Some(Scope::Sys)
            && self.order.launches.running_reaches_host().by_acquire;
        if !observes || !reaches_host {
            return;
        }
        let warp = self.order.lanes(access.block, access.warp, access.mask).warp();
        let site = self.order.site_number(access.site);
        let next = self.order.threads.warp(warp).epoch + 1;
        let mut addresses = access.lanes().map(|(_, address)| address);
        // What comes behind such a read is of another epoch than what was before it.
        if addresses.any(|address| self.diagnosis.host_handoffs.read(warp, next, site, address)) {
            self.order.threads.warp(warp).epoch = next;
        }
    }

    /// The host may observe what kernels released at system scope in a page.
    fn host_may_observe(&mut self, page: u64) {
        let (launches, threads) = (&self.order.launches, &self.order.threads);
        for base in (page..page + PAGE).step_by(LINE as usize) {
            let line = self.history.memories.global.line(base);
            let Some(strong) = line.strong() else { continue };
            for location in strong.locations.iter().filter(|location| location.current) {
                let last = location.entries.iter().rev().find(|entry| entry.writes);
                let released =
                    location.chain.as_ref().and_then(|chain| chain.released.for_device.as_ref());
                let (Some(last), Some(released)) = (last, released) else { continue };
                let scope = self.history.sites.info(last.site).strength.scope();
                let releases = launches
                    .of_block(last.block)
                    .is_some_and(|launched| launched.reaches_host.by_release);
                if scope == Some(Scope::Sys) && releases && !threads.is_of_host(last.block) {
                    self.diagnosis.host_handoffs.learn(released, last.site);
                }
            }
        }
    }
}
