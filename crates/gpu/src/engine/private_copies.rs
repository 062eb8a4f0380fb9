//! Launches on private copies (LD): several kernels in the stream of one launch, which nobody waits for.
//!
//! `instrument` says of what there are copies, and which kernels a launch becomes ([`Placement`], [`Sequence`]). Here they get their
//! memory and are launched: the program's kernel as its variants, and ours that go over all addresses between them. Launches of one
//! stream follow each other, so they share copies. What was found goes to the host by the last of the kernels.

pub(super) mod memory;
mod times;

use super::arguments::{Arguments, bytes_of};
use super::device::Device;
use super::error::EngineError;
use super::graphs::Target;
use super::identity::Identity;
use super::loading::{attribute_of, function_of, load_module};
use super::variants::{self, Variant};
use super::{CopiesOfLaunch, Engine, State, compiler};
use crate::driver_types::{
    CUcontext, CUdeviceAttribute, CUfunction, CUfunctionAttribute, CUresult, CUstream,
};
use crate::hooks::{LaunchCall, LaunchSource};
use memory::{Copies, Sweeps};
use std::ffi::c_void;
use std::sync::{Arc, MutexGuard};
use times::Times;
use warpsan_instrument::{
    Compared, CopiesHead, CopiesLimits, CopiesMode, CopiesPart, CopiesPlaces, CopiesPlan, GRANULE,
    KnownMemory, LaunchContext, LaunchExtents, MissingPart, Placement, SWEEP_KERNELS, SWEEPS,
    Sequence, Step, Sweep, SweepParameters,
};
use warpsan_ir::LaunchValues;

/// Threads of the kernels that go over all addresses, and blocks of them on a multiprocessor.
const SWEEP_THREADS: u32 = 256;
const SWEEP_BLOCKS: u32 = 8;
/// Bytes at the start of the `.shared` window that belong to the system, from compute capability 8.0 on.
const SHARED_START: u32 = 1024;
/// Dynamic shared memory begins at a multiple of this, at most.
const SHARED_ALIGNMENT: u32 = 128;

/// Copies that a process may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopiesSettings {
    /// Copies at most; one for each warp or block unless that is said.
    pub copies: Option<u32>,
    /// Bytes for copies; half of what is free unless that is said.
    pub bytes: Option<u64>,
    /// What comes after a race in the same launch is checked, too.
    pub goes_on: bool,
    /// The time of each part of a launch is measured.
    pub times: bool,
}

/// A launch that is ready.
struct Prepared {
    placement: Placement,
    sequence: Sequence,
    /// None where the program's kernel runs as it is.
    kernels: Option<Kernels>,
}

/// All that the kernels of a launch need.
struct Kernels {
    pass: Arc<Variant>,
    regions: Option<Arc<Variant>>,
    log: Option<Arc<Variant>>,
    places: CopiesPlaces,
    context: LaunchContext,
    sweeps: Sweeps,
    multiprocessors: u32,
}

impl Kernels {
    fn variant(&self, part: CopiesPart) -> Option<&Arc<Variant>> {
        match part {
            CopiesPart::Pass => Some(&self.pass),
            CopiesPart::Regions => self.regions.as_ref(),
            CopiesPart::Log => self.log.as_ref(),
        }
    }

    /// Blocks of a kernel that goes over all addresses: no more than there are granules of copies for.
    fn sweep_blocks(&self, placement: &Placement, copies: u32) -> u32 {
        let granules = placement.original_bytes.div_ceil(GRANULE).max(1) * u64::from(copies.max(1));
        let needed = granules.div_ceil(u64::from(SWEEP_THREADS));
        needed.min(u64::from(self.multiprocessors * SWEEP_BLOCKS)) as u32
    }
}

/// Where memory of a launch is.
struct Memory<'a> {
    state: &'a State,
    context: CUcontext,
    variables: &'a [(String, u64, u64)],
}

impl KnownMemory for Memory<'_> {
    fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        self.state.memory.allocation(self.context, address)
    }

    fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let found = self.variables.iter().find(|(known, ..)| known == name);
        found.map(|(_, address, bytes)| (*address, *bytes))
    }
}

