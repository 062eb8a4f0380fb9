//! One instruction, with what the host is told about it.
//!
//! Weak accesses are told before they are made. Strong ones are made in the middle of telling, under the lock of their
//! location, so that their turns are known; in a launch with a total order all accesses are. What can wait is told
//! before it waits.

use crate::accesses::{access_of, address, condition_of, may_be_global, strength_of};
use crate::calls;
use crate::checks::{Access, Checks, Step, is_block};
use crate::function::Body;
use crate::instructions::{plain, what_matters};
use crate::module::{CheckedAccess, NotInstrumented};
use crate::operands::{Based, Rewritten};
use crate::record::{ALL_COPIES, ARRIVES_ONLY};
use crate::synchronisation::block_barrier;
use std::fmt::Write;
use warpsan_ir::{AsyncOp, AtomicOp, BarrierOp, Instruction as Lowered, MemorySpace, Op, Value};
use warpsan_model::Strength;
use warpsan_ptx::{Instruction, Operand};

/// Writes an instruction that the host hears of.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    meaning: &[Lowered],
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let refuse = |what: &str| {
        let text = instruction.mnemonic.text;
        Err(NotInstrumented(format!("it has `{text}`, {what}")))
    };
    let is_ordered = body.writer.checks == Checks::Ordered;
    let Some(lowered) = what_matters(meaning, is_told) else {
        let ends = instruction.opcode() == "exit"
            || (instruction.opcode() == "ret" && body.surroundings.is_kernel);
        if ends && let Some(lowered) = meaning.first() {
            let site = body.told_site(instruction, lowered)?;
            body.guarded(instruction, |body| body.tell("ws_ship_exit", site, &[]));
        }
        plain(body, instruction, rewritten);
        return Ok(());
    };
    match &lowered.op {
        Op::Call(call) => return calls::write(body, instruction, &call.callee, rewritten),
        Op::Opaque(_) => return refuse("whose meaning is not known"),
        Op::ClusterBarrier { .. } | Op::MapAddress { .. } if !is_ordered => {
            return refuse("which the host is not told of yet");
        }
        Op::ClusterBarrier { .. } => return refuse("which the host is not told of yet"),
        Op::Matrix(matrix) => match matrix.place {
            Some(place) if !is_ordered || may_be_global(place.space) => {
                return refuse("which accesses memory as a matrix");
            }
            _ => plain(body, instruction, rewritten),
        },
        Op::Async(operation) => match &**operation {
            AsyncOp::PendingCount { .. } => plain(body, instruction, rewritten),
            AsyncOp::Copy { bytes, source_bytes, ignore_source: None, .. } if !is_ordered => {
                let read = source_bytes.and(instruction.operands.get(3)).map(Operand::to_string);
                copy(body, instruction, lowered, rewritten, (*bytes, read))?;
                plain(body, instruction, rewritten);
            }
            AsyncOp::Commit if !is_ordered => {
                let site = body.told_site(instruction, lowered)?;
                body.guarded(instruction, |body| body.tell("ws_ship_copy_commit", site, &[]));
                plain(body, instruction, rewritten);
            }
            AsyncOp::Wait { at_most } if !is_ordered => {
                plain(body, instruction, rewritten);
                let site = body.told_site(instruction, lowered)?;
                let left = at_most.unwrap_or(ALL_COPIES).to_string();
                let inputs = [("expected", left)];
                body.guarded(instruction, |body| body.tell("ws_ship_copy_wait", site, &inputs));
            }
            _ => return refuse("an asynchronous operation, which the host is not told of yet"),
        },
        Op::Fence { scope, .. } => {
            plain(body, instruction, rewritten);
            let site = body.told_site(instruction, lowered)?;
            let reach = release_word(is_block(*scope));
            let (name, inputs) = match is_ordered {
                true => ("ws_ordered_fence", vec![("release", reach), locks(body)]),
                false => ("ws_ship_fence", Vec::new()),
            };
            body.guarded(instruction, |body| body.tell(name, site, &inputs));
        }
        Op::ProxyFence { .. } => {
            plain(body, instruction, rewritten);
            let site = body.told_site(instruction, lowered)?;
            body.guarded(instruction, |body| body.tell("ws_ship_proxy_fence", site, &[]));
        }
        Op::WaitForPrerequisites => {
            plain(body, instruction, rewritten);
            let site = body.told_site(instruction, lowered)?;
            body.guarded(instruction, |body| body.tell("ws_ship_prerequisite_wait", site, &[]));
        }
        Op::BlockBarrier { op, threads, .. } => {
            let site = body.told_site(instruction, lowered)?;
            let first = if matches!(op, BarrierOp::Sync | BarrierOp::Arrive) { 0 } else { 1 };
            let operand = |at: usize| instruction.operands.get(at).map(Operand::to_string);
            let number = operand(first).unwrap_or_else(|| "0".to_owned());
            let expected = threads.and_then(|_| operand(first + 1));
            let arrives = *op == BarrierOp::Arrive;
            body.guarded(instruction, |body| {
                let flag = if arrives { ARRIVES_ONLY } else { 0 };
                let _ = writeln!(body.out, "\tor.b32 %ws_a, {number}, {flag};");
                let expected = expected.clone().unwrap_or_else(|| "0".to_owned());
                let inputs = [("barrier", "%ws_a".to_owned()), ("expected", expected)];
                body.tell("ws_ship_block_barrier", site, &inputs);
            });
            plain(body, instruction, rewritten);
            if is_ordered && !arrives {
                body.guarded(instruction, |body| block_barrier(body, expected));
            }
        }
        Op::WarpBarrier { .. } => {
            let mask = instruction.operands.first().map(Operand::to_string).unwrap_or_default();
            let site = body.told_site(instruction, lowered)?;
            let inputs = [("mask", mask.clone())];
            body.guarded(instruction, |body| body.tell("ws_ship_warp_barrier", site, &inputs));
            plain(body, instruction, rewritten);
            if is_ordered {
                body.guarded(instruction, |body| body.step(Step::WarpBarrier, &mask));
            }
        }
        _ => return access(body, instruction, lowered, rewritten),
    }
    Ok(())
}

