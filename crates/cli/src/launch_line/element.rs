//! Types of elements, numbers as written, and what arrays hold at first.

use super::LaunchLineError;
use std::fmt;
use std::ops::Range;

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Unsigned(usize),
    Signed(usize),
    /// A float with so many bits of exponent and of mantissa, in 16 bits.
    Half {
        exponent: u32,
        mantissa: u32,
    },
    F32,
    F64,
}

pub(crate) const F16: Element = Element::Half { exponent: 5, mantissa: 10 };
pub(crate) const BF16: Element = Element::Half { exponent: 8, mantissa: 7 };

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

/// What an array holds at first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Initial {
    /// 0, 1, 2, …
    Iota,
    /// The same everywhere.
    All(Number),
    /// Chance: integers of all bits, floats from 0 up to 1. The same seed gives the same numbers.
    Random(u64),
}

impl Element {
    pub(super) fn parse(name: &str) -> Result<Element, LaunchLineError> {
        Ok(match name {
            "u8" => Element::Unsigned(1),
            "u16" => Element::Unsigned(2),
            "u32" => Element::Unsigned(4),
            "u64" => Element::Unsigned(8),
            "i8" => Element::Signed(1),
            "i16" => Element::Signed(2),
            "i32" => Element::Signed(4),
            "i64" => Element::Signed(8),
            "f16" => F16,
            "bf16" => BF16,
            "f32" => Element::F32,
            "f64" => Element::F64,
            _ => return Err(LaunchLineError::Type(name.to_string())),
        })
    }

    /// Bytes of one element.
    pub(crate) fn size(self) -> usize {
        match self {
            Element::Unsigned(size) | Element::Signed(size) => size,
            Element::Half { .. } => 2,
            Element::F32 => 4,
            Element::F64 => 8,
        }
    }

    /// A number as this type, little-endian. Integers keep their lower bits.
    pub(crate) fn bytes(self, value: Number) -> Vec<u8> {
        self.encoded(value)[..self.size()].to_vec()
    }

    /// A number as this type, in the first bytes.
    fn encoded(self, value: Number) -> [u8; 8] {
        let float = match value {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        };
        let bits = match (self, value) {
            (Element::Unsigned(_) | Element::Signed(_), Number::Integer(value)) => value as u64,
            (Element::Unsigned(_) | Element::Signed(_), Number::Float(value)) => {
                value as i128 as u64
            }
            (Element::Half { exponent, mantissa }, _) => {
                u64::from(half_bits(float, exponent, mantissa))
            }
            (Element::F32, _) => u64::from((float as f32).to_bits()),
            (Element::F64, _) => float.to_bits(),
        };
        bits.to_le_bytes()
    }

    /// An element as a person would write it.
    pub(crate) fn show(self, bytes: &[u8]) -> String {
        let mut wide = [0; 8];
        let length = bytes.len().min(8);
        wide[..length].copy_from_slice(&bytes[..length]);
        let bits = u64::from_le_bytes(wide);
        match self {
            Element::Unsigned(_) => bits.to_string(),
            Element::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                ((bits << unused) as i64 >> unused).to_string()
            }
            Element::Half { exponent, mantissa } => {
                format!("{:?}", half_value(bits as u16, exponent, mantissa))
            }
            Element::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Element::F64 => format!("{:?}", f64::from_bits(bits)),
        }
    }

    /// The bytes of a part of an array at first.
    pub(crate) fn part_of_array(self, places: Range<u64>, initial: Initial) -> Vec<u8> {
        let mut bytes = Vec::with_capacity((places.end - places.start) as usize * self.size());
        for index in places {
            let value = match initial {
                Initial::All(value) => value,
                Initial::Iota => Number::Integer(index.into()),
                Initial::Random(seed) => self.chance(mixed(seed, index)),
            };
            bytes.extend_from_slice(&self.encoded(value)[..self.size()]);
        }
        bytes
    }

    fn chance(self, bits: u64) -> Number {
        match self {
            Element::Unsigned(_) | Element::Signed(_) => Number::Integer(bits.into()),
            // So few bits that no type rounds the largest one up to 1.
            Element::Half { .. } => Number::Float((bits >> 57) as f64 / 128.0),
            Element::F32 => Number::Float((bits >> 40) as f64 / (1_u64 << 24) as f64),
            Element::F64 => Number::Float((bits >> 11) as f64 / (1_u64 << 53) as f64),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Unsigned(size) => write!(f, "u{}", 8 * size),
            Element::Signed(size) => write!(f, "i{}", 8 * size),
            Element::Half { .. } if *self == BF16 => f.write_str("bf16"),
            Element::Half { .. } => f.write_str("f16"),
            Element::F32 => f.write_str("f32"),
            Element::F64 => f.write_str("f64"),
        }
    }
}

