use warpsan_detect::curd::{CurdSettings, InterBlock};

/// Flags that only `--detector curd` knows.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The detector curd")]
pub(super) struct CurdArgs {
    /// When blocks are compared with each other
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Lazy)]
    curd_inter_block: When,

    /// Regions of memory that a thread's read or write set has room for
    #[arg(long, value_name = "NUMBER", default_value_t = CurdSettings::default().thread_regions)]
    curd_thread_regions: u32,

    /// Regions of memory that a block's read or write set has room for
    #[arg(long, value_name = "NUMBER", default_value_t = CurdSettings::default().block_regions)]
    curd_block_regions: u32,

    /// Regions of a set that are looked at for one that a new region can be merged with
    #[arg(long, value_name = "NUMBER", default_value_t = CurdSettings::default().search)]
    curd_search: u32,

    /// Megabytes of a GPU's memory for the sets of each stream [default: a sixteenth of it]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(32..))]
    curd_device_memory: Option<u32>,
}

/// When the sets of blocks are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum When {
    /// When the kernel has ended
    Lazy,
    /// At each barrier
    Eager,
}

impl CurdArgs {
    pub(super) fn settings(&self) -> CurdSettings {
        CurdSettings {
            inter_block: match self.curd_inter_block {
                When::Lazy => InterBlock::Lazy,
                When::Eager => InterBlock::Eager,
            },
            thread_regions: self.curd_thread_regions,
            block_regions: self.curd_block_regions,
            search: self.curd_search,
            device_memory: self.curd_device_memory,
        }
    }

    pub(super) fn flags_to_repeat(&self) -> String {
        let (settings, usual) = (self.settings(), CurdSettings::default());
        let mut flags = String::new();
        if settings.inter_block == InterBlock::Eager {
            flags.push_str("--curd-inter-block=eager ");
        }
        let numbers = [
            ("thread-regions", settings.thread_regions, usual.thread_regions),
            ("block-regions", settings.block_regions, usual.block_regions),
            ("search", settings.search, usual.search),
        ];
        for (name, number, _) in numbers.into_iter().filter(|(_, number, usual)| number != usual) {
            flags.push_str(&format!("--curd-{name}={number} "));
        }
        if let Some(megabytes) = settings.device_memory {
            flags.push_str(&format!("--curd-device-memory={megabytes} "));
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::options;
    use super::*;
    use warpsan_report::Treatment;

    #[test]
    fn curd_has_flags_of_its_own() {
        let (usual, again) = options(&["--detector=curd"]);
        assert_eq!((usual.curd, again.as_str()), (CurdSettings::default(), "--detector=curd "));
        assert_eq!(usual.warp_sync, Treatment::Warn);
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
            device_memory: Some(512),
        };
        assert_eq!((chosen.curd, again), (expected, format!("{} ", flags.join(" "))));
    }
}
