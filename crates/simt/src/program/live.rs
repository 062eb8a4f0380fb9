//! What lives on behind the block barriers of a kernel: registers and predicates that are read before they are written again.

use super::region::Region;
use super::rows::RowMap;
use super::rows_of;
use std::collections::HashMap;
use warpsan_ir::{CodeInstruction, Op, Register, Uses};

/// More bits than this for the sets of live values are not worth it: nothing is said to live on.
const MOST_BITS: usize = 1 << 31;

/// What lives on behind an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Live {
    /// Registers, as first row and count.
    pub(crate) rows: Vec<(u32, u8)>,
    pub(crate) predicates: Vec<u32>,
}

/// A value that can live: a register by number and width, or a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Name {
    Register(u32, u8),
    Predicate(u32),
}

/// What one instruction does to values, as numbers.
#[derive(Debug, Default)]
struct Effect {
    reads: Vec<usize>,
    kills: Vec<usize>,
}

/// What lives on behind each block barrier, by its number in the kernel.
pub(super) fn behind_barriers(region: &Region<'_>, map: &RowMap) -> HashMap<u32, Live> {
    let is_barrier = |at: usize| matches!(region.code[at].op, Op::BlockBarrier { .. });
    if !(0..region.code.len()).any(is_barrier) {
        return HashMap::new();
    }
    let (names, effects) = effects(region.code);
    if names.len().saturating_mul(region.blocks.len()) > MOST_BITS {
        return HashMap::new();
    }
    let live_in = live_in(region, names.len(), &effects);
    let mut found = HashMap::new();
    for (block, &(start, end)) in region.blocks.iter().enumerate() {
        let mut live = out_of(region, block, names.len(), &live_in);
        for at in (start..end).rev() {
            if is_barrier(at) {
                found.insert(region.first + at as u32, places(&names, &live, map));
            }
            step_back(&effects[at], &mut live);
        }
    }
    found
}

fn effects(code: &[CodeInstruction]) -> (Vec<Name>, Vec<Effect>) {
    let mut numbers: HashMap<Name, usize> = HashMap::new();
    let mut names = Vec::new();
    let mut number = |name: Name| {
        *numbers.entry(name).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        })
    };
    let register = |one: &Register| Name::Register(one.number, rows_of(one.bits));
    let mut effects = Vec::with_capacity(code.len());
    for instruction in code {
        let uses = Uses::of(&instruction.op);
        let mut effect = Effect::default();
        effect.reads.extend(uses.reads.iter().map(|one| number(register(one))));
        let guard = instruction.guard.iter().map(|(predicate, _)| predicate);
        let predicates = uses.reads_predicates.iter().chain(guard);
        effect.reads.extend(predicates.map(|one| number(Name::Predicate(one.0))));
        // Where the guard is false the old value stays.
        if instruction.guard.is_none() {
            effect.kills.extend(uses.writes.iter().map(|one| number(register(one))));
            let predicates = uses.writes_predicates.iter();
            effect.kills.extend(predicates.map(|one| number(Name::Predicate(one.0))));
        }
        effects.push(effect);
    }
    (names, effects)
}

fn live_in(region: &Region<'_>, names: usize, effects: &[Effect]) -> Vec<Vec<u64>> {
    let mut live_in = vec![vec![0; names.div_ceil(64)]; region.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (block, &(start, end)) in region.blocks.iter().enumerate().rev() {
            let mut live = out_of(region, block, names, &live_in);
            for at in (start..end).rev() {
                step_back(&effects[at], &mut live);
            }
            changed |= live != live_in[block];
            live_in[block] = live;
        }
    }
    live_in
}

/// What lives at the end of a block.
fn out_of(region: &Region<'_>, block: usize, names: usize, live_in: &[Vec<u64>]) -> Vec<u64> {
    let mut live = vec![0; names.div_ceil(64)];
    for &next in &region.successors[block] {
        live.iter_mut().zip(&live_in[next]).for_each(|(word, from)| *word |= from);
    }
    live
}

fn step_back(effect: &Effect, live: &mut [u64]) {
    for &one in &effect.kills {
        live[one / 64] &= !(1 << (one % 64));
    }
    for &one in &effect.reads {
        live[one / 64] |= 1 << (one % 64);
    }
}

fn places(names: &[Name], live: &[u64], map: &RowMap) -> Live {
    let mut found = Live::default();
    for (number, name) in names.iter().enumerate() {
        if live[number / 64] >> (number % 64) & 1 == 0 {
            continue;
        }
        match *name {
            Name::Register(number, rows) => {
                let register = Register { number, bits: rows * 32 };
                found.rows.push((map.row(register), rows));
            }
            Name::Predicate(number) => found.predicates.push(number),
        }
    }
    found.rows.sort_unstable();
    found.predicates.sort_unstable();
    found
}
