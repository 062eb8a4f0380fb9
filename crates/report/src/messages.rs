//! The sentences that several renderers share. Those that only races among threads have are in `messages/threads.rs`.

pub(crate) mod threads;

use crate::race::Turn;
use crate::{
    AccessOrder, AccessOrigin, AccessReport, AccessType, AlsoSeen, Limitation, Race, RaceGroup,
    RelatedSite, Report, Severity, Summary, SuppressionUse, Verdict,
};
use std::fmt::Write;
use warpsan_model::{SourcePosition, Space};

/// What the race is, in one line.
pub(crate) fn title(race: &Race) -> String {
    if race.first.access == AccessType::Barrier {
        return format!("block barrier that not all threads reach, in kernel `{}`", race.kernel);
    }
    if let Some(threads) = &race.threads {
        return threads::title(race, threads);
    }
    let mut title = match race.is_one_access() {
        true => "access out of bounds".to_string(),
        false => format!("race on {}", space(race)),
    };
    if let Some(allocation) = &race.location.allocation {
        let _ = write!(title, ", byte {} of {}", allocation.offset, allocation.label);
    }
    let _ = match race.second.origin {
        AccessOrigin::Kernel => write!(title, ", in kernel `{}`", race.kernel),
        AccessOrigin::ApiCall | AccessOrigin::Host | AccessOrigin::Thread => {
            write!(title, ", {}", side(race, Turn::Second))
        }
    };
    if race.same_value {
        title.push_str(" (both write the same value)");
    }
    title
}

fn space(race: &Race) -> &'static str {
    match race.location.space {
        Some(Space::Shared) => "shared memory",
        _ => "global memory",
    }
}

/// Where the two accesses overlap; nothing is said of barriers.
pub(crate) fn location(race: &Race) -> Option<String> {
    if race.first.access == AccessType::Barrier {
        return None;
    }
    if let Some(threads) = &race.threads {
        return Some(threads::location(race, threads));
    }
    let Some(allocation) = &race.location.allocation else {
        let who = if race.is_one_access() { "it accesses" } else { "both access" };
        return Some(format!("{who} address {} of {}", race.location.address, space(race)));
    };
    let who = if race.is_one_access() { "it accesses" } else { "both access" };
    let mut place = format!("{who} `{}` + {} bytes", allocation.label, allocation.offset);
    if let Some(element) = race.element() {
        let _ = write!(place, ": element {} of {} bytes", element.index, element.bytes);
    }
    Some(place)
}

/// What one side does, who it is, and whether it came first, where that was seen.
pub(crate) fn side_in_turn(race: &Race, turn: Turn) -> String {
    let said = if race.is_one_access() { AccessOrder::Unknown } else { race.order };
    let words = match (said, turn) {
        (AccessOrder::Unknown, _) => "",
        (_, Turn::First) => "first access: ",
        (AccessOrder::FirstThenSecond, Turn::Second) => "second access: ",
        (AccessOrder::NextPass, Turn::Second) => "second access, of the next pass of the loop: ",
    };
    format!("{words}{}", side(race, turn))
}

/// What one side does, and who it is.
fn side(race: &Race, turn: Turn) -> String {
    let access = race.side(turn);
    match access.origin {
        AccessOrigin::Thread => threads::side(race, turn),
        AccessOrigin::Host => format!("{} by the host", verb(access)),
        AccessOrigin::ApiCall => format!("{} by `{}`", verb(access), access.instruction),
        AccessOrigin::Kernel => format!(
            "{} by thread {} of block {} (warp {})",
            what(access),
            access.thread,
            access.block,
            access.warp
        ),
    }
}

fn what(access: &AccessReport) -> String {
    let bytes = plural(u64::from(access.bytes), "byte", "bytes");
    match access.strength.as_str() {
        strength if access.access == AccessType::Barrier => strength.to_string(),
        "weak" => format!("{} of {bytes}", verb(access)),
        strength => format!("{} ({strength}) of {bytes}", verb(access)),
    }
}

fn verb(access: &AccessReport) -> &'static str {
    match access.access {
        AccessType::Read => "read",
        AccessType::Write => "write",
        AccessType::Atomic => "atomic update",
        AccessType::Barrier => "barrier",
        AccessType::Free => "free",
    }
}

/// The place of a side in words, for readers who do not see its line.
pub(crate) fn place(position: Option<&SourcePosition>, ptx_line: u32, instruction: &str) -> String {
    match position {
        Some(position) => format!("at {position}"),
        None => format!("at PTX line {ptx_line}: `{instruction}` (no line information)"),
    }
}

