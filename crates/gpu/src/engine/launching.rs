//! A launch, with the instrumented kernel in place of the program's: which kernel it is, its variant, the context that the
//! variant is launched with, and who listens to it. Where any of that fails, the program's own kernel is launched.

use super::arguments::Arguments;
use super::device::Device;
use super::entries;
use super::error::EngineError;
use super::graphs::Target;
use super::identity::Identity;
use super::loading::{self, attribute_of};
use super::ready;
use super::variants::{self, Key, Variant};
use super::{Engine, State};
use crate::driver_types::{CUcontext, CUfunctionAttribute, CUgraphNode, CUresult, CUstream};
use crate::hooks::{CodeContainer, LaunchCall, LaunchSource};
use crate::shipping::ShippedLaunch;
use std::sync::{Arc, PoisonError};
use warpsan_instrument::{DevicePlan, LaunchContext};
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

/// Whether it is a launch, and no node of a graph.
fn is_launch(call: &LaunchCall) -> bool {
    matches!(call.source, LaunchSource::Stream | LaunchSource::SeveralDevices)
}

/// What a launch is replaced by.
struct Replacement {
    variant: Arc<Variant>,
    context: LaunchContext,
    /// Dynamic shared memory, where the program's is not enough.
    shared_bytes: Option<u32>,
}

impl Engine {
    pub(super) fn launch_instrumented(
        &self,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        let mut state = self.lock();
        let Some((identity, home)) = self.identify(&mut state, call) else {
            drop(state);
            let (name, reason) =
                (self.driver.kernel_name(call.function), EngineError::UnknownKernel);
            return self.launch_as_it_is(name.as_deref().unwrap_or("?"), &reason, call, real);
        };
        if !self.listener.wants(&identity.name) {
            drop(state);
            return self.pass_over(&identity.name, call, real);
        }
        if let Some(plan) = self.settings.plan.copies() {
            return self.launch_on_copies(state, (&identity, home), plan, call, real);
        }
        let prepared = self.with_device_of(&mut state, home, |state, device| {
            self.uncaptured(|| self.prepare(state, device, &identity, call))
        });
        let prepared = prepared.unwrap_or(Err(EngineError::NoContext));
        let Replacement { variant, context, shared_bytes } = match prepared {
            Ok(replacement) => replacement,
            Err(reason) => {
                drop(state);
                return self.launch_as_it_is(&identity.name, &reason, call, real);
            }
        };
        // SAFETY: the program passes what its kernel takes, and the text of the kernel says what that is.
        let arguments = unsafe { Arguments::of(call, &variant.parameters, context) };
        let Some(mut arguments) = arguments else {
            drop(state);
            let reason = EngineError::UnknownParameters;
            return self.launch_as_it_is(&identity.name, &reason, call, real);
        };
        let original = call.clone();
        self.within(home, || self.copy_constants(&variant, call.named_stream()));
        call.function = variant.function;
        call.shared_bytes = shared_bytes.unwrap_or(call.shared_bytes);
        arguments.put(call);
        // Of several launches together, the hook sees the next one before this one begins.
        let is_one_of_several = call.source == LaunchSource::SeveralDevices;
        let held = if is_one_of_several {
            drop(state);
            None
        } else {
            Some(state)
        };
        let result = real(call);
        let mut state = held.unwrap_or_else(|| self.lock());
        if result.is_success() {
            self.listen(&mut state, &variant, &original, (call.node, context));
            if context.sets != 0 {
                self.with_device_of(&mut state, home, |_, device| {
                    self.compare_blocks(device, &variant, &original, &context);
                });
            }
        }
        drop(state);
        if result.is_success() {
            self.within(home, || self.begun(call, &identity.name, true));
            return result;
        }
        *call = LaunchCall { node: call.node, ..original };
        let second = real(call);
        if second.is_success() {
            let reason = EngineError::NotLaunched(self.driver.error_name(result));
            self.listener.not_covered(&identity.name, &reason.to_string());
            self.order_other_work(call);
            self.within(home, || self.begun(call, &identity.name, false));
        }
        second
    }

