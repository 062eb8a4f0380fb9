//! Which detector, and what users can choose about its verdicts. The flags of single detectors are made from their
//! specifications: see `detection/detector_flags.rs`.

mod detector_flags;

use crate::threads::ThreadDetector;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use detector_flags::DetectorFlags;
use warpsan_detect::{DetectorId, Settings};
use warpsan_report::Treatment;
use warpsan_runtime::Options;

/// Flags of all commands that detect races.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "What counts as a race")]
pub(crate) struct Args {
    #[arg(long, value_name = "NAME", value_parser = for_kernels(), help = help_of_detector())]
    detector: Option<Choice>,

    #[arg(long, value_name = "HOW", value_enum, help = help_of_warp_sync())]
    warp_sync: Option<Treat>,

    /// Volatile accesses that PTX allows, and that are races in CUDA C++
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Treat::Warn)]
    volatile: Treat,

    /// Stores of the same bytes that nothing orders, unless they are lanes of one instruction, which is information
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Treat::Warn)]
    same_value: Treat,

    /// What orders threads that execute sequentially consistent fences, as `__threadfence()` is one
    #[arg(long, value_name = "RULE", value_enum, default_value_t = FenceSc::Pattern)]
    fence_sc: FenceSc,

    /// Say how often each rule of the detector was applied
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    of_detectors: DetectorFlags,
}

/// A detector by its name: one for kernels, or one for the threads of a program. That for the other of the two is then the
/// usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Kernels(DetectorId),
    Threads(ThreadDetector),
}

/// The name of one of the detectors for kernels.
fn for_kernels() -> impl TypedValueParser<Value = Choice> {
    PossibleValuesParser::new(warpsan_detect::NAMES)
        .try_map(|name| name.parse::<DetectorId>().map(Choice::Kernels))
}

/// The flag for commands that run programs, which may have threads.
pub(crate) fn with_threads(flag: clap::Arg) -> clap::Arg {
    with_some(flag, &ThreadDetector::OF_PROGRAMS)
}

/// The flag for commands that replay traces, which may be of threads.
pub(crate) fn with_threads_of_traces(flag: clap::Arg) -> clap::Arg {
    with_some(flag, &ThreadDetector::OF_TRACES)
}

fn with_some(flag: clap::Arg, of_threads: &'static [ThreadDetector]) -> clap::Arg {
    let of_kernels = warpsan_detect::NAMES.iter().map(|name| PossibleValue::new(*name));
    let of_threads = of_threads.iter().map(|detector| {
        let value = PossibleValue::new(detector.name()).help(detector.help());
        value.hide(detector.is_hidden())
    });
    let names = PossibleValuesParser::new(of_kernels.chain(of_threads));
    flag.value_parser(names.try_map(|name| match ThreadDetector::of_name(&name) {
        Some(detector) => Ok(Choice::Threads(detector)),
        None => name.parse::<DetectorId>().map(Choice::Kernels),
    }))
}

fn help_of_detector() -> String {
    format!("The detector [default: {}; none with --safe]", DetectorId::default().name)
}

fn help_of_warp_sync() -> String {
    let tolerant: Vec<&str> = warpsan_detect::ALL
        .iter()
        .filter(|detector| detector.warp_sync == Treatment::Warn && detector.finds_races)
        .map(|detector| detector.name)
        .collect();
    format!(
        "Lanes of a warp that rely on lockstep, where `__syncwarp` is missing [default: error; with {}: warn]",
        tolerant.join(" and ")
    )
}

/// What to do with races that some programs rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Treat {
    /// They are errors
    Error,
    /// They are warnings
    Warn,
    /// They are not reported
    Allow,
}

impl From<Treat> for Treatment {
    fn from(treat: Treat) -> Treatment {
        match treat {
            Treat::Error => Treatment::Error,
            Treat::Warn => Treatment::Warn,
            Treat::Allow => Treatment::Allow,
        }
    }
}

/// The word of a treatment on the command line.
fn word(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Error => "error",
        Treatment::Warn => "warn",
        Treatment::Allow => "allow",
    }
}

/// What two `fence.sc` mean for what is around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FenceSc {
    /// A write behind one fence is seen by a read before the other
    Pattern,
    /// Also the bare order in which the fences were executed
    Order,
}

