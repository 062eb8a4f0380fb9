use crate::{ControlFlow, Declared, Instruction, LineTable, LoadCondition, Loops, Parameter};
use warpsan_ptx::Span;

/// A kernel or function with every name resolved, calls not yet expanded.
#[derive(Debug)]
pub struct Function {
    /// The name in the module, mangled.
    pub name: String,
    /// A kernel (`.entry`), not a function.
    pub is_kernel: bool,
    /// What it returns: each with its place among the return values.
    pub returns: Vec<Parameter>,
    /// Its parameters. Those of a kernel have their place in the parameter block.
    pub parameters: Vec<Parameter>,
    /// The code. Execution starts at 0 and never runs past the end.
    pub code: Vec<Instruction>,
    /// Registers that a thread needs, numbered densely from 0.
    pub registers: u32,
    /// Predicates that a thread needs, numbered densely from 0.
    pub predicates: u32,
    /// The declarations of registers and predicates; see [`Function::text_of`].
    pub declared: Vec<Declared>,
    /// How the conditions of speculated loads are computed.
    pub conditions: Vec<LoadCondition>,
    /// Shared variables that it uses, its own and the module's.
    pub shared: Vec<SharedVariable>,
    /// The alignment of dynamic shared memory, if it uses it.
    pub dynamic_shared: Option<u64>,
    /// Global and constant variables that it uses.
    pub symbols: Vec<String>,
    /// Bytes of local memory of its own.
    pub local_bytes: u64,
    /// The alignment that its local memory needs.
    pub local_alignment: u64,
    /// The largest block that a kernel was compiled for, where it says so.
    pub max_threads: Option<u32>,
    /// The cluster that a kernel was compiled for, where it says so.
    pub cluster: Option<[u32; 3]>,
    /// Blocks, dominators and post-dominators of the code.
    pub control_flow: ControlFlow,
    /// The loops of the code.
    pub loops: Loops,
    /// The source lines, with inlining.
    pub lines: LineTable,
    /// Whether there is line information.
    pub has_line_information: bool,
    /// Where the head stands.
    pub span: Span,
}

/// A shared variable that a function uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name in the module.
    pub name: String,
    /// Where it is declared: names repeat, places do not.
    pub declared_at: u32,
    /// Its size.
    pub bytes: u64,
    /// Its alignment.
    pub alignment: u64,
}
