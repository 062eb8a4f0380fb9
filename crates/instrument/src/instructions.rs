//! One instruction, with what is checked before and after it.

use crate::checks::{Access, Step, is_block};
use crate::function::Body;
use crate::module::{CheckedAccess, NotInstrumented};
use crate::operands::{self, Rewritten};
use crate::telling;
use std::fmt::Write;
use warpsan_ir::{
    AsyncOp, AtomicOp, BarrierOp, Callee, ClusterStep, Instruction as Lowered, MbarrierOp,
    MemorySpace, Op,
};
use warpsan_model::Strength;
use warpsan_ptx::{Instruction, Operand};

/// Writes an instruction with its checks.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), NotInstrumented> {
    let rewritten =
        operands::rewrite(instruction, &mut body.writer.variables).map_err(NotInstrumented)?;
    body.out.push_str(&rewritten.before);
    let meaning = body.meaning(instruction);
    if body.writer.checks.tells() {
        return telling::write(body, instruction, &meaning, &rewritten);
    }
    let lowered = meaning.iter().find(|lowered| matters(&lowered.op));
    let Some(lowered) = lowered else {
        plain(body, instruction, &rewritten);
        if is_jump(instruction) {
            body.checked.forget();
        }
        body.checked.written(instruction);
        return Ok(());
    };
    if let Op::Call(call) = &lowered.op {
        body.checked.forget();
        return write_call(body, instruction, &call.callee, &rewritten);
    }
    before(body, instruction, lowered, &rewritten)?;
    plain(body, instruction, &rewritten);
    after(body, instruction, lowered);
    body.checked.written(instruction);
    Ok(())
}

/// Whether anything is done about it.
fn matters(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::AtomicVector { .. }
            | Op::Fence { .. }
            | Op::BlockBarrier { .. }
            | Op::WarpBarrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Async(_)
            | Op::Matrix(_)
            | Op::Call(_)
            | Op::Opaque(_)
    )
}

fn is_jump(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.opcode(), "bra" | "brx" | "ret" | "exit" | "trap")
}

pub(crate) fn plain(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, rewritten: &Rewritten) {
    body.out.push('\t');
    if let Some(guard) = instruction.guard {
        let negation = if guard.negated { "!" } else { "" };
        let _ = write!(body.out, "@{negation}{} ", guard.register);
    }
    body.out.push_str(&rewritten.text);
    body.out.push_str(";\n");
}

/// Whether an address of this space may be one of global memory.
pub(crate) fn may_be_global(space: MemorySpace) -> bool {
    matches!(space, MemorySpace::Global | MemorySpace::Generic)
}

/// What an access does and how wide it is, if it may be one to global memory.
pub(crate) fn access_of(op: &Op, in_any_memory: bool) -> Option<(Access, u32)> {
    let may_be_global = |space: MemorySpace| in_any_memory || may_be_global(space);
    match op {
        Op::Load { space, ty, to, .. } if may_be_global(*space) => {
            Some((Access::Load, ty.bytes() * to.len() as u32))
        }
        Op::Store { space, ty, from, .. } if may_be_global(*space) => {
            Some((Access::Store, ty.bytes() * from.len() as u32))
        }
        Op::Atomic { space, ty, strength, .. } if may_be_global(*space) => {
            Some((atomic(*strength), ty.bytes()))
        }
        Op::AtomicVector { space, ty, strength, from, .. } if may_be_global(*space) => {
            Some((atomic(*strength), ty.bytes() * from.len() as u32))
        }
        _ => None,
    }
}

fn atomic(strength: Strength) -> Access {
    Access::Atomic { block_scope: strength.scope().is_some_and(is_block) }
}

