//! How many random kernels a test tries, and trying them on all cores.

use std::sync::atomic::{AtomicU64, Ordering};

/// Set in the environment, all kernels of a test are tried, as `cargo xtask test` does.
pub const ALL_KERNELS: &str = "WARPSAN_ALL_KERNELS";

/// What plain `cargo test` tries of them: one in so many.
const QUICK_SHARE: u64 = 3;

/// The seeds of a test over random kernels. The kernels with these seeds are always the same.
#[derive(Debug, Clone, Copy)]
pub struct Seeds(u64);

impl Seeds {
    /// All seeds below a number, or the first third of them in plain `cargo test`.
    pub fn of_test(all: u64) -> Self {
        Self(if std::env::var_os(ALL_KERNELS).is_some() { all } else { all / QUICK_SHARE })
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.0 as usize
    }

    /// One part in so many of that.
    pub fn share(self, parts: usize) -> usize {
        self.count() / parts
    }

    /// What each core makes of the seeds that it takes, one after the other.
    pub fn on_all_cores<T: Send>(
        self,
        work: impl Fn(&mut dyn Iterator<Item = u64>) -> T + Sync,
    ) -> Vec<T> {
        let next = AtomicU64::new(0);
        let one = || {
            let mut seeds = std::iter::from_fn(|| {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                (seed < self.0).then_some(seed)
            });
            work(&mut seeds)
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(one)).collect();
            let results = threads.into_iter().map(|thread| thread.join());
            results
                .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Seeds;

    #[test]
    fn every_seed_is_taken_once() {
        let mut taken = Seeds(100).on_all_cores(|seeds| seeds.collect::<Vec<_>>()).concat();
        taken.sort_unstable();
        assert_eq!(taken, (0..100).collect::<Vec<_>>());
    }
}
