//! Kernels in graphs.
//!
//! A node keeps its parameters, however often its graph is launched. So the tag of such a launch comes of two numbers:
//! one of the node, and one in the device's memory, which changes with each launch of the graph. All kernels that are
//! added to a graph share the place of the second. A clone of a graph has the parameters of the original, and a graph
//! may be part of another: which places a graph needs is told by its nodes when it is made ready.

use super::arguments::context_of;
use super::device::Device;
use super::tables::Tables;
use super::variants::{Variant, Variants};
use super::{Engine, State};
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::{
    CUgraph, CUgraphExec, CUgraphNode, CUkernel, CUresult, CUstream, CUstreamCaptureStatus,
};
use crate::hooks::{LaunchCall, LaunchSource};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use warpsan_instrument::{LaunchContext, Uses};

/// Kernels that a graph can have, each with a tag of its own.
const MOST_KERNELS: u32 = LaunchContext::TAGS - 192;

/// Types of nodes.
const KERNEL: i32 = 0;
const CHILD_GRAPH: i32 = 4;
const CONDITIONAL: i32 = 13;

/// The graphs of a device.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    /// Where the number lies of kernels that are added to a graph.
    of_graph: HashMap<CUgraph, u64>,
    /// How many kernels share the number of a place.
    kernels: BTreeMap<u64, u32>,
    /// Graphs that can be launched.
    instances: HashMap<CUgraphExec, Places>,
    /// Counters and locks of each kernel.
    tables: HashMap<NodeTag, Tables>,
}

/// The tag of a node: the place of the graph's number, and what is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct NodeTag {
    place: u64,
    tag: u32,
}

