//! Section 6.7 of the iGUARD paper: whether a longer history of accessors finds more races.
//!
//! Detectors with different histories see the same trace, so that nothing but the history can make a difference.

use std::collections::BTreeSet;
use std::path::Path;

use warpsan_detect::Settings;
use warpsan_detect::iguard::{History, Iguard, IguardSettings};
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink};

use crate::traces::replay;

/// The accessors that are remembered for a location: that of the paper's detector, and those that it was compared with.
pub const HISTORIES: [u8; 4] = [1, 2, 4, 8];

/// The races of a trace with each history, as kinds and lines.
pub fn races_with_histories(trace: &Path) -> anyhow::Result<[BTreeSet<String>; HISTORIES.len()]> {
    let mut all: [BTreeSet<String>; HISTORIES.len()] = Default::default();
    for (found, accessors) in all.iter_mut().zip(HISTORIES) {
        let iguard =
            IguardSettings { history: History::try_from(accessors)?, ..IguardSettings::default() };
        let mut detector = Iguard::new(Settings { iguard, ..Settings::default() });
        let mut races = Races::default();
        replay(trace, &mut detector, &mut races)?;
        *found = races.0;
    }
    Ok(all)
}

#[derive(Default)]
struct Races(BTreeSet<String>);

impl RaceSink for Races {
    fn race(&mut self, race: Race) {
        let (one, other) = (race.first.line(), race.second.line());
        let (low, high) = (one.min(other), one.max(other));
        self.0.insert(format!("{} in {} on lines {low} and {high}", race.kind, race.kernel));
    }

    fn seen_again(&mut self, _: &RaceKey, _: u64) {}

    /// Kernels that are not covered are so with any history.
    fn not_checked(&mut self, _: NotCovered) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use warpsan_event::testing::Story;
    use warpsan_event::trace::{TraceHeader, TraceWriter};
    use warpsan_model::{Order, Scope};

    #[test]
    fn what_only_an_older_accessor_shows_needs_a_history() {
        // Two blocks read, and a third one writes. The second executes a fence, the first does not.
        let story = Story::new().load((0, 0, 1), 0x1000).load((1, 0, 1), 0x1000);
        let story = story.fence((1, 0, 1), Order::AcqRel, Scope::Gpu);
        let story = story.store((2, 0, 1), 0x1000).end_launch();
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("story.trace");
        let file = File::create(&trace).expect("a file");
        let mut writer = TraceWriter::new(file, &TraceHeader::default()).expect("a trace");
        story.batch().events().for_each(|event| writer.event(&event));
        writer.finish().expect("it is written");
        let races = races_with_histories(&trace).expect("it is read");
        assert_eq!(races.map(|found| found.len()), [0, 1, 1, 1]);
    }
}
