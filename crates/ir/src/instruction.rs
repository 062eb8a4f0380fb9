use crate::{Anchor, LineId, Op, Predicate};
use warpsan_ptx::Span;

/// One instruction of a [`Function`](crate::Function).
#[derive(Debug, Clone)]
pub struct Instruction {
    /// It runs only where this predicate is true, or false if negated.
    pub guard: Option<(Predicate, bool)>,
    /// A load that the compiler speculated: it counts as an access only where this predicate is
    /// true, or false if negated.
    pub counts_if: Option<(Predicate, bool)>,
    /// What it does.
    pub op: Op,
    /// What an address or constant in `op` is counted from.
    pub anchor: Anchor,
    /// Where it stands in the text.
    pub span: Span,
    /// Its source line.
    pub line: LineId,
}
