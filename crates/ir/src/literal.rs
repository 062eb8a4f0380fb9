use crate::Type;
use warpsan_ptx::Operand;

/// The bits that a literal has as a value of `ty`; none for what is no literal. A floating-point
/// literal of one precision takes the other where the type asks for it.
pub(crate) fn literal_bits(operand: &Operand<'_>, ty: Type) -> Option<u64> {
    Some(match (operand, ty) {
        (Operand::Integer(bits), _) => truncate(*bits, ty.bits()),
        (Operand::Float32(bits), Type::F64) => f64::from(f32::from_bits(*bits)).to_bits(),
        (Operand::Float32(bits), _) => u64::from(*bits),
        (Operand::Float64(bits), Type::F32) => u64::from((f64::from_bits(*bits) as f32).to_bits()),
        (Operand::Float64(bits), _) => *bits,
        _ => return None,
    })
}

/// The lowest bits of a number.
pub(crate) fn truncate(bits: u64, width: u32) -> u64 {
    if width >= 64 || width == 0 { bits } else { bits & ((1 << width) - 1) }
}