impl Engine {
    /// Launches a kernel on private copies.
    pub(super) fn launch_on_copies(
        &self,
        mut state: MutexGuard<'_, State>,
        (identity, home): (&Identity, CUcontext),
        plan: CopiesPlan,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        let prepared = self.with_device_of(&mut state, home, |state, device| {
            self.uncaptured(|| self.prepare_copies(state, device, identity, plan, call))
        });
        let prepared = match prepared.unwrap_or(Err(EngineError::NoContext)) {
            Ok(prepared) => prepared,
            Err(reason) => {
                drop(state);
                return self.launch_as_it_is(&identity.name, &reason, call, real);
            }
        };
        let original = call.clone();
        let mut times = self.settings.copies.times.then(Times::default);
        let result = self.within(home, || {
            let result = self.run_sequence(&prepared, call, real, &mut times);
            let parts = times.take().map(|times| times.read(self.driver)).unwrap_or_default();
            (result, parts)
        });
        let (result, parts) = result.unwrap_or((CUresult::INVALID_CONTEXT, Vec::new()));
        *call = original;
        if result.is_success() {
            self.order_other_work(call);
        }
        drop(state);
        if !result.is_success() {
            // Whatever was done so far was done to copies, or is done again.
            let reason = EngineError::NotLaunched(self.driver.error_name(result));
            return self.launch_as_it_is(&identity.name, &reason, call, real);
        }
        if let Some(missing) = prepared.sequence.missing {
            self.listener.not_covered(&identity.name, &missing.to_string());
        }
        self.listener.copied(
            &identity.name,
            CopiesOfLaunch {
                copies: prepared.sequence.copies,
                target_bytes: prepared.placement.stride,
                total_bytes: prepared.sequence.bytes(&prepared.placement),
                left_out: prepared.placement.left_out,
                accesses: prepared.placement.accesses,
                runs: prepared.sequence.runs(),
            },
        );
        for (part, time) in parts {
            self.listener.timed(&identity.name, part, time);
        }
        self.within(home, || self.begun(call, &identity.name, true));
        result
    }