/// The finalizer of splitmix64 over a counter: one number for each place, on every machine the same.
fn mixed(seed: u64, index: u64) -> u64 {
    let mut bits = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The nearest 16-bit float, ties to even.
fn half_bits(value: f64, exponent_bits: u32, mantissa_bits: u32) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let infinity = ((1_u16 << exponent_bits) - 1) << mantissa_bits;
    if value.is_nan() {
        return sign | infinity | 1 << (mantissa_bits - 1);
    }
    let bias = (1_i32 << (exponent_bits - 1)) - 1;
    // The step between neighbours at this size; below the smallest normal number it is the same.
    let power = (value.abs().to_bits() >> 52) as i32 - 1023;
    let step = power.max(1 - bias) - mantissa_bits as i32;
    let steps = (value.abs() / 2_f64.powi(step)).round_ties_even();
    let exponent = (step + mantissa_bits as i32 + bias - 1).max(0) as f64;
    // A carry out of the mantissa goes into the exponent, as it has to.
    let bits = exponent * f64::from(1_u32 << mantissa_bits) + steps;
    sign | (bits.min(f64::from(infinity)) as u16)
}

fn half_value(bits: u16, exponent_bits: u32, mantissa_bits: u32) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    let mantissa = f32::from(bits & ((1 << mantissa_bits) - 1));
    let bias = (1_i32 << (exponent_bits - 1)) - 1;
    let one = f32::from(1_u16 << mantissa_bits);
    let size = match exponent {
        0 => mantissa / one * 2_f64.powi(1 - bias) as f32,
        all if all == (1 << exponent_bits) - 1 && mantissa == 0.0 => f32::INFINITY,
        all if all == (1 << exponent_bits) - 1 => f32::NAN,
        _ => (1.0 + mantissa / one) * 2_f64.powi(exponent - bias) as f32,
    };
    sign * size
}

/// A number: decimal, hexadecimal after `0x`, or a float, which may end in `f`.
pub(super) fn number(text: &str) -> Result<Number, LaunchLineError> {
    let wrong = || LaunchLineError::Value(text.to_string());
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16)
            .map(|value| Number::Integer(value.into()))
            .map_err(|_| wrong());
    }
    let in_range = |value: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value);
    if let Some(integer) = text.parse().ok().filter(in_range) {
        return Ok(Number::Integer(integer));
    }
    // `inf` ends in an f of its own.
    let float = text.parse().or_else(|_| text.trim_end_matches('f').parse());
    float.map(Number::Float).map_err(|_| wrong())
}

