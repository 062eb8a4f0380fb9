//! Which kernels hb's entries are for: those whose blocks never meet, whose barriers are of whole blocks, whole warps and tiles of one size, whose strong
//! accesses are atomic updates of shared memory, atomic updates of global memory that return nothing, or volatile accesses that order nothing,
//! and whose asynchronous copies are waited for in groups.

use super::expected::{Expected, expected, is_copy, space_of};
use super::layout::{
    EntriesUse, OWNER_ENTRY_SHIFT, PLAIN_ENTRY_SHIFT, SharedEntries, Tiles, UPDATED_ENTRY_SHIFT,
    hows,
};
use crate::device_plan::DevicePlan;
use crate::meaning::{ROW_BYTES, access_of, rows_of};
use crate::refusal::Refusal;
use crate::sets::in_cycles;
use crate::variables::SHARED_ALIGNMENT;
use std::collections::BTreeSet;
use warpsan_event::KernelFacts;
use warpsan_ir::{
    AsyncOp, AtomicOp, Function, Instruction, MemorySpace, Op, Phases, Special, warp_barrier_tiles,
};
use warpsan_model::{Order, Scope, Strength, WARP_LANES};

/// Bytes of a word of global memory, which has entries of its own.
const WORD: u32 = 4;

/// What of an operation the entries do not know.
pub(super) fn beyond_entries(op: &Op) -> Option<&'static str> {
    let is_watched = |space: MemorySpace| {
        matches!(space, MemorySpace::Global | MemorySpace::Generic | MemorySpace::Shared)
    };
    match op {
        Op::Load { space, strength, .. } | Op::Store { space, strength, .. }
            if is_watched(*space) =>
        {
            match strength {
                Strength::Weak => None,
                Strength::Volatile if *space == MemorySpace::Shared => None,
                Strength::Volatile => Some("volatile accesses"),
                Strength::Strong { .. } => Some("strong loads and stores"),
            }
        }
        Op::Atomic { op: AtomicOp::Cas, .. } => Some("compare-and-swap"),
        Op::Atomic { strength, .. }
            if strength.order().is_some_and(|order| order != Order::Relaxed) =>
        {
            Some("atomics that acquire or release")
        }
        Op::Atomic { space: MemorySpace::Shared, .. } => None,
        // Those of one block are no atomics for another one.
        Op::Atomic {
            strength: Strength::Strong { scope: Scope::Cta | Scope::Cluster, .. },
            ..
        } => Some("atomics of a narrower scope than the device in global memory"),
        Op::Atomic { ty, .. } if !ty.bytes().is_multiple_of(WORD) => {
            Some("atomics of less than a word in global memory")
        }
        Op::Atomic { .. } => None,
        Op::AtomicVector { .. } => Some("atomics of vectors"),
        Op::Async(operation) => match **operation {
            AsyncOp::Copy { .. } | AsyncOp::Commit | AsyncOp::Wait { .. } => None,
            _ => Some("`mbarrier` objects and bulk copies"),
        },
        Op::Matrix(matrix) => match matrix.place {
            Some(place) if place.space != MemorySpace::Shared || rows_of(matrix).is_none() => {
                Some("matrices of this shape in memory")
            }
            _ => None,
        },
        _ => None,
    }
}