impl Args {
    fn choice(&self) -> Choice {
        self.detector.unwrap_or(Choice::Kernels(DetectorId::default()))
    }

    /// Whether no detector was asked for.
    pub(crate) fn is_open(&self) -> bool {
        self.detector.is_none()
    }

    /// The detector for kernels.
    pub(crate) fn detector(&self) -> DetectorId {
        match self.choice() {
            Choice::Kernels(detector) => detector,
            Choice::Threads(_) => DetectorId::default(),
        }
    }

    /// The detector for what is known to be of threads: the usual one where none was asked for. None where one for kernels was.
    pub(crate) fn detector_of_threads(&self) -> Option<ThreadDetector> {
        match self.choice() {
            Choice::Threads(detector) => Some(detector),
            Choice::Kernels(detector) if !detector.finds_races => Some(ThreadDetector::Empty),
            Choice::Kernels(detector) if detector == DetectorId::default() => {
                Some(ThreadDetector::default())
            }
            Choice::Kernels(_) => None,
        }
    }

    /// The detector for threads, where one was asked for.
    pub(crate) fn thread_detector(&self) -> Option<ThreadDetector> {
        match self.choice() {
            Choice::Kernels(_) => None,
            Choice::Threads(detector) => Some(detector),
        }
    }

    /// Whether the detector runs on the host alone, so that a GPU would have to ship every operation to it.
    pub(crate) fn checks_on_host(&self, is_recorded: bool) -> bool {
        (self.detector().device_request)(&self.settings(), is_recorded).checks_on_host()
    }

    /// Options whose part about the detector is as the flags say.
    pub(crate) fn options(&self, options: Options) -> Options {
        Options {
            detector: self.detector(),
            detection: self.settings(),
            statistics: self.stats,
            ..options
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            warp_sync: self.warp_sync.map_or(self.detector().warp_sync, Treatment::from),
            volatile: self.volatile.into(),
            same_value: self.same_value.into(),
            fence_sc_orders: self.fence_sc == FenceSc::Order,
            ..self.of_detectors.0
        }
    }

    /// The flags that give the same verdicts again, each with a blank behind it: those that are not
    /// what they are without being said.
    pub(crate) fn flags_to_repeat(&self) -> String {
        let (settings, usual) = (self.settings(), Settings::default());
        let mut flags = String::new();
        let detector = self.detector();
        if detector != DetectorId::default() && detector.finds_races {
            flags.push_str(&format!("--detector={} ", detector.name));
        }
        if settings.warp_sync != detector.warp_sync {
            flags.push_str(&format!("--warp-sync={} ", word(settings.warp_sync)));
        }
        if settings.volatile != usual.volatile {
            flags.push_str(&format!("--volatile={} ", word(settings.volatile)));
        }
        if settings.same_value != usual.same_value {
            flags.push_str(&format!("--same-value={} ", word(settings.same_value)));
        }
        if settings.fence_sc_orders {
            flags.push_str("--fence-sc=order ");
        }
        flags + &settings.flags_to_repeat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use warpsan_detect::curd::{CurdSettings, DeviceMemory, InterBlock};
    use warpsan_detect::iguard::IguardSettings;
    use warpsan_detect::scord::{BlockIds, ScordSettings};

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        args: Args,
    }

    fn options(flags: &[&str]) -> (Options, String) {
        let args = Flags::try_parse_from([&["x"], flags].concat()).expect("the flags read").args;
        (args.options(Options::default()), args.flags_to_repeat())
    }

    #[test]
    fn flags_become_options() {
        assert_eq!(options(&[]), (Options::default(), String::new()));
        assert_eq!(options(&["--detector=none"]).1, "", "there is nothing to see again");
        let flags = [
            "--warp-sync=warn",
            "--volatile=allow",
            "--same-value=error",
            "--fence-sc=order",
            "--stats",
        ];
        let (options, again) = options(&flags);
        let detection = options.detection;
        assert_eq!(
            (detection.warp_sync, detection.volatile, detection.same_value),
            (Treatment::Warn, Treatment::Allow, Treatment::Error)
        );
        assert!(detection.fence_sc_orders && options.statistics);
        assert_eq!(again, flags[..4].join(" ") + " ");
    }

