//! How far a long launch of a process is, for whoever has started the process: a small file that is written
//! anew from time to time. Another one is there while a kernel is compiled for a GPU.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use warpsan_simt::Progress;

/// Hears the kernel's name and how far its launch is, from time to time.
pub type ProgressListener = Arc<dyn Fn(&str, Progress) + Send + Sync>;

const EXTENSION: &str = "progress";
/// Launches that are over sooner leave no file.
const LONG: Duration = Duration::from_secs(2);
/// The time from one writing to the next.
const INTERVAL: Duration = Duration::from_millis(500);
/// What was not written anew for so long is of a launch that has ended.
const STALE: Duration = Duration::from_secs(2);

/// A launch that runs and takes long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LongLaunch {
    /// The process that it is of.
    pub process: u32,
    /// The kernel's name.
    pub kernel: String,
    /// Its blocks.
    pub blocks: u64,
    /// Those of them that are done.
    pub blocks_done: u64,
    /// Warp instructions so far.
    pub instructions: u64,
    /// The time that it has taken so far.
    pub time: Duration,
}

/// What is known of the launch that runs.
#[derive(Debug)]
struct Running {
    kernel: String,
    instructions: u64,
    begun: Instant,
    written: Instant,
}

/// A listener that writes to this process's file in a folder.
pub(crate) fn listener(folder: &Path) -> ProgressListener {
    let (folder, state) = (folder.to_path_buf(), Mutex::new(None));
    Arc::new(move |kernel, progress| {
        let mut running = state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(launch) = advance(&mut running, kernel, progress, Instant::now()) {
            write(&folder, &launch);
        }
    })
}

/// Takes news of a launch; gives what is to be written, where it is time for that.
fn advance(
    running: &mut Option<Running>,
    kernel: &str,
    progress: Progress,
    now: Instant,
) -> Option<LongLaunch> {
    // Nobody says where a launch begins, but each counts from nothing.
    let is_same =
        |known: &Running| known.kernel == kernel && known.instructions <= progress.instructions;
    let known = match running.take().filter(is_same) {
        Some(known) => known,
        None => Running { kernel: kernel.to_string(), instructions: 0, begun: now, written: now },
    };
    let known = running.insert(known);
    known.instructions = progress.instructions;
    let time = now.duration_since(known.begun);
    if time < LONG || now.duration_since(known.written) < INTERVAL {
        return None;
    }
    known.written = now;
    Some(LongLaunch {
        process: std::process::id(),
        kernel: kernel.to_string(),
        blocks: progress.blocks,
        blocks_done: progress.blocks_done,
        instructions: progress.instructions,
        time,
    })
}

fn write(folder: &Path, launch: &LongLaunch) {
    let path = path_of(folder, launch.process);
    let Ok(text) = serde_json::to_string(launch) else { return };
    if let Err(error) = std::fs::write(&path, text) {
        // It is a courtesy; the report does not depend on it.
        tracing::debug!("cannot write to {}: {error}", path.display());
    }
}

fn path_of(folder: &Path, process: u32) -> PathBuf {
    folder.join(format!("process-{process}.{EXTENSION}"))
}

/// The long launches that run now, of all processes that write into a folder.
pub fn long_launches(folder: &Path) -> Vec<LongLaunch> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut launches: Vec<LongLaunch> = entries
        .filter(|entry| entry.path().extension().is_some_and(|found| found == EXTENSION))
        .filter(|entry| {
            let written = entry.metadata().and_then(|metadata| metadata.modified()).ok();
            written.and_then(|time| time.elapsed().ok()).is_some_and(|age| age < STALE)
        })
        // One that is being written reads as nothing, and is there the next time.
        .filter_map(|entry| serde_json::from_slice(&std::fs::read(entry.path()).ok()?).ok())
        .collect();
    launches.sort_by_key(|launch| launch.process);
    launches
}

/// A kernel that is being compiled with its checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compilation {
    /// The process that it is of.
    pub process: u32,
    /// The kernel's name.
    pub kernel: String,
    /// Kernels that the process had compiled before.
    pub kernels_before: u32,
    /// The time that those have taken.
    pub time_before: Duration,
    /// When this one was begun.
    pub begun: SystemTime,
}

impl Compilation {
    /// The time that the process has spent on compiling so far.
    pub fn time(&self) -> Duration {
        self.time_before + self.begun.elapsed().unwrap_or_default()
    }
}

const COMPILATION_EXTENSION: &str = "compilation";

/// Writes which kernel this process compiles, as long as it does.
#[derive(Debug)]
pub(crate) struct CompilationFile {
    path: PathBuf,
    /// The next one, and when the one that is under way was begun.
    state: Mutex<(Compilation, Instant)>,
}

