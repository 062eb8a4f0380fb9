//! Operands of operations, and which one of its kind an operation is.

use crate::Type;

/// A register, numbered densely. A number may be used again, in another part of the function, for
/// a register of another width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Register {
    /// Which one.
    pub number: u32,
    /// Its width as declared: 8 to 128.
    pub bits: u8,
}

/// Words of 32 bits that a register of this width takes.
pub fn words_of(bits: u8) -> u8 {
    match bits {
        0..=32 => 1,
        33..=64 => 2,
        _ => 4,
    }
}

/// A predicate register of a kernel, numbered densely on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Predicate(pub u32);

/// The condition code of extended arithmetic; it lives as long as the thread.
pub(crate) const CARRY: Predicate = Predicate(0);

/// A register or a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// A register, by its number.
    Register(u32),
    /// A predicate, by its number.
    Predicate(u32),
}

/// A register or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// What the register holds.
    Register(Register),
    /// These bits.
    Constant(u64),
}

/// The state space that an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemorySpace {
    /// None: the address itself says which.
    Generic,
    /// `.global`
    Global,
    /// `.shared` of the own block.
    Shared,
    /// `.shared::cluster`: of any block of the cluster.
    SharedCluster,
    /// `.local`, and the parameters of calls that were expanded in place.
    Local,
    /// `.local`, counted from the frame of the subroutine that runs.
    Frame,
    /// `.const`
    Const,
    /// `.param` of the kernel.
    Param,
}

/// Operations with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX instruction of the same name")]
pub enum UnaryOp {
    Neg,
    Abs,
    Not,
    Cnot,
    Popc,
    Clz,
    Brev,
    Bfind,
    BfindShift,
    Sqrt,
    Rcp,
    Rsqrt,
    Sin,
    Cos,
    Ex2,
    Lg2,
    Tanh,
}

/// Operations with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX instruction of the same name")]
pub enum BinaryOp {
    Add,
    Sub,
    MulLo,
    MulHi,
    MulWide,
    Mul24Lo,
    Mul24Hi,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Copysign,
    BitMaskClamp,
    BitMaskWrap,
    ExtendClamp,
    ExtendWrap,
}

/// Operations with three operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX instruction of the same name")]
pub enum TernaryOp {
    MadLo,
    MadHi,
    MadWide,
    Mad24Lo,
    Mad24Hi,
    Fma,
    Min3,
    Max3,
    Sad,
    Bfe,
    Fns,
    Prmt(PermuteMode),
    ShfLeftClamp,
    ShfLeftWrap,
    ShfRightClamp,
    ShfRightWrap,
    /// The table of the three inputs' combinations.
    Lop3(u8),
    /// Four products of bytes.
    Dp4a {
        a_signed: bool,
        b_signed: bool,
    },
    /// Two products of 16 bits with bytes: the lower or the upper two of `b`.
    Dp2a {
        a_signed: bool,
        b_signed: bool,
        upper: bool,
    },
}

/// Modes of `prmt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each variant is the PTX word of the same name")]
pub enum PermuteMode {
    #[default]
    Index,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// How a calculation rounds and what it does with its inputs and its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mode {
    /// Of the result.
    pub rounding: Rounding,
    /// `.ftz`: subnormal inputs and results are zero.
    pub flush: bool,
    /// `.sat`: to the range of the integer type, or to 0 to 1.
    pub saturate: bool,
    /// `.satfinite`: what overflows becomes the largest finite number.
    pub saturate_finite: bool,
    /// `.relu`: negative results become 0.
    pub relu: bool,
    /// `.NaN`: one input that is no number makes the result none.
    pub nan: bool,
    /// `.xorsign.abs` of `min` and `max`.
    pub xorsign_abs: bool,
    /// `.abs` of the operands.
    pub abs: bool,
    /// `.oob` of `fma`: an input that is the special NaN of tensors, for what is out of bounds, makes
    /// the result 0.
    pub out_of_bounds: bool,
    /// `.approx` or `.full`: within the manual's bounds.
    pub approximate: bool,
}

