//! Fused multiply-add of doubles in every rounding mode.

use super::element::Rounding;

/// A finite number without its sign: `significand * 2^exponent`.
struct Magnitude {
    significand: u128,
    exponent: i32,
}

impl Magnitude {
    fn of(value: f64) -> Magnitude {
        let bits = value.to_bits();
        let fraction = u128::from(bits & ((1 << 52) - 1));
        match (bits >> 52 & 0x7FF) as i32 {
            0 => Magnitude { significand: fraction, exponent: -1074 },
            field => Magnitude { significand: fraction | 1 << 52, exponent: field - 1075 },
        }
    }

    /// The same number with its highest bit at bit 125, which leaves room for a sum.
    fn normalised(self) -> Magnitude {
        let shift = self.significand.leading_zeros() as i32 - 2;
        Magnitude { significand: self.significand << shift, exponent: self.exponent - shift }
    }
}

/// `a * b + c`, rounded once.
pub(super) fn multiply_add(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let nearest = a.mul_add(b, c);
    if rounding == Rounding::Nearest || !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return nearest;
    }
    exact_multiply_add(a, b, c, rounding)
}

/// The same for finite numbers, with integers and for every rounding.
pub(super) fn exact_multiply_add(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let product_negative = a.is_sign_negative() != b.is_sign_negative();
    let addend_negative = c.is_sign_negative();
    let (left, right) = (Magnitude::of(a), Magnitude::of(b));
    let product = Magnitude {
        significand: left.significand * right.significand,
        exponent: left.exponent + right.exponent,
    };
    let addend = Magnitude::of(c);
    let zero_of = |negative: bool| if negative { -0.0 } else { 0.0 };
    if product.significand == 0 && addend.significand == 0 {
        return match product_negative == addend_negative {
            true => zero_of(addend_negative),
            false => zero_of(rounding == Rounding::Down),
        };
    }
    if product.significand == 0 {
        return c;
    }
    let product = product.normalised();
    if addend.significand == 0 {
        return round(product_negative, product, rounding);
    }
    let addend = addend.normalised();
    let product_is_larger = product.exponent > addend.exponent
        || product.exponent == addend.exponent && product.significand >= addend.significand;
    let ((large, negative), (small, small_negative)) = if product_is_larger {
        ((product, product_negative), (addend, addend_negative))
    } else {
        ((addend, addend_negative), (product, product_negative))
    };
    // What is shifted out only has to be seen as not zero. Both significands end in 20 zeros, so
    // nothing is lost where the difference could cancel more than its highest bit.
    let distance = (large.exponent - small.exponent) as u32;
    let aligned = if distance > 125 {
        1
    } else {
        let kept = small.significand >> distance;
        kept | u128::from(kept << distance != small.significand)
    };
    let significand = if negative == small_negative {
        large.significand + aligned
    } else {
        large.significand - aligned
    };
    if significand == 0 {
        return zero_of(rounding == Rounding::Down);
    }
    round(negative, Magnitude { significand, exponent: large.exponent }, rounding)
}

fn round(negative: bool, magnitude: Magnitude, rounding: Rounding) -> f64 {
    let Magnitude { significand, exponent } = magnitude;
    let highest = exponent + 127 - significand.leading_zeros() as i32;
    let unit = (highest - 52).max(-1074);
    let shift = unit - exponent;
    let (mut kept, lost) = if shift <= 0 {
        (significand << -shift, 0)
    } else if shift > 127 {
        (0, 1)
    } else {
        let kept = significand >> shift;
        // The lost part, with its upper bit where a half would be.
        (kept, (significand - (kept << shift)) << (128 - shift))
    };
    let half = 1 << 127;
    let up = match rounding {
        Rounding::Nearest => lost > half || lost == half && kept & 1 == 1,
        Rounding::Zero => false,
        Rounding::Down => negative && lost != 0,
        Rounding::Up => !negative && lost != 0,
    };
    kept += u128::from(up);
    // The highest bit of a normal number adds one to the exponent field, and so does a carry.
    let bits = (((unit + 1074) as u64) << 52) + kept as u64;
    let infinity = f64::INFINITY.to_bits();
    let overflow_to_infinity = match rounding {
        Rounding::Nearest => true,
        Rounding::Zero => false,
        Rounding::Down => negative,
        Rounding::Up => !negative,
    };
    let bits = match (bits >= infinity, overflow_to_infinity) {
        (false, _) => bits,
        (true, true) => infinity,
        (true, false) => infinity - 1,
    };
    f64::from_bits(bits | u64::from(negative) << 63)
}
