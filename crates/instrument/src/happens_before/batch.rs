//! Accesses of whole lines, checked together: one lane has a line of each, so that all of them take as long as one.
//!
//! They wait until the basic block ends, or something orders accesses: lanes that are here then were there for all of them. What turns out not to be of
//! whole lines, or is shared with others, is checked one by one.

use super::expected::{LINE, Waiting};
use super::layout::{hows, lines};
use crate::body::Body;
use std::fmt::Write;
use warpsan_model::WARP_LANES;

/// Accesses that can wait at a time: each has registers.
pub(crate) const MOST: usize = 6;
/// Declares the registers of accesses that wait.
pub(super) fn declare(body: &mut Body<'_, '_>) {
    let _ = write!(
        body.out,
        "\t.reg .b64 %ws_at_<{MOST}>, %ws_kept_<{MOST}>, %ws_first_<{MOST}>, %ws_line, %ws_offset;\n\
         \t.reg .b32 %ws_lane, %ws_apart, %ws_access, %ws_left, %ws_number;\n\t.reg .pred %ws_is;\n"
    );
}

/// The number of one more access, which waits from now on. Others are checked first if there is no room.
pub(super) fn add(body: &mut Body<'_, '_>, waiting: Waiting) -> usize {
    let lanes: u32 = body.batch.waiting.iter().map(Waiting::lines).sum();
    if body.batch.waiting.len() == MOST || lanes + waiting.lines() > WARP_LANES {
        flush(body);
    }
    body.batch.waiting.push(waiting);
    body.batch.waiting.len() - 1
}

/// Checks what waits.
pub(crate) fn flush(body: &mut Body<'_, '_>) {
    let waiting = std::mem::take(&mut body.batch.waiting);
    if waiting.is_empty() {
        return;
    }
    let number = body.writer.next_number();
    // Where the entry of a lane has its number.
    let (own, from) = match body.surroundings.state_in_memory {
        true => ("\tld.b64 %ws_line, [%ws_place];\n", "%ws_line"),
        false => ("", "%ws_self"),
    };
    let _ = write!(
        body.out,
        "{own}\tcvt.u32.u64 %ws_lane, {from};\n\tbfe.u32 %ws_lane, %ws_lane, 22, 5;\n\
         \tmov.b32 %ws_left, -1;\n\tmov.b32 %ws_apart, 0;\n\tshr.u64 %ws_line, {from}, 63;\n\
         \tcvt.u32.u64 %ws_number, %ws_line;\n\tactivemask.b32 %ws_access;\n\
         \tor.b32 %ws_access, %ws_access, %ws_number;\n\tsetp.ne.u32 %ws_is, %ws_access, -1;\n\
         \t@%ws_is bra $ws_each_{number};\n"
    );
    let mut first_lane = 0;
    for (index, access) in waiting.iter().enumerate() {
        first(body, index, access);
        select(body, index, access, first_lane);
        first_lane += access.lines();
    }
    let inputs = [
        ("line", "%ws_line".to_owned()),
        ("access", "%ws_access".to_owned()),
        ("apart", "%ws_apart".to_owned()),
        ("lines", first_lane.to_string()),
        ("left", "%ws_left".to_owned()),
    ];
    let template = if body.writer.has_wide_atomics { "ws_hb_lines" } else { "ws_hb_narrow_lines" };
    super::expand(body, template, 0, &inputs);
    let _ =
        writeln!(body.out, "\tsetp.eq.u32 %ws_is, %ws_left, 0;\n\t@%ws_is bra $ws_done_{number};");
    let _ = writeln!(body.out, "$ws_each_{number}:");
    let mut first_lane = 0;
    for (index, access) in waiting.iter().enumerate() {
        let lanes = ((1u64 << access.lines()) - 1) << first_lane;
        first_lane += access.lines();
        by_words(body, index, access, lanes as u32);
    }
    let _ = writeln!(body.out, "$ws_done_{number}:");
}

/// Where the first lane's address would be, by each lane's own: whether they agree, and on the beginning of a line.
fn first(body: &mut Body<'_, '_>, index: usize, access: &Waiting) {
    let shift = access.bytes.ilog2();
    let _ = write!(
        body.out,
        "\tshl.b32 %ws_number, %ws_lane, {shift};\n\tcvt.u64.u32 %ws_offset, %ws_number;\n\
         \tsub.s64 %ws_first_{index}, %ws_at_{index}, %ws_offset;\n\
         \tcvt.u32.u64 %ws_number, %ws_first_{index};\n\tand.b32 %ws_number, %ws_number, 127;\n\
         \tor.b32 %ws_apart, %ws_apart, %ws_number;\n\
         \tshr.u64 %ws_offset, %ws_first_{index}, 7;\n\tcvt.u32.u64 %ws_number, %ws_offset;\n\
         \tshfl.sync.idx.b32 %ws_a, %ws_number, 0, 31, -1;\n\txor.b32 %ws_a, %ws_a, %ws_number;\n\
         \tor.b32 %ws_apart, %ws_apart, %ws_a;\n"
    );
}

/// Gives lines of an access to lanes, from one on.
fn select(body: &mut Body<'_, '_>, index: usize, access: &Waiting, first_lane: u32) {
    let lanes_of_line = LINE / access.bytes;
    for line in 0..access.lines() {
        let shape = (access.bytes.ilog2() - 2) | (line * lanes_of_line / 8) << 2;
        let mut word = access.site | shape << lines::SHAPE_PLACE;
        if access.how & hows::WRITES != 0 {
            word |= lines::WRITES;
        }
        if access.how & hows::BY_READ_ONLY_PATH != 0 {
            word |= lines::BY_READ_ONLY_PATH;
        }
        let lane = first_lane + line;
        if lane == 0 {
            let _ = writeln!(
                body.out,
                "\tmov.b64 %ws_line, %ws_first_{index};\n\tmov.b32 %ws_access, {word};"
            );
            continue;
        }
        let _ = write!(
            body.out,
            "\tsetp.eq.u32 %ws_is, %ws_lane, {lane};\n\tadd.s64 %ws_offset, %ws_first_{index}, {};\n\
             \tselp.b64 %ws_line, %ws_offset, %ws_line, %ws_is;\n\
             \tselp.b32 %ws_access, {word}, %ws_access, %ws_is;\n",
            line * LINE
        );
    }
}

/// Checks an access word by word, if one of its lines is left.
fn by_words(body: &mut Body<'_, '_>, index: usize, access: &Waiting, lanes: u32) {
    let number = body.writer.next_number();
    let _ = write!(
        body.out,
        "\tand.b32 %ws_a, %ws_left, {lanes};\n\tsetp.eq.u32 %ws_is, %ws_a, 0;\n\
         \t@%ws_is bra $ws_whole_{number};\n\tmov.b64 %ws_address, %ws_at_{index};\n"
    );
    let inputs = [
        ("how", access.how.to_string()),
        ("value", format!("%ws_kept_{index}")),
        ("value_bytes", access.value_bytes.to_string()),
    ];
    super::expand(body, "ws_hb_global", access.site, &inputs);
    let _ = writeln!(body.out, "$ws_whole_{number}:");
}
