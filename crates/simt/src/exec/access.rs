//! Loads and stores.

use super::places::{Attempt, Target, addresses, classify};
use super::{Core, Running};
use crate::block::BlockInfo;
use crate::lanes::{Lane, Row, Rows, each_lane};
use crate::launch::Fault;
use crate::memory::{DEVICE_BASE, MemoryView};
use crate::program::{AccessForm, NO_ROW, Part};
use crate::warp::{Warp, lanes};
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_ir::MemorySpace;
use warpsan_model::{BlockIndex, Space, Strength};

/// What an event says about an access besides its lanes and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told<'v> {
    pub(crate) kind: AccessKind,
    pub(crate) strength: Strength,
    pub(crate) bytes: u32,
    pub(crate) elements: usize,
    pub(crate) wrote: u32,
    /// By active lane; see [`Access::values`].
    pub(crate) values: &'v [u64],
    /// Words in `values` for each lane.
    pub(crate) words: usize,
    pub(crate) read_only_path: bool,
}

/// Memory that all lanes of an access are in.
pub(super) struct Common {
    /// What to add to an address to get a pointer.
    pub(super) base: *mut u8,
    space: Space,
    uniform: bool,
    dense: bool,
}

impl Core<'_> {
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        number: u32,
    ) -> Result<(), Fault> {
        let program = self.program;
        let form = &program.accesses[number as usize];
        let Running { mask, rows, .. } = *running;
        if self.load_rows(warp, running, form) {
            return Ok(());
        }
        // SAFETY: the operands are those of the program.
        let found = unsafe { addresses(rows, &form.address, mask) };
        if let Some(common) = self.common(block, form, &found, number) {
            // SAFETY: all addresses were found to be inside of memory that `base` leads to.
            unsafe { gather(rows, form, mask, &found, &common) };
            let counts = form.counts_if.lanes(&warp.predicates[running.predicates..]) & mask;
            if counts != 0 {
                let values = self.loaded_values(rows, form, counts);
                let told = told_load(form, &values);
                self.tell_common(block, warp, running, counts, &found, &common, &told);
            }
            return Ok(());
        }
        self.load_one_by_one(block, warp, running, form, &found)
    }

    /// Values of strong loads, where somebody wants them.
    fn loaded_values(&self, rows: Rows, form: &AccessForm, mask: u32) -> Vec<u64> {
        let mut values = Vec::new();
        if form.strength == Strength::Weak || !self.trace.wants_observations() {
            return values;
        }
        for lane in lanes(mask) {
            for part in &form.parts {
                let value = match part.row {
                    NO_ROW => 0,
                    // SAFETY: the parts are rows of the program.
                    _ => unsafe { part_value(rows, *part, lane) },
                };
                let value = value & bytes_of_ones(form.bytes);
                values.push(value as u64);
                if form.bytes == 16 {
                    values.push((value >> 64) as u64);
                }
            }
        }
        values
    }

    /// Loads whose address is the same for all lanes and whose memory is in rows: parameters and
    /// local memory.
    #[inline(always)]
    fn load_rows(&self, warp: &Warp, running: &Running, form: &AccessForm) -> bool {
        let Running { mask, rows, .. } = *running;
        let space = form.address.space;
        if !matches!(space, MemorySpace::Param | MemorySpace::Local | MemorySpace::Frame) {
            return false;
        }
        // SAFETY: the operands are those of the program.
        let found = unsafe { addresses(rows, &form.address, mask) };
        let bytes = u64::from(form.bytes);
        let size = bytes * form.parts.len() as u64;
        let first = found[0];
        if found.iter().any(|address| *address != first) || first & (size - 1) != 0 {
            return false;
        }
        match space {
            MemorySpace::Param => {
                let all = self.launch.parameters;
                let end = (first as usize).saturating_add(size as usize);
                let Some(source) = all.get(first as usize..end) else { return false };
                for (element, part) in form.parts.iter().enumerate() {
                    let bytes = form.bytes as usize;
                    let mut value = [0u8; 16];
                    value[..bytes].copy_from_slice(&source[element * bytes..(element + 1) * bytes]);
                    let value = extend(u128::from_le_bytes(value), form);
                    // SAFETY: the part is a register of the program.
                    unsafe { set_all(rows, *part, mask, value) };
                }
            }
            _ => {
                let base = if space == MemorySpace::Frame { running.local } else { 0 };
                let first = first.wrapping_add(base);
                if bytes < 4 || first.saturating_add(size) > warp.local.len() as u64 * 4 {
                    return false;
                }
                let word = first as usize / 4;
                for (element, part) in form.parts.iter().enumerate() {
                    let at = word + element * form.bytes as usize / 4;
                    if part.row == NO_ROW {
                        continue;
                    }
                    // SAFETY: the part is a register of the program.
                    unsafe {
                        match (bytes, part.rows) {
                            (4, 1) => rows.write(part.row, mask, &warp.local[at].0),
                            (8, 2) => {
                                let (low, high) = (&warp.local[at].0, &warp.local[at + 1].0);
                                let joined = each_lane(|lane| {
                                    u64::from(low[lane]) | u64::from(high[lane]) << 32
                                });
                                rows.write(part.row, mask, &joined);
                            }
                            _ => return false,
                        }
                    }
                }
            }
        }
        true
    }

    #[inline(never)]
    fn load_one_by_one(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        form: &AccessForm,
        found: &[u64; 32],
    ) -> Result<(), Fault> {
        let Running { mask, rows, .. } = *running;
        let bytes = u64::from(form.bytes);
        let size = bytes * form.parts.len() as u64;
        let attempt = Attempt {
            does: "reads",
            space: form.address.space,
            address: 0,
            bytes: size,
            alignment: size,
        };
        let targets = self.targets(block, warp, running, found, attempt)?;
        for (element, part) in form.parts.iter().enumerate() {
            if part.row == NO_ROW {
                continue;
            }
            let mut values = [0u128; 32];
            for lane in lanes(mask) {
                let target = behind(targets[lane], element as u64 * bytes);
                values[lane] = extend(self.peek(warp, lane, target, bytes), form);
            }
            // SAFETY: the part is a register of the program.
            unsafe { set_part(rows, *part, mask, &values) };
        }
        let counts = form.counts_if.lanes(&warp.predicates[running.predicates..]) & mask;
        let values = self.loaded_values(rows, form, counts);
        let told = told_load(form, &values);
        self.tell(block, warp, running, counts, &targets, &told);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn store(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        number: u32,
    ) -> Result<(), Fault> {
        let program = self.program;
        let form = &program.accesses[number as usize];
        let Running { mask, rows, .. } = *running;
        self.writes += 1;
        // SAFETY: the operands are those of the program.
        let found = unsafe { addresses(rows, &form.address, mask) };
        if store_rows(warp, running, form, &found) {
            return Ok(());
        }
        let values = match self.trace.wants_values() {
            true => stored_values(rows, form, mask),
            false => Vec::new(),
        };
        let told = Told {
            kind: AccessKind::Write,
            strength: form.strength,
            bytes: form.bytes,
            elements: form.parts.len(),
            wrote: mask,
            values: &values,
            words: form.parts.len() * form.bytes.div_ceil(8) as usize,
            read_only_path: false,
        };
        if let Some(common) = self.common(block, form, &found, number) {
            if self.written.is_some() && common.space == Space::Global {
                let size = u64::from(form.bytes) * form.parts.len() as u64;
                self.note_writes(mask, &found, size, &common);
            }
            // SAFETY: all addresses were found to be inside of memory that `base` leads to.
            unsafe { scatter(rows, form, mask, &found, &common) };
            self.tell_common(block, warp, running, mask, &found, &common, &told);
            return Ok(());
        }
        self.store_one_by_one(block, warp, running, form, &found, &told)
    }

    /// Keeps the pages that a store is about to change.
    #[inline(always)]
    fn note_writes(&mut self, mask: u32, found: &[u64; 32], size: u64, common: &Common) {
        let Some(written) = &mut self.written else { return };
        if common.uniform {
            written.note(found[0], size);
        } else if common.dense && mask == u32::MAX {
            written.note(found[0], size * 32);
        } else {
            for lane in lanes(mask) {
                written.note(found[lane], size);
            }
        }
    }

    #[inline(never)]
    fn store_one_by_one(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        form: &AccessForm,
        found: &[u64; 32],
        told: &Told<'_>,
    ) -> Result<(), Fault> {
        let Running { mask, rows, .. } = *running;
        let bytes = u64::from(form.bytes);
        let size = bytes * form.parts.len() as u64;
        let attempt = Attempt {
            does: "writes",
            space: form.address.space,
            address: 0,
            bytes: size,
            alignment: size,
        };
        let targets = self.targets(block, warp, running, found, attempt)?;
        for lane in lanes(mask) {
            for (element, part) in form.parts.iter().enumerate() {
                // SAFETY: the part is an operand of the program.
                let value = unsafe { part_value(rows, *part, lane) };
                let target = behind(targets[lane], element as u64 * bytes);
                self.poke(warp, lane, target, bytes, value);
            }
        }
        self.tell(block, warp, running, mask, &targets, told);
        Ok(())
    }

    /// The one piece of memory that all lanes are in, if it is one.
    #[inline(always)]
    pub(super) fn common(
        &mut self,
        block: &BlockInfo,
        form: &AccessForm,
        found: &[u64; 32],
        number: u32,
    ) -> Option<Common> {
        let size = u64::from(form.bytes) * form.parts.len() as u64;
        if form.address.space == MemorySpace::Shared {
            let most = block.shared.bytes().checked_sub(size)?;
            let class = classify(found, 0, most, size);
            return (class.inside && class.aligned).then_some(Common {
                base: block.shared.pointer(),
                space: Space::Shared,
                uniform: class.uniform,
                dense: class.dense,
            });
        }
        if !matches!(
            form.address.space,
            MemorySpace::Global | MemorySpace::Generic | MemorySpace::Const
        ) {
            return None;
        }
        let mut window = self.windows[number as usize];
        for _ in 0..2 {
            let most = (window.end - window.start).checked_sub(size);
            if let Some(most) = most {
                let class = classify(found, window.start, most, size);
                if class.inside {
                    // A warp mostly goes on by the same step: what comes next is fetched already.
                    let step = found[0].wrapping_sub(window.last);
                    prefetch(self.memory, found[0].wrapping_add(step), size * 32);
                    window.last = found[0];
                    self.windows[number as usize] = window;
                    return class.aligned.then_some(Common {
                        base: self.memory.pointer(DEVICE_BASE).wrapping_sub(DEVICE_BASE as usize),
                        space: Space::Global,
                        uniform: class.uniform,
                        dense: class.dense,
                    });
                }
            }
            if found[0].wrapping_sub(window.start) < window.end - window.start {
                // The first lane is where all were last time; others are not.
                return None;
            }
            window = self.memory.window(found[0])?;
        }
        None
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(always)]
    pub(super) fn tell_common(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        found: &[u64; 32],
        common: &Common,
        told: &Told<'_>,
    ) {
        if !self.trace.wants_accesses() {
            self.trace.accesses += u64::from(mask.count_ones());
            return;
        }
        let lanes = Lanes { mask, space: common.space, owner: block.index };
        let size = u64::from(told.bytes) * told.elements as u64;
        let form = match (common.uniform, common.dense && running.mask == u32::MAX) {
            (true, _) => Some(LaneAddresses::Uniform(found[0])),
            (_, true) => Some(LaneAddresses::Strided { first: found[0], stride: size }),
            _ => None,
        };
        self.tell_lanes(block, warp, running, &lanes, found, form, told);
    }

    /// Tells the sink. Lanes of one instruction may be in different memories at once.
    pub(crate) fn tell(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        targets: &[Target; 32],
        told: &Told<'_>,
    ) {
        let mut left = mask;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let Some((space, owner, _)) = targets[first].told(block.index) else {
                left &= left - 1;
                continue;
            };
            let same = |lane: usize| {
                let place = targets[lane].told(block.index);
                place.is_some_and(|(other, its, _)| other == space && its == owner)
            };
            let here = super::bits(left, same);
            left &= !here;
            if !self.trace.wants_accesses() {
                self.trace.accesses += u64::from(here.count_ones());
                continue;
            }
            let place = |lane: usize| targets[lane].told(block.index).map_or(0, |told| told.2);
            let addresses: [u64; 32] = std::array::from_fn(place);
            let mut own_values = Vec::new();
            let values = if here == mask || told.values.is_empty() {
                told.values
            } else {
                for (rank, lane) in lanes(mask).enumerate() {
                    if here >> lane & 1 == 1 {
                        let first = rank * told.words;
                        own_values.extend_from_slice(&told.values[first..first + told.words]);
                    }
                }
                &own_values
            };
            let told = Told { values, ..*told };
            let lanes = Lanes { mask: here, space, owner };
            self.tell_lanes(block, warp, running, &lanes, &addresses, None, &told);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    #[inline(never)]
    fn tell_lanes(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lanes: &Lanes,
        addresses: &[u64; 32],
        form: Option<LaneAddresses<'static>>,
        told: &Told<'_>,
    ) {
        let access = Access {
            block: block.index,
            warp: warp.index,
            site: running.site,
            mask: lanes.mask,
            wrote: told.wrote & lanes.mask,
            space: lanes.space,
            owner: lanes.owner,
            kind: told.kind,
            strength: told.strength,
            bytes: told.bytes as u8,
            elements: told.elements as u8,
            addresses: LaneAddresses::Uniform(0),
            values: told.values,
            versions: &[],
            read_only_path: told.read_only_path,
        };
        self.trace.access(access, addresses, form);
    }
}

/// Asks for memory that may be needed soon. The address need not be good.
#[inline(always)]
fn prefetch(memory: MemoryView<'_>, address: u64, bytes: u64) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let mut at = 0;
    while at < bytes.min(256) {
        let pointer = memory.pointer(address.wrapping_add(at)).cast::<i8>();
        // SAFETY: a prefetch changes nothing and does not fault, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(pointer) };
        at += 64;
    }
}

/// The lanes of an access that are in one memory.
struct Lanes {
    mask: u32,
    space: Space,
    owner: BlockIndex,
}

fn told_load<'v>(form: &AccessForm, values: &'v [u64]) -> Told<'v> {
    Told {
        kind: AccessKind::Read,
        strength: form.strength,
        bytes: form.bytes,
        elements: form.parts.len(),
        wrote: 0,
        values,
        words: form.parts.len() * form.bytes.div_ceil(8) as usize,
        read_only_path: form.read_only_path,
    }
}

