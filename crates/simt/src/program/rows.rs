//! Which rows hold which registers.
//!
//! PTX has a register for every value; a kernel of a thousand values needs a few dozen rows at a
//! time. Registers that do not live at the same time share a row, so that what a warp works on stays
//! in the cache. A lane's registers are its own column of the rows, so it does not matter that lanes
//! are at different places: only what a single thread does counts.

use super::region::Region;
use super::rows_of;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use warpsan_ir::{CodeInstruction, Op, Register, Uses, Varying};

/// More bits than this for the sets of live registers are not worth it: every register that lives
/// across blocks gets rows of its own.
const MOST_BITS: usize = 1 << 31;

/// A register by number and width: numbers are used again with other widths.
type Key = (u32, u8);

/// Where the registers of a region are.
pub(super) struct RowMap {
    places: HashMap<Key, u32>,
    /// Rows in all.
    pub(super) rows: u32,
    /// Rows that only ever hold uniform registers, as first row and count.
    pub(super) uniform: Vec<(u32, u8)>,
}

impl RowMap {
    pub(super) fn row(&self, register: Register) -> u32 {
        self.places.get(&key(register)).copied().unwrap_or(0)
    }
}

fn key(register: Register) -> Key {
    (register.number, rows_of(register.bits))
}

/// From when to when a register lives, in half instructions: an instruction reads at an even number
/// and writes at the odd one behind it.
#[derive(Debug, Clone, Copy)]
struct Life {
    start: u32,
    end: u32,
    rows: u8,
    /// Uniform registers have rows apart from the others: see [`RowMap::uniform`].
    is_uniform: bool,
}

/// Gives every register of a region its rows.
pub(super) fn assign(region: &Region<'_>, varying: &Varying) -> RowMap {
    let mut keys: HashMap<Key, u32> = HashMap::new();
    let mut lives: Vec<Life> = Vec::new();
    let mut number = |register: Register, lives: &mut Vec<Life>| -> u32 {
        *keys.entry(key(register)).or_insert_with(|| {
            lives.push(Life {
                start: u32::MAX,
                end: 0,
                rows: rows_of(register.bits),
                is_uniform: !varying.register(register),
            });
            lives.len() as u32 - 1
        })
    };
    // What each instruction uses, as numbers.
    let mut reads: Vec<Vec<u32>> = Vec::with_capacity(region.code.len());
    let mut writes: Vec<Vec<u32>> = Vec::with_capacity(region.code.len());
    for instruction in region.code {
        let uses = Uses::of(&instruction.op);
        reads.push(uses.reads.iter().map(|register| number(*register, &mut lives)).collect());
        writes.push(uses.writes.iter().map(|register| number(*register, &mut lives)).collect());
    }
    for (at, instruction) in region.code.iter().enumerate() {
        let (read_at, write_at) = times(at, instruction);
        for used in &reads[at] {
            extend(&mut lives[*used as usize], 2 * at as u32, read_at);
        }
        for used in &writes[at] {
            extend(&mut lives[*used as usize], write_at, write_at);
        }
    }
    extend_across_blocks(region, &reads, &writes, &mut lives);
    let (places, rows) = place(&lives);
    let uniform = lives.iter().zip(&places).filter(|(life, _)| life.is_uniform);
    let mut uniform: Vec<(u32, u8)> = uniform.map(|(life, row)| (*row, life.rows)).collect();
    uniform.sort_unstable();
    uniform.dedup();
    let places = keys.into_iter().map(|(key, number)| (key, places[number as usize])).collect();
    RowMap { places, rows, uniform }
}

/// When an instruction reads last and writes. A function over lanes reads all its operands before it
/// writes; others may write one result and read on.
fn times(at: usize, instruction: &CodeInstruction) -> (u32, u32) {
    let (read, write) = (2 * at as u32, 2 * at as u32 + 1);
    let reads_first = matches!(
        instruction.op,
        Op::Move { .. }
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Select { .. }
            | Op::Convert { .. }
    );
    (if reads_first { read } else { write }, write)
}

fn extend(life: &mut Life, from: u32, to: u32) {
    life.start = life.start.min(from);
    life.end = life.end.max(to);
}

