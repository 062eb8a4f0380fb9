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
        if elements(to).len() != count {
            return self.malformed(instruction);
        }
        let mut registers = Vec::new();
        for element in elements(to) {
            registers.push(match element {
                Operand::Ignored => None,
                other => Some(self.register_with_width(other, span)?),
            });
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
        if elements(value).len() != count || read_only_path {
            return self.malformed(instruction);
        }
        let mut from = Vec::new();
        for element in elements(value) {
            from.push(self.value(element, ty, span)?);
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
        // Vectors of atomics and `.noftz` have their own rules.
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(op), Some(ty)) = (op, ty) else { return self.malformed(instruction) };
        if ty == Type::F16 || matches!(ty.bytes(), 0..=2) {
            let what = format!("{} on values of 16 bits", instruction.opcode());
            return self.unsupported(span, what);
        }
        let (to, rest) = match (gives_back, without_policy(instruction)) {
            (true, [to, rest @ ..]) => (Some(self.register(to, span)?), rest),
            (_, rest) => (None, rest),
        };
        let (address, a, b) = match (op, rest) {
            (AtomicOp::Cas, [address, compare, new]) => (address, compare, Some(new)),
            (AtomicOp::Cas, _) => return self.malformed(instruction),
            (_, [address, value]) => (address, value, None),
            _ => return self.malformed(instruction),
        };
        let a = self.value(a, ty, span)?;
        let b = match b {
            Some(new) => Some(self.value(new, ty, span)?),
            None => None,
        };
        let Address { space, base, offset, anchor } = self.address(address, space, span)?;
        let strength = Strength::Strong { order, scope };
        let op = Op::Atomic { op, space, ty, strength, to, base, offset, a, b };
        self.push_anchored(span, guard, op, anchor).map(drop)
    }
}

/// The operands without a cache policy, which changes no value.
fn without_policy<'a>(instruction: &Instruction<'a>) -> &'a [Operand<'a>] {
    match instruction.operands {
        [operands @ .., _] if instruction.modifiers().contains(&"L2::cache_hint") => operands,
        operands => operands,
    }
}

fn atomic_op(word: &str) -> Option<AtomicOp> {
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
            "local" => MemorySpace::Local,
            "const" => MemorySpace::Const,
            "param" | "param::entry" | "param::func" => MemorySpace::Param,
            _ => return None,
        })
    });
    space.unwrap_or(MemorySpace::Generic)
}

/// How many elements an access has.
fn take_vector(words: &mut Modifiers<'_>) -> usize {
    let vector = words.take_map(|word| match word {
        "v2" => Some(2),
        "v4" => Some(4),
        _ => None,
    });
    vector.unwrap_or(1)
}

fn elements<'o, 'a>(operand: &'o Operand<'a>) -> &'o [Operand<'a>] {
    match operand {
        Operand::Vector(items) => items,
        other => std::slice::from_ref(other),
    }
}
