//! Values between memory and rows.

use super::common::Common;
use crate::exec::core::Running;
use crate::lanes::{Lane, Row, Rows, each_lane};
use crate::program::{AccessForm, NO_ROW, Part};
use crate::warp::{Warp, lanes};
use warpsan_ir::MemorySpace;

/// A loaded value as wide as any register, by its sign if it has one.
pub(super) fn extend(value: u128, form: &AccessForm) -> u128 {
    if !form.is_signed {
        return value;
    }
    let unused = 128 - form.bytes * 8;
    (((value << unused) as i128) >> unused) as u128
}

/// # Safety
/// The part is an operand of the program that the rows were made for.
pub(super) unsafe fn part_value(rows: Rows, part: Part, lane: usize) -> u128 {
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
pub(super) unsafe fn set_part(rows: Rows, part: Part, mask: u32, values: &[u128; 32]) {
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
pub(super) unsafe fn set_all(rows: Rows, part: Part, mask: u32, value: u128) {
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
pub(super) unsafe fn gather(
    rows: Rows,
    form: &AccessForm,
    mask: u32,
    found: &[u64; 32],
    common: &Common,
) {
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
pub(super) unsafe fn scatter(
    rows: Rows,
    form: &AccessForm,
    mask: u32,
    found: &[u64; 32],
    common: &Common,
) {
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
pub(super) fn store_rows(
    warp: &mut Warp,
    running: &Running,
    form: &AccessForm,
    found: &[u64; 32],
) -> bool {
    let space = form.address.space;
    if !matches!(space, MemorySpace::Local | MemorySpace::Frame) {
        return false;
    }
    let size = form.size();
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