fn before(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let refuse = |what: &str| {
        let text = instruction.mnemonic.text;
        Err(NotInstrumented(format!("it has `{text}`, {what}")))
    };
    match &lowered.op {
        Op::Opaque(_) => return refuse("whose meaning is not known"),
        Op::Matrix(matrix) => {
            if matrix.place.is_some_and(|place| may_be_global(place.space)) {
                return refuse("which accesses global memory as a matrix");
            }
        }
        Op::Async(operation) => match &**operation {
            AsyncOp::Copy { from, bytes, source_bytes, ignore_source, .. }
                if may_be_global(from.space) =>
            {
                if ignore_source.is_some() {
                    return refuse("whose source may be ignored");
                }
                let condition =
                    source_bytes.and(instruction.operands.get(3)).map(Operand::to_string);
                let Some((base, offset)) = rewritten.addresses.get(1) else { return Ok(()) };
                check(
                    body,
                    instruction,
                    lowered,
                    (base, *offset),
                    (Access::Load, *bytes),
                    condition,
                );
            }
            AsyncOp::Mbarrier { op: MbarrierOp::Arrive { .. }, strength, .. } => {
                body.checked.forget();
                release(body, instruction, *strength);
            }
            AsyncOp::Bulk { .. } | AsyncOp::Store { .. } | AsyncOp::Fill { .. } => {
                return refuse("an asynchronous bulk operation");
            }
            _ => {}
        },
        Op::ClusterBarrier { step: ClusterStep::Arrive, order, .. } if order.releases() => {
            body.checked.forget();
            body.guarded(instruction, |body| body.step(Step::Fence { device: true }, ""));
        }
        op => {
            if let Some(strength) = strength_of(op) {
                release(body, instruction, strength);
            }
            if let Some(access) = access_of(op, false) {
                if let Op::Load { .. } = op
                    && lowered.counts_if.is_some()
                {
                    body.writer.cost.speculated += 1;
                    return Ok(());
                }
                let Some((base, offset)) = rewritten.addresses.first() else { return Ok(()) };
                check(body, instruction, lowered, (base, *offset), access, None);
            }
        }
    }
    Ok(())
}

/// An operation that releases is a fence, to a detector that knows fences.
fn release(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, strength: Strength) {
    if let (Some(order), Some(scope)) = (strength.order(), strength.scope())
        && order.releases()
    {
        body.checked.forget();
        let device = !is_block(scope);
        body.guarded(instruction, |body| body.step(Step::Fence { device }, ""));
    }
}

pub(crate) fn strength_of(op: &Op) -> Option<Strength> {
    match op {
        Op::Load { strength, .. }
        | Op::Store { strength, .. }
        | Op::Atomic { strength, .. }
        | Op::AtomicVector { strength, .. } => Some(*strength),
        _ => None,
    }
}

/// Expands the check of an access. `condition` is a number that must not be 0.
fn check(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    (base, offset): (&str, i64),
    (access, bytes): (Access, u32),
    condition: Option<String>,
) {
    let is_always = instruction.guard.is_none() && condition.is_none();
    if is_always && body.checked.covers(base, offset, bytes, access) {
        body.writer.cost.pruned += 1;
        return;
    }
    let words = bytes.div_ceil(4);
    let Some(template) = body.writer.checks.access(access, words, body.writer.uses.locks) else {
        return;
    };
    let refresh = body.writer.checks.refresh().filter(|_| body.writer.uses.parts_of_warps);
    let strength = strength_of(&lowered.op).unwrap_or(Strength::Weak);
    let site = body.site(instruction, lowered, CheckedAccess { access, strength, bytes });
    body.writer.cost.checked += 1;
    address(body, base, offset);
    let number = condition.map(|condition| {
        let number = body.writer.next_number();
        let _ = writeln!(
            body.out,
            "\tsetp.eq.u32 %ws_counts, {condition}, 0;\n\t@%ws_counts bra $ws_skip_{number};"
        );
        number
    });
    body.guarded(instruction, |body| {
        if let Some(refresh) = refresh {
            body.expand(refresh, site);
        }
        body.expand(template, site);
    });
    if let Some(number) = number {
        let _ = writeln!(body.out, "$ws_skip_{number}:");
    }
}

/// Brings the address that an instruction accesses to a register of ours.
pub(crate) fn address(body: &mut Body<'_, '_>, base: &str, offset: i64) {
    let base = if base.is_empty() { "0" } else { base };
    let _ = writeln!(body.out, "\tmov.b64 %ws_address, {base};");
    if offset != 0 {
        let _ = writeln!(body.out, "\tadd.s64 %ws_address, %ws_address, {offset};");
    }
}

