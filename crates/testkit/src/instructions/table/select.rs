//! Manual, section 9.7.6: `selp` and `slct`.

use crate::instructions::Form;
use crate::instructions::ValueType::{self, *};

const TYPES: [(&str, ValueType); 11] = [
    ("b16", U16),
    ("b32", U32),
    ("b64", U64),
    ("u16", U16),
    ("u32", U32),
    ("u64", U64),
    ("s16", S16),
    ("s32", S32),
    ("s64", S64),
    ("f32", F32),
    ("f64", F64),
];

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for (name, value) in TYPES {
        list.push(Form::new(format!("selp.{name}"), &[value, value, Predicate], value));
        list.push(Form::new(format!("slct.{name}.s32"), &[value, value, S32], value));
        for flush in ["", ".ftz"] {
            list.push(Form::new(format!("slct{flush}.{name}.f32"), &[value, value, F32], value));
        }
    }
    list
}
