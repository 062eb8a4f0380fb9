//! The instructions of PTX 9.1, one [`Row`] each, with the section of the manual that defines
//! them, the words and operands they take and an example that NVIDIA's assembler accepts. What
//! the parser accepts and what the lists of the documentation say derive from it.
//!
//! The rows stand in one file per part of chapter 9.7 of the manual. The block (`{ ... }`,
//! section 9.7.12.1) and the guard (`@p`, section 9.7.12.2) are syntax and have no row.
//!
//! # How the assembler reads the words of an instruction
//!
//! Found by giving variations to `ptxas` 13.0; the manual does not say it.
//!
//! - The first words make up the name of the instruction and have their place: `cp.async.bulk`,
//!   `cvt.pack`, `mbarrier.arrive`, `mul.lo`, `shf.l`, `bar.red`, `cvta.to`, `suld.b`. So
//!   `mul.s32.lo`, `bar.sync.cta`, `cvta.global.to.u64` and `mbarrier.shared.arrive.b64` are
//!   errors. The words of a row's name are of this kind, with the exception of `sp` and
//!   `sp::ordered_metadata`: `mma.sync.aligned...f32.sp` assembles.
//! - All words after the name may stand in any order: `ld.u32.global`, `atom.u32.add.global`,
//!   `fence.gpu.acq_rel`, `add.f32.rn`, `cvt.f32.s32.rn`, `shfl.b32.sync.down` and
//!   `mma.m16n8k8.sync.aligned...` assemble. Two words of the same kind keep their order, which
//!   gives them their meaning: the types of `cvt.f32.s32`, the state spaces of
//!   `cp.async.shared.global`, the layouts of `mma`.
//! - A word must not be repeated, nor may two of a kind stand where one is expected:
//!   `add.rn.rn.f32`, `ld.global.global.u32` and `add.u32.u32` are errors.
//! - Blanks, line ends and comments may stand before a dot (`add .u32`), never after one
//!   (`add. u32`).
//! - A few words are ignored where they mean nothing, such as `add.normal.f32` or
//!   `sub.s32.box_dim`. The table does not have them there.
//! - Capital and small letters differ: `ADD.u32` and `add.U32` are errors.
//!
//! [`find`] follows the first two rules and does not look for repeated words.

mod asynchronous;
mod classes;
mod comparison;
mod control;
mod directives;
mod floating;
mod form;
mod integer;
mod logic;
mod matrix;
mod mbarrier;
mod miscellaneous;
mod more_examples;
mod movement;
mod scaffold;
mod special_registers;
mod stack;
mod surface;
mod synchronisation;
mod tcgen05;
#[cfg(test)]
mod tests;
mod texture;
mod video;
mod wgmma;

use std::collections::HashMap;
use std::sync::OnceLock;

pub use classes::{is_cache_hint, is_matrix_kind};
pub use directives::{DIRECTIVES, Directive, directive};
pub use form::{Direction, Form, FormItem, Shape};
pub use more_examples::EXAMPLES;
pub use scaffold::scaffold;
pub use special_registers::{SPECIAL_REGISTERS, SpecialRegister, special_register};

/// One instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The opcode and the words after it that select the manual's section, with dots between
    /// them: `add`, `cp.async.bulk.tensor`.
    pub name: &'static str,
    /// The sections of the manual, with commas between them.
    pub section: &'static str,
    /// The smallest target that has the instruction in the form of the example.
    pub target: &'static str,
    /// The words that may follow the name, without dots, with blanks between them. A name in
    /// angle brackets stands for the words of that class.
    pub modifiers: &'static str,
    /// The forms of the operands, with semicolons between them; see [`Row::forms`].
    pub operands: &'static str,
    /// A valid use, without the semicolon, over the names that [`scaffold`] declares.
    pub example: &'static str,
}

/// Writes the rows of one part of the manual: name, sections, target; the words; the operands;
/// an example.
macro_rules! instruction_rows {
    ($($name:literal $section:literal $target:literal
       $modifiers:literal $operands:literal $example:literal)*) => {
        pub(super) const ROWS: &[super::Row] = &[$(super::Row {
            name: $name,
            section: $section,
            target: $target,
            modifiers: $modifiers,
            operands: $operands,
            example: $example,
        }),*];
    };
}
use instruction_rows;