/// What a launch of a kernel needs, unless the entries are not for it.
pub(crate) fn uses_of(
    functions: &[Function],
    facts: &KernelFacts,
    plan: DevicePlan,
) -> Result<EntriesUse, Refusal> {
    if !facts.blocks_never_meet {
        return Err(Refusal::BlocksMeet);
    }
    let code = || functions.iter().flat_map(|function| &function.code);
    // Atomics that overlap partly race with each other, and entries do not have sizes.
    let mut sizes = code().filter_map(|one| match &one.op {
        Op::Atomic { ty, .. } => Some(ty.bytes()),
        _ => None,
    });
    if let Some(first) = sizes.next()
        && sizes.any(|bytes| bytes != first)
    {
        return Err(Refusal::AtomicsOfSeveralSizes);
    }
    if functions.len() > 1 && has_copies(functions) {
        return Err(Refusal::CopiesBesideCalls);
    }
    let is_of_system =
        |op: &Op| matches!(op, Op::ReadSpecial { special: Special::ReservedShared(_), .. });
    if code().any(|one| is_of_system(&one.op)) {
        return Err(Refusal::ReservedShared);
    }
    // By fences, a volatile flag hands over what was written before it.
    let may_hand_over = |one: &Instruction| {
        matches!(one.op, Op::Fence { .. } | Op::Atomic { .. }) || is_copy(&one.op)
    };
    if code().any(|one| volatile_access(&one.op).is_some()) && code().any(may_hand_over) {
        return Err(Refusal::VolatileBeside);
    }
    let tiles = tiles_of(functions)?;
    let barriers = code().filter(|one| matches!(one.op, Op::BlockBarrier { .. })).count();
    let mut intervals = 1;
    if barriers > 0 {
        let kernel = functions.iter().find(|function| function.is_kernel);
        let phases = kernel.and_then(|kernel| Some((kernel, Phases::of(kernel)?)));
        let (kernel, phases) = phases.ok_or(Refusal::BarriersOfSome)?;
        // What a thread has accessed since its last barrier is not ordered by those that it does not come to.
        let is_left = |(at, one): (usize, &Instruction)| {
            space_of(&one.op).is_some() && phases.may_end_behind(at)
        };
        if kernel.code.iter().enumerate().any(is_left) {
            return Err(Refusal::BarriersOfSome);
        }
        let cycles = in_cycles(kernel);
        let is_in_cycle = |at: usize| cycles[kernel.control_flow.block_of(at as u32)];
        let mut places = (0..kernel.code.len())
            .filter(|at| matches!(kernel.code[*at].op, Op::BlockBarrier { .. }));
        intervals = if places.any(is_in_cycle) { 0 } else { barriers as u32 + 1 };
    }
    let shared = shared_entries(functions, plan.has_slots());
    let ends_threads = |one: &Function| one.code.iter().any(|one| matches!(one.op, Op::Exit));
    if plan.has_slots() && functions.iter().any(|one| !one.is_kernel && ends_threads(one)) {
        return Err(Refusal::EndsInFunction);
    }
    // Nothing brings tiles of a warp together again, so that lines are accessed in parts.
    Ok(EntriesUse { intervals, shared, scatters: tiles.is_some(), tiles })
}

/// The tiles that barriers of parts of a warp are for.
fn tiles_of(functions: &[Function]) -> Result<Option<Tiles>, Refusal> {
    const WHOLE: u32 = WARP_LANES.ilog2();
    let code = || functions.iter().flat_map(|function| &function.code).map(|one| &one.op);
    let is_warp_barrier = |op: &Op| matches!(op, Op::WarpBarrier { .. });
    let of_function = |function: &Function| {
        let all = function.code.iter().zip(warp_barrier_tiles(&function.code));
        let barriers = all.filter(|(one, _)| is_warp_barrier(&one.op));
        barriers.map(|(_, tile)| tile).collect::<Vec<_>>()
    };
    let barriers = functions.iter().flat_map(of_function);
    let sizes: Option<BTreeSet<u32>> = barriers.collect();
    let mut sizes = sizes.ok_or(Refusal::PartsOfWarps)?;
    // What one lane waits for is nobody.
    sizes.remove(&0);
    let beside_whole = sizes.remove(&WHOLE);
    let Some(shift) = sizes.pop_first() else { return Ok(None) };
    // Who has copied, updated, or made volatile accesses is known by epochs of whole warps.
    let goes_by_warps = |op: &Op| {
        matches!(op, Op::Atomic { space, .. } if *space != MemorySpace::Global)
            || volatile_access(op).is_some()
            || is_copy(op)
    };
    if !sizes.is_empty() || code().any(goes_by_warps) {
        return Err(Refusal::PartsOfWarps);
    }
    Ok(Some(Tiles { shift, beside_whole }))
}

/// Accesses of global memory whose checks are written in place. Each takes the assembler milliseconds, and so much code would not be quicker than calls in the end.
const MOST_IN_PLACE: usize = 16;

/// Whether there are so many accesses that their checks are called as functions.
pub(crate) fn are_checks_called(functions: &[Function]) -> bool {
    let spaces = functions.iter().flat_map(|function| &function.code).map(|one| space_of(&one.op));
    let is_global =
        |space: &Option<MemorySpace>| space.is_some_and(|space| space != MemorySpace::Shared);
    spaces.filter(is_global).count() > MOST_IN_PLACE
}

