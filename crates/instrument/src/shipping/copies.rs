//! Asynchronous copies and stores, and the groups that they are waited for in.

use super::templates::{after, bring, in_cluster, locks, space_word};
use crate::body::Body;
use crate::copies::bytes_read;
use crate::device_plan::Entries;
use crate::operands::Rewritten;
use crate::record::{ALL_COPIES, Place as Memory};
use crate::refusal::{InstructionRefusal, Refusal};
use std::fmt::Write;
use warpsan_ir::{AddressOperand, AsyncOp, BulkEnd, Instruction as Lowered, MemorySpace, Op};
use warpsan_ptx::{Instruction, Operand};

/// Writes an asynchronous operation that is no step of an object.
pub(super) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Op::Async(operation) = &lowered.op else { return Ok(()) };
    let is_ordered = body.writer.device_plan.is_ordered();
    match &**operation {
        AsyncOp::Copy { .. } => {
            copy(body, instruction, lowered, rewritten)?;
            body.plain(instruction, rewritten);
        }
        // Whether copies are waited for means nothing to a detector for which they are loads.
        AsyncOp::Commit | AsyncOp::Wait { .. } | AsyncOp::BulkCommit | AsyncOp::BulkWait { .. }
            if is_ordered =>
        {
            body.plain(instruction, rewritten);
        }
        AsyncOp::Commit | AsyncOp::BulkCommit => {
            after(body, instruction, lowered, rewritten, "ws_ship_copy_commit")?;
        }
        AsyncOp::Wait { at_most } => {
            waits(body, instruction, lowered, rewritten, at_most.unwrap_or(ALL_COPIES))?;
        }
        AsyncOp::BulkWait { at_most, .. } => {
            waits(body, instruction, lowered, rewritten, *at_most)?;
        }
        AsyncOp::Bulk { .. } | AsyncOp::Store { .. } if !is_ordered => {
            bulk(body, instruction, lowered, rewritten)?;
            body.plain(instruction, rewritten);
        }
        _ => {
            return Err(Refusal::because_of(instruction, InstructionRefusal::BulkOperation));
        }
    }
    Ok(())
}

fn waits(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
    left: u32,
) -> Result<(), Refusal> {
    body.plain(instruction, rewritten);
    let site = body.shipped_site(instruction, lowered)?;
    let inputs = [("expected", left.to_string())];
    body.guarded(instruction, |body| body.ship("ws_ship_copy_wait", site, &inputs));
    Ok(())
}

/// Ships copies of threads that begin.
fn copy(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Op::Async(operation) = &lowered.op else { return Ok(()) };
    let AsyncOp::Copy { to, from, bytes, .. } = &**operation else { return Ok(()) };
    let [to_text, from_text] = &rewritten.addresses[..] else {
        return Err(Refusal::because_of(instruction, InstructionRefusal::NotTwoAddresses));
    };
    let site = body.shipped_site(instruction, lowered)?;
    bring(body, "%ws_pass", from_text, from);
    bring(body, "%ws_address", to_text, to);
    let read = bytes_read(body, instruction, operation, "%ws_b");
    let read = read.unwrap_or_else(|| bytes.to_string());
    let inputs = [
        ("source", "%ws_pass".to_owned()),
        ("bytes", bytes.to_string()),
        ("source_bytes", read),
        locks(body),
    ];
    let name = match body.writer.device_plan.metadata().map(|metadata| metadata.entries) {
        Some(Entries::Usual) => "ws_ordered_copy",
        Some(Entries::General(_)) => "ws_ordered_general_copy",
        None => "ws_ship_copy",
    };
    body.guarded(instruction, |body| body.ship(name, site, &inputs));
    Ok(())
}

/// Ships bulk copies and asynchronous stores that begin.
fn bulk(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Op::Async(operation) = &lowered.op else { return Ok(()) };
    let operand = |at: usize| instruction.operands.get(at).map(Operand::to_string);
    let mut addresses = rewritten.addresses.iter();
    let mut next =
        |body: &mut Body<'_, '_>, register: &str, of: &AddressOperand| match addresses.next() {
            Some(text) => {
                bring(body, register, text, of);
                Ok(())
            }
            None => Err(Refusal::because_of(instruction, InstructionRefusal::TooFewAddresses)),
        };
    // An H200 stops a kernel with an illegal instruction where these are shipped.
    if let AsyncOp::Bulk { to, from, multicast, .. } = &**operation
        && to.space == MemorySpace::SharedCluster
        && (from.space != MemorySpace::Global || multicast.is_some())
    {
        return Err(Refusal::because_of(instruction, InstructionRefusal::BulkCopyBetweenBlocks));
    }
    let site = body.shipped_site(instruction, lowered)?;
    let (to, bytes, from, object, blocks) = match &**operation {
        AsyncOp::Bulk { to, from, end, multicast, .. } => {
            next(body, "%ws_value_0", to)?;
            next(body, "%ws_pass", from)?;
            let object = match end {
                BulkEnd::Mbarrier(object) => Some(object),
                BulkEnd::Group => None,
            };
            let blocks = multicast.and_then(|_| operand(4));
            (to, operand(2), Some(from.space), object, blocks)
        }
        AsyncOp::Store { to, from, ty, barrier, .. } => {
            next(body, "%ws_value_0", to)?;
            let bytes = ty.bytes() * from.len() as u32;
            (to, Some(bytes.to_string()), None, Some(barrier), None)
        }
        _ => return Ok(()),
    };
    if let Some(object) = object {
        next(body, "%ws_object", object)?;
    }
    body.out.push_str("\tmov.b64 %ws_address, %ws_value_0;\n");
    let blocks = match blocks {
        Some(mask) => {
            // The mask is one of 16 bits.
            let _ =
                writeln!(body.out, "\tmov.b16 %ws_half, {mask};\n\tcvt.u32.u16 %ws_b, %ws_half;");
            "%ws_b".to_owned()
        }
        None => "0".to_owned(),
    };
    let from_place = match from {
        Some(MemorySpace::Global) => Memory::Global,
        Some(_) => Memory::Shared,
        None => Memory::OfSite,
    };
    let to_global = to.space == MemorySpace::Global;
    let inputs = [
        ("space", space_word(to.space)),
        ("source", "%ws_pass".to_owned()),
        ("bytes", bytes.unwrap_or_else(|| "0".to_owned())),
        ("object", "%ws_object".to_owned()),
        ("tells", u32::from(object.is_some()).to_string()),
        ("blocks", blocks),
        ("to_global", u32::from(to_global).to_string()),
        ("from_place", (from_place as u32).to_string()),
    ];
    let name = in_cluster(body, "ws_ship_bulk");
    body.guarded(instruction, |body| body.ship(&name, site, &inputs));
    Ok(())
}
