//! Accesses that wait for their checks: stores of shared memory whose entries are of [`owners`], and accesses of global memory, so that those of whole lines are checked
//! together: one lane has a line of each, and all of them take as long as one.
//!
//! They wait until the basic block ends, or something orders accesses: lanes that are here then were there for all of them. Where a branch only skips a few
//! instructions ([`branches`](super::branches)), they go on waiting behind these; a register says then which lanes have made an access. What turns out not to be of whole lines, or
//! is shared with others, is checked one by one.

use super::expected::{LINE, MOST, Waiting};
use super::layout::{EPOCH_PLACE, EPOCHS_AGAIN, LAST_EPOCH, hows, lines};
use super::spans::{Span, spans};
use super::{collected, owners};
use crate::body::Body;
use std::fmt::Write;
use warpsan_model::WARP_LANES;

/// Declares the registers of accesses that wait.
pub(super) fn declare(body: &mut Body<'_, '_>) {
    let _ = write!(
        body.out,
        "\t.reg .b64 %ws_at_<{MOST}>, %ws_kept_<{MOST}>, %ws_first_<{MOST}>, %ws_held, %ws_line, %ws_offset;\n\
         \t.reg .b32 %ws_wanted_<{MOST}>, %ws_lane, %ws_apart, %ws_access, %ws_left, %ws_number;\n\
         \t.reg .b32 %ws_before_<{MOST}>;\n\
         \t.reg .pred %ws_is;\n"
    );
}

/// The number of one more access, which waits from now on. There is room for it.
pub(super) fn add(body: &mut Body<'_, '_>, waiting: Waiting) -> usize {
    debug_assert!(!body.batch.is_full(), "there is no register for it");
    body.batch.waiting.push(waiting);
    body.batch.waiting.len() - 1
}

/// Checks what waits.
pub(crate) fn flush(body: &mut Body<'_, '_>) {
    check_all(body, false);
}

/// Checks what waits, at the end of a basic block. Where that is in a loop, lines may be collected.
pub(crate) fn flush_block(body: &mut Body<'_, '_>) {
    check_all(body, true);
}

fn check_all(body: &mut Body<'_, '_>, may_be_collected: bool) {
    let waiting = std::mem::take(&mut body.batch.waiting);
    owners::check(body, &waiting);
    check_global(body, &waiting, may_be_collected);
}

/// Checks what waits of global memory, behind a load whose value the program has not waited for yet, so that it comes meanwhile.
pub(super) fn flush_behind_load(body: &mut Body<'_, '_>) {
    let mut waiting = std::mem::take(&mut body.batch.waiting);
    check_global(body, &waiting, true);
    waiting.iter_mut().for_each(|one| one.is_checked |= !one.of_owner);
    if waiting.iter().any(|one| one.of_owner) {
        body.batch.waiting = waiting;
    }
}

fn check_global(body: &mut Body<'_, '_>, waiting: &[Waiting], may_be_collected: bool) {
    debug_assert!(!body.batch.is_in_branch(), "lanes that skip it would not be checked");
    if !waiting.iter().any(Waiting::is_of_global) {
        return;
    }
    let spans = spans(waiting, WARP_LANES, body.writer.has_wide_atomics);
    let number = body.writer.next_number();
    // Where accesses are left that are no whole lines, those of whole lines do not end it.
    let is_in_span = |(index, one): (usize, &Waiting)| {
        !one.is_of_global() || spans.iter().any(|span| span.has(index))
    };
    let are_all_in_spans = waiting.iter().enumerate().all(is_in_span);
    if !spans.is_empty() {
        let lines = WholeLines {
            are_collected: may_be_collected && collected::are_collected(body, waiting, &spans),
            are_all_in_spans,
            number,
        };
        lines.write(body, waiting, &spans);
    }
    for (index, access) in waiting.iter().enumerate().filter(|(_, one)| one.is_of_global()) {
        let span = spans.iter().find(|span| span.has(index));
        // They may need entries of words as much as those that are never of whole lines.
        body.writer.uses.entries.scatters |= span.is_none() || !is_at_line(access);
        by_words(body, index, access, span.map(Span::lanes));
    }
    let _ = writeln!(body.out, "$ws_done_{number}:");
}

/// Whether the access is on the beginning of lines if what its address is counted from is.
fn is_at_line(access: &Waiting) -> bool {
    access.offset.rem_euclid(i64::from(LINE)) < i64::from(access.stride)
}

