//! Loads, stores and atomics that are shipped: the record, and the access before, behind or in the middle of it.

use super::templates::{in_cluster, is_shipped, release_word};
use super::values::{bring_values, inputs_of};
use crate::accesses::{condition_of, shared_address};
use crate::body::Body;
use crate::checks::{Access, access_word, is_block};
use crate::device_plan::{DevicePlan, Shipping};
use crate::instrumented::CheckedAccess;
use crate::meaning::{access_of, base_of, is_narrow, rows_of, strength_of};
use crate::operands::{Based, Rewritten};
use crate::refusal::{InstructionRefusal, Refusal};
use std::fmt::Write;
use warpsan_ir::{AtomicOp, Instruction as Lowered, MatrixKind, MemorySpace, Op};
use warpsan_model::Strength;
use warpsan_ptx::{Instruction, Operand};

/// How the checks of an access are called, by the memory it may be in; nothing for memory whose accesses are not shipped.
fn name_of(body: &Body<'_, '_>, space: MemorySpace) -> Option<String> {
    Some(match space {
        MemorySpace::Global => "global".to_owned(),
        MemorySpace::Generic => in_cluster(body, "generic"),
        MemorySpace::Shared => "shared".to_owned(),
        MemorySpace::SharedCluster => "cluster".to_owned(),
        _ => return None,
    })
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

/// Writes a load, store or atomic.
pub(super) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let op = &lowered.op;
    let is_ordered = body.writer.device_plan.is_ordered();
    let space = space_of(op).unwrap_or(MemorySpace::Const);
    let strength = strength_of(op).unwrap_or(Strength::Weak);
    let releases = strength.order().is_some_and(|order| order.releases());
    let is_shared = matches!(space, MemorySpace::Shared | MemorySpace::SharedCluster);
    let (Some(name), Some((kind, bytes))) = (name_of(body, space), access_of(op, true)) else {
        body.plain(instruction, rewritten);
        return Ok(());
    };
    if is_ordered && is_shared && !releases {
        body.plain(instruction, rewritten);
        return Ok(());
    }
    let place = rewritten.first_address()?;
    if strength == Strength::Weak && body.is_shipped_already(lowered, place, kind, bytes) {
        body.writer.cost.pruned += 1;
        body.plain(instruction, rewritten);
        return Ok(());
    }
    let condition = condition_of(body, instruction, lowered)?;
    if strength == Strength::Weak && instruction.guard.is_none() && condition.is_none() {
        body.checked.note(place, bytes, kind);
    }
    let site = body.shipped_site(instruction, lowered)?;
    if let Some(last) = body.writer.accesses.last_mut() {
        *last = CheckedAccess::new(kind, strength, bytes);
    }
    body.writer.cost.checked += 1;
    let is_narrow = base_of(op).is_some_and(is_narrow);
    shared_address(body, place, is_narrow);
    let (operation, wrote) = operation(op, instruction, rewritten, kind);
    let mut inputs = vec![("wrote", wrote)];
    let values = if is_ordered { 0 } else { bring_values(body, op, instruction) };
    if values > 0 {
        inputs.extend(inputs_of(values));
    }
    // A load that the compiler speculated is shipped where it counts, and made in any case.
    let number = body.writer.next_number();
    if let Some(condition) = &condition {
        body.writer.cost.speculated += 1;
        let _ = writeln!(body.out, "{condition}\t@!%ws_counts bra $ws_unshipped_{number};");
    }
    if is_ordered {
        inputs.extend(ordered_inputs(body, op, kind, bytes, strength));
        let template = match is_shared {
            true => "ws_ordered_shared_release",
            false if body.writer.device_plan.is_general() => "ws_ordered_general_access",
            false => "ws_ordered_access",
        };
        body.guarded(instruction, |body| body.ship_around(template, site, &inputs, &operation));
        if condition.is_some() {
            let _ = writeln!(body.out, "\tbra $ws_shipped_{number};\n$ws_unshipped_{number}:");
            body.plain(instruction, rewritten);
            let _ = writeln!(body.out, "$ws_shipped_{number}:");
        }
    } else if strength == Strength::Weak && !matches!(kind, Access::Atomic { .. }) {
        let template = match values {
            0 => format!("ws_ship_{name}"),
            1 => format!("ws_ship_{name}_with_value"),
            _ => format!("ws_ship_{name}_with_values"),
        };
        body.guarded(instruction, |body| body.ship(&template, site, &inputs));
        if condition.is_some() {
            let _ = writeln!(body.out, "$ws_unshipped_{number}:");
        }
        body.plain(instruction, rewritten);
    } else {
        let template = match values {
            0 => format!("ws_ship_strong_{name}"),
            _ => format!("ws_ship_strong_{name}_with_values"),
        };
        body.guarded(instruction, |body| body.ship_around(&template, site, &inputs, &operation));
    }
    Ok(())
}

impl Body<'_, '_> {
    /// Whether the thread has accessed what it loads in this basic block already, so that it need not be shipped again. A
    /// load right before a fence is another thing, since that may acquire. Stores are all shipped: their values count.
    fn is_shipped_already(&self, load: &Lowered, place: &Based, kind: Access, bytes: u32) -> bool {
        let is_before_fence = || {
            let rest = self.lowered.code.iter().skip_while(|one| one.span.start <= load.span.start);
            let next = rest.into_iter().find(|one| is_shipped(&one.op));
            next.is_some_and(|next| matches!(next.op, Op::Fence { .. }))
        };
        self.writer.device_plan == DevicePlan::Ship(Shipping::Once)
            && kind == Access::Load
            && self.checked.covers(place, bytes, kind)
            && !is_before_fence()
    }
}

/// Writes an instruction that moves matrices of eight rows: each of the first lanes names a row.
pub(super) fn matrix(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Op::Matrix(matrix) = &lowered.op else { return Ok(()) };
    let Some(place) = matrix.place else {
        return Err(Refusal::because_of(instruction, InstructionRefusal::NoAddress));
    };
    let stores = matrix.kind == MatrixKind::Store;
    let (Some(rows), Some(name)) = (rows_of(matrix), name_of(body, place.space)) else {
        return Err(Refusal::because_of(instruction, InstructionRefusal::Matrix));
    };
    let site = body.shipped_site(instruction, lowered)?;
    shared_address(body, rewritten.first_address()?, is_narrow(place.base));
    let wrote = if stores { "1" } else { "0" }.to_owned();
    body.guarded(instruction, |body| {
        let _ = writeln!(
            body.out,
            "\tmov.u32 %ws_a, %laneid;\n\tsetp.lt.u32 %ws_counts, %ws_a, {rows};"
        );
        body.skipped_unless_it_counts(|body| {
            body.ship(&format!("ws_ship_{name}"), site, &[("wrote", wrote)]);
        });
        body.reconverge();
    });
    body.plain(instruction, rewritten);
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
        ("access", access_word(access, body.writer.uses.locks).to_string()),
        ("length", bytes.to_string()),
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
