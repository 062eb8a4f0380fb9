//! What a program sees of its nodes: its own kernels.

use super::super::{Engine, State};
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::{CUgraph, CUgraphNode, CUkernel, CUresult};

impl Engine {
    /// Puts the program's kernel in place of ours, where it asks for what a node is.
    pub(in crate::engine) fn show_original(
        &self,
        state: &State,
        parameters: &mut KernelNodeParams,
    ) {
        let Some(variant) = state.variants.by_function(parameters.first.function) else { return };
        let mut original = *parameters;
        if variant.original_is_kernel {
            original.first.function = crate::CUfunction::NULL;
            original.kernel = CUkernel(variant.original.0);
        } else {
            original.first.function = variant.original;
            original.kernel = CUkernel::NULL;
        }
        let shown = self.uncaptured(|| self.as_given(&original)).unwrap_or(original);
        parameters.first.function = shown.first.function;
        parameters.kernel = shown.kernel;
        parameters.context = shown.context;
    }

    /// What the driver says of a node with these parameters, which need not be how they were given.
    fn as_given(&self, parameters: &KernelNodeParams) -> Option<KernelNodeParams> {
        let driver = self.driver;
        let mut graph = CUgraph::NULL;
        // SAFETY: a place for a graph.
        unsafe { driver.cuGraphCreate(&mut graph, 0) }.ok().ok()?;
        let mut node = CUgraphNode::NULL;
        let mut queried = KernelNodeParams::NOTHING;
        // SAFETY: a graph of ours, parameters of a kernel, and places for what the driver fills in. The graph goes again.
        let answer = unsafe {
            let added =
                driver.cuGraphAddKernelNode_v2(&mut node, graph, std::ptr::null(), 0, parameters);
            let answer = match added {
                CUresult::SUCCESS => driver.cuGraphKernelNodeGetParams_v2(node, &mut queried),
                refused => refused,
            };
            driver.cuGraphDestroy(graph);
            answer
        };
        answer.is_success().then_some(queried)
    }
}
