//! `wmma.load`, `wmma.store` and `wmma.mma` (PTX manual 9.7.14.4), parsed and computed.

use super::WarpRegister;
use super::arithmetic::{Arithmetic, Operands};
use super::element::{BitOperation, Element, Layout, MmaShape, Rounding};
use super::fragment::{Distribution, FragmentRole};
use super::mma::{gather, scatter};
use super::mma_form::RegisterGroup;

/// A `wmma` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WmmaForm {
    /// Loads a matrix.
    Load(WmmaFragment),
    /// Stores a matrix.
    Store(WmmaFragment),
    /// Multiplies and adds.
    Multiply(WmmaMultiply),
}

/// A matrix in memory that is loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WmmaFragment {
    distribution: Distribution,
}

/// One access of one lane, for one or for neighbouring elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FragmentAccess {
    /// The lane that makes it.
    pub(crate) lane: usize,
    /// Which of the operand's registers it concerns.
    pub(crate) register: usize,
    /// Where in the register the value is: at the bottom or further up.
    pub(crate) part_shift_bits: u32,
    /// How wide the access is: 16, 32 or 64 bits.
    pub(crate) bits: u32,
    /// The row of its first element.
    pub(crate) row: usize,
    /// The column of its first element.
    pub(crate) column: usize,
}

impl WmmaFragment {
    /// The accesses of all lanes, register by register.
    pub(crate) fn accesses(&self) -> Vec<FragmentAccess> {
        let Distribution { role, element, layout, .. } = self.distribution;
        // The elements of a register are neighbours, except in an accumulator in column order.
        let apart = role == FragmentRole::Accumulator && layout == Layout::Column;
        let (parts, bits) = match apart {
            true => (element.per_register(), element.bits()),
            false => (1, element.register_bits()),
        };
        let mut accesses = Vec::with_capacity(32 * parts * self.registers().count);
        for register in 0..self.registers().count {
            for lane in 0..32 {
                for part in 0..parts {
                    let (row, column) = self.distribution.place(register, lane, part);
                    let part_shift_bits = part as u32 * bits;
                    accesses.push(FragmentAccess {
                        lane,
                        register,
                        part_shift_bits,
                        bits,
                        row,
                        column,
                    });
                }
            }
        }
        accesses
    }

    /// How far from the matrix's address an access is. The stride is in elements, from line to line.
    pub(crate) fn byte_offset(&self, access: &FragmentAccess, stride: u32) -> u64 {
        let (line, position) = match self.layout() {
            Layout::Row => (access.row, access.column),
            Layout::Column => (access.column, access.row),
        };
        let elements = line as u64 * u64::from(stride) + position as u64;
        elements * u64::from(self.element_bits()) / 8
    }

    /// The stride where the instruction has none: lines follow each other without gaps.
    pub(crate) fn default_stride(&self) -> u32 {
        let (rows, columns) = self.distribution.size();
        match self.layout() {
            Layout::Row => columns as u32,
            Layout::Column => rows as u32,
        }
    }

    /// The size of an element.
    pub(crate) fn element_bits(&self) -> u32 {
        self.distribution.element.bits()
    }

    /// The order of the matrix in memory.
    pub(crate) fn layout(&self) -> Layout {
        self.distribution.layout
    }

    /// The registers of the operand.
    pub(crate) fn registers(&self) -> RegisterGroup {
        registers_of(&self.distribution)
    }
}

fn registers_of(distribution: &Distribution) -> RegisterGroup {
    RegisterGroup { count: distribution.registers(), bits: distribution.element.register_bits() }
}

/// A product of fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WmmaMultiply {
    shape: MmaShape,
    a: Element,
    c: Element,
    d: Element,
    a_layout: Layout,
    b_layout: Layout,
    saturate: bool,
    bit_operation: Option<BitOperation>,
    rounding: Rounding,
}

impl WmmaMultiply {
    fn distribution(&self, role: FragmentRole, element: Element, layout: Layout) -> Distribution {
        Distribution { role, shape: self.shape, element, layout }
    }

