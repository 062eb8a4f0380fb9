//! Addresses as sums over the numbers of a thread: what LD leaves out as affine and disjoint (section 5.1).
//!
//! Of each access of global memory this says which pointer its address is counted from and, where it can, by how much: a
//! [`Polynomial`] over the indices of thread and block, extents, and integers among the parameters. A launch has values for all
//! of them but the indices, so whether all threads access places of their own is a question to a launch ([`disjoint`]).
//!
//! Registers are looked at whatever the order of the code is, as in [`pointer_origins`](crate::pointer_origins): one that is
//! written with different things has no form, but may still have an origin. Arithmetic of 32 bits is taken for arithmetic of
//! integers, which is the same unless a value has grown too large when it is widened; so what was widened is kept in the form, and
//! a launch checks it.

mod disjoint;
mod polynomial;
mod threads;

use crate::held::{Held, Join};
use crate::{
    Anchor, BinaryOp, Instruction, MemorySpace, Op, Parameter, Special, TernaryOp, Type, UnaryOp,
    Uses, Value,
};
pub use disjoint::{FormOfAccess, LaunchValues, disjoint};
pub use polynomial::{Atom, Polynomial};
use threads::Conditions;
pub use threads::ThreadCondition;

/// Larger functions have no forms: the time would not pay.
const MOST_INSTRUCTIONS: usize = 1 << 16;

/// What an address is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// The pointer at this byte of the parameters.
    Parameter(u32),
    /// A variable of the module, by its place in [`Function::symbols`](crate::Function::symbols).
    Variable(u32),
}

/// A sum whose parts are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Form {
    /// What is added to the origin.
    pub offset: Polynomial,
    /// What had 32 bits and was widened, and whether as a signed number: a launch must have no value of it that does not fit.
    pub widened: Vec<(Polynomial, bool)>,
}

/// What is known of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicAddress {
    /// What it is counted from: one of these, in order.
    pub origins: Vec<Origin>,
    /// By how much, if there is one origin, and that is a sum of what a launch and a thread know.
    pub form: Option<Form>,
    /// What holds of the threads that make the access.
    pub threads: Vec<ThreadCondition>,
}

/// For each instruction of a function that is not called by others: the address of its access of global memory, if it is counted
/// from pointers that are known.
pub fn symbolic_addresses(
    code: &[Instruction],
    parameters: &[Parameter],
) -> Vec<Option<SymbolicAddress>> {
    let mut addresses = vec![None; code.len()];
    if code.len() > MOST_INSTRUCTIONS {
        return addresses;
    }
    let Some(registers) = Registers::settled(code, parameters) else { return addresses };
    let conditions = Conditions::of(code, &registers);
    for ((place, instruction), address) in (0..).zip(code).zip(&mut addresses) {
        *address = registers.address_of(instruction);
        if let Some(address) = address {
            address.threads = conditions.at(place, instruction);
        }
    }
    addresses
}

/// What a register holds, at any time.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Holds {
    /// A pointer or an integer, by its form.
    Known(Option<Origin>, Form),
    /// One of these pointers, in order, with integers added.
    Pointer(Vec<Origin>),
    /// An integer that is no pointer.
    Number,
    /// Anything.
    Anything,
}

impl Holds {
    fn number(offset: Polynomial) -> Holds {
        Holds::Known(None, Form { offset, widened: Vec::new() })
    }

    /// The same without its form.
    fn coarse(&self) -> Holds {
        match self {
            Holds::Known(Some(origin), _) => Holds::Pointer(vec![*origin]),
            Holds::Pointer(origins) => Holds::Pointer(origins.clone()),
            Holds::Known(None, _) | Holds::Number => Holds::Number,
            Holds::Anything => Holds::Anything,
        }
    }

    fn sum(&self, other: &Holds, subtracts: bool) -> Holds {
        match (self, other) {
            (Holds::Known(origin, one), Holds::Known(None, two)) => {
                Holds::Known(*origin, one.plus(two, if subtracts { -1 } else { 1 }))
            }
            (Holds::Known(None, one), Holds::Known(Some(origin), two)) if !subtracts => {
                Holds::Known(Some(*origin), one.plus(two, 1))
            }
            _ => match (self.coarse(), other.coarse()) {
                (pointer, Holds::Number) => pointer,
                (Holds::Number, pointer) if !subtracts => pointer,
                _ => Holds::Anything,
            },
        }
    }

