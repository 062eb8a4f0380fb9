//! What the templates of records have in common: their inputs, and how they are expanded.

use crate::accesses::shared_address;
use crate::body::Body;
use crate::checks::{ACCESS_HAS_LOCKS, SynchronisationStep};
use crate::meaning::{is_narrow, is_release};
use crate::operands::{Based, Rewritten};
use crate::record::RecordKind;
use crate::refusal::Refusal;
use std::fmt::Write;
use warpsan_ir::{AddressOperand, Instruction as Lowered, MemorySpace, Op};
use warpsan_ptx::Instruction;

/// An instruction that is shipped once it was executed.
pub(super) fn after(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
    template: &str,
) -> Result<(), Refusal> {
    body.plain(instruction, rewritten);
    let site = body.shipped_site(instruction, lowered)?;
    body.guarded(instruction, |body| body.ship(template, site, &[]));
    Ok(())
}

/// Ships something that may be a fence to a detector that knows fences, and makes it one.
pub(super) fn ordered_step(
    body: &mut Body<'_, '_>,
    site: u32,
    op: &Op,
    (kind, extra): (RecordKind, u32),
) {
    let release = match is_release(op) {
        Some(SynchronisationStep::Fence { device }) => release_word(!device),
        _ => "0".to_owned(),
    };
    let inputs = [
        ("release", release),
        ("kind", (kind as u8).to_string()),
        ("extra", extra.to_string()),
        locks(body),
    ];
    body.ship("ws_ordered_step", site, &inputs);
}

/// The name of a check in kernels that reach into other blocks of their cluster.
pub(super) fn in_cluster(body: &Body<'_, '_>, name: &str) -> String {
    match body.writer.in_cluster {
        true => format!("{name}_in_cluster"),
        false => name.to_owned(),
    }
}

/// Brings the address of an operand to a register of ours.
pub(super) fn bring(body: &mut Body<'_, '_>, to: &str, place: &Based, of: &AddressOperand) {
    shared_address(body, place, is_narrow(of.base));
    if to != "%ws_address" {
        let _ = writeln!(body.out, "\tmov.b64 {to}, %ws_address;");
    }
}

/// How checks know in which memory an address is: `Space` of `device/asynchronous.cu`.
pub(super) fn space_word(space: MemorySpace) -> String {
    match space {
        MemorySpace::Generic => "1",
        MemorySpace::SharedCluster => "2",
        _ => "0",
    }
    .to_owned()
}

/// Whether anything is done about it.
pub(super) fn is_shipped(op: &Op) -> bool {
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
            | Op::Async(_)
            | Op::Matrix(_)
    )
}

pub(super) fn release_word(is_block: bool) -> String {
    if is_block { "1" } else { "2" }.to_owned()
}

/// Whether lock tables are in use, as a bit of an access.
pub(super) fn locks(body: &Body<'_, '_>) -> (&'static str, String) {
    let word = if body.writer.uses.locks { ACCESS_HAS_LOCKS } else { 0 };
    ("access", word.to_string())
}
