//! Graphs: work that is described once, and launched as a whole as often as one likes.

use super::error::CudaError;
use super::handles::HandleTable;
use super::nodes::NodeWork;
use super::plan::{Plan, PlannedNode, PlannedWork};
use crate::{ApiCall, WorkSet};
use std::collections::{BTreeMap, BTreeSet};

/// The graphs that the program has made, their nodes, and those that can be launched.
#[derive(Default)]
pub struct Graphs {
    table: HandleTable<Graph>,
    /// The graph of every node. Nodes have handles of their own, in the order in which they were made.
    owners: HandleTable<usize>,
    /// The graphs that can be launched.
    pub executables: HandleTable<Executable>,
}

/// A graph that can be changed.
#[derive(Default)]
struct Graph {
    nodes: BTreeMap<usize, Node>,
}

/// A node of a graph.
#[derive(Clone)]
pub struct Node {
    /// What it does.
    pub work: NodeWork,
    /// The nodes of its graph that it is after.
    pub after: BTreeSet<usize>,
    /// The call that described it.
    pub call: ApiCall,
    /// The node that it was cloned from.
    original: Option<usize>,
}

impl Node {
    /// A node that was made by a call.
    pub fn new(work: NodeWork, after: BTreeSet<usize>, call: ApiCall) -> Node {
        Node { work, after, call, original: None }
    }
}

/// A graph that can be launched: a copy of one that can be changed, at that time.
pub struct Executable {
    /// What a launch does.
    pub plan: Plan,
    /// The flags that it was instantiated with.
    pub flags: u64,
    /// What the last launch of it queued: launches of one graph follow each other.
    pub launched: WorkSet,
}

impl Graphs {
    /// Makes a graph without nodes.
    pub fn create(&mut self) -> usize {
        self.table.insert(Graph::default())
    }

    fn graph(&self, graph: usize) -> Result<&Graph, CudaError> {
        self.table.get(graph).ok_or(CudaError::INVALID_VALUE)
    }

    /// Takes a graph away, with its nodes and the graphs inside of them.
    pub fn destroy(&mut self, graph: usize) -> Result<(), CudaError> {
        let gone = self.table.remove(graph).ok_or(CudaError::INVALID_VALUE)?;
        for (handle, node) in gone.nodes {
            self.owners.remove(handle);
            if let NodeWork::Graph(inner) = node.work {
                // It is there as long as its node is.
                let _ = self.destroy(inner);
            }
        }
        Ok(())
    }

    /// Adds a node after others of the same graph.
    pub fn add(&mut self, graph: usize, node: Node) -> Result<usize, CudaError> {
        let nodes = &self.graph(graph)?.nodes;
        if !node.after.iter().all(|earlier| nodes.contains_key(earlier)) {
            return Err(CudaError::INVALID_VALUE);
        }
        let handle = self.owners.insert(graph);
        if let Some(graph) = self.table.get_mut(graph) {
            graph.nodes.insert(handle, node);
        }
        Ok(handle)
    }

    /// A node, wherever it is.
    pub fn node(&self, node: usize) -> Result<&Node, CudaError> {
        let graph = self.owners.get(node).ok_or(CudaError::INVALID_VALUE)?;
        self.graph(*graph)?.nodes.get(&node).ok_or(CudaError::INVALID_VALUE)
    }

    /// A node, to change it.
    pub fn node_mut(&mut self, node: usize) -> Result<&mut Node, CudaError> {
        let graph = *self.owners.get(node).ok_or(CudaError::INVALID_VALUE)?;
        let graph = self.table.get_mut(graph).ok_or(CudaError::INVALID_VALUE)?;
        graph.nodes.get_mut(&node).ok_or(CudaError::INVALID_VALUE)
    }

    /// Takes a node away, with the edges from and to it.
    pub fn destroy_node(&mut self, node: usize) -> Result<(), CudaError> {
        let graph = self.owners.remove(node).ok_or(CudaError::INVALID_VALUE)?;
        let graph = self.table.get_mut(graph).ok_or(CudaError::INVALID_VALUE)?;
        let gone = graph.nodes.remove(&node);
        graph.nodes.values_mut().for_each(|other| {
            other.after.remove(&node);
        });
        match gone.map(|node| node.work) {
            Some(NodeWork::Graph(inner)) => self.destroy(inner),
            _ => Ok(()),
        }
    }

    /// The nodes of a graph, in the order in which they were made.
    pub fn nodes(&self, graph: usize) -> Result<Vec<usize>, CudaError> {
        Ok(self.graph(graph)?.nodes.keys().copied().collect())
    }

