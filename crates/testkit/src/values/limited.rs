//! A command that is run to its end, or to the end of its time.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

/// How long programs may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// After this time, warpsan ends the program.
    pub program: Duration,
}

impl Limits {
    /// warpsan itself gets a little longer, so that it can still report.
    fn warpsan(self) -> Duration {
        self.program + Duration::from_secs(15)
    }

    /// The flag for warpsan.
    pub(crate) fn flag(self) -> String {
        format!("--timeout={}", self.program.as_secs_f64())
    }
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) seconds: f64,
    /// The most memory that it, or a process that it waited for, had at one time. Shared mappings count.
    pub(crate) peak_bytes: u64,
}

/// Runs a command whose output goes to files in this folder, so that no pipe can fill up.
pub(crate) fn run_limited(
    command: &mut Command,
    folder: &Path,
    limits: Limits,
) -> anyhow::Result<Ended> {
    let name = Path::new(command.get_program()).display().to_string();
    let failed = || format!("cannot run {name}");
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    let create = |path: &Path| File::create(path).with_context(failed);
    command.stdin(Stdio::null()).stdout(create(&stdout)?).stderr(create(&stderr)?);
    let start = Instant::now();
    let mut child = command.spawn().with_context(failed)?;
    let process = child.id() as libc::pid_t;
    let (status, peak_bytes) = loop {
        if let Some(ended) = ended_process(process).with_context(failed)? {
            break ended;
        }
        if start.elapsed() > limits.warpsan() {
            // Whoever does not end by itself is ended; the next look finds it.
            child.kill().with_context(failed)?;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let seconds = start.elapsed().as_secs_f64();
    let text = |path: &Path| -> anyhow::Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(path).with_context(failed)?).into_owned())
    };
    Ok(Ended {
        code: status.code(),
        stdout: text(&stdout)?,
        stderr: text(&stderr)?,
        seconds,
        peak_bytes,
    })
}

/// How a child ended and the most memory that it had, if it has ended.
fn ended_process(process: libc::pid_t) -> io::Result<Option<(ExitStatus, u64)>> {
    let mut status = 0;
    // SAFETY: `rusage` is numbers only, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: Both pointers are to variables of the right types that live through the call. The process
    // is our own child, and nobody else waits for it.
    let ended = unsafe { libc::wait4(process, &mut status, libc::WNOHANG, &mut usage) };
    match ended {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        // Linux counts in kilobytes.
        _ => {
            let peak = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
            Ok(Some((ExitStatus::from_raw(status), peak)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: f64) -> Ended {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { program: Duration::from_secs_f64(limit) };
        run_limited(Command::new("sh").args(["-c", script]), folder.path(), limits).unwrap()
    }

    #[test]
    fn output_code_and_memory_are_recorded() {
        let ended = shell("echo out; echo err >&2; exit 4", 60.0);
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(ended.code, Some(4));
        // The system counts what this process had when it started the other one, which is what all tests
        // together take.
        assert!((100_000..800_000_000).contains(&ended.peak_bytes), "{}", ended.peak_bytes);
        let large = shell("dd if=/dev/zero of=/dev/null bs=900M count=1 2>/dev/null", 60.0);
        assert!(large.peak_bytes > 900_000_000, "{}", large.peak_bytes);
    }
}
