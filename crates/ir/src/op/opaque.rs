use super::{Predicate, Register};

/// Something in the code that has no meaning here yet. Its operands are known, so that the flow of
/// values around it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opaque {
    /// What about it has no meaning; none if that is the instruction as a whole.
    pub what: Option<Box<str>>,
    /// Registers and predicates that it reads, and that it may write.
    pub operands: Box<[OpaqueOperand]>,
}

/// A register or predicate of an opaque instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueOperand {
    /// A register that is read.
    Read(Register),
    /// A register that may be written.
    Written(Register),
    /// A predicate that is read.
    ReadPredicate(Predicate),
    /// A predicate that may be written.
    WrittenPredicate(Predicate),
}