fn bytes_of_ones(bytes: u32) -> u128 {
    u128::MAX >> (128 - bytes * 8)
}

/// The same place, so many bytes on.
pub(crate) fn behind(target: Target, bytes: u64) -> Target {
    match target {
        Target::Global { address, pointer } => Target::Global {
            address: address + bytes,
            pointer: pointer.wrapping_add(bytes as usize),
        },
        Target::Shared { owner, offset, pointer } => Target::Shared {
            owner,
            offset: offset + bytes,
            pointer: pointer.wrapping_add(bytes as usize),
        },
        Target::Local { offset } => Target::Local { offset: offset + bytes },
        Target::Param { offset } => Target::Param { offset: offset + bytes },
    }
}

/// A loaded value as wide as any register, by its sign if it has one.
fn extend(value: u128, form: &AccessForm) -> u128 {
    if !form.is_signed {
        return value;
    }
    let unused = 128 - form.bytes * 8;
    (((value << unused) as i128) >> unused) as u128
}

/// # Safety
/// The part is an operand of the program that the rows were made for.
unsafe fn part_value(rows: Rows, part: Part, lane: usize) -> u128 {
    // SAFETY: the caller answers for the rows.
    unsafe {
        match part.rows {
            1 => u128::from(rows.lane::<u32>(part.row, lane)),
            2 => u128::from(rows.lane::<u64>(part.row, lane)),
            _ => rows.lane::<u128>(part.row, lane),
        }
    }
}

