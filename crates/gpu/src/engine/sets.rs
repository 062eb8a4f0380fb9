//! CURD's sets of launches, and the kernels that compare blocks behind them.
//!
//! Launches of one stream follow each other, so they share sets, which are allocated once: only some counters begin with zeros
//! again. Behind each launch come the kernels of the lazy scheme, in its stream. What found no room is noted on the device
//! and reported at the end.

pub(super) mod memory;

use super::Engine;
use super::compiler;
use super::device::Device;
use super::error::EngineError;
use super::loading::{function_of, load_module};
use super::variants::Variant;
use crate::hooks::LaunchCall;
use memory::{Checker, LEAST_BYTES, Sets};
use std::ffi::c_void;
use warpsan_instrument::{
    CHECKER, CHECKER_KERNELS, CheckerParameters, DevicePlan, EAGER_OFFSET, GAPS_OFFSET,
    LaunchContext, RESET_BYTES, RESET_OFFSET, SLOTS_OFFSET, SetScheme, TAGS, eager_words, gaps,
    set_tag,
};

/// This part of a device's memory is for the sets of the first stream, half of it for those of the second, and so on.
const SHARE: u64 = 16;
/// Threads of the kernels that compare, and blocks of them on a multiprocessor.
const CHECKER_THREADS: u32 = 256;
const CHECKER_BLOCKS: u32 = 8;

impl Engine {
    /// Whether blocks are compared while a kernel runs.
    fn is_eager(&self) -> bool {
        self.settings.plan == DevicePlan::Sets(SetScheme::Eager)
    }

    /// Sets for a launch in a stream.
    pub(super) fn prepare_sets(
        &self,
        device: &mut Device,
        call: &LaunchCall,
        context: &mut LaunchContext,
    ) -> Result<(), EngineError> {
        if device.checker.is_none() && !self.is_eager() {
            device.checker = Some(self.load_checker(device)?);
        }
        let key = Device::key_of(call);
        if !device.sets.contains_key(&key) {
            let usual = || (self.total_bytes() / SHARE) >> device.sets.len().min(8);
            let mut bytes = self.settings.set_bytes.unwrap_or_else(usual);
            let place = (device.multiprocessors, device.stream);
            let sets = loop {
                match Sets::new(self, place, self.is_eager(), bytes.max(LEAST_BYTES)) {
                    Err(_) if bytes > LEAST_BYTES => bytes /= 2,
                    other => break other.map_err(EngineError::NoSets)?,
                }
            };
            self.settle(device.stream).map_err(EngineError::NoSets)?;
            device.sets.insert(key, sets);
        }
        let Some(sets) = device.sets.get_mut(&key) else { return Ok(()) };
        let stream = call.named_stream();
        let slots = sets.slots_for(call.threads_of_block());
        if slots != sets.slots {
            sets.slots = slots;
            self.write_in(sets.head + SLOTS_OFFSET, &[slots.0, slots.1], stream)
                .map_err(EngineError::NoSets)?;
        }
        self.zeros_in(sets.head + RESET_OFFSET, RESET_BYTES, stream)
            .map_err(EngineError::NoSets)?;
        // Entries of a launch with the same tag would be taken for new ones.
        let bytes = u64::from(sets.sizes.direct_entries) * 32;
        if bytes > 0 && context.launch / TAGS != sets.last_launch / TAGS {
            self.zeros_in(sets.entries, bytes, stream).map_err(EngineError::NoSets)?;
        }
        sets.last_launch = context.launch;
        context.sets = sets.head;
        context.set_entries = sets.entries;
        context.direct_entries = sets.sizes.direct_entries;
        context.set_tag = set_tag(context.launch);
        if self.is_eager() {
            let words = eager_words(context, call.warps_of_block());
            self.write_in(sets.head + EAGER_OFFSET, &words, stream).map_err(EngineError::NoSets)?;
        }
        Ok(())
    }

    fn load_checker(&self, device: &Device) -> Result<Checker, EngineError> {
        let target = format!("sm_{}", device.architecture);
        // Its text names the newest architecture that it was compiled for, and needs nothing of it.
        let text = CHECKER.replacen(".target sm_90", &format!(".target {target}"), 1);
        let compiled = compiler::compile(&self.settings, text, &target)?;
        let (module, first) = load_module(self, &compiled, CHECKER_KERNELS[0])?;
        let mut functions = [first; CHECKER_KERNELS.len()];
        for (function, name) in functions.iter_mut().zip(CHECKER_KERNELS).skip(1) {
            *function = function_of(self, module, name)?;
        }
        Ok(Checker { functions })
    }

    /// Compares the blocks of a launch that has begun, once it has ended.
    pub(super) fn compare_blocks(
        &self,
        device: &Device,
        variant: &Variant,
        call: &LaunchCall,
        context: &LaunchContext,
    ) {
        let Some(checker) = device.checker else { return };
        let warps_per_block = call.warps_of_block();
        let mut parameters = CheckerParameters::new(context, &variant.uses.places, warps_per_block);
        let blocks = device.multiprocessors.max(1) * CHECKER_BLOCKS;
        for function in checker.functions {
            let mut arguments = [(&raw mut parameters).cast::<c_void>()];
            // SAFETY: a kernel of ours with its one parameter, behind the launch in its stream.
            let result = unsafe {
                self.driver.cuLaunchKernel(
                    function,
                    blocks,
                    1,
                    1,
                    CHECKER_THREADS,
                    1,
                    1,
                    0,
                    call.named_stream(),
                    arguments.as_mut_ptr(),
                    std::ptr::null_mut(),
                )
            };
            if let Err(error) = self.driver.check("cuLaunchKernel", result) {
                self.listener.warning(&format!("blocks of a launch were not compared: {error}"));
            }
        }
    }

    /// Reports what found no room in sets.
    pub(super) fn report_gaps(&self, device: &mut Device) {
        let stream = device.stream;
        for sets in device.sets.values_mut() {
            let mut found = [0u32];
            if self.read(sets.head + GAPS_OFFSET, &mut found, stream).is_err() {
                continue;
            }
            let megabytes = sets.sizes.bytes().iter().sum::<u64>() >> 20;
            let new = found[0] & !sets.reported;
            sets.reported |= new;
            for (gap, what) in [
                (gaps::THREADS, "what threads of a block did between two barriers"),
                (gaps::BLOCKS, "what blocks of a grid did"),
                (gaps::SLOT, "a block"),
                (gaps::CROWDED, "all writes to a line of memory"),
            ] {
                if new & gap != 0 {
                    self.listener.warning(&format!(
                        "the sets of the detector curd had no room for {what}: races may be missed, and \
                         more memory for them (`--curd-device-memory`, now {megabytes} MiB), smaller launches, or \
                         `--detector iguard` would show them"
                    ));
                }
            }
        }
    }
}
