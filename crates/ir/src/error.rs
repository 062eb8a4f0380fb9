use std::fmt;
use warpsan_model::SourcePosition;

/// Why a kernel has no lowered form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LowerError {
    /// It uses something that warpsan does not do yet.
    Unsupported(Unsupported),
    /// It is not valid PTX.
    Invalid(Invalid),
}

/// Something of PTX that warpsan does not do yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is, for example `the instruction tex.2d.v4.f32.f32`.
    pub what: String,
    /// The line of the PTX text.
    pub ptx_line: u32,
    /// The source line, where line information is there.
    pub position: Option<SourcePosition>,
}

/// A contradiction in the PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong.
    pub what: String,
    /// The line of the PTX text.
    pub ptx_line: u32,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::Unsupported(unsupported) => {
                write!(f, "{} is not supported yet (", unsupported.what)?;
                if let Some(position) = &unsupported.position {
                    write!(f, "{position}, ")?;
                }
                write!(f, "PTX line {})", unsupported.ptx_line)
            }
            LowerError::Invalid(invalid) => {
                write!(f, "PTX line {}: {}", invalid.ptx_line, invalid.what)
            }
        }
    }
}

impl std::error::Error for LowerError {}

/// What warpsan does not do with a variable or a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum VariableError {
    /// Its type.
    Type { name: String, data_type: String },
    /// Its size, which is no number of bytes that a device could have.
    Size { name: String },
    /// Its alignment.
    Alignment { name: String, alignment: u64 },
    /// Its initial value.
    InitialValue { name: String },
    /// It is a parameter in a register of a type that registers do not have.
    RegisterParameter { name: String, data_type: String },
}

impl fmt::Display for VariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VariableError::Type { name, data_type } => {
                write!(f, "the type {data_type} of the variable `{name}`")
            }
            VariableError::Size { name } => write!(f, "the size of the variable `{name}`"),
            VariableError::Alignment { name, alignment } => {
                write!(f, "the alignment {alignment} of the variable `{name}`")
            }
            VariableError::InitialValue { name } => write!(f, "the initial value of `{name}`"),
            VariableError::RegisterParameter { name, data_type } => {
                write!(f, "the parameter `{name}` of the type {data_type}")
            }
        }
    }
}