/// A side with its place.
pub(crate) fn side_with_place(race: &Race, turn: Turn) -> String {
    let access = race.side(turn);
    if access.origin == AccessOrigin::Thread {
        return threads::with_place(access, side_in_turn(race, turn));
    }
    let place = place(access.position.as_ref(), access.ptx_line, &access.instruction);
    format!("{}, {place}", side_in_turn(race, turn))
}

/// What a reader of the lines could wonder about: a barrier may stand between them in the text.
pub(crate) fn next_pass(race: &Race) -> Option<&'static str> {
    (race.order == AccessOrder::NextPass).then_some(
        "the second access is of the next pass of the loop: what stands between the two lines in the text does not \
         stand between these two accesses",
    )
}

/// What the same pair of lines was seen as besides.
pub(crate) fn also_seen(race: &Race) -> impl Iterator<Item = String> {
    race.also_seen.iter().map(|also| {
        let mut text = format!("also seen as: {}", also_in_short(race, also));
        if also.advice != race.advice {
            let _ = write!(text, "; against that: {}", also.advice);
        }
        text
    })
}

fn also_in_short(race: &Race, also: &AlsoSeen) -> String {
    let AlsoSeen { kind, severity, count, .. } = also;
    match *severity == race.severity {
        true => format!("{kind}, {}", times(*count)),
        false => format!("{kind} ({}), {}", severity.name(), times(*count)),
    }
}

/// The other races of a group, as a list of lines.
pub(crate) fn same_cause(group: &RaceGroup<'_>) -> Vec<String> {
    if group.rest.is_empty() {
        return Vec::new();
    }
    let more = plural(group.rest.len() as u64, "more pair of lines", "more pairs of lines");
    let mut lines = vec![format!("the same cause: {more}")];
    lines.extend(group.rest.iter().map(|race| format!("  {}", in_short(race, group.first))));
    lines
}

/// A race in one line, below one of the same cause.
pub(crate) fn in_short(race: &Race, shown: &Race) -> String {
    let side = |access: &AccessReport| match &access.position {
        Some(position) => format!("{} at {}:{}", verb(access), position.file, position.line),
        None if access.origin == AccessOrigin::Thread => {
            threads::with_place(access, verb(access).to_string())
        }
        None => format!("{} at PTX line {}", verb(access), access.ptx_line),
    };
    let (first, second) = (side(&race.first), side(&race.second));
    let mut text = match race.order {
        AccessOrder::Unknown => format!("{first} and {second}"),
        AccessOrder::FirstThenSecond => format!("{first}, then {second}"),
        AccessOrder::NextPass => format!("{first}, then {second} of the next pass"),
    };
    if race.kernel != shown.kernel && race.threads.is_none() {
        let _ = write!(text, ", in kernel `{}`", race.kernel);
    }
    if race.severity != shown.severity {
        let _ = write!(text, " ({})", race.severity.name());
    }
    let _ = write!(text, ", {}", times(race.count));
    for also in &race.also_seen {
        let _ = write!(text, "; also as {}", also_in_short(race, also));
    }
    text
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_string(),
        count => format!("{count} times"),
    }
}

/// A related place in words.
pub(crate) fn related_with_place(site: &RelatedSite) -> String {
    // A place in code of the host that has no lines.
    if site.position.is_none() && site.ptx_line == 0 {
        return format!("{}, in {} (no line information)", site.message, site.instruction);
    }
    let place = place(site.position.as_ref(), site.ptx_line, &site.instruction);
    format!("{}, {place}", site.message)
}

/// How the function that a line lies in came into the kernel, where it was inlined; the stack of a thread.
pub(crate) fn way(race: &Race, turn: Turn) -> Option<String> {
    match race.thread_side(turn) {
        Some(of_thread) => threads::stack(race, turn, of_thread),
        None => inlining(race.side(turn)),
    }
}

fn inlining(access: &AccessReport) -> Option<String> {
    let (function, outer) = (access.function()?, access.inlined_at());
    if outer.is_empty() {
        return None;
    }
    let mut chain = format!("this {} is in `{function}`", verb(access));
    for frame in outer {
        match &frame.position {
            Some(position) => {
                let _ = write!(chain, ", inlined at {position} in `{}`", frame.function);
            }
            None => {
                let _ = write!(chain, ", inlined in `{}`", frame.function);
            }
        }
    }
    Some(chain)
}

