//! Several seeds of one file, at the same time.

use super::STACK;
use crate::seeds::Seeds;
use anyhow::Context;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use warpsan_runtime::ProcessReport;

/// Runs all seeds on so many cores, and hands what comes of them on in the order of the seeds. `run` gets
/// the seed and the cores that it may use itself.
pub(super) fn explore(
    seeds: Seeds,
    jobs: usize,
    run: impl Fn(u64, usize) -> anyhow::Result<ProcessReport> + Sync,
    mut take: impl FnMut(ProcessReport),
) -> anyhow::Result<()> {
    let workers = usize::try_from(seeds.count()).unwrap_or(usize::MAX).min(jobs).max(1);
    // The cores are shared out: seeds first, then the blocks of each launch.
    let own_jobs = (jobs / workers).max(1);
    let (next, (sender, receiver)) = (AtomicU64::new(0), mpsc::channel());
    let run_next = |sender: mpsc::Sender<(u64, anyhow::Result<ProcessReport>)>| {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(seed) = seeds.at(place) else { break };
            // Whoever listens has stopped only because of an error of an earlier seed.
            if sender.send((place, run(seed, own_jobs))).is_err() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (run_next, sender) = (&run_next, sender.clone());
            let builder = std::thread::Builder::new().stack_size(STACK);
            builder
                .spawn_scoped(scope, move || run_next(sender))
                .context("cannot start a thread; use fewer --jobs")?;
        }
        drop(sender);
        let (mut waiting, mut taken) = (BTreeMap::new(), 0);
        for (place, result) in receiver {
            waiting.insert(place, result);
            while let Some(result) = waiting.remove(&taken) {
                take(result?);
                taken += 1;
            }
        }
        Ok(())
    })
}
