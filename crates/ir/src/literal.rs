use crate::Type;
use warpsan_ptx::Operand;

/// The bits that a literal has as a value of `ty`; none for what is no literal. A floating-point
/// literal of one precision takes the other where the type asks for it.
pub(crate) fn literal_bits(operand: &Operand<'_>, ty: Type) -> Option<u64> {
    match operand {
        Operand::Integer(number) => Some(truncate(number.integer()?, ty.bits())),
        Operand::Expression(expression) => Some(truncate(expression.value, ty.bits())),
        Operand::Float(number) => match (number.single_bits(), ty) {
            (Some(bits), Type::F64) => Some(f64::from(f32::from_bits(bits)).to_bits()),
            (Some(bits), _) => Some(u64::from(bits)),
            (None, Type::F32) => {
                let double = f64::from_bits(number.double_bits()?);
                Some(u64::from((double as f32).to_bits()))
            }
            (None, _) => number.double_bits(),
        },
        _ => None,
    }
}

/// The lowest bits of a number.
pub(crate) fn truncate(bits: u64, width: u32) -> u64 {
    if width >= 64 || width == 0 { bits } else { bits & ((1 << width) - 1) }
}
