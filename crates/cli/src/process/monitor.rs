//! How far long launches of a running program are, and what is compiled for long. The terminal belongs to the program, so that nothing is
//! drawn and erased on it: what takes long gets a line now and then, ever more rarely.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use warpsan_runtime::{Compilation, LongLaunch, compilations, long_launches};

/// The time from one look to the next.
const INTERVAL: Duration = Duration::from_millis(500);
/// A launch gets a line at least so often.
const RAREST: Duration = Duration::from_secs(120);
/// Compiling takes long from here on.
const LONG: Duration = Duration::from_secs(2);

/// Does something, and meanwhile shows on standard error which launches take long and what is compiled for long, of the processes that
/// write to this folder.
pub(crate) fn while_monitored<T>(folder: &Path, body: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (end, ended) = channel::<()>();
        scope.spawn(move || {
            let (mut shown, mut shown_compiling) = (Shown::default(), Shown::default());
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                // Nothing is left to do if even this cannot be written.
                for launch in long_launches(folder) {
                    if shown.is_due(launch.process, &launch.kernel, launch.time) {
                        let _ = writeln!(std::io::stderr(), "{}", line(&launch));
                    }
                }
                for one in compilations(folder) {
                    // All kernels of a process are one long work.
                    let time = one.time();
                    if time >= LONG && shown_compiling.is_due(one.process, "", time) {
                        let _ = writeln!(std::io::stderr(), "{}", line_of_compiling(&one, time));
                    }
                }
            }
        });
        let result = body();
        drop(end);
        result
    })
}

/// The work of each process that was shown last, with the time that it had taken.
#[derive(Debug, Default)]
struct Shown {
    by_process: HashMap<u32, (String, Duration)>,
}

impl Shown {
    /// Whether it is time for another line. Then one is written.
    fn is_due(&mut self, process: u32, kernel: &str, taken: Duration) -> bool {
        if let Some((known, time)) = self.by_process.get(&process)
            && known == kernel
            && (*time..*time + (*time).min(RAREST)).contains(&taken)
        {
            return false;
        }
        self.by_process.insert(process, (kernel.to_owned(), taken));
        true
    }
}

fn line_of_compiling(compilation: &Compilation, time: Duration) -> String {
    let Compilation { kernel, kernels_before, .. } = compilation;
    let seconds = time.as_secs_f64();
    format!(
        "warpsan: compiling kernels with their checks for {seconds:.0} s: {kernels_before} done, now `{kernel}`; they are kept for the next run"
    )
}

fn line(launch: &LongLaunch) -> String {
    let LongLaunch { kernel, blocks, blocks_done, .. } = launch;
    let seconds = launch.time.as_secs_f64();
    let millions = launch.instructions as f64 / 1e6 / seconds.max(1e-9);
    format!(
        "warpsan: kernel `{kernel}` runs for {seconds:.0} s: {blocks_done} of {blocks} blocks, \
         {millions:.1} million warp instructions/s"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &str, seconds: u64) -> LongLaunch {
        LongLaunch {
            process: 7,
            kernel: kernel.to_string(),
            blocks: 8,
            blocks_done: 3,
            instructions: 30_000_000,
            time: Duration::from_secs(seconds),
        }
    }

    #[test]
    fn lines_come_ever_more_rarely() {
        let mut shown = Shown::default();
        let mut is_due =
            |kernel: &str, seconds: u64| shown.is_due(7, kernel, Duration::from_secs(seconds));
        let due: Vec<u64> = (2..600).filter(|seconds| is_due("sum", *seconds)).collect();
        assert_eq!(due, [2, 4, 8, 16, 32, 64, 128, 248, 368, 488]);
        assert!(is_due("sum", 2), "the next launch of the kernel");
        assert!(is_due("fill", 2), "another kernel");
        assert!(!is_due("fill", 3));
    }

    #[test]
    fn a_line_of_compiling_has_the_kernel_and_how_many_are_done() {
        let compilation = Compilation {
            process: 7,
            kernel: "sum".to_owned(),
            kernels_before: 12,
            time_before: Duration::from_secs(3),
            begun: std::time::SystemTime::now(),
        };
        let line = line_of_compiling(&compilation, Duration::from_secs(4));
        let wanted = "warpsan: compiling kernels with their checks for 4 s: 12 done, now `sum`; they are kept for the next run";
        assert_eq!(line, wanted);
    }

    #[test]
    fn a_line_has_kernel_blocks_and_speed() {
        let line = line(&launch("sum", 2));
        assert!(line.contains("`sum` runs for 2 s: 3 of 8 blocks, 15.0 million"), "{line}");
    }
}
