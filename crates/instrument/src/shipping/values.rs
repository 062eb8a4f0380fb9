//! What stores write: two that write the same are less bad to some detectors.

use crate::body::Body;
use std::fmt::Write;
use warpsan_ir::{Op, Value};
use warpsan_ptx::{Instruction, Operand};

/// Words of a lane that a record has room for.
const MOST_WORDS: usize = 4;

/// Registers of ours that hold them.
const REGISTERS: [(&str, &str); MOST_WORDS] = [
    ("value_0", "%ws_value_0"),
    ("value_1", "%ws_value_1"),
    ("value_2", "%ws_value_2"),
    ("value_3", "%ws_value_3"),
];

/// Brings what an instruction stores to registers of ours. How many words that are: none where it is no store, or stores
/// more, or something that has no text here.
pub(crate) fn bring_values(
    body: &mut Body<'_, '_>,
    op: &Op,
    instruction: &Instruction<'_>,
) -> usize {
    let Op::Store { from, ty, .. } = op else { return 0 };
    let bits = ty.bytes() * 8;
    let operands: Vec<&Operand<'_>> = match instruction.operands.get(1) {
        Some(Operand::Vector(items)) => items.iter().collect(),
        Some(one) => vec![one],
        None => return 0,
    };
    if from.len() > MOST_WORDS || bits > 64 || operands.len() != from.len() {
        return 0;
    }
    let mut text = String::new();
    for ((value, operand), (_, register)) in from.iter().zip(operands).zip(REGISTERS) {
        let _ = match (value, operand) {
            (Value::Constant(constant), _) => {
                writeln!(text, "\tmov.b64 {register}, {};", *constant as i64)
            }
            (Value::Register(of), Operand::Name(name)) => match of.bits {
                64 => writeln!(text, "\tmov.b64 {register}, {name};"),
                32 => writeln!(text, "\tmov.b32 %ws_a, {name};\n\tcvt.u64.u32 {register}, %ws_a;"),
                16 => writeln!(
                    text,
                    "\tmov.b16 %ws_half, {name};\n\tcvt.u64.u16 {register}, %ws_half;"
                ),
                _ => return 0,
            },
            _ => return 0,
        };
        if bits < 64 {
            let kept = (1u64 << bits) - 1;
            let _ = writeln!(text, "\tand.b64 {register}, {register}, {kept};");
        }
    }
    body.out.push_str(&text);
    from.len()
}

/// The inputs of a check that ships so many values.
pub(super) fn inputs_of(values: usize) -> Vec<(&'static str, String)> {
    let registers = REGISTERS[..values].iter();
    let named = registers.map(|(name, register)| (*name, (*register).to_owned()));
    [("values", values.to_string())].into_iter().chain(named).collect()
}