/// The check of accesses that may be of whole lines.
struct WholeLines {
    /// They are collected, to be checked later.
    are_collected: bool,
    /// There are no other accesses that wait.
    are_all_in_spans: bool,
    number: u32,
}

impl WholeLines {
    /// Checks those that turn out to be of whole lines, or collects them. What is left of them is in `%ws_left` then: a bit for each lane that has a line.
    fn write(&self, body: &mut Body<'_, '_>, waiting: &[Waiting], spans: &[Span]) {
        let number = self.number;
        self.begin(body);
        let all_lanes: u32 = spans.iter().map(Span::lines).sum();
        let own_number = if self.are_collected { "%ws_behind" } else { "%ws_lane" };
        let each = format!("$ws_each_{number}");
        if self.are_collected {
            let room = waiting.iter().map(|one| one.room).rfind(|room| *room != 0);
            let is_made = room >= Some(all_lanes);
            collected::take_room(body, all_lanes, &each, is_made);
        }
        for span in spans {
            first(body, waiting, span);
            select(body, waiting, span, own_number);
        }
        let inputs = vec![
            ("line", "%ws_line".to_owned()),
            ("access", "%ws_access".to_owned()),
            ("apart", "%ws_apart".to_owned()),
            ("lines", all_lanes.to_string()),
            ("left", "%ws_left".to_owned()),
        ];
        let has_updates = spans.iter().any(|span| !span.reads.is_empty());
        let template = match (body.writer.has_wide_atomics, has_updates) {
            (true, true) => "ws_hb_updated_lines",
            (true, false) => "ws_hb_lines",
            (false, _) => "ws_hb_narrow_lines",
        };
        match self.are_collected {
            true => {
                collected::collect(body, inputs, &each);
                body.out.push_str("\tmov.b32 %ws_left, 0;\n");
            }
            false => super::expand(body, template, 0, &inputs),
        }
        let _ = match (self.are_all_in_spans, self.are_collected) {
            (true, true) => writeln!(body.out, "\tbra $ws_done_{number};"),
            (true, false) => writeln!(
                body.out,
                "\tsetp.eq.u32 %ws_is, %ws_left, 0;\n\t@%ws_is bra $ws_done_{number};"
            ),
            (false, _) => Ok(()),
        };
        let _ = writeln!(body.out, "{each}:");
        if self.are_collected {
            collected::make_room_and(body, all_lanes, &format!("$ws_again_{number}"));
        }
    }

    /// Goes to where accesses are checked one by one unless the whole warp is here.
    fn begin(&self, body: &mut Body<'_, '_>) {
        // Where the entry of a lane has its number.
        let (own, from) = match body.surroundings.state_in_memory {
            true => ("\tld.b64 %ws_line, [%ws_place];\n", "%ws_line"),
            false => ("", "%ws_self"),
        };
        let number = self.number;
        let _ = write!(
            body.out,
            "$ws_again_{number}:\n{own}\tcvt.u32.u64 %ws_lane, {from};\n\
             \tbfe.u32 %ws_lane, %ws_lane, 22, 5;\n\
             \tmov.b32 %ws_left, -1;\n\tmov.b32 %ws_apart, 0;\n\tshr.u64 %ws_line, {from}, 63;\n\
             \tcvt.u32.u64 %ws_number, %ws_line;\n\tactivemask.b32 %ws_access;\n\
             \tor.b32 %ws_access, %ws_access, %ws_number;\n\tsetp.ne.u32 %ws_is, %ws_access, -1;\n\
             \t@%ws_is bra $ws_each_{number};\n"
        );
        if body.writer.uses.entries.tiles.is_some() {
            // The entry of a line is of one epoch, and tiles have passed barriers of their own.
            let epoch = LAST_EPOCH << EPOCH_PLACE | EPOCHS_AGAIN;
            let _ = write!(
                body.out,
                "{own}\tcvt.u32.u64 %ws_number, {from};\n\tand.b32 %ws_number, %ws_number, {epoch};\n\
                 \tshfl.sync.idx.b32 %ws_apart, %ws_number, 0, 31, -1;\n\
                 \txor.b32 %ws_apart, %ws_apart, %ws_number;\n"
            );
        }
    }
}

