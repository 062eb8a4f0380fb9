//! PTX text to a syntax tree, and back.
//!
//! The parser reads the general form of PTX (directives, declarations, and instructions as opcode,
//! modifiers and operands) and looks every instruction up in one declarative [`table`]; the meaning
//! is the `ir` crate's. It never stops at the first mistake: it recovers at the next `;` and reports
//! every error with its place in the text. An instruction that the table does not have is kept,
//! printed and listed.
//!
//! # Types and invariants
//!
//! - A [`Document`] owns its text and its tree; the tree borrows names from the text and lies in an [`Arena`].
//! - Every node has a [`Span`] of the text. Numbers stay as they were written, and so do modifiers and their order: printing the
//!   tree gives the assembler the same program.
//! - A mnemonic is looked up in the [`table`] once, by the parser. Others ask for its [`table::Row`], not for its text.

mod arena;
mod document;
mod error;
mod forms;
mod lexer;
mod lines;
mod number;
mod parser;
mod printer;
mod span;
pub mod table;
mod tree;

pub use arena::Arena;
pub use document::Document;
pub use error::SyntaxError;
pub use lines::LineIndex;
pub use number::Number;
pub use parser::{Parsed, parse};
pub use printer::{print, print_instruction, print_item, print_statement, print_variable};
pub use span::Span;
pub use tree::*;
