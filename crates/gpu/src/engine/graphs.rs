//! Kernels in graphs.
//!
//! A node keeps its parameters, however often its graph is launched. So the number that metadata has for the first warp of
//! such a launch comes of two: one of the node, and one in the device's memory, which changes with each launch of the graph.
//! All kernels that are added to a graph share the place of the second, those that keep locks one of their own. A clone of a graph has the parameters of the original, and a graph
//! may be part of another: its nodes show which places a graph needs when it is made ready.

mod nodes;
pub(super) mod numbers;
mod shown;

use super::arguments::context_of;
use super::device::Device;
use super::error::EngineError;
use super::ordering::GraphOrder;
use super::shipping_launches::ShippedNodes;
use super::variants::Variants;
use super::{Engine, State};
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::{
    CUcontext, CUgraph, CUgraphExec, CUgraphNode, CUstream, CUstreamCaptureStatus,
};
use crate::hooks::{LaunchCall, LaunchSource};
use numbers::{MOST_LOCKED_WARPS, MOST_WARPS, NodeBase, NumberPlaces};
use warpsan_instrument::{LaunchContext, Uses};

/// Types of nodes.
const KERNEL: i32 = 0;
const CHILD_GRAPH: i32 = 4;
const CONDITIONAL: i32 = 13;

/// What a launch becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Work of a stream.
    Stream,
    /// A new node of a graph.
    Graph(CUgraph),
    /// A node that there is.
    Node(CUgraphNode),
}

impl Target {
    /// Whether the program made the node itself, and not by launching in a stream that is captured.
    pub(super) fn is_explicit(self, call: &LaunchCall) -> bool {
        self != Target::Stream && call.source != LaunchSource::Stream
    }
}

impl Engine {
    /// What becomes of a launch.
    pub(super) fn target_of(&self, call: &LaunchCall) -> Target {
        match call.source {
            LaunchSource::NewNode(graph) => Target::Graph(graph),
            LaunchSource::Node | LaunchSource::NodeOf(_) => Target::Node(call.node),
            LaunchSource::SeveralDevices => Target::Stream,
            LaunchSource::Stream => {
                self.captured_graph(call.named_stream()).map_or(Target::Stream, Target::Graph)
            }
        }
    }

    /// Whether a launch is captured.
    pub(super) fn is_captured(&self, call: &LaunchCall) -> bool {
        call.source == LaunchSource::Stream && self.target_of(call) != Target::Stream
    }

