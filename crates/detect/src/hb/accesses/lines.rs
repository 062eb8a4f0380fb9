//! Weak accesses: compared with what a line remembers, and remembered themselves.

use super::observe::compare_with_location;
use super::pairs::Pair;
use crate::hb::diagnosis::{PendingRace, Side};
use crate::hb::history::{Entry, Line, Role, StrongEntry, ThisLaunch, words_of};
use crate::hb::ids::{Agent, BlockNumber, WarpNumber};
use crate::hb::order::{Observer, Past, Threads};
use crate::hb::rules::Rule;

/// What comparing needs to know besides the line.
pub(super) struct Setting<'a> {
    pub(super) threads: &'a Threads,
    pub(super) launch: ThisLaunch,
    /// All readers are remembered, not only the newest.
    pub(super) all_readers: bool,
    /// The block whose shared memory it is; none for global memory.
    pub(super) owner: Option<BlockNumber>,
    pub(super) pending: &'a mut Vec<PendingRace>,
}

/// A weak read of the bytes that `new` covers in the line at `base`.
#[inline]
pub(super) fn read(
    line: &mut Line,
    base: u64,
    new: &Entry,
    who: &Observer<'_>,
    setting: &mut Setting<'_>,
) {
    let quiet = line.more.as_ref().is_none_or(|more| more.has_only_reads());
    let first = &line.first;
    let unwritten = !first.writes
        || first.cover() & new.cover() == 0
        || who.surely_after(first, new) && !new.read_only_path;
    if !(quiet && unwritten) {
        compare_weak(line, base, new, who, setting);
        compare_strong(line, base, new, who, setting);
    }
    let threads = setting.threads;
    let first = &mut line.first;
    let reads_beside = !first.writes && !first.is_empty();
    if reads_beside && first.block != new.block {
        who.rules.count(Rule::AllReaders);
    }
    if reads_beside && !setting.all_readers {
        *first = *new;
        return;
    }
    line.add_read(
        *new,
        |old| new.agent == Agent::Thread && who.surely_after(old, new),
        |old| old.warps().all(|warp| threads.is_permanent(old.block, warp.for_entry(), old.epoch)),
        setting.launch,
    );
}

/// Compares a weak write to the bytes that `new` covers in the line at `base`.
#[inline]
pub(super) fn compare_write(
    line: &Line,
    base: u64,
    new: &Entry,
    who: &Observer<'_>,
    setting: &mut Setting<'_>,
) {
    let cover = new.cover();
    let ordered =
        |old: &Entry| old.cover() & cover == 0 || who.surely_after(old, new) && !old.read_only_path;
    if line.more.is_none() && ordered(&line.first) {
        return;
    }
    compare_weak(line, base, new, who, setting);
    compare_strong(line, base, new, who, setting);
}

/// Compares with the weak accesses of a line: with all of them, or only with those that write.
#[inline(never)]
pub(super) fn compare_weak(
    line: &Line,
    base: u64,
    new: &Entry,
    who: &Observer<'_>,
    setting: &mut Setting<'_>,
) {
    for old in line.writes() {
        compare(old, base, new, who, setting);
    }
    if new.writes {
        for old in line.reads() {
            compare(old, base, new, who, setting);
        }
        for old in line.scattered_reads(new.cover()) {
            compare(&old, base, new, who, setting);
        }
    }
}

/// Compares with one entry.
fn compare(old: &Entry, base: u64, new: &Entry, who: &Observer<'_>, setting: &mut Setting<'_>) {
    let overlap = old.cover() & new.cover();
    if overlap == 0 || old.role == Role::Reduces && new.role == Role::Reduces {
        return;
    }
    if old.has_two_blocks() {
        for old in old.by_block().into_iter().flatten() {
            compare(&old, base, new, who, setting);
        }
        return;
    }
    if old.read_only_path && new.writes && !who.is_earlier(old.block) {
        for (pair, read_before) in who.pairs_with_read_only_path(old, new, overlap, base) {
            let conflict = conflict_of(old, new, &pair, setting.owner);
            setting.pending.push(PendingRace { read_before, ..conflict });
        }
        return;
    }
    let pairs = if new.read_only_path && !who.is_earlier(old.block) {
        // No order within a launch helps such a read to see a write, not even that of one thread.
        let address = base + u64::from(overlap.trailing_zeros());
        let first = |entry: &Entry| entry.lanes_at(address).trailing_zeros();
        let (old_lane, new_lane) = (first(old), first(new));
        let old_warp = WarpNumber::of_entry(old.warp);
        [Some(Pair { old_warp, old_lane, new_lane, address, further: 0 }), None]
    } else if who.surely_after(old, new) {
        return;
    } else {
        who.unordered_pairs(old, new, overlap, base)
    };
    for pair in pairs.into_iter().flatten() {
        setting.pending.push(conflict_of(old, new, &pair, setting.owner));
    }
}

