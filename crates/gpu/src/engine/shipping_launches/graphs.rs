//! Kernels in graphs that ship their operations.
//!
//! Each node has queues of its own, since nodes may run at the same time and keep their parameters. When a graph is
//! launched, its nodes are listened to one after the other, in an order that their dependencies allow: a node that runs
//! earlier than its turn comes fills its queues and waits. A node has ended when all of its threads have shipped their end.
//! What cannot be distinguished (a node that a condition may run several times, one graph that is twice a part of
//! another) is read so that it does not wait for ever, and named as not covered.

use super::super::Engine;
use super::super::error::EngineError;
use super::super::ordering::can_speak_to_host;
use super::super::queues::{Queues, TURN_BITS};
use super::{LaunchShipping, Listening, Recipients, ship_to};
use crate::driver::DriverError;
use crate::driver_types::{CUgraphExec, CUgraphNode, CUstream};
use crate::hooks::{LaunchCall, LaunchSource};
use crate::shipping::{LaunchEnd, LaunchWatch, Reader, ShippedLaunch, ShippingOptions};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use warpsan_instrument::LaunchContext;
use warpsan_model::LaunchId;

/// Queues of a node. Blocks share them.
const MOST_QUEUES: u64 = 16;
/// Nodes that can have queues: more would need much memory of the host.
const MOST_NODES: usize = 512;
/// How long a reader that found nothing waits.
const REST: Duration = Duration::from_micros(100);

/// The graphs of a device.
#[derive(Default)]
pub(super) struct ShippedGraphs {
    /// Nodes by the place of their queues.
    nodes: HashMap<u64, ShippedNode>,
    instances: HashMap<CUgraphExec, ShippedNodes>,
}

struct ShippedNode {
    queues: Queues,
    /// What it launches; nothing until the driver has taken it.
    launch: Option<ShippedLaunch>,
}

/// The nodes of a graph that can be launched.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(in super::super) struct ShippedNodes {
    /// Each with the place of its queues, in an order in which they may run.
    pub(in super::super) known: Vec<(CUgraphNode, u64)>,
    /// It has others that cannot be looked at.
    pub(in super::super) has_more: bool,
}

impl ShippedNodes {
    /// Places that only one node has.
    fn unique_queues(&self) -> Vec<u64> {
        let count = |place: u64| self.known.iter().filter(|(_, other)| *other == place).count();
        let places = self.known.iter().map(|(_, place)| *place);
        places.filter(|place| count(*place) == 1).collect()
    }
}

impl LaunchShipping {
    /// Provides queues for a node, and enters them into its context.
    pub(in super::super) fn prepare_node(
        &mut self,
        engine: &Engine,
        call: &LaunchCall,
        context: &mut LaunchContext,
    ) -> Result<(), EngineError> {
        if self.graphs.nodes.len() >= MOST_NODES {
            return Err(EngineError::TooManyNodes(MOST_NODES));
        }
        let count = call.blocks().clamp(1, MOST_QUEUES) as usize;
        let queues = Queues::new(engine, count, self.stream).map_err(EngineError::NoQueues)?;
        queues.enter(engine, context);
        self.graphs.nodes.insert(queues.place, ShippedNode { queues, launch: None });
        Ok(())
    }

    /// The driver has taken a node with these queues.
    pub(in super::super) fn describe_node(
        &mut self,
        call: &LaunchCall,
        node: CUgraphNode,
        place: u64,
        mut launch: ShippedLaunch,
    ) {
        launch.turn_bits = TURN_BITS;
        if let Some(known) = self.graphs.nodes.get_mut(&place) {
            known.launch = Some(launch);
        }
        // A graph that can be launched already has the new kernel in the place of the old one.
        if let LaunchSource::NodeOf(executable) = call.source {
            let nodes = self.graphs.instances.entry(executable).or_default();
            match nodes.known.iter_mut().find(|(known, _)| *known == node) {
                Some(known) => known.1 = place,
                None => nodes.known.push((node, place)),
            }
        }
    }

    /// Whether any of these nodes has its queues here.
    pub(in super::super) fn has_some_of(&self, nodes: &ShippedNodes) -> bool {
        nodes.known.iter().any(|(_, place)| self.graphs.nodes.contains_key(place))
    }

    /// A graph can be launched now.
    pub(in super::super) fn graph_is_ready(
        &mut self,
        executable: CUgraphExec,
        nodes: ShippedNodes,
    ) {
        self.graphs.instances.insert(executable, nodes);
    }

