//! How the condition of a load came about, for whoever writes it as text.

use crate::{Name, Op};
use warpsan_ptx::Span;

/// How the condition of a speculated load is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCondition {
    /// The place of the load in [`Function::code`](crate::Function::code).
    pub load: u32,
    /// What computes the condition, in this order, right in front of the load.
    pub steps: Vec<ConditionStep>,
}

/// One instruction in front of a speculated load.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionStep {
    /// What it does.
    pub op: Op,
    /// The instruction of the text that it repeats; none if it joins what others computed.
    pub repeats: Option<Repeats>,
}

/// An instruction that is repeated with other operands.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeats {
    /// Where it stands in the text.
    pub span: Span,
    /// What it reads, and what is read in its place.
    pub reads: Vec<(Name, Name)>,
    /// What it writes, and what is written in its place, with its bits; a predicate has one.
    pub writes: Vec<(Name, Name, u8)>,
}