/// Where the numbers of a graph's kernels lie.
#[derive(Debug, Default, PartialEq, Eq)]
struct Places {
    known: BTreeSet<u64>,
    /// It has kernels that cannot be looked at.
    has_more: bool,
}

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

    /// Gives a node its tag and its tables, and enters them into its context.
    pub(super) fn prepare_node(
        &self,
        variants: &Variants,
        device: &mut Device,
        target: Target,
        call: &LaunchCall,
        (uses, warps): (Uses, u64),
        context: &mut LaunchContext,
    ) -> Result<(), String> {
        let of_driver = |error: crate::DriverError| format!("no memory for its counters: {error}");
        let stream = device.stream;
        let known = match target {
            Target::Node(node) => self.tag_of(variants, node),
            _ => None,
        };
        let tag = match (known, target) {
            // A node that gets new parameters stays what it is to others.
            (Some(known), _) => known,
            (None, Target::Graph(graph)) => match device.graphs.of_graph.get(&graph) {
                Some(place) => device.graphs.next_tag(*place)?,
                None => {
                    let place = self.allocate(4, stream).map_err(of_driver)?;
                    device.graphs.of_graph.insert(graph, place);
                    device.graphs.next_tag(place)?
                }
            },
            (None, _) => {
                let place = self.allocate(4, stream).map_err(of_driver)?;
                device.graphs.next_tag(place)?
            }
        };
        if let LaunchSource::NodeOf(executable) = call.source {
            device.graphs.instances.entry(executable).or_default().known.insert(tag.place);
        }
        (context.tag, context.tag_base) = (tag.tag, tag.place);
        let tables = device.graphs.tables.entry(tag).or_default();
        tables.provide(self, uses, warps, stream, context).map_err(of_driver)
    }

    /// The tag of a node whose kernel is one of ours.
    fn tag_of(&self, variants: &Variants, node: CUgraphNode) -> Option<NodeTag> {
        let mut parameters = KernelNodeParams::NOTHING;
        // SAFETY: a node of the program, and a place for its parameters.
        unsafe { self.driver.cuGraphKernelNodeGetParams_v2(node, &mut parameters) }.ok().ok()?;
        let variant = variants.by_function(parameters.first.function)?;
        // SAFETY: the node's parameters are those of the variant, and stay as long as it does.
        let context = unsafe { context_of(&parameters.first, &variant.parameters) }?;
        (context.tag_base != 0).then_some(NodeTag { place: context.tag_base, tag: context.tag })
    }

    /// Remembers what the kernels of a graph need that can be launched now.
    pub(super) fn graph_is_ready(&self, graph: CUgraph, executable: CUgraphExec) {
        let mut state = self.lock();
        self.with_device(&mut state, |state, device| {
            let mut places = Places::default();
            self.add_places(&state.variants, graph, &mut places);
            device.graphs.instances.insert(executable, places);
        });
    }

    fn add_places(&self, variants: &Variants, graph: CUgraph, places: &mut Places) {
        for node in self.nodes_of(graph) {
            let mut kind = -1;
            // SAFETY: a node of the program, and a place for a number.
            unsafe { self.driver.cuGraphNodeGetType(node, &mut kind) };
            match kind {
                KERNEL => places.known.extend(self.tag_of(variants, node).map(|tag| tag.place)),
                CHILD_GRAPH => {
                    let mut child = CUgraph::NULL;
                    // SAFETY: a node of that type, and a place for a graph.
                    let told =
                        unsafe { self.driver.cuGraphChildGraphNodeGetGraph(node, &mut child) };
                    match told.is_success() && !child.is_null() {
                        true => self.add_places(variants, child, places),
                        false => places.has_more = true,
                    }
                }
                CONDITIONAL => places.has_more = true,
                _ => {}
            }
        }
    }

    fn nodes_of(&self, graph: CUgraph) -> Vec<CUgraphNode> {
        let mut count = 0;
        // SAFETY: a graph of the program. Without a place for nodes their number is told.
        unsafe { self.driver.cuGraphGetNodes(graph, std::ptr::null_mut(), &mut count) };
        let mut nodes = vec![CUgraphNode::NULL; count];
        // SAFETY: a place for so many.
        let told = unsafe { self.driver.cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count) };
        nodes.truncate(if told.is_success() { count } else { 0 });
        nodes
    }

    /// Gives the kernels of a graph tags of their own for one launch.
    pub(super) fn before_graph(&self, executable: CUgraphExec, stream: CUstream) {
        let mut state = self.lock();
        self.with_device(&mut state, |_, device| {
            self.uncaptured(|| {
                // As part of another graph it gets them when that is launched.
                if self.captured_graph(stream).is_none() {
                    self.renew_tags(device, executable, stream);
                }
            });
        });
    }

    fn renew_tags(&self, device: &mut Device, executable: CUgraphExec, stream: CUstream) {
        let wanted = device.graphs.wanted(executable);
        let count: u32 = wanted.iter().map(|(_, kernels)| kernels).sum();
        if count > MOST_KERNELS {
            self.listener.warning(&format!(
                "a graph of {count} kernels, more than can be told apart: what is found in it may be wrong"
            ));
        }
        if let Err(error) = self.settle(device.stream) {
            self.listener.warning(&format!("a graph was launched too early: {error}"));
        }
        let mut next = device.take_tags(self, count);
        for (place, kernels) in wanted {
            // SAFETY: memory of ours, in the order of the graph's stream.
            unsafe { self.driver.cuMemsetD32Async(place, next, 1, stream) };
            next += kernels;
        }
    }

    /// A graph is gone, and its handle may be another's next.
    pub(super) fn forget_graph(&self, graph: CUgraph) {
        for device in self.lock().devices.values_mut() {
            device.graphs.of_graph.remove(&graph);
        }
    }

    /// A graph can no longer be launched.
    pub(super) fn forget_instance(&self, executable: CUgraphExec) {
        for device in self.lock().devices.values_mut() {
            device.graphs.instances.remove(&executable);
        }
    }

    /// Puts the program's kernel in place of ours, where it asks for what a node is.
    pub(super) fn tell_original(&self, state: &State, parameters: &mut KernelNodeParams) {
        let Some(variant) = state.variants.by_function(parameters.first.function) else { return };
        let mut original = *parameters;
        if variant.original_is_kernel {
            original.first.function = crate::CUfunction::NULL;
            original.kernel = CUkernel(variant.original.0);
        } else {
            original.first.function = variant.original;
            original.kernel = CUkernel::NULL;
        }
        let told = self.uncaptured(|| self.as_told(&original)).unwrap_or(original);
        parameters.first.function = told.first.function;
        parameters.kernel = told.kernel;
        parameters.context = told.context;
    }

    /// What the driver says of a node with these parameters, which need not be how they were given.
    fn as_told(&self, parameters: &KernelNodeParams) -> Option<KernelNodeParams> {
        let driver = self.driver;
        let mut graph = CUgraph::NULL;
        // SAFETY: a place for a graph.
        unsafe { driver.cuGraphCreate(&mut graph, 0) }.ok().ok()?;
        let mut node = CUgraphNode::NULL;
        let mut told = KernelNodeParams::NOTHING;
        // SAFETY: a graph of ours, parameters of a kernel, and places for what is told. The graph goes again.
        let answer = unsafe {
            let added =
                driver.cuGraphAddKernelNode_v2(&mut node, graph, std::ptr::null(), 0, parameters);
            let answer = match added {
                CUresult::SUCCESS => driver.cuGraphKernelNodeGetParams_v2(node, &mut told),
                refused => refused,
            };
            driver.cuGraphDestroy(graph);
            answer
        };
        answer.is_success().then_some(told)
    }
}

impl Graphs {
    /// The tag of one more kernel that shares a place.
    fn next_tag(&mut self, place: u64) -> Result<NodeTag, String> {
        let kernels = self.kernels.entry(place).or_default();
        if *kernels >= MOST_KERNELS {
            return Err(format!("a graph of more than {MOST_KERNELS} kernels"));
        }
        *kernels += 1;
        Ok(NodeTag { place, tag: *kernels - 1 })
    }

    /// The places whose numbers change for a launch, and how many kernels share each. Those of all graphs, where it
    /// is not known which kernels a graph has.
    fn wanted(&self, executable: CUgraphExec) -> Vec<(u64, u32)> {
        let places = self.instances.get(&executable).filter(|places| !places.has_more);
        let is_wanted = |place: &u64| places.is_none_or(|places| places.known.contains(place));
        let wanted = self.kernels.iter().filter(|(place, _)| is_wanted(place));
        wanted.map(|(place, kernels)| (*place, *kernels)).collect()
    }
}

impl Variant {
    /// Whether its kernel cannot be a node that the program makes itself: other nodes may change constants between.
    pub(super) fn needs_stream(&self) -> bool {
        !self.constants.is_empty()
    }
}
