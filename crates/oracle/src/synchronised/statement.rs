//! What kernels are made of.

/// Something that a kernel does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// One instruction.
    Line(String),
    /// Those threads that pass all tests do one thing, the others another.
    If {
        /// Who.
        who: Vec<Test>,
        /// What they do.
        then: Vec<Statement>,
        /// What the others do.
        otherwise: Vec<Statement>,
    },
    /// The same without a branch, for one instruction.
    Predicated {
        /// Who.
        who: Vec<Test>,
        /// What they do.
        line: String,
    },
    /// Something is tried until the predicate `%q` is true, or it has been tried often enough.
    Poll {
        /// How often.
        attempts: u32,
        /// What is tried: it sets `%q`.
        attempt: Vec<Statement>,
        /// What is done once it has succeeded.
        then: Vec<Statement>,
    },
    /// Several that belong together.
    Together(Vec<Statement>),
}

/// A register with the thread's position is compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// `%blk`, `%warp`, `%lane` or `%thr`.
    pub register: &'static str,
    /// `eq`, `ne`, `lt` or `ge`.
    pub comparison: &'static str,
    /// With what.
    pub number: u32,
}

impl Test {
    pub(super) fn new(register: &'static str, comparison: &'static str, number: u32) -> Test {
        Test { register, comparison, number }
    }

    /// The comparison that is true where this one is not.
    pub(super) fn opposite(&self) -> &'static str {
        match self.comparison {
            "eq" => "ne",
            "ne" => "eq",
            "lt" => "ge",
            _ => "lt",
        }
    }
}

impl Statement {
    pub(super) fn line(text: impl Into<String>) -> Statement {
        Statement::Line(text.into())
    }

    /// These threads, and nobody else, do it.
    pub(super) fn only(who: &[Test], then: Vec<Statement>) -> Statement {
        match who {
            [] => Statement::Together(then),
            who => Statement::If { who: who.to_vec(), then, otherwise: Vec::new() },
        }
    }
}