/// Operations that know the carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX instruction of the same name")]
pub enum ExtendedOp {
    Add,
    Sub,
    MadLo,
    MadHi,
}

/// Comparisons of `set` and `setp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX comparison of the same name")]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `equ` and so on: true when an operand is not a number.
    EqUnordered,
    NeUnordered,
    LtUnordered,
    LeUnordered,
    GtUnordered,
    GeUnordered,
    /// Both are numbers.
    Num,
    /// One is not.
    Nan,
}

/// Logic on predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the PTX words")]
pub enum BoolOp {
    And,
    Or,
    Xor,
}

/// Read-modify-write operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX operation of the same name")]
pub enum AtomicOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
}

impl AtomicOp {
    /// Whether there is a `red` of it, which returns nothing.
    pub fn has_red(self) -> bool {
        !matches!(self, AtomicOp::Exch | AtomicOp::Cas)
    }

    /// Whether updates of values of this type may be made in any order, if nobody asks for the old values.
    pub fn commutes(self, ty: Type) -> bool {
        use AtomicOp::{Add, And, Max, Min, Or, Xor};
        use Type::{B32, B64, S32, S64, U32, U64};
        let is_integer = matches!(ty, B32 | B64 | S32 | S64 | U32 | U64);
        is_integer && matches!(self, Add | Min | Max | And | Or | Xor)
    }
}

/// What a conversion does with what does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rounding {
    /// To nearest, ties to even (`.rn`, `.rni`).
    #[default]
    Nearest,
    /// To nearest, ties away from zero (`.rna`).
    NearestAway,
    /// Towards zero (`.rz`, `.rzi`).
    Zero,
    /// Down (`.rm`, `.rmi`).
    Down,
    /// Up (`.rp`, `.rpi`).
    Up,
}

/// Forms of `shfl.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the PTX words")]
pub enum ShuffleMode {
    Up,
    Down,
    Bfly,
    Idx,
}

/// Forms of `vote.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the PTX words")]
pub enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

/// What a block barrier does besides waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierOp {
    /// Nothing (`bar.sync`).
    Sync,
    /// It does not even wait (`bar.arrive`).
    Arrive,
    /// Counts the true predicates into a register.
    Popc {
        /// The result.
        to: Register,
        /// What is counted.
        of: (Predicate, bool),
    },
    /// Combines the predicates.
    Combine {
        /// All or any.
        and: bool,
        /// The result.
        to: Predicate,
        /// What is combined.
        of: (Predicate, bool),
    },
}

/// Special registers. Those with a dimension have 0 for x, 1 for y, 2 for z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX special register of the same name")]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    Laneid,
    Warpid,
    Nwarpid,
    WarpSize,
    Smid,
    Nsmid,
    Gridid,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    Clock64,
    Globaltimer,
    ClockHigh,
    GlobaltimerLow,
    GlobaltimerHigh,
    DynamicSharedSize,
    TotalSharedSize,
    /// All shared memory that a block has, what the system reserves included.
    AggregateSharedSize,
    /// `%reserved_smem_offset_begin`, `_end`, `_cap`, `_0`, `_1`: where the system's part is.
    ReservedShared(ReservedShared),
    ClusterId(u8),
    NumberOfClusters(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtarank,
    ClusterNctarank,
    /// `%is_explicit_cluster`, a predicate in PTX: 0 or 1.
    IsExplicitCluster,
    /// What the driver passes to a kernel, by number.
    Environment(u8),
    /// Performance monitors and the like, which count nothing here.
    Zero,
}

/// The places that the system reserves in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the endings of the PTX names")]
pub enum ReservedShared {
    Begin,
    End,
    Cap,
    Offset(u8),
}

/// Tests of `testp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the PTX words")]
pub enum FloatTest {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// Reductions of `redux.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the PTX words")]
pub enum ReduxOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}
