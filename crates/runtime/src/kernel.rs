//! Modules and kernels of a session, by their numbers, and what is known of them.

use warpsan_model::Dim3;

/// A module of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub(crate) u32);

/// A kernel of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(pub(crate) u32);

/// Code as it comes.
#[derive(Debug, Clone, Copy)]
pub enum ModuleImage<'a> {
    /// A fat-binary container.
    FatBinary(&'a [u8]),
    /// The fat-binary containers of the units of a program that was compiled with `-rdc=true`.
    Units(&'a [&'a [u8]]),
    /// PTX text.
    Ptx(&'a str),
}

/// A parameter's place in the parameter block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Its first byte.
    pub offset: usize,
    /// Its size.
    pub size: usize,
}

/// What is known of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    /// The name in the module, mangled.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<ParameterInfo>,
    /// Bytes of the parameter block.
    pub parameter_bytes: usize,
    /// Bytes of shared memory without the dynamic part.
    pub static_shared_bytes: usize,
    /// Registers that a thread needs.
    pub registers: u32,
    /// Bytes of local memory that a thread needs.
    pub local_bytes: usize,
    /// The largest block that it can be launched with.
    pub max_threads: u32,
    /// The clusters that it was compiled for, where it says so.
    pub cluster: Option<Dim3>,
}

#[cfg(test)]
impl KernelInfo {
    /// A kernel without parameters, for tests of what depends on its needs.
    pub(crate) fn that_needs(registers: u32, static_shared_bytes: usize) -> KernelInfo {
        KernelInfo {
            name: "kernel".to_owned(),
            parameters: Vec::new(),
            parameter_bytes: 0,
            static_shared_bytes,
            registers,
            local_bytes: 0,
            max_threads: 1024,
            cluster: None,
        }
    }
}
