//! A command under limits of time and memory, with its output in files, so that no pipe can fill up. Everything here that
//! runs `warpsan` runs it by this.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a command may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time until it counts as hung.
    pub time: Duration,
    /// Resident memory of any of its processes, in bytes. Address space is no measure: device memory is mapped whole.
    pub memory: u64,
}

impl Limits {
    /// As much memory as there is.
    pub(crate) fn of_time(time: Duration) -> Limits {
        Limits { time, memory: u64::MAX }
    }
}

/// How a command ended.
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
    /// The most memory that it, or a process that it waited for, had at one time, in bytes. Shared mappings count.
    pub memory: u64,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
}

/// A command under way, in a folder and a group of processes of its own.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    folder: PathBuf,
    limits: Limits,
    begun: Instant,
    memory: u64,
}

/// More output of a command is not read.
const MOST_OUTPUT: u64 = 64 << 20;
/// The time from one look at a command to the next.
const INTERVAL: Duration = Duration::from_millis(2);

impl Running {
    /// Starts a command. What it prints goes into the folder.
    pub(crate) fn start(
        command: &mut Command,
        folder: &Path,
        limits: Limits,
    ) -> io::Result<Running> {
        let file = |name: &str| File::create(folder.join(name));
        command.stdin(Stdio::null()).stdout(file("stdout")?).stderr(file("stderr")?);
        let begun = Instant::now();
        let child = command.process_group(0).spawn()?;
        Ok(Running { child, folder: folder.to_path_buf(), limits, begun, memory: 0 })
    }

    /// Runs a command to its end.
    pub(crate) fn run(command: &mut Command, folder: &Path, limits: Limits) -> io::Result<Ended> {
        Running::start(command, folder, limits)?.end()
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed until now.
    pub(crate) fn stdout(&self) -> String {
        beginning(&self.folder.join("stdout")).unwrap_or_default()
    }

    /// Whether its time is over.
    pub(crate) fn is_late(&self) -> bool {
        self.begun.elapsed() > self.limits.time
    }

    /// Kills the command, and leaves all that it has started.
    pub(crate) fn kill_alone(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Kills the command and its group.
    pub(crate) fn kill_all(&mut self) -> io::Result<ExitStatus> {
        let group = -(self.child.id() as libc::pid_t);
        // SAFETY: sending a signal touches no memory of this process; the group is that of the child, which has not been
        // waited for yet.
        unsafe { libc::kill(group, libc::SIGKILL) };
        self.child.wait()
    }

    /// Waits for the end, or for one of the limits.
    pub(crate) fn end(mut self) -> io::Result<Ended> {
        let process = self.child.id();
        let mut hung = false;
        let status = loop {
            if let Some((status, most)) = ended_process(process)? {
                self.memory = self.memory.max(most);
                break status;
            }
            if self.limits.memory < u64::MAX {
                self.memory = self.memory.max(resident_bytes(process));
            }
            hung = self.is_late();
            if hung || self.memory > self.limits.memory {
                break self.kill_all()?;
            }
            std::thread::sleep(INTERVAL);
        };
        Ok(Ended {
            code: status.code(),
            signal: status.signal(),
            hung,
            time: self.begun.elapsed(),
            memory: self.memory,
            stdout: beginning(&self.folder.join("stdout"))?,
            stderr: beginning(&self.folder.join("stderr"))?,
        })
    }
}

/// Whether a process is there and not merely waiting to be collected.
pub(crate) fn is_running(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name before it is in parentheses, and may contain anything.
    let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

/// The status of a child that has ended, and the most memory that it or one of its children had.
fn ended_process(process: u32) -> io::Result<Option<(ExitStatus, u64)>> {
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
        // Linux counts in kilobytes.
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
    File::open(file)?.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Ended {
    /// The end of what it printed.
    pub(crate) fn last_words(&self) -> String {
        let all = format!("{}{}", self.stdout, self.stderr);
        let lines: Vec<&str> = all.lines().rev().take(3).collect();
        let words: Vec<String> =
            lines.iter().rev().map(|line| line.chars().take(200).collect()).collect();
        words.join(" | ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limits: Limits) -> Ended {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("sh");
        Running::run(command.args(["-c", script]), folder.path(), limits).expect("a shell")
    }

    #[test]
    fn output_code_and_memory_are_recorded() {
        let limits = Limits::of_time(Duration::from_secs(60));
        let ended = shell("echo out; echo err >&2; exit 4", limits);
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!((ended.code, ended.hung), (Some(4), false));
        // The system counts what this process had when it started the other one, which is what all tests
        // together take.
        assert!((100_000..800_000_000).contains(&ended.memory), "{}", ended.memory);
        let large = shell("dd if=/dev/zero of=/dev/null bs=900M count=1 2>/dev/null", limits);
        assert!(large.memory > 900_000_000, "{}", large.memory);
    }

    #[test]
    fn who_takes_too_long_is_ended_with_its_children() {
        let limits = Limits::of_time(Duration::from_millis(200));
        let ended = shell("sleep 60 & echo $!; wait", limits);
        assert!(ended.hung && ended.signal == Some(libc::SIGKILL), "{ended:?}");
        let child: u32 = ended.stdout.trim().parse().expect("a process");
        let end = Instant::now() + Duration::from_secs(10);
        while is_running(child) && Instant::now() < end {
            std::thread::sleep(INTERVAL);
        }
        assert!(!is_running(child));
    }

    #[test]
    fn processes_are_running_until_they_have_ended() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("a child");
        assert!(is_running(child.id()));
        child.kill().expect("killed");
        child.wait().expect("its end");
        assert!(!is_running(child.id()));
    }
}
