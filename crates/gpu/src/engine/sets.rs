//! CURD's sets of launches, and the kernels that compare blocks behind them.
//!
//! Launches of one stream follow each other, so they share sets, which are allocated once: only some counters begin with zeros
//! again. Behind each launch come the kernels of the lazy scheme, in its stream. What found no room is noted on the device
//! and told at the end.

use super::Engine;
use super::compiler;
use super::device::Device;
use super::variants::{Variant, function_of, load_module};
use crate::driver::DriverError;
use crate::driver_types::CUfunction;
use crate::hooks::LaunchCall;
use std::ffi::c_void;
use warpsan_instrument::{
    CHECKER, CHECKER_KERNELS, CheckerParameters, Checks, EAGER_OFFSET, GAPS_OFFSET, LaunchContext,
    RESET_BYTES, RESET_OFFSET, SLOTS_OFFSET, SetPlaces, SetSizes, TAGS, eager_words, gaps, set_tag,
};

/// This part of a device's memory is for the sets of the first stream, half of it for those of the second, and so on.
const SHARE: u64 = 16;
/// Longer lists of a block would have more pairs than can be counted in 32 bits.
const LONGEST_LIST: u64 = 1 << 15;
/// Sets smaller than this are not worth having.
const LEAST_BYTES: u64 = 32 << 20;
/// Threads and blocks that a multiprocessor has room for, on every device so far.
const THREADS_AT_ONCE: u64 = 2048;
const BLOCKS_AT_ONCE: u64 = 32;
/// Threads of the kernels that compare, and blocks of them on a multiprocessor.
const CHECKER_THREADS: u32 = 256;
const CHECKER_BLOCKS: u32 = 8;

/// The sets of a stream.
#[derive(Debug)]
pub(super) struct Sets {
    head: u64,
    entries: u64,
    sizes: SetSizes,
    /// Blocks and the entries of their lists, as they are on the device.
    slots: (u32, u32),
    last_launch: u32,
    told: u32,
}

/// The kernels that compare blocks, in a context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checker {
    functions: [CUfunction; CHECKER_KERNELS.len()],
}

impl Sets {
    /// Sets of about so many bytes, for so many multiprocessors. The eager scheme has lists of all entries, and these no places of
    /// their own.
    fn sizes(bytes: u64, multiprocessors: u64, is_eager: bool) -> SetSizes {
        let part = |bytes_of_one: u64| (bytes / bytes_of_one).min(u64::from(u32::MAX / 4)) as u32;
        let slots = (multiprocessors * BLOCKS_AT_ONCE).max(1) as u32;
        SetSizes {
            direct_entries: if is_eager { 0 } else { part(160) },
            partition_entries: part(if is_eager { 90 } else { 170 }) / 256,
            partition_rows: part(700) / 256,
            partition_nodes: part(if is_eager { 110 } else { 220 }) / 256,
            slots,
            slot_entries: (u64::from(part(512)) / SetSizes::LISTS / u64::from(slots))
                .min(LONGEST_LIST) as u32,
            bucket_bits: part(300).max(2).ilog2(),
        }
    }

    fn new(engine: &Engine, device: &Device, bytes: u64) -> Result<Sets, DriverError> {
        let sizes = Sets::sizes(bytes, u64::from(device.multiprocessors), engine.is_eager());
        let stream = device.stream;
        let mut places = SetPlaces { pieces: [0; SetSizes::PIECES] };
        for (index, bytes) in sizes.bytes().into_iter().enumerate() {
            match engine.allocate_alone(bytes, stream) {
                Ok(address) => places.pieces[index] = address,
                Err(error) => {
                    for (address, bytes) in places.pieces.iter().zip(sizes.bytes()).take(index) {
                        engine.give_back(*address, bytes, stream);
                    }
                    return Err(error);
                }
            }
        }
        let head = engine.allocate(SetSizes::HEAD_BYTES, stream)?;
        engine.write(head, &sizes.head(&places), stream)?;
        let slots = (sizes.slots, sizes.slot_entries);
        Ok(Sets { head, entries: places.pieces[0], sizes, slots, last_launch: 0, told: 0 })
    }

