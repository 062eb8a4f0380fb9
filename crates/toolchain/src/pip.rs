//! pip as a child process: the one way in which this crate reaches the network.
//!
//! Indexes, mirrors, proxies and certificates are pip's own settings and stay untouched; only settings
//! that would send the files elsewhere are switched off.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::environment::is_executable;
use crate::{Environment, Error, Progress, ProgressEvent, Step, WheelSet};

/// How many of pip's last lines an error shows.
const SHOWN_LINES: usize = 15;

/// A Python that has pip.
#[derive(Debug)]
pub(crate) struct Pip<'a> {
    python: PathBuf,
    environment: &'a Environment,
}

/// The folders of one run, all inside the staging folder, so that nothing lies about elsewhere
/// if pip is killed.
struct Folders {
    target: PathBuf,
    temporary: PathBuf,
    log: PathBuf,
    requirements: PathBuf,
}

impl<'a> Pip<'a> {
    /// The given Python, or the one on `PATH`.
    pub(crate) fn find(
        python: Option<&Path>,
        environment: &'a Environment,
        wheels: WheelSet,
    ) -> Result<Self, Error> {
        let python = match python {
            Some(python) => python.to_path_buf(),
            None => ["python3", "python"]
                .iter()
                .find_map(|name| environment.find_program(OsStr::new(name)))
                .ok_or_else(|| Error::PythonMissing { packages: wheels.package_list() })?,
        };
        let mut pip = Self { python, environment };
        if let Some(real) = pip.real_python() {
            pip.python = real;
        }
        let missing = |detail| Error::PipMissing {
            python: pip.python.clone(),
            packages: wheels.package_list(),
            detail,
        };
        let output = pip
            .command(Path::new("/"))
            .arg("--version")
            .output()
            .map_err(|error| missing(error.to_string()))?;
        if !output.status.success() {
            return Err(missing(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        Ok(pip)
    }

    /// The interpreter behind a version manager's wrapper. A wrapper may start Python as a child of its own,
    /// which would outlive warpsan.
    fn real_python(&self) -> Option<PathBuf> {
        let mut command = self.python_command(Path::new("/"));
        let output = command.args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        (output.status.success() && is_executable(&path)).then_some(path)
    }

    /// Installs the pinned wheels into `staging/tree` and returns that folder.
    pub(crate) fn install(
        &self,
        staging: &Path,
        wheels: WheelSet,
        progress: &mut dyn Progress,
    ) -> Result<PathBuf, Error> {
        let folders = Folders {
            target: staging.join("tree"),
            temporary: staging.join("temporary"),
            log: staging.join("pip.log"),
            requirements: staging.join("requirements.txt"),
        };
        fs::create_dir(&folders.temporary).map_err(Error::io("create", &folders.temporary))?;
        fs::write(&folders.requirements, wheels.collection.requirements)
            .map_err(Error::io("write", &folders.requirements))?;
        let started = self
            .install_command(staging, &folders)
            .and_then(|mut command| command.spawn().map_err(Error::io("start", &self.python)));
        let mut child = started?;
        let status = loop {
            match child.try_wait().map_err(Error::io("wait for", &self.python))? {
                Some(status) => break status,
                None => std::thread::sleep(Duration::from_millis(100)),
            }
            report_bytes(&folders, wheels, progress);
        };
        if status.success() {
            Ok(folders.target)
        } else {
            let packages = wheels.package_list();
            Err(Error::FetchFailed { packages, output: last_lines(&folders.log) })
        }
    }

    fn install_command(&self, staging: &Path, folders: &Folders) -> Result<Command, Error> {
        let log = File::create(&folders.log).map_err(Error::io("create", &folders.log))?;
        let log_too = log.try_clone().map_err(Error::io("open", &folders.log))?;
        let mut command = self.command(staging);
        command
            .args(["install", "--no-deps", "--only-binary=:all:", "--require-hashes"])
            .args(["--no-compile", "--no-input", "--progress-bar=off"])
            .arg("-r")
            .arg(&folders.requirements)
            .arg("--target")
            .arg(&folders.target)
            .env("TMPDIR", &folders.temporary)
            .stdout(log)
            .stderr(log_too);
        Ok(command)
    }

    /// `python -m pip`.
    fn command(&self, folder: &Path) -> Command {
        let mut command = self.python_command(folder);
        command.args(["-m", "pip", "--disable-pip-version-check", "--no-color"]);
        command
    }

    /// Python in a folder of ours: it puts the working directory on its module path, and a file of the
    /// user's that happens to be called `typing.py` must not become part of pip.
    fn python_command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.python);
        command
            .current_dir(folder)
            .stdin(Stdio::null())
            .env_clear()
            .envs(self.environment.variables());
        for (name, value) in [("PIP_USER", "0"), ("PIP_REQUIRE_VIRTUALENV", "0")] {
            command.env(name, value);
        }
        for name in ["PIP_PREFIX", "PIP_ROOT", "PIP_CONSTRAINT", "PIP_DRY_RUN"] {
            command.env_remove(name);
        }
        let parent = std::process::id();
        // SAFETY: between fork and exec only two system calls are made, which are async-signal-safe;
        // nothing is allocated and no lock is taken.
        unsafe { command.pre_exec(move || end_with(parent)) };
        command
    }
}

/// Makes the kernel end this process when warpsan ends, however that happens: a pip that outlives it
/// would go on filling a staging folder that nobody owns.
fn end_with(parent: u32) -> io::Result<()> {
    // SAFETY: PR_SET_PDEATHSIG takes a signal number and touches no memory.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // The parent may have ended before the call above.
    if std::os::unix::process::parent_id() == parent {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::ESRCH))
    }
}

/// Bytes on the disk: wheels while they come, then whatever was unpacked from them.
fn report_bytes(folders: &Folders, wheels: WheelSet, progress: &mut dyn Progress) {
    let (mut fetched, mut unpacked) = (0, 0);
    for folder in [&folders.temporary, &folders.target] {
        add_sizes(folder, false, &mut fetched, &mut unpacked);
    }
    let (step, done, total) = if unpacked == 0 {
        (Step::Fetch, fetched, wheels.download_bytes)
    } else {
        (Step::Unpack, unpacked, wheels.installed_bytes)
    };
    progress.report(ProgressEvent::Advanced { step, done: done.min(total), total });
}

/// pip moves and deletes while this reads, so what is gone is skipped. All content of the wheels stands
/// in a folder `nvidia`; pip's own temporary files do not.
fn add_sizes(folder: &Path, is_content: bool, fetched: &mut u64, unpacked: &mut u64) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let Ok(data) = entry.metadata() else { continue };
        if data.is_dir() {
            let is_content = is_content || entry.file_name() == "nvidia";
            add_sizes(&entry.path(), is_content, fetched, unpacked);
        } else if is_content {
            *unpacked += data.len();
        } else if entry.path().extension() == Some(OsStr::new("whl")) {
            *fetched += data.len();
        }
    }
}

fn last_lines(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    if shown.is_empty() { "(pip said nothing)".to_owned() } else { shown.join("\n") }
}
