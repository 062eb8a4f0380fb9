//! Which detector, and what users can choose about its verdicts.

mod curd;

use curd::CurdArgs;
use warpsan_detect::Granularity;
use warpsan_detect::iguard::{History, IguardSettings};
use warpsan_detect::scord::{BlockIds, ScordSettings};
use warpsan_report::Treatment;
use warpsan_runtime::{GpuOptions, Options};

/// Flags of all commands that detect races.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "What counts as a race")]
pub(crate) struct Args {
    /// The detector
    #[arg(long, value_name = "NAME", default_value = "hb", value_parser = warpsan_detect::NAMES)]
    detector: String,

    /// Lanes of a warp that rely on lockstep, where `__syncwarp` is missing [default: warn; with iguard and scord: error]
    #[arg(long, value_name = "HOW", value_enum)]
    warp_sync: Option<Treat>,

    /// Volatile accesses that PTX allows, and that are races in CUDA C++
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Treat::Warn)]
    volatile: Treat,

    /// What orders threads that execute sequentially consistent fences, as `__threadfence()` is one
    #[arg(long, value_name = "RULE", value_enum, default_value_t = FenceSc::Pattern)]
    fence_sc: FenceSc,

    /// Say how often each rule of the detector was applied
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    iguard: IguardArgs,

    #[command(flatten)]
    scord: ScordArgs,

    #[command(flatten)]
    curd: CurdArgs,
}

/// Flags that only `--detector iguard` knows.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The detector iguard")]
struct IguardArgs {
    /// Bytes of memory that are one location: 1, 2, 4, 8 or 16. On a GPU all but 4 make checks slower, and fewer take more
    /// memory: 24 bytes for each location
    #[arg(long, value_name = "BYTES", default_value = "4", value_parser = choice::<Granularity>)]
    iguard_granularity: Granularity,

    /// Threads that are remembered for each location: the last 1, 2, 4 or 8. On a GPU more than 1 make checks slower, and
    /// take 40, 64 or 112 bytes for each location
    #[arg(long, value_name = "THREADS", default_value = "1", value_parser = choice::<History>)]
    iguard_history: History,

    /// Whether one lane checks for all that load from, or atomically update, one address
    #[arg(long, value_name = "SWITCH", value_enum, default_value_t = Switch::On)]
    iguard_coalescing: Switch,

    /// Whether what several blocks read, or update by atomics, is left as it is when another one does the same
    #[arg(long, value_name = "SWITCH", value_enum, default_value_t = Switch::On)]
    iguard_sharing: Switch,

    /// Whether threads that want the same metadata on the GPU wait longer and longer
    #[arg(long, value_name = "SWITCH", value_enum, default_value_t = Switch::On)]
    iguard_backoff: Switch,
}

/// Flags that only `--detector scord` knows.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The detector scord")]
struct ScordArgs {
    /// Bytes of memory that are one location: the paper's 4, 8 or 16, or 1 or 2
    #[arg(long, value_name = "BYTES", default_value = "4", value_parser = choice::<Granularity>)]
    scord_granularity: Granularity,

    /// Whether metadata are kept in a cache with one entry for sixteen locations, which misses races where locations
    /// share an entry
    #[arg(long, value_name = "SWITCH", value_enum, default_value_t = Switch::Off)]
    scord_cache: Switch,

    /// Whether threads of a warp that has diverged count by themselves
    #[arg(long, value_name = "SWITCH", value_enum, default_value_t = Switch::Off)]
    scord_its: Switch,

    /// How blocks are told apart
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Ids::Wide)]
    scord_block_ids: Ids,
}

/// How blocks are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Ids {
    /// By all of their number
    Wide,
    /// By the eight bits that metadata have
    Paper,
}

impl ScordArgs {
    fn settings(&self) -> ScordSettings {
        ScordSettings {
            granularity: self.scord_granularity,
            cache: self.scord_cache == Switch::On,
            its: self.scord_its == Switch::On,
            block_ids: match self.scord_block_ids {
                Ids::Wide => BlockIds::Wide,
                Ids::Paper => BlockIds::Paper,
            },
        }
    }

    fn flags_to_repeat(&self) -> String {
        let (settings, usual) = (self.settings(), ScordSettings::default());
        let mut flags = String::new();
        if settings.granularity != usual.granularity {
            flags.push_str(&format!("--scord-granularity={} ", u8::from(settings.granularity)));
        }
        if settings.cache {
            flags.push_str("--scord-cache=on ");
        }
        if settings.its {
            flags.push_str("--scord-its=on ");
        }
        if settings.block_ids == BlockIds::Paper {
            flags.push_str("--scord-block-ids=paper ");
        }
        flags
    }
}

/// A number of a few that can be chosen.
fn choice<C>(text: &str) -> Result<C, String>
where
    C: TryFrom<u8>,
    C::Error: std::fmt::Display,
{
    let number: u8 = text.parse().map_err(|_| "it is not such a number".to_string())?;
    C::try_from(number).map_err(|error| error.to_string())
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    /// It is done
    On,
    /// It is not
    Off,
}

impl IguardArgs {
    fn settings(&self) -> IguardSettings {
        IguardSettings {
            granularity: self.iguard_granularity,
            history: self.iguard_history,
            coalescing: self.iguard_coalescing == Switch::On,
            sharing: self.iguard_sharing == Switch::On,
        }
    }

