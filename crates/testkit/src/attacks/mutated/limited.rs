//! A command under limits of time and memory.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::case::{Case, FILE};

/// What a case may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time until it counts as hung.
    pub time: Duration,
    /// Resident memory of any of its processes, in bytes. Address space is no measure: device memory is mapped whole.
    pub memory: u64,
}

/// How a case ended.
#[derive(Debug)]
pub struct Ended {
    /// Its code, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal.
    pub signal: Option<i32>,
    /// It was killed because it took too long.
    pub hung: bool,
    /// How long it took.
    pub time: Duration,
    /// The most memory of any of its processes, in bytes.
    pub memory: u64,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
}

/// More output of a case is not read.
const MOST_OUTPUT: u64 = 1 << 20;

/// Runs a case in a folder of its own.
pub(super) fn run(warpsan: &Path, case: &Case, limits: Limits) -> io::Result<Ended> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(case.file_name);
    fs::write(&file, &case.contents)?;
    let (stdout, stderr) = (folder.path().join("stdout"), folder.path().join("stderr"));
    let mut command = Command::new(warpsan);
    let path = file.display().to_string();
    command.args(case.arguments.iter().map(|argument| argument.replace(FILE, &path)));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    command.current_dir(folder.path()).process_group(0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let process = child.id();
    let (mut hung, mut memory) = (false, 0);
    let status = loop {
        if let Some((status, most)) = ended(process)? {
            memory = most.max(memory);
            break status;
        }
        memory = memory.max(resident_bytes(process));
        hung = start.elapsed() > limits.time;
        if hung || memory > limits.memory {
            // SAFETY: the group is that of the child, which has not been waited for yet.
            unsafe { libc::kill(-(process as libc::pid_t), libc::SIGKILL) };
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Ok(Ended {
        code: status.code(),
        signal: status.signal(),
        hung,
        time: start.elapsed(),
        memory,
        stdout: beginning(&stdout)?,
        stderr: beginning(&stderr)?,
    })
}

/// The status of a child that has ended, and the most memory that it or one of its children had.
fn ended(process: u32) -> io::Result<Option<(ExitStatus, u64)>> {
    let mut status = 0;
    // SAFETY: a structure of numbers may be zero.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and has not been waited for; both places are written by the system only.
    let found = unsafe {
        libc::wait4(process as libc::pid_t, &raw mut status, libc::WNOHANG, &raw mut usage)
    };
    match found {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(Some((ExitStatus::from_raw(status), usage.ru_maxrss as u64 * 1024))),
    }
}

/// The most memory of a process and its children, now.
fn resident_bytes(process: u32) -> u64 {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    let own = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let own = own.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let own = own.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    children.map(resident_bytes).chain([own.unwrap_or(0) * 1024]).max().unwrap_or(0)
}

fn beginning(file: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(File::open(file)?, MOST_OUTPUT), &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Ended {
    /// The end of what it printed.
    pub(super) fn last_words(&self) -> String {
        let all = format!("{}{}", self.stdout, self.stderr);
        let lines: Vec<&str> = all.lines().rev().take(3).collect();
        let words: Vec<String> =
            lines.iter().rev().map(|line| line.chars().take(200).collect()).collect();
        words.join(" | ")
    }
}