    /// The nodes of a graph that are after no other.
    pub fn roots(&self, graph: usize) -> Result<Vec<usize>, CudaError> {
        let nodes = self.graph(graph)?.nodes.iter();
        Ok(nodes.filter(|(_, node)| node.after.is_empty()).map(|(handle, _)| *handle).collect())
    }

    /// The edges of a graph: which node is before which.
    pub fn edges(&self, graph: usize) -> Result<Vec<(usize, usize)>, CudaError> {
        let nodes = self.graph(graph)?.nodes.iter();
        Ok(nodes.flat_map(|(to, node)| node.after.iter().map(|from| (*from, *to))).collect())
    }

    /// The nodes that are directly after a node.
    pub fn dependents(&self, node: usize) -> Result<Vec<usize>, CudaError> {
        let graph = self.owners.get(node).ok_or(CudaError::INVALID_VALUE)?;
        let nodes = self.graph(*graph)?.nodes.iter();
        let after = nodes.filter(|(_, other)| other.after.contains(&node));
        Ok(after.map(|(handle, _)| *handle).collect())
    }

    /// Puts one node after another. Edges that are there, or would make a circle, are refused.
    pub fn add_edge(&mut self, graph: usize, from: usize, to: usize) -> Result<(), CudaError> {
        self.check_belong(graph, from, to)?;
        if self.is_before(to, from) || !self.node_mut(to)?.after.insert(from) {
            return Err(CudaError::INVALID_VALUE);
        }
        Ok(())
    }

