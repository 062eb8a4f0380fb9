//! Stored schedules: with other turns, numbers and letters.

use warpsan_oracle::random::Random;

use super::bytes::{edge, edit};
use super::case::{Case, FILE};
use super::inputs::Inputs;

pub(super) fn case(inputs: &Inputs, random: &mut Random) -> Case {
    let (program, schedule) = &inputs.schedules[random.index(inputs.schedules.len())];
    let mut contents = schedule.clone();
    let (what, damaged) = match random.below(8) {
        0 => {
            contents.truncate(random.index(contents.len().max(1)));
            ("cut off", contents.trim_ascii().is_empty())
        }
        1 => {
            contents = random.choose(&["", "\n\n", "nonsense", "replay:", "pct:99999:1"]).into();
            let is_schedule = contents.starts_with(b"replay:");
            ("replaced", !is_schedule)
        }
        2..=4 => {
            // Another number in place of one.
            let text = String::from_utf8_lossy(&contents).into_owned();
            let digits: Vec<usize> =
                text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
            if let Some(at) = (!digits.is_empty()).then(|| digits[random.index(digits.len())]) {
                contents.splice(at..=at, edge(random).to_string().into_bytes());
            }
            ("another number", false)
        }
        _ => {
            edit(random, &mut contents);
            ("bytes changed", false)
        }
    };
    let schedule = format!("@{FILE}");
    let arguments = ["check", "--quiet", "--timeout", "8", "--schedule", &schedule];
    let arguments = arguments.iter().map(|argument| (*argument).to_owned());
    Case {
        number: 0,
        what: format!("schedule, {what}"),
        contents,
        file_name: "mutated.schedule",
        arguments: arguments.chain([program.display().to_string()]).collect(),
        damaged,
        proof: None,
        other_codes: &[],
    }
}
