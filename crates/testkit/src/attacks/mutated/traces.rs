//! Traces: cut off, changed with and without right checksums.

use warpsan_oracle::random::Random;

use super::bytes::{edge, edit};
use super::case::{Case, FILE};
use super::inputs::Inputs;
use super::trace_file::TraceFile;

/// Where the version stands, which no checksum covers: an older one may be right.
const VERSION: std::ops::Range<usize> = 8..12;

pub(super) fn case(inputs: &Inputs, random: &mut Random) -> Case {
    let bytes = &inputs.traces[random.index(inputs.traces.len())];
    let (what, contents, damaged) = mutated(bytes, random);
    let detector = random.choose(&["hb", "iguard", "scord", "barracuda", "curd", "none"]);
    let arguments: Vec<&str> = match random.below(10) {
        0 => vec!["dump", FILE],
        1 => vec!["hardware", FILE],
        2 => vec!["replay", "--detector", detector, "--stats", "--format", "json", FILE],
        _ => vec!["replay", "--detector", detector, FILE],
    };
    Case {
        number: 0,
        what: format!("trace, {what}"),
        contents,
        file_name: "mutated.trace",
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        damaged,
        proof: None,
        other_codes: &[],
    }
}

/// What was done, the file, and whether no right file looks like it.
fn mutated(bytes: &[u8], random: &mut Random) -> (&'static str, Vec<u8>, bool) {
    let kind = random.below(10);
    if kind == 0 {
        return ("cut off", bytes[..random.index(bytes.len())].to_vec(), true);
    }
    if kind == 1 {
        let mut bytes = bytes.to_vec();
        let at = random.index(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        return ("one bit without a checksum", bytes, !VERSION.contains(&at));
    }
    let Some(mut file) = TraceFile::of(bytes) else {
        return ("not taken apart", bytes.to_vec(), false);
    };
    let frame = random.index(file.frames.len().max(1));
    let is_more = file.frames.get(frame).is_some_and(|contents| !contents.is_empty());
    let (what, damaged) = match kind {
        2 if is_more => {
            file.frames.remove(frame);
            ("a frame removed", true)
        }
        3 if is_more => {
            let again = file.frames[frame].clone();
            file.frames.push(again);
            ("a frame twice", true)
        }
        4 => {
            let before = file.items;
            file.items = edge(random);
            ("another number of items", before != file.items)
        }
        5 => {
            edit(random, &mut file.head);
            ("its head changed", false)
        }
        6 => {
            file.mark[8] = 1 + random.below(5) as u8;
            if let Some(contents) = file.frames.get_mut(frame) {
                edit(random, contents);
            }
            ("contents changed, of an older version", false)
        }
        _ => {
            if let Some(contents) = file.frames.get_mut(frame) {
                edit(random, contents);
            }
            ("contents changed", false)
        }
    };
    (what, file.bytes(), damaged)
}
