//! `cp.async`: its source is a load of the lane that issues it.

use crate::accesses::{WORD_BYTES, expand};
use crate::checks::Access;
use crate::function::Body;
use crate::module::CheckedAccess;
use crate::operands::Rewritten;
use std::fmt::Write;
use warpsan_ir::{AsyncOp, Instruction as Lowered, Op};
use warpsan_model::Strength;
use warpsan_ptx::{Instruction, Operand};

/// Where the source's bytes, or the predicate that it is ignored under, stand among the operands.
const FOURTH: usize = 3;

/// Writes the check of a copy's source in front of it.
pub(crate) fn check(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) {
    let Op::Async(operation) = &lowered.op else { return };
    let AsyncOp::Copy { bytes, source_bytes, ignore_source, .. } = **operation else { return };
    let Some(place) = rewritten.addresses.get(1) else { return };
    let access = Access::Load;
    let fourth = instruction.operands.get(FOURTH);
    let checked = CheckedAccess { access, strength: Strength::Weak, bytes };
    let site = body.site(instruction, lowered, checked);
    body.writer.cost.checked += 1;
    body.guarded(instruction, |body| match fourth {
        Some(ignored) if ignore_source.is_some() => {
            let (operation, name) = match ignored {
                Operand::Not(name) => ("mov", name.to_string()),
                other => ("not", other.to_string()),
            };
            let _ = writeln!(body.out, "\t{operation}.pred %ws_counts, {name};");
            body.skipped_unless_it_counts(|body| expand(body, site, place, access, bytes));
        }
        Some(length) if source_bytes.is_some() => {
            let length = length.to_string();
            let number = body.writer.next_number();
            // Nearly always all bytes are read, or none.
            let _ = writeln!(body.out, "\tsetp.eq.u32 %ws_counts, {length}, {bytes};");
            body.skipped_unless_it_counts(|body| {
                expand(body, site, place, access, bytes);
                let _ = writeln!(body.out, "\tbra $ws_copied_{number};");
            });
            for word in 0..bytes.div_ceil(WORD_BYTES) {
                let start = word * WORD_BYTES;
                let _ = writeln!(body.out, "\tsetp.gt.u32 %ws_counts, {length}, {start};");
                let place = place.further(start);
                body.skipped_unless_it_counts(|body| {
                    expand(body, site, &place, access, WORD_BYTES);
                });
            }
            let _ = writeln!(body.out, "$ws_copied_{number}:");
        }
        _ => expand(body, site, place, access, bytes),
    });
}