/// # Safety
/// As for [`part_value`], and the part is a register or [`NO_ROW`].
unsafe fn set_part(rows: Rows, part: Part, mask: u32, values: &[u128; 32]) {
    // SAFETY: the caller answers for the rows.
    unsafe {
        match part.rows {
            _ if part.row == NO_ROW => {}
            1 => rows.write(part.row, mask, &values.map(|value| value as u32)),
            2 => rows.write(part.row, mask, &values.map(|value| value as u64)),
            _ => rows.write(part.row, mask, values),
        }
    }
}

/// # Safety
/// As for [`set_part`].
unsafe fn set_all(rows: Rows, part: Part, mask: u32, value: u128) {
    // SAFETY: the caller answers for the rows.
    unsafe {
        match part.rows {
            _ if part.row == NO_ROW => {}
            1 => rows.write(part.row, mask, &[value as u32; 32]),
            2 => rows.write(part.row, mask, &[value as u64; 32]),
            _ => rows.write(part.row, mask, &[value; 32]),
        }
    }
}

/// Loads from memory that all lanes are in.
///
/// # Safety
/// `common.base` plus each address is memory of the access's size.
#[inline(always)]
unsafe fn gather(rows: Rows, form: &AccessForm, mask: u32, found: &[u64; 32], common: &Common) {
    // SAFETY: the caller answers for rows and addresses.
    unsafe {
        let alone = form.parts.len() == 1;
        if common.dense && !common.uniform && form.bytes == 4 && form.parts.len() == 4 {
            // Neighbouring vectors of four: one piece of memory, taken apart.
            let from = common.base.wrapping_add(found[0] as usize).cast::<[[u32; 4]; 32]>();
            let from = from.read_unaligned();
            for (element, part) in form.parts.iter().enumerate() {
                if part.row != NO_ROW && part.rows == 1 {
                    let value = |lane: usize| from[lane][element];
                    rows.write(part.row, mask, &each_lane(value));
                }
            }
            if form.parts.iter().all(|part| part.rows == 1) {
                return;
            }
        }
        for (element, part) in form.parts.iter().enumerate() {
            if part.row == NO_ROW {
                continue;
            }
            let base = common.base.wrapping_add(element * form.bytes as usize);
            let dense = alone && common.dense;
            match (form.bytes, part.rows) {
                (4, 1) => gather_as::<u32, u32>(rows, *part, mask, found, base, common, dense),
                (8, 2) => gather_as::<u64, u64>(rows, *part, mask, found, base, common, dense),
                (1, 1) if !form.is_signed => {
                    gather_as::<u8, u8>(rows, *part, mask, found, base, common, dense);
                }
                (2, 1) if !form.is_signed => {
                    gather_as::<u16, u16>(rows, *part, mask, found, base, common, dense);
                }
                (bytes, _) => {
                    let mut values = [0u128; 32];
                    for lane in lanes(mask) {
                        let mut value = [0u8; 16];
                        let from = base.wrapping_add(found[lane] as usize);
                        std::ptr::copy_nonoverlapping(from, value.as_mut_ptr(), bytes as usize);
                        values[lane] = extend(u128::from_le_bytes(value), form);
                    }
                    set_part(rows, *part, mask, &values);
                }
            }
        }
    }
}

