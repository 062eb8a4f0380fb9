//! Places of a race in the words of SARIF.

use crate::race::Turn;
use crate::{Race, RaceGroup, messages};
use serde_sarif::sarif::{
    ArtifactContent, ArtifactLocation, CodeFlow, Location, LogicalLocation, Message,
    PhysicalLocation, Region, ThreadFlow, ThreadFlowLocation,
};
use std::fmt::Write;
use warpsan_model::SourcePosition;

/// What relative paths are relative to; whoever reads the log knows where that is.
const ROOT: &str = "%SRCROOT%";

/// The place that a result is shown at: the second access, or the first if only that one has a line.
pub(super) fn locations(race: &Race) -> Vec<Location> {
    let [shown, _] = turns(race);
    let mut location = side(race, shown);
    let kernel = LogicalLocation::builder()
        .name(race.kernel.as_str())
        .fully_qualified_name(race.kernel.as_str())
        .kind("function")
        .build();
    location.logical_locations = Some(vec![kernel]);
    vec![location]
}

/// The other side, third places, and both sides of further races of the same cause.
pub(super) fn related_locations(group: &RaceGroup<'_>) -> Vec<Location> {
    let race = group.first;
    let [_, other] = turns(race);
    let mut all = Vec::new();
    if !race.is_one_access() {
        all.push(side(race, other));
    }
    for site in &race.related {
        let position = site.position.as_ref();
        all.push(place(position, site.source_line.as_deref(), &messages::related_with_place(site)));
    }
    for further in &group.rest {
        for turn in turns(further) {
            let access = further.side(turn);
            let what = messages::side_with_place(further, turn);
            let message = format!("the same cause: {what}");
            all.push(place(access.position.as_ref(), access.source_line.as_deref(), &message));
        }
    }
    for (id, location) in (1..).zip(&mut all) {
        location.id = Some(id);
    }
    all
}

/// The side that is shown, and the other one.
fn turns(race: &Race) -> [Turn; 2] {
    match race.second.position.is_some() || race.first.position.is_none() {
        true => [Turn::Second, Turn::First],
        false => [Turn::First, Turn::Second],
    }
}

/// The way of both threads to their accesses, through the functions that were called or inlined; only where
/// both have lines.
pub(super) fn code_flow(race: &Race) -> Option<CodeFlow> {
    if race.is_one_access() {
        return None;
    }
    let flows = [Turn::First, Turn::Second].map(|turn| thread_flow(race, turn));
    let [Some(first), Some(second)] = flows else { return None };
    Some(CodeFlow::builder().thread_flows(vec![first, second]).build())
}

fn thread_flow(race: &Race, turn: Turn) -> Option<ThreadFlow> {
    let access = race.side(turn);
    access.position.as_ref()?;
    let calls = access.inlined_at().iter().rev().filter_map(|frame| {
        let position = frame.position.as_ref()?;
        Some(place(Some(position), None, &format!("in `{}`", frame.function)))
    });
    let steps = calls
        .chain([side(race, turn)])
        .map(|location| ThreadFlowLocation::builder().location(location).build());
    let id = match race.thread_side(turn) {
        Some(side) => messages::threads::name(race, side.thread),
        None => format!("thread {} of block {}", access.thread, access.block),
    };
    Some(ThreadFlow::builder().id(id).locations(steps.collect::<Vec<_>>()).build())
}

fn side(race: &Race, turn: Turn) -> Location {
    let access = race.side(turn);
    let line = access.source_line.as_deref();
    place(access.position.as_ref(), line, &messages::side_with_place(race, turn))
}

fn place(position: Option<&SourcePosition>, line: Option<&str>, message: &str) -> Location {
    let mut location = Location::builder().message(Message::from(message)).build();
    location.physical_location = position.map(|position| physical(position, line));
    location
}

fn physical(position: &SourcePosition, line: Option<&str>) -> PhysicalLocation {
    let mut region = Region::builder().build();
    region.start_line = Some(i64::from(position.line));
    region.start_column = (position.column > 0).then(|| i64::from(position.column));
    region.snippet = line.map(|line| ArtifactContent::builder().text(line).build());
    PhysicalLocation::builder().artifact_location(artifact(&position.file)).region(region).build()
}

fn artifact(file: &str) -> ArtifactLocation {
    match file.starts_with('/') {
        true => ArtifactLocation::builder().uri(format!("file://{}", encoded(file))).build(),
        false => ArtifactLocation::builder().uri(encoded(file)).uri_base_id(ROOT).build(),
    }
}

/// A path as a part of a URI.
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(encoded("a b/ü%.cu"), "a%20b/%C3%BC%25.cu");
        let absolute = artifact("/src/a.cu");
        assert_eq!(
            (absolute.uri.as_deref(), absolute.uri_base_id),
            (Some("file:///src/a.cu"), None)
        );
        assert_eq!(artifact("a.cu").uri_base_id.as_deref(), Some(ROOT));
    }
}
