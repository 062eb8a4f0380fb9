/// What an operand or a result is: this says which register holds it, and which values are its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A predicate.
    Predicate,
    /// The low byte of a 32-bit register.
    U8,
    /// The low byte of a 32-bit register, signed.
    S8,
    /// 16 bits, also `.b16`.
    U16,
    /// 16 bits, signed.
    S16,
    /// 32 bits, also `.b32`.
    U32,
    /// 32 bits, signed.
    S32,
    /// 64 bits, also `.b64`.
    U64,
    /// 64 bits, signed.
    S64,
    /// Half precision.
    F16,
    /// The 16-bit format with the exponent of `.f32`.
    Bf16,
    /// Single precision, also `.tf32`.
    F32,
    /// Double precision.
    F64,
    /// Two halves in one register.
    F16x2,
    /// Two `.bf16` in one register.
    Bf16x2,
    /// Two 16-bit integers in one register.
    U16x2,
    /// Four bytes in one register.
    U8x4,
    /// Two bytes that are numbers of an 8-bit floating-point format.
    F8x2,
    /// Single precision, between -2 pi and 2 pi.
    Angle,
    /// Single precision, between -100 pi and 100 pi.
    WideAngle,
    /// A shift amount, a position or a length: 32 bits, mostly small.
    Small,
    /// A 32-bit divisor that is not zero.
    NonZero32,
    /// A 64-bit divisor that is not zero.
    NonZero64,
    /// A 16-bit divisor that is not zero.
    NonZero16,
}

impl ValueType {
    /// The type of the register that holds it.
    pub fn register(self) -> &'static str {
        match self.bytes() {
            1 => "pred",
            2 => "b16",
            4 => "b32",
            _ => "b64",
        }
    }

    /// The bytes of its register; a predicate is stored in one.
    pub fn bytes(self) -> usize {
        use ValueType::*;
        match self {
            Predicate => 1,
            U16 | S16 | F16 | Bf16 | F8x2 | NonZero16 => 2,
            U8 | S8 | U32 | S32 | F32 | F16x2 | Bf16x2 | U16x2 | U8x4 => 4,
            Small | NonZero32 | Angle | WideAngle => 4,
            U64 | S64 | F64 | NonZero64 => 8,
        }
    }

    /// The type of the two numbers in it, if it is a pair.
    pub fn half(self) -> Option<ValueType> {
        match self {
            ValueType::F16x2 => Some(ValueType::F16),
            ValueType::Bf16x2 => Some(ValueType::Bf16),
            ValueType::U16x2 => Some(ValueType::U16),
            _ => None,
        }
    }

    /// Whether these bits of single precision are an angle in the range of this type.
    pub(super) fn holds_angle(self, bits: u64) -> bool {
        let turns = if self == ValueType::Angle { 1.0 } else { 50.0 };
        let number = ValueType::F32.number(bits).unwrap_or(f64::NAN);
        number.abs() <= turns * std::f64::consts::TAU
    }

    /// The number that the bits of a floating-point type stand for.
    pub fn number(self, bits: u64) -> Option<f64> {
        match self {
            ValueType::F64 => Some(f64::from_bits(bits)),
            ValueType::F32 => Some(f64::from(f32::from_bits(bits as u32))),
            ValueType::Bf16 => Some(f64::from(f32::from_bits((bits as u32) << 16))),
            ValueType::F16 => Some(half_number(bits as u16)),
            _ => None,
        }
    }
}

/// The value of a half-precision number.
fn half_number(bits: u16) -> f64 {
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read() {
        let values = [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2f64.powi(-24))];
        for (bits, value) in values {
            assert_eq!(ValueType::F16.number(bits), Some(value));
        }
        assert!(ValueType::F16.number(0x7c01).unwrap().is_nan());
        assert_eq!(ValueType::Bf16.number(0xff80), Some(f64::NEG_INFINITY));
    }
}