/// A register that is live where a block begins or ends lives for the whole block.
fn extend_across_blocks(
    region: &Region<'_>,
    reads: &[Vec<u32>],
    writes: &[Vec<u32>],
    lives: &mut [Life],
) {
    // Registers that some block reads before it has surely written them.
    let mut open = vec![false; lives.len()];
    let mut gen_sets: Vec<Vec<u32>> = Vec::with_capacity(region.blocks.len());
    let mut kill_sets: Vec<Vec<u32>> = Vec::with_capacity(region.blocks.len());
    let mut written = vec![u32::MAX; lives.len()];
    for (block, &(start, end)) in region.blocks.iter().enumerate() {
        let (mut needed, mut killed) = (Vec::new(), Vec::new());
        for at in start..end {
            for &used in &reads[at] {
                if written[used as usize] != block as u32 {
                    needed.push(used);
                    open[used as usize] = true;
                }
            }
            for &used in &writes[at] {
                // Where the guard is false the old value stays.
                let whole = region.code[at].guard.is_none();
                if written[used as usize] == block as u32 {
                    continue;
                }
                if whole {
                    written[used as usize] = block as u32;
                    killed.push(used);
                } else {
                    needed.push(used);
                    open[used as usize] = true;
                }
            }
        }
        needed.sort_unstable();
        needed.dedup();
        gen_sets.push(needed);
        kill_sets.push(killed);
    }
    // Only these take part in the flow between blocks.
    let names: Vec<u32> = (0..lives.len() as u32).filter(|one| open[*one as usize]).collect();
    let mut dense = vec![u32::MAX; lives.len()];
    for (number, name) in names.iter().enumerate() {
        dense[*name as usize] = number as u32;
    }
    let end = 2 * region.code.len() as u32;
    if names.len().saturating_mul(region.blocks.len()) > MOST_BITS {
        for name in names {
            extend(&mut lives[name as usize], 0, end);
        }
        return;
    }
    let words = names.len().div_ceil(64);
    let mut live_in = vec![0u64; words * region.blocks.len()];
    let mut live_out = vec![0u64; words * region.blocks.len()];
    let bit = |name: u32| {
        let number = dense[name as usize] as usize;
        (number / 64, 1u64 << (number % 64))
    };
    for (block, needed) in gen_sets.iter().enumerate() {
        for &name in needed {
            let (word, bit) = bit(name);
            live_in[block * words + word] |= bit;
        }
    }
    let kills: Vec<Vec<(usize, u64)>> = kill_sets
        .iter()
        .map(|killed| {
            killed.iter().filter(|one| open[**one as usize]).map(|one| bit(*one)).collect()
        })
        .collect();
    let mut changed = true;
    let mut passing = vec![0u64; words];
    while changed {
        changed = false;
        for block in (0..region.blocks.len()).rev() {
            passing.fill(0);
            for &next in &region.successors[block] {
                for (word, from) in
                    passing.iter_mut().zip(&live_in[next * words..(next + 1) * words])
                {
                    *word |= from;
                }
            }
            live_out[block * words..(block + 1) * words].copy_from_slice(&passing);
            for &(word, bit) in &kills[block] {
                passing[word] &= !bit;
            }
            for (word, from) in live_in[block * words..(block + 1) * words].iter_mut().zip(&passing)
            {
                changed |= *word | from != *word;
                *word |= from;
            }
        }
    }
    for (block, &(start, end)) in region.blocks.iter().enumerate() {
        for (sets, at) in [(&live_in, 2 * start as u32), (&live_out, 2 * end as u32)] {
            for word in 0..words {
                let mut left = sets[block * words + word];
                while left != 0 {
                    let name = names[word * 64 + left.trailing_zeros() as usize];
                    left &= left - 1;
                    extend(&mut lives[name as usize], at, at);
                }
            }
        }
    }
}

/// Rows for lives that overlap are different. First come, first served; the smallest free place.
fn place(lives: &[Life]) -> (Vec<u32>, u32) {
    let mut order: Vec<usize> = (0..lives.len()).collect();
    order.sort_by_key(|one| (lives[*one].start, lives[*one].end, *one));
    let mut places = vec![0; lives.len()];
    // Free places by what they are for.
    let mut free: HashMap<(u8, bool), Vec<u32>> = HashMap::new();
    let mut busy: BinaryHeap<Reverse<(u32, u32, u8, bool)>> = BinaryHeap::new();
    let mut rows = 0;
    for one in order {
        let life = lives[one];
        while let Some(Reverse((end, row, count, is_uniform))) = busy.peek().copied() {
            if end >= life.start {
                break;
            }
            busy.pop();
            free.entry((count, is_uniform)).or_default().push(row);
        }
        let known = free.entry((life.rows, life.is_uniform)).or_default().pop();
        let row = known.unwrap_or_else(|| {
            let row = rows;
            rows += u32::from(life.rows);
            row
        });
        places[one] = row;
        busy.push(Reverse((life.end, row, life.rows, life.is_uniform)));
    }
    (places, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(start: u32, end: u32) -> Life {
        Life { start, end, rows: 1, is_uniform: false }
    }

    #[test]
    fn lives_that_overlap_have_different_rows() {
        let (places, rows) = place(&[life(1, 4), life(2, 8), life(5, 6), life(7, 9)]);
        assert_eq!(rows, 2);
        assert_eq!(places[0], places[2]);
        assert_ne!(places[1], places[2]);
        assert_ne!(places[1], places[3]);
    }

    #[test]
    fn uniform_registers_keep_to_themselves() {
        let uniform = Life { is_uniform: true, ..life(1, 2) };
        let (places, rows) =
            place(&[life(3, 4), uniform, life(5, 6), Life { start: 7, end: 8, ..uniform }]);
        assert_eq!(rows, 2);
        assert_eq!((places[0], places[1]), (places[2], places[3]));
    }

    #[test]
    fn wide_registers_take_two_rows() {
        let wide = Life { start: 0, end: 3, rows: 2, is_uniform: false };
        let (places, rows) = place(&[wide, life(0, 3)]);
        assert_eq!(rows, 3);
        assert!(places[1] < places[0] || places[1] >= places[0] + 2);
    }
}
