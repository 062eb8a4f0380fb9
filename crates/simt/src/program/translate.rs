//! From the intermediate representation to what the inner loop walks.

use super::live;
use super::lower::lower;
use super::region::Region;
use super::rows::{self, RowMap};
use super::{
    AccessForm, Action, Address, AtomicForm, Combine, Condition, Inst, Logic, NO_ROW, Part,
    Program, Routine, Uniform, rows_of,
};
use crate::exec::atomic_function;
use crate::lanes::{CONSTANT, Instructions, Maker, Operands, Row, arithmetic};
use crate::out_of_bounds::NO_ARGUMENT;
use crate::warp::NONE;
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_ir::{
    AtomicOp, CodeInstruction, Kernel, MemorySpace, Op, Predicate, Type, Value, Varying,
    pointer_origins, renumber_registers, used_elements,
};

/// The program of a kernel, or the first instruction that has no meaning here.
pub(crate) fn translate(
    kernel: &Kernel,
    instructions: Instructions,
) -> Result<Program, &CodeInstruction> {
    let own_end = kernel.subroutines.iter().map(|one| one.entry as usize).min();
    let own = &kernel.code[..own_end.unwrap_or(kernel.code.len())];
    let (arguments, argument_of_site) = arguments(kernel);
    let mut translator = Translator {
        instructions,
        program: Program {
            code: Vec::with_capacity(kernel.code.len()),
            constants: Vec::new(),
            combines: Vec::new(),
            accesses: Vec::new(),
            atomics: Vec::new(),
            rare: Vec::new(),
            routines: Vec::new(),
            arguments,
            argument_of_site,
            rows: 0,
            uniform: Arc::default(),
            predicates: kernel.predicates,
            local_words: words(kernel.local_bytes),
            live_behind: HashMap::new(),
            blocks_are_independent: kernel.subroutines.is_empty()
                && !kernel.code.iter().any(|one| one.op.depends_on_other_blocks()),
        },
        constants: HashMap::new(),
    };
    translator.program.rows = translator.region(own, 0, true)?;
    for subroutine in &kernel.subroutines {
        let code = &kernel.code[subroutine.entry as usize..subroutine.end as usize];
        let rows = translator.region(code, subroutine.entry, false)?;
        translator.program.routines.push(Routine {
            address: subroutine.address,
            entry: subroutine.entry,
            rows,
            predicates: subroutine.predicates,
            local_words: words(subroutine.frame_bytes),
        });
    }
    Ok(translator.program)
}

/// The pointers among the arguments that accesses are counted from, and for each site which of them.
fn arguments(kernel: &Kernel) -> (Vec<u32>, Vec<u16>) {
    let origins = pointer_origins(kernel);
    let mut arguments: Vec<u32> = origins.iter().flatten().copied().collect();
    arguments.sort_unstable();
    arguments.dedup();
    let number = |origin: &Option<u32>| {
        let found = origin.and_then(|at| arguments.binary_search(&at).ok());
        found.and_then(|number| u16::try_from(number).ok()).unwrap_or(NO_ARGUMENT)
    };
    let of_site = origins.iter().map(number).collect();
    (arguments, of_site)
}

/// Words of local memory for so many bytes, with room for accesses of 16 bytes.
fn words(bytes: u64) -> u32 {
    (bytes.next_multiple_of(16) / 4) as u32
}

struct Translator {
    instructions: Instructions,
    program: Program,
    /// Rows of constants by value and width.
    constants: HashMap<(u64, u8), u32>,
}

