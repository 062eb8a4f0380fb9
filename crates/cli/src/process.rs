//! Running a program with warpsan inside it, and collecting what its processes report.
//!
//! The program is started as it is, with its own arguments, input and output, and with an
//! environment that makes the dynamic linker bring in our libraries. Processes that it starts
//! inherit the environment, and all of them write to one log, which `census` holds against what was started.

mod ahead;
mod census;
mod end;
mod inherited;
#[cfg(all(test, feature = "embed-libraries"))]
mod injection_tests;
mod monitor;
mod obstacle;
mod sightings;
mod signals;
mod tree;
mod unchecked;

pub(crate) use obstacle::{find as find_program, of_program as obstacle_of};
pub(crate) use unchecked::UncheckedObject;

use crate::embedded::{LibraryFolder, can_be_preloaded_from, ensure_carried, unpack};
use crate::threads::{self, Plan, ThreadProcess};
use anyhow::{Context, bail};
use signals::ForwardedSignals;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;
use warpsan_evidence::{Evidence, LogKeeper};
use warpsan_gpu::{REAL_DRIVER_VARIABLE, real_driver};
use warpsan_report::NotCovered;
use warpsan_runtime::report_log::{ProcessReport, process_reports};
use warpsan_runtime::{
    Engine, FOLDER_VARIABLE, LIBRARIES_VARIABLE, LOG_VARIABLE, OPTIONS_VARIABLE, Options,
    START_VARIABLE, announce, begin_run, joined_list,
};

/// A program to check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedProgram<'a> {
    /// Its path, or a name to be found on `PATH`.
    pub(crate) program: &'a OsStr,
    /// Its arguments.
    pub(crate) arguments: &'a [OsString],
    /// After this time it is ended, with all processes that it has started.
    pub(crate) timeout: Option<Duration>,
    /// How its threads are checked, if they are.
    pub(crate) threads: Option<&'a Plan>,
    /// The command that does the same again, for whoever reads the log of a run whose command was killed.
    pub(crate) again: &'a str,
}

/// How a checked program ended, and what was found.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    /// How the program itself ended.
    pub(crate) status: ExitStatus,
    /// Whether it was ended because its time was over.
    pub(crate) timed_out: bool,
    /// What each process that used CUDA reported; empty when none did.
    pub(crate) reports: Vec<ProcessReport>,
    /// What each process said about its threads; empty when none was checked for them.
    pub(crate) threads: Vec<ThreadProcess>,
    /// Programs and libraries whose kernels were not checked, because calls could not be
    /// redirected. A run with such an object is not clean.
    pub(crate) unchecked: Vec<UncheckedObject>,
    /// What is missing in the evidence: a run with such a gap is not clean.
    pub(crate) gaps: Vec<NotCovered>,
    /// Processes that it has started were still running when it ended.
    pub(crate) left_running: bool,
    /// What all of this was read from. It stays until the report is given out: `warpsan report` reads it if the command is
    /// killed before.
    pub(crate) folder: Option<PrivateFolder>,
}

/// Runs a program to its end. The libraries are kept below `cache`, if it can be used.
pub(crate) fn run(
    program: CheckedProgram<'_>,
    options: &Options,
    cache: Option<&Path>,
) -> anyhow::Result<RunOutcome> {
    let private = PrivateFolder::create()?;
    let libraries = provide_libraries(cache, &private)?;
    let mut command = Command::new(program.program);
    command.args(program.arguments);
    let keeper = LogKeeper::create(&private.log()).with_context(|| {
        format!("cannot make the log of the run in {}", private.path().display())
    })?;
    begin_run(keeper.log(), options, program.again.to_string());
    set_environment(&mut command, &libraries, &private, options, program.threads)?;
    command.env(LOG_VARIABLE, keeper.path());
    command.env(START_VARIABLE, announce(keeper.log(), program.program).to_string());
    inherited::hand_on(&mut command);
    tree::adopt_orphans();
    let mut run_to_end = || run_to_end(&mut command, program, &private.mark());
    let folder = private.reports();
    let mut assembling = || ahead::while_assembling(&folder, options, &mut run_to_end);
    let (ended, sightings) = sightings::while_watched(&keeper, || match options.progress {
        true => monitor::while_monitored(&folder, assembling),
        false => assembling(),
    });
    let (status, timed_out) = ended?;
    let left_running = !timed_out && tree::has_running_children();
    let evidence = keeper.evidence();
    let reports = process_reports(&evidence);
    let threads = threads::processes(&evidence);
    // What our libraries, or this command, assemble by is no program of the user's.
    let assembler = options.gpu.ptxas.as_ref().and_then(|ptxas| std::fs::canonicalize(ptxas).ok());
    let gaps = census::gaps(&evidence, &sightings, assembler.as_deref());
    let unchecked = unchecked::read(&evidence);
    let folder = Some(private);
    Ok(RunOutcome { status, timed_out, reports, threads, unchecked, gaps, left_running, folder })
}