/// # Safety
/// As for [`gather`], for elements of the type `T`.
#[inline(always)]
unsafe fn gather_as<T: Copy, L: Lane + From<T>>(
    rows: Rows,
    part: Part,
    mask: u32,
    found: &[u64; 32],
    base: *mut u8,
    common: &Common,
    dense: bool,
) {
    // SAFETY: the caller answers for rows and addresses.
    unsafe {
        let read = |address: u64| base.wrapping_add(address as usize).cast::<T>().read_unaligned();
        if common.uniform {
            let value = L::from(read(found[0]));
            rows.write(part.row, mask, &[value; 32]);
        } else if dense {
            let from = base.wrapping_add(found[0] as usize).cast::<[T; 32]>().read_unaligned();
            rows.write(part.row, mask, &each_lane(|lane| L::from(from[lane])));
        } else {
            rows.write(part.row, mask, &each_lane(|lane| L::from(read(found[lane]))));
        }
    }
}

/// Stores to memory that all lanes are in, lowest lane first.
///
/// # Safety
/// As for [`gather`].
#[inline(always)]
unsafe fn scatter(rows: Rows, form: &AccessForm, mask: u32, found: &[u64; 32], common: &Common) {
    // SAFETY: the caller answers for rows and addresses.
    unsafe {
        if let [part] = form.parts[..] {
            match (form.bytes, part.rows) {
                (4, 1) => return scatter_as::<u32>(rows, part, mask, found, common),
                (8, 2) => return scatter_as::<u64>(rows, part, mask, found, common),
                _ => {}
            }
        }
        if form.bytes == 4 && form.parts.iter().all(|part| part.rows == 1) {
            match form.parts[..] {
                [a, b] => return scatter_vector(rows, [a, b], mask, found, common),
                [a, b, c, d] => return scatter_vector(rows, [a, b, c, d], mask, found, common),
                _ => {}
            }
        }
        for lane in lanes(mask) {
            let mut to = common.base.wrapping_add(found[lane] as usize);
            for part in &form.parts {
                let value = part_value(rows, *part, lane).to_le_bytes();
                std::ptr::copy_nonoverlapping(value.as_ptr(), to, form.bytes as usize);
                to = to.wrapping_add(form.bytes as usize);
            }
        }
    }
}

