//! What a launch of a graph does.

use super::nodes::NodeWork;
use crate::{ApiCall, EventNumber, GraphPiece, Task, Work};
use std::collections::{BTreeMap, BTreeSet};

/// What a launch of a graph does.
#[derive(Clone, Default)]
pub struct Plan {
    /// What each node does, by its handle.
    pub nodes: BTreeMap<usize, PlannedNode>,
}

/// A node of a plan.
#[derive(Clone)]
pub struct PlannedNode {
    /// What it does.
    pub work: PlannedWork,
    /// The nodes that it is after.
    pub after: BTreeSet<usize>,
    /// The call that described it.
    pub call: ApiCall,
    /// A node that is switched off does nothing, and still orders.
    pub enabled: bool,
}

/// What a node of a plan does.
#[derive(Clone)]
pub enum PlannedWork {
    /// One thing.
    One(NodeWork),
    /// All of a graph.
    Graph(Plan),
}

/// Why a plan cannot be changed to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanDifference {
    /// Nodes or edges are others.
    Edges,
    /// The node of the new graph that is of another kind.
    Kind(usize),
}

impl Plan {
    /// The node with a handle, also inside of graphs in it.
    pub fn node_mut(&mut self, handle: usize) -> Option<&mut PlannedNode> {
        if self.nodes.contains_key(&handle) {
            return self.nodes.get_mut(&handle);
        }
        self.nodes.values_mut().find_map(|node| match &mut node.work {
            PlannedWork::Graph(inner) => inner.node_mut(handle),
            PlannedWork::One(_) => None,
        })
    }

    /// Takes over what another plan of the same shape does. Nodes belong together by the order in which they
    /// were made.
    pub fn update(&mut self, other: &Plan) -> Result<(), PlanDifference> {
        let mut changed = self.clone();
        changed.take_over(other)?;
        *self = changed;
        Ok(())
    }

    fn take_over(&mut self, other: &Plan) -> Result<(), PlanDifference> {
        if self.shape() != other.shape() {
            return Err(PlanDifference::Edges);
        }
        for (own, (handle, new)) in self.nodes.values_mut().zip(&other.nodes) {
            match (&mut own.work, &new.work) {
                (PlannedWork::Graph(own), PlannedWork::Graph(new)) => own.take_over(new)?,
                (PlannedWork::One(own), PlannedWork::One(new)) if own.kind() == new.kind() => {
                    *own = new.clone();
                }
                _ => return Err(PlanDifference::Kind(*handle)),
            }
            own.call = new.call.clone();
        }
        Ok(())
    }

    /// For each node, which others it is after, all counted in the order in which they were made.
    fn shape(&self) -> Vec<BTreeSet<usize>> {
        let places: BTreeMap<usize, usize> =
            self.nodes.keys().enumerate().map(|(place, handle)| (*handle, place)).collect();
        let after = |node: &PlannedNode| {
            node.after.iter().filter_map(|earlier| places.get(earlier)).copied().collect()
        };
        self.nodes.values().map(after).collect()
    }

    /// The work of a launch, in an order that the edges allow.
    pub fn pieces(&self) -> Vec<GraphPiece> {
        let mut pieces = Vec::new();
        self.add_pieces(&mut pieces, &BTreeSet::new());
        pieces
    }

    /// Adds the work of all nodes after other pieces, and says which pieces are the last ones.
    fn add_pieces(&self, pieces: &mut Vec<GraphPiece>, after: &BTreeSet<usize>) -> BTreeSet<usize> {
        // By node: the pieces after which it is done.
        let mut ends: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut left: Vec<(&usize, &PlannedNode)> = self.nodes.iter().collect();
        while !left.is_empty() {
            let is_ready =
                |node: &PlannedNode| node.after.iter().all(|node| ends.contains_key(node));
            let Some(next) = left.iter().position(|(_, node)| is_ready(node)) else { break };
            let (handle, node) = left.remove(next);
            let before = node.after.iter().filter_map(|node| ends.get(node)).flatten();
            let before: BTreeSet<usize> = before.chain(after).copied().collect();
            let end = match &node.work {
                _ if !node.enabled => before,
                PlannedWork::Graph(inner) => inner.add_pieces(pieces, &before),
                PlannedWork::One(work) => {
                    pieces.push(piece(work, node, before));
                    BTreeSet::from([pieces.len() - 1])
                }
            };
            ends.insert(*handle, end);
        }
        if ends.is_empty() { after.clone() } else { ends.into_values().flatten().collect() }
    }
}

fn piece(work: &NodeWork, node: &PlannedNode, after: BTreeSet<usize>) -> GraphPiece {
    let (mut waits_for, mut records) = (None, None);
    let task = match work {
        NodeWork::Kernel(kernel) => Task::Launch(kernel.launch.clone()),
        NodeWork::Copy(copy) => Task::Transfers(copy.transfers.clone()),
        NodeWork::Fill(fill) => Task::Transfers(fill.transfers.clone()),
        NodeWork::Host(host) => Task::HostFunction(host.function.clone()),
        NodeWork::Wait(event) => {
            waits_for = Some(EventNumber(*event as u64));
            Task::Nothing
        }
        NodeWork::Record(event) => {
            records = Some(EventNumber(*event as u64));
            Task::Nothing
        }
        NodeWork::Graph(_) | NodeWork::Empty => Task::Nothing,
    };
    let work = Work { call: node.call.clone(), task };
    GraphPiece { work, after: after.into_iter().collect(), waits_for, records }
}
