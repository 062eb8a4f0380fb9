use crate::{Op, Predicate};
use std::sync::Arc;
use warpsan_model::{PassOrder, SiteId, SourceFrame};

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
    /// The code. Execution starts at 0 and never runs past the end. The subroutines stand behind
    /// the kernel's own instructions.
    pub code: Vec<CodeInstruction>,
    /// Functions that are called, not expanded: recursive ones, and those that pointers lead to.
    pub subroutines: Vec<Subroutine>,
    /// Registers that a thread needs, without those of subroutines.
    pub registers: u32,
    /// Predicates that a thread needs, without those of subroutines.
    pub predicates: u32,
    /// What lies in shared memory.
    pub shared: Vec<SharedSymbol>,
    /// Bytes of shared memory without the dynamic part.
    pub static_shared_bytes: u64,
    /// Bytes of local memory that a thread needs.
    pub local_bytes: u64,
    /// The largest block that the kernel was compiled for, where it says so.
    pub max_threads: Option<u32>,
    /// The cluster that the kernel was compiled for (`.reqnctapercluster`).
    pub cluster: Option<[u32; 3]>,
    /// What each instruction's site stands for.
    pub sites: Vec<CodeSite>,
    /// Whether there is line information.
    pub has_line_information: bool,
    /// In which order passes of its loops come to the sites.
    pub pass_order: PassOrder,
}

/// A function that is called at run time. It has registers, predicates and local memory of its own
/// for every call that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subroutine {
    /// The name in the module, mangled.
    pub name: String,
    /// Where pointers to it point.
    pub address: u64,
    /// Its first instruction.
    pub entry: u32,
    /// The instruction behind its last.
    pub end: u32,
    /// Registers that a call needs.
    pub registers: u32,
    /// Predicates that a call needs.
    pub predicates: u32,
    /// Bytes of local memory that a call needs. Results and parameters are at its start, as
    /// [`parameter_places`] says.
    pub frame_bytes: u64,
}

/// The place of each result and parameter in a subroutine's frame, by size and alignment, results
/// first. Caller and callee come to the same places without knowing each other.
pub fn parameter_places(layouts: impl IntoIterator<Item = (u64, u64)>) -> Vec<u64> {
    let mut end = 0u64;
    let place = |(bytes, alignment): (u64, u64)| {
        let offset = end.next_multiple_of(alignment.max(1));
        end = offset + bytes;
        offset
    };
    layouts.into_iter().map(place).collect()
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
