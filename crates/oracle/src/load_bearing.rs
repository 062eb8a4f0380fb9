//! Every rule of the model matters: the default detector without it is wrong about some kernel.
//!
//! A rule that orders keeps the detector from false alarms; a rule that says where there is no order
//! keeps it from missing races. So it is known beforehand in which way the detector is wrong without a
//! rule, and only that way counts.

mod search;
mod witnesses;

use warpsan_detect::hb::{HappensBefore, Rule, Rules};

use crate::differential::{
    Disagreement, Machine, NotRun, Recorded, Reported, Setup, compare, detect,
};
use crate::oracle::{Judgement, judge};
use crate::synchronised::SynchronisedKernel;

pub use search::{Found, search};
pub use witnesses::WITNESSES;

/// In which way the detector is wrong without a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// It reports what does not race.
    FalseAlarm,
    /// It does not report what races.
    Missed,
}

impl Harm {
    /// What the detector without this rule is to be accused of.
    pub fn without(rule: Rule) -> Harm {
        match rule {
            Rule::BlockBarrier
            | Rule::BlockArrive
            | Rule::WarpBarrier
            | Rule::ClusterBarrier
            | Rule::ReleaseOperation
            | Rule::ReleaseFence
            | Rule::ReleaseThenWrite
            | Rule::AcquireOperation
            | Rule::AcquireFence
            | Rule::ReadThenAcquire
            | Rule::UpdatesContinue
            | Rule::Observation
            | Rule::MorallyStrong
            | Rule::FailedCompareOnlyReads
            | Rule::FenceScOrder
            | Rule::ForcedFenceOrder
            | Rule::Mbarrier
            | Rule::FencesAroundArrivals
            | Rule::MbarrierInitFence
            | Rule::CopyWait
            | Rule::CopySignal
            | Rule::PrerequisiteWait
            | Rule::ByteExact => Harm::FalseAlarm,
            Rule::ClusterRelaxed
            | Rule::LinksAreMorallyStrong
            | Rule::EndsAreMutual
            | Rule::StoresBeginAnew
            | Rule::SameRange
            | Rule::ScopesAreMutual
            | Rule::ReductionsNeverAcquire
            | Rule::MbarrierRelaxed
            | Rule::MbarrierScopes
            | Rule::CopyWaitRead
            | Rule::CopiesAreAsynchronous
            | Rule::ProxyFence
            | Rule::LanesAreThreads
            | Rule::LanesOfOneStore
            | Rule::ReadOnlyPath
            | Rule::Volatile
            | Rule::AllReaders
            | Rule::LaunchOrder => Harm::Missed,
        }
    }

    /// The harm in words.
    pub fn name(self) -> &'static str {
        match self {
            Harm::FalseAlarm => "false alarm",
            Harm::Missed => "missed",
        }
    }

    /// Whether a disagreement with the oracle is one of these.
    pub fn is_done_by(self, disagreement: &Disagreement) -> bool {
        disagreement.is(self.name())
    }
}

/// A kernel that was run, and what the oracle says about it.
#[derive(Debug)]
pub struct Judged {
    setup: Setup,
    recorded: Recorded,
    judgement: Judgement,
}

impl Judged {
    /// Runs the kernel that belongs to a seed.
    pub fn of_seed(machine: &Machine, seed: u64) -> Result<Judged, NotRun> {
        let setup = Setup::random(seed);
        let recorded = machine.run(&SynchronisedKernel::random(seed), &setup)?;
        Ok(Judged::new(recorded, setup))
    }

    /// Asks the oracle about something that happened.
    pub fn new(recorded: Recorded, setup: Setup) -> Judged {
        let judgement = judge(&recorded.events.batch(), setup.choices, false);
        Judged { setup, recorded, judgement }
    }

    /// Where the default detector with these rules and the oracle do not agree.
    pub fn disagreements(&self, rules: Rules) -> Vec<Disagreement> {
        compare(&self.recorded, &self.detect(rules), &self.judgement)
    }

    /// The first difference about the races themselves with all rules. What is missing between two
    /// accesses is guessed by the detector, so a kind alone is no difference here.
    fn races_differ(&self) -> Option<Disagreement> {
        self.disagreements(Rules::all()).into_iter().find(|one| !one.is("wrong kind"))
    }

    fn detect(&self, rules: Rules) -> Reported {
        let mut detector = HappensBefore::with_rules(self.setup.settings(), rules);
        detect(&self.recorded.events, &mut detector)
    }
}

/// Why a kernel does not show that the detector needs a rule.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotShown {
    /// Detector and oracle differ with all rules.
    #[error("the whole model is wrong, too: {0}")]
    WrongModel(Disagreement),
    /// They do not differ as they should without the rule.
    #[error("without `{rule}`, there is nothing of the kind `{harm}`")]
    NoHarm {
        /// The rule.
        rule: &'static str,
        /// The difference that was expected.
        harm: &'static str,
    },
}

/// What shows that the detector needs a rule, if this kernel does: with all rules it finds the races that
/// the oracle finds, and without the one it does harm.
pub fn shown_by(judged: &Judged, rule: Rule) -> Result<Disagreement, NotShown> {
    if let Some(unexpected) = judged.races_differ() {
        return Err(NotShown::WrongModel(unexpected));
    }
    let harm = Harm::without(rule);
    let mut without = judged.disagreements(Rules::without(rule)).into_iter();
    without
        .find(|one| harm.is_done_by(one))
        .ok_or_else(|| NotShown::NoHarm { rule: rule.name(), harm: harm.name() })
}
