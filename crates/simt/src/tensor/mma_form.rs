//! The names of `mma` and `mma.sp` (PTX manual 9.7.14.5.14 and 9.7.14.6.3), parsed.

use super::element::{BitOperation, Element, Layout, MmaShape, Rounding};

/// How `a` is sparse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sparsity {
    /// Which lanes of each group of four hold the metadata. It is the instruction's last operand,
    /// so parsing a name leaves it at 0.
    pub(crate) selector: u32,
    /// Whether the program promises that the indices are in order.
    pub(crate) ordered: bool,
}

/// How many registers an operand has, and how wide they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegisterGroup {
    /// Registers of each lane.
    pub(crate) count: usize,
    /// 32 or 64.
    pub(crate) bits: u32,
}

/// An `mma` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MmaForm {
    /// The sizes of the matrices.
    pub(crate) shape: MmaShape,
    /// The type of the left factor.
    pub(crate) a: Element,
    /// The type of the right factor.
    pub(crate) b: Element,
    /// The type of the accumulator that goes in.
    pub(crate) c: Element,
    /// The type of the result.
    pub(crate) d: Element,
    /// The order of the left factor.
    pub(crate) a_layout: Layout,
    /// The order of the right factor.
    pub(crate) b_layout: Layout,
    /// Whether integers saturate.
    pub(crate) saturate: bool,
    /// What replaces multiplication of single bits; only they have it.
    pub(crate) bit_operation: Option<BitOperation>,
    /// The rounding of doubles.
    pub(crate) rounding: Rounding,
    /// Whether and how the left factor is sparse.
    pub(crate) sparse: Option<Sparsity>,
}

impl MmaForm {
    /// The form that the words of a name have, with or without the leading `mma`. The assembler
    /// takes the words in any order, so only the order among types and among layouts counts. None
    /// for what does not exist or is not supported.
    pub(crate) fn parse(words: &[&str]) -> Option<MmaForm> {
        let words = words.strip_prefix(&["mma"]).unwrap_or(words);
        let (mut shape, mut bit_operation, mut rounding, mut sparse) = (None, None, None, None);
        let (mut types, mut layouts) = (Vec::new(), Vec::new());
        let (mut saturate, mut counts, mut narrow_kind) = (false, false, false);
        for &word in words {
            match word {
                "sync" | "aligned" => {}
                "sp" => sparse = Some(Sparsity { selector: 0, ordered: false }),
                "sp::ordered_metadata" => sparse = Some(Sparsity { selector: 0, ordered: true }),
                "satfinite" => saturate = true,
                "popc" => counts = true,
                "kind::f8f6f4" => narrow_kind = true,
                _ => {
                    if let Some(element) = Element::parse(word) {
                        types.push(element);
                    } else if let Some(layout) = Layout::parse(word) {
                        layouts.push(layout);
                    } else if let Some(operation) = BitOperation::parse(word) {
                        bit_operation = Some(operation);
                    } else if let Some(mode) = Rounding::parse(word) {
                        rounding = Some(mode);
                    } else {
                        shape = Some(MmaShape::parse(word)?);
                    }
                }
            }
        }
        let (&[d, a, b, c], &[a_layout, b_layout]) = (types.as_slice(), layouts.as_slice()) else {
            return None;
        };
        let form = MmaForm {
            shape: shape?,
            a,
            b,
            c,
            d,
            a_layout,
            b_layout,
            saturate,
            bit_operation,
            rounding: rounding.unwrap_or(Rounding::Nearest),
            sparse,
        };
        let modifiers_fit = saturate <= (c == Element::S32 && a != Element::B1)
            && counts == (a == Element::B1)
            && bit_operation.is_some() == (a == Element::B1)
            && rounding.is_some() <= (a == Element::F64)
            && narrow_kind <= a.is_narrow_float();
        (modifiers_fit && form.exists(narrow_kind)).then_some(form)
    }

