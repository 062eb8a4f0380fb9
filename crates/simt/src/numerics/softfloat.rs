//! Binary floating point in integers: exact operations, one rounding at the end, any format.
//!
//! The engine uses it for double precision in the directed modes, where no wider host type exists.
//! The tests use it in the single format as the second opinion on [`super::directed`].
//!
//! A finite number is `significand * 2^exponent` with a 128-bit significand. An operation keeps at
//! least two bits more than the format and ors everything below into the last bit (the sticky bit),
//! which is all that [`Format::round_pack`] needs.

use super::{Round, double};

/// The widths of the fields of a binary interchange format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of the exponent field.
    pub(crate) exponent_bits: u32,
    /// Bits of the fraction field.
    pub(crate) fraction_bits: u32,
}

/// Double precision.
pub(crate) const DOUBLE: Format = Format { exponent_bits: 11, fraction_bits: 52 };
/// Single precision: what the tests compare with.
#[cfg(test)]
pub(crate) const SINGLE: Format = Format { exponent_bits: 8, fraction_bits: 23 };

/// A nonzero finite number: `(-1)^negative * significand * 2^exponent`.
#[derive(Clone, Copy, Debug)]
struct Finite {
    negative: bool,
    exponent: i32,
    significand: u128,
}

#[derive(Clone, Copy, Debug)]
enum Unpacked {
    Nan,
    Infinite { negative: bool },
    Zero { negative: bool },
    Finite(Finite),
}

/// Shifts right and keeps in the last bit whether anything was lost.
fn shift_right_sticky(value: u128, amount: u32) -> u128 {
    match amount {
        0 => value,
        1..=127 => (value >> amount) | u128::from(value << (128 - amount) != 0),
        _ => u128::from(value != 0),
    }
}

impl Finite {
    /// Moves the leading bit to bit 125, which leaves room for a carry and a sign.
    fn normalised(self) -> Finite {
        let shift = self.significand.leading_zeros() as i32 - 2;
        debug_assert!(shift >= 0, "operands have at most 126 bits");
        Finite { exponent: self.exponent - shift, significand: self.significand << shift, ..self }
    }
}

