//! Which detector, and what users can choose about its verdicts.

use warpsan_report::Treatment;
use warpsan_runtime::Options;

/// Flags of all commands that detect races.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "What counts as a race")]
pub(crate) struct Args {
    /// The detector
    #[arg(long, value_name = "NAME", default_value = "hb", value_parser = warpsan_detect::NAMES)]
    detector: String,

    /// Lanes of a warp that rely on lockstep, where `__syncwarp` is missing
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Treat::Warn)]
    warp_sync: Treat,

    /// Volatile accesses that PTX allows, and that are races in CUDA C++
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Treat::Warn)]
    volatile: Treat,

    /// What orders threads that execute sequentially consistent fences, as `__threadfence()` is one
    #[arg(long, value_name = "RULE", value_enum, default_value_t = FenceSc::Pattern)]
    fence_sc: FenceSc,

    /// Say how often each rule of the detector was applied
    #[arg(long)]
    stats: bool,
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

    /// Options whose part about the detector is as the flags say.
    pub(crate) fn options(&self, options: Options) -> Options {
        Options {
            detector: self.detector.clone(),
            warp_sync: self.warp_sync.into(),
            volatile: self.volatile.into(),
            fence_sc_orders: self.fence_sc == FenceSc::Order,
            statistics: self.stats,
            ..options
        }
    }

    /// The flags that give the same verdicts again, each with a blank behind it: those that are not
    /// what they are without being said.
    pub(crate) fn flags_to_repeat(&self) -> String {
        let treatments = [("warp-sync", self.warp_sync), ("volatile", self.volatile)];
        let mut flags = String::new();
        for (name, treat) in treatments {
            match treat {
                Treat::Error => flags.push_str(&format!("--{name}=error ")),
                Treat::Warn => {}
                Treat::Allow => flags.push_str(&format!("--{name}=allow ")),
            }
        }
        if self.fence_sc == FenceSc::Order {
            flags.push_str("--fence-sc=order ");
        }
        flags
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

    fn options(flags: &[&str]) -> (Options, String) {
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
}
