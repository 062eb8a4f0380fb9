//! Launches that run on private copies of memory: to be checked by values, or so that their races do no harm.

use super::Session;
use super::co_running::{in_time, show_progress};
use super::starting::Begun;
use crate::Options;
use crate::options::SafeMode;
use crate::watch::Watch;
use warpsan_detect::Statistic;
use warpsan_event::{EventMask, EventSink};
use warpsan_ld::{Ld, Promise, run_safely};
use warpsan_report::NotCovered;
use warpsan_simt::{Outcome, Progress};

/// What private copies are for.
pub(super) enum OnCopies {
    /// The detector that compares them.
    Detection(Box<Ld>),
    /// Execution without races.
    Safety(Promise),
}

impl OnCopies {
    /// What these options ask for, if it needs copies.
    pub(super) fn of(options: &Options) -> Option<OnCopies> {
        if let Some(safe) = options.safe {
            return Some(OnCopies::Safety(match safe {
                SafeMode::RaceFree => Promise::RaceFree,
                SafeMode::Deterministic => Promise::Deterministic,
            }));
        }
        let detects = options.detector.executes;
        detects.then(|| OnCopies::Detection(Box::new(Ld::new(options.settings()))))
    }

    /// What was counted, where something is.
    pub(super) fn statistics(&self) -> Option<Vec<Statistic>> {
        match self {
            OnCopies::Detection(ld) => Some(ld.statistics()),
            OnCopies::Safety(_) => None,
        }
    }
}

impl Session {
    /// Runs a launch on copies, if that was asked for. None if it is to run as it is; the report names it then.
    pub(super) fn run_on_copies(&mut self, begun: &Begun) -> Option<Outcome> {
        let Session { on_copies, detector, journal, memory, options, progress, .. } = self;
        let progress = progress.clone();
        let in_time = in_time(options);
        let watch = |now: Progress| {
            show_progress(progress.as_ref(), begun, now);
            in_time()
        };
        let launch = begun.for_engine(options, &watch);
        match on_copies.as_mut()? {
            OnCopies::Detection(ld) => {
                if !begun.is_watched || ld.refuses(&launch, memory, journal) {
                    return None;
                }
                Some(ld.run(&launch, memory, journal))
            }
            OnCopies::Safety(promise) => {
                let is_heard = begun.is_watched && detector.interest() != EventMask::NONE;
                let mut watch = Watch { detector: &mut **detector, journal, is_watched: is_heard };
                let listener = is_heard.then_some(&mut watch as &mut dyn EventSink);
                let done = run_safely(&launch, memory, *promise, listener);
                done.map_err(|refusal| {
                    journal.not_covered(NotCovered {
                        what: format!("a kernel that cannot be run safely: {refusal}"),
                        place: format!("kernel `{}`", begun.prepared.facts.display_name),
                        advice: "it was run as it is, with its races".to_owned(),
                    });
                })
                .ok()
            }
        }
    }
}