impl Format {
    fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The exponent of the smallest normal number.
    fn minimum_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }

    /// An arbitrary NaN: callers put the right one in its place.
    fn nan(self) -> u64 {
        self.sign() - 1
    }

    fn with_sign(self, magnitude: u64, negative: bool) -> u64 {
        if negative { magnitude | self.sign() } else { magnitude }
    }

    fn unpack(self, bits: u64) -> Unpacked {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & (self.sign() - 1);
        let field = magnitude >> self.fraction_bits;
        let fraction = magnitude & ((1 << self.fraction_bits) - 1);
        if magnitude > self.infinity() {
            Unpacked::Nan
        } else if magnitude == self.infinity() {
            Unpacked::Infinite { negative }
        } else if magnitude == 0 {
            Unpacked::Zero { negative }
        } else {
            let hidden = if field == 0 { 0 } else { 1 << self.fraction_bits };
            Unpacked::Finite(Finite {
                negative,
                exponent: field.max(1) as i32 - 1 + self.minimum_exponent()
                    - self.fraction_bits as i32,
                significand: u128::from(fraction | hidden),
            })
        }
    }

    /// Rounds a nonzero number to the format, subnormals and overflow included.
    fn round_pack(self, x: Finite, round: Round) -> u64 {
        let length = 128 - x.significand.leading_zeros() as i32;
        let leading = (x.exponent + length - 1).max(self.minimum_exponent());
        let shift = leading - self.fraction_bits as i32 - x.exponent;
        let (kept, halves) = if shift <= 0 {
            (x.significand << -shift, 0)
        } else {
            // Two bits below the last one say which side of the midpoint the rest lies on.
            let with_two_more = if shift >= 2 {
                shift_right_sticky(x.significand, (shift - 2) as u32)
            } else {
                x.significand << 1
            };
            (with_two_more >> 2, with_two_more & 3)
        };
        let up = match round {
            Round::Nearest => halves == 3 || (halves == 2 && kept & 1 == 1),
            Round::NearestAway => halves >= 2,
            Round::Zero => false,
            Round::Down => x.negative && halves != 0,
            Round::Up => !x.negative && halves != 0,
        };
        let field = (leading - self.minimum_exponent()) as u64;
        let code = (field << self.fraction_bits) + kept as u64 + u64::from(up);
        let magnitude = if code < self.infinity() {
            code
        } else {
            let to_infinity = match round {
                Round::Nearest | Round::NearestAway => true,
                Round::Zero => false,
                Round::Down => x.negative,
                Round::Up => !x.negative,
            };
            if to_infinity { self.infinity() } else { self.infinity() - 1 }
        };
        self.with_sign(magnitude, x.negative)
    }

    /// The sum of two nonzero numbers.
    fn add_finite(self, a: Finite, b: Finite, round: Round) -> u64 {
        let (a, b) = (a.normalised(), b.normalised());
        let (large, small) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        let distance = (large.exponent - small.exponent) as u32;
        // Bits are lost only at a distance where the difference cannot cancel more than one bit.
        let aligned = shift_right_sticky(small.significand, distance);
        let sum = if large.negative == small.negative {
            Finite { significand: large.significand + aligned, ..large }
        } else if large.significand >= aligned {
            Finite { significand: large.significand - aligned, ..large }
        } else {
            let significand = aligned - large.significand;
            Finite { significand, negative: small.negative, ..large }
        };
        if sum.significand == 0 {
            self.with_sign(0, round == Round::Down)
        } else {
            self.round_pack(sum, round)
        }
    }

    fn add_unpacked(self, a: Unpacked, b: Unpacked, round: Round) -> u64 {
        use Unpacked::{Finite as Number, Infinite, Nan, Zero};
        match (a, b) {
            (Nan, _) | (_, Nan) => self.nan(),
            (Infinite { negative: x }, Infinite { negative: y }) if x != y => self.nan(),
            (Infinite { negative }, _) | (_, Infinite { negative }) => {
                self.with_sign(self.infinity(), negative)
            }
            (Zero { negative: x }, Zero { negative: y }) => {
                self.with_sign(0, if x == y { x } else { round == Round::Down })
            }
            (Zero { .. }, Number(x)) | (Number(x), Zero { .. }) => self.round_pack(x, round),
            (Number(x), Number(y)) => self.add_finite(x, y, round),
        }
    }

    fn multiply_unpacked(a: Unpacked, b: Unpacked) -> Unpacked {
        use Unpacked::{Finite as Number, Infinite, Nan, Zero};
        match (a, b) {
            (Nan, _)
            | (_, Nan)
            | (Infinite { .. }, Zero { .. })
            | (Zero { .. }, Infinite { .. }) => Nan,
            (Number(x), Number(y)) => Number(Finite {
                negative: x.negative != y.negative,
                exponent: x.exponent + y.exponent,
                significand: x.significand * y.significand,
            }),
            _ => {
                let negative = is_negative(a) != is_negative(b);
                if matches!(a, Infinite { .. }) || matches!(b, Infinite { .. }) {
                    Infinite { negative }
                } else {
                    Zero { negative }
                }
            }
        }
    }

    fn pack_unpacked(self, x: Unpacked, round: Round) -> u64 {
        match x {
            Unpacked::Nan => self.nan(),
            Unpacked::Infinite { negative } => self.with_sign(self.infinity(), negative),
            Unpacked::Zero { negative } => self.with_sign(0, negative),
            Unpacked::Finite(x) => self.round_pack(x, round),
        }
    }

    /// `a + b`.
    pub(crate) fn add(self, a: u64, b: u64, round: Round) -> u64 {
        self.add_unpacked(self.unpack(a), self.unpack(b), round)
    }

    /// `a * b`.
    pub(crate) fn mul(self, a: u64, b: u64, round: Round) -> u64 {
        self.pack_unpacked(Self::multiply_unpacked(self.unpack(a), self.unpack(b)), round)
    }

    /// `a * b + c` with one rounding.
    pub(crate) fn fma(self, a: u64, b: u64, c: u64, round: Round) -> u64 {
        let product = Self::multiply_unpacked(self.unpack(a), self.unpack(b));
        self.add_unpacked(product, self.unpack(c), round)
    }

    /// `a / b`.
    pub(crate) fn div(self, a: u64, b: u64, round: Round) -> u64 {
        use Unpacked::{Finite as Number, Infinite, Nan, Zero};
        let (a, b) = (self.unpack(a), self.unpack(b));
        let negative = is_negative(a) != is_negative(b);
        let quotient = match (a, b) {
            (Nan, _)
            | (_, Nan)
            | (Infinite { .. }, Infinite { .. })
            | (Zero { .. }, Zero { .. }) => Nan,
            (Infinite { .. }, _) | (_, Zero { .. }) => Infinite { negative },
            (Zero { .. }, _) | (_, Infinite { .. }) => Zero { negative },
            (Number(x), Number(y)) => {
                // With 126 bits over at most 53 the quotient has more bits than any format needs.
                let x = x.normalised();
                let quotient = x.significand / y.significand;
                let inexact = u128::from(x.significand % y.significand != 0);
                Number(Finite {
                    negative,
                    exponent: x.exponent - y.exponent,
                    significand: quotient | inexact,
                })
            }
        };
        self.pack_unpacked(quotient, round)
    }

    /// The square root of `a`.
    pub(crate) fn sqrt(self, a: u64, round: Round) -> u64 {
        let root = match self.unpack(a) {
            Unpacked::Finite(x) if !x.negative => {
                let mut x = x.normalised();
                if x.exponent % 2 != 0 {
                    // The exponent must be even; bit 126 is free.
                    x.significand <<= 1;
                    x.exponent -= 1;
                }
                let root = x.significand.isqrt();
                let inexact = u128::from(root * root != x.significand);
                Unpacked::Finite(Finite {
                    negative: false,
                    exponent: x.exponent / 2,
                    significand: root | inexact,
                })
            }
            Unpacked::Infinite { negative: true } | Unpacked::Finite(_) => Unpacked::Nan,
            zero_or_infinite_or_nan => zero_or_infinite_or_nan,
        };
        self.pack_unpacked(root, round)
    }

    /// Rounds a number of another format to this one: what the tests compare with.
    #[cfg(test)]
    pub(crate) fn convert(self, from: Format, bits: u64, round: Round) -> u64 {
        self.pack_unpacked(from.unpack(bits), round)
    }

    /// Rounds an integer to the format.
    pub(crate) fn round_integer(self, negative: bool, magnitude: u64, round: Round) -> u64 {
        if magnitude == 0 {
            return 0;
        }
        let significand = u128::from(magnitude);
        self.round_pack(Finite { negative, exponent: 0, significand }, round)
    }
}