    fn prepare_copies(
        &self,
        state: &mut State,
        device: &mut Device,
        identity: &Identity,
        plan: CopiesPlan,
        call: &LaunchCall,
    ) -> Result<Prepared, EngineError> {
        if let Some(reason) = why_no_copies(call, self.target_of(call)) {
            return Err(reason);
        }
        let warps = call.blocks() * u64::from(call.warps_of_block());
        if warps > LaunchContext::MOST_WARPS {
            return Err(EngineError::TooManyWarps(warps));
        }
        let mut variant =
            |state: &mut State, part| self.variant(state, device, identity, call, plan.with(part));
        let pass = variant(state, CopiesPart::Pass)?;
        let uses = &pass.copies;
        let has_regions = uses.has_regions && call.warps_of_block() > 1;
        let mut missing = None;
        let regions = match has_regions.then(|| variant(state, CopiesPart::Regions)) {
            Some(Ok(regions)) => Some(regions),
            Some(Err(reason)) if plan.mode == CopiesMode::Detect => {
                missing = Some(reason);
                None
            }
            Some(Err(reason)) => return Err(reason),
            None => None,
        };
        let log = match plan.mode {
            CopiesMode::Detect => Some(variant(state, CopiesPart::Log)?),
            CopiesMode::RaceFree | CopiesMode::Deterministic => None,
        };
        // SAFETY: the program passes what its kernel takes, and the text of the kernel says what that is.
        let parameters = unsafe { bytes_of(call, &pass.parameters) };
        let parameters = parameters.ok_or(EngineError::UnknownParameters)?;
        let values = LaunchValues { grid: call.grid, block: call.block, parameters: &parameters };
        let known = Memory { state, context: device.context, variables: &pass.variables };
        let placement = Placement::of(uses, &values, &known, regions.is_none())?;
        let of_function =
            |attribute| attribute_of(self.driver, identity.function, attribute).max(0) as u32;
        let static_bytes = of_function(CUfunctionAttribute::SHARED_SIZE_BYTES);
        let most = CUdeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let most = self.driver.device_attribute(most, device.number)?.max(0) as u32;
        let extents = LaunchExtents {
            blocks: call.blocks(),
            warps: call.warps_of_block(),
            compared: match (has_regions, regions.is_some()) {
                (false, _) => Compared::GridWarps,
                (true, true) => Compared::BlocksAndRegions,
                (true, false) => Compared::Blocks,
            },
            shared_bytes: static_bytes.next_multiple_of(SHARED_ALIGNMENT) + call.shared_bytes,
            shared_start: SHARED_START,
            most_shared_bytes: most.saturating_sub(static_bytes),
        };
        let sequence = self.sequence(device, call, (plan.mode, &placement, &extents))?;
        if let Some(reason) = missing {
            self.listener.not_covered(
                &identity.name,
                &format!("its blocks are compared, its warps are not: {reason}"),
            );
        }
        if sequence.steps == [Step::Original] {
            return Ok(Prepared { placement, sequence, kernels: None });
        }
        let sweeps = match device.sweeps {
            Some(sweeps) => sweeps,
            None => *device.sweeps.insert(self.load_sweeps(device.architecture)?),
        };
        let copies = device.copies.entry(Device::key_of(call)).or_default();
        let places = copies
            .provide(self, (&placement, &sequence), device.stream)
            .map_err(EngineError::NoCopies)?;
        let sums = copies
            .sums(self, &placement, warps * 32, device.stream)
            .map_err(EngineError::NoCopies)?;
        let of_threads = (copies.shadow, sums);
        self.settle(device.stream).map_err(EngineError::NoCopies)?;
        let displacements = placement.displacements(places.copies);
        let head = CopiesHead::words(&displacements, &placement.targets, of_threads);
        let stream = call.named_stream();
        self.write_in(places.head, &head, stream).map_err(EngineError::NoCopies)?;
        let involved = CopiesHead::BYTES - CopiesHead::INVOLVED;
        self.zeros_in(places.head + CopiesHead::INVOLVED, involved, stream)
            .map_err(EngineError::NoCopies)?;
        if let Some(regions) = &regions {
            self.allow_shared(regions.function, sequence.shared_bytes as i32);
        }
        let wanted = of_function(CUfunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES) as i32;
        for kept in [Some(&pass), log.as_ref()].into_iter().flatten() {
            self.allow_shared(kept.function, wanted);
        }
        let described = log.as_ref().unwrap_or(&pass);
        let description = variants::describe(described, identity, call.grid, call.block);
        device.reports.describe(described.number, description);
        let context = LaunchContext {
            reports: device.reports.place,
            options: described.number << 16,
            launch: state.launches,
            warps: warps as u32,
            ..LaunchContext::default()
        };
        state.launches += 1;
        let multiprocessors = device.multiprocessors.max(1);
        let kernels = Kernels { pass, regions, log, places, context, sweeps, multiprocessors };
        Ok(Prepared { placement, sequence, kernels: Some(kernels) })
    }

    /// The kernels of a launch, with as many copies as memory allows: what this stream has already counts as free. What is free is
    /// asked again only where a launch needs more than the stream has, since that takes as long as several kernels.
    fn sequence(
        &self,
        device: &mut Device,
        call: &LaunchCall,
        (mode, placement, extents): (CopiesMode, &Placement, &LaunchExtents),
    ) -> Result<Sequence, MissingPart> {
        let own = device.copies.entry(Device::key_of(call)).or_default();
        let CopiesSettings { copies, bytes, goes_on, .. } = self.settings.copies;
        let room = |own: &Copies| (self.free_bytes() + own.bytes) / 2;
        let with = |bytes| {
            Sequence::of(mode, placement, extents, &CopiesLimits { copies, bytes, goes_on })
        };
        if let Some(bytes) = bytes.or(own.room) {
            let sequence = with(bytes)?;
            if self.settings.copies.bytes.is_some() || sequence.bytes(placement) <= own.bytes {
                return Ok(sequence);
            }
        }
        let bytes = room(own);
        own.room = Some(bytes);
        with(bytes)
    }

    /// Sets how much dynamic shared memory a function of ours may have, if that is not so yet.
    pub(super) fn allow_shared(&self, function: CUfunction, wanted: i32) {
        let attribute = CUfunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
        if attribute_of(self.driver, function, attribute) != wanted {
            // SAFETY: a function of ours.
            unsafe { self.driver.cuFuncSetAttribute(function, attribute, wanted) };
        }
    }

