//! Matrices of 8 by 8 elements in shared memory: `ldmatrix` and `stmatrix`. Each of the first lanes names a row of 16 bytes, and is the one that accesses it.

use super::expand;
use super::layout::hows;
use crate::accesses::shared_address;
use crate::body::Body;
use crate::checks::Access;
use crate::instrumented::CheckedAccess;
use crate::meaning::{ROW_BYTES, is_narrow, rows_of};
use crate::operands::Rewritten;
use crate::refusal::{InstructionRefusal, Refusal};
use std::fmt::Write;
use warpsan_ir::{Instruction as Lowered, Matrix, MatrixKind};
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

/// Writes the instruction, and its check in front of it.
pub(super) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    (lowered, matrix): (&Lowered, &Matrix),
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Some(place) = matrix.place else {
        body.plain(instruction, rewritten);
        return Ok(());
    };
    let Some(rows) = rows_of(matrix) else {
        return Err(Refusal::because_of(instruction, InstructionRefusal::Matrix));
    };
    if super::expected_of(body, instruction, lowered).is_alone {
        body.writer.cost.pruned += 1;
        body.plain(instruction, rewritten);
        return Ok(());
    }
    let (access, how) = match matrix.kind == MatrixKind::Store {
        true => (Access::Store, hows::WRITES),
        false => (Access::Load, 0),
    };
    let mut checked = CheckedAccess::new(access, Strength::Weak, ROW_BYTES);
    checked.of_whole_warp = true;
    let site = body.site(instruction, lowered, checked);
    body.writer.cost.checked += 1;
    shared_address(body, rewritten.first_address()?, is_narrow(place.base));
    let mut inputs = super::shifts(body);
    let how = how | super::of_kernel(body) | ROW_BYTES << hows::BYTES_PLACE;
    inputs.push(("how", how.to_string()));
    body.guarded(instruction, |body| {
        let _ = writeln!(
            body.out,
            "\tmov.u32 %ws_a, %laneid;\n\tsetp.lt.u32 %ws_counts, %ws_a, {rows};"
        );
        body.skipped_unless_it_counts(|body| expand(body, "ws_hb_shared_any", site, &inputs));
        body.reconverge();
    });
    body.checked.forget();
    body.plain(instruction, rewritten);
    Ok(())
}