fn run_to_end(
    command: &mut Command,
    program: CheckedProgram<'_>,
    mark: &OsStr,
) -> anyhow::Result<(ExitStatus, bool)> {
    signals::keep_ends_of_children(command);
    let signals = ForwardedSignals::install();
    let mut child = command.spawn().map_err(|error| start_error(program.program, error))?;
    signals.forward_to(child.id());
    let tree = tree::Tree { root: child.id(), mark };
    let timed_out = end::wait_for_end(tree, program.timeout);
    // From here on the process number may belong to somebody else.
    drop(signals);
    Ok((child.wait().context("cannot wait for the program")?, timed_out))
}

/// All that a log does not account for: what was lost, who was not entered, and what could not be redirected.
pub(crate) fn not_accounted_for(evidence: &Evidence) -> Vec<NotCovered> {
    let unchecked = unchecked::read(evidence);
    let unchecked = unchecked.iter().map(UncheckedObject::in_report);
    census::gaps(evidence, &[], None).into_iter().chain(unchecked).collect()
}

/// Says why a program did not start, in words that help.
fn start_error(program: &OsStr, error: io::Error) -> anyhow::Error {
    let name = Path::new(program).display();
    let is_plain_name = !program.as_encoded_bytes().contains(&b'/');
    match error.raw_os_error() {
        Some(libc::ENOENT) if Path::new(program).is_file() && is_plain_name => {
            anyhow::anyhow!(
                "there is no program `{name}` on PATH; for the file here write ./{name}"
            )
        }
        Some(libc::ENOENT) if Path::new(program).is_file() => {
            anyhow::anyhow!("`{name}` cannot be started: the interpreter that it names is missing")
        }
        Some(libc::ENOENT) => anyhow::anyhow!("there is no program `{name}`"),
        Some(libc::EACCES) => {
            anyhow::anyhow!("`{name}` cannot be started: it is not an executable file")
        }
        Some(libc::ENOEXEC) => anyhow::anyhow!(
            "`{name}` is not a program of this machine; a script has to begin with a line like #!/bin/sh"
        ),
        _ => anyhow::Error::new(error).context(format!("cannot start `{name}`")),
    }
}

/// Unpacks the libraries into the cache, or, where that cannot be written or named to the dynamic
/// linker, into the folder of this run.
fn provide_libraries(
    cache: Option<&Path>,
    private: &PrivateFolder,
) -> anyhow::Result<LibraryFolder> {
    ensure_carried()?;
    if let Some(cache) = cache.filter(|cache| can_be_preloaded_from(cache)) {
        match unpack(cache) {
            Ok(folder) => return Ok(folder),
            Err(error) => tracing::warn!("cannot keep libraries in {}: {error}", cache.display()),
        }
    }
    if !can_be_preloaded_from(private.path()) {
        bail!(
            "the dynamic linker cannot load libraries from {}, because of a character in its name; \
             set WARPSAN_CACHE_DIR or TMPDIR to a folder without spaces, colons and dollar signs",
            private.path().display()
        );
    }
    let root = private.path();
    unpack(root).with_context(|| format!("cannot write libraries to {}", root.display()))
}

