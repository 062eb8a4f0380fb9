//! A launch, with the instrumented kernel in place of the program's.

use super::arguments::Arguments;
use super::device::{Device, GraphTags};
use super::identity::Identity;
use super::variants::{self, Key, Variant, attribute_of};
use super::{Engine, State};
use crate::driver_types::{
    CUcontext, CUfunctionAttribute, CUgraph, CUgraphExec, CUresult, CUstream, CUstreamCaptureStatus,
};
use crate::hooks::{CodeContainer, ContextEnd, LaunchCall, LaunchSource};
use crate::shipping::ShippedLaunch;
use std::collections::hash_map::Entry;
use std::sync::{Arc, PoisonError};
use warpsan_instrument::LaunchContext;
use warpsan_model::{Dim3, Geometry, LaunchId};

/// Attributes that a program sets on its kernel and that the variant needs as well.
const KEPT_ATTRIBUTES: [CUfunctionAttribute; 4] = [
    CUfunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CUfunctionAttribute::PREFERRED_SHARED_MEMORY_CARVEOUT,
    CUfunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    CUfunctionAttribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE,
];

/// Bytes at the start of the `.shared` window that belong to the system, from compute capability 8.0 on.
const RESERVED_SHARED_BYTES: u64 = 1024;

/// What a launch is replaced by.
struct Replacement {
    variant: Arc<Variant>,
    context: LaunchContext,
}

impl Engine {
    pub(super) fn launch_instrumented(
        &self,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        let mut state = self.lock();
        let libraries: Vec<_> = state
            .code
            .keys()
            .filter_map(|container| match container {
                CodeContainer::Library(library) => Some(*library),
                CodeContainer::Module(_) => None,
            })
            .collect();
        let identity =
            self.uncaptured(|| state.identities.of(self, call.function, libraries.into_iter()));
        let Some(identity) = identity else {
            drop(state);
            self.listener.launched("?", false);
            self.listener.not_covered("?", "the driver does not tell which kernel a launch is of");
            return real(call);
        };
        let prepared = self.with_device(&mut state, |state, device| {
            self.uncaptured(|| self.prepare(state, device, &identity, call))
        });
        let replacement = match prepared {
            Some(Ok(replacement)) => replacement,
            Some(Err(reason)) => {
                drop(state);
                self.listener.launched(&identity.name, false);
                self.listener.not_covered(&identity.name, &reason);
                return real(call);
            }
            None => {
                drop(state);
                self.listener.launched(&identity.name, false);
                self.listener.not_covered(&identity.name, "there is no context on a device");
                return real(call);
            }
        };
        let Replacement { variant, context } = replacement;
        // SAFETY: the program passes what its kernel takes, and the text of the kernel says what that is.
        let arguments = unsafe { Arguments::of(call, &variant.parameters, context) };
        let Some(mut arguments) = arguments else {
            drop(state);
            self.listener.launched(&identity.name, false);
            self.listener
                .not_covered(&identity.name, "its parameters are passed in an unknown way");
            return real(call);
        };
        let original = call.clone();
        self.copy_constants(&variant, call);
        call.function = variant.function;
        arguments.put(call);
        let result = real(call);
        if result.is_success() {
            self.listen(&mut state, &variant, &original, context.launch);
        }
        drop(state);
        if result.is_success() {
            self.listener.launched(&identity.name, true);
            return result;
        }
        *call = LaunchCall { node: call.node, ..original };
        let second = real(call);
        self.listener.launched(&identity.name, false);
        if second.is_success() {
            let reason = format!(
                "the instrumented kernel cannot be launched ({})",
                self.driver.error_name(result)
            );
            self.listener.not_covered(&identity.name, &reason);
        }
        second
    }

