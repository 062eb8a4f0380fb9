//! What an instruction does.

mod anchor;
mod asynchronous;
mod calls;
mod features;
mod kinds;
mod matrix;
mod meeting;
mod opaque;
mod purity;
mod video;

pub use anchor::Anchor;
pub use asynchronous::{AddressOperand, AsyncOp, BulkEnd, ClusterStep, MbarrierOp, Proxy};
pub use calls::{
    Argument, Call, CallCopy, CallTarget, Callee, SubroutineCall, SystemCall, SystemFunction,
};
pub use kinds::*;
pub use matrix::{Matrix, MatrixKind};
pub use opaque::{Opaque, OpaqueOperand};
pub use video::{Video, VideoOp, VideoSecond, VideoSource};

use crate::Type;
use warpsan_model::{Order, Scope, Strength};

/// What an instruction does. Operands are resolved; sizes and types are explicit.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are the operands in the order of the PTX manual")]
pub enum Op {
    Move {
        to: Register,
        from: Value,
    },
    MovePredicate {
        to: Predicate,
        from: (Predicate, bool),
    },
    ConstantPredicate {
        to: Predicate,
        value: bool,
    },
    ReadSpecial {
        to: Register,
        special: Special,
    },
    /// Joins equal parts into one value, lowest part first.
    Pack {
        to: Register,
        parts: Vec<Value>,
        part_bits: u32,
    },
    /// Splits a value into equal parts, lowest part first; a part without register is dropped.
    Unpack {
        to: Vec<Option<Register>>,
        from: Value,
        part_bits: u32,
    },
    Unary {
        op: UnaryOp,
        ty: Type,
        mode: Mode,
        to: Register,
        a: Value,
    },
    Binary {
        op: BinaryOp,
        ty: Type,
        mode: Mode,
        to: Register,
        a: Value,
        b: Value,
    },
    Ternary {
        op: TernaryOp,
        ty: Type,
        mode: Mode,
        to: Register,
        a: Value,
        b: Value,
        c: Value,
    },
    /// `add.cc`, `addc`, `madc.hi` and the like: arithmetic with a carry in, a carry out, or both.
    /// The carry is a predicate of its own, since PTX gives each thread one condition code.
    Extended {
        op: ExtendedOp,
        ty: Type,
        to: Register,
        a: Value,
        b: Value,
        /// What a multiplication adds; zero for the others.
        c: Value,
        carry_in: Option<Predicate>,
        carry_out: Option<Predicate>,
    },
    BitFieldInsert {
        ty: Type,
        to: Register,
        a: Value,
        b: Value,
        c: Value,
        d: Value,
    },
    /// `c` is compared with zero and selects.
    SelectBySign {
        ty: Type,
        by: Type,
        flush: bool,
        to: Register,
        a: Value,
        b: Value,
        c: Value,
    },
    Select {
        to: Register,
        a: Value,
        b: Value,
        by: (Predicate, bool),
    },
    SetPredicate {
        compare: Compare,
        ty: Type,
        flush: bool,
        to: Option<Predicate>,
        complement: Option<Predicate>,
        a: Value,
        b: Value,
        combine: Option<(BoolOp, Predicate, bool)>,
    },
    SetValue {
        compare: Compare,
        result: Type,
        ty: Type,
        flush: bool,
        to: Register,
        a: Value,
        b: Value,
        combine: Option<(BoolOp, Predicate, bool)>,
    },
    TestFloat {
        test: FloatTest,
        ty: Type,
        to: Predicate,
        a: Value,
    },
    PredicateLogic {
        op: BoolOp,
        to: Predicate,
        a: (Predicate, bool),
        b: (Predicate, bool),
    },
    /// Packed types are converted part by part. A result that is narrower than its register is
    /// extended.
    Convert {
        from_type: Type,
        to_type: Type,
        mode: Mode,
        /// Rounds to an integral value (`.rni` and so on).
        integral: bool,
        to: Register,
        from: Value,
    },
    /// Two values to one packed one: `high` to the upper part.
    ConvertPair {
        from_type: Type,
        to_type: Type,
        mode: Mode,
        to: Register,
        high: Value,
        low: Value,
    },
    /// `cvt.pack.sat`: two integers to narrower ones, in front of parts of `rest`.
    ConvertPack {
        to_type: Type,
        /// Bits of each converted value: 2 and 4 have no type of their own, they have that of 8 bits.
        to_bits: u32,
        from_type: Type,
        to: Register,
        a: Value,
        b: Value,
        rest: Value,
    },
    /// `setp` on packed types: a predicate for each part.
    SetPredicatePair {
        compare: Compare,
        ty: Type,
        flush: bool,
        low: Option<Predicate>,
        high: Option<Predicate>,
        a: Value,
        b: Value,
        combine: Option<(BoolOp, Predicate, bool)>,
    },
    /// One of the video instructions.
    Video(Box<Video>),
    /// A generic address from one in `space`, or the other way round.
    ConvertAddress {
        space: MemorySpace,
        to_generic: bool,
        to: Register,
        from: Value,
    },
    IsInSpace {
        space: MemorySpace,
        to: Predicate,
        address: Value,
    },
    Load {
        space: MemorySpace,
        ty: Type,
        strength: Strength,
        read_only_path: bool,
        /// A narrower value is extended; an ignored element has no register.
        to: Vec<Option<Register>>,
        base: Value,
        offset: i64,
    },
    Store {
        space: MemorySpace,
        ty: Type,
        strength: Strength,
        from: Vec<Value>,
        base: Value,
        offset: i64,
    },
    Atomic {
        op: AtomicOp,
        space: MemorySpace,
        ty: Type,
        strength: Strength,
        /// None for `red`.
        to: Option<Register>,
        base: Value,
        offset: i64,
        a: Value,
        /// The new value of a compare-and-swap.
        b: Option<Value>,
    },
    /// Neighbouring elements, each updated on its own (`atom.global.v4.f32.add`).
    AtomicVector {
        op: AtomicOp,
        ty: Type,
        strength: Strength,
        space: MemorySpace,
        /// Empty for `red`.
        to: Vec<Register>,
        base: Value,
        offset: i64,
        from: Vec<Value>,
    },
    Fence {
        order: Order,
        scope: Scope,
    },
    /// Orders accesses of different kinds (`fence.proxy.async` and so on).
    ProxyFence {
        proxy: Proxy,
    },
    /// `griddepcontrol.wait`: waits for the launches that this one may overlap.
    WaitForPrerequisites,
    /// `barrier.cluster.arrive` or `.wait`.
    ClusterBarrier {
        step: ClusterStep,
        order: Order,
        aligned: bool,
    },
    BlockBarrier {
        op: BarrierOp,
        barrier: Value,
        threads: Option<Value>,
        aligned: bool,
    },
    WarpBarrier {
        mask: Value,
    },
    Shuffle {
        mode: ShuffleMode,
        to: Register,
        valid: Option<Predicate>,
        from: Value,
        by: Value,
        clamp: Value,
        /// None for the form without `.sync`: whoever is there.
        mask: Option<Value>,
    },
    Vote {
        mode: VoteMode,
        to_predicate: Option<Predicate>,
        to_register: Option<Register>,
        of: (Predicate, bool),
        /// None for the form without `.sync`: whoever is there.
        mask: Option<Value>,
    },
    Match {
        /// Whether all lanes agree, not which ones do.
        all: bool,
        to: Register,
        valid: Option<Predicate>,
        value: Value,
        ty: Type,
        mask: Value,
    },
    Redux {
        op: ReduxOp,
        ty: Type,
        mode: Mode,
        to: Register,
        from: Value,
        mask: Value,
    },
    Elect {
        to: Option<Register>,
        elected: Predicate,
        mask: Value,
    },
    ActiveMask {
        to: Register,
    },
    /// Jumps where the guard holds. Lanes that diverge here reconverge at `reconverge`, if anywhere.
    Branch {
        target: u32,
        reconverge: Option<u32>,
    },
    /// Jumps to one of several places.
    BranchIndexed {
        index: Value,
        targets: Vec<u32>,
        reconverge: Option<u32>,
    },
    /// The address of the same variable in another block of the cluster.
    MapAddress {
        generic: bool,
        to: Register,
        from: Value,
        rank: Value,
    },
    /// The rank of the block that an address of the cluster's shared memory belongs to.
    RankOfAddress {
        generic: bool,
        to: Register,
        from: Value,
    },
    /// Asynchronous copies and `mbarrier`.
    Async(Box<AsyncOp>),
    /// Operations of a warp on matrices.
    Matrix(Box<Matrix>),
    /// An address in the frame of the subroutine that runs.
    FrameAddress {
        to: Register,
        offset: u64,
        generic: bool,
    },
    /// Calls a function. A kernel that is ready to run has none: calls are expanded, or made into
    /// [`Op::CallSubroutine`].
    Call(Box<Call>),
    /// Calls one of the kernel's subroutines.
    CallSubroutine(Box<SubroutineCall>),
    /// A function that the system provides.
    System(Box<SystemCall>),
    /// The end of a function, back to its caller.
    Return,
    /// An instruction that has no meaning here yet.
    Opaque(Opaque),
    Exit,
    Trap,
    /// Lets others go on first (`nanosleep`).
    Yield,
    /// Something that has no effect on results, such as a prefetch.
    Nothing,
}
