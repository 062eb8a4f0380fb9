//! CURD's sets in the text: what stands for an access, a barrier, and the end of a thread.

use super::layout::BLOCK_WORDS;
use super::plan::{Keeps, PlannedAccess};
use crate::body::Body;
use std::fmt::Write;
use warpsan_ir::MemorySpace;

/// Flags of an access.
pub(crate) const WRITES: u32 = 1;
pub(crate) const IN_SHARED: u32 = 4;
pub(crate) const HAS_BLOCK: u32 = 8;
pub(crate) const IS_SIGNED: u32 = 16;
/// An access without a place of its own.
pub(crate) const NO_PLACE: u32 = u32::MAX;

/// Declares the registers of what a thread keeps, and begins with nothing.
pub(crate) fn begin(body: &mut Body<'_, '_>) {
    body.out.push_str("\t.reg .b32 %ws_checks, %ws_first_sum, %ws_second_sum, %ws_number;\n");
    for number in 0..body.plan.kept.len() {
        let _ = writeln!(
            body.out,
            "\t.reg .b64 %ws_last_{number};\n\t.reg .b32 %ws_stride_{number}, %ws_count_{number}, %ws_mark_{number};\n\
             \tmov.b64 %ws_last_{number}, 0;\n\tmov.b32 %ws_stride_{number}, 0;\n\
             \tmov.b32 %ws_count_{number}, 0;\n\tmov.b32 %ws_mark_{number}, 0;"
        );
    }
    if body.surroundings.is_kernel && body.writer.has_blocks {
        let block = [("block", BLOCK_WORDS.to_owned()), ("threads", "%ws_threads".to_owned())];
        expand(body, "ws_curd_begin", 0, &block);
    }
}

fn expand(body: &mut Body<'_, '_>, template: &str, site: u32, inputs: &[(&str, String)]) {
    body.ship(template, site, inputs);
}

/// What templates ask for of an access in one memory.
fn inputs(
    body: &Body<'_, '_>,
    planned: &PlannedAccess,
    in_shared: bool,
) -> Vec<(&'static str, String)> {
    inputs_with(body, planned, in_shared, 0)
}

fn inputs_with(
    body: &Body<'_, '_>,
    planned: &PlannedAccess,
    in_shared: bool,
    more_flags: u32,
) -> Vec<(&'static str, String)> {
    let has_block = body.writer.has_blocks;
    let bits = [(planned.writes, WRITES), (in_shared, IN_SHARED), (has_block, HAS_BLOCK)];
    let flags: u32 = bits.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum();
    let flags = flags | more_flags;
    let place = planned.place.filter(|_| !in_shared).unwrap_or(NO_PLACE);
    let block = if has_block { BLOCK_WORDS } else { "0" };
    let mut inputs = vec![
        ("size", planned.size.to_string()),
        ("run_stride", planned.stride.to_string()),
        ("run_count", planned.count.to_string()),
        ("flags", flags.to_string()),
        ("place", place.to_string()),
        ("block", block.to_owned()),
    ];
    if let Keeps::Run(number) | Keeps::Fixed(number) = planned.keeps {
        for name in ["last", "stride", "count", "mark"] {
            inputs.push((name, format!("%ws_{name}_{number}")));
        }
    }
    inputs
}

/// Writes an access down, whose address is in our register.
pub(crate) fn access(body: &mut Body<'_, '_>, planned: &PlannedAccess) {
    let template = match planned.keeps {
        Keeps::Nothing => "ws_curd_direct",
        Keeps::Run(_) => "ws_curd_run",
        Keeps::Fixed(_) => "ws_curd_fixed",
    };
    if planned.space != MemorySpace::Generic {
        let inputs = inputs(body, planned, planned.space == MemorySpace::Shared);
        return expand(body, template, planned.site, &inputs);
    }
    // The address says which memory it is of. Other memory is a thread's own, or nobody writes it.
    let number = body.writer.next_number();
    let _ = writeln!(
        body.out,
        "\tisspacep.global %ws_counts, %ws_address;\n\t@!%ws_counts bra $ws_not_global_{number};"
    );
    let of_global = inputs(body, planned, false);
    expand(body, template, planned.site, &of_global);
    let _ = writeln!(body.out, "\tbra $ws_noted_{number};\n$ws_not_global_{number}:");
    if body.writer.has_blocks {
        let _ = writeln!(
            body.out,
            "\tisspacep.shared %ws_counts, %ws_address;\n\t@!%ws_counts bra $ws_noted_{number};\n\
             \tcvta.to.shared.u64 %ws_address, %ws_address;"
        );
        let of_shared = inputs(body, planned, true);
        expand(body, template, planned.site, &of_shared);
    }
    let _ = writeln!(body.out, "$ws_noted_{number}:");
}

fn is_in_shared(planned: &PlannedAccess) -> bool {
    planned.space == MemorySpace::Shared
}