    /// Finds or makes the variant, and everything that its launch needs.
    fn prepare(
        &self,
        state: &mut State,
        device: &mut Device,
        identity: &Identity,
        call: &LaunchCall,
    ) -> Result<Replacement, String> {
        let warps = call.blocks() * call.threads_of_block().div_ceil(32);
        if warps > LaunchContext::MOST_WARPS {
            return Err(format!("a grid of {warps} warps, more than can be told apart"));
        }
        let mut context = CUcontext::NULL;
        // SAFETY: a place for a context.
        unsafe { self.driver.cuCtxGetCurrent(&mut context) };
        let blocks_at_once = call
            .cooperative
            .then(|| call.blocks().div_ceil(u64::from(device.multiprocessors.max(1))) as u32);
        let key = Key { context, function: call.function, block: call.block, blocks_at_once };
        let variant = match state.variants.get(&key) {
            Some(known) => known?,
            None => {
                let made = self.make_variant(state, device, identity, &key);
                state.variants.put(key, made.clone());
                made?
            }
        };
        if variant.uses.locks && warps > LaunchContext::MOST_WARPS_WITH_LOCKS {
            return Err(format!(
                "a grid of {warps} warps with compare-and-swap, more than can be told apart"
            ));
        }
        for attribute in KEPT_ATTRIBUTES {
            let wanted = attribute_of(self.driver, identity.function, attribute);
            if wanted != attribute_of(self.driver, variant.function, attribute) {
                // SAFETY: a function of ours.
                unsafe { self.driver.cuFuncSetAttribute(variant.function, attribute, wanted) };
            }
        }
        device.reports.describe(
            variant.number,
            variants::describe(&variant, identity, call.grid, call.block),
        );
        let mut context = LaunchContext {
            shadow_table: device.shadow.table,
            reports: device.reports.place,
            backoff_limit: if self.settings.backoff { backoff_limit(warps) } else { 0 },
            options: (self.settings.options & 0xFFFF) | variant.number << 16,
            launch: state.launches,
            ..LaunchContext::default()
        };
        state.launches += 1;
        let stream = device.stream;
        let of_tables = |error: crate::DriverError| format!("no memory for its counters: {error}");
        match self.graph_of(call) {
            Some(_) if self.settings.checks.tells() => {
                return Err("it is launched in a graph, which the host is not told of".to_owned());
            }
            Some(graph) => {
                self.tag_of_node(device, graph, &mut context).map_err(of_tables)?;
                let mut tables = super::tables::Tables::default();
                tables
                    .provide(self, variant.uses, warps, stream, &mut context)
                    .map_err(of_tables)?;
            }
            None => {
                context.tag = device.take_tags(self, 1);
                let tables = device.tables.entry(call.stream).or_default();
                tables
                    .provide(self, variant.uses, warps, stream, &mut context)
                    .map_err(of_tables)?;
            }
        }
        if let Some(telling) = &mut device.telling {
            telling.prepare(self, call, &mut context);
        }
        Ok(Replacement { variant, context })
    }

    /// Listens to a launch that has begun, if the host is told of it.
    fn listen(&self, state: &mut State, variant: &Variant, call: &LaunchCall, launch: u32) {
        if !self.settings.checks.tells() {
            return;
        }
        let dim3 = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
        let shipped = ShippedLaunch {
            launch: LaunchId(launch),
            facts: variant.facts.clone(),
            sites: variant.sites.clone(),
            infos: variant.infos.clone(),
            geometry: Geometry { grid: dim3(call.grid), block: dim3(call.block) },
            cluster: call.cluster().map(dim3),
            turn_bits: 0,
            shared_base: RESERVED_SHARED_BYTES,
        };
        let listening = self.with_device(state, |_, device| match &mut device.telling {
            Some(telling) => self.uncaptured(|| telling.listen(self, call, shipped)),
            None => Ok(()),
        });
        if let Some(Err(error)) = listening {
            self.listener.warning(&format!("nobody listens to a launch: {error}"));
        }
    }

    fn make_variant(
        &self,
        state: &mut State,
        device: &mut Device,
        identity: &Identity,
        key: &Key,
    ) -> Result<Arc<Variant>, String> {
        let code = state.code.get(&identity.container).cloned();
        let code = code.ok_or_else(|| "its code was loaded in an unknown way".to_owned())?;
        let mut code = code.lock().unwrap_or_else(PoisonError::into_inner);
        let source = code.source(device.architecture)?;
        let number = state.variants.next_number();
        variants::make(self, source, identity, key, number, device).map(Arc::new)
    }

