//! Random kernels: no panic, no fault, the same memory under every schedule and on the GPU.

use std::fs;

use warpsan_ir::ModuleIndex;
use warpsan_oracle::kernels::{GeneratedKernel, memory_hash, random_kernel};
use warpsan_ptx::Document;
use warpsan_testkit::instructions::{KERNELS_FILE, RECORDED_SEEDS};

use crate::engine::{Work, data_after};
use crate::suite;

/// The data of a kernel after it ran under a schedule.
fn memory(kernel: &GeneratedKernel, schedule: u64) -> anyhow::Result<Vec<u8>> {
    let document = Document::parse(kernel.text.clone());
    if let Some(error) = document.errors().first() {
        anyhow::bail!(error.message_with_line(document.text()));
    }
    let inputs: Vec<u8> = kernel.inputs.iter().flat_map(|word| word.to_le_bytes()).collect();
    let work = Work {
        kernel: &kernel.name,
        blocks: kernel.grid,
        threads: kernel.block,
        inputs: &inputs,
        data_bytes: 4 * kernel.data_words,
        count: kernel.data_words as u32,
        seed: schedule,
    };
    data_after(&ModuleIndex::of(&document), &work)
}

/// Fails with the list, if there is anything in it.
fn none_failed(failures: &[String]) {
    assert!(failures.is_empty(), "{} kernels failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn schedules_do_not_change_the_memory() {
    let mut failures = Vec::new();
    for seed in 0..300 {
        let kernel = random_kernel(seed);
        match (memory(&kernel, 2 * seed), memory(&kernel, 2 * seed + 1)) {
            (Ok(one), Ok(other)) if one == other => {}
            (Ok(one), Ok(other)) => {
                let place = one.iter().zip(&other).position(|(one, other)| one != other);
                failures.push(format!(
                    "kernel {seed}: the memory differs between two schedules, first in word {}",
                    place.unwrap_or(0) / 4
                ));
            }
            (Err(error), _) | (_, Err(error)) => {
                failures.push(format!("kernel {seed}: {error:#}"));
            }
        }
    }
    none_failed(&failures);
}

#[test]
fn the_memory_is_that_of_the_gpu() {
    let path = suite().join(KERNELS_FILE);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "cannot read {}: {error}; it is recorded on a GPU: see suites/instructions/README.md",
            path.display()
        )
    });
    let mut failures = Vec::new();
    let mut lines = text.lines();
    for seed in RECORDED_SEEDS {
        let kernel = random_kernel(seed);
        let expected = lines.next().unwrap_or_default();
        match memory(&kernel, seed) {
            Ok(bytes) => {
                let got = format!("{seed} {:016x}", memory_hash(&bytes));
                if got != expected {
                    failures.push(format!("kernel {seed}: got `{got}`, the GPU gave `{expected}`"));
                }
            }
            Err(error) => failures.push(format!("kernel {seed}: {error:#}")),
        }
    }
    none_failed(&failures);
}
