//! How far apart neighbouring lanes of a warp access memory, if they run together: what to expect of an access, not a proof. And what stores always store.
//!
//! A register holds the same in all lanes, or grows by a constant from lane to lane, or anything. As in [`affine`](crate::affine), registers are
//! looked at whatever the order of the code is. Rows of a block have at least 32 threads here, and branches that lanes diverge at are not
//! looked at: who relies on a stride asks the lanes.

use crate::held::{Held, Join};
use crate::{
    Anchor, AsyncOp, BinaryOp, Instruction, MemorySpace, Op, Special, TernaryOp, UnaryOp, Uses,
    Value,
};

/// Longer code has no strides: the time would not pay.
const MOST_INSTRUCTIONS: usize = 1 << 16;

/// What lanes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// All of them this.
    Constant(i64),
    /// All of them the same.
    Same,
    /// Each so much more than the one before.
    Stride(i64),
    /// Anything.
    Anything,
}

impl Lanes {
    /// By how much it grows from lane to lane.
    fn stride(self) -> Option<i64> {
        match self {
            Lanes::Constant(_) | Lanes::Same => Some(0),
            Lanes::Stride(by) => Some(by),
            Lanes::Anything => None,
        }
    }

    fn of_stride(stride: Option<i64>) -> Lanes {
        match stride {
            Some(0) => Lanes::Same,
            Some(by) => Lanes::Stride(by),
            None => Lanes::Anything,
        }
    }

    fn plus(self, other: Lanes, times: i64) -> Lanes {
        if let (Lanes::Constant(one), Lanes::Constant(other)) = (self, other) {
            return Lanes::Constant(one.wrapping_add(other.wrapping_mul(times)));
        }
        let sum = self.stride().zip(other.stride());
        Lanes::of_stride(sum.map(|(one, other)| one.wrapping_add(other.wrapping_mul(times))))
    }

    fn times(self, other: Lanes) -> Lanes {
        match (self, other) {
            (Lanes::Constant(one), Lanes::Constant(other)) => {
                Lanes::Constant(one.wrapping_mul(other))
            }
            (Lanes::Constant(factor), lanes) | (lanes, Lanes::Constant(factor)) => {
                Lanes::of_stride(lanes.stride().map(|by| by.wrapping_mul(factor)))
            }
            (Lanes::Same, Lanes::Same) => Lanes::Same,
            _ => Lanes::Anything,
        }
    }
}

impl Join for Lanes {
    fn join(&self, other: &Lanes) -> Lanes {
        if self == other {
            return *self;
        }
        let is_one = self.stride() == other.stride();
        Lanes::of_stride(self.stride().filter(|_| is_one))
    }
}

/// What is known of how the lanes of a warp access memory with an instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaneAccess {
    /// Bytes from one lane's address to that of the next. Of a copy, that is where it reads.
    pub stride: Option<i64>,
    /// What it stores, always and in all lanes. That is not only expected.
    pub stored: Option<u64>,
}

/// The same for each instruction of a function.
pub fn lane_strides(code: &[Instruction]) -> Vec<LaneAccess> {
    let settled = if code.len() > MOST_INSTRUCTIONS { None } else { Registers::settled(code) };
    let Some(registers) = settled else { return vec![LaneAccess::default(); code.len()] };
    let stride = |instruction: &Instruction| match &instruction.op {
        Op::Load { space, base, .. }
        | Op::Store { space, base, .. }
        | Op::Atomic { space, base, .. }
        | Op::AtomicVector { space, base, .. } => {
            let is_of_threads = !matches!(space, MemorySpace::Param | MemorySpace::Const);
            registers.of(*base).filter(|_| is_of_threads)?.stride()
        }
        Op::Async(operation) => match &**operation {
            AsyncOp::Copy { from, .. } => registers.of(from.base)?.stride(),
            _ => None,
        },
        _ => None,
    };
    let stored = |instruction: &Instruction| match &instruction.op {
        Op::Store { from, ty, .. } if from.len() == 1 && ty.bytes() <= 8 => {
            let Lanes::Constant(value) = registers.of(from[0])? else { return None };
            Some(value.cast_unsigned() & u64::MAX >> (64 - ty.bytes() * 8))
        }
        _ => None,
    };
    code.iter().map(|one| LaneAccess { stride: stride(one), stored: stored(one) }).collect()
}

