//! The forwarder: what stands behind `libcuda.so.1` when a program runs on its GPU.
//!
//! The library that the program sees is generated (`cli/build/forwarder.rs`): each name of the real driver jumps
//! through a slot, and the first call has [`table`] open the real driver and fill the slots. Most lead to the
//! real functions at once. Those that load code, launch kernels, take memory or make contexts lead to functions
//! of this folder, which call the real one and tell the [`Hooks`](warpsan_gpu::Hooks) of the process. They change
//! nothing by themselves, and whoever asks the driver for addresses of functions (`proc_address`) gets the same. Those that
//! order work ([`order`]) lead here only where somebody wants to know of it.

pub(crate) mod bypassed;
mod calls;
mod contexts;
mod graph_instances;
mod graph_memory;
mod graph_nodes;
mod host_memory;
mod launching;
mod linking;
mod loading;
mod memory;
mod order;
mod proc_address;
mod table;
mod variables;
mod wrapped;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use warpsan_runtime::gpu_process;
use wrapped::Wrapped;

/// Whether the program runs on its GPU: then nothing of the CPU engine is in its way. It may be asked at any
/// time, before `main` and in signal handlers, too.
pub(crate) fn is_chosen() -> bool {
    const UNKNOWN: u8 = 0;
    const CHOSEN: u8 = 1;
    const NOT_CHOSEN: u8 = 2;
    static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
    match STATE.load(Ordering::Relaxed) {
        UNKNOWN => {
            // SAFETY: the answer is compared at once, with a text of our own.
            let is_gpu = unsafe {
                let engine = libc::getenv(c"WARPSAN_ENGINE".as_ptr());
                !engine.is_null() && libc::strcmp(engine, c"gpu".as_ptr()) == 0
            };
            STATE.store(if is_gpu { CHOSEN } else { NOT_CHOSEN }, Ordering::Relaxed);
            is_gpu
        }
        state => state == CHOSEN,
    }
}

/// The functions of the driver that lead here in this process.
fn wrapped_here() -> impl Iterator<Item = &'static Wrapped> {
    static WANTS_ORDER: OnceLock<bool> = OnceLock::new();
    let wants_order = *WANTS_ORDER.get_or_init(gpu_process::wants_order);
    always_wrapped().chain(order::wrapped().filter(move |_| wants_order))
}

/// The functions of the driver that lead here whatever the engine wants to know.
fn always_wrapped() -> impl Iterator<Item = &'static Wrapped> {
    let lists: [&'static [Wrapped]; 11] = [
        contexts::WRAPPED,
        graph_instances::WRAPPED,
        graph_memory::WRAPPED,
        graph_nodes::WRAPPED,
        host_memory::WRAPPED,
        launching::WRAPPED,
        linking::WRAPPED,
        loading::WRAPPED,
        memory::WRAPPED,
        proc_address::WRAPPED,
        variables::WRAPPED,
    ];
    lists.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all_wrapped() -> impl Iterator<Item = &'static Wrapped> {
        always_wrapped().chain(order::wrapped())
    }

    #[test]
    fn every_function_here_is_one_of_the_driver_and_is_here_once() {
        let names: BTreeSet<&str> = include_str!("../../symbols/libcuda-580.txt").lines().collect();
        let mut seen = BTreeSet::new();
        for wrapped in all_wrapped() {
            let name = wrapped.name.to_str().expect("a name");
            assert!(names.contains(name), "the driver has no {name}");
            assert!(seen.insert(name), "{name} twice");
        }
        assert!(seen.contains("cuLaunchKernel_ptsz"));
    }

    /// A function with a variant for programs whose default stream is one for each thread has both here.
    #[test]
    fn both_variants_of_a_function_are_here() {
        let names: BTreeSet<&str> = include_str!("../../symbols/libcuda-580.txt").lines().collect();
        let here: BTreeSet<&str> =
            all_wrapped().map(|wrapped| wrapped.name.to_str().expect("a name")).collect();
        for name in &here {
            for suffix in ["_ptsz", "_ptds"] {
                let variant = format!("{name}{suffix}");
                assert!(!names.contains(&*variant) || here.contains(&*variant), "{variant}");
                let base = name.strip_suffix(suffix).unwrap_or(name);
                assert!(here.contains(base), "{base}");
            }
        }
    }
}