    fn distributions(&self) -> [Distribution; 4] {
        [
            self.distribution(FragmentRole::A, self.a, self.a_layout),
            self.distribution(FragmentRole::B, self.a, self.b_layout),
            self.distribution(FragmentRole::Accumulator, self.c, Layout::Row),
            self.distribution(FragmentRole::Accumulator, self.d, Layout::Row),
        ]
    }

    /// The registers of `a`, `b`, `c` and `d`.
    pub(crate) fn registers(&self) -> (RegisterGroup, RegisterGroup, RegisterGroup, RegisterGroup) {
        let [a, b, c, d] = self.distributions().map(|distribution| registers_of(&distribution));
        (a, b, c, d)
    }

    /// Computes `d` from the other operands, which have as many registers as
    /// [`WmmaMultiply::registers`] says.
    pub(crate) fn execute(
        &self,
        a: &[WarpRegister],
        b: &[WarpRegister],
        c: &[WarpRegister],
        d: &mut [WarpRegister],
    ) {
        let MmaShape { m, n, k } = self.shape;
        let [a_places, b_places, c_places, d_places] = self.distributions();
        // The bits of a register of single bits are neighbours, so words can stand for them.
        let unit = if self.a == Element::B1 { 32 } else { 1 };
        let held = if self.a == Element::B1 { Element::S32 } else { self.a };
        let depth = k / unit;
        let a_elements = gather(a, held, m * depth, |register, lane, part| {
            let (row, column) = a_places.place(register, lane, part);
            row * depth + column / unit
        });
        let b_elements = gather(b, held, n * depth, |register, lane, part| {
            let (row, column) = b_places.place(register, lane, part);
            column * depth + row / unit
        });
        let c_elements = gather(c, self.c, m * n, |register, lane, part| {
            let (row, column) = c_places.place(register, lane, part);
            row * n + column
        });
        let arithmetic = Arithmetic {
            columns: n,
            a_depth: depth,
            b_depth: depth,
            a: self.a,
            b: self.a,
            c: self.c,
            d: self.d,
            saturate: self.saturate,
            bit_operation: self.bit_operation.unwrap_or(BitOperation::Xor),
            rounding: self.rounding,
        };
        let result = arithmetic.compute(&Operands {
            a: &a_elements,
            b: &b_elements,
            c: &c_elements,
            positions: None,
        });
        scatter(d, self.d, &result, |register, lane, part| {
            let (row, column) = d_places.place(register, lane, part);
            row * n + column
        });
    }
}

/// The words of a name, sorted by what they say.
#[derive(Default)]
struct Words {
    shape: Option<MmaShape>,
    types: Vec<Element>,
    layouts: Vec<Layout>,
    saturate: bool,
    counts: bool,
    bit_operation: Option<BitOperation>,
    rounding: Option<Rounding>,
    space: bool,
}

impl Words {
    fn sort(words: &[&str]) -> Option<Words> {
        let mut sorted = Words::default();
        for &word in words {
            match word {
                "sync" | "aligned" => {}
                "global" | "shared" | "shared::cta" => sorted.space = true,
                "satfinite" => sorted.saturate = true,
                "popc" => sorted.counts = true,
                _ => {
                    if let Some(element) = Element::parse(word) {
                        sorted.types.push(element);
                    } else if let Some(layout) = Layout::parse(word) {
                        sorted.layouts.push(layout);
                    } else if let Some(operation) = BitOperation::parse(word) {
                        sorted.bit_operation = Some(operation);
                    } else if let Some(rounding) = Rounding::parse(word) {
                        sorted.rounding = Some(rounding);
                    } else {
                        sorted.shape = Some(MmaShape::parse(word)?);
                    }
                }
            }
        }
        Some(sorted)
    }

    fn has_product_modifiers(&self) -> bool {
        self.saturate || self.counts || self.bit_operation.is_some() || self.rounding.is_some()
    }
}

