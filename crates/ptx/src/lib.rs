//! PTX text to a syntax tree.
//!
//! The parser reads the general form of PTX (directives, declarations, and instructions as opcode,
//! modifiers and operands) and leaves the meaning to the `ir` crate. It never stops at the first
//! mistake: it recovers at the next `;` and reports every error with its place in the text.

mod lexer;
mod lines;
mod parser;
pub mod table;
mod tree;

pub use lines::LineIndex;
pub use parser::{Parsed, SyntaxError, parse};
pub use tree::{
    AddressBase, Function, Guard, Instruction, Location, Module, Operand, Performance,
    RegisterDeclaration, Span, Statement, Variable,
};
