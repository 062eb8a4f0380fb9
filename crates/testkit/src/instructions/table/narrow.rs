//! Manual, section 9.7.9: `cvt` to and from the narrow formats, and `cvt.pack`.

use crate::instructions::Form;
use crate::instructions::ValueType::{self, *};

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for rounding in [".rn", ".rz"] {
        for modifiers in ["", ".relu", ".satfinite", ".relu.satfinite"] {
            // A pair takes a for its upper half and b for its lower one.
            for (pair, value) in [("f16x2", F16x2), ("bf16x2", Bf16x2)] {
                list.push(Form::new(
                    format!("cvt{rounding}{modifiers}.{pair}.f32"),
                    &[F32; 2],
                    value,
                ));
            }
            if !modifiers.is_empty() {
                for (half, value) in [("f16", F16), ("bf16", Bf16)] {
                    list.push(Form::new(
                        format!("cvt{rounding}{modifiers}.{half}.f32"),
                        &[F32],
                        value,
                    ));
                }
            }
        }
        for modifiers in ["", ".relu"] {
            list.push(Form::new(format!("cvt{rounding}{modifiers}.tf32.f32"), &[F32], F32));
        }
    }
    list.push(Form::new("cvt.rna.tf32.f32", &[F32], F32));
    for format in ["e4m3x2", "e5m2x2"] {
        for modifiers in ["", ".relu"] {
            let to = format!("cvt.rn.satfinite{modifiers}.{format}");
            list.push(Form::new(format!("{to}.f32"), &[F32; 2], F8x2));
            list.push(Form::new(format!("{to}.f16x2"), &[F16x2], F8x2));
            list.push(Form::new(format!("cvt.rn{modifiers}.f16x2.{format}"), &[F8x2], F16x2));
        }
    }
    list.extend(packs());
    list
}

fn packs() -> Vec<Form> {
    let mut list = Vec::new();
    for narrow in ["u16", "s16"] {
        list.push(Form::new(format!("cvt.pack.sat.{narrow}.s32"), &[S32; 2], U32));
    }
    for narrow in ["u2", "s2", "u4", "s4", "u8", "s8"] {
        let operands: [ValueType; 3] = [S32, S32, U32];
        list.push(Form::new(format!("cvt.pack.sat.{narrow}.s32.b32"), &operands, U32));
    }
    list
}
