//! `instrument`: a kernel with its checks, as text.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use warpsan_instrument::{
    CopiesMode, CopiesPart, CopiesPlan, DevicePlan, Measure, MetadataPlan, SetScheme, Shape,
    Shipping,
};
use warpsan_ptx::Document;
use warpsan_testkit::instrumented::Parsed;

use super::Common;

/// Print the kernels of a PTX file with their checks
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The PTX
    file: PathBuf,
    /// Only the kernel of this name
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Whose checks
    #[arg(long, value_enum, default_value = "iguard")]
    checks: WhoseChecks,
    /// The architecture that the result is for
    #[arg(long, value_name = "NAME", default_value = "sm_90")]
    target: String,
}

/// [`DevicePlan`] by name.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum WhoseChecks {
    /// `hb`'s entries
    Hb,
    /// The detector's
    Iguard,
    /// The detector's, for any granularity and history
    General,
    /// The detector's, one operation after the other, each shipped to the host
    Ordered,
    /// The same, for any granularity and history
    OrderedGeneral,
    /// CURD's sets
    Curd,
    /// The same, with the eager scheme.
    EagerCurd,
    /// LD's copies, one pass over the whole kernel
    Ld,
    /// The same, region by region
    LdRegions,
    /// The same, for a run that is logged
    LdLog,
    /// None; every operation is shipped to the host
    Ship,
    /// None; operations are shipped to the host, but not again what a block has accessed
    ShipOnce,
    /// None; metadata is looked up
    Lookup,
    /// None; metadata is read and written
    Traffic,
}

/// Copies that are compared.
const DETECT: CopiesPlan = CopiesPlan::new(CopiesMode::Detect);

impl WhoseChecks {
    pub(crate) fn plan(self) -> DevicePlan {
        match self {
            WhoseChecks::Hb => DevicePlan::HappensBefore,
            WhoseChecks::Iguard => DevicePlan::Metadata(MetadataPlan::USUAL),
            WhoseChecks::General => DevicePlan::Metadata(MetadataPlan::general(Shape::default())),
            WhoseChecks::Ordered => DevicePlan::Metadata(MetadataPlan::USUAL.ordered()),
            WhoseChecks::OrderedGeneral => {
                DevicePlan::Metadata(MetadataPlan::general(Shape::default()).ordered())
            }
            WhoseChecks::Curd => DevicePlan::Sets(SetScheme::Lazy),
            WhoseChecks::EagerCurd => DevicePlan::Sets(SetScheme::Eager),
            WhoseChecks::Ld => DETECT.with(CopiesPart::Pass),
            WhoseChecks::LdRegions => DETECT.with(CopiesPart::Regions),
            WhoseChecks::LdLog => DETECT.with(CopiesPart::Log),
            WhoseChecks::Ship => DevicePlan::Ship(Shipping::Everything),
            WhoseChecks::ShipOnce => DevicePlan::Ship(Shipping::Once),
            WhoseChecks::Lookup => DevicePlan::Measure(Measure::Lookup),
            WhoseChecks::Traffic => DevicePlan::Measure(Measure::Traffic),
        }
    }
}

/// True if every kernel that was asked for can be instrumented.
pub(crate) fn run(args: &Args, _: &Common) -> anyhow::Result<bool> {
    let text = fs::read_to_string(&args.file)
        .with_context(|| format!("cannot read {}", args.file.display()))?;
    let document = Document::parse(text);
    if let Some(error) = document.errors().first() {
        anyhow::bail!("{}: {}", args.file.display(), error.message_with_line(document.text()));
    }
    let parsed = Parsed::of(&document);
    let mut kernels = parsed.kernels();
    kernels.retain(|kernel| args.kernel.as_deref().is_none_or(|name| kernel.name == name));
    anyhow::ensure!(!kernels.is_empty(), "there is no such kernel");
    let mut all_are = true;
    for kernel in kernels {
        match parsed.instrument(kernel, &args.target, args.checks.plan()) {
            Ok(made) => {
                eprintln!("{}: {:?} {:?}", kernel.name, made.cost, made.uses);
                for variable in &made.variables {
                    eprintln!("    {variable:?}");
                }
                println!("{}", made.text);
            }
            Err(reason) => {
                all_are = false;
                eprintln!("{}: not instrumented: {reason}", kernel.name);
            }
        }
    }
    Ok(all_are)
}