impl Translator {
    /// Translates one routine; returns the rows that it needs.
    fn region<'k>(
        &mut self,
        code: &'k [CodeInstruction],
        first: u32,
        is_kernel: bool,
    ) -> Result<u32, &'k CodeInstruction> {
        let region = Region::new(code, first);
        let varying = region.varying(is_kernel);
        let map = rows::assign(&region, &varying);
        for instruction in code {
            let translated = self.instruction(instruction, &map, &varying).ok_or(instruction)?;
            self.program.code.push(translated);
        }
        if is_kernel {
            self.program.live_behind = live::behind_barriers(&region, &map);
            let all = (0..self.program.predicates).map(Predicate);
            let predicates = all.filter(|one| !varying.predicate(*one)).map(|one| one.0);
            self.program.uniform =
                Arc::new(Uniform { rows: map.uniform, predicates: predicates.collect() });
        }
        Ok(map.rows)
    }

    fn instruction(
        &mut self,
        instruction: &CodeInstruction,
        map: &RowMap,
        varying: &Varying,
    ) -> Option<Inst> {
        let mut operands = Operands::default();
        let action = self.action(instruction, map, varying, &mut operands)?;
        let guard = optional(instruction.guard);
        Some(Inst { action, guard, operands, site: instruction.site })
    }

    fn action(
        &mut self,
        instruction: &CodeInstruction,
        map: &RowMap,
        varying: &Varying,
        operands: &mut Operands,
    ) -> Option<Action> {
        let op = &instruction.op;
        let uniform = varying.is_uniform(op);
        let argument = self.program.argument_of(instruction.site);
        let maker = Maker { instructions: self.instructions, uniform };
        Some(match op {
            Op::MovePredicate { to, from } => {
                let a = condition(*from);
                Action::Logic { op: Logic::Same, to: to.0, a, b: Condition::ALWAYS }
            }
            Op::ConstantPredicate { to, value } => {
                let op = if *value { Logic::True } else { Logic::False };
                let always = Condition::ALWAYS;
                Action::Logic { op, to: to.0, a: always, b: always }
            }
            Op::PredicateLogic { op, to, a, b } => {
                Action::Logic { op: Logic::Of(*op), to: to.0, a: condition(*a), b: condition(*b) }
            }
            Op::Select { to, a, b, by } => {
                let rows = rows_of(to.bits);
                operands.to = map.row(*to);
                operands.a = self.row(*a, rows, map);
                operands.b = self.row(*b, rows, map);
                Action::Select { by: condition(*by), rows }
            }
            Op::SetPredicate { compare, ty, flush, to, complement, a, b, combine } => {
                let rows = rows_of(ty.bits() as u8);
                operands.a = self.row(*a, rows, map);
                operands.b = self.row(*b, rows, map);
                let function = crate::lanes::compare::test(maker, *compare, *ty, *flush)?;
                let combine = combine.map_or(NONE, |(op, by, negated)| {
                    self.program.combines.push(Combine { op, with: condition((by, negated)) });
                    self.program.combines.len() as u32 - 1
                });
                let name = |predicate: &Option<Predicate>| predicate.map_or(NONE, |one| one.0);
                Action::Test { function, to: name(to), complement: name(complement), combine }
            }
            Op::Branch { target, reconverge } => {
                Action::Branch { target: *target, reconverge: reconverge.unwrap_or(NONE) }
            }
            Op::Load { space, ty, strength, read_only_path, to, base, offset } => {
                let parts = to.iter().map(|part| match part {
                    Some(register) => part_of(map.row(*register), register.bits),
                    None => Part { row: NO_ROW, rows: 1 },
                });
                let parts: Vec<Part> = parts.collect();
                let form = AccessForm {
                    read: used_elements(to, *strength) as u8,
                    parts,
                    address: self.address(*space, *base, *offset, map),
                    bytes: ty.bytes(),
                    is_signed: ty.is_signed(),
                    strength: *strength,
                    read_only_path: *read_only_path,
                    counts_if: optional(instruction.counts_if),
                    argument,
                };
                self.program.accesses.push(form);
                Action::Load(self.program.accesses.len() as u32 - 1)
            }
            Op::Store { space, ty, strength, from, base, offset } => {
                let needed = rows_of(ty.bits() as u8);
                let parts = from.iter().map(|part| match part {
                    Value::Register(register) => part_of(map.row(*register), register.bits),
                    Value::Constant(_) => Part { row: self.row(*part, needed, map), rows: needed },
                });
                let parts = parts.collect();
                let form = AccessForm {
                    parts,
                    address: self.address(*space, *base, *offset, map),
                    bytes: ty.bytes(),
                    is_signed: false,
                    strength: *strength,
                    read_only_path: false,
                    counts_if: Condition::ALWAYS,
                    argument,
                    read: 1,
                };
                self.program.accesses.push(form);
                Action::Store(self.program.accesses.len() as u32 - 1)
            }
            Op::Atomic { op, space, ty, strength, to, base, offset, a, b }
                if is_common_atomic(*op, *ty) =>
            {
                let rows = rows_of(ty.bits() as u8);
                let to = to.map_or(NO_ROW, |register| map.row(register));
                let form = AccessForm {
                    parts: vec![Part { row: to, rows }],
                    address: self.address(*space, *base, *offset, map),
                    bytes: ty.bytes(),
                    is_signed: false,
                    strength: *strength,
                    read_only_path: false,
                    counts_if: Condition::ALWAYS,
                    argument,
                    read: 1,
                };
                self.program.accesses.push(form);
                let form = AtomicForm {
                    op: *op,
                    is_signed: ty.is_signed(),
                    access: self.program.accesses.len() as u32 - 1,
                    to,
                    a: self.row(*a, rows, map),
                    b: b.map_or(NO_ROW, |b| self.row(b, rows, map)),
                };
                self.program.atomics.push(form);
                Action::Atomic(self.program.atomics.len() as u32 - 1)
            }
            op => match arithmetic::function(maker, op) {
                Some((function, shape)) => {
                    operands.to = map.row(shape.to);
                    let rows = [&mut operands.a, &mut operands.b, &mut operands.c];
                    for (row, (value, width)) in rows.into_iter().zip(shape.from) {
                        *row = self.row(value, width, map);
                    }
                    Action::Lanes(function)
                }
                None => self.rare(op, map)?,
            },
        })
    }

    /// An operation that the inner loop hands on, with rows for registers.
    fn rare(&mut self, op: &Op, map: &RowMap) -> Option<Action> {
        let mut op = op.clone();
        renumber_registers(&mut op, |register| map.row(register));
        self.program.rare.push(lower(op)?);
        Some(Action::Rare(self.program.rare.len() as u32 - 1))
    }

    fn address(&mut self, space: MemorySpace, base: Value, offset: i64, map: &RowMap) -> Address {
        let is_wide = match base {
            Value::Register(register) => rows_of(register.bits) == 2,
            Value::Constant(_) => true,
        };
        let base = self.row(base, if is_wide { 2 } else { 1 }, map);
        Address { space, base, is_wide, offset }
    }

    /// The row of a register, or of a constant of so many rows.
    fn row(&mut self, value: Value, rows: u8, map: &RowMap) -> u32 {
        match value {
            Value::Register(register) => map.row(register),
            Value::Constant(constant) => {
                let program = &mut self.program;
                *self.constants.entry((constant, rows)).or_insert_with(|| {
                    let number = program.constants.len() as u32;
                    push_constant(&mut program.constants, constant, rows);
                    number | CONSTANT
                })
            }
        }
    }
}

/// A constant in all lanes, as a register of so many rows holds it.
fn push_constant(rows: &mut Vec<Row>, constant: u64, count: u8) {
    if count == 1 {
        rows.push(Row([constant as u32; 32]));
        return;
    }
    let pair =
        std::array::from_fn(|half| if half % 2 == 0 { constant } else { constant >> 32 } as u32);
    rows.extend([Row(pair), Row(pair)]);
    // The upper half of 128 bits.
    rows.extend((2..count).map(|_| Row::ZERO));
}

/// Atomics that have a loop of their own.
fn is_common_atomic(op: AtomicOp, ty: Type) -> bool {
    let integer =
        matches!(ty, Type::U32 | Type::S32 | Type::B32 | Type::U64 | Type::S64 | Type::B64);
    integer && atomic_function::is_known(op, ty)
}

fn part_of(row: u32, bits: u8) -> Part {
    Part { row, rows: rows_of(bits) }
}

fn condition((predicate, negated): (Predicate, bool)) -> Condition {
    Condition(predicate.0 << 1 | u32::from(negated))
}

fn optional(guard: Option<(Predicate, bool)>) -> Condition {
    guard.map_or(Condition::ALWAYS, condition)
}
