//! PTX text to a syntax tree.
//!
//! The parser reads the general form of PTX (directives, declarations, and instructions as opcode,
//! modifiers and operands) and leaves the meaning to the `ir` crate. It never stops at the first
//! mistake: it recovers at the next `;` and reports every error with its place in the text.

mod lexer;
mod parser;
pub mod table;
mod tree;

pub use parser::{Parsed, SyntaxError, parse};
pub use tree::{
    AddressBase, Function, Guard, Instruction, Location, Module, Operand, Performance,
    RegisterDeclaration, Span, Statement, Variable,
};

/// The line, from 1, that a byte offset of a text lies in.
pub fn line_of(text: &str, offset: usize) -> u32 {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count() as u32 + 1
}
