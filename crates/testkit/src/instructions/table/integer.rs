//! Manual, section 9.7.1: integer arithmetic.

use crate::instructions::Form;
use crate::instructions::ValueType::{self, *};

/// The types of most instructions.
const TYPES: [(&str, ValueType); 6] =
    [("u16", U16), ("s16", S16), ("u32", U32), ("s32", S32), ("u64", U64), ("s64", S64)];

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for (name, value) in TYPES {
        for opcode in ["add", "sub", "mul.lo", "mul.hi", "min", "max"] {
            list.push(Form::new(format!("{opcode}.{name}"), &[value; 2], value));
        }
        for opcode in ["mad.lo", "mad.hi", "sad"] {
            list.push(Form::new(format!("{opcode}.{name}"), &[value; 3], value));
        }
        list.extend(divisions(name, value));
        if name.starts_with('s') {
            list.push(Form::new(format!("abs.{name}"), &[value], value));
            list.push(Form::new(format!("neg.{name}"), &[value], value));
        }
    }
    for (name, value, wide) in
        [("u16", U16, U32), ("s16", S16, S32), ("u32", U32, U64), ("s32", S32, S64)]
    {
        list.push(Form::new(format!("mul.wide.{name}"), &[value; 2], wide));
        list.push(Form::new(format!("mad.wide.{name}"), &[value, value, wide], wide));
    }
    for opcode in ["add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s32"] {
        list.push(Form::new(opcode, &[S32; 2], S32));
    }
    list.push(Form::new("mad.hi.sat.s32", &[S32; 3], S32));
    list.push(Form::new("mad24.hi.sat.s32", &[S32; 3], S32));
    for (name, value) in [("u32", U32), ("s32", S32)] {
        for part in ["lo", "hi"] {
            list.push(Form::new(format!("mul24.{part}.{name}"), &[value; 2], value));
            list.push(Form::new(format!("mad24.{part}.{name}"), &[value; 3], value));
        }
    }
    for name in ["u16x2", "s16x2"] {
        for opcode in ["add", "min", "max"] {
            list.push(Form::new(format!("{opcode}.{name}"), &[U16x2; 2], U16x2));
        }
    }
    list.push(Form::new("min.relu.s16x2", &[U16x2; 2], U16x2));
    list.push(Form::new("max.relu.s16x2", &[U16x2; 2], U16x2));
    list.extend(dot_products());
    list
}

fn divisions(name: &str, value: ValueType) -> Vec<Form> {
    let divisor = match value.bytes() {
        2 => NonZero16,
        4 => NonZero32,
        _ => NonZero64,
    };
    let mut list = Vec::new();
    for opcode in ["div", "rem"] {
        list.push(Form::new(format!("{opcode}.{name}"), &[value, divisor], value));
        // What a division by zero gives depends on the machine; this is what sm_90 gives. The second
        // operand is loaded and cleared, so that the form has the shape of the others.
        let code = format!("and.b{} b, b, 0;\n{opcode}.{name} d, a, b;", 8 * value.bytes());
        list.push(Form::of_code(format!("{opcode}.{name} (by zero)"), code, &[value; 2], &[value]));
    }
    list
}

fn dot_products() -> Vec<Form> {
    let mut list = Vec::new();
    for first in ["u32", "s32"] {
        for second in ["u32", "s32"] {
            let signed = first == "s32" || second == "s32";
            let sum = if signed { S32 } else { U32 };
            list.push(Form::new(format!("dp4a.{first}.{second}"), &[U8x4, U8x4, sum], sum));
            for part in ["lo", "hi"] {
                let opcode = format!("dp2a.{part}.{first}.{second}");
                list.push(Form::new(opcode, &[U16x2, U8x4, sum], sum));
            }
        }
    }
    list
}
