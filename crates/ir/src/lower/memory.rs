//! Loads, stores and atomics.

use super::modifiers::Modifiers;
use super::operands::Address;
use super::{Lower, Lowerer};
use crate::{AtomicOp, MemorySpace, Op, Predicate, Type};
use warpsan_model::{Order, Scope, Strength};
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;

/// What the modifiers of a load or store say.
struct Head {
    space: MemorySpace,
    strength: Strength,
    elements: usize,
    ty: Type,
    read_only_path: bool,
}

impl<'a> Lowerer<'a> {
    pub(super) fn load(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let Head { space, strength, elements: count, ty, read_only_path } =
            self.head(instruction)?;
        let [to, address] = without_policy(instruction) else {
            return self.malformed(instruction);
        };
        let registers = self.destinations(to, span)?;
        if registers.len() != count {
            return self.malformed(instruction);
        }
        let Address { space, base, offset, anchor } = self.address(address, space, span)?;
        let op = Op::Load { space, ty, strength, read_only_path, to: registers, base, offset };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }

    pub(super) fn store(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let Head { space, strength, elements: count, ty, read_only_path } =
            self.head(instruction)?;
        let [address, value] = without_policy(instruction) else {
            return self.malformed(instruction);
        };
        let from = self.sources(value, ty, span)?;
        if from.len() != count || read_only_path {
            return self.malformed(instruction);
        }
        let Address { space, base, offset, anchor } = self.address(address, space, span)?;
        if matches!(space, MemorySpace::Const | MemorySpace::Param) {
            return self.invalid(span, "a store to constant memory or to a kernel's parameters");
        }
        let op = Op::Store { space, ty, strength, from, base, offset };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }

    /// The modifiers of a load or store.
    fn head(&self, instruction: &Instruction<'a>) -> Lower<Head> {
        let mut words = Modifiers::new(instruction.modifiers());
        words.drop_cache_hints();
        let read_only_path = words.take("nc");
        let space = take_space(&mut words);
        let Some(strength) = words.take_strength() else {
            return self.invalid(instruction.span, "a memory order needs a scope");
        };
        let elements = take_vector(&mut words);
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        match ty {
            Some(ty) => Ok(Head { space, strength, elements, ty, read_only_path }),
            None => self.malformed(instruction),
        }
    }

    pub(super) fn atomic(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let gives_back = instruction.opcode() == "atom";
        let mut words = Modifiers::new(instruction.modifiers());
        words.drop_cache_hints();
        let space = take_space(&mut words);
        let order = words.take_order().unwrap_or(Order::Relaxed);
        let scope = words.take_scope().unwrap_or(Scope::Gpu);
        let op = words.take_map(atomic_op);
        // Subnormal numbers are kept with and without it, as the engine is new enough.
        words.take("noftz");
        let vector = take_vector(&mut words);
        let ty = words.take_type().filter(|ty| ty.bytes() >= 2);
        self.nothing_left(instruction, &words)?;
        let (Some(op), Some(ty)) = (op, ty) else { return self.malformed(instruction) };
        let (to, rest) = match (gives_back, without_policy(instruction)) {
            (true, [to, rest @ ..]) => (Some(to), rest),
            (_, rest) => (None, rest),
        };
        let (address, a, b) = match (op, rest) {
            (AtomicOp::Cas, [address, compare, new]) if vector == 1 => {
                (address, compare, Some(new))
            }
            (AtomicOp::Cas, _) => return self.malformed(instruction),
            (_, [address, value]) => (address, value, None),
            _ => return self.malformed(instruction),
        };
        let strength = Strength::Strong { order, scope };
        let to = match to {
            Some(to) => self.destinations(to, span)?,
            None => Vec::new(),
        };
        let from = self.sources(a, ty, span)?;
        let new = match b {
            Some(new) => Some(self.value(new, ty, span)?),
            None => None,
        };
        if from.len() != vector || (gives_back && to.len() != vector) {
            return self.malformed(instruction);
        }
        let Address { space, base, offset, anchor } = self.address(address, space, span)?;
        let op = match from[..] {
            [a] if vector == 1 => {
                let to = to.first().copied().flatten();
                Op::Atomic { op, space, ty, strength, to, base, offset, a, b: new }
            }
            _ => {
                let mut wanted = Vec::with_capacity(to.len());
                for register in to {
                    wanted.push(register.unwrap_or_else(|| self.take_registers(1, ty.bits())));
                }
                Op::AtomicVector { op, ty, strength, space, to: wanted, base, offset, from }
            }
        };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }
}

/// The operands without a cache policy, which changes no value.
pub(super) fn without_policy<'a>(instruction: &Instruction<'a>) -> &'a [Operand<'a>] {
    match instruction.operands {
        [operands @ .., _] if instruction.modifiers().contains(&"L2::cache_hint") => operands,
        operands => operands,
    }
}

pub(super) fn atomic_op(word: &str) -> Option<AtomicOp> {
    Some(match word {
        "add" => AtomicOp::Add,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "exch" => AtomicOp::Exch,
        "cas" => AtomicOp::Cas,
        "inc" => AtomicOp::Inc,
        "dec" => AtomicOp::Dec,
        _ => return None,
    })
}

pub(super) fn take_space(words: &mut Modifiers<'_>) -> MemorySpace {
    let space = words.take_map(|word| {
        Some(match word {
            "global" => MemorySpace::Global,
            "shared" | "shared::cta" => MemorySpace::Shared,
            "shared::cluster" => MemorySpace::SharedCluster,
            "const" => MemorySpace::Const,
            "param" | "param::entry" => MemorySpace::Param,
            // The parameters of a function are variables of its caller.
            "local" | "param::func" => MemorySpace::Local,
            _ => return None,
        })
    });
    space.unwrap_or(MemorySpace::Generic)
}

/// How many elements an access has.
pub(super) fn take_vector(words: &mut Modifiers<'_>) -> usize {
    let vector = words.take_map(|word| match word {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    });
    vector.unwrap_or(1)
}
