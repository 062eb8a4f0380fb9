//! All functions of the driver that have ours in front of them.

use crate::driver::WrappedFunctions;
use crate::wrapped::Wrapped;
use crate::{
    contexts, graph_instances, graph_memory, graph_nodes, host_memory, launching, linking, loading,
    memory, order, proc_address, variables,
};
use warpsan_runtime::gpu_process;

/// The functions of the driver that have ours in front of them in this process.
pub(crate) fn wrapped() -> WrappedFunctions {
    WrappedFunctions {
        always: always().collect(),
        order: order::wrapped().collect(),
        wants_order: gpu_process::wants_order(),
    }
}

/// The functions of the driver that lead here whatever the engine wants to know.
pub(crate) fn always() -> impl Iterator<Item = &'static Wrapped> {
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
        always().chain(order::wrapped())
    }

    #[test]
    fn every_function_here_is_one_of_the_driver_and_is_here_once() {
        let names: BTreeSet<&str> = include_str!("../symbols/libcuda-580.txt").lines().collect();
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
        let names: BTreeSet<&str> = include_str!("../symbols/libcuda-580.txt").lines().collect();
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