    /// As many slots as blocks of so many threads can be there at once, and lists as long as there is room for.
    fn slots_for(&self, threads: u64) -> (u32, u32) {
        let of_multiprocessor =
            (THREADS_AT_ONCE / threads.next_multiple_of(32).max(1)).clamp(1, BLOCKS_AT_ONCE);
        let slots = u64::from(self.sizes.slots) / BLOCKS_AT_ONCE * of_multiprocessor;
        let all = u64::from(self.sizes.slots) * u64::from(self.sizes.slot_entries);
        (slots as u32, (all / slots.max(1)).min(LONGEST_LIST) as u32)
    }
}

impl Engine {
    /// Whether blocks are compared while a kernel runs.
    fn is_eager(&self) -> bool {
        self.settings.checks == Checks::EagerCurd
    }

    /// Sets for a launch in a stream.
    pub(super) fn prepare_sets(
        &self,
        device: &mut Device,
        call: &LaunchCall,
        context: &mut LaunchContext,
    ) -> Result<(), String> {
        let of_driver = |error: DriverError| format!("no memory for its sets: {error}");
        if device.checker.is_none() && !self.is_eager() {
            device.checker = Some(self.load_checker(device)?);
        }
        let key = Device::key_of(call);
        if !device.sets.contains_key(&key) {
            let usual = || (self.total_bytes() / SHARE) >> device.sets.len().min(8);
            let mut bytes = self.settings.set_bytes.unwrap_or_else(usual);
            let sets = loop {
                match Sets::new(self, device, bytes.max(LEAST_BYTES)) {
                    Err(_) if bytes > LEAST_BYTES => bytes /= 2,
                    other => break other.map_err(of_driver)?,
                }
            };
            self.settle(device.stream).map_err(of_driver)?;
            device.sets.insert(key, sets);
        }
        let Some(sets) = device.sets.get_mut(&key) else { return Ok(()) };
        let stream = call.named_stream();
        let slots = sets.slots_for(call.threads_of_block());
        if slots != sets.slots {
            sets.slots = slots;
            self.write_in(sets.head + SLOTS_OFFSET, &[slots.0, slots.1], stream)
                .map_err(of_driver)?;
        }
        self.zeros_in(sets.head + RESET_OFFSET, RESET_BYTES, stream).map_err(of_driver)?;
        // Entries of a launch with the same tag would be taken for new ones.
        let bytes = u64::from(sets.sizes.direct_entries) * 32;
        if bytes > 0 && context.launch / TAGS != sets.last_launch / TAGS {
            self.zeros_in(sets.entries, bytes, stream).map_err(of_driver)?;
        }
        sets.last_launch = context.launch;
        context.sets = sets.head;
        context.set_entries = sets.entries;
        context.direct_entries = sets.sizes.direct_entries;
        context.set_tag = set_tag(context.launch);
        if self.is_eager() {
            let words = eager_words(context, call.warps_of_block());
            self.write_in(sets.head + EAGER_OFFSET, &words, stream).map_err(of_driver)?;
        }
        Ok(())
    }

    fn load_checker(&self, device: &Device) -> Result<Checker, String> {
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

    /// Tells what found no room in sets.
    pub(super) fn tell_gaps(&self, device: &mut Device) {
        let stream = device.stream;
        for sets in device.sets.values_mut() {
            let mut found = [0u32];
            if self.read(sets.head + GAPS_OFFSET, &mut found, stream).is_err() {
                continue;
            }
            let megabytes = sets.sizes.bytes().iter().sum::<u64>() >> 20;
            let new = found[0] & !sets.told;
            sets.told |= new;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_take_about_the_memory_that_they_may() {
        for bytes in [LEAST_BYTES, 1 << 30, 8 << 30] {
            for is_eager in [false, true] {
                let taken: u64 = Sets::sizes(bytes, 132, is_eager).bytes().iter().sum();
                assert!(taken <= bytes && taken > bytes / 2, "{taken} of {bytes}");
            }
        }
    }

    #[test]
    fn small_blocks_are_more_and_have_shorter_lists() {
        let sizes = Sets::sizes(1 << 30, 132, false);
        let slots = (sizes.slots, sizes.slot_entries);
        let sets = Sets { head: 0, entries: 0, sizes, slots, last_launch: 0, told: 0 };
        assert_eq!(sets.slots_for(32), (132 * 32, sizes.slot_entries));
        let (slots, entries) = sets.slots_for(1024);
        assert_eq!((slots, entries), (132 * 2, sizes.slot_entries * 16));
    }
}
