//! Manual, sections 9.7.3 and 9.7.5: floating-point arithmetic in single and double precision that is exact.

use super::ROUNDINGS;
use crate::instructions::ValueType::*;
use crate::instructions::{Form, Rule};

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for rounding in [""].iter().chain(&ROUNDINGS) {
        for opcode in ["add", "sub", "mul"] {
            for modifiers in ["", ".ftz", ".sat", ".ftz.sat"] {
                list.push(Form::new(format!("{opcode}{rounding}{modifiers}.f32"), &[F32; 2], F32));
            }
            list.push(
                Form::new(format!("{opcode}{rounding}.f64"), &[F64; 2], F64).with_rule(Rule::Value),
            );
        }
    }
    for rounding in ROUNDINGS {
        for opcode in ["fma", "mad"] {
            for modifiers in ["", ".ftz", ".sat", ".ftz.sat"] {
                list.push(Form::new(format!("{opcode}{rounding}{modifiers}.f32"), &[F32; 3], F32));
            }
            list.push(
                Form::new(format!("{opcode}{rounding}.f64"), &[F64; 3], F64).with_rule(Rule::Value),
            );
        }
        for flush in ["", ".ftz"] {
            list.push(Form::new(format!("div{rounding}{flush}.f32"), &[F32; 2], F32));
            for opcode in ["rcp", "sqrt"] {
                list.push(Form::new(format!("{opcode}{rounding}{flush}.f32"), &[F32], F32));
            }
        }
        list.push(Form::new(format!("div{rounding}.f64"), &[F64; 2], F64).with_rule(Rule::Value));
        for opcode in ["rcp", "sqrt"] {
            list.push(
                Form::new(format!("{opcode}{rounding}.f64"), &[F64], F64).with_rule(Rule::Value),
            );
        }
    }
    list.extend(signs());
    list.extend(tests());
    list
}

/// What chooses an operand or changes a sign.
fn signs() -> Vec<Form> {
    let mut list = Vec::new();
    for opcode in ["min", "max"] {
        for flush in ["", ".ftz"] {
            for modifiers in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] {
                list.push(Form::new(format!("{opcode}{flush}{modifiers}.f32"), &[F32; 2], F32));
            }
        }
        list.push(Form::new(format!("{opcode}.f64"), &[F64; 2], F64).with_rule(Rule::Value));
    }
    for opcode in ["abs", "neg"] {
        // The manual: "NaN inputs yield an unspecified NaN".
        for flush in ["", ".ftz"] {
            list.push(
                Form::new(format!("{opcode}{flush}.f32"), &[F32], F32).with_rule(Rule::Value),
            );
        }
        list.push(Form::new(format!("{opcode}.f64"), &[F64], F64).with_rule(Rule::Value));
    }
    list.push(Form::new("copysign.f32", &[F32; 2], F32));
    list.push(Form::new("copysign.f64", &[F64; 2], F64));
    list
}

fn tests() -> Vec<Form> {
    let tests = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
    let of = |test: &str| {
        [
            Form::new(format!("testp.{test}.f32"), &[F32], Predicate),
            Form::new(format!("testp.{test}.f64"), &[F64], Predicate),
        ]
    };
    tests.iter().flat_map(|test| of(test)).collect()
}
