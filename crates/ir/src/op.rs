use crate::Type;
use crate::function::{Call, Opaque};
use warpsan_model::{Order, Scope, Strength};

/// A register of a kernel, numbered densely. Values are kept zero-extended to 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Register(pub u32);

/// A predicate register of a kernel, numbered densely on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Predicate(pub u32);

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
    /// None: the address itself tells.
    Generic,
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.local`, and the parameters of calls that were expanded in place.
    Local,
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
}

/// Operations with three operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX instruction of the same name")]
pub enum TernaryOp {
    MadLo,
    MadHi,
    MadWide,
    Mad24Lo,
    Fma,
    Sad,
    Bfe,
    Prmt,
    ShfLeftClamp,
    ShfLeftWrap,
    ShfRightClamp,
    ShfRightWrap,
    /// The table of the three inputs' combinations.
    Lop3(u8),
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

/// What a conversion does with what does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even (`.rn`, `.rni`).
    Nearest,
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
    DynamicSharedSize,
    TotalSharedSize,
}

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
        flush: bool,
        to: Register,
        a: Value,
    },
    Binary {
        op: BinaryOp,
        ty: Type,
        flush: bool,
        saturate: bool,
        to: Register,
        a: Value,
        b: Value,
    },
    Ternary {
        op: TernaryOp,
        ty: Type,
        flush: bool,
        saturate: bool,
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
    Convert {
        from_type: Type,
        to_type: Type,
        /// None where the conversion cannot round.
        rounding: Option<Rounding>,
        /// Round to an integral value of the same floating-point type.
        integral: bool,
        saturate: bool,
        flush: bool,
        to: Register,
        /// The width that a narrower result is extended to.
        to_bits: u32,
        from: Value,
    },
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
        /// With the width that a narrower value is extended to; an ignored element has none.
        to: Vec<Option<(Register, u32)>>,
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
    Fence {
        order: Order,
        scope: Scope,
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
        mask: Value,
    },
    Vote {
        mode: VoteMode,
        to_predicate: Option<Predicate>,
        to_register: Option<Register>,
        of: (Predicate, bool),
        mask: Value,
    },
    ActiveMask {
        to: Register,
    },
    /// Jumps where the guard holds. Lanes that part here meet again at `meet`, if anywhere.
    Branch {
        target: u32,
        meet: Option<u32>,
    },
    /// Jumps to one of several places.
    BranchIndexed {
        index: Value,
        targets: Vec<u32>,
        meet: Option<u32>,
    },
    /// Calls a function. A kernel that is ready to run has none: calls are expanded.
    Call(Box<Call>),
    /// The end of a function, back to its caller.
    Return,
    /// An instruction that has no meaning here yet.
    Opaque(Opaque),
    Exit,
    Trap,
    /// Something that has no effect on results: prefetches, sleeps.
    Nothing,
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
