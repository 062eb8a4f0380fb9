//! The commands that the testkit runs. Their flags are passed on as they are: the testkit defines them, and its help lists them.

use std::ffi::OsString;
use std::process::Command as Process;

use crate::process::{RELEASE_WARPSAN, built, cargo, run as run_process};

/// The commands by the names that the testkit knows them by, but for the benches and fuzzing.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Every PTX text of the corpus, parsed and printed, gives the same machine code
    Corpus(Flags),
    /// Programs of several units, linked by nvlink and by our PTX linker, to be run and compared on a GPU
    Rdc(Flags),
    /// The loads that the device compiler speculates at each level, and their guards
    Speculation(Flags),
    /// Whole programs under warpsan print what an H200 printed, under every schedule
    Values(Flags),
    /// The programs of the suites get the verdicts that their `//~` comments name, with every seed
    Ui(Flags),
    /// They get these verdicts, too, from events that went through the queues which a device writes
    Shipping(Flags),
    /// They get these verdicts, too, from the records that their instrumented kernels write on the CPU engine
    ShippedKernels(Flags),
    /// The programs of suites/programs print and end as on an H200, and race as their `//~` comments say
    Programs(Flags),
    /// The programs of suites/threads, built with -fsanitize=thread by every compiler, race as their `//~` comments say
    Threads(Flags),
    /// Broken and hostile input: nothing aborts, hangs, takes too much or is called clean
    Attacks(Flags),
    /// Many processes at once, and programs that are killed or crash: nothing that was found is lost
    Processes(Flags),
    /// The programs of the suites twice with each seed, on one core and on two: identical traces
    Determinism(Flags),
    /// The checks for a GPU (crates/instrument/device) compile to the PTX that is committed beside them
    DeviceRuntime(Flags),
    /// The assembler takes every kernel of the suites with its checks for a GPU
    InstrumentCorpus(Flags),
    /// Kernels for every form of every instruction, to be run on a GPU, and what comes back
    Instructions(Flags),
    /// A launch of 2^20 threads over 1 GiB of data: memory and time
    Scale(Flags),
    /// Tables VI and VII of the ScoRD paper over suites/scor
    ScordTables(Flags),
    /// Whether `iguard` finds more with a longer history, over the suites
    IguardHistory(Flags),
    /// `curd` reports the same lazily and eagerly, and its sets report what `barracuda` does, over the suites
    CurdSchemes(Flags),
    /// Tables I and VI of the LD paper, and what `ld` reports beside `hb`, over the suites
    LdTables(Flags),
    /// Safe execution: racy programs have one outcome whatever the seed, and `hb` finds nothing in what was executed
    SafeExecution(Flags),
    /// Measure something
    #[command(subcommand)]
    Bench(Bench),
}

/// What can be measured.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Bench {
    /// What race detection costs on the CPU engine: time beside `none`, and shadow memory
    Detect(Flags),
    /// The programs of suites/parsnip on the model of a multicore with PARSNIP, beside the thesis' figures
    Parsnip(Flags),
    /// How fast the PTX of CUB and Thrust is parsed on one core, beside ptxas
    Ptx(Flags),
    /// How fast the CPU engine runs kernels on one core, beside `g++ -O2`
    Simt(Flags),
    /// How long `warpsan run` takes to start a trivial program, and one with 20 MB of code
    Startup(Flags),
    /// What detecting races among threads costs, beside the compilers' own runtimes: time, memory, metadata
    Threads(Flags),
}

/// Flags that are passed on, `--help` among them.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Flags {
    /// `--help` lists them
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<OsString>,
}

/// What has to be built before the testkit can run a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// A `warpsan` beside the testkit.
    Warpsan,
}

impl Command {
    /// How the testkit calls the command, what it needs, and its flags.
    fn parts(&self) -> (&'static str, Needs, &Flags) {
        match self {
            Self::Corpus(flags) => ("corpus", Needs::Warpsan, flags),
            Self::Rdc(flags) => ("rdc", Needs::Nothing, flags),
            Self::Speculation(flags) => ("speculation", Needs::Nothing, flags),
            Self::Values(flags) => ("values", Needs::Warpsan, flags),
            Self::Ui(flags) => ("ui", Needs::Warpsan, flags),
            Self::Shipping(flags) => ("shipping", Needs::Warpsan, flags),
            Self::ShippedKernels(flags) => ("shipped-kernels", Needs::Nothing, flags),
            Self::Programs(flags) => ("programs", Needs::Warpsan, flags),
            Self::Threads(flags) => ("threads", flags.needs_of_threads(), flags),
            Self::Attacks(flags) => ("attacks", Needs::Warpsan, flags),
            Self::Processes(flags) => ("processes", Needs::Warpsan, flags),
            Self::Determinism(flags) => ("determinism", Needs::Warpsan, flags),
            Self::DeviceRuntime(flags) => ("device-runtime", Needs::Nothing, flags),
            Self::InstrumentCorpus(flags) => ("instrument-corpus", Needs::Nothing, flags),
            Self::Instructions(flags) => ("instructions", Needs::Nothing, flags),
            Self::Scale(flags) => ("scale", Needs::Warpsan, flags),
            Self::ScordTables(flags) => ("scord-tables", Needs::Warpsan, flags),
            Self::IguardHistory(flags) => ("iguard-history", Needs::Warpsan, flags),
            Self::CurdSchemes(flags) => ("curd-schemes", Needs::Warpsan, flags),
            Self::LdTables(flags) => ("ld-tables", Needs::Warpsan, flags),
            Self::SafeExecution(flags) => ("safe-execution", Needs::Warpsan, flags),
            Self::Bench(Bench::Detect(flags)) => ("bench-detect", Needs::Warpsan, flags),
            Self::Bench(Bench::Parsnip(flags)) => ("bench-parsnip", Needs::Warpsan, flags),
            Self::Bench(Bench::Ptx(flags)) => ("bench-ptx", Needs::Nothing, flags),
            Self::Bench(Bench::Simt(flags)) => ("bench-simt", Needs::Nothing, flags),
            Self::Bench(Bench::Startup(flags)) => ("bench-startup", Needs::Warpsan, flags),
            Self::Bench(Bench::Threads(flags)) => {
                ("bench-threads", flags.needs_of_threads(), flags)
            }
        }
    }
}

