//! PTX kernels with every name resolved, every type known and control flow made explicit.
//!
//! [`lower`] takes one kernel of a parsed module. Calls are expanded in place, so a kernel is one
//! flat list of instructions, and the chain of calls is part of each instruction's source frames.
//! What PTX has and we do not is an [`Unsupported`], which names the instruction and its line;
//! what is no valid PTX is an [`Invalid`]. The two are never mixed up.

mod control_flow;
mod demangle;
mod error;
mod kernel;
mod literal;
mod lower;
mod op;
mod types;
mod variables;

pub use demangle::display_name;
pub use error::{Invalid, LowerError, Unsupported};
pub use kernel::{CodeSite, Instruction, Kernel, Parameter, SharedSymbol};
pub use lower::lower;
pub use op::{
    AtomicOp, BarrierOp, BinaryOp, BoolOp, Compare, ExtendedOp, FloatTest, MemorySpace, Op,
    Predicate, Register, Rounding, ShuffleMode, Special, TernaryOp, UnaryOp, Value, VoteMode,
};
pub use types::Type;
pub use variables::{InitialValue, ModuleVariable, SymbolTable, module_variables};