    /// The kernel of a launch, and the context that it is for.
    fn identify(&self, state: &mut State, call: &LaunchCall) -> Option<(Identity, CUcontext)> {
        let context = self.context_of_launch(state, call)?;
        let State { identities, code, modules, .. } = state;
        let identity = self.within(context, || {
            self.uncaptured(|| identities.of(self, context, call.function, code))
        })??;
        // A function runs in no other context than that of its module, whichever is current.
        let home = match &identity.container {
            CodeContainer::Module(module) => modules.get(module).copied().unwrap_or(context),
            CodeContainer::Library(_) => context,
        };
        Some((identity, home))
    }

    /// Launches a kernel that nobody wants to have checked. It is work in its stream all the same.
    fn pass_over(
        &self,
        kernel: &str,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        let result = real(call);
        if result.is_success() {
            self.order_other_work(call);
            if is_launch(call) {
                self.listener.passed_over(kernel);
                self.watch(call.named_stream(), kernel);
            }
        }
        result
    }

    pub(super) fn launch_as_it_is(
        &self,
        kernel: &str,
        reason: &EngineError,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        let result = real(call);
        if result.is_success() {
            self.listener.not_covered(kernel, &reason.to_string());
            self.order_other_work(call);
            self.begun(call, kernel, false);
        }
        result
    }

    /// A launch has begun; a node of a graph has not.
    pub(super) fn begun(&self, call: &LaunchCall, kernel: &str, is_covered: bool) {
        if is_launch(call) {
            self.listener.launched(kernel, is_covered);
            self.watch(call.named_stream(), kernel);
        }
    }

    /// Finds or makes the variant, and everything that its launch needs.
    fn prepare(
        &self,
        state: &mut State,
        device: &mut Device,
        identity: &Identity,
        call: &LaunchCall,
    ) -> Result<Replacement, EngineError> {
        let warps = call.blocks() * u64::from(call.warps_of_block());
        if warps > LaunchContext::MOST_WARPS {
            return Err(EngineError::TooManyWarps(warps));
        }
        self.check_extents(identity, call)?;
        device.catch_up(self);
        let target = self.target_of(call);
        let variant = self.variant_for(state, device, identity, (call, target))?;
        if variant.uses.locks && warps > LaunchContext::MOST_WARPS_WITH_LOCKS {
            return Err(EngineError::TooManyWarpsWithLocks(warps));
        }
        if variant.uses.recursion {
            device.stack.deepen(self.driver)?;
        }
        let has_more_shared = variant.uses.entries.shared.is_some();
        let is_ours = |attribute: &CUfunctionAttribute| {
            has_more_shared && *attribute == CUfunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES
        };
        for attribute in KEPT_ATTRIBUTES.into_iter().filter(|one| !is_ours(one)) {
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
            warps: warps as u32,
            shape: self.settings.plan.shape().word(),
            ..LaunchContext::default()
        };
        state.launches += 1;
        if variant.plan.has_sets() {
            self.prepare_sets(device, call, &mut context)?;
        }
        let (mut shared, mut numbers) = (None, warps);
        if variant.plan.has_entries() {
            shared = self.prepare_entries(device, &variant, call, &mut context)?;
            numbers = entries::identities(&variant, call);
        }
        match target {
            Target::Stream => {
                let (plain, locked) = if variant.uses.locks { (0, numbers) } else { (numbers, 0) };
                let (of_plain, of_locked) = device.take_numbers(self, plain, locked);
                context.base = if variant.uses.locks { of_locked } else { of_plain };
                let stream = device.stream;
                let tables = device.tables_of(call);
                tables
                    .provide(self, variant.uses, warps, stream, &mut context)
                    .map_err(EngineError::NoCounters)?;
            }
            target if target.is_explicit(call) && variant.needs_stream() => {
                return Err(EngineError::NodeWithConstants);
            }
            target => {
                let needs = (variant.uses, numbers);
                self.prepare_node(&state.variants, device, target, call, needs, &mut context)?;
            }
        }
        if variant.plan.ships() {
            let shipping = device.start_shipping(self).map_err(EngineError::NoCounters)?;
            match target {
                Target::Stream => shipping.prepare(self, call, &mut context),
                _ => shipping.prepare_node(self, call, &mut context)?,
            }
        }
        self.settle(device.stream).map_err(EngineError::NoCounters)?;
        let shared_bytes = shared.map(|places| places.dynamic_bytes);
        Ok(Replacement { variant, context, shared_bytes })
    }