/// How often it was seen, and what shows it again.
pub(crate) fn again(race: &Race, command: Option<&str>) -> String {
    let seen = format!("seen {}", times(race.count));
    match command {
        Some(command) if race.threads.is_some() => {
            format!("{seen}; the command was: {command} (another run may take another course)")
        }
        None if race.threads.is_some() => seen,
        Some(command) => format!(
            "{seen}; to see it again: {command} (launch {} of the process)",
            race.replay.launch
        ),
        None => format!("{seen}; with seed {}, in launch {}", race.replay.seed, race.replay.launch),
    }
}

/// Everything about a race in plain lines.
pub(crate) fn whole_race(report: &Report, race: &Race) -> Vec<String> {
    let mut lines = vec![title(race)];
    for turn in race.turns() {
        lines.push(side_with_place(race, *turn));
        lines.extend(way(race, *turn));
    }
    lines.extend(race.related.iter().map(related_with_place));
    lines.extend(location(race));
    lines.extend(threads::locks(race));
    lines.extend(next_pass(race).map(str::to_string));
    lines.push(race.reason.clone());
    lines.push(race.advice.clone());
    lines.extend(also_seen(race));
    lines.push(again(race, report.replay_command(race)));
    lines
}

/// Everything about the races of one cause in plain lines.
pub(crate) fn whole_group(report: &Report, group: &RaceGroup<'_>) -> Vec<String> {
    let mut lines = whole_race(report, group.first);
    lines.extend(same_cause(group));
    lines
}

/// What was and what was not checked, one sentence for each line.
pub(crate) fn summary(report: &Report) -> Vec<String> {
    let summary = &report.summary;
    let mut lines = Vec::new();
    lines.extend(summary.program.clone());
    // A process may have both, kernels and threads.
    let unended_with_threads = summary.threads.as_ref().map_or(0, |all| all.unended_processes);
    lines.extend(unended(summary.unended_processes.max(unended_with_threads)));
    for kernel in &summary.without_line_information {
        lines.push(format!(
            "kernel `{kernel}` has no line information, so that its source lines are not shown; \
             compile with -lineinfo"
        ));
    }
    let files = summary.threads.iter().flat_map(|threads| &threads.without_line_information);
    lines.extend(files.map(threads::without_lines));
    for source in &summary.unreadable_sources {
        lines.push(format!("lines of {} are not shown: {}", source.file, source.reason));
    }
    lines.extend(report.limitations.iter().map(limitation));
    lines.push(verdict(report));
    lines.extend(unwatched(summary.unwatched_launches));
    lines.extend(suppressed(report));
    lines.extend(library(report));
    lines.extend(summary.threads.as_ref().map(threads::detector));
    if summary.threads.is_none() || summary.processes > 0 {
        lines.push(format!(
            "detector {}, engine {}, {}",
            summary.detector,
            summary.engine,
            seeds(summary.seed, &summary.seeds)
        ));
    }
    lines
}

fn verdict(report: &Report) -> String {
    let summary = &report.summary;
    let found = found(report);
    let checked = checked(summary);
    let of_threads = summary.threads.as_ref();
    let without_detection = match of_threads {
        // Where there are both, one of the detectors may have looked.
        Some(threads) if launches(summary) > 0 => {
            threads.without_detection && summary.without_detection
        }
        Some(threads) => threads.without_detection,
        None => summary.without_detection,
    };
    match (report.verdict(false), report.not_covered.len()) {
        (Verdict::Clean, _) if launches(summary) == 0 && of_threads.is_none() => {
            "no CUDA kernel was launched".to_string()
        }
        (_, 0) if without_detection => {
            let detector = of_threads.map_or(&summary.detector, |threads| &threads.detector);
            match report.races.len() as u64 {
                0 if summary.was_safe => format!(
                    "it ran {checked} on private copies, where races do no harm; they were not looked for"
                ),
                0 => {
                    format!(
                        "nothing was checked, as the detector `{detector}` asks; it ran {checked}"
                    )
                }
                // Without a detector only the engine itself finds anything.
                count => format!(
                    "{} found; races were not looked for, as the detector `{detector}` asks; it ran {checked}",
                    plural(count, "access out of bounds", "accesses out of bounds")
                ),
            }
        }
        (_, 0) if summary.unwatched_launches > 0 => {
            format!("{found} in what was to be checked: {checked}")
        }
        (_, 0) if report.limitations.is_empty() => {
            format!("{found}; everything was checked: {checked}")
        }
        (_, 0) => format!(
            "{found}; everything was checked that the engine {} checks: {checked}",
            summary.engine
        ),
        (_, missing) => format!(
            "{found}, but {} not checked; checked: {checked}",
            plural(missing as u64, "thing was", "things were")
        ),
    }
}