type Registers = Held<Lanes>;

impl Registers {
    fn settled(code: &[Instruction]) -> Option<Registers> {
        Held::settle(|held| {
            code.iter().fold(false, |changed, instruction| held.follow(instruction) | changed)
        })
    }

    fn of(&self, value: Value) -> Option<Lanes> {
        match value {
            Value::Register(register) => self.get(register).copied(),
            Value::Constant(bits) => Some(Lanes::Constant(bits.cast_signed())),
        }
    }

    fn follow(&mut self, instruction: &Instruction) -> bool {
        let op = &instruction.op;
        let both = |a: &Value, b: &Value| self.of(*a).zip(self.of(*b));
        match op {
            Op::Move { to, from } | Op::ConvertAddress { to, from, .. } => {
                let is_plain = instruction.anchor == Anchor::Nothing;
                let lanes = if is_plain { self.of(*from) } else { Some(Lanes::Same) };
                self.write(*to, lanes)
            }
            Op::ReadSpecial { to, special } => {
                let lanes = match special {
                    Special::Tid(0) | Special::Laneid => Lanes::Stride(1),
                    Special::Tid(_)
                    | Special::Ntid(_)
                    | Special::Ctaid(_)
                    | Special::Nctaid(_)
                    | Special::Warpid
                    | Special::WarpSize => Lanes::Same,
                    _ => Lanes::Anything,
                };
                self.write(*to, Some(lanes))
            }
            Op::Binary { op: BinaryOp::Add, to, a, b, ty, .. } if ty.is_address_part() => {
                let sum = both(a, b).map(|(a, b)| a.plus(b, 1));
                self.write(*to, sum)
            }
            Op::Binary { op: BinaryOp::Sub, to, a, b, ty, .. } if ty.is_address_part() => {
                let difference = both(a, b).map(|(a, b)| a.plus(b, -1));
                self.write(*to, difference)
            }
            Op::Binary { op: BinaryOp::MulLo | BinaryOp::MulWide, to, a, b, ty, .. }
                if ty.is_address_part() =>
            {
                let product = both(a, b).map(|(a, b)| a.times(b));
                self.write(*to, product)
            }
            Op::Binary { op: BinaryOp::Shl, to, a, b: Value::Constant(by), .. } if *by < 32 => {
                let shifted = self.of(*a).map(|a| a.times(Lanes::Constant(1 << by)));
                self.write(*to, shifted)
            }
            Op::Ternary { op: TernaryOp::MadLo | TernaryOp::MadWide, to, a, b, c, ty, .. }
                if ty.is_address_part() =>
            {
                let product = both(a, b).map(|(a, b)| a.times(b));
                let sum = product.zip(self.of(*c)).map(|(product, c)| product.plus(c, 1));
                self.write(*to, sum)
            }
            Op::Unary { op: UnaryOp::Neg, to, a, ty, .. } if ty.is_address_part() => {
                let negated = self.of(*a).map(|a| Lanes::Constant(0).plus(a, -1));
                self.write(*to, negated)
            }
            Op::Convert { from_type, to_type, to, from, .. }
                if from_type.is_address_part() && to_type.is_address_part() =>
            {
                self.write(*to, self.of(*from))
            }
            op => self.compute(op),
        }
    }