    /// Whether the driver would refuse the program's kernel, but perhaps not one that is compiled for this block and has more shared memory: then it
    /// has to refuse the program's.
    fn check_extents(&self, identity: &Identity, call: &LaunchCall) -> Result<(), EngineError> {
        if call.blocks() == 0 || call.threads_of_block() == 0 {
            return Err(EngineError::NoThreads);
        }
        let most_of = |attribute| attribute_of(self.driver, identity.function, attribute);
        let threads = most_of(CUfunctionAttribute::MAX_THREADS_PER_BLOCK);
        if threads > 0 && call.threads_of_block() > threads as u64 {
            return Err(EngineError::BlockTooLarge(threads));
        }
        let shared = most_of(CUfunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES);
        if shared > 0 && call.shared_bytes > shared as u32 {
            return Err(EngineError::SharedTooLarge(shared));
        }
        Ok(())
    }

    /// Listens to a launch that has begun, if it ships its operations. It is work in its stream otherwise.
    fn listen(
        &self,
        state: &mut State,
        variant: &Variant,
        call: &LaunchCall,
        (node, context): (CUgraphNode, LaunchContext),
    ) {
        if !variant.plan.ships() {
            self.order_other_work(call);
            return;
        }
        let dim3 = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
        let shipped = ShippedLaunch {
            launch: LaunchId(context.launch),
            facts: variant.facts.clone(),
            sites: variant.sites.table(),
            infos: variant.infos.clone(),
            paths: variant.paths.clone(),
            geometry: Geometry { grid: dim3(call.grid), block: dim3(call.block) },
            cluster: call.cluster().or_else(|| self.own_cluster(variant)).map(dim3),
            turn_bits: 0,
            shared_base: RESERVED_SHARED_BYTES,
        };
        let is_node = self.target_of(call) != Target::Stream;
        if !is_node {
            self.order_launch(call, &shipped);
        }
        let listening =
            self.with_device_of(state, variant.context, |_, device| match &mut device.shipping {
                Some(shipping) if is_node => {
                    shipping.describe_node(call, node, context.queues, shipped);
                    Ok(())
                }
                Some(shipping) => self.uncaptured(|| shipping.listen(self, call, shipped)),
                None => Ok(()),
            });
        if let Some(Err(error)) = listening {
            self.listener.warning(&format!("nobody listens to a launch: {error}"));
        }
    }

    /// Blocks of a cluster, if the kernel itself says so.
    fn own_cluster(&self, variant: &Variant) -> Option<[u32; 3]> {
        let extent =
            |attribute| attribute_of(self.driver, variant.function, attribute).max(0) as u32;
        let [x, y, z] = [
            CUfunctionAttribute::REQUIRED_CLUSTER_WIDTH,
            CUfunctionAttribute::REQUIRED_CLUSTER_HEIGHT,
            CUfunctionAttribute::REQUIRED_CLUSTER_DEPTH,
        ]
        .map(extent);
        (x > 0).then_some([x, y.max(1), z.max(1)])
    }

