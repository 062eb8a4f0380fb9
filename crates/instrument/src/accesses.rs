//! Loads, stores and atomics of global memory, with the checks of iGUARD's metadata around them.

use crate::body::Body;
use crate::checks::{Access, access_word};
use crate::instrumented::CheckedAccess;
use crate::meaning::strength_of;
use crate::operands::{Based, Rewritten};
use crate::refusal::{ConditionRefusal, InstructionRefusal, Refusal};
use std::fmt::Write;
use warpsan_ir::Instruction as Lowered;
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

/// Words that one check can be for, at most.
const MOST_WORDS: u32 = 4;
pub(crate) const WORD_BYTES: u32 = 4;

/// Writes the check of an access in front of it.
pub(crate) fn check(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
    rewritten: &Rewritten,
    (access, bytes): (Access, u32),
) -> Result<(), Refusal> {
    let place = rewritten.first_address()?;
    if body.checked.covers(place, bytes, access) {
        body.writer.cost.pruned += 1;
        return Ok(());
    }
    let condition = condition_of(body, instruction, lowered)?;
    if instruction.guard.is_none() && condition.is_none() {
        body.checked.note(place, bytes, access);
    }
    let strength = strength_of(&lowered.op).unwrap_or(Strength::Weak);
    let site = body.site(instruction, lowered, CheckedAccess::new(access, strength, bytes));
    body.writer.cost.checked += 1;
    body.guarded(instruction, |body| match condition {
        None => expand(body, site, place, access, bytes),
        Some(condition) => {
            body.writer.cost.speculated += 1;
            body.out.push_str(&condition);
            body.skipped_unless_it_counts(|body| expand(body, site, place, access, bytes));
        }
    });
    Ok(())
}

/// Text that computes whether a load that the compiler speculated counts; nothing for all that always do.
pub(crate) fn condition_of(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    lowered: &Lowered,
) -> Result<Option<String>, Refusal> {
    if lowered.counts_if.is_none() {
        return Ok(None);
    }
    let text = body.condition(lowered.span).unwrap_or(Err(ConditionRefusal::Unknown));
    text.map(Some)
        .map_err(|what| Refusal::because_of(instruction, InstructionRefusal::Condition(what)))
}

/// Expands the checks of so many bytes.
pub(crate) fn expand(
    body: &mut Body<'_, '_>,
    site: u32,
    place: &Based,
    access: Access,
    bytes: u32,
) {
    refresh(body, site);
    if body.writer.device_plan.is_general() {
        address(body, place, 0);
        return expand_general(body, site, access, &bytes.to_string());
    }
    let words = bytes.div_ceil(WORD_BYTES);
    for first in (0..words).step_by(MOST_WORDS as usize) {
        let words = (words - first).min(MOST_WORDS);
        address(body, place, i64::from(first * WORD_BYTES));
        if let Some(template) =
            body.writer.device_plan.access(access, words, body.writer.uses.locks)
        {
            body.expand(template, site);
        }
    }
}

/// What a lane knows of its warp may be old where the warp's lanes meet in parts.
pub(crate) fn refresh(body: &mut Body<'_, '_>, site: u32) {
    let refresh = body.writer.device_plan.refresh().filter(|_| body.writer.uses.parts_of_warps);
    if let Some(refresh) = refresh {
        body.expand(refresh, site);
    }
}

/// Expands the check of so many bytes, a number or a register, for entries of any shape.
pub(crate) fn expand_general(body: &mut Body<'_, '_>, site: u32, access: Access, bytes: &str) {
    let locks = body.writer.uses.locks;
    let word = access_word(access, locks).to_string();
    if let Some(template) = body.writer.device_plan.access(access, 1, locks) {
        body.expand_with(template, site, &[("access", word), ("length", bytes.to_owned())], "");
    }
}

