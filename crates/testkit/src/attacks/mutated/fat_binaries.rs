//! Fat binaries: with other sizes, flags and data. They are listed, and loaded by a program that runs their kernel.

use warpsan_oracle::random::Random;

use super::bytes::{edge, edit, write_number};
use super::case::{Case, FILE};
use super::inputs::Inputs;

/// Numbers in the header of a container, and of an entry behind it: where, and how wide.
const FIELDS: [(usize, usize); 15] = [
    (0, 4),
    (4, 2),
    (6, 2),
    (8, 8),
    (16, 2),
    (20, 4),
    (24, 8),
    (32, 4),
    (36, 4),
    (44, 4),
    (48, 4),
    (52, 4),
    (56, 8),
    (72, 8),
    (80, 8),
];

pub(super) fn case(inputs: &Inputs, random: &mut Random) -> Case {
    let mut contents = inputs.fat_binaries[random.index(inputs.fat_binaries.len())].clone();
    let what = match random.below(8) {
        0 => {
            contents.truncate(random.index(contents.len()));
            "cut off"
        }
        1..=4 => {
            for _ in 0..=random.below(2) {
                let (at, width) = random.choose(&FIELDS);
                write_number(&mut contents, at, edge(random), width);
            }
            "other numbers in its headers"
        }
        _ => {
            edit(random, &mut contents);
            "bytes changed"
        }
    };
    let program = inputs.program.as_ref().filter(|_| random.below(3) > 0);
    let arguments: Vec<String> = match program {
        Some(program) => {
            let how = random.choose(&["file", "memory", "registered"]);
            let program = program.display().to_string();
            ["run", "--quiet", "--timeout", "8", "--", &program, how, FILE]
                .map(str::to_owned)
                .into()
        }
        None => ["ptx", FILE].map(str::to_owned).into(),
    };
    Case {
        number: 0,
        what: format!("fat binary, {what}"),
        contents,
        file_name: "mutated.fatbin",
        arguments,
        damaged: false,
        proof: program.map(|_| "the kernel ran"),
        // What the program says of errors, of wrong results and of what is no fat binary.
        other_codes: &[7, 8, 9],
    }
}
