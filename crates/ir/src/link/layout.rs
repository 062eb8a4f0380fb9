//! How much room a variable takes.

use super::symbols::{Kind, Symbol};
use warpsan_ptx::Variable;

/// The bytes of a variable; none where the type, an open array or a function leaves them open.
pub(super) fn size_of(symbol: &Symbol<'_>) -> Option<u64> {
    match symbol.kind {
        Kind::Variable(variable) => bytes(variable),
        Kind::Function(_) => None,
    }
}

pub(super) fn bytes(variable: &Variable<'_>) -> Option<u64> {
    let mut bytes = element_bytes(variable)?;
    for extent in variable.extents {
        bytes = bytes.checked_mul((*extent)?)?;
    }
    Some(bytes)
}

/// The alignment that is said, or else the natural one.
pub(super) fn alignment_of(variable: &Variable<'_>) -> Option<u64> {
    variable.alignment.or_else(|| element_bytes(variable))
}

fn element_bytes(variable: &Variable<'_>) -> Option<u64> {
    let bits: u64 = match variable.data_type {
        ".f16x2" | ".bf16x2" => 32,
        // Handles of textures, samplers and surfaces have no size that a program could know.
        data_type => data_type.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?,
    };
    (bits / 8).checked_mul(u64::from(variable.vector))
}