    fn flags_to_repeat(&self) -> String {
        let (settings, usual) = (self.settings(), IguardSettings::default());
        let mut flags = String::new();
        if settings.granularity != usual.granularity {
            flags.push_str(&format!("--iguard-granularity={} ", u8::from(settings.granularity)));
        }
        if settings.history != usual.history {
            flags.push_str(&format!("--iguard-history={} ", u8::from(settings.history)));
        }
        if !settings.coalescing {
            flags.push_str("--iguard-coalescing=off ");
        }
        if !settings.sharing {
            flags.push_str("--iguard-sharing=off ");
        }
        flags
    }
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

/// What two `fence.sc` mean for what is around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FenceSc {
    /// A write behind one fence is seen by a read before the other
    Pattern,
    /// Also the bare order in which the fences were executed
    Order,
}

impl Args {
    /// The detector's name.
    pub(crate) fn detector(&self) -> &str {
        &self.detector
    }

    /// Whether the detector works on the host alone, so that a GPU would have to tell it of every operation. For a recording all of them are
    /// told to it, and only `iguard` works on the device at the same time.
    pub(crate) fn checks_on_host(&self, is_recorded: bool) -> bool {
        match self.detector.as_str() {
            "iguard" | "none" => false,
            "curd" => is_recorded,
            _ => true,
        }
    }

    /// Options whose part about the detector is as the flags say.
    pub(crate) fn options(&self, options: Options) -> Options {
        Options {
            detector: self.detector.clone(),
            warp_sync: self.warp_sync.unwrap_or(self.usual_warp_sync()).into(),
            volatile: self.volatile.into(),
            fence_sc_orders: self.fence_sc == FenceSc::Order,
            iguard: self.iguard.settings(),
            scord: self.scord.settings(),
            curd: self.curd.settings(),
            gpu: GpuOptions { backoff: self.iguard.iguard_backoff == Switch::On, ..options.gpu },
            statistics: self.stats,
            ..options
        }
    }

    /// The flags that give the same verdicts again, each with a blank behind it: those that are not
    /// what they are without being said.
    pub(crate) fn flags_to_repeat(&self) -> String {
        let usual = self.usual_warp_sync();
        let treatments = [
            ("warp-sync", self.warp_sync.unwrap_or(usual), usual),
            ("volatile", self.volatile, Treat::Warn),
        ];
        let mut flags = match self.detector.as_str() {
            // Without a detector there is nothing to see again.
            "hb" | "none" => String::new(),
            other => format!("--detector={other} "),
        };
        for (name, treat, _) in treatments.into_iter().filter(|(_, treat, usual)| treat != usual) {
            let how = match treat {
                Treat::Error => "error",
                Treat::Warn => "warn",
                Treat::Allow => "allow",
            };
            flags.push_str(&format!("--{name}={how} "));
        }
        if self.fence_sc == FenceSc::Order {
            flags.push_str("--fence-sc=order ");
        }
        flags
            + &self.iguard.flags_to_repeat()
            + &self.scord.flags_to_repeat()
            + &self.curd.flags_to_repeat()
    }

    /// What is done about lanes that rely on lockstep where nothing is said: the papers of iGUARD and ScoRD
    /// call them races.
    fn usual_warp_sync(&self) -> Treat {
        match self.detector.as_str() {
            "iguard" | "scord" => Treat::Error,
            _ => Treat::Warn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        args: Args,
    }

    pub(super) fn options(flags: &[&str]) -> (Options, String) {
        let args = Flags::try_parse_from([&["x"], flags].concat()).expect("the flags read").args;
        (args.options(Options::default()), args.flags_to_repeat())
    }

    #[test]
    fn flags_become_options() {
        assert_eq!(options(&[]), (Options::default(), String::new()));
        let flags = ["--warp-sync=error", "--volatile=allow", "--fence-sc=order", "--stats"];
        let (options, again) = options(&flags);
        assert_eq!((options.warp_sync, options.volatile), (Treatment::Error, Treatment::Allow));
        assert!(options.fence_sc_orders && options.statistics);
        assert_eq!(again, "--warp-sync=error --volatile=allow --fence-sc=order ");
    }

    #[test]
    fn iguard_has_flags_and_a_severity_of_its_own() {
        let (usual, again) = options(&["--detector=iguard"]);
        assert_eq!((usual.warp_sync, again.as_str()), (Treatment::Error, "--detector=iguard "));
        assert_eq!(usual.iguard, IguardSettings::default());
        let flags = [
            "--detector=iguard",
            "--warp-sync=warn",
            "--iguard-granularity=16",
            "--iguard-history=8",
            "--iguard-coalescing=off",
            "--iguard-sharing=off",
        ];
        let (chosen, again) = options(&flags);
        assert_eq!(chosen.warp_sync, Treatment::Warn);
        assert_eq!(u8::from(chosen.iguard.granularity), 16);
        assert_eq!(u8::from(chosen.iguard.history), 8);
        assert!(!chosen.iguard.coalescing && !chosen.iguard.sharing);
        assert_eq!(again, format!("{} ", flags.join(" ")));
        for wrong in ["--iguard-granularity=3", "--iguard-history=0", "--iguard-history=x"] {
            assert!(Flags::try_parse_from(["x", wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scord_has_flags_of_its_own() {
        let (usual, again) = options(&["--detector=scord"]);
        assert_eq!((usual.scord, again.as_str()), (ScordSettings::default(), "--detector=scord "));
        assert_eq!(usual.warp_sync, Treatment::Error);
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
        assert_eq!((chosen.scord, again), (expected, format!("{} ", flags.join(" "))));
        assert!(Flags::try_parse_from(["x", "--scord-granularity=3"]).is_err());
    }
}