fn is_negative(x: Unpacked) -> bool {
    match x {
        Unpacked::Nan => false,
        Unpacked::Infinite { negative } | Unpacked::Zero { negative } => negative,
        Unpacked::Finite(x) => x.negative,
    }
}

/// `add.rnd.f64`.
pub(crate) fn add_double(a: f64, b: f64, round: Round) -> f64 {
    if round == Round::Nearest {
        return double::add(a, b);
    }
    let sum = f64::from_bits(DOUBLE.add(a.to_bits(), b.to_bits(), round));
    double::propagate2(sum, a, b)
}

/// `sub.rnd.f64`.
pub(crate) fn sub_double(a: f64, b: f64, round: Round) -> f64 {
    let negated = if b.is_nan() { b } else { -b };
    add_double(a, negated, round)
}

/// `mul.rnd.f64`.
pub(crate) fn mul_double(a: f64, b: f64, round: Round) -> f64 {
    if round == Round::Nearest {
        return double::mul(a, b);
    }
    let product = f64::from_bits(DOUBLE.mul(a.to_bits(), b.to_bits(), round));
    double::propagate2(product, a, b)
}

/// `fma.rnd.f64`, also `mad.rnd.f64`.
pub(crate) fn fma_double(a: f64, b: f64, c: f64, round: Round) -> f64 {
    if round == Round::Nearest {
        return double::fma(a, b, c);
    }
    let result = f64::from_bits(DOUBLE.fma(a.to_bits(), b.to_bits(), c.to_bits(), round));
    double::propagate3(result, a, b, c)
}

/// `div.rnd.f64`.
pub(crate) fn div_double(a: f64, b: f64, round: Round) -> f64 {
    if round == Round::Nearest {
        return double::div(a, b);
    }
    let quotient = f64::from_bits(DOUBLE.div(a.to_bits(), b.to_bits(), round));
    double::propagate2(quotient, a, b)
}

/// `rcp.rnd.f64`.
pub(crate) fn rcp_double(a: f64, round: Round) -> f64 {
    if round == Round::Nearest {
        return double::rcp(a);
    }
    let quotient = f64::from_bits(DOUBLE.div(1f64.to_bits(), a.to_bits(), round));
    double::propagate1(quotient, a)
}

/// `sqrt.rnd.f64`.
pub(crate) fn sqrt_double(a: f64, round: Round) -> f64 {
    if round == Round::Nearest {
        return double::sqrt(a);
    }
    let root = f64::from_bits(DOUBLE.sqrt(a.to_bits(), round));
    double::propagate1(root, a)
}
