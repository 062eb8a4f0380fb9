//! From a pair of accesses to a report: both sides, the location, and what was reported already.

use super::classify::Classification;
use super::handoffs::SitePair;
use super::messages::Met;
use super::pending_races::{PendingRace, Side};
use super::{Diagnosis, messages};
use crate::Settings;
use crate::access_origin::access_origin;
use crate::allocations::shared_variable;
use crate::hb::history::Sites;
use crate::hb::ids::{Agent, BlockNumber, SiteNumber};
use crate::hb::order::CausalityOrder;
use crate::hb::rules::Rules;
use crate::strength_words::strength_in_words;
use rustc_hash::FxHashMap;
use warpsan_event::{KernelFacts, Site};
use warpsan_model::{BlockIndex, DeviceAddress, SiteId, Space, WARP_LANES};
use warpsan_report::{
    AccessOrder, AccessReport, AccessType, MemoryLocation, Race, RaceKey, RaceKind, RaceSink,
    RelatedSite, Replay, Severity, Treatment,
};

/// What a diagnosis may look at.
pub(in crate::hb) struct Evidence<'a> {
    pub(in crate::hb) settings: &'a Settings,
    pub(in crate::hb) rules: &'a Rules,
    pub(in crate::hb) kernel: &'a KernelFacts,
    pub(in crate::hb) order: &'a CausalityOrder,
    pub(in crate::hb) sites: &'a Sites,
}

/// Both instructions, and what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ReportedPair {
    old: SiteNumber,
    new: SiteNumber,
    kind: RaceKind,
    severity: Severity,
    /// What lanes of one warp do may be within a library, where what two warps do is the user's.
    one_warp: bool,
    /// And what lanes do at once may be, where what one does behind the other is the user's.
    at_once: bool,
}

/// What was reported in this launch.
#[derive(Debug, Default)]
pub(super) struct Reported {
    /// With how often it was seen since.
    pairs: FxHashMap<ReportedPair, (RaceKey, u64)>,
    /// What was found in this batch of events, in the order in which it was.
    waiting: Vec<(SitePair, Race)>,
    /// Which threads raced at two instructions, whichever came first.
    met: FxHashMap<SitePair, Met>,
    /// The lines of such instructions: one line may have become several instructions.
    lines: FxHashMap<SitePair, [String; 2]>,
}

impl Reported {
    fn note(&mut self, conflict: &PendingRace, kind: RaceKind) {
        let (old, new) = (&conflict.old, &conflict.new);
        let met = self.met.entry(SitePair::sorted(old.site, new.site)).or_default();
        let (one_block, one_warp) = (old.block == new.block, old.warp == new.warp);
        met.in_one_warp |= one_block && one_warp;
        met.in_two_warps |= one_block && !one_warp;
        met.in_two_blocks |= !one_block;
        if kind == RaceKind::WarpSync {
            met.forward |= old.site < new.site;
            met.backward |= old.site > new.site;
        }
    }

    /// Reports what was found. That waits until a batch of events is over: races of the same two instructions may
    /// show by then that one piece of advice is not enough.
    pub(super) fn report_waiting(&mut self, races: &mut dyn RaceSink) {
        for (sites, mut race) in std::mem::take(&mut self.waiting) {
            if let Some(lines) = self.lines.get(&sites) {
                messages::advise_for_all(&mut race, &self.met_at(lines), lines);
            }
            races.race(race);
        }
    }

    /// Which threads raced at two lines.
    fn met_at(&self, lines: &[String; 2]) -> Met {
        let [one, other] = lines;
        let mut all = Met::default();
        for (sites, met) in &self.met {
            match self.lines.get(sites) {
                Some(same) if same == lines => all.add(met),
                Some([first, second]) if (first, second) == (other, one) => {
                    all.add(&Met { forward: met.backward, backward: met.forward, ..*met });
                }
                _ => {}
            }
        }
        all
    }

    /// Reports how often each pair was seen again, and forgets them.
    pub(super) fn report_counts(&mut self, races: &mut dyn RaceSink) {
        self.report_waiting(races);
        self.met.clear();
        self.lines.clear();
        let mut counts: Vec<_> = self.pairs.drain().collect();
        counts.sort_unstable_by_key(|(pair, _)| *pair);
        for (_, (key, again)) in counts {
            if again > 0 {
                races.seen_again(&key, again);
            }
        }
    }
}

