//! Lines that a warp accesses in a loop: each of its lanes keeps one, until all have one, and then they are checked together. That takes a loop that was not unrolled
//! much less than to check each line where it is accessed.
//!
//! None is kept behind a barrier, a call, or the end of a thread: no entry is later than the interval of its access. In an interval, it does not matter when an access is
//! entered; where it does, since a thread stores to what it may read by the read-only path, lines are not kept.

use super::expand;
use super::expected::{Collects, Expected, Waiting, may_be_of_lines, space_of};
use super::layout::hows;
use super::spans::Span;
use crate::body::Body;
use crate::meaning::access_of;
use std::fmt::Write;
use warpsan_ir::{MemorySpace, Op};
use warpsan_model::WARP_LANES;

/// Room is made for no more lines than that at a time before it is known whether they are collected: it is made by checking what there is.
const MOST_AHEAD: u32 = WARP_LANES / 2;

/// The registers of a lane's line, and of how many lanes have one, as inputs of a check.
fn registers() -> [(&'static str, String); 2] {
    [("collected", "%ws_collected".to_owned()), ("taken", "%ws_taken".to_owned())]
}

/// What a kernel collects. Nothing where lines are not accessed in loops; or where loops have barriers or calls, before which all lines would be checked anyway; or where
/// asynchronous copies ask what their thread has written.
fn collects(body: &Body<'_, '_>) -> Collects {
    let in_loops = || {
        let all = body.lowered.code.iter().zip(&body.expected);
        all.filter(|(_, expected)| expected.is_in_loop)
    };
    let interrupts =
        |op: &Op| matches!(op, Op::BlockBarrier { .. } | Op::WarpBarrier { .. } | Op::Call(_));
    let may_collect = body.surroundings.is_kernel
        && !body.surroundings.state_in_memory
        && !body.writer.has_copies
        && !in_loops().any(|(one, _)| interrupts(&one.op));
    if !may_collect {
        return Collects::default();
    }
    let is_read_only: fn(&Op) -> bool = |op| matches!(op, Op::Load { read_only_path: true, .. });
    let has = |wanted: fn(&Op) -> bool| {
        in_loops().any(|(one, expected)| {
            let bytes = access_of(&one.op, true).map_or(0, |(_, bytes)| bytes);
            let is_of_lines = |space| may_be_of_lines(space, bytes, expected.stride);
            wanted(&one.op) && space_of(&one.op).is_some_and(is_of_lines)
        })
    };
    let is_any_read_only = body.lowered.code.iter().any(|one| is_read_only(&one.op));
    let is_store_in_loop = in_loops().any(|(one, _)| writes_global(&one.op));
    Collects {
        reads: has(|op| matches!(op, Op::Load { read_only_path: false, .. })),
        writes: has(writes_global) && !is_any_read_only,
        read_only: has(is_read_only) && !is_store_in_loop,
    }
}

/// Whether an operation may write global memory.
fn writes_global(op: &Op) -> bool {
    matches!(op, Op::Store { .. } | Op::Atomic { .. })
        && space_of(op).is_some_and(|space| space != MemorySpace::Shared)
}

/// Declares the registers: no lane has a line.
pub(super) fn begin(body: &mut Body<'_, '_>) {
    body.batch.collects = collects(body);
    if body.batch.collects.any() {
        body.out.push_str(
            "\t.reg .b64 %ws_collected;\n\t.reg .b32 %ws_taken, %ws_behind;\n\
             \tmov.b64 %ws_collected, 0;\n\tmov.b32 %ws_taken, 0;\n",
        );
    }
}

/// Whether the lines of accesses are collected.
pub(super) fn are_collected(body: &Body<'_, '_>, waiting: &[Waiting], spans: &[Span]) -> bool {
    let collects = body.batch.collects;
    let is_collected = |one: &Waiting| {
        one.is_in_loop
            && match one.how & (hows::WRITES | hows::BY_READ_ONLY_PATH) {
                0 => collects.reads,
                hows::WRITES => collects.writes,
                _ => collects.read_only,
            }
    };
    waiting.iter().filter(|one| one.is_of_global()).all(is_collected)
        && spans.iter().all(|span| span.reads.is_empty())
}

/// In front of a load: makes room for the lines of all accesses of its block, so that what was loaded does not wait for others to be checked. Whether there
/// is room is asked again where they are collected.
pub(super) fn make_room_ahead(body: &mut Body<'_, '_>, expected: &Expected) {
    match room_ahead(body, expected) {
        0 => {}
        lines => make_room(body, lines),
    }
}

/// For how many lines room is made in front of an access.
pub(super) fn room_ahead(body: &Body<'_, '_>, expected: &Expected) -> u32 {
    let is_wanted = body.batch.collects.any() && expected.is_in_loop && !body.batch.is_in_branch();
    let lines = if is_wanted { expected.lines_of_block } else { 0 };
    if lines <= MOST_AHEAD { lines } else { 0 }
}

fn make_room(body: &mut Body<'_, '_>, lines: u32) {
    let mut inputs = registers().to_vec();
    inputs.push(("lines", lines.to_string()));
    expand(body, "ws_hb_make_room", 0, &inputs);
}

/// Makes sure that there is room for so many lines, and brings to a register which of them is this lane's. Where there is none, since the warp was not here as a whole
/// when it was to be made, it goes to a label.
pub(super) fn take_room(body: &mut Body<'_, '_>, lines: u32, otherwise: &str, is_made: bool) {
    if !is_made {
        make_room(body, lines);
    }
    let _ = write!(
        body.out,
        "\tsetp.gt.u32 %ws_is, %ws_taken, {};\n\t@%ws_is bra {otherwise};\n\
         \tsub.u32 %ws_behind, %ws_lane, %ws_taken;\n",
        WARP_LANES - lines
    );
}

/// Behind that label: makes room, if that was what was missing, and goes back to another one.
pub(super) fn make_room_and(body: &mut Body<'_, '_>, lines: u32, again: &str) {
    let number = body.writer.next_number();
    let _ = write!(
        body.out,
        "\tsetp.le.u32 %ws_is, %ws_taken, {};\n\t@%ws_is bra $ws_words_{number};\n",
        WARP_LANES - lines
    );
    make_room(body, lines);
    let _ = write!(
        body.out,
        "\tsetp.eq.u32 %ws_is, %ws_taken, 0;\n\t@%ws_is bra {again};\n$ws_words_{number}:\n"
    );
}

/// Collects lines, of which each lane has its own as an input; or goes to a label, if lanes are not side by side.
pub(super) fn collect(
    body: &mut Body<'_, '_>,
    mut inputs: Vec<(&'static str, String)>,
    otherwise: &str,
) {
    let _ = write!(
        body.out,
        "\tsetp.eq.u32 %ws_is, %ws_apart, 0;\n\tvote.sync.all.pred %ws_is, %ws_is, -1;\n\
         \t@!%ws_is bra {otherwise};\n"
    );
    inputs.extend(registers());
    inputs.push(("behind", "%ws_behind".to_owned()));
    expand(body, "ws_hb_collect_lines", 0, &inputs);
}

/// Checks the lines that were collected.
pub(super) fn check(body: &mut Body<'_, '_>) {
    if body.batch.collects.any() {
        expand(body, "ws_hb_check_collected", 0, &registers());
    }
}

/// Checks the lines that were collected, if it matters whether they were accessed before an operation.
pub(super) fn check_before(body: &mut Body<'_, '_>, op: &Op) {
    if body.batch.collects.read_only && writes_global(op) {
        check(body);
    }
}
