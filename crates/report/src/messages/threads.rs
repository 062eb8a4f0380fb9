//! Sentences about races among threads of a process.

use super::{plural, verb};
use crate::race::Turn;
use crate::threads::shown_frame;
use crate::{
    AccessReport, AccessType, LockReport, Race, RaceKind, ThreadMemory, ThreadRace, ThreadSide,
    ThreadSummary,
};
use std::collections::BTreeSet;
use std::fmt::Write;
use warpsan_model::SourceFrame;

/// A stack that is longer, as of a recursion, is shown without its middle; JSON has all of it.
const MOST_FRAMES: usize = 48;
/// How much of such a stack is shown from the inside.
const INNERMOST: usize = 40;

/// What the race is, in one line.
pub(super) fn title(race: &Race, threads: &ThreadRace) -> String {
    let [one, other] =
        [threads.second.thread, threads.first.thread].map(|number| name_in(threads, number));
    let what = match race.kind {
        RaceKind::UseAfterFree => "use and free of",
        _ => "data race on",
    };
    let mut title = format!("{what} {}", memory(race, threads));
    if let (ThreadMemory::Heap { .. }, Some(block)) = (&threads.memory, &race.location.allocation) {
        let _ = write!(title, ", byte {}", block.offset);
    }
    format!("{title}, between {one} and {other}")
}

/// What they met in.
fn memory(race: &Race, threads: &ThreadRace) -> String {
    match (&threads.memory, &race.location.allocation) {
        (ThreadMemory::Heap { bytes, .. }, _) => {
            format!("a block of {} on the heap", plural(*bytes, "byte", "bytes"))
        }
        (_, Some(variable)) => format!("`{}`", variable.label),
        (ThreadMemory::Global { module }, None) => format!("a variable of {}", file_name(module)),
        (ThreadMemory::Stack { thread }, None) => {
            format!("the stack of {}", name_in(threads, *thread))
        }
        (ThreadMemory::ThreadLocal { thread }, None) => {
            format!("a thread-local variable of {}", name_in(threads, *thread))
        }
        (ThreadMemory::Other, None) => "memory".to_string(),
    }
}

/// Where the two accesses overlap.
pub(super) fn location(race: &Race, threads: &ThreadRace) -> String {
    let address = race.location.address;
    let mut text = match (&threads.memory, &race.location.allocation) {
        (ThreadMemory::Heap { .. }, Some(block)) => {
            format!("both access byte {} of {}", block.offset, memory(race, threads))
        }
        (ThreadMemory::Global { module }, Some(variable)) => {
            let file = file_name(module);
            let label = &variable.label;
            format!("both access `{label}` + {} bytes, a variable of {file}", variable.offset)
        }
        _ => format!("both access {}, at address {address}", memory(race, threads)),
    };
    if let ThreadMemory::Global { .. } = threads.memory
        && let Some(element) = race.element()
        && element.index > 0
    {
        let _ = write!(text, ": element {} of {} bytes", element.index, element.bytes);
    }
    if let ThreadMemory::Heap { freed, thread, .. } = &threads.memory {
        if let Some(thread) = thread {
            let _ = write!(text, ", allocated by {}", name_in(threads, *thread));
        }
        if *freed {
            text.push_str(", freed since");
        }
    }
    text
}

/// What one side does, and who it is.
pub(super) fn side(race: &Race, turn: Turn) -> String {
    let access = race.side(turn);
    let Some(side) = race.thread_side(turn) else { return verb(access).to_string() };
    let mut text = what(access);
    let _ = write!(text, " by {}", name(race, side.thread));
    if let Some(function) = side.function.as_deref().filter(|name| *name != verb(access)) {
        let _ = write!(text, ", in `{function}`");
    }
    text
}

fn what(access: &AccessReport) -> String {
    let mut text = verb(access).to_string();
    if !matches!(access.strength.as_str(), "plain" | "") {
        let _ = write!(text, " ({})", access.strength);
    }
    // How many they are was lost together with the stack; what is freed is the block.
    if access.bytes > 0 && access.access != AccessType::Free {
        let _ = write!(text, " of {}", plural(u64::from(access.bytes), "byte", "bytes"));
    }
    text
}

/// A side with its place, for readers who do not see its line.
pub(super) fn with_place(access: &AccessReport, text: String) -> String {
    match (&access.position, access.frames.first()) {
        (Some(position), _) => format!("{text}, at {position}"),
        (None, Some(frame)) => format!("{text}, in {} (no line information)", frame.function),
        (None, None) => format!("{text}, at an unknown place"),
    }
}