/// Bytes that share entries in shared memory, at most: no access is aligned to more.
const LARGEST_GRANULE: u32 = 16;

/// Bytes that a lane accesses.
fn bytes_of(op: &Op) -> Option<u32> {
    match op {
        Op::Matrix(_) => Some(ROW_BYTES),
        Op::Async(operation) => match **operation {
            AsyncOp::Copy { bytes, .. } => Some(bytes),
            _ => None,
        },
        op => access_of(op, true).map(|(_, bytes)| bytes),
    }
}

/// Whether threads copy asynchronously.
pub(crate) fn has_copies(functions: &[Function]) -> bool {
    functions.iter().flat_map(|function| &function.code).any(|one| is_copy(&one.op))
}

/// Whether an operation is a volatile access of shared memory that writes, or one that reads.
fn volatile_access(op: &Op) -> Option<bool> {
    match op {
        Op::Load { space: MemorySpace::Shared, strength: Strength::Volatile, .. } => Some(false),
        Op::Store { space: MemorySpace::Shared, strength: Strength::Volatile, .. } => Some(true),
        _ => None,
    }
}

/// Which volatile accesses of shared memory there are, as `hows` has it: none that matter without stores.
pub(crate) fn volatile_of(functions: &[Function]) -> u32 {
    let has = |writes| {
        let mut code = functions.iter().flat_map(|function| &function.code);
        code.any(|one| volatile_access(&one.op) == Some(writes))
    };
    match (has(true), has(false)) {
        (false, _) => 0,
        (true, false) => hows::HAS_VOLATILE,
        (true, true) => hows::HAS_VOLATILE | hows::HAS_VOLATILE_LOADS,
    }
}

/// The accesses of a function that may be of shared memory, without loads that cannot race.
fn shared_accesses(function: &Function) -> Vec<(&Op, Expected)> {
    let of_function = expected(function);
    let all = function.code.iter().zip(of_function).filter(|(one, expected)| {
        !expected.is_alone && space_of(&one.op).is_some_and(|space| space != MemorySpace::Global)
    });
    all.map(|(one, expected)| (&one.op, expected)).collect()
}

/// Whether it is a store that no load shares an interval with.
fn is_store_without_loads((op, expected): &(&Op, Expected)) -> bool {
    let is_weak_store =
        matches!(op, Op::Store { space: MemorySpace::Shared, strength: Strength::Weak, .. });
    expected.without_loads && is_weak_store
}

/// Entries for shared memory, as fine as the accesses that are checked.
fn shared_entries(functions: &[Function], in_slot: bool) -> Option<SharedEntries> {
    let has_shared = |one: &Function| !one.shared.is_empty() || one.dynamic_shared.is_some();
    if !functions.iter().any(has_shared) {
        return None;
    }
    let accesses: Vec<_> = functions.iter().flat_map(shared_accesses).collect();
    let sizes = accesses.iter().filter_map(|(op, _)| bytes_of(op));
    let smallest = sizes.map(|bytes| 1 << bytes.trailing_zeros()).min();
    let ops = || functions.iter().flat_map(|function| &function.code).map(|one| &one.op);
    let is_update =
        |op: &Op| matches!(op, Op::Atomic { space, .. } if *space != MemorySpace::Global);
    let has_updates = ops().any(is_update);
    let has_warp_barriers = ops().any(|op| matches!(op, Op::WarpBarrier { .. }));
    let is_of_owners = !has_warp_barriers && accesses.iter().all(is_store_without_loads);
    // A variable may be moved for its alignment.
    let variables = functions.iter().flat_map(|function| &function.shared);
    let bytes = variables.map(|one| one.bytes + one.alignment.max(SHARED_ALIGNMENT)).sum::<u64>();
    Some(SharedEntries {
        granule_shift: smallest.unwrap_or(LARGEST_GRANULE).min(LARGEST_GRANULE).ilog2(),
        entry_shift: match has_updates {
            true => UPDATED_ENTRY_SHIFT,
            false if is_of_owners && !in_slot => OWNER_ENTRY_SHIFT,
            false => PLAIN_ENTRY_SHIFT,
        },
        static_bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        in_slot,
    })
}