    fn exists(&self, narrow_kind: bool) -> bool {
        use Element::{B1, BF16, F16, F32, F64, S4, S8, S32, TF32, U4, U8};
        let shape = self.shape.sizes();
        let accumulates_in = |element| self.c == element && self.d == element;
        if self.splits_in_quarters() {
            return (self.c, self.d) != (F32, F16)
                && [self.c, self.d].iter().all(|element| [F16, F32].contains(element));
        }
        if (self.a_layout, self.b_layout) != (Layout::Row, Layout::Column) {
            return false;
        }
        let half_or_single = accumulates_in(F16) || accumulates_in(F32);
        let (dense, sparse, accumulates): (&[_], &[_], bool) = match (self.a, self.b) {
            (F16, F16) => (&[(16, 8, 8), (16, 8, 16)], &[(16, 8, 16), (16, 8, 32)], half_or_single),
            (BF16, BF16) => {
                (&[(16, 8, 8), (16, 8, 16)], &[(16, 8, 16), (16, 8, 32)], accumulates_in(F32))
            }
            (TF32, TF32) => {
                (&[(16, 8, 4), (16, 8, 8)], &[(16, 8, 8), (16, 8, 16)], accumulates_in(F32))
            }
            (F64, F64) => {
                (&[(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)], &[], accumulates_in(F64))
            }
            (S8 | U8, S8 | U8) => (
                &[(8, 8, 16), (16, 8, 16), (16, 8, 32)],
                &[(16, 8, 32), (16, 8, 64)],
                accumulates_in(S32),
            ),
            (S4 | U4, S4 | U4) => (
                &[(8, 8, 32), (16, 8, 32), (16, 8, 64)],
                &[(16, 8, 64), (16, 8, 128)],
                accumulates_in(S32),
            ),
            (B1, B1) => (&[(8, 8, 128), (16, 8, 128), (16, 8, 256)], &[], accumulates_in(S32)),
            (a, b) if a.is_eight_bit_float() && b.is_eight_bit_float() => {
                let ordered = self.sparse.is_some_and(|sparsity| sparsity.ordered);
                let half_is_possible = self.sparse.is_none() || narrow_kind && ordered;
                (
                    &[(16, 8, 16), (16, 8, 32)],
                    &[(16, 8, 64)],
                    accumulates_in(F32) || half_is_possible && accumulates_in(F16),
                )
            }
            (a, b) if narrow_kind && a.is_narrow_float() && b.is_narrow_float() => {
                let unordered = self.sparse.is_some_and(|sparsity| !sparsity.ordered);
                (&[(16, 8, 32)], &[(16, 8, 64)], half_or_single && !unordered)
            }
            _ => return false,
        };
        let shapes = if self.sparse.is_some() { sparse } else { dense };
        accumulates && shapes.contains(&shape)
    }

    /// Whether it is the form of which a warp computes four at once, one in each pair of quads.
    pub(crate) fn splits_in_quarters(&self) -> bool {
        self.shape.sizes() == (8, 8, 4)
            && (self.a, self.b) == (Element::F16, Element::F16)
            && self.sparse.is_none()
    }

    /// How many elements of a row of `a` are in registers.
    pub(super) fn stored_depth(&self) -> usize {
        if self.sparse.is_some() { self.shape.k / 2 } else { self.shape.k }
    }

    /// Whether the selector of a sparse form is one that its shape allows.
    pub(crate) fn selector_is_valid(&self) -> bool {
        let Some(sparsity) = self.sparse else { return true };
        // In units of 32 bits for each group of four lanes: two rows with two bits for each
        // element of 8 or 16 bits, twice that for tf32, half of that for nibbles.
        let bits_of_row = match self.a.bits() {
            32 => 4 * self.stored_depth(),
            4 => self.stored_depth(),
            _ => 2 * self.stored_depth(),
        };
        let registers = 2 * bits_of_row / 32;
        (sparsity.selector as usize) < 4 / registers
    }

    /// The registers of `a`, `b`, `c` and `d`.
    pub(crate) fn registers(&self) -> (RegisterGroup, RegisterGroup, RegisterGroup, RegisterGroup) {
        let products = if self.splits_in_quarters() { 4 } else { 1 };
        let group = |element: Element, elements: usize| RegisterGroup {
            count: products * elements / (32 * element.per_register()),
            bits: element.register_bits(),
        };
        let MmaShape { m, n, k } = self.shape;
        (
            group(self.a, m * self.stored_depth()),
            group(self.b, k * n),
            group(self.c, m * n),
            group(self.d, m * n),
        )
    }
}
