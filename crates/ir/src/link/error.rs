use std::fmt;

/// Why units do not make a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkError {
    /// Everything that is wrong, at least one thing.
    pub problems: Vec<LinkProblem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkProblem {
    /// There is nothing to link.
    NoUnits,
    /// Two units have addresses of different sizes.
    AddressSizes {
        /// Unit and bits.
        first: (String, u32),
        /// Unit and bits.
        second: (String, u32),
    },
    /// Two units are for targets that no GPU is both of.
    Targets {
        /// Unit and `.target`.
        first: (String, String),
        /// Unit and `.target`.
        second: (String, String),
    },
    /// Two units define the same name.
    Duplicate {
        /// The name.
        name: String,
        /// A unit that defines it.
        first: String,
        /// Another one, or the same.
        second: String,
    },
    /// Two units mean different things by the same name.
    Disagreement {
        /// The name.
        name: String,
        /// What differs, for example `the number of parameters`.
        what: &'static str,
        /// The unit whose definition counts.
        first: String,
        /// The unit that disagrees.
        second: String,
    },
    /// No unit defines a function.
    UndefinedFunction {
        /// The function.
        name: String,
        /// The first unit that uses it.
        unit: String,
    },
    /// No unit defines a variable.
    UndefinedVariable {
        /// The variable.
        name: String,
        /// The first unit that declares it.
        unit: String,
    },
    /// Initial values refer to each other in a circle of names that only their unit sees.
    InitialValues {
        /// A variable of the circle.
        name: String,
    },
}

impl fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkProblem::NoUnits => write!(f, "there are no PTX units to link"),
            LinkProblem::AddressSizes { first, second } => write!(
                f,
                "{} has addresses of {} bits and {} of {}: compile both for the same size",
                first.0, first.1, second.0, second.1
            ),
            LinkProblem::Targets { first, second } => write!(
                f,
                "{} is for {} and {} for {}: compile both for the same architecture",
                first.0, first.1, second.0, second.1
            ),
            LinkProblem::Duplicate { name, first, second } => {
                write!(f, "`{name}` is defined in {first} and again in {second}")
            }
            LinkProblem::Disagreement { name, what, first, second } => {
                write!(f, "`{name}` is not the same in {first} and {second}: {what} differs")
            }
            LinkProblem::UndefinedFunction { name, unit } => {
                write!(f, "the function `{name}` is used in {unit} and no unit defines it")
            }
            LinkProblem::UndefinedVariable { name, unit } => {
                write!(f, "the variable `{name}` is declared in {unit} and no unit defines it")
            }
            LinkProblem::InitialValues { name } => {
                write!(f, "the initial value of `{name}` depends on itself")
            }
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for LinkError {}
