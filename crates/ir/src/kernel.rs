use crate::{Op, Predicate};
use std::sync::Arc;
use warpsan_model::{SiteId, SourceFrame};

/// A kernel ready to run: one flat list of instructions, calls expanded.
#[derive(Debug)]
pub struct Kernel {
    /// The name in the module, mangled.
    pub name: String,
    /// The name as the programmer wrote it.
    pub display_name: String,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Bytes of all parameters.
    pub parameter_bytes: usize,
    /// The code. Execution starts at 0 and never runs past the end.
    pub code: Vec<CodeInstruction>,
    /// Registers that a thread needs.
    pub registers: u32,
    /// Predicates that a thread needs.
    pub predicates: u32,
    /// What lies in shared memory.
    pub shared: Vec<SharedSymbol>,
    /// Bytes of shared memory without the dynamic part.
    pub static_shared_bytes: u64,
    /// Bytes of local memory that a thread needs.
    pub local_bytes: u64,
    /// The largest block that the kernel was compiled for, where it says so.
    pub max_threads: Option<u32>,
    /// What each instruction's site stands for.
    pub sites: Vec<CodeSite>,
    /// Whether there is line information.
    pub has_line_information: bool,
}

/// A kernel parameter and its place in the parameter block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub offset: usize,
    /// Its size.
    pub bytes: usize,
}

/// A variable in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedSymbol {
    /// Its name in the module.
    pub name: String,
    /// Its first byte in the block's shared memory.
    pub offset: u64,
    /// Its size; 0 for the dynamic part.
    pub bytes: u64,
}

/// One instruction of a [`Kernel`].
#[derive(Debug, Clone)]
pub struct CodeInstruction {
    /// It runs only where this predicate is true, or false if negated.
    pub guard: Option<(Predicate, bool)>,
    /// A load that the compiler speculated: it counts as an access only where this predicate is
    /// true, or false if negated.
    pub counts_if: Option<(Predicate, bool)>,
    /// What it does.
    pub op: Op,
    /// Where it comes from.
    pub site: SiteId,
}

/// Where an instruction comes from.
#[derive(Debug, Clone)]
pub struct CodeSite {
    /// Its PTX text.
    pub instruction: Arc<str>,
    /// Its line in the PTX text.
    pub ptx_line: u32,
    /// The source frames, innermost first.
    pub frames: Vec<SourceFrame>,
}
