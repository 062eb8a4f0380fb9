//! Stores of shared memory where no load has to be checked, so that entries say who stored last and nothing else (`device/hb_owners.h`). They wait for their
//! checks until the interval ends: a check that may call somebody would keep the assembler from loading early what the program stores next.

use super::expected::Waiting;
use super::{expand, shifts};
use crate::body::Body;
use std::fmt::Write;

/// Checks the stores that wait.
pub(super) fn check(body: &mut Body<'_, '_>, waiting: &[Waiting]) {
    if !waiting.iter().any(|one| one.of_owner) {
        return;
    }
    let number = body.writer.next_number();
    body.out.push_str("\tmov.b32 %ws_left, -1;\n");
    each(body, waiting, "ws_hb_enter_owner");
    expand(body, "ws_hb_owners_left", 0, &[("left", "%ws_left".to_owned())]);
    let _ =
        write!(body.out, "\tsetp.eq.u32 %ws_is, %ws_left, 0;\n\t@%ws_is bra $ws_owned_{number};\n");
    each(body, waiting, "ws_hb_judge_owner");
    let _ = writeln!(body.out, "$ws_owned_{number}:");
}

/// Does a step for each store, by the lanes that have made it.
fn each(body: &mut Body<'_, '_>, waiting: &[Waiting], step: &str) {
    for (index, store) in waiting.iter().enumerate().filter(|(_, one)| one.of_owner) {
        let number = body.writer.next_number();
        if store.is_conditional {
            let _ = write!(
                body.out,
                "\tsetp.eq.u32 %ws_is, %ws_wanted_{index}, 0;\n\t@%ws_is bra $ws_step_{number};\n"
            );
        }
        let _ = writeln!(body.out, "\tmov.b64 %ws_address, %ws_at_{index};");
        let mut inputs = vec![
            ("how", store.how.to_string()),
            ("value", format!("%ws_kept_{index}")),
            ("value_bytes", store.value_bytes.to_string()),
            ("before", format!("%ws_before_{index}")),
            ("left", "%ws_left".to_owned()),
        ];
        inputs.extend(shifts(body));
        expand(body, step, store.site, &inputs);
        if store.is_conditional {
            let _ = writeln!(body.out, "$ws_step_{number}:");
        }
    }
}