    #[test]
    fn detectors_for_threads_are_for_programs_only() {
        assert!(Flags::try_parse_from(["x", "--detector=slimfast"]).is_err());
        let command = <Flags as clap::CommandFactory>::command().mut_arg("detector", with_threads);
        let parse = |name: &str| {
            let flag = format!("--detector={name}");
            let matches = command.clone().try_get_matches_from(["x", &flag]).expect(name);
            <Flags as clap::FromArgMatches>::from_arg_matches(&matches).expect(name).args
        };
        for name in ["slimfast", "fasttrack", "empty"] {
            let args = parse(name);
            assert_eq!(args.thread_detector(), ThreadDetector::of_name(name));
            assert_eq!(args.detector(), DetectorId::default());
            assert_eq!(args.flags_to_repeat(), "");
        }
        let parsnip = ["x", "--detector=parsnip"];
        assert!(command.clone().try_get_matches_from(parsnip).is_err(), "it is for traces");
        let of_traces =
            <Flags as clap::CommandFactory>::command().mut_arg("detector", with_threads_of_traces);
        assert!(of_traces.try_get_matches_from(parsnip).is_ok());
        assert_eq!(parse("iguard").thread_detector(), None);
        assert_eq!(parse("iguard").detector().name, "iguard");
        let help = command.clone().render_long_help().to_string();
        assert!(help.contains("slimfast") && !help.contains("empty"), "{help}");
    }

    #[test]
    fn iguard_has_flags_and_a_severity_of_its_own() {
        let (usual, again) = options(&["--detector=iguard"]);
        assert_eq!(
            (usual.detection.warp_sync, again.as_str()),
            (Treatment::Error, "--detector=iguard ")
        );
        assert_eq!(usual.detection.iguard, IguardSettings::default());
        let flags = [
            "--detector=iguard",
            "--warp-sync=warn",
            "--iguard-granularity=16",
            "--iguard-history=8",
            "--iguard-coalescing=off",
            "--iguard-sharing=off",
        ];
        let (chosen, again) = options(&flags);
        assert_eq!(chosen.detection.warp_sync, Treatment::Warn);
        assert_eq!(u8::from(chosen.detection.iguard.granularity), 16);
        assert_eq!(u8::from(chosen.detection.iguard.history), 8);
        assert!(!chosen.detection.iguard.coalescing && !chosen.detection.iguard.sharing);
        assert_eq!(again, format!("{} ", flags.join(" ")));
        for wrong in ["--iguard-granularity=3", "--iguard-history=0", "--iguard-history=x"] {
            assert!(Flags::try_parse_from(["x", wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scord_has_flags_of_its_own() {
        let (usual, again) = options(&["--detector=scord"]);
        assert_eq!(
            (usual.detection.scord, again.as_str()),
            (ScordSettings::default(), "--detector=scord ")
        );
        assert_eq!(usual.detection.warp_sync, Treatment::Error);
        let flags = [
            "--detector=scord",
            "--scord-granularity=8",
            "--scord-cache=on",
            "--scord-its=on",
            "--scord-block-ids=paper",
        ];
        let (chosen, again) = options(&flags);
        let granularity = 8.try_into().expect("a choice");
        let block_ids = BlockIds::Paper;
        let expected = ScordSettings { granularity, cache: true, its: true, block_ids };
        assert_eq!((chosen.detection.scord, again), (expected, format!("{} ", flags.join(" "))));
        assert!(Flags::try_parse_from(["x", "--scord-granularity=3"]).is_err());
    }

    #[test]
    fn curd_has_flags_of_its_own() {
        let (usual, again) = options(&["--detector=curd"]);
        assert_eq!(
            (usual.detection.curd, again.as_str()),
            (CurdSettings::default(), "--detector=curd ")
        );
        assert_eq!(usual.detection.warp_sync, Treatment::Warn);
        let flags = [
            "--detector=curd",
            "--curd-inter-block=eager",
            "--curd-thread-regions=100",
            "--curd-block-regions=200",
            "--curd-search=4",
            "--curd-device-memory=512",
        ];
        let (chosen, again) = options(&flags);
        let inter_block = InterBlock::Eager;
        let expected = CurdSettings {
            inter_block,
            thread_regions: 100,
            block_regions: 200,
            search: 4,
            device_memory: DeviceMemory(Some(512)),
        };
        assert_eq!((chosen.detection.curd, again), (expected, format!("{} ", flags.join(" "))));
    }
}