    /// The variant for a launch, with other checks where there is none with the usual ones.
    fn variant_for(
        &self,
        state: &mut State,
        device: &mut Device,
        identity: &Identity,
        (call, target): (&LaunchCall, Target),
    ) -> Result<Arc<Variant>, EngineError> {
        let plan = self.settings.plan;
        if plan.has_sets()
            && let Some(reason) = why_no_sets(call, target)
        {
            return Err(reason);
        }
        let mut with_room = |plan: DevicePlan| {
            let variant = self.variant(state, device, identity, call, plan)?;
            if variant.plan.has_entries() {
                self.why_no_entries(device, &variant, call)?;
            }
            Ok(variant)
        };
        let usual = match (with_room(plan), plan.with_slots()) {
            (Err(EngineError::NoSharedEntries(_)), Some(plan)) => with_room(plan),
            (usual, _) => usual,
        };
        match (usual, plan.fallback()) {
            (Err(first), Some(fallback)) => self
                .variant(state, device, identity, call, fallback)
                .map_err(|second| EngineError::Both(Box::new(first), Box::new(second))),
            (usual, _) => usual,
        }
    }

    /// Finds or makes a variant.
    pub(super) fn variant(
        &self,
        state: &mut State,
        device: &mut Device,
        identity: &Identity,
        call: &LaunchCall,
        plan: DevicePlan,
    ) -> Result<Arc<Variant>, EngineError> {
        let blocks_at_once = match call.cooperative {
            true => Some(call.blocks().div_ceil(u64::from(device.multiprocessors.max(1))) as u32),
            false if plan.has_entries() => self.blocks_like_native(identity, call),
            false => None,
        };
        let (context, function, block) = (device.context, call.function, call.block);
        let key = Key { context, function, block, blocks_at_once, plan };
        state.variants.get(&key).unwrap_or_else(|| {
            let made = self.make_variant(state, device, identity, &key);
            state.variants.put(key, made.clone());
            made
        })
    }

    /// As many blocks on a multiprocessor as the program's kernel has, as far as functions of the checks allow: what waits for memory needs
    /// others that do not.
    fn blocks_like_native(&self, identity: &Identity, call: &LaunchCall) -> Option<u32> {
        /// Registers of a multiprocessor, and those of the functions.
        const REGISTERS: u32 = 1 << 16;
        const FEWEST: u32 = 32;
        let threads = u32::try_from(call.threads_of_block()).ok()?.next_multiple_of(32);
        let own = attribute_of(self.driver, identity.function, CUfunctionAttribute::NUM_REGS);
        let wanted = (own.max(0) as u32).max(FEWEST).next_multiple_of(8);
        let native =
            loading::blocks_at_once(self.driver, identity.function, threads, call.shared_bytes);
        Some((native.max(0) as u32).min(REGISTERS / (wanted * threads)).max(1))
    }

    fn make_variant(
        &self,
        state: &mut State,
        device: &mut Device,
        identity: &Identity,
        key: &Key,
    ) -> Result<Arc<Variant>, EngineError> {
        let code = state.code.get(&identity.container).cloned();
        let code = code.ok_or(EngineError::UnknownCode)?;
        let mut code = code.lock().unwrap_or_else(PoisonError::into_inner);
        let ready = ready::provide(self, &mut code, identity, key, device.architecture)?;
        let number = state.variants.next_number();
        loading::load(self, ready, identity, key, number, device).map(Arc::new)
    }

    /// Constant variables of the program may have changed since the last launch.
    pub(super) fn copy_constants(&self, variant: &Variant, stream: CUstream) {
        for (from, to, bytes) in &variant.constants {
            // SAFETY: two variables of that size, in the order of the launch's stream.
            unsafe { self.driver.cuMemcpyDtoDAsync_v2(*to, *from, *bytes as usize, stream) };
        }
    }
}

/// Why blocks of a launch cannot be compared, whatever its kernel does. It does not ship to the host instead: nodes that
/// run at the same time, and grids that wait for each other, would wait for queues that nobody reads before the other one
/// has ended.
fn why_no_sets(call: &LaunchCall, target: Target) -> Option<EngineError> {
    if target != Target::Stream {
        return Some(EngineError::NodeWithSets);
    }
    let is_one_of_several = call.source == LaunchSource::SeveralDevices;
    is_one_of_several.then_some(EngineError::SeveralDevicesWithSets)
}

/// The more threads, the longer they may have to wait for each other.
fn backoff_limit(warps: u64) -> u32 {
    (warps as u32).clamp(32, 1 << 14).next_power_of_two()
}
