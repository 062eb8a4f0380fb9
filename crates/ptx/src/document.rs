use crate::{Arena, Instruction, Module, Parsed, SyntaxError, parse};
use self_cell::self_cell;

struct Owner {
    text: String,
    arena: Arena,
}

self_cell!(
    struct Cell {
        owner: Owner,
        #[covariant]
        dependent: Parsed,
    }
);

/// A PTX text with its tree, in one value that can be kept and passed on.
pub struct Document {
    cell: Cell,
}

impl Document {
    /// Reads a text.
    pub fn parse(text: String) -> Document {
        let owner = Owner { text, arena: Arena::default() };
        Document { cell: Cell::new(owner, |owner| parse(&owner.text, &owner.arena)) }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.cell.borrow_owner().text
    }

    /// As much of the tree as could be read.
    pub fn module(&self) -> Module<'_> {
        self.cell.borrow_dependent().module
    }

    /// The errors, in the order of the text.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.cell.borrow_dependent().errors
    }

    /// Instructions that the table does not have, in the order of the text. They are in the tree and
    /// are printed like all others.
    pub fn unknown(&self) -> Vec<&Instruction<'_>> {
        self.module().instructions().filter(|instruction| !instruction.is_known()).collect()
    }
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").field("bytes", &self.text().len()).finish_non_exhaustive()
    }
}
