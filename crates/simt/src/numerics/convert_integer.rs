//! `cvt` between integers and floating-point numbers.

use super::Round;
use super::convert::{double_to_integral, single_to_integral};
use super::directed::{double_to_single, double_to_single_odd};
use super::half::Half;
use super::narrow::narrow;
use super::softfloat::DOUBLE;

/// An integer type of PTX.
pub(crate) trait Integer: Copy {
    /// What NaN of `.f64` becomes, and any NaN in a 64-bit integer: the top bit.
    const TOP_BIT: Self;
    /// Whether the type has 64 bits.
    const IS_WIDE: bool;
    /// Converts with saturation, NaN to zero; the value is integral.
    fn from_single_saturating(x: f32) -> Self;
    /// Converts with saturation, NaN to zero; the value is integral.
    fn from_double_saturating(x: f64) -> Self;
    /// The value; exact for every type.
    fn to_i128(self) -> i128;
    /// The value as a double, rounded to odd where it has more than 53 bits.
    fn to_double_odd(self) -> f64;
    /// The nearest single.
    fn to_single_nearest(self) -> f32;
    /// The nearest double.
    fn to_double_nearest(self) -> f64;
}

/// Makes the bits of `magnitude` that a double cannot hold sticky, so that its conversion is exact.
#[inline(always)]
fn odd_magnitude(magnitude: u64) -> u64 {
    let sticky = u64::from(magnitude & 0x7ff != 0) << 11;
    let shortened = (magnitude & !0x7ff) | sticky;
    if magnitude >= 1 << 53 { shortened } else { magnitude }
}

macro_rules! integer {
    ($type:ident, $bits:literal, |$value:ident| $to_double_odd:expr) => {
        impl Integer for $type {
            const TOP_BIT: Self = (1u64 << ($bits - 1)) as $type;
            const IS_WIDE: bool = $bits == 64;
            #[inline(always)]
            fn from_single_saturating(x: f32) -> Self {
                x as $type
            }
            #[inline(always)]
            fn from_double_saturating(x: f64) -> Self {
                x as $type
            }
            #[inline(always)]
            fn to_i128(self) -> i128 {
                i128::from(self)
            }
            #[inline(always)]
            fn to_double_odd(self) -> f64 {
                let $value = self;
                $to_double_odd
            }
            #[inline(always)]
            fn to_single_nearest(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn to_double_nearest(self) -> f64 {
                self as f64
            }
        }
    };
}

integer!(u8, 8, |value| f64::from(value));
integer!(i8, 8, |value| f64::from(value));
integer!(u16, 16, |value| f64::from(value));
integer!(i16, 16, |value| f64::from(value));
integer!(u32, 32, |value| f64::from(value));
integer!(i32, 32, |value| f64::from(value));
integer!(u64, 64, |value| odd_magnitude(value) as f64);
integer!(i64, 64, |value| {
    let magnitude = odd_magnitude(value.unsigned_abs()) as f64;
    if value < 0 { -magnitude } else { magnitude }
});

/// `cvt` from `.f32` to an integer: rounded, clamped to the range of the type (`.sat` changes
/// nothing). NaN becomes zero in a type of at most 32 bits and the top bit in one of 64.
#[inline(always)]
pub(crate) fn single_to_integer<D: Integer>(x: f32, round: Round) -> D {
    let value = D::from_single_saturating(single_to_integral(x, round));
    if D::IS_WIDE && x.is_nan() { D::TOP_BIT } else { value }
}

/// `cvt` from `.f64` to an integer: see [`single_to_integer`], but NaN becomes the top bit always.
#[inline(always)]
pub(crate) fn double_to_integer<D: Integer>(x: f64, round: Round) -> D {
    let value = D::from_double_saturating(double_to_integral(x, round));
    if x.is_nan() { D::TOP_BIT } else { value }
}

/// `cvt` from `.f16` or `.bf16` to an integer: see [`single_to_integer`].
#[inline(always)]
pub(crate) fn half_to_integer<F: Half, D: Integer>(a: u16, round: Round) -> D {
    single_to_integer(F::to_single(a), round)
}

/// `cvt` from an integer to `.f32`.
#[inline(always)]
pub(crate) fn integer_to_single<S: Integer>(a: S, round: Round) -> f32 {
    match round {
        Round::Nearest => a.to_single_nearest(),
        _ => double_to_single(a.to_double_odd(), round),
    }
}

/// `cvt` from an integer to `.f64`.
#[inline(always)]
pub(crate) fn integer_to_double<S: Integer>(a: S, round: Round) -> f64 {
    if round == Round::Nearest || !S::IS_WIDE {
        return a.to_double_nearest();
    }
    let value = a.to_i128();
    f64::from_bits(DOUBLE.round_integer(value < 0, value.unsigned_abs() as u64, round))
}

/// `cvt` from an integer to `.f16` or `.bf16`.
#[inline(always)]
pub(crate) fn integer_to_half<S: Integer, F: Half>(a: S, round: Round) -> u16 {
    narrow::<F>(double_to_single_odd(a.to_double_odd()), round, false) as u16
}