/// Two lanes that race.
fn conflict_of(old: &Entry, new: &Entry, pair: &Pair, owner: Option<BlockNumber>) -> PendingRace {
    // What a lane copies next has another number.
    let same_event =
        old.agent == Agent::ThreadCopy && new.agent == Agent::ThreadCopy && old.is_same_event(new);
    let old = Side { warp: pair.old_warp, ..Side::of_entry(old, pair.old_lane) };
    let new = Side::of_entry(new, pair.new_lane);
    let conflict = PendingRace::new(old, new, pair.address, owner);
    PendingRace { further: pair.further, same_event, ..conflict }
}

/// Compares with strong accesses.
fn compare_strong(
    line: &Line,
    base: u64,
    new: &Entry,
    who: &Observer<'_>,
    setting: &mut Setting<'_>,
) {
    let Some(strong) = line.strong() else { return };
    let cover = new.cover();
    for sheet in &strong.sheets {
        if !who.knows_block(sheet.block, sheet.epoch) || new.read_only_path {
            let words = words_of(cover) & sheet.words;
            let entries = |word| sheet.entry(word);
            compare_words(words, entries, base, new, who, setting);
        }
    }
    if let Some(tally) = &strong.tally {
        let words = words_of(cover) & tally.words;
        compare_words(words, |word| tally.entries(word).next(), base, new, who, setting);
    }
    for location in strong.locations.iter().filter(|location| location.overlaps(cover)) {
        if new.read_only_path {
            let mut writes = location.entries.iter().rev().filter(|entry| entry.writes);
            if let Some(write) = writes.find(|entry| !who.is_earlier(entry.block)) {
                let address = base + u64::from((location.live & cover).trailing_zeros());
                let lane = new.lanes_at(address).trailing_zeros();
                let old = Side::of_strong(write, write.lanes.trailing_zeros());
                let new = Side::of_entry(new, lane);
                setting.pending.push(PendingRace::new(old, new, address, setting.owner));
                continue;
            }
        }
        if location.only_block.is_some_and(|block| who.knows_block(block, location.latest)) {
            continue;
        }
        let before = setting.pending.len();
        let mut compared = 0;
        let mut left = location.live & cover;
        while left != 0 && setting.pending.len() == before {
            let address = base + u64::from(left.trailing_zeros());
            left &= left - 1;
            let here = new.lanes_at(address) & !compared;
            compared |= here;
            for lane in warpsan_model::lanes(here) {
                compare_with_location(location, who, lane, new.writes, |old, old_lane| {
                    let old = Side::of_strong(old, old_lane);
                    let new = Side::of_entry(new, lane);
                    setting.pending.push(PendingRace::new(old, new, address, setting.owner));
                });
                if setting.pending.len() > before {
                    break;
                }
            }
        }
    }
}

/// Compares with reductions or updates that are alike: those of each word are one entry.
fn compare_words(
    words: u32,
    entry: impl Fn(u32) -> Option<StrongEntry>,
    base: u64,
    new: &Entry,
    who: &Observer<'_>,
    setting: &mut Setting<'_>,
) {
    for word in warpsan_model::lanes(words) {
        let Some(old) = entry(word) else { continue };
        let mut left = new.cover() & 0xf << (word * 4);
        while left != 0 {
            let address = base + u64::from(left.trailing_zeros());
            left &= left - 1;
            for lane in warpsan_model::lanes(new.lanes_at(address)) {
                let unordered = match new.read_only_path && !who.is_earlier(old.block) {
                    true => old.lanes,
                    false => who.unordered_with(&Past::of_strong(&old), lane),
                };
                if unordered != 0 {
                    let old = Side::of_strong(&old, unordered.trailing_zeros());
                    let new = Side::of_entry(new, lane);
                    setting.pending.push(PendingRace::new(old, new, address, setting.owner));
                    break;
                }
            }
        }
    }
}
