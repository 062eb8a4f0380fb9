//! From what a detector wants of a GPU to the checks that kernels get: the only place that knows both.

use crate::Options;
use warpsan_detect::specification::device::{DevicePlan, MetadataPlan};
use warpsan_gpu::{Checks, Shape, check_options};

/// How kernels are instrumented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InstrumentationPlan {
    pub(super) checks: Checks,
    /// What entries of metadata hold.
    pub(super) shape: Shape,
    /// Bits of `check_options`.
    pub(super) options: u32,
    /// Threads that want the same metadata wait longer and longer.
    pub(super) backoff: bool,
    /// Bytes of the device's memory for the sets of a stream, if users chose them.
    pub(super) set_bytes: Option<u64>,
}

impl InstrumentationPlan {
    /// The plan for the detector of these options.
    pub(super) fn of(options: &Options) -> InstrumentationPlan {
        let is_recorded = options.record_trace.is_some();
        let plan = (options.detector.device_plan)(&options.settings(), is_recorded);
        let plan = InstrumentationPlan::from(plan);
        match options.gpu.only_traffic {
            true => InstrumentationPlan { checks: Checks::Traffic, ..plan },
            false => plan,
        }
    }

    fn with(checks: Checks) -> InstrumentationPlan {
        let shape = Shape::default();
        InstrumentationPlan { checks, shape, options: 0, backoff: true, set_bytes: None }
    }
}

impl From<DevicePlan> for InstrumentationPlan {
    fn from(plan: DevicePlan) -> InstrumentationPlan {
        match plan {
            DevicePlan::Metadata(metadata) => with_metadata(&metadata),
            DevicePlan::Sets { eager, bytes } => {
                let checks = if eager { Checks::EagerCurd } else { Checks::Curd };
                InstrumentationPlan { set_bytes: bytes, ..InstrumentationPlan::with(checks) }
            }
            DevicePlan::Ship { repeated_loads: false } => {
                InstrumentationPlan::with(Checks::ToldOnce)
            }
            DevicePlan::Ship { repeated_loads: true } | DevicePlan::Record => {
                InstrumentationPlan::with(Checks::Told)
            }
            DevicePlan::LookupOnly => InstrumentationPlan::with(Checks::Lookup),
        }
    }
}

fn with_metadata(metadata: &MetadataPlan) -> InstrumentationPlan {
    let shape = Shape::new(metadata.granularity, metadata.history);
    let mut options = 0;
    if !metadata.coalescing {
        options |= check_options::NO_COALESCING;
    }
    if !metadata.sharing {
        options |= check_options::NO_SHARING;
    }
    InstrumentationPlan {
        shape,
        options,
        backoff: metadata.backoff,
        ..InstrumentationPlan::with(shape.checks(metadata.ordered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TraceFolder;
    use warpsan_detect::curd::InterBlock;

    fn checks(change: impl FnOnce(&mut Options), detector: &str) -> Checks {
        let detector = detector.parse().expect("a detector");
        let mut options = Options { detector, ..Options::default() };
        change(&mut options);
        InstrumentationPlan::of(&options).checks
    }

    #[test]
    fn a_detector_gets_its_checks() {
        let all = ["hb", "iguard", "scord", "barracuda", "curd", "none"];
        assert_eq!(
            all.map(|detector| checks(|_| {}, detector)),
            [
                Checks::Told,
                Checks::Iguard,
                Checks::Told,
                Checks::ToldOnce,
                Checks::Curd,
                Checks::Lookup
            ]
        );
        let recorded = |options: &mut Options| {
            let (path, command) = ("traces".into(), String::new());
            options.record_trace = Some(TraceFolder { path, command });
        };
        let of_recorded = all.map(|detector| checks(recorded, detector));
        let expected = |detector| if detector == "iguard" { Checks::Ordered } else { Checks::Told };
        assert_eq!(of_recorded, all.map(expected));
    }

    #[test]
    fn settings_change_the_checks() {
        let history = |options: &mut Options| {
            options.detection.iguard.history = 2.try_into().expect("a choice");
        };
        assert_eq!(checks(history, "iguard"), Checks::General);
        let eager = |options: &mut Options| options.detection.curd.inter_block = InterBlock::Eager;
        assert_eq!(checks(eager, "curd"), Checks::EagerCurd);
        let only_traffic = |options: &mut Options| options.gpu.only_traffic = true;
        assert_eq!(checks(only_traffic, "iguard"), Checks::Traffic);
        let mut options =
            Options { detector: "iguard".parse().expect("a detector"), ..Options::default() };
        options.detection.iguard.coalescing = false;
        options.detection.iguard.backoff = false;
        let plan = InstrumentationPlan::of(&options);
        assert_eq!((plan.options, plan.backoff), (check_options::NO_COALESCING, false));
    }
}
