use crate::{
    ControlFlow, Declared, LineId, LineTable, LoadCondition, Loops, Op, Parameter, Predicate,
    Register, SystemFunction, Value,
};
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

/// One instruction of a [`Function`].
#[derive(Debug, Clone)]
pub struct Instruction {
    /// It runs only where this predicate is true, or false if negated.
    pub guard: Option<(Predicate, bool)>,
    /// A load that the compiler speculated: it counts as an access only where this predicate is
    /// true, or false if negated.
    pub counts_if: Option<(Predicate, bool)>,
    /// What it does.
    pub op: Op,
    /// What an address or constant in `op` is counted from.
    pub anchor: Anchor,
    /// Where it stands in the text.
    pub span: Span,
    /// Its source line.
    pub line: LineId,
}

/// What a constant of an instruction is counted from, until the kernel is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Nothing: it is final.
    Nothing,
    /// The function's local memory.
    Frame,
    /// A parameter of the function, return values first.
    Formal(u32),
    /// One of the function's shared variables.
    Shared(u32),
    /// The start of dynamic shared memory.
    DynamicShared,
    /// One of the function's global or constant variables.
    Symbol(u32),
    /// The place that pointers to one of the module's functions point to.
    Function(u32),
}

/// What a call hands over: a variable of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// What the offset is counted from.
    pub anchor: Anchor,
    /// Its first byte.
    pub offset: u64,
}

/// Who a call leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// The function of this name, aliases followed.
    Function(Box<str>),
    /// The function that a pointer leads to, with size and alignment of its results and parameters.
    Pointer {
        /// The pointer.
        address: Value,
        /// Of each result.
        results: Box<[(u64, u64)]>,
        /// Of each parameter.
        parameters: Box<[(u64, u64)]>,
    },
    /// A function that the system provides.
    System(SystemFunction),
}

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Who is called.
    pub callee: Callee,
    /// Where its results go.
    pub results: Box<[Argument]>,
    /// What it gets.
    pub arguments: Box<[Argument]>,
}

/// Something in the code that has no meaning here yet. Its operands are known, so that the flow of
/// values around it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opaque {
    /// What about it has no meaning; none if that is the instruction as a whole.
    pub what: Option<Box<str>>,
    /// Registers and predicates that it reads, and that it may write.
    pub operands: Box<[OpaqueOperand]>,
}

/// A register or predicate of an opaque instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueOperand {
    /// A register that is read.
    Read(Register),
    /// A register that may be written.
    Written(Register),
    /// A predicate that is read.
    ReadPredicate(Predicate),
    /// A predicate that may be written.
    WrittenPredicate(Predicate),
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