    /// A product is no pointer, so a factor of 64 bits among the parameters is an integer.
    fn product(&self, other: &Holds) -> Holds {
        let factor = |holds: &Holds| match holds {
            Holds::Known(None, form) => Some(form.clone()),
            Holds::Known(Some(Origin::Parameter(at)), form) => {
                let whole = form.offset.plus(&Polynomial::of(Atom::WideParameter(*at)), 1)?;
                Some(Form { offset: whole, widened: form.widened.clone() })
            }
            _ => None,
        };
        let known = factor(self).zip(factor(other)).and_then(|(one, two)| one.times(&two));
        match known {
            Some(form) => Holds::Known(None, form),
            None if [self, other].iter().any(|one| one.coarse() == Holds::Anything) => {
                Holds::Anything
            }
            None => Holds::Number,
        }
    }

    /// What had 32 bits gets 64.
    fn widened(&self, signed: bool) -> Holds {
        match self {
            Holds::Known(None, form) => {
                let mut form = form.clone();
                if !form.offset.is_constant() {
                    form.widened.push((form.offset.clone(), signed));
                }
                Holds::Known(None, form)
            }
            Holds::Number => Holds::Number,
            _ => Holds::Anything,
        }
    }
}

impl Join for Holds {
    fn join(&self, other: &Holds) -> Holds {
        if self == other {
            return self.clone();
        }
        match (self.coarse(), other.coarse()) {
            (Holds::Pointer(mut origins), Holds::Pointer(others)) => {
                origins.extend(others);
                origins.sort_unstable();
                origins.dedup();
                Holds::Pointer(origins)
            }
            (one, other) if one == other => one,
            _ => Holds::Anything,
        }
    }
}

impl Form {
    /// The sum; without an offset that is too long, there is none.
    fn plus(&self, other: &Form, times: i64) -> Form {
        let mut widened = self.widened.clone();
        widened.extend(other.widened.iter().filter(|one| !self.widened.contains(one)).cloned());
        let offset = self.offset.plus(&other.offset, times);
        Form { offset: offset.unwrap_or_else(Polynomial::unknown), widened }
    }

    fn times(&self, other: &Form) -> Option<Form> {
        let mut widened = self.widened.clone();
        widened.extend(other.widened.iter().filter(|one| !self.widened.contains(one)).cloned());
        Some(Form { offset: self.offset.times(&other.offset)?, widened })
    }
}

type Registers = Held<Holds>;

impl Registers {
    fn settled(code: &[Instruction], parameters: &[Parameter]) -> Option<Registers> {
        Held::settle(|held| {
            let follow = |changed, one| held.follow(one, parameters) | changed;
            code.iter().fold(false, follow)
        })
    }

    fn address_of(&self, instruction: &Instruction) -> Option<SymbolicAddress> {
        let (space, base, offset) = match &instruction.op {
            Op::Load { space, base, offset, .. }
            | Op::Store { space, base, offset, .. }
            | Op::Atomic { space, base, offset, .. }
            | Op::AtomicVector { space, base, offset, .. } => (*space, *base, *offset),
            _ => return None,
        };
        if !matches!(space, MemorySpace::Global | MemorySpace::Generic) {
            return None;
        }
        let holds = match (base, instruction.anchor) {
            (Value::Constant(at), Anchor::Symbol(symbol)) => {
                let offset = Polynomial::constant(at.cast_signed());
                let form = Form { offset, widened: Vec::new() };
                Holds::Known(Some(Origin::Variable(symbol)), form)
            }
            (base, _) => self.of(base)?,
        };
        match holds {
            Holds::Known(Some(origin), mut form) => {
                form.offset = form.offset.plus(&Polynomial::constant(offset), 1)?;
                let form = Some(form).filter(|form| !form.offset.is_unknown());
                Some(SymbolicAddress { origins: vec![origin], form, threads: Vec::new() })
            }
            Holds::Pointer(origins) => {
                Some(SymbolicAddress { origins, form: None, threads: Vec::new() })
            }
            _ => None,
        }
    }

    fn of(&self, value: Value) -> Option<Holds> {
        match value {
            Value::Register(register) => self.get(register).cloned(),
            Value::Constant(bits) => Some(Holds::number(Polynomial::constant(bits.cast_signed()))),
        }
    }

