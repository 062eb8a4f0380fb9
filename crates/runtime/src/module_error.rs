//! Why modules and kernels cannot be used. The session makes errors for the program of these, and names them in the report.

use warpsan_simt::MemoryError;

/// Why nothing of a module can be used.
#[derive(Debug, Clone)]
pub(crate) enum ModuleError {
    /// warpsan does not do something that it needs, or it has no code that warpsan can run.
    Unsupported(String),
    /// Its code cannot be read.
    Unreadable(String),
    /// Its variables have no memory.
    Memory(MemoryError),
}

impl From<MemoryError> for ModuleError {
    fn from(error: MemoryError) -> Self {
        ModuleError::Memory(error)
    }
}

/// Why a kernel cannot run.
#[derive(Debug, Clone)]
pub(crate) enum KernelError {
    /// Nothing of its module can be used.
    Module(ModuleError),
    /// The module has no such kernel.
    Missing(String),
    /// warpsan does not do something that it uses.
    Unsupported { what: String, place: String },
    /// Its code means nothing.
    Invalid(String),
}
