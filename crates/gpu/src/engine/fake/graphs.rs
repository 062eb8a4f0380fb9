//! Graphs of the driver without a device.

use super::Fake;
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::{CUgraph, CUgraphNode};
use std::ffi::c_void;

/// A node of a graph.
pub(super) enum Node {
    Kernel { parameters: KernelNodeParams, _pointers: Vec<*mut c_void>, _values: Vec<Vec<u8>> },
    Child(CUgraph),
}

impl Fake {
    /// A node of a graph, with parameters of these sizes, which are copied.
    ///
    /// # Safety
    /// The parameters have these sizes.
    pub(in crate::engine) unsafe fn add_kernel(
        &mut self,
        graph: CUgraph,
        given: &KernelNodeParams,
        sizes: &[usize],
    ) -> CUgraphNode {
        let node = CUgraphNode(self.handle());
        // SAFETY: as the caller says.
        unsafe { self.set_kernel(node, given, sizes) };
        self.graphs.entry(graph).or_default().push(node);
        node
    }

    /// # Safety
    /// The parameters have these sizes.
    pub(in crate::engine) unsafe fn set_kernel(
        &mut self,
        node: CUgraphNode,
        given: &KernelNodeParams,
        sizes: &[usize],
    ) {
        let mut values: Vec<Vec<u8>> = Vec::new();
        for (index, size) in sizes.iter().enumerate() {
            // SAFETY: as the caller says.
            let value = unsafe { *given.first.parameters.add(index) }.cast::<u8>();
            // SAFETY: as the caller says.
            values.push(unsafe { std::slice::from_raw_parts(value, *size) }.to_vec());
        }
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        let mut parameters = *given;
        parameters.first.parameters = pointers.as_mut_ptr();
        self.nodes.insert(node, Node::Kernel { parameters, _pointers: pointers, _values: values });
    }

    /// A node that is a graph.
    pub(in crate::engine) fn add_child(&mut self, graph: CUgraph, child: CUgraph) {
        let node = CUgraphNode(self.handle());
        self.nodes.insert(node, Node::Child(child));
        self.graphs.entry(graph).or_default().push(node);
    }
}