/// Tells of copies that begin, `read` bytes of each lane, if not all.
fn copy(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
    (bytes, read): (u32, Option<String>),
) -> Result<(), NotInstrumented> {
    let [to, from] = &rewritten.addresses[..] else { return Ok(()) };
    let site = body.told_site(instruction, lowered)?;
    let is_narrow = match &lowered.op {
        Op::Async(operation) => matches!(
            **operation,
            AsyncOp::Copy { to: place, .. }
                if matches!(place.base, Value::Register(register) if register.bits == 32)
        ),
        _ => false,
    };
    address(body, from, 0);
    body.out.push_str("\tmov.b64 %ws_pass, %ws_address;\n");
    shared_address(body, to, is_narrow);
    let inputs = [
        ("source", "%ws_pass".to_owned()),
        ("bytes", bytes.to_string()),
        ("source_bytes", read.unwrap_or_else(|| bytes.to_string())),
    ];
    body.guarded(instruction, |body| body.tell("ws_ship_copy", site, &inputs));
    Ok(())
}

/// Brings an address to a register of ours that may stand in one of 32 bits, as those of shared memory do.
fn shared_address(body: &mut Body<'_, '_>, place: &Based, is_narrow: bool) {
    if !is_narrow || !place.register.starts_with('%') {
        return address(body, place, 0);
    }
    let (base, offset) = (&place.register, place.offset);
    let _ = writeln!(
        body.out,
        "\tcvt.u64.u32 %ws_address, {base};\n\tadd.s64 %ws_address, %ws_address, {offset};"
    );
}

/// Whether anything is done about it.
fn is_told(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::AtomicVector { .. }
            | Op::Fence { .. }
            | Op::ProxyFence { .. }
            | Op::WaitForPrerequisites
            | Op::BlockBarrier { .. }
            | Op::WarpBarrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::MapAddress { .. }
            | Op::Async(_)
            | Op::Matrix(_)
    )
}

fn release_word(is_block: bool) -> String {
    if is_block { "1" } else { "2" }.to_owned()
}

/// Whether lock tables are in use, as a bit of an access.
fn locks(body: &Body<'_, '_>) -> (&'static str, String) {
    ("access", if body.writer.uses.locks { "8" } else { "0" }.to_owned())
}

fn space_of(op: &Op) -> Option<MemorySpace> {
    match op {
        Op::Load { space, .. }
        | Op::Store { space, .. }
        | Op::Atomic { space, .. }
        | Op::AtomicVector { space, .. } => Some(*space),
        _ => None,
    }
}

fn base_of(op: &Op) -> Option<Value> {
    match op {
        Op::Load { base, .. }
        | Op::Store { base, .. }
        | Op::Atomic { base, .. }
        | Op::AtomicVector { base, .. } => Some(*base),
        _ => None,
    }
}