impl Diagnosis {
    /// Reports a race, unless what comes later has to be seen first.
    pub(super) fn report_one(&mut self, conflict: &PendingRace, evidence: &Evidence<'_>) {
        let finding = self.classify(conflict, evidence);
        let mut conflict = *conflict;
        if finding.kind == RaceKind::InterKernel {
            conflict.handed_over = self.handed_over(&conflict, evidence);
        }
        if !self.undecided.add(&conflict, &finding, evidence) {
            self.report_as(&conflict, &finding, 1, evidence);
        }
    }

    /// Reports a race that was seen so often, or counts it if the same was reported already.
    pub(super) fn report_as(
        &mut self,
        conflict: &PendingRace,
        finding: &Classification,
        times: u64,
        evidence: &Evidence<'_>,
    ) {
        let Some(severity) = evidence.severity(conflict, finding.kind) else { return };
        self.reported.note(conflict, finding.kind);
        let (old, new, kind) = (conflict.old.site, conflict.new.site, finding.kind);
        let one_warp =
            (conflict.old.block, conflict.old.warp) == (conflict.new.block, conflict.new.warp);
        let at_once = conflict.same_event;
        let pair = ReportedPair { old, new, kind, severity, one_warp, at_once };
        if let Some((_, again)) = self.reported.pairs.get_mut(&pair) {
            *again += times;
            return;
        }
        let race = self.race(conflict, finding, severity, evidence);
        self.reported.pairs.insert(pair, (race.key(), times - 1));
        let sites = SitePair::sorted(old, new);
        let lines = [sites.old, sites.new].map(|site| evidence.line(site));
        self.reported.lines.entry(sites).or_insert(lines);
        self.reported.waiting.push((sites, race));
    }

    /// Whether a race of two instructions was reported, of which the first was that of the earlier access.
    pub(super) fn is_reported(&self, old: SiteNumber, new: SiteNumber) -> bool {
        self.reported.pairs.keys().any(|pair| (pair.old, pair.new) == (old, new))
    }

    fn race(
        &self,
        conflict: &PendingRace,
        finding: &Classification,
        severity: Severity,
        evidence: &Evidence<'_>,
    ) -> Race {
        let PendingRace { old, new, .. } = conflict;
        let space = if conflict.owner.is_some() { Space::Shared } else { Space::Global };
        let later = self.later_pass(conflict, evidence);
        let explanation = messages::explain(self, evidence, conflict, finding, (space, later));
        Race {
            kind: finding.kind,
            severity,
            kernel: evidence.kernel.display_name.clone(),
            first: evidence.side(old),
            second: evidence.side(new),
            order: later.order(conflict),
            location: self.location(space, conflict.address, evidence.kernel),
            reason: explanation.reason,
            advice: explanation.advice,
            related: explanation.related,
            same_value: conflict.same_value,
            programmatic: finding.kind == RaceKind::InterKernel
                && evidence.order.launches.is_prerequisite(old.block),
            count: 1,
            also_seen: Vec::new(),
            replay: evidence.replay(),
            threads: None,
        }
    }

    fn location(&self, space: Space, at: u64, kernel: &KernelFacts) -> MemoryLocation {
        let allocation = match space {
            Space::Shared => shared_variable(kernel, at),
            _ => self.allocations.describe(at),
        };
        MemoryLocation { space: Some(space), address: DeviceAddress(at), allocation }
    }
}

