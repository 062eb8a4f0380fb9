//! CURD's two schemes beside each other, and its sets beside Barracuda, each over the same trace.

use std::collections::BTreeSet;
use std::path::Path;

use warpsan_detect::barracuda::Barracuda;
use warpsan_detect::curd::{Curd, CurdSettings, InterBlock};
use warpsan_detect::{Detector, Settings};
use warpsan_report::{NotCovered, Race, RaceKey, RaceKind, RaceSink};

use crate::traces::replay;

/// What lazy and eager make of one trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Schemes {
    /// The same.
    Same,
    /// The same kinds in the same kernels; lines that were merged away lazily are named eagerly.
    MoreLinesEagerly,
    /// Something else.
    Differ,
}

/// What sets and Barracuda make of one trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdicts {
    /// A kernel has more than barriers, and sets were not used.
    NotForSets,
    /// Both find a race of warps or blocks, or neither does.
    Same,
    /// The same, and sets warn of lanes that Barracuda takes to go in lockstep.
    SameUpToLockstep,
    /// Something else.
    Differ,
}

/// What came of one trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The two schemes.
    pub schemes: Schemes,
    /// Sets and Barracuda.
    pub verdicts: Verdicts,
    /// What was found lazily, eagerly, and by Barracuda, in words.
    pub found: [Vec<String>; 3],
}

/// Compares all of them over a trace.
pub fn compare(trace: &Path) -> anyhow::Result<Compared> {
    let of = |inter_block| {
        let curd = CurdSettings { inter_block, ..CurdSettings::default() };
        Curd::new(Settings { curd, ..Settings::default() })
    };
    let (mut lazily, mut eagerly) = (of(InterBlock::Lazy), of(InterBlock::Eager));
    let lazy = races_of(trace, &mut lazily)?;
    let eager = races_of(trace, &mut eagerly)?;
    let barracuda = races_of(trace, &mut Barracuda::new(Settings::default()))?;
    let schemes = match () {
        () if lazy == eager => Schemes::Same,
        () if lazy.kinds() == eager.kinds() && lazy.is_part_of(&eager) => Schemes::MoreLinesEagerly,
        () => Schemes::Differ,
    };
    let is_of_lanes = |found: &RaceOnLines| found.kind == RaceKind::WarpSync;
    let verdicts = match () {
        () if lazily.has_used_barracuda() => Verdicts::NotForSets,
        () if lazy.has(|one| !is_of_lanes(one)) != barracuda.has(is_of_warps) => Verdicts::Differ,
        () if lazy.has(is_of_lanes) && !barracuda.has(|one| one.kind == RaceKind::Divergence) => {
            Verdicts::SameUpToLockstep
        }
        () => Verdicts::Same,
    };
    Ok(Compared { schemes, verdicts, found: [lazy, eager, barracuda].map(|races| races.words()) })
}

fn races_of(trace: &Path, detector: &mut dyn Detector) -> anyhow::Result<Races> {
    let mut races = Races::default();
    replay(trace, detector, &mut races)?;
    Ok(races)
}

/// Whether it is a race of two warps or blocks, which are all that sets and Barracuda have in common.
fn is_of_warps(found: &RaceOnLines) -> bool {
    found.kind == RaceKind::MissingSync
}

/// One kind of race on a pair of lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RaceOnLines {
    kernel: String,
    kind: RaceKind,
    lines: [u32; 2],
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Races {
    found: BTreeSet<RaceOnLines>,
    not_checked: BTreeSet<String>,
}

impl Races {
    fn kinds(&self) -> BTreeSet<(&str, RaceKind)> {
        self.found.iter().map(|found| (found.kernel.as_str(), found.kind)).collect()
    }

    fn is_part_of(&self, other: &Races) -> bool {
        self.found.is_subset(&other.found) && self.not_checked == other.not_checked
    }

    fn has(&self, what: impl Fn(&RaceOnLines) -> bool) -> bool {
        self.found.iter().any(what)
    }

    fn words(&self) -> Vec<String> {
        let races = self.found.iter().map(|RaceOnLines { kernel, kind, lines: [one, other] }| {
            format!("{kind} in {kernel} on lines {one} and {other}")
        });
        races.chain(self.not_checked.iter().cloned()).collect()
    }
}

impl RaceSink for Races {
    fn race(&mut self, race: Race) {
        let mut lines = [race.first.line(), race.second.line()];
        lines.sort_unstable();
        self.found.insert(RaceOnLines { kernel: race.kernel, kind: race.kind, lines });
    }

    fn seen_again(&mut self, _: &RaceKey, _: u64) {}

    fn not_checked(&mut self, missing: NotCovered) {
        self.not_checked.insert(missing.what);
    }
}
