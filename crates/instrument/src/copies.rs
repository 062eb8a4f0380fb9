//! `cp.async`: its source is a load of the lane that issues it.

use crate::accesses::{WORD_BYTES, address, expand, expand_general, refresh};
use crate::body::Body;
use crate::checks::Access;
use crate::instrumented::CheckedAccess;
use crate::operands::{Based, Rewritten};
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
    let checked = CheckedAccess::new(access, Strength::Weak, bytes);
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
            if body.writer.device_plan.is_general() {
                return exactly(body, site, place, &length, bytes);
            }
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

/// How many bytes of its source a copy reads, where that shows only when it is made: a number, or the register after it was filled.
pub(crate) fn bytes_read(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    operation: &AsyncOp,
    register: &str,
) -> Option<String> {
    let AsyncOp::Copy { bytes, source_bytes, ignore_source, .. } = operation else { return None };
    match (source_bytes, ignore_source, instruction.operands.get(FOURTH)?) {
        (Some(_), _, length) => Some(length.to_string()),
        (None, Some(_), ignored) => {
            let (name, if_true, if_false) = match ignored {
                Operand::Not(name) => (name.to_string(), *bytes, 0),
                other => (other.to_string(), 0, *bytes),
            };
            let _ = writeln!(body.out, "\tselp.b32 {register}, {if_true}, {if_false}, {name};");
            Some(register.to_owned())
        }
        (None, None, _) => None,
    }
}

/// Checks as many bytes of a source as are read.
fn exactly(body: &mut Body<'_, '_>, site: u32, place: &Based, length: &str, most: u32) {
    let _ = writeln!(body.out, "\tsetp.ne.u32 %ws_counts, {length}, 0;");
    body.skipped_unless_it_counts(|body| {
        refresh(body, site);
        address(body, place, 0);
        let _ = writeln!(body.out, "\tmin.u32 %ws_b, {length}, {most};");
        expand_general(body, site, Access::Load, "%ws_b");
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::{instrumented_with, kernel, lines_with, module};
    use crate::{DevicePlan, MetadataPlan, Shape};

    const COPY: &str = "cp.async.ca.shared.global [tile], [%rd1], ";

    #[test]
    fn a_copy_is_a_load_of_its_source() {
        let made = kernel(&format!("{COPY}8;"));
        assert_eq!(made.cost.checked, 1);
        assert_eq!((made.accesses[0].access, made.accesses[0].bytes), (crate::Access::Load, 8));
        let moved = lines_with(&made.text, &["mov.b64 %ws_address, "]);
        assert_eq!(moved, ["mov.b64 %ws_address, %rd1;"]);
    }

    #[test]
    fn fewer_bytes_of_the_source_are_checked_word_by_word() {
        let made = kernel(&format!("{COPY}8, %r2;"));
        let compared = lines_with(&made.text, &["%ws_counts, %r2"]);
        let wanted = [
            "setp.eq.u32 %ws_counts, %r2, 8;",
            "setp.gt.u32 %ws_counts, %r2, 0;",
            "setp.gt.u32 %ws_counts, %r2, 4;",
        ];
        assert_eq!(compared, wanted);
        let addresses = lines_with(&made.text, &["%ws_address, %rd1"]);
        let wanted = [
            "mov.b64 %ws_address, %rd1;",
            "mov.b64 %ws_address, %rd1;",
            "add.s64 %ws_address, %rd1, 4;",
        ];
        assert_eq!(addresses, wanted);
        assert_eq!(made.cost.checked, 1, "one instruction");
    }

    #[test]
    fn entries_of_any_shape_are_checked_for_the_bytes_that_are_read() {
        let with = |body: &str| {
            instrumented_with(
                &module(body),
                DevicePlan::Metadata(MetadataPlan::general(Shape::default())),
            )
            .expect("a kernel")
            .text
        };
        let text = with(&format!("{COPY}8, %r2;"));
        assert_eq!(lines_with(&text, &["%ws_counts, %r2"]), ["setp.ne.u32 %ws_counts, %r2, 0;"]);
        assert_eq!(lines_with(&text, &["min.u32 %ws_b"]), ["min.u32 %ws_b, %r2, 8;"]);
        assert!(text.contains(", %ws_b;"), "{text}");
        assert_eq!(
            with("ld.global.v2.u64 {%rd2, %rd3}, [%rd1];").matches("%ws_address, %rd1").count(),
            1
        );
    }

    #[test]
    fn a_source_that_is_ignored_is_not_checked() {
        for (ignored, wanted) in
            [("%p1", "not.pred %ws_counts, %p1;"), ("!%p1", "mov.pred %ws_counts, %p1;")]
        {
            let made = kernel(&format!("{COPY}4, {ignored};"));
            assert_eq!(lines_with(&made.text, &[".pred %ws_counts, %p"]), [wanted]);
        }
    }
}
