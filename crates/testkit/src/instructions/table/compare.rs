//! Manual, sections 9.7.6 and 9.7.7: `set` and `setp` with all comparisons.

use crate::instructions::Form;
use crate::instructions::ValueType::{self, *};

const SIGNED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: [&str; 10] = ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"];
const BITS: [&str; 2] = ["eq", "ne"];
const FLOAT: [&str; 14] =
    ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

/// A type that is compared: its name, its values, its comparisons, whether it has `.ftz`.
type Compared = (&'static str, ValueType, &'static [&'static str], bool);

const WORDS: [Compared; 11] = [
    ("b16", U16, &BITS, false),
    ("b32", U32, &BITS, false),
    ("b64", U64, &BITS, false),
    ("u16", U16, &UNSIGNED, false),
    ("u32", U32, &UNSIGNED, false),
    ("u64", U64, &UNSIGNED, false),
    ("s16", S16, &SIGNED, false),
    ("s32", S32, &SIGNED, false),
    ("s64", S64, &SIGNED, false),
    ("f32", F32, &FLOAT, true),
    ("f64", F64, &FLOAT, false),
];

const HALVES: [Compared; 2] = [("f16", F16, &FLOAT, true), ("bf16", Bf16, &FLOAT, false)];

const PAIRS: [Compared; 2] = [("f16x2", F16x2, &FLOAT, true), ("bf16x2", Bf16x2, &FLOAT, false)];

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for compared in WORDS.iter().chain(&HALVES) {
        for (flush, comparison) in comparisons(compared) {
            let (name, value, ..) = *compared;
            let opcode = format!("setp.{comparison}{flush}.{name}");
            list.push(Form::new(&opcode, &[value; 2], Predicate));
        }
        list.extend(combined(compared));
        list.extend(sets(compared));
    }
    for compared in &PAIRS {
        list.extend(pairs(compared));
    }
    list
}

/// The comparisons of a type, without and with `.ftz`.
fn comparisons((_, _, comparisons, flushes): &Compared) -> Vec<(&'static str, &'static str)> {
    let flushes: &[&str] = if *flushes { &["", ".ftz"] } else { &[""] };
    let of =
        |flush: &&'static str| comparisons.iter().map(|comparison| (*flush, *comparison)).collect();
    flushes.iter().flat_map(|flush| -> Vec<_> { of(flush) }).collect()
}

/// A second result and a predicate that is combined with the comparison: with two comparisons each.
fn combined(compared: &Compared) -> Vec<Form> {
    let (name, value, comparisons, flushes) = *compared;
    let last = comparisons[comparisons.len() - 1];
    let mut list = Vec::new();
    let operands = [value, value, Predicate];
    for combine in ["and", "or", "xor"] {
        for comparison in ["eq", last] {
            let flush = if flushes && comparison == last { ".ftz" } else { "" };
            for (negation, remark) in [("", ""), ("!", " (not c)")] {
                let opcode = format!("setp.{comparison}.{combine}{flush}.{name}");
                let two_results = !matches!(value, F16 | Bf16);
                let (registers, results) =
                    if two_results { ("d|e", vec![Predicate; 2]) } else { ("d", vec![Predicate]) };
                let code = format!("{opcode} {registers}, a, b, {negation}c;");
                list.push(Form::of_code(format!("{opcode}{remark}"), code, &operands, &results));
            }
        }
    }
    list
}

fn sets(compared: &Compared) -> Vec<Form> {
    let (name, value, ..) = *compared;
    let mut destinations = vec![("u32", U32), ("s32", S32)];
    match value {
        F16 | Bf16 => destinations.extend([("u16", U16), ("s16", S16)]),
        _ => destinations.push(("f32", F32)),
    }
    let halves = matches!(value, F16 | U16 | S16 | U32 | S32 | U64 | S64 | F32 | F64);
    if halves {
        destinations.push(("f16", F16));
    }
    if halves || value == Bf16 {
        destinations.push(("bf16", Bf16));
    }
    let mut list = Vec::new();
    for (destination, result) in destinations {
        for (index, (flush, comparison)) in comparisons(compared).into_iter().enumerate() {
            // A destination of 16 bits gets few comparisons: these are the same for all destinations.
            if matches!(destination, "f16" | "bf16" | "s16" | "s32") && index % 5 != 1 {
                continue;
            }
            // A destination of bf16 excludes `.ftz`, whatever is compared.
            if destination == "bf16" && !flush.is_empty() {
                continue;
            }
            let opcode = format!("set.{comparison}{flush}.{destination}.{name}");
            list.push(Form::new(opcode, &[value; 2], result));
        }
        for combine in ["and", "or", "xor"] {
            let opcode = format!("set.ne.{combine}.{destination}.{name}");
            list.push(Form::new(opcode, &[value, value, Predicate], result));
        }
    }
    list
}

fn pairs(compared: &Compared) -> Vec<Form> {
    let (name, value, ..) = *compared;
    let mut list = Vec::new();
    for (flush, comparison) in comparisons(compared) {
        let opcode = format!("setp.{comparison}{flush}.{name}");
        let code = format!("{opcode} d|e, a, b;");
        list.push(Form::of_code(opcode, code, &[value; 2], &[Predicate; 2]));
        for (destination, result) in [(name, value), ("u32", U32), ("s32", U32)] {
            let opcode = format!("set.{comparison}{flush}.{destination}.{name}");
            list.push(Form::new(opcode, &[value; 2], result));
        }
    }
    let operands = [value, value, Predicate];
    for combine in ["and", "or", "xor"] {
        let opcode = format!("setp.lt.{combine}.{name}");
        let code = format!("{opcode} d|e, a, b, c;");
        list.push(Form::of_code(opcode, code, &operands, &[Predicate; 2]));
        list.push(Form::new(format!("set.lt.{combine}.{name}.{name}"), &operands, value));
        list.push(Form::new(format!("set.lt.{combine}.u32.{name}"), &operands, U32));
    }
    list
}