fn after(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, lowered: &Lowered) {
    match &lowered.op {
        Op::Fence { scope, .. } => {
            body.checked.forget();
            let device = !is_block(*scope);
            body.guarded(instruction, |body| body.step(Step::Fence { device }, ""));
        }
        Op::BlockBarrier { op, threads, .. } => {
            body.checked.forget();
            if *op == BarrierOp::Arrive {
                return;
            }
            let threads = threads.and_then(|_| {
                let position = if *op == BarrierOp::Sync { 1 } else { 2 };
                instruction.operands.get(position).map(Operand::to_string)
            });
            body.guarded(instruction, |body| block_barrier(body, threads));
        }
        Op::WarpBarrier { .. } => {
            body.checked.forget();
            let mask = instruction.operands.first().map(Operand::to_string).unwrap_or_default();
            body.guarded(instruction, |body| body.step(Step::WarpBarrier, &mask));
        }
        Op::Atomic { op, strength, space, .. } => {
            body.checked.forget();
            if !body.writer.uses.locks || !may_be_global(*space) {
                return;
            }
            let block_scope = strength.scope().is_some_and(is_block);
            match op {
                AtomicOp::Cas => {
                    body.guarded(instruction, |body| body.step(Step::Swap { block_scope }, ""));
                }
                AtomicOp::Exch => {
                    body.guarded(instruction, |body| body.step(Step::Exchange { block_scope }, ""));
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// A barrier of the whole block is counted as one; one of fewer threads is known to order those of each warp only.
pub(crate) fn block_barrier(body: &mut Body<'_, '_>, threads: Option<String>) {
    let Some(threads) = threads else { return body.step(Step::BlockBarrier, "") };
    let number = body.writer.next_number();
    let _ = writeln!(
        body.out,
        "\tsetp.lt.u32 %ws_counts, {threads}, %ws_threads;\n\t@%ws_counts bra $ws_part_{number};"
    );
    body.step(Step::BlockBarrier, "");
    let _ = writeln!(body.out, "\tbra $ws_whole_{number};\n$ws_part_{number}:");
    body.step(Step::PartialBarrier, "");
    let _ = writeln!(body.out, "$ws_whole_{number}:");
}

/// A call hands the context on to functions that are instrumented, too.
pub(crate) fn write_call(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    callee: &Callee,
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let name = match callee {
        Callee::System(_) => {
            plain(body, instruction, rewritten);
            return Ok(());
        }
        Callee::Pointer { .. } => {
            return Err(NotInstrumented("it calls functions through pointers".to_owned()));
        }
        Callee::Function(name) => name,
    };
    let is_results = |operand: &&Operand<'_>| matches!(operand, Operand::List(_));
    let names = instruction.operands.iter().position(|operand| matches!(operand, Operand::Name(_)));
    let Some(at) = names else {
        return Err(NotInstrumented(format!("a call of `{name}` that names nothing")));
    };
    let results = instruction.operands[..at].iter().find(is_results);
    let arguments = instruction.operands[at + 1..].iter().find(is_results);
    body.out.push_str("\t{\n");
    let surroundings = body.surroundings;
    surroundings.pass_on(&mut body.out);
    body.out.push('\t');
    if let Some(guard) = instruction.guard {
        let negation = if guard.negated { "!" } else { "" };
        let _ = write!(body.out, "@{negation}{} ", guard.register);
    }
    let _ = write!(body.out, "{} ", instruction.mnemonic.text);
    if let Some(results) = results {
        let _ = write!(body.out, "{results}, ");
    }
    let mut list = match arguments {
        Some(Operand::List(items)) => items.iter().map(Operand::to_string).collect(),
        _ => Vec::new(),
    };
    list.push("ws_passed".to_owned());
    let _ = writeln!(body.out, "{name}, ({});\n\t}}", list.join(", "));
    Ok(())
}
