//! Asynchronous copies of threads from global to shared memory (`cp.async`), and the groups that they are waited for in (`device/hb_copies.h`).

use super::layout::{PENDING_BYTES, hows};
use super::{Found, batch, expand};
use crate::accesses::shared_address;
use crate::body::Body;
use crate::checks::Access;
use crate::copies::bytes_read;
use crate::instrumented::CheckedAccess;
use crate::meaning::is_narrow;
use crate::operands::Rewritten;
use crate::refusal::{InstructionRefusal, Refusal};
use std::fmt::Write;
use warpsan_ir::{AsyncOp, Instruction as Lowered, MemorySpace};
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

/// Beside the bytes that a copy reads: its thread may come to it again. `device/hb_copies.h` has the same.
const IN_A_LOOP: u32 = 32;

/// Behind a wait for all copies, none is pending, whatever group it is of.
const ALL: u32 = u32::MAX;

/// Declares what a thread keeps of its copies.
pub(super) fn begin(body: &mut Body<'_, '_>) {
    if !body.writer.has_copies {
        return;
    }
    let _ = write!(
        body.out,
        "\t.local .align 8 .b8 ws_copies[{PENDING_BYTES}];\n\t.reg .b64 %ws_copies, %ws_source;\n\t.reg .b32 %ws_how;\n\
         \tmov.u64 %ws_copies, ws_copies;\n\tcvta.local.u64 %ws_copies, %ws_copies;\n"
    );
    expand(body, "ws_hb_copies", 0, &[copies()]);
}

fn copies() -> (&'static str, String) {
    ("copies", "%ws_copies".to_owned())
}

/// Writes a copy, the end of a group, or a wait.
pub(super) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    (lowered, operation): (&Lowered, &AsyncOp),
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    match operation {
        AsyncOp::Copy { .. } => copy(body, instruction, (lowered, operation), rewritten),
        AsyncOp::Commit => {
            body.plain(instruction, rewritten);
            if body.writer.has_copies {
                body.guarded(instruction, |body| expand(body, "ws_hb_copy_group", 0, &[copies()]));
            }
            Ok(())
        }
        AsyncOp::Wait { at_most } => {
            batch::flush(body);
            body.checked.forget();
            body.plain(instruction, rewritten);
            if body.writer.has_copies {
                let mut inputs = super::shifts(body);
                inputs.extend([copies(), ("groups_left", at_most.unwrap_or(ALL).to_string())]);
                body.guarded(instruction, |body| expand(body, "ws_hb_copies_waited", 0, &inputs));
            }
            Ok(())
        }
        _ => Err(Refusal::because_of(instruction, InstructionRefusal::BulkOperation)),
    }
}

/// Writes the end of a thread, by an instruction or behind the last one. It may not have waited for its copies.
pub(super) fn leave(body: &mut Body<'_, '_>, instruction: Option<&Instruction<'_>>) {
    let left = |body: &mut Body<'_, '_>| expand(body, "ws_hb_copies_left", 0, &[copies()]);
    match instruction {
        _ if !body.writer.has_copies => {}
        Some(instruction) => body.guarded(instruction, left),
        None => left(body),
    }
}

/// Writes a copy, with the checks of both sides in front of it: what it reads, and what it writes from now on.
fn copy(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    (lowered, operation): (&Lowered, &AsyncOp),
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let AsyncOp::Copy { to, from, bytes, .. } = operation else { return Ok(()) };
    // Who has written what it reads has to be known by now.
    if body.batch.has(hows::WRITES) {
        batch::flush(body);
    }
    let [to_place, from_place] = &rewritten.addresses[..] else {
        return Err(Refusal::because_of(instruction, InstructionRefusal::NotTwoAddresses));
    };
    let read = CheckedAccess::new(Access::Load, Strength::Weak, *bytes);
    let reads = body.site(instruction, lowered, CheckedAccess { copies: true, ..read });
    let write = CheckedAccess::new(Access::Store, Strength::Weak, *bytes);
    let writes = body.site(instruction, lowered, CheckedAccess { copies: true, ..write });
    debug_assert_eq!(writes, reads + 1, "the device counts on it");
    body.writer.cost.checked += 2;
    let expected = super::expected_of(body, instruction, lowered);
    let length = bytes_read(body, instruction, operation, "%ws_how");
    match &length {
        None => {
            let (space, place) = (MemorySpace::Global, from_place.clone());
            let found =
                Found { access: Access::Load, bytes: *bytes, space, expected, site: reads, place };
            found.check_somewhere(body, instruction, lowered);
        }
        Some(length) => {
            body.writer.uses.entries.scatters = true;
            shared_address(body, from_place, is_narrow(from.base));
            body.guarded(instruction, |body| {
                let _ = write!(
                    body.out,
                    "\tmin.u32 %ws_how, {length}, {bytes};\n\tsetp.ne.u32 %ws_counts, %ws_how, 0;\n\
                     \tshl.b32 %ws_how, %ws_how, {};\n",
                    hows::BYTES_PLACE
                );
                let inputs = [("how", "%ws_how".to_owned())];
                body.skipped_unless_it_counts(|body| {
                    expand(body, "ws_hb_global_bytes", reads, &inputs);
                });
            });
        }
    }
    let in_loop = if expected.is_in_loop { IN_A_LOOP } else { 0 };
    // How many bytes are read may have been counted in a register that a check has used since.
    let length = bytes_read(body, instruction, operation, "%ws_how");
    shared_address(body, from_place, is_narrow(from.base));
    body.out.push_str("\tmov.b64 %ws_source, %ws_address;\n");
    if let Some(length) = &length {
        let _ = write!(
            body.out,
            "\tmin.u32 %ws_how, {length}, {bytes};\n\tor.b32 %ws_how, %ws_how, {in_loop};\n"
        );
    }
    shared_address(body, to_place, is_narrow(to.base));
    let how = hows::WRITES | super::of_kernel(body) | bytes << hows::BYTES_PLACE;
    let mut inputs = super::shifts(body);
    let source_bytes = match length {
        Some(_) => "%ws_how".to_owned(),
        None => (bytes | in_loop).to_string(),
    };
    inputs.extend([copies(), ("how", how.to_string()), ("source", "%ws_source".to_owned())]);
    inputs.push(("source_bytes", source_bytes));
    body.guarded(instruction, |body| expand(body, "ws_hb_copy", writes, &inputs));
    // What the thread has accessed before may be accessed too early now.
    body.checked.forget();
    body.plain(instruction, rewritten);
    Ok(())
}