impl Evidence<'_> {
    fn replay(&self) -> Replay {
        Replay { seed: self.settings.seed, launch: self.order.launches.running.0 }
    }

    fn severity(&self, conflict: &PendingRace, kind: RaceKind) -> Option<Severity> {
        match kind {
            RaceKind::WarpSync => self.settings.warp_sync.severity(),
            RaceKind::Volatile => self.settings.volatile.severity(),
            RaceKind::SameValue if self.settings.same_value == Treatment::Allow => None,
            RaceKind::SameValue if conflict.same_event => Some(Severity::Info),
            RaceKind::SameValue => self.settings.same_value.severity(),
            RaceKind::ReadonlyPath if conflict.read_before => Some(Severity::Info),
            RaceKind::InterKernel
                if conflict.handed_over.is_some()
                    || self.order.launches.is_perhaps_before(conflict.old.block) =>
            {
                Some(Severity::Warning)
            }
            _ => Some(Severity::Error),
        }
    }

    fn side(&self, side: &Side) -> AccessReport {
        let access = match (side.atomic, side.writes) {
            (true, _) => AccessType::Atomic,
            (false, true) => AccessType::Write,
            (false, false) => AccessType::Read,
        };
        let info = self.sites.info(side.site);
        let strength = match (side.agent, side.object) {
            (Agent::ThreadCopy, _) => "asynchronous copy".to_string(),
            (Agent::BulkCopy, _) => "bulk copy".to_string(),
            (Agent::AsyncStore, _) => "asynchronous store".to_string(),
            (_, true) => "mbarrier object".to_string(),
            _ => strength_in_words(info.strength),
        };
        let bytes = match (side.agent, side.object) {
            (_, true) => 8,
            (Agent::BulkCopy | Agent::AsyncStore, _) => {
                self.order.bytes_of_bulk_copy(side.block, side.epoch)
            }
            _ => u32::from(info.bytes),
        };
        let thread = side.warp.0 * WARP_LANES + side.lane;
        self.access_report(access, strength, side.site, side.block, thread, bytes)
    }

    fn access_report(
        &self,
        access: AccessType,
        strength: String,
        site: SiteNumber,
        block: BlockNumber,
        thread: u32,
        bytes: u32,
    ) -> AccessReport {
        let launched = self.order.launches.of_block(block);
        let geometry =
            launched.map_or(&self.order.launches.geometry, |launched| &launched.geometry);
        let first = launched.map_or(self.order.threads.base, |launched| launched.first);
        let site = self.site(site);
        AccessReport {
            access,
            strength,
            position: site.position().cloned(),
            source_line: None,
            frames: site.frames.clone(),
            origin: access_origin(site),
            instruction: site.instruction.to_string(),
            ptx_line: site.ptx_line,
            thread: geometry.block.at(u64::from(thread)),
            block: geometry.grid.at(u64::from(block.0 - first.0)),
            warp: thread / WARP_LANES,
            bytes,
        }
    }

    /// What the number of a site stands for.
    pub(super) fn site(&self, site: SiteNumber) -> &Site {
        self.order.launches.site(site)
    }

    /// The line of a site, in words.
    pub(super) fn line(&self, site: SiteNumber) -> String {
        match self.site(site).position() {
            Some(position) => format!("line {}", position.line),
            None => format!("PTX line {}", self.site(site).ptx_line),
        }
    }

    /// A third place that matters.
    pub(super) fn related(&self, site: SiteNumber, message: String) -> RelatedSite {
        let site = self.site(site);
        RelatedSite {
            message,
            position: site.position().cloned(),
            source_line: None,
            instruction: site.instruction.to_string(),
            ptx_line: site.ptx_line,
        }
    }

    /// Who waits where at a barrier: both groups of threads.
    fn waiting_groups(&self, sides: [(SiteId, u32, u32); 2], completes: bool) -> String {
        let [one, other] = sides.map(|(site, thread, lanes)| {
            let group = messages::threads_in_words(thread / WARP_LANES * WARP_LANES, lanes);
            (group, self.line(self.order.site_number(site)))
        });
        let what = match completes {
            true => "warps of the block meet in one phase of the barrier at different places",
            false => "no barrier can complete",
        };
        format!("{what}: at {} {}, at {} {}", one.1, one.0, other.1, other.0)
    }

    /// The report of a barrier that can never complete, or completes at two places.
    pub(in crate::hb) fn barrier_divergence(
        &self,
        block: BlockIndex,
        sides: [(SiteId, u32, u32); 2],
        completes: bool,
    ) -> Race {
        let block = self.order.block_number(block);
        let side = |(site, thread, _): (SiteId, u32, u32)| {
            let strength = "wait".to_string();
            let site = self.order.site_number(site);
            self.access_report(AccessType::Barrier, strength, site, block, thread, 0)
        };
        Race {
            kind: RaceKind::BarrierDivergence,
            severity: if completes { Severity::Warning } else { Severity::Error },
            kernel: self.kernel.display_name.clone(),
            first: side(sides[0]),
            second: side(sides[1]),
            order: AccessOrder::Unknown,
            location: MemoryLocation::NONE,
            reason: self.waiting_groups(sides, completes),
            advice: "let all threads of the block reach the same __syncthreads()".to_string(),
            related: Vec::new(),
            same_value: false,
            programmatic: false,
            count: 1,
            also_seen: Vec::new(),
            replay: self.replay(),
            threads: None,
        }
    }
}