fn set_environment(
    command: &mut Command,
    libraries: &LibraryFolder,
    private: &PrivateFolder,
    options: &Options,
    threads: Option<&Plan>,
) -> anyhow::Result<()> {
    let engine = options.engine;
    let options = serde_json::to_string(options).context("cannot pass the options on")?;
    command.env(OPTIONS_VARIABLE, options);
    command.env(FOLDER_VARIABLE, private.reports());
    command.env(LIBRARIES_VARIABLE, libraries.path());
    command.env("WARPSAN_ENGINE", engine.name());
    let mut preloaded: Vec<PathBuf> = Vec::new();
    if let Some(plan) = threads {
        let options = serde_json::to_string(&plan.options).context("cannot pass the options on")?;
        command.env(warpsan_thread_report::OPTIONS_VARIABLE, options);
        preloaded.extend(libraries.preloaded_for_threads(plan.library()));
    }
    match engine {
        Engine::Cpu => {
            preloaded.extend(libraries.preloaded());
            command.env("LD_AUDIT", before("LD_AUDIT", [libraries.audit()]));
        }
        Engine::Gpu => {
            preloaded.extend(libraries.preloaded_on_gpu());
            // For those who ask for the driver by another name than its own.
            command.env("LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", [libraries.driver_folder()]));
            command.envs(real_driver().map(|driver| (REAL_DRIVER_VARIABLE, driver)));
        }
    }
    command.env("LD_PRELOAD", before("LD_PRELOAD", preloaded));
    command.env("ASAN_OPTIONS", asan_options(std::env::var_os("ASAN_OPTIONS")));
    Ok(())
}

/// AddressSanitizer insists on being the first library, and need not be: ours replace nothing of it.
fn asan_options(theirs: Option<OsString>) -> OsString {
    let mut options = theirs.filter(|options| !options.is_empty()).unwrap_or_default();
    if !options.is_empty() {
        options.push(":");
    }
    options.push("verify_asan_link_order=0");
    options
}

/// Our libraries before those that the user has in the variable.
fn before(variable: &str, ours: impl IntoIterator<Item = PathBuf>) -> OsString {
    let ours: Vec<_> = ours.into_iter().map(PathBuf::into_os_string).collect();
    joined_list(&ours.join(OsStr::new(":")), &std::env::var_os(variable).unwrap_or_default())
}

/// The folder of one run, which only this user can see, and which goes when this does.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl PrivateFolder {
    fn create() -> anyhow::Result<PrivateFolder> {
        let folder = tempfile::Builder::new().prefix("warpsan-").tempdir();
        let folder = folder.context("cannot make a temporary folder for the reports")?;
        // Whatever the umask is.
        let only_ours = || std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(folder.path(), only_ours())
            .context("cannot use the temporary folder")?;
        // The program may change its working directory.
        let path = folder.path().canonicalize().context("cannot find the temporary folder")?;
        let private = PrivateFolder { folder, path };
        std::fs::create_dir(private.reports()).with_context(|| {
            format!("cannot make a folder for the reports in {}", private.folder.path().display())
        })?;
        std::fs::set_permissions(private.reports(), only_ours())
            .context("cannot use the temporary folder")?;
        Ok(private)
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn reports(&self) -> PathBuf {
        self.path.join("reports")
    }

    /// What the environment of every process of the run has, and of no other.
    fn mark(&self) -> OsString {
        let mut mark = OsString::from(format!("{FOLDER_VARIABLE}="));
        mark.push(self.reports());
        mark
    }

    fn log(&self) -> PathBuf {
        self.path.join("log")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_address_sanitizer_are_kept() {
        assert_eq!(asan_options(None), "verify_asan_link_order=0");
        let theirs = Some("detect_leaks=0".into());
        assert_eq!(asan_options(theirs), "detect_leaks=0:verify_asan_link_order=0");
    }

    /// What a variable of a program's environment is set to.
    fn set(command: &Command, name: &str) -> Option<String> {
        let mut all = command.get_envs().filter(|(variable, _)| *variable == name);
        all.next().and_then(|(_, value)| Some(value?.to_string_lossy().into_owned()))
    }

    #[test]
    fn libraries_for_threads_come_before_all_others_and_only_where_they_are_wanted() {
        let private = PrivateFolder::create().expect("a folder");
        let libraries = LibraryFolder::at(Path::new("/libraries"));
        let mut command = Command::new("app");
        let options = Options::default();
        set_environment(&mut command, &libraries, &private, &options, None).expect("it is set");
        let preloaded = set(&command, "LD_PRELOAD").expect("ours");
        assert!(preloaded.starts_with("/libraries/libwarpsan_rt.so:"), "{preloaded}");
        assert_eq!(set(&command, "WARPSAN_THREADS"), None);
        let plan = Plan {
            detector: threads::ThreadDetector::FastTrack,
            options: warpsan_thread_report::Options {
                history: Some(7),
                ..warpsan_thread_report::Options::default()
            },
            expectation: threads::Expectation::AskedFor,
        };
        for engine in [Engine::Cpu, Engine::Gpu] {
            let options = Options { engine, ..Options::default() };
            let mut command = Command::new("app");
            let set_up = set_environment(&mut command, &libraries, &private, &options, Some(&plan));
            set_up.expect("it is set");
            let preloaded = set(&command, "LD_PRELOAD").expect("ours");
            let first = "/libraries/threads/fasttrack.so:/libraries/threads/libtsan.so.2:\
                         /libraries/threads/libtsan.so.0:/libraries/threads/libclang_rt.tsan-x86_64.so:\
                         /libraries/libwarpsan_rt.so";
            assert!(preloaded.starts_with(first), "{preloaded}");
            let told = set(&command, "WARPSAN_THREADS").expect("options");
            let told: warpsan_thread_report::Options = serde_json::from_str(&told).expect("JSON");
            assert_eq!(told, plan.options);
        }
    }

    fn start(program: &str) -> String {
        let program = OsStr::new(program);
        loop {
            let error = Command::new(program).spawn().expect_err("it cannot be started");
            // For a moment, a process that another test starts may hold the file open as well.
            if error.raw_os_error() != Some(libc::ETXTBSY) {
                return start_error(program, error).to_string();
            }
        }
    }

    #[test]
    fn a_program_that_cannot_be_started_is_named_with_the_reason() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("program");
        let name = file.display().to_string();
        assert_eq!(start(&name), format!("there is no program `{name}`"));
        std::fs::write(&file, "neither a script nor a program").expect("a file");
        assert!(start(&name).contains("not an executable file"), "{}", start(&name));
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("permissions");
        assert!(start(&name).contains("not a program of this machine"), "{}", start(&name));
        std::fs::write(&file, "#!/no/such/interpreter\n").expect("a file");
        assert!(start(&name).contains("interpreter"), "{}", start(&name));
    }
}