    /// Takes an edge away.
    pub fn remove_edge(&mut self, graph: usize, from: usize, to: usize) -> Result<(), CudaError> {
        self.check_belong(graph, from, to)?;
        let was_there = self.node_mut(to)?.after.remove(&from);
        if was_there { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
    }

    fn check_belong(&self, graph: usize, from: usize, to: usize) -> Result<(), CudaError> {
        let is_own = |node: usize| self.owners.get(node) == Some(&graph);
        if is_own(from) && is_own(to) { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
    }

    /// Whether a node is before another, or the same.
    pub fn is_before(&self, first: usize, second: usize) -> bool {
        let mut waiting = vec![second];
        let mut seen = BTreeSet::new();
        while let Some(node) = waiting.pop() {
            if node == first {
                return true;
            }
            if seen.insert(node)
                && let Ok(node) = self.node(node)
            {
                waiting.extend(&node.after);
            }
        }
        false
    }

    /// Makes another graph that is alike.
    pub fn clone_of(&mut self, graph: usize) -> Result<usize, CudaError> {
        let nodes = self.graph(graph)?.nodes.clone();
        let clone = self.create();
        let mut clones = BTreeMap::new();
        for (handle, mut node) in nodes.clone() {
            if let NodeWork::Graph(inner) = node.work {
                node.work = NodeWork::Graph(self.clone_of(inner)?);
            }
            node.original = Some(handle);
            // Edges may lead to nodes that were made later.
            node.after.clear();
            clones.insert(handle, self.add(clone, node)?);
        }
        for (handle, node) in nodes {
            let after = node.after.iter().filter_map(|earlier| clones.get(earlier)).copied();
            if let Some(own) = clones.get(&handle) {
                self.node_mut(*own)?.after = after.collect();
            }
        }
        Ok(clone)
    }

    /// The node of a clone that was made from a node.
    pub fn in_clone(&self, original: usize, clone: usize) -> Result<usize, CudaError> {
        let mut nodes = self.graph(clone)?.nodes.iter();
        let found = nodes.find(|(_, node)| node.original == Some(original));
        found.map(|(handle, _)| *handle).ok_or(CudaError::INVALID_VALUE)
    }

    /// What a launch of the graph as it is now would do.
    pub fn plan(&self, graph: usize) -> Result<Plan, CudaError> {
        let mut plan = Plan::default();
        for (handle, node) in &self.graph(graph)?.nodes {
            let work = match &node.work {
                NodeWork::Graph(inner) => PlannedWork::Graph(self.plan(*inner)?),
                work => PlannedWork::One(work.clone()),
            };
            let (after, call) = (node.after.clone(), node.call.clone());
            plan.nodes.insert(*handle, PlannedNode { work, after, call, enabled: true });
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::plan::PlanDifference;
    use std::sync::Arc;

    fn empty(after: &[usize]) -> Node {
        let call =
            ApiCall { name: "cudaGraphAddEmptyNode".to_string(), frames: Arc::new(Vec::new) };
        Node::new(NodeWork::Empty, after.iter().copied().collect(), call)
    }

    fn with_work(work: NodeWork, after: &[usize]) -> Node {
        Node { work, ..empty(after) }
    }

    fn afters(plan: &Plan) -> Vec<Vec<usize>> {
        plan.pieces().into_iter().map(|piece| piece.after).collect()
    }

    #[test]
    fn edges_are_found_and_circles_are_not_made() {
        let mut graphs = Graphs::default();
        let graph = graphs.create();
        let first = graphs.add(graph, empty(&[])).expect("a node");
        let second = graphs.add(graph, empty(&[first])).expect("a node");
        let third = graphs.add(graph, empty(&[])).expect("a node");
        assert_eq!(graphs.add_edge(graph, second, third), Ok(()));
        assert_eq!(graphs.add_edge(graph, second, third), Err(CudaError::INVALID_VALUE));
        assert_eq!(graphs.add_edge(graph, third, first), Err(CudaError::INVALID_VALUE));
        assert_eq!(graphs.edges(graph), Ok(vec![(first, second), (second, third)]));
        assert_eq!(graphs.roots(graph), Ok(vec![first]));
        assert_eq!(graphs.dependents(first), Ok(vec![second]));
        assert_eq!(graphs.destroy_node(second), Ok(()));
        assert_eq!(
            (graphs.edges(graph), graphs.nodes(graph)),
            (Ok(vec![]), Ok(vec![first, third]))
        );
        let other = graphs.create();
        assert!(graphs.add(other, empty(&[first])).is_err(), "it belongs to another graph");
        assert_eq!(graphs.destroy(graph), Ok(()));
        assert!(graphs.node(first).is_err() && graphs.destroy(graph).is_err());
    }

    #[test]
    fn a_graph_inside_of_a_graph_is_done_in_its_place() {
        let mut graphs = Graphs::default();
        let (inner, outer) = (graphs.create(), graphs.create());
        graphs.add(inner, empty(&[])).expect("a node");
        graphs.add(inner, empty(&[])).expect("a node");
        let first = graphs.add(outer, empty(&[])).expect("a node");
        let inner = graphs.clone_of(inner).expect("a clone");
        let middle = with_work(NodeWork::Graph(inner), &[first]);
        let middle = graphs.add(outer, middle).expect("a node");
        graphs.add(outer, empty(&[middle])).expect("a node");
        let plan = graphs.plan(outer).expect("a plan");
        assert_eq!(afters(&plan), [vec![], vec![0], vec![0], vec![1, 2]]);
    }

    #[test]
    fn edges_to_nodes_that_were_made_later_are_kept_by_clones_and_plans() {
        let mut graphs = Graphs::default();
        let graph = graphs.create();
        let first = graphs.add(graph, empty(&[])).expect("a node");
        let second = graphs.add(graph, empty(&[])).expect("a node");
        assert_eq!(graphs.add_edge(graph, second, first), Ok(()));
        let clone = graphs.clone_of(graph).expect("a clone");
        assert_eq!(afters(&graphs.plan(clone).expect("a plan")), [vec![], vec![0]]);
        let found = graphs.in_clone(first, clone).expect("its clone");
        assert_eq!(graphs.node(found).expect("a node").after.len(), 1);
        assert!(graphs.in_clone(found, clone).is_err());
    }

    #[test]
    fn a_plan_takes_over_another_one_of_the_same_shape() {
        let mut graphs = Graphs::default();
        let (graph, other, longer) = (graphs.create(), graphs.create(), graphs.create());
        graphs.add(graph, empty(&[])).expect("a node");
        graphs.add(other, with_work(NodeWork::Record(7), &[])).expect("a node");
        let first = graphs.add(longer, empty(&[])).expect("a node");
        graphs.add(longer, empty(&[first])).expect("a node");
        let plan = |graph| graphs.plan(graph).expect("a plan");
        let mut updated = plan(graph);
        assert_eq!(updated.update(&plan(graph)), Ok(()));
        assert_eq!(updated.update(&plan(longer)), Err(PlanDifference::Edges));
        assert!(matches!(updated.update(&plan(other)), Err(PlanDifference::Kind(_))));
    }

    #[test]
    fn a_node_that_is_switched_off_still_orders() {
        let mut graphs = Graphs::default();
        let graph = graphs.create();
        let first = graphs.add(graph, empty(&[])).expect("a node");
        let second = graphs.add(graph, empty(&[first])).expect("a node");
        graphs.add(graph, empty(&[second])).expect("a node");
        let mut plan = graphs.plan(graph).expect("a plan");
        plan.node_mut(second).expect("a node").enabled = false;
        assert_eq!(afters(&plan), [vec![], vec![0]]);
    }
}
