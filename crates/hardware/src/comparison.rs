//! All runs of one workload that the paper's figures 8 to 11 compare.

use crate::configuration::{Configuration, Detection, Memory, Metadata};
use crate::machine::simulate;
use crate::outcome::Outcome;
use crate::workload::{Size, Workload};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The two runs of one amount of memory, for figure 11.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sensitivity {
    /// How much L2 and bandwidth.
    pub memory: Memory,
    /// Without detection.
    pub none: Outcome,
    /// With ScoRD.
    pub scord: Outcome,
}

/// What each source contributes to the overhead, for figure 10; together 1, or all 0 without overhead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Hits in the L1 that wait for the detector.
    pub lhd: f64,
    /// The interconnect.
    pub noc: f64,
    /// Metadata.
    pub md: f64,
}

/// The runs of one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// How large the workload is.
    pub size: Size,
    /// Without detection.
    pub none: Outcome,
    /// With the base design, whose metadata is not cached.
    pub base: Outcome,
    /// With ScoRD: metadata is cached.
    pub scord: Outcome,
    /// ScoRD, and hits in the L1 never wait.
    pub without_lhd: Outcome,
    /// ScoRD, and its information takes no room in the interconnect.
    pub without_noc: Outcome,
    /// ScoRD, and metadata costs nothing.
    pub without_md: Outcome,
    /// Less, as much and more memory.
    pub sensitivity: [Sensitivity; 3],
}

/// How much longer than `none` it takes: 0.35 for 35 %.
pub fn overhead(none: &Outcome, with: &Outcome) -> f64 {
    with.cycles as f64 / none.cycles.max(1) as f64 - 1.0
}

impl Comparison {
    /// What ScoRD costs.
    pub fn overhead(&self) -> f64 {
        overhead(&self.none, &self.scord)
    }

    /// What the base design costs.
    pub fn base_overhead(&self) -> f64 {
        overhead(&self.none, &self.base)
    }

    /// The relative contributions, as the paper estimates them: each source is switched off alone, and what
    /// that gains is divided by the sum of all three gains. What gains nothing counts as 0.
    pub fn shares(&self) -> Shares {
        let gain = |without: &Outcome| self.scord.cycles.saturating_sub(without.cycles) as f64;
        let gains = [&self.without_lhd, &self.without_noc, &self.without_md].map(gain);
        let sum: f64 = gains.iter().sum();
        if sum == 0.0 {
            return Shares::default();
        }
        let [lhd, noc, md] = gains.map(|gain| gain / sum);
        Shares { lhd, noc, md }
    }
}

/// Makes all runs, `jobs` at a time. They do not depend on each other or on how many there are.
pub fn compare(workload: &Workload, jobs: NonZeroUsize) -> Comparison {
    let scord = Detection::with(Metadata::Cached);
    let with = |detection| Configuration::default().detecting(detection);
    let configurations = [
        Configuration::default(),
        with(Detection::with(Metadata::Full)),
        with(scord),
        with(Detection { lhd: false, ..scord }),
        with(Detection { noc: false, ..scord }),
        with(Detection { md: false, ..scord }),
        Configuration::of(Memory::Low),
        Configuration::of(Memory::Low).detecting(scord),
        Configuration::of(Memory::High),
        Configuration::of(Memory::High).detecting(scord),
    ];
    let [none, base, scord, without_lhd, without_noc, without_md, low, low_scord, high, high_scord] =
        run_all(workload, &configurations, jobs);
    Comparison {
        size: workload.size(),
        none,
        base,
        scord,
        without_lhd,
        without_noc,
        without_md,
        sensitivity: [
            Sensitivity { memory: Memory::Low, none: low, scord: low_scord },
            Sensitivity { memory: Memory::Default, none, scord },
            Sensitivity { memory: Memory::High, none: high, scord: high_scord },
        ],
    }
}

fn run_all<const N: usize>(
    workload: &Workload,
    configurations: &[Configuration; N],
    jobs: NonZeroUsize,
) -> [Outcome; N] {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new([Outcome::default(); N]);
    let work = || {
        while let Some((number, configuration)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            configurations.get(number).map(|configuration| (number, configuration))
        } {
            let outcome = simulate(workload, configuration);
            // Whoever panicked with the lock left only whole outcomes.
            outcomes.lock().unwrap_or_else(|poisoned| poisoned.into_inner())[number] = outcome;
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.get().min(N) {
            scope.spawn(work);
        }
        work();
    });
    outcomes.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taking(cycles: u64) -> Outcome {
        Outcome { cycles, ..Outcome::default() }
    }

    fn comparison(without: [u64; 3]) -> Comparison {
        let [without_lhd, without_noc, without_md] = without.map(taking);
        let (none, scord) = (taking(100), taking(150));
        let of = |memory| Sensitivity { memory, none, scord };
        Comparison {
            size: Size::default(),
            none,
            base: taking(200),
            scord,
            without_lhd,
            without_noc,
            without_md,
            sensitivity: [of(Memory::Low), of(Memory::Default), of(Memory::High)],
        }
    }

    #[test]
    fn shares_are_gains_of_all_gains() {
        let compared = comparison([140, 130, 140]);
        assert_eq!(compared.shares(), Shares { lhd: 0.25, noc: 0.5, md: 0.25 });
        assert_eq!((compared.overhead(), compared.base_overhead()), (0.5, 1.0));
    }

    #[test]
    fn what_gains_nothing_has_no_share() {
        let shares = comparison([160, 150, 120]).shares();
        assert_eq!(shares, Shares { lhd: 0.0, noc: 0.0, md: 1.0 });
        assert_eq!(comparison([150, 150, 150]).shares(), Shares::default());
    }
}
