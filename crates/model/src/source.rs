use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// One instruction of a kernel, as the events name it. The kernel's site table says what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteId(pub u32);

/// A place in a source file. Lines and columns count from 1; a column of 0 is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourcePosition {
    /// The file as the compiler recorded it.
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for SourcePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// One level of the chain from an instruction out to the kernel: the innermost function comes
/// first, then where it was called or inlined, and so on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceFrame {
    /// The function that the position lies in, demangled where possible.
    pub function: Arc<str>,
    /// The position in it, where line information is there.
    pub position: Option<SourcePosition>,
}