/// Where the first lane's address would be, by each lane's own: whether they agree, all make the access, and that is the beginning of a line. If not, lanes are apart.
fn first(body: &mut Body<'_, '_>, waiting: &[Waiting], span: &Span) {
    let (index, shift) = (span.members[0], span.bytes.ilog2());
    let _ = write!(
        body.out,
        "\tshl.b32 %ws_number, %ws_lane, {shift};\n\tcvt.u64.u32 %ws_offset, %ws_number;\n\
         \tsub.s64 %ws_first_{index}, %ws_at_{index}, %ws_offset;\n\
         \tshr.u64 %ws_offset, %ws_first_{index}, 7;\n\tcvt.u32.u64 %ws_number, %ws_offset;\n\
         \tshfl.sync.idx.b32 %ws_a, %ws_number, 0, 31, -1;\n\txor.b32 %ws_a, %ws_a, %ws_number;\n\
         \tcvt.u32.u64 %ws_number, %ws_first_{index};\n\tand.b32 %ws_number, %ws_number, 127;\n\
         \tor.b32 %ws_a, %ws_a, %ws_number;\n"
    );
    for (member, distance) in span.distances() {
        if member != index {
            let _ = write!(
                body.out,
                "\tsub.s64 %ws_offset, %ws_at_{member}, %ws_at_{index};\n\
                 \tsetp.ne.s64 %ws_is, %ws_offset, {distance};\n\t@%ws_is mov.b32 %ws_a, 1;\n"
            );
        }
        if waiting[member].is_conditional {
            let _ = write!(
                body.out,
                "\txor.b32 %ws_number, %ws_wanted_{member}, 1;\n\tor.b32 %ws_a, %ws_a, %ws_number;\n"
            );
        }
    }
    body.out.push_str("\tor.b32 %ws_apart, %ws_apart, %ws_a;\n");
}

/// Gives the lines of a span to its lanes, by a number that each of them has in a register.
fn select(body: &mut Body<'_, '_>, waiting: &[Waiting], span: &Span, own_number: &str) {
    let (index, lanes_of_line) = (span.members[0], LINE / span.bytes);
    let access = &waiting[index];
    for line in 0..span.lines() {
        let shape = (span.bytes.ilog2() - 2) | (line * lanes_of_line / 8) << 2;
        let mut word = access.site | shape << lines::SHAPE_PLACE;
        if access.how & hows::WRITES != 0 {
            word |= lines::WRITES;
        }
        if access.how & hows::BY_READ_ONLY_PATH != 0 {
            word |= lines::BY_READ_ONLY_PATH;
        }
        if let Some(read) = span.reads.first() {
            word |= (waiting[*read].site + 1) << lines::READ_PLACE;
        }
        let lane = span.first_lane + line;
        if lane == 0 {
            let _ = writeln!(
                body.out,
                "\tmov.b64 %ws_line, %ws_first_{index};\n\tmov.b32 %ws_access, {word};"
            );
            continue;
        }
        let _ = write!(
            body.out,
            "\tsetp.eq.u32 %ws_is, {own_number}, {lane};\n\tadd.s64 %ws_offset, %ws_first_{index}, {};\n\
             \tselp.b64 %ws_line, %ws_offset, %ws_line, %ws_is;\n\
             \tselp.b32 %ws_access, {word}, %ws_access, %ws_is;\n",
            line * LINE
        );
    }
}

/// Checks an access word by word: if one of its lines, which these lanes have, is left, and by lanes that have made it.
fn by_words(body: &mut Body<'_, '_>, index: usize, access: &Waiting, lanes: Option<u32>) {
    let number = body.writer.next_number();
    if let Some(lanes) = lanes {
        let _ = write!(
            body.out,
            "\tand.b32 %ws_a, %ws_left, {lanes};\n\tsetp.eq.u32 %ws_is, %ws_a, 0;\n\
             \t@%ws_is bra $ws_whole_{number};\n"
        );
    }
    if access.is_conditional {
        let _ = write!(
            body.out,
            "\tsetp.eq.u32 %ws_is, %ws_wanted_{index}, 0;\n\t@%ws_is bra $ws_whole_{number};\n"
        );
    }
    let _ = writeln!(body.out, "\tmov.b64 %ws_address, %ws_at_{index};");
    let inputs = [
        ("how", access.how.to_string()),
        ("value", format!("%ws_kept_{index}")),
        ("value_bytes", access.value_bytes.to_string()),
    ];
    let template = super::in_place_or_called(body, "ws_hb_global");
    super::expand(body, &template, access.site, &inputs);
    let _ = writeln!(body.out, "$ws_whole_{number}:");
}
