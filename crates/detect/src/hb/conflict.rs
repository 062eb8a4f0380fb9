//! Which of the accesses that a location remembers a new one races with.

use super::classify::Conflict;
use super::history::{History, Record};
use super::sync::Synchronisation;
use std::sync::Arc;
use warpsan_model::lanes;
use warpsan_report::Severity;

/// The worst conflict of an access with those before it.
pub(super) fn conflict(
    history: &History,
    new: &Record,
    threads: &mut Synchronisation,
) -> Option<Conflict> {
    if let Some(conflict) = read_only_conflict(history, new) {
        return Some(conflict);
    }
    let nothing_to_race_with = history.write.is_none()
        && (history.reads.is_empty() || !new.writes)
        && history.strong.is_empty();
    if nothing_to_race_with {
        return None;
    }
    let mut worst = None;
    for lane in lanes(new.mask) {
        let thread = new.thread(lane);
        let view = Arc::clone(&threads.thread(thread).view);
        let races_with = |old: &Record| {
            let unordered = old.unordered(thread, &view);
            (unordered != 0).then(|| Conflict::new(*old, unordered, new, lane))
        };
        for write in history.write.iter().chain(&history.siblings) {
            raise(&mut worst, races_with(write));
        }
        if new.writes {
            for read in &history.reads {
                if is_error(&worst) {
                    break;
                }
                raise(&mut worst, races_with(read));
            }
        }
        let plain = !history.mixed
            && new.is_plainly_strong()
            && history.strong.last().is_none_or(|last| last.same_range(new));
        if !plain && !is_error(&worst) {
            raise(&mut worst, strong_conflict(history, new, races_with));
        }
        if is_error(&worst) {
            break;
        }
    }
    worst
}

/// Keeps the more severe of two.
fn raise(worst: &mut Option<Conflict>, found: Option<Conflict>) {
    if let Some(found) = found
        && worst.is_none_or(|known| known.severity < found.severity)
    {
        *worst = Some(found);
    }
}

/// Nothing is worse than an error, so looking further is no use.
fn is_error(worst: &Option<Conflict>) -> bool {
    worst.is_some_and(|conflict| conflict.severity == Severity::Error)
}

/// Strong accesses, newest first. A write that an ordered access has observed is ordered too, and so
/// are those before it, as long as each was observed by the next: a plain store ends the chain.
fn strong_conflict(
    history: &History,
    new: &Record,
    races_with: impl Fn(&Record) -> Option<Conflict>,
) -> Option<Conflict> {
    let mut observed = false;
    let mut worst = None;
    for old in history.strong.iter().rev() {
        if observed && old.writes {
            observed = old.atomic;
            continue;
        }
        let Some(found) = races_with(old) else {
            observed |= old.observes;
            continue;
        };
        observed |= old.observes && found.partly_ordered;
        let harmless = old.morally_strong(new) && !old.is_volatile() && !new.is_volatile();
        if (new.writes || old.writes) && !harmless {
            raise(&mut worst, Some(found));
            if is_error(&worst) {
                break;
            }
        }
    }
    worst
}

/// Another lane of the same store has written the location.
pub(super) fn same_event_conflict(history: &History, new: &Record) -> Option<Conflict> {
    let old = history.write.filter(|old| old.event == new.event)?;
    Some(Conflict::new(old, old.mask, new, new.mask.trailing_zeros()))
}

/// The read-only path sees no writes of the same launch, however they are ordered.
fn read_only_conflict(history: &History, new: &Record) -> Option<Conflict> {
    let lane = new.mask.trailing_zeros();
    let old = if new.read_only_path {
        history.write.iter().chain(&history.strong).find(|old| old.writes)
    } else if new.writes {
        history.reads.iter().find(|old| old.read_only_path)
    } else {
        None
    }?;
    Some(Conflict::new(*old, old.mask, new, lane))
}