    /// The graph that a stream's work becomes a part of, if it is captured.
    pub(super) fn captured_graph(&self, stream: CUstream) -> Option<CUgraph> {
        let mut status = CUstreamCaptureStatus::NONE;
        let mut graph = CUgraph::NULL;
        // SAFETY: places for what is asked, null for what is not.
        let result = unsafe {
            self.driver.cuStreamGetCaptureInfo_v2(
                stream,
                &mut status,
                std::ptr::null_mut(),
                &mut graph,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        (result.is_success() && status == CUstreamCaptureStatus::ACTIVE).then_some(graph)
    }

    /// Gives the warps of a node their numbers and its tables, and enters them into its context.
    pub(super) fn prepare_node(
        &self,
        variants: &Variants,
        device: &mut Device,
        target: Target,
        call: &LaunchCall,
        (uses, warps): (Uses, u64),
        context: &mut LaunchContext,
    ) -> Result<(), EngineError> {
        let stream = device.stream;
        let known = match target {
            Target::Node(node) => self.base_of(variants, node),
            _ => None,
        };
        let known = known.filter(|known| device.graphs.keeps_locks(known.place) == uses.locks);
        let base = match (known, target) {
            // A node that gets new parameters stays what it is to others.
            (Some(known), _)
                if device.graphs.warps.get(&known).is_some_and(|had| warps <= *had) =>
            {
                known
            }
            (Some(known), _) => device.graphs.next_base(known.place, uses.locks, warps)?,
            (None, Target::Graph(graph)) => {
                let place = match device.graphs.of_graph.get(&(graph, uses.locks)) {
                    Some(place) => *place,
                    None => self.allocate(4, stream).map_err(EngineError::NoCounters)?,
                };
                device.graphs.of_graph.insert((graph, uses.locks), place);
                device.graphs.next_base(place, uses.locks, warps)?
            }
            (None, _) => {
                let place = self.allocate(4, stream).map_err(EngineError::NoCounters)?;
                device.graphs.next_base(place, uses.locks, warps)?
            }
        };
        if let LaunchSource::NodeOf(executable) = call.source {
            device.graphs.instances.entry(executable).or_default().known.insert(base.place);
        }
        (context.base, context.base_place) = (base.further, base.place);
        let tables = device.graphs.tables.entry(base).or_default();
        tables.provide(self, uses, warps, stream, context).map_err(EngineError::NoCounters)
    }

    /// The number of the first warp of a node whose kernel is one of ours.
    fn base_of(&self, variants: &Variants, node: CUgraphNode) -> Option<NodeBase> {
        let context = self.context_of_node(variants, node)?;
        let base = NodeBase { place: context.base_place, further: context.base };
        (base.place != 0).then_some(base)
    }

    /// The context of a node whose kernel is one of ours.
    fn context_of_node(&self, variants: &Variants, node: CUgraphNode) -> Option<LaunchContext> {
        let mut parameters = KernelNodeParams::NOTHING;
        // SAFETY: a node of the program, and a place for its parameters.
        unsafe { self.driver.cuGraphKernelNodeGetParams_v2(node, &mut parameters) }.ok().ok()?;
        let variant = variants.by_function(parameters.first.function)?;
        // SAFETY: the node's parameters are those of the variant, and stay as long as it does.
        unsafe { context_of(&parameters.first, &variant.parameters) }
    }

    /// Remembers what the kernels of a graph need that can be launched now.
    pub(super) fn graph_is_ready(&self, graph: CUgraph, executable: CUgraphExec) {
        let mut state = self.lock();
        let State { variants, devices, .. } = &mut *state;
        let mut places = NumberPlaces::default();
        let mut shipped = ShippedNodes::default();
        let mut order = GraphOrder::default();
        self.add_places(variants, graph, &mut places, (&mut shipped, &mut order));
        shipped.has_more = places.has_more;
        let shipping = |device: &&Device| {
            device.shipping.as_ref().is_some_and(|shipping| shipping.has_some_of(&shipped))
        };
        // What one context ships is not known in another: whose turn it is there, for one.
        if devices.values().filter(shipping).count() > 1 {
            shipped = ShippedNodes { known: Vec::new(), has_more: true };
        }
        // Each context has places of its own among them.
        for device in devices.values_mut() {
            device.graphs.instances.insert(executable, places.clone());
            if let Some(shipping) = &mut device.shipping {
                shipping.graph_is_ready(executable, shipped.clone());
            }
        }
        drop(state);
        self.note_graph_order(executable, order);
    }

    fn add_places(
        &self,
        variants: &Variants,
        graph: CUgraph,
        places: &mut NumberPlaces,
        (shipped, order): (&mut ShippedNodes, &mut GraphOrder),
    ) {
        for node in self.in_order(graph) {
            let mut kind = -1;
            // SAFETY: a node of the program, and a place for a number.
            unsafe { self.driver.cuGraphNodeGetType(node, &mut kind) };
            order.add(kind);
            match kind {
                KERNEL => {
                    places.known.extend(self.base_of(variants, node).map(|base| base.place));
                    let context = self.context_of_node(variants, node);
                    let queues = context.map(|context| context.queues).filter(|place| *place != 0);
                    shipped.known.extend(queues.map(|place| (node, place)));
                }
                CHILD_GRAPH => {
                    let mut child = CUgraph::NULL;
                    // SAFETY: a node of that type, and a place for a graph.
                    let found =
                        unsafe { self.driver.cuGraphChildGraphNodeGetGraph(node, &mut child) };
                    match found.is_success() && !child.is_null() {
                        true => self.add_places(variants, child, places, (shipped, order)),
                        false => places.has_more = true,
                    }
                }
                CONDITIONAL => places.has_more = true,
                _ => {}
            }
        }
    }

    /// Gives the warps of a graph's kernels numbers of their own for one launch. Says whose context the stream is of.
    pub(super) fn before_graph(
        &self,
        executable: CUgraphExec,
        stream: CUstream,
    ) -> Option<CUcontext> {
        let mut state = self.lock();
        let of_stream = self.context_of_stream(&mut state, stream)?;
        let has_kernels = |device: &Device| !device.graphs.wanted(executable).is_empty();
        let contexts = state.devices.iter().filter(|(_, device)| has_kernels(device));
        let mut contexts: Vec<CUcontext> = contexts.map(|(context, _)| *context).collect();
        contexts.sort_by_key(|context| context.0);
        for context in contexts {
            self.with_device_of(&mut state, context, |_, device| {
                self.uncaptured(|| {
                    // As part of another graph it gets them when that is launched.
                    if self.captured_graph(stream).is_none() {
                        device.catch_up(self);
                        self.in_order_of((stream, of_stream), device, |device, stream| {
                            self.renew_numbers(device, executable, stream);
                            if let Some(shipping) = &mut device.shipping {
                                shipping.prepare_graph(self, stream);
                            }
                        });
                    }
                });
            });
        }
        Some(of_stream)
    }

    fn renew_numbers(&self, device: &mut Device, executable: CUgraphExec, stream: CUstream) {
        let wanted = device.graphs.wanted(executable);
        let warps = |keep_locks: bool| -> u64 {
            let alike = wanted.iter().filter(|(_, sharing)| sharing.keep_locks == keep_locks);
            alike.map(|(_, sharing)| sharing.warps).sum()
        };
        let (plain, locked) = (warps(false), warps(true));
        if plain > MOST_WARPS || locked > MOST_LOCKED_WARPS {
            self.listener.warning(&format!(
                "a graph of {} warps, more than can be distinguished: what is found in it may be wrong",
                plain + locked
            ));
        }
        if let Err(error) = self.settle(device.stream) {
            self.listener.warning(&format!("a graph was launched too early: {error}"));
        }
        let (mut of_plain, mut of_locked) = device.take_numbers(self, plain, locked);
        for (place, sharing) in wanted {
            let next = if sharing.keep_locks { &mut of_locked } else { &mut of_plain };
            // SAFETY: memory of ours, in the order of the graph's stream.
            unsafe { self.driver.cuMemsetD32Async(place, *next, 1, stream) };
            *next = next.wrapping_add(sharing.warps as u32);
        }
    }

    /// Listens to the kernels of a graph that was launched in a stream of this context, if they ship their operations.
    pub(super) fn listen_to_graph(
        &self,
        executable: CUgraphExec,
        stream: CUstream,
        of_stream: CUcontext,
    ) {
        if !self.settings.plan.ships() {
            return;
        }
        let mut state = self.lock();
        let State { devices, launches, .. } = &mut *state;
        let listening = self.within(of_stream, || {
            self.uncaptured(|| {
                if self.captured_graph(stream).is_some() {
                    return Ok(());
                }
                for shipping in devices.values_mut().filter_map(|device| device.shipping.as_mut()) {
                    *launches += shipping.listen_to_graph(self, executable, stream, *launches)?;
                }
                Ok::<(), crate::DriverError>(())
            })
        });
        if let Some(Err(error)) = listening {
            self.listener.warning(&format!("nobody listens to a graph: {error}"));
        }
    }

    /// A graph is gone, and its handle may be another's next.
    pub(super) fn forget_graph(&self, graph: CUgraph) {
        for device in self.lock().devices.values_mut() {
            device.graphs.of_graph.retain(|(known, _), _| *known != graph);
        }
    }

    /// A graph can no longer be launched.
    pub(super) fn forget_instance(&self, executable: CUgraphExec) {
        let mut state = self.lock();
        state.graphs_with_host.remove(&executable);
        for device in state.devices.values_mut() {
            device.graphs.instances.remove(&executable);
            if let Some(shipping) = &mut device.shipping {
                shipping.forget_instance(executable);
            }
        }
    }
}
