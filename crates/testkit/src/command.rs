//! The subcommands, and what they share: where the corpus is, and who compiles it.

pub(crate) mod attacks;
pub(crate) mod bench_detect;
pub(crate) mod bench_parsnip;
pub(crate) mod bench_ptx;
pub(crate) mod bench_simt;
pub(crate) mod bench_startup;
pub(crate) mod bench_threads;
pub(crate) mod corpus;
pub(crate) mod curd_schemes;
pub(crate) mod determinism;
pub(crate) mod device_runtime;
mod fetch;
pub(crate) mod fuzz_hb;
pub(crate) mod fuzz_threads;
pub(crate) mod iguard_history;
pub(crate) mod instructions;
pub(crate) mod instrument;
pub(crate) mod instrument_corpus;
pub(crate) mod ld_tables;
pub(crate) mod processes;
pub(crate) mod programs;
pub(crate) mod rdc;
pub(crate) mod rules;
pub(crate) mod safe_execution;
pub(crate) mod scale;
pub(crate) mod scord_tables;
pub(crate) mod shipped_kernels;
pub(crate) mod shipping;
pub(crate) mod speculation;
mod table;
pub(crate) mod threads;
pub(crate) mod ui;
pub(crate) mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use warpsan_testkit::corpus::{Compilers, Source, Store, Unit, read_sources, units_of};
use warpsan_toolchain::{DeveloperTools, Environment, Search, Toolchain};

/// Flags of all subcommands.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Accept NVIDIA's licence and fetch its packages without a question
    #[arg(long, global = true)]
    yes: bool,
    /// Use the CUDA toolkit in this folder
    #[arg(long, value_name = "FOLDER", global = true)]
    cuda_path: Option<PathBuf>,
    /// Take only what has this text in its name, as in `cub` or `sm_90 G`; can be repeated
    #[arg(long, value_name = "TEXT", global = true)]
    filter: Vec<String>,
    /// The folder of the project, where it is not the one this command was built in
    #[arg(long, value_name = "FOLDER", global = true)]
    root: Option<PathBuf>,
}

/// The corpus, and the tools that make something of it.
pub(crate) struct Bench {
    pub(crate) sources: Vec<Arc<Source>>,
    pub(crate) compilers: Compilers,
    /// Not there if nothing that was asked for needs them.
    pub(crate) tools: Option<DeveloperTools>,
}

impl Bench {
    /// `with_programs`: programs are looked into, too.
    pub(crate) fn set_up(common: &Common, with_programs: bool) -> anyhow::Result<Self> {
        let root = common.root();
        let folder = root.join("suites/ptx");
        let sources: Vec<_> = read_sources(&folder)?.into_iter().map(Arc::new).collect();
        let needs_tools = with_programs
            || units_of(&sources).iter().any(|unit| {
                unit.architecture.needs_older_compiler() && common.takes(&unit.to_string())
            });
        Self::with(common, sources, needs_tools)
    }

    /// Without the tools of developers: only what the newest compiler makes is asked for.
    pub(crate) fn set_up_new(common: &Common) -> anyhow::Result<Self> {
        Self::with(common, Vec::new(), false)
    }

    fn with(common: &Common, sources: Vec<Arc<Source>>, needs_tools: bool) -> anyhow::Result<Self> {
        let root = common.root();
        let folder = root.join("suites/ptx");
        let mut ask = |offer: &_| fetch::decide(offer, common.yes);
        let search = Search::new(common.cuda_path.clone());
        let toolchain = search.find_or_install(&mut ask, &mut fetch::FetchProgress::default())?;
        let mut find_tools = || {
            let mut progress = fetch::FetchProgress::default();
            DeveloperTools::find_or_install(&Environment::of_process(), &mut ask, &mut progress)
        };
        let tools = if needs_tools { Some(find_tools()?) } else { None };
        let store = Store::new(root.join("target/corpus"));
        let older = tools.as_ref().map(DeveloperTools::older_compiler);
        let compilers = Compilers::new(toolchain, older, store, &folder)?;
        Ok(Self { sources, compilers, tools })
    }

    /// The units that the flags ask for.
    pub(crate) fn units(&self, common: &Common) -> Vec<Unit> {
        let mut units = units_of(&self.sources);
        units.retain(|unit| common.takes(&unit.to_string()));
        units
    }
}

impl Common {
    /// The folder of the project.
    pub(crate) fn root(&self) -> PathBuf {
        self.root.clone().unwrap_or_else(workspace_root)
    }

    /// The CUDA compiler, which is fetched where there is none and the user agrees.
    pub(crate) fn toolchain(&self) -> anyhow::Result<Toolchain> {
        let mut ask = |offer: &_| fetch::decide(offer, self.yes);
        let search = Search::new(self.cuda_path.clone());
        Ok(search.find_or_install(&mut ask, &mut fetch::FetchProgress::default())?)
    }

    /// Whether the filters let this name pass: it has to contain all of them.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.filter.iter().all(|filter| name.contains(filter.as_str()))
    }
}

/// The `warpsan` that was named, or the one beside this command.
pub(crate) fn warpsan(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let file = match named {
        Some(file) => std::path::absolute(file)?,
        None => std::env::current_exe()?.with_file_name("warpsan"),
    };
    let missing = || format!("there is no {}; build it, or name it with --warpsan", file.display());
    file.canonicalize().with_context(missing)
}

/// A bar that shows how far a long command is.
pub(crate) fn new_bar(what: &str, length: usize) -> ProgressBar {
    let template = format!("{what} [{{bar:30}}] {{pos}} of {{len}}, {{eta}} left, {{wide_msg}}");
    let style =
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length as u64).with_style(style)
}

/// How many threads to use where nothing is said.
pub(crate) fn cores() -> anyhow::Result<usize> {
    Ok(std::thread::available_parallelism().context("how many cores are there?")?.get())
}

/// The folder of the workspace that this command was built in.
fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).to_path_buf()
}
