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
