//! Operations that the inner loop hands on, with rows for registers.
//!
//! There is a variant for everything that can be carried out, and for nothing else: `lower` refuses the rest when a
//! kernel is made ready, and `exec` matches without a wildcard. So nothing can be skipped.

use super::matrix_form::MatrixForm;
use crate::exec::compute::ComputeOp;
use warpsan_ir::{
    AsyncOp, AtomicOp, BarrierOp, ClusterStep, Matrix, MemorySpace, Predicate, Proxy, ReduxOp,
    Register, ShuffleMode, Special, SubroutineCall, SystemCall, Type, Value, VoteMode,
};
use warpsan_model::{Order, Scope, Strength};

/// An operation that is carried out one by one. Operands are as in [`warpsan_ir::Op`].
#[derive(Debug)]
pub(crate) enum RareOp {
    Exit,
    Trap,
    Yield,
    Nothing,
    Return,
    BranchIndexed { index: Value, targets: Vec<u32>, reconverge: Option<u32> },
    BlockBarrier { op: BarrierOp, barrier: Value, threads: Option<Value>, aligned: bool },
    WarpBarrier { mask: Value },
    ClusterBarrier { step: ClusterStep, order: Order },
    Collective(Collective),
    Fence { order: Order, scope: Scope },
    ProxyFence { proxy: Proxy },
    WaitForPrerequisites,
    Atomic(RareAtomic),
    ReadSpecial { to: Register, special: Special },
    ActiveMask { to: Register },
    Address(AddressOp),
    Async(Box<AsyncOp>),
    CallSubroutine(Box<SubroutineCall>),
    System(Box<SystemCall>),
    Compute(ComputeOp),
}

/// What lanes of a warp do together.
#[derive(Debug)]
pub(crate) enum Collective {
    Shuffle {
        mode: ShuffleMode,
        to: Register,
        valid: Option<Predicate>,
        from: Value,
        by: Value,
        clamp: Value,
        mask: Option<Value>,
    },
    Vote {
        mode: VoteMode,
        to_predicate: Option<Predicate>,
        to_register: Option<Register>,
        of: (Predicate, bool),
        mask: Option<Value>,
    },
    Match {
        all: bool,
        to: Register,
        valid: Option<Predicate>,
        value: Value,
        mask: Value,
    },
    /// PTX has the operation for the type.
    Redux {
        op: ReduxOp,
        ty: Type,
        abs: bool,
        nan: bool,
        to: Register,
        from: Value,
        mask: Value,
    },
    Elect {
        to: Option<Register>,
        elected: Predicate,
        mask: Value,
    },
    Matrix {
        matrix: Box<Matrix>,
        form: Box<MatrixForm>,
    },
}

/// An atomic that has no loop of its own. PTX has the operation for the type.
#[derive(Debug)]
pub(crate) struct RareAtomic {
    pub(crate) op: AtomicOp,
    pub(crate) space: MemorySpace,
    pub(crate) ty: Type,
    pub(crate) strength: Strength,
    pub(crate) base: Value,
    pub(crate) offset: i64,
    pub(crate) elements: Vec<AtomicElement>,
}

/// One of the neighbours that an atomic updates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AtomicElement {
    pub(crate) to: Option<Register>,
    pub(crate) a: Value,
    pub(crate) b: Option<Value>,
}

/// An operation on addresses.
#[derive(Debug)]
pub(crate) enum AddressOp {
    Convert { space: MemorySpace, to_generic: bool, to: Register, from: Value },
    IsInSpace { space: MemorySpace, to: Predicate, address: Value },
    Frame { to: Register, offset: u64, generic: bool },
    Map { generic: bool, to: Register, from: Value, rank: Value },
    RankOf { generic: bool, to: Register, from: Value },
}