    /// Does what an operation does to registers. The answer is whether anything is news.
    fn follow(&mut self, instruction: &Instruction, parameters: &[Parameter]) -> bool {
        match &instruction.op {
            Op::Move { to, from } => {
                let holds = match (from, instruction.anchor) {
                    (_, Anchor::Nothing) => self.of(*from),
                    (Value::Constant(at), Anchor::Symbol(symbol)) => {
                        let offset = Polynomial::constant(at.cast_signed());
                        let form = Form { offset, widened: Vec::new() };
                        Some(Holds::Known(Some(Origin::Variable(symbol)), form))
                    }
                    _ => Some(Holds::Anything),
                };
                self.write(*to, holds)
            }
            Op::ConvertAddress { space: MemorySpace::Global, to, from, .. }
                if instruction.anchor == Anchor::Nothing =>
            {
                self.write(*to, self.of(*from))
            }
            Op::ConvertAddress {
                space: MemorySpace::Global,
                to,
                from: Value::Constant(at),
                ..
            } => {
                let holds = match instruction.anchor {
                    Anchor::Symbol(symbol) => {
                        let offset = Polynomial::constant(at.cast_signed());
                        let form = Form { offset, widened: Vec::new() };
                        Holds::Known(Some(Origin::Variable(symbol)), form)
                    }
                    _ => Holds::Anything,
                };
                self.write(*to, Some(holds))
            }
            Op::Select { to, a, b, .. } => {
                let either = [self.of(*a), self.of(*b)].into_iter().flatten();
                let either = either.reduce(|one, other| one.join(&other));
                self.write(*to, either)
            }
            Op::Load { space: MemorySpace::Param, ty, to, base, offset, .. } => {
                let first = match (base, instruction.anchor) {
                    (Value::Constant(base), Anchor::Formal(number)) => parameters
                        .get(number as usize)
                        .map(|one| one.offset as u64)
                        .map(|start| start.wrapping_add(*base).wrapping_add_signed(*offset)),
                    (Value::Constant(base), _) => Some(base.wrapping_add_signed(*offset)),
                    _ => None,
                };
                let mut changed = false;
                for (element, to) in (0u64..).zip(to) {
                    let at = first.map(|first| first + element * u64::from(ty.bytes()));
                    let at = at.and_then(|at| u32::try_from(at).ok());
                    let holds = parameter(*ty, at);
                    changed |= to.is_some_and(|to| self.write(to, Some(holds)));
                }
                changed
            }
            Op::ReadSpecial { to, special } => {
                let atom = match special {
                    Special::Tid(axis) => Some(Atom::Thread(*axis)),
                    Special::Ctaid(axis) => Some(Atom::Block(*axis)),
                    Special::Ntid(axis) => Some(Atom::Threads(*axis)),
                    Special::Nctaid(axis) => Some(Atom::Blocks(*axis)),
                    _ => None,
                };
                let holds = match (atom, special) {
                    (Some(atom), _) => Holds::number(Polynomial::of(atom)),
                    (None, Special::Environment(_)) => Holds::Anything,
                    (None, _) => Holds::Number,
                };
                self.write(*to, Some(holds))
            }
            Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, ty, to, a, b, .. }
                if ty.is_address_part() =>
            {
                let subtracts = matches!(instruction.op, Op::Binary { op: BinaryOp::Sub, .. });
                let sum = self.both(*a, *b).map(|(a, b)| a.sum(&b, subtracts));
                self.write(*to, sum)
            }
            Op::Binary { op: BinaryOp::MulLo, ty, to, a, b, .. } if ty.is_address_part() => {
                let product = self.both(*a, *b).map(|(a, b)| a.product(&b));
                self.write(*to, product)
            }
            Op::Binary { op: BinaryOp::Shl, ty, to, a, b: Value::Constant(by), .. }
                if u64::from(ty.bits()) > *by && *by < 32 =>
            {
                let power = Holds::number(Polynomial::constant(1 << by));
                let product = self.of(*a).map(|a| if *by == 0 { a } else { a.product(&power) });
                self.write(*to, product)
            }
            Op::Binary { op: BinaryOp::MulWide, ty, to, a, b, .. } if ty.bits() == 32 => {
                let product = self.wide_product(*ty, *a, *b);
                self.write(*to, product)
            }
            Op::Ternary { op: TernaryOp::MadLo, ty, to, a, b, c, .. } if ty.is_address_part() => {
                let product = self.both(*a, *b).map(|(a, b)| a.product(&b));
                let sum = product.zip(self.of(*c)).map(|(product, c)| product.sum(&c, false));
                self.write(*to, sum)
            }
            Op::Ternary { op: TernaryOp::MadWide, ty, to, a, b, c, .. } if ty.bits() == 32 => {
                let product = self.wide_product(*ty, *a, *b);
                let sum = product.zip(self.of(*c)).map(|(product, c)| product.sum(&c, false));
                self.write(*to, sum)
            }
            Op::Unary { op: UnaryOp::Neg, ty, to, a, .. } if ty.is_address_part() => {
                let zero = Holds::number(Polynomial::constant(0));
                let negated = self.of(*a).map(|a| zero.sum(&a, true));
                self.write(*to, negated)
            }
            Op::Convert { from_type, to_type, mode, to, from, .. }
                if from_type.is_address_part() && to_type.is_address_part() && !mode.saturate =>
            {
                let converted =
                    self.of(*from).map(|from| match (from_type.bits(), to_type.bits()) {
                        (32, 64) => from.widened(is_signed(*from_type)),
                        (64, 32) => match from {
                            Holds::Known(None, _) | Holds::Number => from,
                            _ => Holds::Number,
                        },
                        (one, other) if one == other => from,
                        _ => Holds::Number,
                    });
                self.write(*to, converted)
            }
            op => self.compute(op),
        }
    }

    fn both(&self, a: Value, b: Value) -> Option<(Holds, Holds)> {
        self.of(a).zip(self.of(b))
    }

    fn wide_product(&self, ty: Type, a: Value, b: Value) -> Option<Holds> {
        let signed = is_signed(ty);
        let widened = |value: Value| match value {
            // A constant of an instruction of 32 bits.
            Value::Constant(bits) => {
                let value = bits as u32;
                let value = if signed { i64::from(value.cast_signed()) } else { i64::from(value) };
                Some(Holds::number(Polynomial::constant(value)))
            }
            value => self.of(value).map(|holds| holds.widened(signed)),
        };
        widened(a).zip(widened(b)).map(|(a, b)| a.product(&b))
    }

    /// Any other operation makes numbers of numbers, if it can make no pointer of parts.
    fn compute(&mut self, op: &Op) -> bool {
        let uses = Uses::of(op);
        if uses.writes.is_empty() {
            return false;
        }
        let makes_numbers = match op {
            Op::Load { ty, .. } | Op::Atomic { ty, .. } | Op::AtomicVector { ty, .. } => {
                ty.bytes() <= 4
            }
            Op::Pack { .. }
            | Op::ConvertAddress { .. }
            | Op::MapAddress { .. }
            | Op::FrameAddress { .. }
            | Op::Call(_)
            | Op::CallSubroutine(_)
            | Op::System(_)
            | Op::Opaque(_) => false,
            _ => true,
        };
        let is_access = matches!(op, Op::Load { .. } | Op::Atomic { .. } | Op::AtomicVector { .. });
        let mut holds = if makes_numbers { Some(Holds::Number) } else { Some(Holds::Anything) };
        // What is loaded does not depend on what the address is.
        if makes_numbers && !is_access {
            for register in &uses.reads {
                match self.get(*register).map(Holds::coarse) {
                    Some(Holds::Number) => {}
                    Some(_) => {
                        holds = Some(Holds::Anything);
                        break;
                    }
                    // It is not written yet: what comes of it is seen later.
                    None => holds = None,
                }
            }
        }
        let mut changed = false;
        for register in &uses.writes {
            changed |= self.write(*register, holds.clone());
        }
        changed
    }
}

fn parameter(ty: Type, at: Option<u32>) -> Holds {
    match (ty.bytes(), at) {
        (4, Some(at)) => Holds::number(Polynomial::of(Atom::Parameter(at))),
        (8, Some(at)) => Holds::Known(Some(Origin::Parameter(at)), Form::default()),
        (0..=4, _) => Holds::Number,
        _ => Holds::Anything,
    }
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::S32 | Type::S64)
}

#[cfg(test)]
mod tests;
