//! PTX text: lines moved, numbers at their limits, bytes changed, cut off.

use warpsan_oracle::random::Random;

use super::bytes::{edge, edit};
use super::case::{Case, FILE};
use super::inputs::Inputs;

pub(super) fn case(inputs: &Inputs, random: &mut Random) -> Case {
    let text = &inputs.texts[random.index(inputs.texts.len())];
    // The first line says how to launch the kernel, and stays.
    let (launch, code) = text.split_once('\n').unwrap_or_default();
    let (what, code, damaged) = mutated(code, random);
    let contents = [launch.as_bytes(), b"\n", &code].concat();
    let arguments: Vec<&str> = match random.below(4) {
        0 => vec!["ptx", FILE],
        _ => vec!["check", "--quiet", "--timeout", "8", FILE],
    };
    let damaged = damaged && arguments[0] == "check";
    Case {
        number: 0,
        what: format!("PTX, {what}"),
        contents,
        file_name: "mutated.ptx",
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        damaged,
        proof: None,
        other_codes: &[],
    }
}

/// What was done, the text, and whether no right text looks like it.
fn mutated(code: &str, random: &mut Random) -> (&'static str, Vec<u8>, bool) {
    let mut lines: Vec<String> = code.lines().map(str::to_owned).collect();
    let at = random.index(lines.len().max(1));
    let other = random.index(lines.len().max(1));
    let what = match random.below(8) {
        0 => {
            let end = random.index(code.len().max(1));
            let cut = &code.as_bytes()[..end];
            let count = |byte: u8| cut.iter().filter(|found| **found == byte).count();
            return ("cut off", cut.to_vec(), count(b'{') != count(b'}'));
        }
        1 => {
            let mut bytes = code.as_bytes().to_vec();
            edit(random, &mut bytes);
            return ("bytes changed", bytes, false);
        }
        2 => {
            lines.remove(at);
            "a line removed"
        }
        3 => {
            let line = lines[other].clone();
            lines.insert(at, line);
            "a line twice"
        }
        4 => {
            lines.swap(at, other);
            "lines swapped"
        }
        _ => {
            for _ in 0..=random.below(3) {
                let at = random.index(lines.len());
                let number = match random.below(3) {
                    0 => format!("0x{:x}", edge(random)),
                    1 => format!("-{}", edge(random)),
                    _ => edge(random).to_string(),
                };
                lines[at] = with_number(&lines[at], &number, random);
            }
            "other numbers"
        }
    };
    (what, lines.join("\n").into_bytes(), false)
}

/// The line with another number in place of one, if it has any.
fn with_number(line: &str, number: &str, random: &mut Random) -> String {
    let starts: Vec<usize> = line
        .char_indices()
        .filter(|(at, c)| {
            let before = line[..*at].chars().next_back();
            c.is_ascii_digit() && !before.is_some_and(|before| before.is_ascii_digit())
        })
        .map(|(at, _)| at)
        .collect();
    if starts.is_empty() {
        return line.to_owned();
    }
    let start = starts[random.index(starts.len())];
    let end = line[start..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |at| start + at);
    format!("{}{number}{}", &line[..start], &line[end..])
}