/// What was checked, in numbers.
fn checked(summary: &Summary) -> String {
    let threads = summary.threads.as_ref().map(threads::checked);
    if let Some(threads) = threads.as_ref().filter(|_| launches(summary) == 0) {
        return threads.clone();
    }
    let mut checked = format!(
        "{} of {}",
        plural(summary.launches, "launch", "launches"),
        plural(summary.kernels.len() as u64, "kernel", "kernels"),
    );
    // A GPU does not count them.
    if summary.engine != "gpu" || summary.accesses > 0 {
        checked += &format!(", {}", plural(summary.accesses, "access", "accesses"));
    }
    match threads {
        Some(threads) => format!("{checked}; {threads}"),
        None => checked,
    }
}

fn launches(summary: &Summary) -> u64 {
    summary.launches + summary.unwatched_launches
}

/// What the engine checks in no program.
fn limitation(limitation: &Limitation) -> String {
    format!("{}; {}", limitation.what, limitation.advice)
}

/// How many races there are, and how bad they are where not all are errors.
fn found(report: &Report) -> String {
    let races = &report.races;
    let out_of_bounds = races.iter().filter(|race| race.is_one_access()).count() as u64;
    let accesses = plural(out_of_bounds, "access out of bounds", "accesses out of bounds");
    let causes = report.groups().len();
    let mut found = match (races.len() as u64 - out_of_bounds, out_of_bounds) {
        (0, 0) => return "no races found".to_string(),
        (0, _) => format!("{accesses} found, and no races"),
        (count, 0) => format!("{} found", plural(count, "race", "races")),
        (count, _) => format!("{} and {accesses} found", plural(count, "race", "races")),
    };
    if causes < races.len() {
        let _ = write!(found, ", of {}", plural(causes as u64, "cause", "causes"));
    }
    let of = |severity| races.iter().filter(|race| race.severity == severity).count() as u64;
    let counts = [
        (of(Severity::Error), "error", "errors"),
        (of(Severity::Warning), "warning", "warnings"),
        (of(Severity::Info), "for information", "for information"),
    ];
    if counts[0].0 == races.len() as u64 {
        return found;
    }
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| plural(count, one, many))
        .collect();
    format!("{found} ({})", counts.join(", "))
}

/// Nobody knows what such a process would have done.
fn unended(processes: u64) -> Option<String> {
    let ended = plural(processes, "process ended", "processes ended");
    (processes > 0).then(|| {
        format!("{ended} by a signal, _exit or exec; what was done until then is in the report")
    })
}

/// What the user did not want to be checked is not spoken of by "no races".
fn unwatched(launches: u64) -> Option<String> {
    let ran = plural(launches, "launch ran without being", "launches ran without being");
    (launches > 0).then(|| format!("{ran} checked, as the flags for kernels and launches ask"))
}

fn suppressed(report: &Report) -> Option<String> {
    let seen = seen_in_all(report.suppressed.iter().map(|one| &one.race));
    match report.suppressed.len() {
        0 => None,
        1 => Some(format!("1 race was suppressed, seen {seen}")),
        count => Some(format!("{count} races were suppressed, seen {seen}")),
    }
}

/// What is inside of the toolkit's headers is kept, and not shown.
fn library(report: &Report) -> Option<String> {
    let races = plural(report.library.len() as u64, "race", "races");
    let seen = seen_in_all(&report.library);
    (!report.library.is_empty()).then(|| {
        format!(
            "{races} within NVIDIA's own headers, seen {seen}, not shown; --library-code=show shows them"
        )
    })
}

fn seen_in_all<'a>(races: impl IntoIterator<Item = &'a Race>) -> String {
    let sum = |sum: u64, race: &Race| sum.saturating_add(race.occurrences());
    plural(races.into_iter().fold(0, sum), "time", "times")
}

/// A suppression that did nothing.
pub(crate) fn unused_suppression(unused: &SuppressionUse) -> String {
    let SuppressionUse { file, line, text, .. } = unused;
    format!("the suppression at {file}:{line} was not used: {text}")
}

/// The seeds, those that follow one another as a range.
fn seeds(only: u64, seeds: &[u64]) -> String {
    if seeds.len() < 2 {
        return format!("seed {}", seeds.first().unwrap_or(&only));
    }
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &seed in seeds {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(seed) => *last = seed,
            _ => ranges.push((seed, seed)),
        }
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        })
        .collect();
    format!("{} seeds: {}", seeds.len(), ranges.join(", "))
}

/// A count with its noun.
pub(crate) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
