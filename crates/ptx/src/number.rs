/// A literal as it is written, so that printing changes nothing, and its value on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number<'a> {
    /// The digits, with a minus, `0x` and the like.
    pub text: &'a str,
}

impl<'a> Number<'a> {
    /// Whether a minus stands before it, and the rest.
    fn parts(self) -> (bool, &'a str) {
        match self.text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, self.text),
        }
    }

    /// The integer, in two's complement; none if it has more than 64 bits or is no integer.
    pub fn integer(self) -> Option<u64> {
        let (negative, digits) = self.parts();
        let magnitude = unsigned(digits)?;
        Some(if negative { magnitude.wrapping_neg() } else { magnitude })
    }

    /// The bits of a single-precision literal (`0f3F800000`).
    pub fn single_bits(self) -> Option<u32> {
        let (negative, digits) = self.parts();
        let bits = u32::from_str_radix(strip(digits, "0f", "0F")?, 16).ok()?;
        Some(if negative { bits ^ (1 << 31) } else { bits })
    }

    /// The bits of a double-precision literal (`0d3FF0000000000000`) or of a decimal one (`1.5`).
    pub fn double_bits(self) -> Option<u64> {
        let (negative, digits) = self.parts();
        let bits = match strip(digits, "0d", "0D") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => digits.parse::<f64>().ok()?.to_bits(),
        };
        Some(if negative { bits ^ (1 << 63) } else { bits })
    }
}

fn strip<'t>(text: &'t str, lower: &str, upper: &str) -> Option<&'t str> {
    text.strip_prefix(lower).or_else(|| text.strip_prefix(upper))
}

/// Decimal, hexadecimal (`0x`), binary (`0b`) or octal (a leading 0), with or without a `U`.
fn unsigned(text: &str) -> Option<u64> {
    let digits = text.strip_suffix(['U', 'u']).unwrap_or(text);
    if let Some(digits) = strip(digits, "0x", "0X") {
        u64::from_str_radix(digits, 16).ok()
    } else if let Some(digits) = strip(digits, "0b", "0B") {
        u64::from_str_radix(digits, 2).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(&digits[1..], 8).ok()
    } else {
        digits.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(text: &str) -> Option<u64> {
        Number { text }.integer()
    }

    #[test]
    fn every_base_is_read() {
        assert_eq!(integer("0x1F"), Some(31));
        assert_eq!(integer("0b101U"), Some(5));
        assert_eq!(integer("017"), Some(15));
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("-4"), Some(u64::MAX - 3));
        assert_eq!(integer("0x1FFFFFFFFFFFFFFFF"), None, "too long");
        assert_eq!(integer("08"), None, "no octal digit");
    }

    #[test]
    fn a_minus_flips_the_sign_of_a_float() {
        let minus_one = Number { text: "-0f3F800000" };
        assert_eq!(minus_one.single_bits(), Some((-1f32).to_bits()));
        let half = Number { text: "0.5" };
        assert_eq!(half.double_bits(), Some(0.5f64.to_bits()));
    }
}