impl WmmaForm {
    /// The form that the words of a name have, with or without the leading `wmma`, in any order
    /// after the operation. None for what does not exist.
    pub(crate) fn parse(words: &[&str]) -> Option<WmmaForm> {
        match words.strip_prefix(&["wmma"]).unwrap_or(words) {
            ["load", "a", words @ ..] => {
                Some(WmmaForm::Load(parse_fragment(FragmentRole::A, words)?))
            }
            ["load", "b", words @ ..] => {
                Some(WmmaForm::Load(parse_fragment(FragmentRole::B, words)?))
            }
            ["load", "c", words @ ..] => {
                Some(WmmaForm::Load(parse_fragment(FragmentRole::Accumulator, words)?))
            }
            ["store", "d", words @ ..] => {
                Some(WmmaForm::Store(parse_fragment(FragmentRole::Accumulator, words)?))
            }
            ["mma", words @ ..] => Some(WmmaForm::Multiply(parse_product(words)?)),
            _ => None,
        }
    }
}

fn parse_fragment(role: FragmentRole, words: &[&str]) -> Option<WmmaFragment> {
    let words = Words::sort(words)?;
    let (&[element], &[layout]) = (words.types.as_slice(), words.layouts.as_slice()) else {
        return None;
    };
    let shape = words.shape?;
    let exists = match role {
        FragmentRole::A => factor_exists(shape, element, layout, Layout::Row),
        FragmentRole::B => factor_exists(shape, element, layout, Layout::Column),
        FragmentRole::Accumulator => accumulator_exists(shape, element),
    };
    let distribution = Distribution { role, shape, element, layout };
    (exists && !words.has_product_modifiers()).then_some(WmmaFragment { distribution })
}

fn parse_product(words: &[&str]) -> Option<WmmaMultiply> {
    let words = Words::sort(words)?;
    let (d, a, b, c) = match *words.types.as_slice() {
        [d, c] => (d, Element::F16, Element::F16, c),
        [_, Element::F16, _, _] => return None,
        [d, a, b, c] => (d, a, b, c),
        _ => return None,
    };
    let &[a_layout, b_layout] = words.layouts.as_slice() else { return None };
    let shape = words.shape?;
    let accumulates = match a {
        Element::F16 => [c, d].iter().all(|it| matches!(it, Element::F16 | Element::F32)),
        Element::BF16 | Element::TF32 => (c, d) == (Element::F32, Element::F32),
        Element::F64 => (c, d) == (Element::F64, Element::F64),
        _ => (c, d) == (Element::S32, Element::S32),
    };
    let exists = a == b
        && accumulates
        && factor_exists(shape, a, a_layout, Layout::Row)
        && factor_exists(shape, b, b_layout, Layout::Column)
        && words.saturate <= (d == Element::S32 && a != Element::B1)
        && words.counts == (a == Element::B1)
        && words.bit_operation.is_some() == (a == Element::B1)
        && words.rounding.is_some() <= (a == Element::F64)
        && !words.space;
    exists.then_some(WmmaMultiply {
        shape,
        a,
        c,
        d,
        a_layout,
        b_layout,
        saturate: words.saturate,
        bit_operation: words.bit_operation,
        rounding: words.rounding.unwrap_or(Rounding::Nearest),
    })
}

/// Whether there is a factor of this type. Those of less than a byte have one layout only.
fn factor_exists(shape: MmaShape, element: Element, layout: Layout, natural: Layout) -> bool {
    match element {
        Element::F16 | Element::BF16 | Element::S8 | Element::U8 => is_large(shape),
        Element::TF32 => shape.sizes() == (16, 16, 8),
        Element::F64 => shape.sizes() == (8, 8, 4),
        Element::S4 | Element::U4 => shape.sizes() == (8, 8, 32) && layout == natural,
        Element::B1 => shape.sizes() == (8, 8, 128) && layout == natural,
        _ => false,
    }
}

fn accumulator_exists(shape: MmaShape, element: Element) -> bool {
    match element {
        Element::F16 => is_large(shape),
        Element::F32 => is_large(shape) || shape.sizes() == (16, 16, 8),
        Element::F64 => shape.sizes() == (8, 8, 4),
        Element::S32 => is_large(shape) || matches!(shape.sizes(), (8, 8, 32) | (8, 8, 128)),
        _ => false,
    }
}

fn is_large(shape: MmaShape) -> bool {
    matches!(shape.sizes(), (16, 16, 16) | (8, 32, 16) | (32, 8, 16))
}
