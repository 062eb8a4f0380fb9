//! From what a detector asks of a GPU to what instrumented kernels do: the only place that knows both.

use crate::Options;
use crate::options::SafeMode;
use warpsan_detect::specification::device::{CopiesRequest, DeviceRequest, MetadataRequest};
use warpsan_gpu::{
    CopiesMode, CopiesPlan, CopiesSettings, DevicePlan, Measure, MetadataPlan, SetScheme, Shape,
    Shipping, check_options,
};

/// How kernels are instrumented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instrumentation {
    pub(super) plan: DevicePlan,
    /// Bits of `check_options`.
    pub(super) options: u32,
    /// Threads that want the same metadata wait longer and longer.
    pub(super) backoff: bool,
    /// Bytes of the device's memory for the sets of a stream, if users chose them.
    pub(super) set_bytes: Option<u64>,
    /// Private copies, where kernels run on them.
    pub(super) copies: CopiesSettings,
}

impl Instrumentation {
    /// What the detector of these options wants.
    pub(super) fn of(options: &Options) -> Instrumentation {
        let is_recorded = options.record_trace.is_some();
        let request = (options.detector.device_request)(&options.settings(), is_recorded);
        let mut instrumentation = Instrumentation::from(request);
        if let Some(safe) = options.safe {
            // Whatever the detector: nothing is compared.
            let mode = match safe {
                SafeMode::RaceFree => CopiesMode::RaceFree,
                SafeMode::Deterministic => CopiesMode::Deterministic,
            };
            let plan = DevicePlan::Copies(CopiesPlan::new(mode));
            instrumentation = Instrumentation { plan, ..instrumentation };
        }
        match options.gpu.only_traffic {
            true => {
                let plan = DevicePlan::Measure(Measure::Traffic);
                Instrumentation { plan, ..instrumentation }
            }
            false => instrumentation,
        }
    }

    fn with(plan: DevicePlan) -> Instrumentation {
        Instrumentation {
            plan,
            options: 0,
            backoff: true,
            set_bytes: None,
            copies: CopiesSettings::default(),
        }
    }
}

impl From<DeviceRequest> for Instrumentation {
    fn from(request: DeviceRequest) -> Instrumentation {
        let plan = match request {
            DeviceRequest::Metadata(metadata) => return with_metadata(&metadata),
            DeviceRequest::Sets { eager, bytes } => {
                let scheme = if eager { SetScheme::Eager } else { SetScheme::Lazy };
                let plan = DevicePlan::Sets(scheme);
                return Instrumentation { set_bytes: bytes, ..Instrumentation::with(plan) };
            }
            DeviceRequest::Entries => DevicePlan::HappensBefore,
            DeviceRequest::Ship { repeated_loads: false } => DevicePlan::Ship(Shipping::Once),
            DeviceRequest::Ship { repeated_loads: true } | DeviceRequest::Record => {
                DevicePlan::Ship(Shipping::Everything)
            }
            DeviceRequest::Copies(CopiesRequest { copies, bytes, goes_on, times }) => {
                let plan = DevicePlan::Copies(CopiesPlan::new(CopiesMode::Detect));
                let copies = CopiesSettings { copies, bytes, goes_on, times };
                return Instrumentation { copies, ..Instrumentation::with(plan) };
            }
            DeviceRequest::LookupOnly => DevicePlan::Measure(Measure::Lookup),
        };
        Instrumentation::with(plan)
    }
}

fn with_metadata(request: &MetadataRequest) -> Instrumentation {
    let metadata = MetadataPlan::of(Shape::new(request.granularity, request.history));
    let metadata = if request.ordered { metadata.ordered() } else { metadata };
    let mut options = 0;
    if !request.coalescing {
        options |= check_options::NO_COALESCING;
    }
    if !request.sharing {
        options |= check_options::NO_SHARING;
    }
    let backoff = request.backoff;
    Instrumentation { options, backoff, ..Instrumentation::with(DevicePlan::Metadata(metadata)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TraceFolder;
    use warpsan_detect::curd::InterBlock;

    const SHIP: DevicePlan = DevicePlan::Ship(Shipping::Everything);

    fn plan(change: impl FnOnce(&mut Options), detector: &str) -> DevicePlan {
        let detector = detector.parse().expect("a detector");
        let mut options = Options { detector, ..Options::default() };
        change(&mut options);
        Instrumentation::of(&options).plan
    }

    #[test]
    fn a_detector_gets_its_plan() {
        let metadata = DevicePlan::Metadata(MetadataPlan::USUAL);
        for (detector, expected) in [
            ("hb", DevicePlan::HappensBefore),
            ("iguard", metadata),
            ("scord", SHIP),
            ("barracuda", DevicePlan::Ship(Shipping::Once)),
            ("curd", DevicePlan::Sets(SetScheme::Lazy)),
            ("none", DevicePlan::Measure(Measure::Lookup)),
            ("ld", DevicePlan::Copies(CopiesPlan::new(CopiesMode::Detect))),
        ] {
            assert_eq!(plan(|_| {}, detector), expected, "{detector}");
            let recorded = |options: &mut Options| {
                let (path, command) = ("traces".into(), String::new());
                options.record_trace = Some(TraceFolder { path, command });
            };
            let ordered = DevicePlan::Metadata(MetadataPlan::USUAL.ordered());
            let expected = if detector == "iguard" { ordered } else { SHIP };
            assert_eq!(plan(recorded, detector), expected, "{detector}, recorded");
        }
    }

    #[test]
    fn safe_execution_needs_no_detector() {
        let safe = |options: &mut Options| options.safe = Some(SafeMode::Deterministic);
        let deterministic = DevicePlan::Copies(CopiesPlan::new(CopiesMode::Deterministic));
        assert_eq!(plan(safe, "hb"), deterministic);
    }

    #[test]
    fn settings_change_the_plan() {
        let history = |options: &mut Options| {
            options.detection.iguard.history = 2.try_into().expect("a choice");
        };
        let general = DevicePlan::Metadata(MetadataPlan::of(Shape::new(4, 2)));
        assert_eq!(plan(history, "iguard"), general);
        let eager = |options: &mut Options| options.detection.curd.inter_block = InterBlock::Eager;
        assert_eq!(plan(eager, "curd"), DevicePlan::Sets(SetScheme::Eager));
        let only_traffic = |options: &mut Options| options.gpu.only_traffic = true;
        assert_eq!(plan(only_traffic, "iguard"), DevicePlan::Measure(Measure::Traffic));
        let mut options =
            Options { detector: "iguard".parse().expect("a detector"), ..Options::default() };
        options.detection.iguard.coalescing = false;
        options.detection.iguard.backoff = false;
        let made = Instrumentation::of(&options);
        assert_eq!((made.options, made.backoff), (check_options::NO_COALESCING, false));
    }
}
