//! Whether a result is the one that was recorded.

use super::{Rule, ValueType};

impl Rule {
    /// Whether the two results are the same by this rule.
    pub fn accepts(self, value: ValueType, got: u64, expected: u64) -> bool {
        if got == expected {
            return true;
        }
        if let Some(half) = value.half() {
            return [0, 16].iter().all(|shift| {
                self.accepts(half, got >> shift & 0xffff, expected >> shift & 0xffff)
            });
        }
        let (Some(got), Some(expected)) = (value.number(got), value.number(expected)) else {
            return false;
        };
        if got.is_nan() || expected.is_nan() {
            return self != Rule::Exact && got.is_nan() && expected.is_nan();
        }
        match self {
            Rule::Exact | Rule::Value => false,
            Rule::Near { relative, absolute } => {
                // A result at the end of the range may round to infinity in one place and not in the other.
                let (got, expected) = (finite(value, got), finite(value, expected));
                let difference = (got - expected).abs();
                // Each of the two may be off by the bound, and be rounded once more.
                // The sign of a zero is no matter of accuracy.
                let same_zero = got != 0.0 || expected != 0.0;
                same_zero && difference <= 2.0 * absolute.max(relative * expected.abs())
            }
        }
    }
}

/// Infinity as the number that would be next in the type, if it had one more.
fn finite(value: ValueType, number: f64) -> f64 {
    let exponent = match value {
        ValueType::F16 => 16,
        ValueType::Bf16 | ValueType::F32 => 128,
        _ => return number,
    };
    if number.is_infinite() { 2f64.powi(exponent).copysign(number) } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_differ_in_nans_and_last_bits() {
        let one = u64::from(1f32.to_bits());
        let near = Rule::Near { relative: 2f64.powi(-23), absolute: 0.0 };
        assert!(Rule::Exact.accepts(ValueType::F32, one, one));
        assert!(!Rule::Value.accepts(ValueType::F32, one, one + 1));
        assert!(near.accepts(ValueType::F32, one, one + 2));
        assert!(!near.accepts(ValueType::F32, one, one + 4));
        assert!(!near.accepts(ValueType::F32, one, one | 0x8000_0000));
        assert!(Rule::Value.accepts(ValueType::F32, 0x7fff_ffff, 0x7fc0_0000));
        assert!(!Rule::Exact.accepts(ValueType::F32, 0x7fff_ffff, 0x7fc0_0000));
        assert!(!near.accepts(ValueType::F32, 0x7fff_ffff, one));
    }

    #[test]
    fn both_halves_of_a_pair_count() {
        assert!(Rule::Value.accepts(ValueType::F16x2, 0x7e00_3c00, 0x7fff_3c00));
        assert!(!Rule::Value.accepts(ValueType::F16x2, 0x7e00_3c00, 0x7fff_3c01));
    }
}
