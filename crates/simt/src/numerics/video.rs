//! The scalar video instructions: `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`,
//! `vset` and `vmad`.
//!
//! No GPU since sm_35 has these instructions: ptxas writes them out, and what it writes for sm_90 does
//! not always do what the manual says. Here they do what a program would see, deviations included:
//! - Sums, differences, minima and maxima with `.sat` are not limited from above where the
//!   destination is a whole unsigned word.
//! - With `.sat` and a part of a word as destination, a negative result becomes the largest number.
//!   Shifts are limited to the word instead.
//! - A result for `.h1` is taken from the upper half of the value.
//! - A secondary minimum or maximum of an unsigned type compares 64 bits, whose upper half are the
//!   sign of the lower one where the value is a sum, a difference or saturated.
//! - `vmad` multiplies signed words and adds a signed one whatever the types are.

use super::ShiftMode;

/// A part of a source or destination register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// The whole word: no selector.
    Word,
    /// `.h0` or `.h1`.
    Half(u8),
    /// `.b0` to `.b3`.
    Byte(u8),
}

impl Part {
    fn width(self) -> u32 {
        match self {
            Part::Word => 32,
            Part::Half(_) => 16,
            Part::Byte(_) => 8,
        }
    }

    fn offset(self) -> u32 {
        match self {
            Part::Word => 0,
            Part::Half(index) => 16 * u32::from(index & 1),
            Part::Byte(index) => 8 * u32::from(index & 3),
        }
    }

    /// The bits of the part, moved to the bottom.
    fn mask(self) -> u32 {
        u32::MAX >> (32 - self.width())
    }
}

/// How a source register is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// Whether the type is `.s32`.
    pub(crate) signed: bool,
    /// The part taken.
    pub(crate) part: Part,
}

impl Source {
    fn read(self, register: u32) -> i64 {
        let bits = (register >> self.part.offset()) & self.part.mask();
        let unused = 64 - self.part.width();
        let extended = (i64::from(bits) << unused) >> unused;
        if self.signed { extended } else { i64::from(bits) }
    }
}

/// The operation of a scalar video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VideoOperation {
    /// `vadd`.
    Add,
    /// `vsub`.
    Subtract,
    /// `vabsdiff`.
    AbsoluteDifference,
    /// `vmin`.
    Minimum,
    /// `vmax`.
    Maximum,
    /// `vshl`.
    ShiftLeft(ShiftMode),
    /// `vshr`.
    ShiftRight(ShiftMode),
    /// `vset`.
    Compare(VideoComparison),
}

/// A comparison of `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VideoComparison {
    /// `.eq`.
    Eq,
    /// `.ne`.
    Ne,
    /// `.lt`.
    Lt,
    /// `.le`.
    Le,
    /// `.gt`.
    Gt,
    /// `.ge`.
    Ge,
}

impl VideoComparison {
    /// One if the comparison holds, else zero.
    pub(crate) fn evaluate(self, a: i64, b: i64) -> i64 {
        i64::from(match self {
            VideoComparison::Eq => a == b,
            VideoComparison::Ne => a != b,
            VideoComparison::Lt => a < b,
            VideoComparison::Le => a <= b,
            VideoComparison::Gt => a > b,
            VideoComparison::Ge => a >= b,
        })
    }
}

/// What happens to the result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Secondary {
    /// There is no third operand.
    None,
    /// `.add`.
    Add,
    /// `.min`.
    Minimum,
    /// `.max`.
    Maximum,
    /// A destination selector: the result replaces this part of the third operand.
    Merge(Part),
}

/// A scalar video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScalarVideo {
    /// What it computes.
    pub(crate) operation: VideoOperation,
    /// How `a` is read.
    pub(crate) a: Source,
    /// How `b` is read.
    pub(crate) b: Source,
    /// Whether the destination is `.s32`; for `vset`, whether `a` is.
    pub(crate) signed: bool,
    /// `.sat`.
    pub(crate) saturate: bool,
    /// What is done with `c`.
    pub(crate) secondary: Secondary,
}

/// The nearest value of an integer type of `width` bits.
pub(crate) fn clamp_to(value: i128, width: u32, signed: bool) -> i128 {
    if signed {
        value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1)
    } else {
        value.clamp(0, (1 << width) - 1)
    }
}

