//! How far long launches of a running program are. The terminal belongs to the program, so that nothing is
//! drawn and erased on it: a launch that takes long gets a line now and then, ever more rarely.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use warpsan_runtime::{LongLaunch, long_launches};

/// The time from one look to the next.
const INTERVAL: Duration = Duration::from_millis(500);
/// A launch gets a line at least so often.
const RAREST: Duration = Duration::from_secs(120);

/// Does something, and meanwhile shows on standard error which launches take long, of the processes that
/// write to this folder.
pub(crate) fn while_monitored<T>(folder: &Path, body: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (end, ended) = channel::<()>();
        scope.spawn(move || {
            let mut shown = Shown::default();
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                for launch in long_launches(folder).iter().filter(|launch| shown.is_due(launch)) {
                    // Nothing is left to do if even this cannot be written.
                    let _ = writeln!(std::io::stderr(), "{}", line(launch));
                }
            }
        });
        let result = body();
        drop(end);
        result
    })
}

/// The launch of each process that was shown last, with the time that it had taken.
#[derive(Debug, Default)]
struct Shown {
    by_process: HashMap<u32, (String, Duration)>,
}

impl Shown {
    /// Whether it is time for another line. Then one is written.
    fn is_due(&mut self, launch: &LongLaunch) -> bool {
        if let Some((kernel, time)) = self.by_process.get(&launch.process)
            && *kernel == launch.kernel
            && (*time..*time + (*time).min(RAREST)).contains(&launch.time)
        {
            return false;
        }
        self.by_process.insert(launch.process, (launch.kernel.clone(), launch.time));
        true
    }
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
        let due: Vec<u64> =
            (2..600).filter(|seconds| shown.is_due(&launch("sum", *seconds))).collect();
        assert_eq!(due, [2, 4, 8, 16, 32, 64, 128, 248, 368, 488]);
        assert!(shown.is_due(&launch("sum", 2)), "the next launch of the kernel");
        assert!(shown.is_due(&launch("fill", 2)), "another kernel");
        assert!(!shown.is_due(&launch("fill", 3)));
    }

    #[test]
    fn a_line_has_kernel_blocks_and_speed() {
        let line = line(&launch("sum", 2));
        assert!(line.contains("`sum` runs for 2 s: 3 of 8 blocks, 15.0 million"), "{line}");
    }
}