/// The parts of the manual, in its order.
const PARTS: &[&[Row]] = &[
    integer::ROWS,
    floating::ROWS,
    comparison::ROWS,
    logic::ROWS,
    movement::ROWS,
    asynchronous::ROWS,
    texture::ROWS,
    surface::ROWS,
    control::ROWS,
    synchronisation::ROWS,
    mbarrier::ROWS,
    matrix::ROWS,
    wgmma::ROWS,
    tcgen05::ROWS,
    stack::ROWS,
    video::ROWS,
    miscellaneous::ROWS,
];

/// All rows, in the order of the manual.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    PARTS.iter().copied().flatten()
}

/// All examples: the row that each belongs to, the smallest target that it assembles for, and its
/// text. First those of the rows, then [`EXAMPLES`].
pub fn examples() -> impl Iterator<Item = (&'static Row, &'static str, &'static str)> {
    let further = EXAMPLES
        .iter()
        .filter_map(|&(name, target, text)| named(name).map(|row| (row, target, text)));
    rows().map(|row| (row, row.target, row.example)).chain(further)
}

/// The row with exactly this name.
pub fn named(name: &str) -> Option<&'static Row> {
    let opcode = name.split('.').next()?;
    by_opcode().get(opcode)?.iter().copied().find(|row| row.name == name)
}

/// The row of an instruction, given its opcode and the words after it without their dots. It is
/// the row with the longest name that these words begin with, among those that allow all the
/// other words. Nothing when the manual has no such instruction.
pub fn find(opcode: &str, modifiers: &[&str]) -> Option<&'static Row> {
    by_opcode().get(opcode)?.iter().copied().find(|row| row.fits(modifiers))
}

/// The words of a name that need not stand behind its other words.
const WORDS_THAT_MOVE: &[&str] = &["sp", "sp::ordered_metadata"];

/// The rows of every opcode, longest names first.
fn by_opcode() -> &'static HashMap<&'static str, Vec<&'static Row>> {
    static ROWS: OnceLock<HashMap<&'static str, Vec<&'static Row>>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut map: HashMap<&'static str, Vec<&'static Row>> = HashMap::new();
        for row in rows() {
            map.entry(row.opcode()).or_default().push(row);
        }
        for rows in map.values_mut() {
            rows.sort_by_key(|row| std::cmp::Reverse(row.name.split('.').count()));
        }
        map
    })
}

impl Row {
    /// The first word of the name.
    pub fn opcode(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }

    /// Whether this word may follow the name of the instruction.
    pub fn allows(&self, word: &str) -> bool {
        self.modifiers.split_ascii_whitespace().any(|allowed| {
            match allowed.strip_prefix('<').and_then(|class| class.strip_suffix('>')) {
                Some(class) => classes::contains(class, word),
                None => allowed == word,
            }
        })
    }

    /// The forms that the operands may take.
    ///
    /// In [`Row::operands`] the items of a form have commas between them. An item is read; with
    /// `=` before it, written; with `+`, read and written. `[a]` is an address, `(a)` a list in
    /// parentheses, `?` behind an item makes it optional and a lone `*` stands for any further
    /// operands. An item may be a pair `p|q`, a vector `{a, b}` or a negated predicate `!p`: the
    /// form says only how many there are, in which order, and in which direction. A form without
    /// items belongs to an instruction without operands.
    pub fn forms(&self) -> impl Iterator<Item = Form> {
        self.operands.split(';').map(Form::parse)
    }

    /// What the operands of an instruction are for, given their shapes: the items of the first
    /// form that fits, one for each operand. The items of further operands that only a `*` allows
    /// are read.
    pub fn assign(&self, shapes: &[Shape]) -> Option<Vec<FormItem>> {
        self.forms().find_map(|form| form.assign(shapes))
    }

    /// Whether an instruction with these words after its opcode has this name, and the row allows
    /// its other words.
    fn fits(&self, modifiers: &[&str]) -> bool {
        let mut rest = modifiers.to_vec();
        for word in self.name.split('.').skip(1) {
            let found = rest.iter().position(|given| *given == word);
            match found {
                Some(index) if index == 0 || WORDS_THAT_MOVE.contains(&word) => rest.remove(index),
                _ => return false,
            };
        }
        rest.iter().all(|word| self.allows(word))
    }
}
