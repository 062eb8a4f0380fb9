//! Stores to memory that has no copies.
//!
//! What is left out as affine is compared by nobody, and what a thread stores there may still depend on what others did. So
//! each thread keeps a sum of what it stores there, which has to be the same in both passes.

use super::uses::OriginOfAccess;
use crate::body::Body;
use std::fmt::Write;
use warpsan_ir::{Function, Name, Op, Value};
use warpsan_ptx::Instruction;

/// Takes a number of 32 bits into a sum.
pub(super) fn mix(sum: &str, number: &str) -> String {
    format!(
        "\txor.b32 {sum}, {sum}, {number};\n\tmul.lo.u32 {sum}, {sum}, 0x85EBCA6B;\n\
         \tshf.l.wrap.b32 {sum}, {sum}, {sum}, 13;\n"
    )
}

/// Brings the value of a register to `%ws_a`, as a number of 32 bits.
pub(super) fn brought(text: &str, bits: u8) -> Option<String> {
    Some(match bits {
        64 => format!(
            "\tmov.b64 {{%ws_a, %ws_b}}, {text};\n\tmad.lo.u32 %ws_a, %ws_b, 0x9E3779B1, %ws_a;\n"
        ),
        32 => format!("\tmov.b32 %ws_a, {text};\n"),
        16 => format!("\tcvt.u32.u16 %ws_a, {text};\n"),
        _ => return None,
    })
}

/// Takes a store into the thread's sum, unless it goes to a copy. Its address is in our register.
pub(super) fn note(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    op: &Op,
    origin: OriginOfAccess,
) {
    let Op::Store { from, .. } = op else { return };
    let values = values(body.lowered, from);
    body.guarded(instruction, |body| {
        let number = body.writer.next_number();
        let address = mix("%ws_stored", "%ws_a");
        let _ = write!(
            body.out,
            "\tsetp.ne.u64 %ws_counts, %ws_to_{origin}, 0;\n\t@%ws_counts bra $ws_copied_{number};\n\
             \tcvt.u32.u64 %ws_a, %ws_moved;\n{address}{values}$ws_copied_{number}:\n"
        );
    });
}

fn values(function: &Function, from: &[Value]) -> String {
    let mut text = String::new();
    for value in from {
        let Value::Register(register) = value else { continue };
        let name = function.text_of(Name::Register(register.number));
        if let Some(brought) = name.and_then(|name| brought(&name, register.bits)) {
            text.push_str(&brought);
            text.push_str(&mix("%ws_stored", "%ws_a"));
        }
    }
    text
}