fn access(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let op = &lowered.op;
    let is_ordered = body.writer.checks == Checks::Ordered;
    let space = space_of(op).unwrap_or(MemorySpace::Const);
    if space == MemorySpace::SharedCluster && !is_ordered {
        let text = instruction.mnemonic.text;
        return Err(NotInstrumented(format!("it has `{text}`, which the host is not told of yet")));
    }
    let name = match space {
        MemorySpace::Global => "global",
        MemorySpace::Generic => "generic",
        MemorySpace::Shared if !is_ordered => "shared",
        _ => {
            plain(body, instruction, rewritten);
            return Ok(());
        }
    };
    let Some((kind, bytes)) = access_of(op, true) else {
        plain(body, instruction, rewritten);
        return Ok(());
    };
    let place = rewritten.first_address()?;
    let condition = condition_of(body, instruction, lowered)?;
    let strength = strength_of(op).unwrap_or(Strength::Weak);
    let site = body.told_site(instruction, lowered)?;
    if let Some(last) = body.writer.accesses.last_mut() {
        *last = CheckedAccess { access: kind, strength, bytes };
    }
    body.writer.cost.checked += 1;
    let is_narrow = matches!(base_of(op), Some(Value::Register(register)) if register.bits == 32);
    shared_address(body, place, is_narrow);
    let (operation, wrote) = operation(op, instruction, rewritten, kind);
    let wrote = ("wrote", wrote);
    // A load that the compiler speculated is told where it counts, and made in any case.
    let number = body.writer.next_number();
    if let Some(condition) = &condition {
        body.writer.cost.speculated += 1;
        let _ = writeln!(body.out, "{condition}\t@!%ws_counts bra $ws_untold_{number};");
    }
    if is_ordered {
        let inputs = ordered_inputs(body, op, kind, bytes, strength);
        let mut inputs: Vec<(&str, String)> = inputs.into_iter().collect();
        inputs.push(wrote);
        body.guarded(instruction, |body| {
            body.tell_around("ws_ordered_access", site, &inputs, &operation);
        });
        if condition.is_some() {
            let _ = writeln!(body.out, "\tbra $ws_told_{number};\n$ws_untold_{number}:");
            plain(body, instruction, rewritten);
            let _ = writeln!(body.out, "$ws_told_{number}:");
        }
    } else if strength == Strength::Weak && !matches!(kind, Access::Atomic { .. }) {
        body.guarded(instruction, |body| body.tell(&format!("ws_ship_{name}"), site, &[wrote]));
        if condition.is_some() {
            let _ = writeln!(body.out, "$ws_untold_{number}:");
        }
        plain(body, instruction, rewritten);
    } else {
        body.guarded(instruction, |body| {
            body.tell_around(&format!("ws_ship_strong_{name}"), site, &[wrote], &operation);
        });
    }
    Ok(())
}

/// What an ordered check wants to know of an access.
fn ordered_inputs(
    body: &Body<'_, '_>,
    op: &Op,
    access: Access,
    bytes: u32,
    strength: Strength,
) -> [(&'static str, String); 4] {
    let with_locks = if body.writer.uses.locks { 8 } else { 0 };
    let bits = with_locks
        | match access {
            Access::Load => 0,
            Access::Store => 1,
            Access::Atomic { block_scope: false } => 2,
            Access::Atomic { block_scope: true } => 2 | 4,
        };
    let role = match op {
        Op::Atomic { op: AtomicOp::Cas, .. } => "1",
        Op::Atomic { op: AtomicOp::Exch, .. } if body.writer.uses.locks => "2",
        _ => "0",
    };
    let release = match (strength.order(), strength.scope()) {
        (Some(order), Some(scope)) if order.releases() => release_word(is_block(scope)),
        _ => "0".to_owned(),
    };
    [
        ("access", bits.to_string()),
        ("words", bytes.div_ceil(4).to_string()),
        ("role", role.to_owned()),
        ("release", release),
    ]
}

/// The instruction without its guard, for the middle of a check, and whether the lane has written then.
fn operation(
    op: &Op,
    instruction: &Instruction<'_>,
    rewritten: &Rewritten,
    access: Access,
) -> (String, String) {
    let plain = format!("\t{};\n", rewritten.text);
    let is_swap = matches!(op, Op::Atomic { op: AtomicOp::Cas, .. });
    let bits = match op {
        Op::Atomic { ty, .. } => ty.bytes() * 8,
        _ => 0,
    };
    match (instruction.operands.first(), instruction.operands.get(2)) {
        (Some(Operand::Name(result)), Some(compared)) if is_swap && bits <= 64 => {
            let text = format!(
                "\t{{\n\t.reg .b{bits} %ws_compared;\n\tmov.b{bits} %ws_compared, {compared};\n{plain}\
                 \tsetp.eq.b{bits} %ws_wrote, %ws_compared, {result};\n\t}}\n"
            );
            (text, "%ws_wrote".to_owned())
        }
        _ => (plain, if access == Access::Load { "0" } else { "1" }.to_owned()),
    }
}

#[cfg(test)]
mod tests;