fn shift_amount(amount: i64, mode: ShiftMode) -> u32 {
    match mode {
        ShiftMode::Wrap => amount as u32 & 31,
        ShiftMode::Clamp => amount.clamp(0, 32) as u32,
    }
}

/// The nearest word of a type.
fn word_nearest(value: i64, signed: bool) -> u32 {
    clamp_to(i128::from(value), 32, signed) as u32
}

impl ScalarVideo {
    /// Executes the instruction on one lane.
    pub(crate) fn execute(self, a: u32, b: u32, c: u32) -> u32 {
        let (left, right) = (self.a.read(a), self.b.read(b));
        let exact = match self.operation {
            VideoOperation::Add => left + right,
            VideoOperation::Subtract => left - right,
            VideoOperation::AbsoluteDifference => (left - right).abs(),
            VideoOperation::Minimum => left.min(right),
            VideoOperation::Maximum => left.max(right),
            VideoOperation::ShiftLeft(mode) => left << shift_amount(right, mode),
            VideoOperation::ShiftRight(mode) => left >> shift_amount(right, mode),
            VideoOperation::Compare(comparison) => comparison.evaluate(left, right),
        };
        let value = match self.operation {
            _ if self.saturate => i64::from(self.saturated(exact) as i32),
            VideoOperation::Add | VideoOperation::Subtract => i64::from(exact as i32),
            _ => exact,
        };
        match (self.secondary, self.signed) {
            (Secondary::None, _) => value as u32,
            (Secondary::Add, _) => (value as u32).wrapping_add(c),
            (Secondary::Minimum, true) => value.min(i64::from(c as i32)) as u32,
            (Secondary::Maximum, true) => value.max(i64::from(c as i32)) as u32,
            (Secondary::Minimum, false) => (value as u64).min(u64::from(c)) as u32,
            (Secondary::Maximum, false) => (value as u64).max(u64::from(c)) as u32,
            (Secondary::Merge(part), _) => {
                let mask = part.mask() << part.offset();
                let placed = match part {
                    Part::Half(_) => value as u32,
                    _ => (value as u32) << part.offset(),
                };
                (placed & mask) | (c & !mask)
            }
        }
    }

    /// `.sat`.
    fn saturated(self, exact: i64) -> u32 {
        let is_shift =
            matches!(self.operation, VideoOperation::ShiftLeft(_) | VideoOperation::ShiftRight(_));
        match self.secondary {
            // A shifted value has 34 bits.
            _ if is_shift => word_nearest(exact << 30 >> 30, self.signed),
            Secondary::Merge(part) if part != Part::Word => {
                let largest = part.mask() >> u32::from(self.signed);
                u32::try_from(exact).map_or(largest, |value| value.min(largest))
            }
            _ if self.signed => word_nearest(exact, true),
            _ if exact < 0 => 0,
            _ => exact as u32,
        }
    }
}

/// `vmad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VideoMultiplyAdd {
    /// How `a` is read.
    pub(crate) a: Source,
    /// How `b` is read.
    pub(crate) b: Source,
    /// Whether exactly one of `a` and `b` is negated.
    pub(crate) negate_product: bool,
    /// Whether `c` is negated.
    pub(crate) negate_c: bool,
    /// `.po`.
    pub(crate) plus_one: bool,
    /// 7 for `.shr7`, 15 for `.shr15`, else 0.
    pub(crate) shift: u32,
    /// `.sat`.
    pub(crate) saturate: bool,
}

impl VideoMultiplyAdd {
    /// Executes the instruction on one lane.
    pub(crate) fn execute(self, a: u32, b: u32, c: u32) -> u32 {
        let signed = self.a.signed || self.b.signed || self.negate_product || self.negate_c;
        let factor = |value: i64| i64::from(value as i32);
        let mut product = factor(self.a.read(a)) * factor(self.b.read(b));
        let mut addend = c;
        let mut lowest = 0;
        if self.plus_one {
            lowest = 1;
        } else if self.negate_product {
            product = !product;
            lowest = 1;
        } else if self.negate_c {
            addend = !c;
            lowest = 1;
        }
        let sum = product.wrapping_add(i64::from(addend as i32)).wrapping_add(lowest);
        let scaled = if signed { sum >> self.shift } else { (sum as u64 >> self.shift) as i64 };
        if self.saturate { word_nearest(scaled, signed) } else { scaled as u32 }
    }
}
