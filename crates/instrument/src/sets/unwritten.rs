//! Loads of shared memory that nobody can race with: those that share no phase with a store to it.

use super::operations::shared_access;
use warpsan_ir::{Function, MemorySpace, Phases};

/// For each instruction of a kernel, whether it is such a load. A store by an address that may be anywhere may be to shared memory.
pub(super) fn unwritten(kernel: &Function) -> Vec<bool> {
    let nothing = || vec![false; kernel.code.len()];
    let accesses: Vec<(usize, MemorySpace, bool)> = kernel
        .code
        .iter()
        .enumerate()
        .filter_map(|(at, one)| {
            shared_access(&one.op).map(|(space, writes, _)| (at, space, writes))
        })
        .collect();
    let is_load = |(_, space, writes): &&(usize, MemorySpace, bool)| {
        *space == MemorySpace::Shared && !*writes
    };
    if !kernel.is_kernel || !accesses.iter().any(|one| is_load(&one)) {
        return nothing();
    }
    let Some(phases) = Phases::of(kernel) else { return nothing() };
    let stores: Vec<usize> = accesses
        .iter()
        .filter(|(_, space, writes)| *writes && *space != MemorySpace::Global)
        .map(|(at, ..)| *at)
        .collect();
    let mut unwritten = nothing();
    for (at, ..) in accesses.iter().filter(is_load) {
        unwritten[*at] = !stores.iter().any(|store| phases.share(*at, *store));
    }
    unwritten
}
