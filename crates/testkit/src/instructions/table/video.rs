//! Manual, section 9.7.18: video instructions, with a choice of selectors.

use crate::instructions::Form;
use crate::instructions::ValueType::*;

/// Types of the result, of a and of b.
const TYPES: [[&str; 3]; 4] =
    [["u32", "u32", "u32"], ["s32", "s32", "s32"], ["u32", "s32", "u32"], ["s32", "u32", "s32"]];

/// Selectors of a and b in scalar instructions.
const SELECTORS: [(&str, &str); 4] = [("", ""), (".b0", ".b3"), (".h1", ".h0"), (".b2", ".h1")];

const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for (index, types) in TYPES.iter().enumerate() {
        list.extend(scalar(index, types));
        list.extend(pairs_and_quads(types));
    }
    for (index, comparison) in COMPARISONS.iter().enumerate() {
        list.extend(comparisons(index, comparison));
    }
    list
}

/// A form with its selectors as the remark of its name.
fn video(opcode: &str, [d, a, b]: [&str; 3], third: bool) -> Form {
    let (operands, c) = if third { (&[U32, U32, U32][..], ", c") } else { (&[U32, U32][..], "") };
    let code = format!("{opcode} d{d}, a{a}, b{b}{c};");
    let remark = format!("d{d} a{a} b{b}{}", if third { " c" } else { "" });
    Form::of_code(format!("{opcode} ({remark})"), code, operands, &[U32])
}

fn scalar(index: usize, [d, a, b]: &[&str; 3]) -> Vec<Form> {
    let mut list = Vec::new();
    let second = ["add", "min", "max"][index % 3];
    for opcode in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
        for saturation in ["", ".sat"] {
            let opcode = format!("{opcode}.{d}.{a}.{b}{saturation}");
            for (first, other) in SELECTORS {
                list.push(video(&opcode, ["", first, other], false));
            }
            list.push(video(&format!("{opcode}.{second}"), ["", ".h0", ".b1"], true));
            list.push(video(&opcode, [[".b0", ".b2", ".h1", ".h0"][index], ".b1", ".h0"], true));
        }
    }
    if *b == "u32" {
        for opcode in ["vshl", "vshr"] {
            for mode in ["clamp", "wrap"] {
                for saturation in ["", ".sat"] {
                    let opcode = format!("{opcode}.{d}.{a}.u32{saturation}.{mode}");
                    list.push(video(&opcode, ["", "", ".b0"], false));
                    list.push(video(&opcode, ["", ".h1", ".b1"], false));
                    list.push(video(&format!("{opcode}.{second}"), ["", ".b3", ".b0"], true));
                    list.push(video(&opcode, [".h1", "", ".b0"], true));
                }
            }
        }
    }
    list.extend(products([d, a, b]));
    list
}

fn products([d, a, b]: [&str; 3]) -> Vec<Form> {
    let mut list = Vec::new();
    for plus_one in ["", ".po"] {
        for saturation in ["", ".sat"] {
            for scale in ["", ".shr7", ".shr15"] {
                let opcode = format!("vmad.{d}.{a}.{b}{plus_one}{saturation}{scale}");
                list.push(video(&opcode, ["", ".h0", ".b1"], true));
                if plus_one.is_empty() {
                    list.push(video(&opcode, ["", "", ""], true));
                }
            }
        }
    }
    list
}

fn pairs_and_quads([d, a, b]: &[&str; 3]) -> Vec<Form> {
    let mut list = Vec::new();
    for opcode in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] {
        for (count, mask, first, other) in
            [("2", ".h1", ".h32", ".h03"), ("4", ".b210", ".b7531", ".b0246")]
        {
            let opcode = format!("{opcode}{count}.{d}.{a}.{b}");
            for ending in ["", ".sat", ".add"] {
                let opcode = format!("{opcode}{ending}");
                list.push(video(&opcode, ["", "", ""], true));
                list.push(video(&opcode, [mask, first, other], true));
            }
        }
    }
    list
}

fn comparisons(index: usize, comparison: &str) -> Vec<Form> {
    let mut list = Vec::new();
    let second = ["add", "min", "max"][index % 3];
    for types in ["u32.u32", "s32.s32", "u32.s32", "s32.u32"] {
        let opcode = format!("vset.{types}.{comparison}");
        list.push(video(&opcode, ["", "", ""], false));
        list.push(video(&opcode, ["", ".b1", ".h1"], false));
        list.push(video(&format!("{opcode}.{second}"), ["", ".h0", ".h1"], true));
        list.push(video(&opcode, [".b2", "", ""], true));
        for (count, mask) in [("2", ".h0"), ("4", ".b31")] {
            for ending in ["", ".add"] {
                let opcode = format!("vset{count}.{types}.{comparison}{ending}");
                list.push(video(&opcode, ["", "", ""], true));
                list.push(video(&opcode, [mask, "", ""], true));
            }
        }
    }
    list
}
