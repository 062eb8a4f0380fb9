use super::{Register, Value};
use crate::Type;

/// Video instructions, whatever the number of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the PTX instruction of the same name")]
pub enum VideoOp {
    Add,
    Sub,
    AbsoluteDifference,
    Min,
    Max,
    Average,
    ShiftLeft,
    ShiftRight,
    MultiplyAdd,
    Set(super::Compare),
}

/// An operand of a video instruction: a register and the parts of it that are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VideoSource {
    /// The register.
    pub value: Value,
    /// Whether the parts are signed.
    pub signed: bool,
    /// The part of a scalar form: bits 0 to 7 for `.b0`, 0 to 15 for `.h0`. First bit and width.
    pub part: (u8, u8),
    /// The parts of a packed form, lowest first, as numbers into the parts of `a` then `b`.
    pub selection: Box<[u8]>,
    /// It counts with its sign changed (`vmad`).
    pub negated: bool,
}

/// What a video instruction does with its third operand.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant is the PTX word of the same name")]
pub enum VideoSecond {
    None,
    Add,
    Min,
    Max,
    /// The result replaces these bits of it.
    Merge {
        part: (u8, u8),
    },
}

/// One video instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Video {
    /// What is computed.
    pub op: VideoOp,
    /// 1, 2 or 4 parts.
    pub parts: u8,
    /// The type of the result.
    pub ty: Type,
    /// `.sat`
    pub saturate: bool,
    /// The parts of a packed result that are written or, with `.add`, added up, as a mask. The other
    /// parts are those of `c`.
    pub write_mask: u8,
    /// What is done with `c`.
    pub second: VideoSecond,
    /// `.shr7` and `.shr15` of `vmad`.
    pub shift: u8,
    /// `.po` of `vmad`: plus one.
    pub plus_one: bool,
    /// `.wrap`, not `.clamp`, of shifts.
    pub wrap: bool,
    /// The result.
    pub to: Register,
    /// The first operand.
    pub a: VideoSource,
    /// The second operand.
    pub b: VideoSource,
    /// The third operand, where there is one.
    pub c: Option<Value>,
    /// It counts with its sign changed (`vmad`).
    pub c_negated: bool,
}