pub(super) fn initial(text: &str) -> Result<Initial, LaunchLineError> {
    let wrong = || LaunchLineError::Value(text.to_string());
    Ok(match text {
        "iota" => Initial::Iota,
        "zero" => Initial::All(Number::Integer(0)),
        "random" => Initial::Random(1),
        _ => match text.strip_prefix("random(") {
            Some(rest) => {
                let seed = rest.strip_suffix(')').ok_or_else(wrong)?.trim();
                Initial::Random(seed.parse().map_err(|_| wrong())?)
            }
            None => Initial::All(number(text)?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_written_in_their_size() {
        assert_eq!(Element::Signed(2).bytes(Number::Float(-2.0)), [254, 255]);
        assert_eq!(Element::F32.bytes(Number::Float(1.5)), 1.5f32.to_le_bytes());
        let large = i128::from(u64::MAX) - 1;
        assert_eq!(
            Element::Unsigned(8).bytes(Number::Integer(large)),
            (u64::MAX - 1).to_le_bytes()
        );
        assert_eq!(
            Element::Unsigned(8).show(&(u64::MAX - 1).to_le_bytes()),
            "18446744073709551614"
        );
        assert_eq!(Element::Signed(1).show(&[255]), "-1");
        assert_eq!(Element::F64.show(&0.1f64.to_le_bytes()), "0.1");
    }

    #[test]
    fn halves_round_to_the_nearest() {
        let f16 = |value: f64| half_bits(value, 5, 10);
        for (value, bits) in [
            (1.0, 0x3C00),
            (-2.0, 0xC000),
            (65504.0, 0x7BFF),
            (65519.9, 0x7BFF),
            (65520.0, 0x7C00),
            (1e30, 0x7C00),
            (0.0, 0),
            (-0.0, 0x8000),
            (2f64.powi(-24), 1),
            (2f64.powi(-25), 0),
            (3.0 * 2f64.powi(-25), 2),
            (2f64.powi(-14), 0x400),
            (1.0 + 2f64.powi(-11), 0x3C00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3C02),
            (f64::INFINITY, 0x7C00),
        ] {
            assert_eq!(f16(value), bits, "{value:?}");
        }
        assert_eq!(half_bits(1.0, 8, 7), 0x3F80);
        for bits in 0..=u16::MAX {
            for (exponent, mantissa) in [(5, 10), (8, 7)] {
                let value = half_value(bits, exponent, mantissa);
                if !value.is_nan() {
                    assert_eq!(half_bits(value.into(), exponent, mantissa), bits, "{value:?}");
                }
            }
        }
        assert_eq!(F16.show(&0x3C01_u16.to_le_bytes()), "1.0009766");
    }

    #[test]
    fn random_numbers_repeat_and_fit() {
        for element in [F16, BF16, Element::F32, Element::F64] {
            let bytes = element.part_of_array(0..500, Initial::Random(3));
            assert_eq!(bytes, element.part_of_array(0..500, Initial::Random(3)));
            let second = element.part_of_array(250..500, Initial::Random(3));
            assert_eq!(bytes[250 * element.size()..], second);
            assert_ne!(bytes, element.part_of_array(0..500, Initial::Random(4)));
            for one in bytes.chunks(element.size()) {
                let value: f64 = element.show(one).parse().unwrap();
                assert!((0.0..1.0).contains(&value), "{value}");
            }
        }
        let bytes = Element::Unsigned(1).part_of_array(0..1000, Initial::Random(1));
        assert!(bytes.iter().any(|byte| *byte > 200) && bytes.iter().any(|byte| *byte < 50));
    }

    #[test]
    fn types_print_as_they_are_written() {
        for name in "u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64".split(' ') {
            assert_eq!(Element::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn initial_values_are_read() {
        assert_eq!(initial("random(9)"), Ok(Initial::Random(9)));
        assert_eq!(initial("zero"), Ok(Initial::All(Number::Integer(0))));
        assert_eq!(initial("0xff"), Ok(Initial::All(Number::Integer(255))));
        assert_eq!(initial("-inf"), Ok(Initial::All(Number::Float(f64::NEG_INFINITY))));
        assert_eq!(initial("2.5f"), Ok(Initial::All(Number::Float(2.5))));
        for wrong in ["random(", "random(x)", "0xzz", "lots", "99999999999999999999999x"] {
            assert!(initial(wrong).is_err(), "{wrong}");
        }
    }
}
