//! PTX functions with every name resolved, every type known and control flow made explicit.
//!
//! [`function`] lowers one kernel or function of a module and runs the passes over it; [`kernel`]
//! makes a kernel ready to run: calls are expanded in place, so it is one flat list of instructions,
//! and the chain of calls is part of each instruction's source frames. Only functions that call
//! themselves or that pointers lead to stay functions, behind the kernel's own code. What PTX has and
//! we do not is an [`Unsupported`], which names the instruction and its line; what is no valid PTX is
//! an [`Invalid`]. The two are never mixed up.
//!
//! # Types and invariants
//!
//! - [`Op`] is the closed list of what an instruction can do. Registers are numbered densely, sizes and types are explicit. What has no
//!   meaning here is [`Op::Opaque`], which still knows what it reads and writes.
//! - A [`Function`] is lowered code with its [`ControlFlow`], [`Loops`] and [`LineTable`]. Every branch at which lanes can diverge names its
//!   reconvergence point, if it has one.
//! - A [`Kernel`] is ready to run: it has no [`Op::Call`] and no [`Op::Opaque`], and every instruction has a [`CodeSite`].
//! - A [`LoadCondition`] says when a load that the compiler speculated counts as an access.
//! - [`pointer_origins`] says which accesses of a kernel are counted from one pointer among its arguments.
//! - [`symbolic_addresses`] says what is added to it, as a sum over the indices of thread and block, where it can.
//! - A modifier that the lowering did not take makes the instruction unsupported. So no modifier is ignored.

mod affine;
mod call_graph;
mod control_flow;
mod cycles;
mod declared;
mod demangle;
mod dominators;
mod error;
mod expand;
mod function;
mod held;
mod index;
mod instruction;
mod kernel;
mod lane_strides;
mod lines;
pub mod link;
mod literal;
mod liveness;
mod load_condition;
mod loops;
mod lower;
mod moved_lines;
mod names;
mod op;
mod operands;
mod pass_order;
mod passes;
mod phases;
mod pointer_origins;
mod reconvergence;
mod speculation;
mod step;
mod types;
mod uniform;
mod unused_elements;
mod unused_results;
mod uses;
mod variables;
mod warp_tiles;

pub use affine::{
    Atom, Form, FormOfAccess, LaunchValues, Origin, Polynomial, SymbolicAddress, ThreadCondition,
    disjoint, symbolic_addresses,
};
pub use call_graph::{CallGraph, CallNode};
pub use control_flow::{Block, ControlFlow};
pub use declared::Declared;
pub use demangle::display_name;
pub use error::{Invalid, LowerError, Unsupported};
pub use expand::{kernel, kernel_with_calls};
pub use function::{Function, SharedVariable};
pub use index::ModuleIndex;
pub use instruction::Instruction;
pub use kernel::{
    CodeInstruction, CodeSite, Kernel, Parameter, SharedSymbol, Subroutine, parameter_places,
};
pub use lane_strides::{LaneAccess, lane_strides};
pub use lines::{LineId, LineTable};
pub use liveness::{Liveness, NameSet, written_until};
pub use load_condition::{ConditionStep, LoadCondition, Repeats};
pub use loops::{Loops, NaturalLoop};
pub use names::Meaning;
pub use op::{
    AddressOperand, Anchor, Argument, AsyncOp, AtomicOp, BarrierOp, BinaryOp, BoolOp, BulkEnd,
    Call, CallCopy, CallTarget, Callee, ClusterStep, Compare, ExtendedOp, FloatTest, Matrix,
    MatrixKind, MbarrierOp, MemorySpace, Mode, Name, Op, Opaque, OpaqueOperand, PermuteMode,
    Predicate, Proxy, ReduxOp, Register, ReservedShared, Rounding, ShuffleMode, Special,
    SubroutineCall, SystemCall, SystemFunction, TernaryOp, UnaryOp, Value, Video, VideoOp,
    VideoSecond, VideoSource, VoteMode, words_of,
};
pub use passes::run as function;
pub use phases::Phases;
pub use pointer_origins::pointer_origins;
pub use types::Type;
pub use uniform::{Among, FunctionWays, Guarded, Varying, Ways};
pub use unused_elements::used_elements;
pub use uses::{Uses, renumber_registers};
pub use variables::{InitialValue, ModuleVariable, SymbolTable, module_variables};
pub use warp_tiles::warp_barrier_tiles;