/// The stack of one side, one line for each call, from the inside out.
pub(super) fn stack(race: &Race, turn: Turn, side: &ThreadSide) -> Option<String> {
    let which = match turn {
        Turn::First => "first",
        Turn::Second => "second",
    };
    if side.stack_lost {
        return Some(format!(
            "the stack of the {which} access was lost: its thread keeps a record of its last accesses only, and this one \
             is older; --history keeps more of them"
        ));
    }
    let frames = &race.side(turn).frames;
    let mut lines = vec![format!("stack of the {which} access:")];
    let left_out = frames.len().saturating_sub(MOST_FRAMES);
    let calls = (0..).zip(frames).map(|(number, frame)| format!("  #{number} {}", call(frame)));
    for (number, call) in calls.enumerate() {
        match number.checked_sub(INNERMOST) {
            Some(0) if left_out > 0 => lines.push(format!("  … {left_out} more calls")),
            Some(behind) if behind < left_out => {}
            _ => lines.push(call),
        }
    }
    (!frames.is_empty()).then(|| lines.join("\n"))
}

fn call(frame: &SourceFrame) -> String {
    match &frame.position {
        Some(position) => format!("{} at {position}", frame.function),
        None => frame.function.to_string(),
    }
}

/// The locks that both sides held; what is not known is not spoken of.
pub(crate) fn locks(race: &Race) -> Option<String> {
    let threads = race.threads.as_ref()?;
    let [first, second] = [&threads.first, &threads.second];
    match (first.locks_lost, second.locks_lost) {
        (true, true) => return None,
        (true, false) => return Some(format!("the second access {}", held(&second.locks))),
        (false, true) => return Some(format!("the first access {}", held(&first.locks))),
        (false, false) => {}
    }
    if first.locks.is_empty() && second.locks.is_empty() {
        return Some("neither access is under a lock".to_string());
    }
    let (of_first, of_second) = (held(&first.locks), held(&second.locks));
    let both = format!("the first access {of_first}; the second {of_second}");
    Some(match has_common(first, second) {
        false => format!("no lock in common: {both}"),
        true => format!("{both}; a lock that is held for reading does not keep others out"),
    })
}

fn has_common(first: &ThreadSide, second: &ThreadSide) -> bool {
    let addresses = |side: &ThreadSide| -> BTreeSet<u64> {
        side.locks.iter().map(|lock| lock.address).collect()
    };
    !addresses(first).is_disjoint(&addresses(second))
}

fn held(locks: &[LockReport]) -> String {
    match locks {
        [] => "is under no lock".to_string(),
        [one] => format!("is under {}", lock(one)),
        several => {
            let all: Vec<String> = several.iter().map(lock).collect();
            format!("is under {} locks: {}", several.len(), all.join("; "))
        }
    }
}

fn lock(lock: &LockReport) -> String {
    let mut text = format!("the lock {:#x}", lock.address);
    if !lock.exclusive {
        text.push_str(" for reading");
    }
    if let Some(frame) = shown_frame(&lock.stack) {
        let place = match &frame.position {
            Some(position) => format!("at {position}"),
            None => format!("in {}", frame.function),
        };
        let _ = write!(text, ", taken {place}");
    }
    text
}

/// A thread as it is spoken of.
pub(crate) fn name(race: &Race, number: u32) -> String {
    match &race.threads {
        Some(threads) => name_in(threads, number),
        None => format!("thread {number}"),
    }
}

fn name_in(threads: &ThreadRace, number: u32) -> String {
    threads.name_of(number)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What was checked, in numbers.
pub(super) fn checked(summary: &ThreadSummary) -> String {
    format!(
        "{} of {}",
        plural(summary.threads, "thread", "threads"),
        plural(summary.processes, "process", "processes")
    )
}

/// What has no lines, and what to do about it.
pub(super) fn without_lines(file: &String) -> String {
    format!(
        "{file} has no line information, so that its source lines are not shown; build it with -g"
    )
}

/// Which detector looked at threads.
pub(super) fn detector(summary: &ThreadSummary) -> String {
    format!("detector {}, for threads", summary.detector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{frame, race_of_threads};

    #[test]
    fn the_middle_of_a_long_stack_is_left_out() {
        let mut race = race_of_threads();
        let lines = |race: &Race| {
            let side = race.thread_side(Turn::First).unwrap();
            stack(race, Turn::First, side).unwrap().lines().count()
        };
        race.first.frames = (0..48).map(|line| frame("f", "a.c", line)).collect();
        assert_eq!(lines(&race), 49);
        race.first.frames = (0..1000).map(|line| frame("f", "a.c", line)).collect();
        let side = race.thread_side(Turn::First).unwrap();
        let text = stack(&race, Turn::First, side).unwrap();
        assert!(text.contains("#39 ") && text.contains("  … 952 more calls\n  #992 "), "{text}");
        assert!(text.ends_with("#999 f at a.c:999:5"), "{text}");
        assert_eq!(lines(&race), 1 + 48 + 1);
    }

    #[test]
    fn a_lock_for_reading_is_no_order() {
        let mut race = race_of_threads();
        let threads = race.threads.as_mut().unwrap();
        threads.first.locks[0].exclusive = false;
        threads.second.locks = threads.first.locks.clone();
        let text = locks(&race).unwrap();
        assert!(text.contains("for reading") && !text.contains("no lock in common"), "{text}");
    }
}