    fn load_sweeps(&self, architecture: u32) -> Result<Sweeps, EngineError> {
        let target = format!("sm_{architecture}");
        // Its text names the newest architecture that it was compiled for, and needs nothing of it.
        let text = SWEEPS.replacen(".target sm_90", &format!(".target {target}"), 1);
        let compiled = compiler::compile(&self.settings, text, &target)?;
        let (module, first) = load_module(self, &compiled, SWEEP_KERNELS[0])?;
        let mut functions = [first; SWEEP_KERNELS.len()];
        for (function, name) in functions.iter_mut().zip(SWEEP_KERNELS).skip(1) {
            *function = function_of(self, module, name)?;
        }
        Ok(Sweeps { functions })
    }

    /// Launches one kernel after the other. The first that fails ends it.
    fn run_sequence(
        &self,
        prepared: &Prepared,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
        times: &mut Option<Times>,
    ) -> CUresult {
        let original = call.clone();
        let stream = call.named_stream();
        let Prepared { placement, sequence, kernels } = prepared;
        let parts = [CopiesPart::Pass, CopiesPart::Regions, CopiesPart::Log];
        if let Some(kernels) = kernels {
            for variant in parts.into_iter().filter_map(|part| kernels.variant(part)) {
                self.copy_constants(variant, stream);
            }
        }
        let mut mark =
            |part| times.iter_mut().for_each(|times| times.mark(self.driver, stream, part));
        mark("");
        for step in &sequence.steps {
            let result = match (*step, kernels) {
                (Step::Original, _) | (_, None) => {
                    *call = original.clone();
                    real(call)
                }
                (Step::Sweep(sweep, flags, grouping, apart), Some(kernels)) => {
                    let Kernels { places, context, .. } = kernels;
                    let how = (flags, grouping, apart);
                    let warps = original.warps_of_block();
                    let mut parameters = places.sweep(placement, how, context, warps);
                    let function = kernels.sweeps.functions[sweep as usize];
                    let blocks = match sweep {
                        // One thread, and what is only done after a race.
                        Sweep::Report => 1,
                        Sweep::SetBack => kernels.multiprocessors,
                        _ => kernels.sweep_blocks(placement, grouping.copies),
                    };
                    self.launch_sweep(function, blocks, &mut parameters, stream)
                }
                (Step::Run(part, more_options, grouping), Some(kernels)) => {
                    let Kernels { places, context, .. } = kernels;
                    let Some(variant) = kernels.variant(part) else { continue };
                    let how = (more_options, grouping);
                    let context = places.context(placement, sequence, how, SHARED_START, *context);
                    // SAFETY: the program passes what its kernel takes, and the text of the kernel says what that is.
                    let arguments =
                        unsafe { Arguments::of(&original, &variant.parameters, context) };
                    let Some(mut arguments) = arguments else { return CUresult::INVALID_VALUE };
                    *call = original.clone();
                    // Kernels of one launch must not overlap.
                    call.attributes.clear();
                    call.function = variant.function;
                    if part == CopiesPart::Regions {
                        call.shared_bytes = sequence.shared_bytes;
                    }
                    arguments.put(call);
                    real(call)
                }
            };
            if !result.is_success() {
                return result;
            }
            mark(step.part());
        }
        CUresult::SUCCESS
    }

    fn launch_sweep(
        &self,
        function: CUfunction,
        blocks: u32,
        parameters: &mut SweepParameters,
        stream: CUstream,
    ) -> CUresult {
        let mut arguments = [std::ptr::from_mut(parameters).cast::<c_void>()];
        // SAFETY: a kernel of ours with its one parameter, in the stream of the launch.
        unsafe {
            self.driver.cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                SWEEP_THREADS,
                1,
                1,
                0,
                stream,
                arguments.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }
}

/// Why a launch cannot run on copies, whatever its kernel does.
fn why_no_copies(call: &LaunchCall, target: Target) -> Option<EngineError> {
    if target != Target::Stream {
        return Some(EngineError::NodeWithCopies);
    }
    if call.source == LaunchSource::SeveralDevices || call.cooperative {
        return Some(EngineError::WaitingBlocksWithCopies);
    }
    call.cluster().map(|_| EngineError::ClusterWithCopies)
}
