//! The nodes of a graph, in an order in which they can be done.

use super::super::Engine;
use crate::driver_types::{CUgraph, CUgraphNode};
use std::collections::{HashMap, VecDeque};

impl Engine {
    /// The nodes of a graph, each behind those that it depends on.
    pub(super) fn in_order(&self, graph: CUgraph) -> Vec<CUgraphNode> {
        let mut count = 0;
        let nothing = std::ptr::null_mut;
        // SAFETY: a graph of the program. Without places for edges the driver gives their number.
        unsafe {
            self.driver.cuGraphGetEdges_v2(
                graph,
                nothing(),
                nothing(),
                nothing().cast(),
                &mut count,
            )
        };
        let mut from = vec![CUgraphNode::NULL; count];
        let mut to = from.clone();
        // What an edge says besides is eight bytes.
        let mut data = vec![0u64; count];
        // SAFETY: places for so many.
        let answer = unsafe {
            let (from, to, data) = (from.as_mut_ptr(), to.as_mut_ptr(), data.as_mut_ptr());
            self.driver.cuGraphGetEdges_v2(graph, from, to, data, &mut count)
        };
        let edges = if answer.is_success() { count } else { 0 };
        let edges: Vec<_> = from.into_iter().zip(to).take(edges).collect();
        ordered(self.nodes_of(graph), &edges)
    }

    fn nodes_of(&self, graph: CUgraph) -> Vec<CUgraphNode> {
        let mut count = 0;
        // SAFETY: a graph of the program. Without a place for nodes the driver gives their number.
        unsafe { self.driver.cuGraphGetNodes(graph, std::ptr::null_mut(), &mut count) };
        let mut nodes = vec![CUgraphNode::NULL; count];
        // SAFETY: a place for so many.
        let answer = unsafe { self.driver.cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count) };
        nodes.truncate(if answer.is_success() { count } else { 0 });
        nodes
    }
}

/// Nodes in an order in which they may run, given who comes before whom; as they are where that leads in a circle.
fn ordered(nodes: Vec<CUgraphNode>, edges: &[(CUgraphNode, CUgraphNode)]) -> Vec<CUgraphNode> {
    let mut missing: HashMap<CUgraphNode, usize> = nodes.iter().map(|node| (*node, 0)).collect();
    for (_, to) in edges {
        *missing.entry(*to).or_default() += 1;
    }
    let mut order = Vec::new();
    let mut ready: VecDeque<CUgraphNode> =
        nodes.iter().copied().filter(|node| missing[node] == 0).collect();
    while let Some(node) = ready.pop_front() {
        order.push(node);
        for (_, to) in edges.iter().filter(|(from, _)| *from == node) {
            let left = missing.entry(*to).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 {
                ready.push_back(*to);
            }
        }
    }
    if order.len() == nodes.len() { order } else { nodes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_behind_those_that_they_depend_on() {
        let node = |number: usize| CUgraphNode(number);
        let nodes = || [1, 2, 3, 4].map(node).to_vec();
        let edge = |from, to| (node(from), node(to));
        let edges = [edge(4, 1), edge(1, 2), edge(4, 2), edge(2, 3)];
        assert_eq!(ordered(nodes(), &edges), [4, 1, 2, 3].map(node));
        assert_eq!(ordered(nodes(), &[]), nodes());
        assert_eq!(ordered(nodes(), &[edge(1, 2), edge(2, 1)]), nodes(), "no order at all");
    }
}
