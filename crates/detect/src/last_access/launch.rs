//! The launch that a detector is in.

use super::sides::Circumstances;
use std::sync::Arc;
use warpsan_event::{KernelFacts, SiteOrigin, SiteTable};
use warpsan_model::{Dim3, Geometry, LaunchId};

/// What is known of the launch.
#[derive(Debug)]
pub(crate) struct Launch {
    id: LaunchId,
    geometry: Geometry,
    facts: Arc<KernelFacts>,
    pub(crate) sites: Arc<SiteTable>,
    /// The launch stands for a call of the API, or for accesses of the host.
    pub(crate) is_of_host: bool,
}

impl Default for Launch {
    fn default() -> Self {
        let nothing = Dim3::new(0, 0, 0);
        let geometry = Geometry { grid: nothing, block: nothing };
        Launch::new(LaunchId(0), &Arc::default(), &Arc::default(), geometry)
    }
}

impl Launch {
    pub(crate) fn new(
        id: LaunchId,
        facts: &Arc<KernelFacts>,
        sites: &Arc<SiteTable>,
        geometry: Geometry,
    ) -> Launch {
        let is_of_host =
            sites.sites.first().is_some_and(|site| site.origin() != SiteOrigin::Kernel);
        Launch { id, geometry, facts: Arc::clone(facts), sites: Arc::clone(sites), is_of_host }
    }

    /// What reports of this launch say besides a finding.
    pub(crate) fn circumstances(&self, seed: u64) -> Circumstances<'_> {
        Circumstances {
            facts: &self.facts,
            sites: &self.sites,
            geometry: &self.geometry,
            launch: self.id,
            seed,
        }
    }
}
