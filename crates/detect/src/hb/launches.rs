//! Launches begin and end.

use super::HappensBefore;
use super::history::ThisLaunch;
use std::sync::Arc;
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_model::{BlockIndex, Geometry, LaunchId};
use warpsan_report::RaceSink;

impl HappensBefore {
    pub(super) fn begin_launch(
        &mut self,
        launch: LaunchId,
        facts: &Arc<KernelFacts>,
        sites: &Arc<SiteTable>,
        geometry: &Geometry,
        races: &mut dyn RaceSink,
    ) {
        let forgets_all = self.order.begin_launch(launch, facts, sites, geometry, &self.rules);
        self.history.begin_launch(self.order.launches.first_site(), forgets_all);
        self.diagnosis.begin_launch(facts.may_use_locks, races);
        if forgets_all {
            self.diagnosis.host_handoffs.forget();
        }
        self.kernel = Arc::clone(facts);
    }

    pub(super) fn end_launch(&mut self, races: &mut dyn RaceSink) {
        self.history.end_launch();
        let (diagnosis, evidence) = self.diagnosis();
        diagnosis.end_launch(&evidence, races);
        self.order.forget_threads();
    }

    pub(super) fn end_block(&mut self, block: BlockIndex) {
        let block = self.order.block_number(block);
        // A sample is enough: blocks of one launch are much alike.
        if block.0.is_multiple_of(64) {
            self.history.note_peak();
        }
        self.diagnosis.parts.end_block(block);
        for out_of_reach in self.order.end_block(block) {
            self.history.forget_block(out_of_reach);
        }
    }

    /// What the history has to know of the launch that runs now.
    #[inline]
    pub(super) fn this_launch(&self) -> ThisLaunch {
        let first_block = self.order.threads.base;
        ThisLaunch { first_block, blocks_never_meet: self.order.blocks_never_meet }
    }
}