impl CompilationFile {
    /// That of this process in a folder.
    pub(crate) fn new(folder: &Path) -> CompilationFile {
        let process = std::process::id();
        let compilation = Compilation {
            process,
            kernel: String::new(),
            kernels_before: 0,
            time_before: Duration::ZERO,
            begun: SystemTime::UNIX_EPOCH,
        };
        CompilationFile {
            path: folder.join(format!("process-{process}.{COMPILATION_EXTENSION}")),
            state: Mutex::new((compilation, Instant::now())),
        }
    }

    /// A kernel is compiled from now on.
    pub(crate) fn begin(&self, kernel: String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (compilation, begun) = &mut *state;
        (compilation.kernel, compilation.begun, *begun) =
            (kernel, SystemTime::now(), Instant::now());
        let Ok(text) = serde_json::to_string(compilation) else { return };
        if let Err(error) = std::fs::write(&self.path, text) {
            // It is a courtesy; the report does not depend on it.
            tracing::debug!("cannot write to {}: {error}", self.path.display());
        }
    }

    /// The kernel is done.
    pub(crate) fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (compilation, begun) = &mut *state;
        compilation.kernels_before += 1;
        compilation.time_before += begun.elapsed();
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The kernels that are compiled now, of all processes that write into a folder and still run.
pub fn compilations(folder: &Path) -> Vec<Compilation> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |path: &Path| path.extension().is_some_and(|found| found == COMPILATION_EXTENSION);
    let files = entries.map(|entry| entry.path()).filter(|path| is_one(path));
    let read = |path: PathBuf| serde_json::from_slice(&std::fs::read(path).ok()?).ok();
    let runs = |one: &Compilation| Path::new(&format!("/proc/{}", one.process)).exists();
    let mut found: Vec<Compilation> = files.filter_map(read).filter(runs).collect();
    found.sort_by_key(|one| one.process);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_compiled_is_seen_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let file = CompilationFile::new(folder.path());
        assert_eq!(compilations(folder.path()), []);
        for (number, kernel) in ["sum", "sort"].into_iter().enumerate() {
            file.begin(kernel.to_owned());
            let found = compilations(folder.path());
            assert_eq!(found.len(), 1);
            assert_eq!(
                (found[0].kernel.as_str(), found[0].kernels_before),
                (kernel, number as u32)
            );
            file.end();
            assert_eq!(compilations(folder.path()), []);
        }
        let (compilation, _) = file.state.into_inner().unwrap();
        assert!(compilation.time_before > Duration::ZERO);
        let gone = Compilation { process: u32::MAX, ..compilation };
        let text = serde_json::to_string(&gone).unwrap();
        std::fs::write(folder.path().join("process-1.compilation"), text).unwrap();
        assert_eq!(compilations(folder.path()), [], "its process has ended");
    }

    fn progress(instructions: u64) -> Progress {
        Progress { blocks: 8, blocks_done: 3, instructions }
    }

    #[test]
    fn only_long_launches_are_written_and_not_too_often() {
        let (mut running, begun) = (None, Instant::now());
        let mut after = |seconds: f64, kernel: &str, instructions: u64| {
            let now = begun + Duration::from_secs_f64(seconds);
            advance(&mut running, kernel, progress(instructions), now)
        };
        assert_eq!(after(0.0, "sum", 10), None);
        assert_eq!(after(1.9, "sum", 20), None, "it does not take long yet");
        let launch = after(3.0, "sum", 30).expect("it takes long");
        assert_eq!((launch.kernel.as_str(), launch.instructions), ("sum", 30));
        assert_eq!(launch.time, Duration::from_secs(3));
        assert_eq!(after(3.1, "sum", 40), None, "it was written just now");
        assert_eq!(after(3.6, "sum", 50).expect("it still runs").instructions, 50);
        assert_eq!(after(4.2, "sum", 5), None, "another launch of the kernel");
        assert_eq!(after(6.0, "fill", 100), None, "another kernel");
    }

    #[test]
    fn what_is_written_is_read_while_it_is_new() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(long_launches(folder.path()), []);
        let launch = LongLaunch {
            process: 7,
            kernel: "sum".to_string(),
            blocks: 8,
            blocks_done: 3,
            instructions: 30,
            time: Duration::from_secs(3),
        };
        write(folder.path(), &launch);
        std::fs::write(path_of(folder.path(), 8), "{\"process\": 8, \"ker").unwrap();
        assert_eq!(long_launches(folder.path()), [launch]);
        let file = std::fs::File::options().write(true).open(path_of(folder.path(), 7)).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(60)).unwrap();
        assert_eq!(long_launches(folder.path()), [], "the launch has ended");
    }
}