    /// It can no longer be launched.
    pub(in super::super) fn forget_instance(&mut self, executable: CUgraphExec) {
        self.graphs.instances.remove(&executable);
    }

    /// Makes the queues of a graph ready for its launch, in the order of the stream.
    pub(in super::super) fn prepare_graph(&mut self, engine: &Engine, stream: CUstream) {
        self.wait();
        for node in self.graphs.nodes.values() {
            node.queues.reset(engine, stream);
        }
    }

    /// Listens to the nodes of a graph that was launched. The first of them has this number.
    pub(in super::super) fn listen_to_graph(
        &mut self,
        engine: &Engine,
        executable: CUgraphExec,
        stream: CUstream,
        first: u32,
    ) -> Result<u32, DriverError> {
        let Some(sink) = engine.events.clone() else { return Ok(0) };
        if self.graphs.nodes.is_empty() {
            return Ok(0);
        }
        let unknown = || ShippedNodes { known: Vec::new(), has_more: true };
        let nodes = self.graphs.instances.get(&executable).cloned().unwrap_or_else(unknown);
        if !nodes.has_more && !self.has_some_of(&nodes) {
            return Ok(0);
        }
        self.wait();
        let mut shipped = Vec::new();
        for place in nodes.unique_queues() {
            let Some(node) = self.graphs.nodes.get(&place) else { continue };
            let Some(mut launch) = node.launch.clone() else { continue };
            launch.launch = LaunchId(first + shipped.len() as u32);
            shipped.push((place, launch, node.queues.readers(), LaunchWatch::new()));
        }
        // Others may run as well, and must not wait for ever.
        let is_shipped = |place: &u64| shipped.iter().any(|(known, ..)| known == place);
        let others = self.graphs.nodes.iter().filter(|(place, _)| !is_shipped(place));
        let others: Vec<(String, Vec<Reader>)> = others
            .map(|(_, node)| {
                let name = node.launch.as_ref().map(|launch| launch.facts.name.clone());
                (name.unwrap_or_else(|| "?".to_owned()), node.queues.readers())
            })
            .collect();
        let count = shipped.len() as u32;
        let speaks = |number: u32| {
            shipped
                .get(number as usize)
                .is_none_or(|(_, launch, ..)| can_speak_to_host(&launch.sites))
        };
        engine.order_kernels_of_graph((first, count), stream, speaks);
        let listening = Listening::of(engine, stream, (0, 0), self.stream)?;
        let recipients = Recipients::of(engine, sink);
        self.start(engine, move || {
            let is_over = AtomicBool::new(false);
            let watches: Vec<LaunchWatch> =
                shipped.iter().map(|(_, _, _, watch)| watch.clone()).collect();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let LaunchEnd { stopped, .. } = listening.wait();
                    let end = LaunchEnd { counts: Vec::new(), stopped };
                    watches.iter().for_each(|watch| watch.ended(end.clone()));
                    is_over.store(true, Ordering::Release);
                });
                scope.spawn(|| discard(others, &is_over, &*recipients.listener));
                for (_, launch, readers, watch) in shipped {
                    let options = ShippingOptions { ends_by_itself: true, ..Default::default() };
                    ship_to(&launch, readers, &watch, &recipients, options);
                }
            });
        });
        Ok(count)
    }
}

/// Reads what cannot be distinguished until the graph has ended.
fn discard(
    mut nodes: Vec<(String, Vec<Reader>)>,
    is_over: &AtomicBool,
    listener: &dyn super::super::Listener,
) {
    let mut slots = Vec::new();
    loop {
        // Asked first: what was written before is found below.
        let over = is_over.load(Ordering::Acquire);
        let mut any = false;
        for (kernel, readers) in &mut nodes {
            for reader in readers {
                slots.clear();
                if reader.take(usize::MAX, &mut slots) > 0 {
                    any = true;
                    let why =
                        "it is launched by a graph in which its launches cannot be distinguished";
                    listener.not_covered(kernel, why);
                }
            }
        }
        if over && !any {
            return;
        }
        if !any {
            std::thread::sleep(REST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_that_two_nodes_share_are_not_listened_to() {
        let node = |number: usize| CUgraphNode(number);
        let nodes = ShippedNodes {
            known: vec![(node(1), 16), (node(2), 32), (node(3), 16), (node(4), 48)],
            has_more: false,
        };
        assert_eq!(nodes.unique_queues(), [32, 48]);
    }
}