    /// Any other operation makes the same of the same, unless lanes matter to it.
    fn compute(&mut self, op: &Op) -> bool {
        let uses = Uses::of(op);
        let known: Vec<Option<Lanes>> =
            uses.reads.iter().map(|one| self.get(*one).copied()).collect();
        if known.contains(&None) {
            return false;
        }
        let is_plain = matches!(
            op,
            Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Ternary { .. }
                | Op::Convert { .. }
                | Op::Pack { .. }
                | Op::Unpack { .. }
                | Op::Load { .. }
        );
        let is_same = known.iter().flatten().all(|one| one.stride() == Some(0));
        let lanes = if is_plain && is_same { Lanes::Same } else { Lanes::Anything };
        let mut changed = false;
        for register in uses.writes {
            changed |= self.write(register, Some(lanes));
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModuleIndex, function};
    use warpsan_ptx::Document;

    /// What is known of the accesses of the code.
    fn accesses(code: &str) -> Vec<LaneAccess> {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.shared .b32 tile[64];\n\
             .entry k(.param .b64 p, .param .b32 n)\n{{\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<4>;\n\
             ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n\
             mov.u32 %r4, %ntid.x;\nmad.lo.s32 %r5, %r3, %r4, %r2;\n{code}\nret;\n}}\n"
        );
        let document = Document::parse(text);
        assert_eq!(document.errors(), [], "{code}");
        let kernel = function(&ModuleIndex::of(&document), "k").expect("a function");
        let strides = lane_strides(&kernel.code);
        let accesses = kernel.code.iter().zip(strides).filter_map(|(one, access)| match one.op {
            Op::Load { space: MemorySpace::Global | MemorySpace::Shared, .. }
            | Op::Store { space: MemorySpace::Global | MemorySpace::Shared, .. } => Some(access),
            _ => None,
        });
        accesses.collect()
    }

    fn strides(code: &str) -> Vec<Option<i64>> {
        accesses(code).iter().map(|access| access.stride).collect()
    }

    #[test]
    fn what_is_always_stored() {
        let code = "mov.u32 %r6, 1;\nst.global.u32 [%rd1], %r6;\nst.global.u8 [%rd1+8], -1;\n\
                    setp.eq.u32 %p1, %r2, 0;\nmov.u32 %r7, 3;\n@%p1 mov.u32 %r7, 4;\nst.global.u32 [%rd1], %r7;\n\
                    st.global.u32 [%rd1], %r1;\nst.global.v2.u32 [%rd1], {%r6, %r6};";
        let stored: Vec<_> = accesses(code).iter().map(|access| access.stored).collect();
        assert_eq!(stored, [Some(1), Some(255), None, None, None]);
    }

    #[test]
    fn elements_side_by_side() {
        let code = "mul.wide.s32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r6, [%rd3+8];\n\
                    mul.wide.s32 %rd4, %r5, 8;\nadd.s64 %rd5, %rd1, %rd4;\nst.global.u64 [%rd5], %rd2;";
        assert_eq!(strides(code), [Some(4), Some(8)]);
    }

    #[test]
    fn a_loop_over_the_grid_keeps_the_stride() {
        let code = "LOOP:\nmul.wide.s32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r6, [%rd3];\n\
                    add.s32 %r5, %r5, %r4;\nsetp.lt.s32 %p1, %r5, %r1;\n@%p1 bra LOOP;";
        assert_eq!(strides(code), [Some(4)]);
    }

    #[test]
    fn rows_columns_and_what_was_loaded() {
        // A row of a matrix, and a column: the width is a parameter.
        let code = "mad.lo.s32 %r6, %r3, %r1, %r2;\nmul.wide.s32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
                    ld.global.u32 %r7, [%rd3];\nmad.lo.s32 %r8, %r2, %r1, %r3;\nmul.wide.s32 %rd4, %r8, 4;\n\
                    add.s64 %rd5, %rd1, %rd4;\nst.global.u32 [%rd5], %r7;\n\
                    mul.wide.s32 %rd6, %r7, 4;\nadd.s64 %rd7, %rd1, %rd6;\nld.global.u32 %r9, [%rd7];";
        assert_eq!(strides(code), [Some(4), None, None]);
    }

    #[test]
    fn shared_memory_and_one_place_for_all() {
        let code = "mov.u32 %r6, tile;\nshl.b32 %r7, %r2, 2;\nadd.s32 %r8, %r6, %r7;\nst.shared.u32 [%r8], %r2;\n\
                    ld.shared.u32 %r9, [tile+4];\nld.global.u32 %r10, [%rd1];";
        assert_eq!(strides(code), [Some(4), Some(0), Some(0)]);
    }
}
