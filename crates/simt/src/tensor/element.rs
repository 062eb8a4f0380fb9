//! What matrices are made of: element types, shapes and memory orders.

/// The type of a matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// Half precision.
    F16,
    /// The upper half of a single-precision number.
    BF16,
    /// A single-precision number of which the low 13 bits are ignored.
    TF32,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// A signed byte.
    S8,
    /// An unsigned byte.
    U8,
    /// A signed nibble.
    S4,
    /// An unsigned nibble.
    U4,
    /// A single bit.
    B1,
    /// An 8-bit float with 4 exponent bits, without infinities.
    E4M3,
    /// An 8-bit float with 5 exponent bits.
    E5M2,
    /// A 6-bit float in the low bits of a byte.
    E3M2,
    /// A 6-bit float in the low bits of a byte.
    E2M3,
    /// A 4-bit float in the middle four bits of a byte.
    E2M1,
    /// A signed 32-bit number.
    S32,
}

impl Element {
    /// The element type that a modifier names.
    pub(crate) fn parse(word: &str) -> Option<Element> {
        Some(match word {
            "f16" => Element::F16,
            "bf16" => Element::BF16,
            "tf32" => Element::TF32,
            "f32" => Element::F32,
            "f64" => Element::F64,
            "s8" => Element::S8,
            "u8" => Element::U8,
            "s4" => Element::S4,
            "u4" => Element::U4,
            "b1" => Element::B1,
            "e4m3" => Element::E4M3,
            "e5m2" => Element::E5M2,
            "e3m2" => Element::E3M2,
            "e2m3" => Element::E2M3,
            "e2m1" => Element::E2M1,
            "s32" => Element::S32,
            _ => return None,
        })
    }

    /// How many bits an element takes in registers and in memory, padding included.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Element::F64 => 64,
            Element::TF32 | Element::F32 | Element::S32 => 32,
            Element::F16 | Element::BF16 => 16,
            Element::S8
            | Element::U8
            | Element::E4M3
            | Element::E5M2
            | Element::E3M2
            | Element::E2M3
            | Element::E2M1 => 8,
            Element::S4 | Element::U4 => 4,
            Element::B1 => 1,
        }
    }

    /// The width of the registers that hold it.
    pub(crate) fn register_bits(self) -> u32 {
        self.bits().max(32)
    }

    /// How many of them a register holds.
    pub(crate) fn per_register(self) -> usize {
        (self.register_bits() / self.bits()) as usize
    }

    /// Whether it is one of the floats of 8 bits and fewer.
    pub(crate) fn is_narrow_float(self) -> bool {
        self.is_eight_bit_float() || matches!(self, Element::E3M2 | Element::E2M3 | Element::E2M1)
    }

    /// Whether it is a float that fills a byte.
    pub(crate) fn is_eight_bit_float(self) -> bool {
        matches!(self, Element::E4M3 | Element::E5M2)
    }
}

/// The shape of a product: `a` is `m` by `k`, `b` is `k` by `n`, the accumulators are `m` by `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MmaShape {
    /// Rows of the result.
    pub(crate) m: usize,
    /// Columns of the result.
    pub(crate) n: usize,
    /// Products that are summed for each element of the result.
    pub(crate) k: usize,
}

impl MmaShape {
    /// The shape that a modifier such as `m16n8k16` names.
    pub(crate) fn parse(word: &str) -> Option<MmaShape> {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(MmaShape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }

    /// The three numbers, to match on.
    pub(crate) fn sizes(self) -> (usize, usize, usize) {
        (self.m, self.n, self.k)
    }
}

/// How a matrix lies in memory, and with it which of its elements share a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Elements of a row are neighbours.
    Row,
    /// Elements of a column are neighbours.
    Column,
}

impl Layout {
    /// The layout that a modifier names.
    pub(crate) fn parse(word: &str) -> Option<Layout> {
        match word {
            "row" => Some(Layout::Row),
            "col" => Some(Layout::Column),
            _ => None,
        }
    }
}

/// What replaces the multiplication of single bits; the ones of the result are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitOperation {
    /// Bits that differ.
    Xor,
    /// Bits that are both set.
    And,
}

impl BitOperation {
    /// The operation that a modifier names.
    pub(crate) fn parse(word: &str) -> Option<BitOperation> {
        match word {
            "xor" => Some(BitOperation::Xor),
            "and" => Some(BitOperation::And),
            _ => None,
        }
    }
}

/// The rounding of double-precision products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the nearest, ties to even.
    Nearest,
    /// Towards zero.
    Zero,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
}

impl Rounding {
    /// The rounding that a modifier names.
    pub(crate) fn parse(word: &str) -> Option<Rounding> {
        match word {
            "rn" => Some(Rounding::Nearest),
            "rz" => Some(Rounding::Zero),
            "rm" => Some(Rounding::Down),
            "rp" => Some(Rounding::Up),
            _ => None,
        }
    }
}