    /// Constant variables of the program may have changed since the last launch.
    fn copy_constants(&self, variant: &Variant, call: &LaunchCall) {
        let stream = match call.source {
            LaunchSource::Stream => call.stream,
            _ => CUstream::NULL,
        };
        for (from, to, bytes) in &variant.constants {
            // SAFETY: two variables of that size, in the order of the launch's stream.
            unsafe { self.driver.cuMemcpyDtoDAsync_v2(*to, *from, *bytes as usize, stream) };
        }
    }

    /// The graph that a launch becomes a node of.
    fn graph_of(&self, call: &LaunchCall) -> Option<CUgraph> {
        match call.source {
            LaunchSource::NewNode(graph) => Some(graph),
            LaunchSource::Node | LaunchSource::NodeOf(_) => Some(CUgraph::NULL),
            LaunchSource::SeveralDevices => None,
            LaunchSource::Stream => {
                let mut status = CUstreamCaptureStatus::NONE;
                let mut graph = CUgraph::NULL;
                // SAFETY: places for what is asked, null for what is not.
                let result = unsafe {
                    self.driver.cuStreamGetCaptureInfo_v2(
                        call.stream,
                        &mut status,
                        std::ptr::null_mut(),
                        &mut graph,
                        std::ptr::null_mut(),
                        std::ptr::null_mut(),
                    )
                };
                (result.is_success() && status == CUstreamCaptureStatus::ACTIVE).then_some(graph)
            }
        }
    }

    /// A node keeps its parameters, so its tag comes from two numbers, of which one changes with each launch of
    /// the graph.
    fn tag_of_node(
        &self,
        device: &mut Device,
        graph: CUgraph,
        context: &mut LaunchContext,
    ) -> Result<(), crate::DriverError> {
        let stream = device.stream;
        let tags = match device.graphs.entry(graph) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let place = self.allocate(4, stream)?;
                new.insert(GraphTags { place, nodes: 0 })
            }
        };
        context.tag = tags.nodes;
        context.tag_base = tags.place;
        tags.nodes += 1;
        Ok(())
    }

    /// Gives the nodes of a graph tags of their own for one launch.
    pub(super) fn before_graph(&self, executable: CUgraphExec, stream: CUstream) {
        let mut state = self.lock();
        self.with_device(&mut state, |_, device| {
            let known =
                device.executables.get(&executable).and_then(|graph| device.graphs.get(graph));
            // Nodes of a clone or a child belong to the graph that they were made in.
            let tags: Vec<GraphTags> = match known {
                Some(tags) if device.executables.len() == device.graphs.len() => vec![*tags],
                _ => device.graphs.values().copied().collect(),
            };
            for tags in tags.into_iter().filter(|tags| tags.nodes > 0) {
                let first = device.take_tags(self, tags.nodes);
                // SAFETY: memory of ours, in the order of the graph's stream.
                unsafe { self.driver.cuMemsetD32Async(tags.place, first, 1, stream) };
            }
        });
    }

    /// Remembers which graph can be launched by a handle.
    pub(super) fn graph_is_ready(&self, graph: CUgraph, executable: CUgraphExec) {
        let mut state = self.lock();
        self.with_device(&mut state, |_, device| device.executables.insert(executable, graph));
    }

    /// Everything in a context that ends is gone; what it has found is read before.
    pub(super) fn forget_context(&self, end: ContextEnd) {
        let mut state = self.lock();
        let context = match end {
            ContextEnd::Destroyed(context) => Some(context),
            // A primary context that others still use stays, and with it everything.
            ContextEnd::PrimaryReleased(_) => return,
            ContextEnd::PrimaryReset(_) => None,
        };
        let number = match end {
            ContextEnd::PrimaryReset(device) => Some(device),
            _ => self.current_device(),
        };
        if let Some(mut device) = number.and_then(|number| state.devices.remove(&number)) {
            if let Some(telling) = &mut device.telling {
                telling.wait();
            }
            device.reports.end(self);
        }
        state.identities.forget_all();
        state.variants.forget_context(context);
    }

    /// Reads the last reports.
    pub(super) fn drain_all(&self) {
        let mut state = self.lock();
        for device in state.devices.values_mut() {
            if let Some(telling) = &mut device.telling {
                telling.wait();
            }
            device.reports.end(self);
        }
    }
}

/// The more threads, the longer they may have to wait for each other.
fn backoff_limit(warps: u64) -> u32 {
    (warps as u32).clamp(32, 1 << 14).next_power_of_two()
}