/// Says that the block will have to be compared, and what a thread did in shared memory, as a signature.
pub(crate) fn before_barrier(body: &mut Body<'_, '_>) {
    let kept = body.plan.kept.clone();
    for kept in kept.iter().filter(|kept| kept.writes) {
        let inputs = inputs(body, kept, is_in_shared(kept));
        expand(body, "ws_curd_wrote", kept.site, &inputs);
    }
    if !kept.iter().any(is_in_shared) {
        return;
    }
    body.out.push_str("\tmov.b32 %ws_first_sum, 0;\n\tmov.b32 %ws_second_sum, 0;\n");
    let sums = ["first_sum", "second_sum", "number"].map(|name| (name, format!("%ws_{name}")));
    expand(body, "ws_curd_number", 0, &sums);
    for kept in kept.iter().filter(|kept| is_in_shared(kept)) {
        let mut inputs = inputs(body, kept, true);
        inputs.extend(sums.clone());
        expand(body, "ws_curd_sign", kept.site, &inputs);
    }
    let mut inputs = vec![("block", BLOCK_WORDS.to_owned())];
    inputs.extend(sums);
    expand(body, "ws_curd_signed", 0, &inputs);
}

/// The threads of a block have met.
pub(crate) fn barrier(body: &mut Body<'_, '_>) {
    let block = [("block", BLOCK_WORDS.to_owned()), ("checks", "%ws_checks".to_owned())];
    expand(body, "ws_curd_barrier", 0, &block);
    let number = body.writer.next_number();
    let _ = writeln!(
        body.out,
        "\tsetp.eq.u32 %ws_counts, %ws_checks, 0;\n\t@%ws_counts bra $ws_unchecked_{number};"
    );
    let kept = body.plan.kept.clone();
    // What was done to global memory is written down with its time, where somebody wrote.
    let unwritten = body.writer.next_number();
    let _ = writeln!(
        body.out,
        "\tand.b32 %ws_a, %ws_checks, 2;\n\tsetp.eq.u32 %ws_counts, %ws_a, 0;\n\
         \t@%ws_counts bra $ws_unwritten_{unwritten};"
    );
    for (number, kept) in kept.iter().enumerate().filter(|(_, kept)| !is_in_shared(kept)) {
        let _ = writeln!(
            body.out,
            "\tsetp.eq.u32 %ws_counts, %ws_count_{number}, %ws_mark_{number};\n\
             \t@%ws_counts bra $ws_unwritten_{unwritten}_{number};"
        );
        // Places of their own are for what is there at the end.
        end(body, &PlannedAccess { place: None, ..*kept }, 0);
        let _ = writeln!(
            body.out,
            "\tmov.b32 %ws_count_{number}, 0;\n$ws_unwritten_{unwritten}_{number}:"
        );
    }
    let _ = writeln!(
        body.out,
        "$ws_unwritten_{unwritten}:\n\tand.b32 %ws_a, %ws_checks, 1;\n\
         \tsetp.eq.u32 %ws_counts, %ws_a, 0;\n\t@%ws_counts bra $ws_unchecked_{number};"
    );
    for kept in kept.iter().filter(|kept| is_in_shared(kept)) {
        end(body, kept, IS_SIGNED);
    }
    expand(body, "ws_curd_check", 0, &block);
    let _ = writeln!(body.out, "$ws_unchecked_{number}:");
    expand(body, "ws_curd_passed", 0, &[]);
    for (number, kept) in kept.iter().enumerate() {
        // Shared memory begins anew. What blocks do to global memory is compared to the end, and a run goes on.
        let _ = match is_in_shared(kept) {
            true => writeln!(
                body.out,
                "\tmov.b32 %ws_count_{number}, 0;\n\tmov.b32 %ws_mark_{number}, 0;"
            ),
            false => writeln!(body.out, "\tmov.b32 %ws_mark_{number}, %ws_count_{number};"),
        };
    }
}

/// Writes down what a thread has kept.
fn end(body: &mut Body<'_, '_>, kept: &PlannedAccess, more_flags: u32) {
    let template = match kept.keeps {
        Keeps::Run(_) => "ws_curd_run_end",
        _ => "ws_curd_fixed_end",
    };
    let inputs = inputs_with(body, kept, is_in_shared(kept), more_flags);
    expand(body, template, kept.site, &inputs);
}

/// A thread leaves the kernel.
pub(crate) fn leave(body: &mut Body<'_, '_>) {
    let enters_at_the_end = body.plan.enters_at_the_end;
    for kept in &body.plan.kept.clone() {
        if !is_in_shared(kept) || enters_at_the_end {
            end(body, kept, 0);
        }
    }
    if body.writer.has_blocks {
        let inputs = [("block", BLOCK_WORDS.to_owned()), ("threads", "%ws_threads".to_owned())];
        expand(body, "ws_curd_leave", 0, &inputs);
    }
}
