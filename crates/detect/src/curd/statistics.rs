//! What the detector counts.

use super::Curd;
use crate::{Detector, Statistic};

/// What is counted under the same name by all detectors that have it.
const SHADOW_BYTES: &str = "shadow bytes (peak)";

impl Curd {
    /// What was counted so far; Barracuda's rules only where they were used.
    pub(super) fn counted(&self) -> Vec<Statistic> {
        let (sets, in_grid) = (&self.set_counts, &self.grid.set_counts);
        let (in_blocks, among_blocks) = (&self.writes.counts, self.grid.check_counts());
        let own = [
            ("launches checked by sets", self.counts.launches_by_sets),
            ("launches checked by Barracuda's rules", self.counts.launches_by_barracuda),
            ("strips of regions added to sets of threads", sets.added),
            ("strips of regions merged with others", sets.merged),
            ("strips of regions merged with the last one of a set", sets.merged_at_once),
            ("rows of scattered regions", sets.scattered),
            ("regions added to sets of blocks, after compression", in_grid.compressed),
            ("barriers", self.counts.barriers),
            ("intra-block write-write checks", self.counts.write_checks),
            ("intra-block read-write checks", self.counts.read_checks),
            ("inter-block checks", self.grid.checks),
            (
                "reads settled by compressed sets",
                in_blocks.by_compressed + among_blocks.by_compressed,
            ),
            ("pairs of strips compared", in_blocks.pairs + among_blocks.pairs),
            ("strips taken apart into lanes", in_blocks.taken_apart + among_blocks.taken_apart),
            ("sets used again", self.counts.blocks_reused + self.grid.reused),
            ("regions without room", self.counts.without_room),
            ("pairs of accesses that race", self.counts.races),
        ];
        let mut all: Vec<Statistic> =
            own.into_iter().map(|(name, value)| Statistic { name, value }).collect();
        let mut shadow = self.shadow_peak.max(self.grid.bytes());
        if self.counts.launches_by_barracuda > 0 {
            for statistic in self.barracuda.statistics() {
                match statistic.name == SHADOW_BYTES {
                    true => shadow = shadow.max(statistic.value),
                    false => all.push(statistic),
                }
            }
        }
        all.push(Statistic { name: SHADOW_BYTES, value: shadow });
        all
    }
}