/// Brings the address that an instruction accesses to a register of ours.
pub(crate) fn address(body: &mut Body<'_, '_>, place: &Based, further: i64) {
    let offset = place.offset.wrapping_add(further);
    let _ = match place.register.as_str() {
        "" => writeln!(body.out, "\tmov.b64 %ws_address, {offset};"),
        base if offset == 0 => writeln!(body.out, "\tmov.b64 %ws_address, {base};"),
        base if base.starts_with('%') => {
            writeln!(body.out, "\tadd.s64 %ws_address, {base}, {offset};")
        }
        // Only registers can be added to, and a shared variable is none.
        base => writeln!(
            body.out,
            "\tmov.b64 %ws_address, {base};\n\tadd.s64 %ws_address, %ws_address, {offset};"
        ),
    };
}

/// Brings an address to a register of ours that may stand in one of 32 bits, as those of shared memory do.
pub(crate) fn shared_address(body: &mut Body<'_, '_>, place: &Based, is_narrow: bool) {
    if !is_narrow {
        return address(body, place, 0);
    }
    let (base, offset) = (&place.register, place.offset);
    let _ = writeln!(
        body.out,
        "\tcvt.u64.u32 %ws_address, {base};\n\tadd.s64 %ws_address, %ws_address, {offset};"
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{kernel, lines_with};
    use crate::{Access, CheckedAccess};
    use warpsan_model::Strength;

    /// The addresses that checks are given.
    fn addresses(text: &str) -> Vec<&str> {
        lines_with(text, &["mov.b64 %ws_address, ", "add.s64 %ws_address, "])
    }

    #[test]
    fn accesses_of_global_memory_are_checked_and_others_are_not() {
        let made = kernel(
            "ld.global.u32 %r2, [%rd1+8];\nst.u8 [%rd1], %r2;\nld.shared.u32 %r3, [tile];\n\
             ld.const.u32 %r4, [fixed];\nred.shared.add.u32 [tile], 1;",
        );
        let wanted = ["add.s64 %ws_address, %rd1, 8;", "mov.b64 %ws_address, %rd1;"];
        let given = addresses(&made.text);
        assert_eq!(given, wanted);
        assert_eq!((made.cost.checked, made.cost.pruned), (2, 0));
        let load = CheckedAccess::new(Access::Load, Strength::Weak, 4);
        assert_eq!(
            made.accesses,
            [load, CheckedAccess { access: Access::Store, bytes: 1, ..load }]
        );
        let sites: Vec<&str> = made.sites.sites.iter().map(|site| &*site.instruction).collect();
        assert_eq!(sites, ["ld.global.u32 %r2, [%rd1+8]", "st.u8 [%rd1], %r2"]);
    }

    #[test]
    fn an_access_of_many_words_has_several_checks_of_one_site() {
        let made = kernel("ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];");
        let given = addresses(&made.text);
        assert!(given.contains(&"mov.b64 %ws_address, %rd1;"), "{given:?}");
        assert!(given.contains(&"add.s64 %ws_address, %rd1, 16;"), "{given:?}");
        assert_eq!((made.cost.checked, made.accesses[0].bytes), (1, 32));
    }

    #[test]
    fn what_was_checked_in_the_same_block_is_not_checked_again() {
        let made = kernel(
            "st.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1];\n@%p1 ld.global.u32 %r3, [%rd1];\n\
             bra NEXT;\nNEXT:\nld.global.u32 %r4, [%rd1];",
        );
        assert_eq!((made.cost.checked, made.cost.pruned), (2, 2));
        let other = kernel("ld.global.u32 %r2, [first];\nld.global.u32 %r3, [second];");
        assert_eq!((other.cost.checked, other.cost.pruned), (2, 0), "two variables");
        let acquired = kernel(
            "ld.global.u32 %r2, [%rd1];\nld.acquire.gpu.u32 %r3, [%rd1+64];\nld.global.u32 %r4, [%rd1];",
        );
        assert_eq!(acquired.cost.checked, 3, "others may have written in between");
    }

    #[test]
    fn a_guard_is_that_of_its_check() {
        let made = kernel("@!%p1 st.global.u32 [%rd1], %r1;\n@%p2 st.global.u32 [%rd1+4], %r1;");
        let jumps = lines_with(&made.text, &["@%p1 bra $ws_skip", "@!%p2 bra $ws_skip"]);
        assert_eq!(jumps.len(), 2, "{jumps:?}");
        assert!(made.text.contains("@!%p1 st.global.u32 [%rd1], %r1;"));
    }
}
