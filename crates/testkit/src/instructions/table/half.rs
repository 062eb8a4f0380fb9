//! Manual, sections 9.7.4 and 9.7.5: arithmetic in half precision and bf16.

use crate::instructions::ValueType::{self, *};
use crate::instructions::{Form, Rule};

const HALVES: [(&str, ValueType); 2] = [("f16", F16), ("f16x2", F16x2)];
const BRAINS: [(&str, ValueType); 2] = [("bf16", Bf16), ("bf16x2", Bf16x2)];

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for opcode in ["add", "sub", "mul"] {
        for rounding in ["", ".rn"] {
            for (name, value) in HALVES {
                for modifiers in ["", ".ftz", ".sat", ".ftz.sat"] {
                    list.push(Form::new(
                        format!("{opcode}{rounding}{modifiers}.{name}"),
                        &[value; 2],
                        value,
                    ));
                }
            }
            for (name, value) in BRAINS {
                list.push(Form::new(format!("{opcode}{rounding}.{name}"), &[value; 2], value));
            }
        }
    }
    for (name, value) in HALVES {
        // Without `.oob`: which NaN marks what is out of bounds the manual does not say.
        for modifiers in ["", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu"] {
            list.push(Form::new(format!("fma.rn{modifiers}.{name}"), &[value; 3], value));
        }
    }
    for (name, value) in BRAINS {
        for modifiers in ["", ".relu"] {
            list.push(Form::new(format!("fma.rn{modifiers}.{name}"), &[value; 3], value));
        }
    }
    list.extend(signs());
    list.extend(approximations());
    list
}

fn signs() -> Vec<Form> {
    let mut list = Vec::new();
    for (name, value) in HALVES.iter().chain(&BRAINS) {
        let flushes: &[&str] = if name.starts_with('f') { &["", ".ftz"] } else { &[""] };
        for flush in flushes {
            for opcode in ["abs", "neg"] {
                // The manual: "NaN inputs yield an unspecified NaN".
                let form = Form::new(format!("{opcode}{flush}.{name}"), &[*value], *value);
                list.push(form.with_rule(Rule::Value));
            }
            for opcode in ["min", "max"] {
                for modifiers in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] {
                    let opcode = format!("{opcode}{flush}{modifiers}.{name}");
                    list.push(Form::new(opcode, &[*value; 2], *value));
                }
            }
        }
    }
    list
}

/// The bounds hold for results that a half holds with all its bits.
fn approximations() -> Vec<Form> {
    let mut list = Vec::new();
    let exponential = Rule::Near { relative: 2f64.powf(-9.9), absolute: 2f64.powi(-24) };
    let tangent = Rule::Near { relative: 0.0, absolute: 2f64.powf(-10.987) };
    for (name, value) in HALVES {
        list.push(Form::new(format!("ex2.approx.{name}"), &[value], value).with_rule(exponential));
        list.push(Form::new(format!("tanh.approx.{name}"), &[value], value).with_rule(tangent));
    }
    let exponential =
        Rule::Near { relative: 2f64.powi(-7), absolute: f64::from(f32::MIN_POSITIVE) };
    let tangent = Rule::Near { relative: 0.0, absolute: 2f64.powi(-8) };
    for (name, value) in BRAINS {
        list.push(
            Form::new(format!("ex2.approx.ftz.{name}"), &[value], value).with_rule(exponential),
        );
        list.push(Form::new(format!("tanh.approx.{name}"), &[value], value).with_rule(tangent));
    }
    list
}
