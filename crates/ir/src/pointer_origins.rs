//! Which argument of a kernel the address of an access comes from.
//!
//! An access has an origin if its address is one pointer of the parameters and integers added to it, on every way that
//! leads there. Registers are looked at whatever the order of the code is: one that is ever written with something else has
//! no origin. What might be a pointer itself is no integer: 64-bit parameters and values of 64 bits from memory, and all that
//! is computed from them. So the sum of a pointer and the difference of two others has no origin.

use crate::held::{Held, Join};
use crate::{
    AddressOperand, AsyncOp, BinaryOp, CodeInstruction, Kernel, MemorySpace, Op, Register, Special,
    TernaryOp, Type, Uses, Value,
};

/// Larger kernels have no origins: the time would not pay.
const MOST_INSTRUCTIONS: usize = 1 << 20;
/// Constants from here on may be addresses of variables.
const LARGEST_NUMBER: u64 = 1 << 40;

/// What a register holds, at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// An integer that is no pointer.
    Number,
    /// The pointer at this byte of the parameters, with integers added.
    Pointer(u32),
    /// Anything.
    Anything,
}

impl Join for Holds {
    fn join(&self, other: &Holds) -> Holds {
        if self == other { *self } else { Holds::Anything }
    }
}

/// For each site, the byte of the parameters where the pointer stands that its access of global memory is counted from, if
/// there is one.
pub fn pointer_origins(kernel: &Kernel) -> Vec<Option<u32>> {
    let mut origins = vec![None; kernel.sites.len()];
    let own_end = kernel.subroutines.iter().map(|one| one.entry as usize).min();
    let own = &kernel.code[..own_end.unwrap_or(kernel.code.len())];
    if own.len() > MOST_INSTRUCTIONS {
        return origins;
    }
    let Some(registers) = Registers::settled(own) else { return origins };
    for instruction in own {
        let origin = places(&instruction.op).into_iter().flatten().find_map(|place| {
            match (place.space, registers.of(place.base)) {
                (MemorySpace::Global | MemorySpace::Generic, Some(Holds::Pointer(at))) => Some(at),
                _ => None,
            }
        });
        if let Some(known) = origins.get_mut(instruction.site.0 as usize) {
            *known = origin;
        }
    }
    origins
}

/// Where an operation accesses memory.
fn places(op: &Op) -> [Option<AddressOperand>; 2] {
    match op {
        Op::Load { space, base, offset, .. }
        | Op::Store { space, base, offset, .. }
        | Op::Atomic { space, base, offset, .. }
        | Op::AtomicVector { space, base, offset, .. } => {
            [Some(AddressOperand { space: *space, base: *base, offset: *offset }), None]
        }
        // One of the two is shared memory.
        Op::Async(op) => match &**op {
            AsyncOp::Copy { to, from, .. } | AsyncOp::Bulk { to, from, .. } => {
                [Some(*from), Some(*to)]
            }
            _ => [None, None],
        },
        _ => [None, None],
    }
}

type Registers = Held<Holds>;

impl Registers {
    /// What registers hold after any way through the code.
    fn settled(code: &[CodeInstruction]) -> Option<Registers> {
        let steps: Vec<(&Op, Option<Uses>)> = code
            .iter()
            .map(|one| (&one.op, is_computation(&one.op).then(|| Uses::of(&one.op))))
            .filter(|(_, uses)| uses.as_ref().is_none_or(|uses| !uses.writes.is_empty()))
            .collect();
        Held::settle(|held| {
            steps.iter().fold(false, |changed, (op, uses)| {
                let is_news = match uses {
                    Some(uses) => held.compute(op, uses),
                    None => held.follow(op),
                };
                is_news | changed
            })
        })
    }

    fn of(&self, value: Value) -> Option<Holds> {
        match value {
            Value::Register(register) => self.get(register).copied(),
            Value::Constant(constant) if constant.cast_signed().unsigned_abs() < LARGEST_NUMBER => {
                Some(Holds::Number)
            }
            Value::Constant(_) => Some(Holds::Anything),
        }
    }

    fn write_all(&mut self, to: &[Register], holds: Option<Holds>) -> bool {
        let mut changed = false;
        for register in to {
            changed |= self.write(*register, holds);
        }
        changed
    }

