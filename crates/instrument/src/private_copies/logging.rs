//! A run without copies that notes which instructions a race was of.

use crate::accesses::shared_address;
use crate::body::Body;
use crate::checks::Access;
use crate::instrumented::CheckedAccess;
use crate::meaning::{access_of, base_of, is_narrow, strength_of};
use crate::operands::Rewritten;
use crate::refusal::Refusal;
use warpsan_ir::{Instruction as Lowered, MemorySpace, Op};
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

const WRITES: u32 = 1;
const IN_SHARED: u32 = 2;

/// Writes down an access, for threads that have something to log.
pub(super) fn access(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let Some((access, bytes)) = access_of(&lowered.op, true) else { return Ok(()) };
    let strength = strength_of(&lowered.op).unwrap_or(Strength::Weak);
    let site = body.site(instruction, lowered, CheckedAccess::new(access, strength, bytes));
    let in_shared = matches!(
        lowered.op,
        Op::Load { space: MemorySpace::Shared, .. } | Op::Store { space: MemorySpace::Shared, .. }
    );
    let writes = access != Access::Load;
    let flags = if writes { WRITES } else { 0 } | if in_shared { IN_SHARED } else { 0 };
    let narrow = base_of(&lowered.op).is_some_and(is_narrow);
    let place = rewritten.first_address()?.clone();
    body.guarded(instruction, |body| {
        body.out.push_str("\tsetp.ne.u32 %ws_counts, %ws_role, 0;\n");
        body.skipped_unless_it_counts(|body| {
            shared_address(body, &place, narrow);
            let inputs = [
                ("flags", flags.to_string()),
                ("size", bytes.to_string()),
                ("role", "%ws_role".to_owned()),
                ("region", "%ws_region".to_owned()),
            ];
            body.ship("ws_ld_log_access", site, &inputs);
        });
    });
    Ok(())
}

/// A region ends, in front of the barrier.
pub(super) fn barrier(body: &mut Body<'_, '_>, instruction: &Instruction<'_>, lowered: &Lowered) {
    let site = body.site(instruction, lowered, CheckedAccess::default());
    body.guarded(instruction, |body| {
        body.out.push_str("\tsetp.ne.u32 %ws_counts, %ws_role, 0;\n");
        body.skipped_unless_it_counts(|body| {
            let inputs = [("role", "%ws_role".to_owned()), ("region", "%ws_region".to_owned())];
            body.ship("ws_ld_log_barrier", site, &inputs);
        });
        body.out.push_str("\tadd.u32 %ws_region, %ws_region, 1;\n");
    });
}