/// Stores vectors of words.
///
/// # Safety
/// As for [`scatter`].
#[inline(always)]
unsafe fn scatter_vector<const N: usize>(
    rows: Rows,
    parts: [Part; N],
    mask: u32,
    found: &[u64; 32],
    common: &Common,
) {
    // SAFETY: the caller answers for rows and addresses.
    unsafe {
        let mut vectors = [[0u32; N]; 32];
        for (element, part) in parts.iter().enumerate() {
            let row = rows.source(part.row);
            for (lane, vector) in vectors.iter_mut().enumerate() {
                vector[element] = u32::get(row, lane);
            }
        }
        if common.dense && mask == u32::MAX {
            let to = common.base.wrapping_add(found[0] as usize).cast::<[[u32; N]; 32]>();
            to.write_unaligned(vectors);
            return;
        }
        for lane in lanes(mask) {
            let to = common.base.wrapping_add(found[lane] as usize).cast::<[u32; N]>();
            to.write_unaligned(vectors[lane]);
        }
    }
}

/// # Safety
/// As for [`scatter`].
#[inline(always)]
unsafe fn scatter_as<T: Lane>(
    rows: Rows,
    part: Part,
    mask: u32,
    found: &[u64; 32],
    common: &Common,
) {
    // SAFETY: the caller answers for rows and addresses.
    unsafe {
        let values = rows.read::<T>(part.row);
        if common.dense && mask == u32::MAX {
            let to = common.base.wrapping_add(found[0] as usize).cast::<[T; 32]>();
            to.write_unaligned(values);
            return;
        }
        for lane in lanes(mask) {
            let to = common.base.wrapping_add(found[lane] as usize).cast::<T>();
            to.write_unaligned(values[lane]);
        }
    }
}

