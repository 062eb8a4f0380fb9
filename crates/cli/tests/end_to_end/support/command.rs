//! Running a command to its end, with a limit: a test that hangs says so.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Far more than any of the commands takes, on a slow machine too.
const LIMIT: Duration = Duration::from_secs(180);

/// How a command ended and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ended {
    /// The exit code; a command that a signal ended has none.
    #[track_caller]
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("ended by a signal: {self:#?}"))
    }

    /// Fails with everything the command said when it ended otherwise than with this code.
    #[track_caller]
    pub(crate) fn expect_code(&self, expected: i32) -> &Self {
        assert_eq!(self.code(), expected, "exit code; stderr:\n{}", self.stderr);
        self
    }

    /// Fails when standard error misses one of these texts.
    #[track_caller]
    pub(crate) fn expect_stderr(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(self.stderr.contains(text), "`{text}` is missing in:\n{}", self.stderr);
        }
        self
    }
}

/// The command under test, which finds no GPU, also where there is one.
pub(crate) fn warpsan<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsan"));
    command.args(arguments).stdin(Stdio::null()).env("WARPSAN_REAL_LIBCUDA", "/none");
    command
}

/// A command under way, with its output going to files, so that no pipe can fill up.
pub(crate) struct Running {
    pub(crate) child: Child,
    shown: String,
    folder: tempfile::TempDir,
}

/// Starts a command.
pub(crate) fn start(command: &mut Command) -> Running {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = |name: &str| File::create(folder.path().join(name)).expect("a file can be made");
    command.stdout(file("stdout")).stderr(file("stderr"));
    let shown = format!("{command:?}");
    let child = command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
    Running { child, shown, folder }
}

impl Running {
    /// What the command has written to standard output until now.
    pub(crate) fn stdout(&self) -> Vec<u8> {
        read(&self.folder.path().join("stdout"))
    }

    /// What the command has written to standard error until now.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&read(&self.folder.path().join("stderr"))).into_owned()
    }

    /// Waits until the condition gives a value.
    #[track_caller]
    pub(crate) fn wait_for<T>(
        &mut self,
        what: &str,
        mut ready: impl FnMut(&mut Self) -> Option<T>,
    ) -> T {
        let start = Instant::now();
        loop {
            if let Some(value) = ready(self) {
                return value;
            }
            if start.elapsed() > LIMIT {
                self.child.kill().expect("a command that hangs can be killed");
                panic!("no {what} after {LIMIT:?}: {}\n{}", self.shown, self.stderr());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn end(mut self) -> Ended {
        let status = self.wait_for("end", |running| {
            running.child.try_wait().expect("a child can be waited for")
        });
        Ended { status, stdout: self.stdout(), stderr: self.stderr() }
    }
}

/// Runs a command to its end.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Ended {
    start(command).end()
}

/// A number that no other call of this process gets, for names of files.
pub(crate) fn unique_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn read(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