/// Builds what the command needs, with optimisation, and runs it.
pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    let (name, needs, flags) = command.parts();
    if needs == Needs::Warpsan && !flags.ask_for_help() {
        run_process(&mut cargo(RELEASE_WARPSAN))?;
    }
    run_named(name, flags)
}

/// Builds the testkit with optimisation, and runs the command that it knows by this name.
pub(crate) fn run_named(name: &str, flags: &Flags) -> anyhow::Result<()> {
    run_process(&mut cargo(&["build", "--release", "--package", "warpsan-testkit"]))?;
    run_process(command("release", name).args(&flags.flags))
}

/// The part of the corpus that CI checks, with the programs that the tests have built already.
pub(crate) fn run_sample_of_corpus(consent_given: bool) -> anyhow::Result<()> {
    let mut sample = command("debug", "corpus");
    sample.arg("--sample");
    if consent_given {
        sample.arg("--yes");
    }
    run_process(&mut sample)
}

/// The programs with threads that CI has time for; `warpsan` is the one that the tests have built.
pub(crate) fn run_sample_of_threads() -> anyhow::Result<()> {
    // Two processes that race in memory they share are not seen yet.
    let left_out = ["--without", "shared-mappings"];
    run_process(command("debug", "threads").arg("--sample").args(left_out))?;
    run_process(command("debug", "threads").args(["--sample", "--replay"]).args(left_out))
}

/// A command of the testkit that was built with one of cargo's profiles.
fn command(profile: &str, name: &str) -> Process {
    let folder = built(profile);
    let mut command = Process::new(folder.join("warpsan-testkit"));
    command.arg(name);
    if name == "corpus" {
        command.arg("--warpsan").arg(folder.join("warpsan"));
    }
    command
}

impl Flags {
    fn ask_for_help(&self) -> bool {
        self.have("--help") || self.have("-h")
    }

    /// Where the compilers' own runtimes are asked, or nobody, no `warpsan` is needed.
    fn needs_of_threads(&self) -> Needs {
        match ["--baseline", "--plain"].iter().any(|flag| self.have(flag)) {
            true => Needs::Nothing,
            false => Needs::Warpsan,
        }
    }

    fn have(&self, wanted: &str) -> bool {
        self.flags.iter().any(|flag| flag == wanted)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Command, Needs};

    #[derive(Debug, Parser)]
    struct Arguments {
        #[command(subcommand)]
        command: Command,
    }

    fn parse(words: &[&str]) -> Command {
        let words = std::iter::once(&"testkit").chain(words);
        Arguments::try_parse_from(words).expect("the command line is right").command
    }

    #[test]
    fn flags_reach_the_testkit_as_they_are() {
        let command = parse(&["ui", "--seeds", "3", "--help", "-x"]);
        let (name, needs, flags) = command.parts();
        assert_eq!((name, needs), ("ui", Needs::Warpsan));
        assert_eq!(flags.flags, ["--seeds", "3", "--help", "-x"]);
        assert!(flags.ask_for_help());
    }

    #[test]
    fn the_compilers_own_runtimes_need_no_warpsan() {
        let needs = |words: &[&str]| parse(words).parts().1;
        assert_eq!(needs(&["threads", "--runs", "3"]), Needs::Warpsan);
        assert_eq!(needs(&["threads", "--plain"]), Needs::Nothing);
        assert_eq!(needs(&["bench", "threads", "--baseline"]), Needs::Nothing);
        assert_eq!(needs(&["threads", "--runs", "3", "--baseline"]), Needs::Nothing);
    }

    #[test]
    fn a_bench_is_a_command_of_the_testkit() {
        let command = parse(&["bench", "simt", "--repetitions", "3"]);
        let (name, needs, flags) = command.parts();
        assert_eq!((name, needs), ("bench-simt", Needs::Nothing));
        assert_eq!(flags.flags, ["--repetitions", "3"]);
        assert!(!flags.ask_for_help());
    }
}
