//! Manual, section 9.7.9: `cvt` between integers, and between integers and floating-point numbers.

use super::ROUNDINGS;
use crate::instructions::Form;
use crate::instructions::ValueType::{self, *};

/// The integers, with their bits.
const INTEGERS: [(&str, ValueType, u32); 8] = [
    ("u8", U8, 8),
    ("s8", S8, 8),
    ("u16", U16, 16),
    ("s16", S16, 16),
    ("u32", U32, 32),
    ("s32", S32, 32),
    ("u64", U64, 64),
    ("s64", S64, 64),
];

const FLOATS: [(&str, ValueType); 4] = [("f16", F16), ("bf16", Bf16), ("f32", F32), ("f64", F64)];

/// Roundings to an integer.
const INTEGER_ROUNDINGS: [&str; 4] = [".rni", ".rzi", ".rmi", ".rpi"];

pub(super) fn forms() -> Vec<Form> {
    let mut list = between_integers();
    for (float, value) in FLOATS {
        for (integer, other, bits) in INTEGERS {
            // There is no conversion between bf16 and bytes.
            if float == "bf16" && bits == 8 {
                continue;
            }
            list.extend(to_float((integer, other), (float, value)));
            list.extend(to_integer((float, value), (integer, other)));
        }
    }
    for source in FLOATS {
        for result in FLOATS {
            list.extend(between_floats(source, result));
        }
    }
    list
}

fn between_integers() -> Vec<Form> {
    let mut list = Vec::new();
    for (from, source, source_bits) in INTEGERS {
        for (to, result, result_bits) in INTEGERS {
            list.push(Form::new(format!("cvt.{to}.{from}"), &[source], result));
            // ptxas refuses `.sat` where no value is outside the range of the result.
            let same_sign = from[..1] == to[..1];
            let holds_all = same_sign && result_bits >= source_bits
                || from.starts_with('u') && result_bits > source_bits;
            if !holds_all {
                list.push(Form::new(format!("cvt.sat.{to}.{from}"), &[source], result));
            }
        }
    }
    list
}

fn to_float((from, source): (&str, ValueType), (to, result): (&str, ValueType)) -> Vec<Form> {
    let form =
        |modifiers: &str| Form::new(format!("cvt{modifiers}.{to}.{from}"), &[source], result);
    let mut list: Vec<Form> = ROUNDINGS.iter().map(|rounding| form(rounding)).collect();
    if to != "bf16" {
        list.push(form(".rn.sat"));
    }
    list
}

fn to_integer((from, source): (&str, ValueType), (to, result): (&str, ValueType)) -> Vec<Form> {
    let modifiers: &[&str] = match from {
        "f32" => &["", ".ftz", ".sat", ".ftz.sat"],
        "bf16" => &[""],
        _ => &["", ".sat"],
    };
    let mut list = Vec::new();
    for rounding in INTEGER_ROUNDINGS {
        for modifiers in modifiers {
            let opcode = format!("cvt{rounding}{modifiers}.{to}.{from}");
            list.push(Form::new(opcode, &[source], result));
        }
    }
    list
}

fn between_floats((from, source): (&str, ValueType), (to, result): (&str, ValueType)) -> Vec<Form> {
    let exact = result.bytes() > source.bytes();
    let roundings: &[&str] = if from == to {
        &["", ".rni", ".rzi", ".rmi", ".rpi"]
    } else if exact {
        &[""]
    } else {
        &ROUNDINGS
    };
    let flushes: &[&str] = if from == "f32" || to == "f32" { &["", ".ftz"] } else { &[""] };
    let saturations: &[&str] = if from == "bf16" || to == "bf16" { &[""] } else { &["", ".sat"] };
    let mut list = Vec::new();
    for rounding in roundings {
        for flush in flushes {
            for saturation in saturations {
                let opcode = format!("cvt{rounding}{flush}{saturation}.{to}.{from}");
                list.push(Form::new(opcode, &[source], result));
            }
        }
    }
    list
}