    /// Does what an operation that pointers pass through does to registers. The answer is whether anything is news.
    fn follow(&mut self, op: &Op) -> bool {
        match op {
            Op::Move { to, from }
            | Op::ConvertAddress { space: MemorySpace::Global, to, from, .. } => {
                self.write(*to, self.of(*from))
            }
            Op::Select { to, a, b, .. } => {
                let either = [self.of(*a), self.of(*b)]
                    .into_iter()
                    .flatten()
                    .reduce(|one, other| one.join(&other));
                self.write(*to, either)
            }
            Op::Load { space, ty, to, base, offset, .. } => {
                let in_parameters = match (space, base) {
                    (MemorySpace::Param, Value::Constant(base)) => {
                        u32::try_from(base.wrapping_add_signed(*offset)).ok()
                    }
                    _ => None,
                };
                let loaded = |element: usize| match (ty.bytes(), in_parameters) {
                    (0..=4, _) => Holds::Number,
                    (8, Some(first)) => Holds::Pointer(first.saturating_add(8 * element as u32)),
                    _ => Holds::Anything,
                };
                let mut changed = false;
                for (element, to) in to.iter().enumerate() {
                    changed |= to.is_some_and(|to| self.write(to, Some(loaded(element))));
                }
                changed
            }
            Op::Atomic { ty, to, .. } => to.is_some_and(|to| self.write(to, Some(of_memory(*ty)))),
            Op::AtomicVector { ty, to, .. } => self.write_all(to, Some(of_memory(*ty))),
            Op::Binary { op: BinaryOp::Add, to, a, b, .. } => self.write(*to, self.sum(*a, *b)),
            Op::Binary { op: BinaryOp::Sub, to, a, b, .. } => {
                let difference = match (self.of(*a), self.of(*b)) {
                    (Some(pointer), Some(Holds::Number)) => Some(pointer),
                    (Some(_), Some(_)) => Some(Holds::Anything),
                    _ => None,
                };
                self.write(*to, difference)
            }
            Op::Ternary { op: TernaryOp::MadLo | TernaryOp::MadWide, to, a, b, c, .. } => {
                let sum = match (self.of(*a), self.of(*b)) {
                    (Some(Holds::Number), Some(Holds::Number)) => self.of(*c),
                    (Some(_), Some(_)) => Some(Holds::Anything),
                    _ => None,
                };
                self.write(*to, sum)
            }
            Op::ReadSpecial { to, special } => {
                let is_address = matches!(special, Special::Environment(_));
                let holds = if is_address { Holds::Anything } else { Holds::Number };
                self.write(*to, Some(holds))
            }
            _ => false,
        }
    }

    /// A pointer and a number, or two numbers.
    fn sum(&self, a: Value, b: Value) -> Option<Holds> {
        Some(match (self.of(a)?, self.of(b)?) {
            (Holds::Number, other) | (other, Holds::Number) => other,
            _ => Holds::Anything,
        })
    }

    /// Any other operation makes numbers of numbers, if it can make no pointer of parts.
    fn compute(&mut self, op: &Op, uses: &Uses) -> bool {
        let makes_numbers = !matches!(
            op,
            Op::Pack { .. }
                | Op::ConvertAddress { .. }
                | Op::MapAddress { .. }
                | Op::FrameAddress { .. }
                | Op::Call(_)
                | Op::CallSubroutine(_)
                | Op::System(_)
                | Op::Opaque(_)
        );
        let mut holds = Some(Holds::Number);
        for register in &uses.reads {
            match self.get(*register) {
                Some(Holds::Number) => {}
                Some(Holds::Pointer(_) | Holds::Anything) => {
                    holds = Some(Holds::Anything);
                    break;
                }
                // It is not written yet: what comes of it is seen later.
                None => holds = None,
            }
        }
        let holds = if makes_numbers { holds } else { Some(Holds::Anything) };
        self.write_all(&uses.writes, holds)
    }
}

/// Whether an operation is one that no pointer passes through.
fn is_computation(op: &Op) -> bool {
    match op {
        Op::Move { .. }
        | Op::ConvertAddress { space: MemorySpace::Global, .. }
        | Op::Select { .. }
        | Op::Load { .. }
        | Op::Atomic { .. }
        | Op::AtomicVector { .. }
        | Op::ReadSpecial { .. } => false,
        Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, ty, .. } => ty.bytes() != 8,
        Op::Ternary { op: TernaryOp::MadLo | TernaryOp::MadWide, to, .. } => to.bits != 64,
        _ => true,
    }
}

/// What a value of this type that comes from memory may be.
fn of_memory(ty: Type) -> Holds {
    if ty.bytes() <= 4 { Holds::Number } else { Holds::Anything }
}

#[cfg(test)]
mod tests;
