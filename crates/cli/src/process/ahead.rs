//! Kernels of a running program that are likely to be launched soon are assembled here, on the cores that it does not use. Its processes ask for it by files
//! in the folder of the run; what comes of it is in the cache.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use warpsan_gpu::{AheadSettings, assemble_ahead, take_requests};
use warpsan_runtime::Options;
use warpsan_runtime::gpu_process::device_plan;

/// The time from one look for requests to the next.
const INTERVAL: Duration = Duration::from_millis(20);

/// Does something, and meanwhile what processes ask for. Nobody waits for that in the end.
pub(crate) fn while_assembling<T>(folder: &Path, options: &Options, body: impl FnOnce() -> T) -> T {
    let Some(settings) = settings(options) else { return body() };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for request in take_requests(folder) {
                    let kernels = assemble_ahead(&request, &settings, &stop);
                    tracing::debug!("{kernels} kernels were assembled ahead");
                }
                std::thread::sleep(INTERVAL);
            }
        });
        let result = body();
        stop.store(true, Ordering::Relaxed);
        result
    })
}

/// How kernels are assembled, where processes ask for it.
fn settings(options: &Options) -> Option<AheadSettings> {
    let gpu = Some(&options.gpu).filter(|gpu| gpu.ahead > 0)?;
    let (ptxas, cache) = (gpu.ptxas.clone()?, gpu.cache.clone()?);
    Some(AheadSettings { plan: device_plan(options), ptxas, cache, jobs: gpu.ahead })
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_runtime::GpuOptions;

    #[test]
    fn nothing_is_done_ahead_where_it_cannot_be_kept() {
        let with = |ahead, cache: Option<&str>| {
            let (ptxas, cache) = (Some("ptxas".into()), cache.map(Into::into));
            let gpu = GpuOptions { ptxas, cache, ahead, ..GpuOptions::default() };
            settings(&Options { gpu, ..Options::default() })
        };
        assert!(with(4, None).is_none() && with(0, Some("cache")).is_none());
        assert_eq!(with(4, Some("cache")).expect("settings").jobs, 4);
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options::default();
        assert_eq!(while_assembling(folder.path(), &options, || 7), 7);
    }
}