#[cfg(all(test, feature = "embed-libraries"))]
mod tests_of_scripts {
    use super::*;

    /// Runs a shell script as a checked program.
    fn run_script(script: &str, timeout: Option<Duration>) -> RunOutcome {
        let arguments = ["-c".into(), script.into()];
        let program = CheckedProgram {
            program: "sh".as_ref(),
            arguments: &arguments,
            timeout,
            threads: None,
            again: "warpsan run -- sh",
        };
        let cache = tempfile::tempdir().expect("a folder");
        run(program, &Options::default(), Some(cache.path())).expect("the script runs")
    }

    #[test]
    fn a_program_without_cuda_runs_as_itself() {
        let outcome = run_script("exit 7", None);
        assert_eq!(outcome.status.code(), Some(7));
        assert!(outcome.reports.is_empty());
        assert!(!outcome.timed_out);
        assert!(outcome.unchecked.is_empty());
    }

    #[test]
    fn the_private_folder_goes_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let seen = folder.path().join("seen");
        run_script(&format!("echo $WARPSAN_REPORT_DIR > {}", seen.display()), None);
        let reports = std::fs::read_to_string(&seen).expect("the script has run");
        let reports = Path::new(reports.trim_end());
        assert!(reports.is_absolute(), "{}", reports.display());
        assert!(!reports.exists(), "{}", reports.display());
    }

    #[test]
    fn time_runs_out_for_the_whole_tree() {
        let folder = tempfile::tempdir().expect("a folder");
        let numbers = folder.path().join("numbers");
        // A grandchild that would outlive its parents.
        let script = format!("sh -c 'sleep 60 & echo $! > {}; wait' & wait", numbers.display());
        let outcome = run_script(&script, Some(Duration::from_millis(500)));
        assert!(outcome.timed_out);
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&outcome.status), Some(9));
        let number = std::fs::read_to_string(&numbers).expect("the grandchild was started");
        let number: u32 = number.trim_end().parse().expect("a process number");
        for _ in 0..200 {
            if !tree::is_running(number) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("process {number} was left behind");
    }

    #[test]
    fn a_signal_to_warpsan_reaches_the_program() {
        let script = "trap 'exit 42' TERM; kill -TERM $PPID; sleep 30 & wait; exit 1";
        let outcome = run_script(script, Some(Duration::from_secs(20)));
        assert_eq!(outcome.status.code(), Some(42));
    }

    #[test]
    fn a_program_that_ends_in_time_is_left_alone() {
        let outcome = run_script("exit 3", Some(Duration::from_secs(60)));
        assert_eq!(outcome.status.code(), Some(3));
        assert!(!outcome.timed_out);
    }
}