/// Stores to local memory at an address that is the same for all lanes.
fn store_rows(warp: &mut Warp, running: &Running, form: &AccessForm, found: &[u64; 32]) -> bool {
    let space = form.address.space;
    if !matches!(space, MemorySpace::Local | MemorySpace::Frame) {
        return false;
    }
    let size = u64::from(form.bytes) * form.parts.len() as u64;
    let first = found[0];
    if found.iter().any(|address| *address != first) || first & (size - 1) != 0 || form.bytes < 4 {
        return false;
    }
    let base = if space == MemorySpace::Frame { running.local } else { 0 };
    let first = first.wrapping_add(base);
    let fits = first.saturating_add(size) <= warp.local.len() as u64 * 4;
    let known = |part: &Part| u32::from(part.rows) * 4 == form.bytes && part.rows < 4;
    if !fits || !form.parts.iter().all(known) {
        return false;
    }
    let mut word = first as usize / 4;
    for part in &form.parts {
        // SAFETY: the part is an operand of the program.
        unsafe {
            if part.rows == 1 {
                let values = running.rows.read::<u32>(part.row);
                blend(&mut warp.local[word], running.mask, &values);
            } else {
                let values = running.rows.read::<u64>(part.row);
                blend(&mut warp.local[word], running.mask, &values.map(|value| value as u32));
                let high = values.map(|value| (value >> 32) as u32);
                blend(&mut warp.local[word + 1], running.mask, &high);
            }
        }
        word += usize::from(part.rows);
    }
    true
}

fn blend(row: &mut Row, mask: u32, values: &[u32; 32]) {
    for (lane, (old, new)) in row.0.iter_mut().zip(values).enumerate() {
        *old = if mask >> lane & 1 == 1 { *new } else { *old };
    }
}

/// What a store writes, for events.
fn stored_values(rows: Rows, form: &AccessForm, mask: u32) -> Vec<u64> {
    let mut values = Vec::with_capacity(form.parts.len() * 32);
    for lane in lanes(mask) {
        for part in &form.parts {
            // SAFETY: the part is an operand of the program.
            let value = unsafe { part_value(rows, *part, lane) };
            let value = value & bytes_of_ones(form.bytes);
            values.push(value as u64);
            if form.bytes == 16 {
                values.push((value >> 64) as u64);
            }
        }
    }
    values
}
