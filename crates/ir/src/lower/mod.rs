//! One function of a syntax tree to a [`Function`]: names to registers and places, types explicit.
//!
//! An instruction that has no meaning here yet becomes [`Op::Opaque`], so that the function around it
//! can still be analysed; what is no valid PTX is an error.

mod addresses;
mod arithmetic;
mod asynchronous;
pub(crate) mod calls;
mod collectives;
mod comparisons;
mod conversions;
mod dispatch;
mod fences;
mod heads;
mod labels;
mod matrices;
mod mbarriers;
mod memory;
mod modifiers;
mod moves;
mod opaque;
mod operands;
mod scope;
mod special_registers;
mod video;

use crate::lines::LineReader;
use crate::op::CARRY;
use crate::variables::layout;
use crate::{
    Anchor, ControlFlow, Declared, Function, Instruction, Invalid, Loops, LowerError, ModuleIndex,
    Op, Parameter, Predicate, Register, SharedVariable, Type, Unsupported, Value,
};
use heads::{cluster, max_threads, reachable};
use labels::LabelScope;
use scope::{Scopes, Symbol};
use std::collections::HashMap;
use warpsan_model::{EMULATED_DEVICE, position_for_reader};
use warpsan_ptx::{Span, Statement, Variable};

/// Lowers the kernel or function of this name.
pub(crate) fn run(index: &ModuleIndex<'_>, name: &str) -> Result<Function, LowerError> {
    let function = index.function(name).filter(|function| function.body.is_some());
    let function = function.ok_or_else(|| {
        let what = format!("the module has no function `{name}`");
        LowerError::Invalid(Invalid { what, ptx_line: 1 })
    })?;
    let mut lowerer = Lowerer::new(index, function);
    let (returns, parameters) = lowerer.formals(function)?;
    lowerer.statements(function.body.unwrap_or_default())?;
    // A body that ends without `ret` returns.
    if !lowerer.is_unreachable() {
        let end = Span::new(function.span.end, function.span.end);
        lowerer.store_results(None, end)?;
        lowerer.push(end, None, Op::Return)?;
    }
    lowerer.check_sizes(function)?;
    Ok(Function {
        name: function.name.to_string(),
        is_kernel: function.is_kernel,
        returns,
        parameters,
        code: lowerer.code,
        registers: lowerer.registers_most,
        predicates: lowerer.predicates_most,
        declared: lowerer.declared,
        conditions: Vec::new(),
        shared: lowerer.shared,
        dynamic_shared: lowerer.dynamic_shared,
        symbols: lowerer.symbols,
        local_bytes: lowerer.frame_most.next_multiple_of(16),
        local_alignment: lowerer.frame_alignment,
        max_threads: max_threads(function),
        cluster: cluster(function),
        has_line_information: lowerer.has_line_information,
        control_flow: ControlFlow::default(),
        loops: Loops::default(),
        lines: lowerer.lines.finish(),
        span: function.span,
    })
}

/// What a block and a thread can have.
pub(crate) const MOST_SHARED_BYTES: u64 = EMULATED_DEVICE.shared_bytes_per_block_opt_in;
pub(crate) const MOST_LOCAL_BYTES: u64 = EMULATED_DEVICE.local_bytes_per_thread;
const MOST_PARAMETER_BYTES: u64 = EMULATED_DEVICE.parameter_bytes;
/// Registers are virtual, but each costs memory for every thread.
pub(crate) const MOST_REGISTERS: u32 = 1 << 16;

type Lower<T> = Result<T, LowerError>;

struct Lowerer<'a> {
    index: &'a ModuleIndex<'a>,
    is_kernel: bool,
    code: Vec<Instruction>,
    /// Registers and predicates in use at this point, and the most so far. Those of a scope are free
    /// again when it closes.
    registers: u32,
    registers_most: u32,
    predicates: u32,
    predicates_most: u32,
    declared: Vec<Declared>,
    shared: Vec<SharedVariable>,
    /// Numbers in `shared` by the place of the declaration.
    shared_numbers: HashMap<u32, u32>,
    dynamic_shared: Option<u64>,
    symbols: Vec<String>,
    symbol_numbers: HashMap<&'a str, u32>,
    /// Bytes of local memory in use at this point, and the most so far.
    frame: u64,
    frame_most: u64,
    frame_alignment: u64,
    scopes: Scopes<'a>,
    /// The labels and open jumps of each scope, innermost last.
    labels: Vec<LabelScope<'a>>,
    /// The place of the newest label.
    last_label: Option<u32>,
    lines: LineReader<'a>,
    has_line_information: bool,
    /// Results that are registers, with the numbers of the formals.
    register_results: Vec<(Register, Type, u32)>,
}

impl<'a> Lowerer<'a> {
    fn new(index: &'a ModuleIndex<'a>, function: &'a warpsan_ptx::Function<'a>) -> Self {
        // An instruction of less than four bytes is a mistake, and needs no room.
        let most = index.text.len() / 4;
        let instructions = reachable(function.body.unwrap_or_default()).min(most);
        Lowerer {
            index,
            is_kernel: function.is_kernel,
            code: Vec::with_capacity(instructions + 1),
            registers: 0,
            registers_most: 0,
            predicates: CARRY.0 + 1,
            predicates_most: CARRY.0 + 1,
            declared: Vec::new(),
            shared: Vec::new(),
            shared_numbers: HashMap::new(),
            last_label: None,
            dynamic_shared: None,
            symbols: Vec::new(),
            symbol_numbers: HashMap::new(),
            frame: 0,
            frame_most: 0,
            frame_alignment: 16,
            scopes: Scopes::default(),
            labels: Vec::new(),
            lines: LineReader::new(index, function.name),
            has_line_information: false,
            register_results: Vec::new(),
        }
    }

    fn line(&self, span: Span) -> u32 {
        self.index.lines.line(span.start)
    }

    fn unsupported<T>(&self, span: Span, what: impl Into<String>) -> Lower<T> {
        Err(LowerError::Unsupported(Unsupported {
            what: what.into(),
            ptx_line: self.line(span),
            position: position_for_reader(&self.lines.frames()).cloned(),
        }))
    }

    fn invalid<T>(&self, span: Span, what: impl Into<String>) -> Lower<T> {
        Err(LowerError::Invalid(Invalid { what: what.into(), ptx_line: self.line(span) }))
    }

    /// Declares return values and parameters.
    fn formals(
        &mut self,
        function: &'a warpsan_ptx::Function<'a>,
    ) -> Lower<(Vec<Parameter>, Vec<Parameter>)> {
        self.scopes.open();
        let mut number = 0;
        let mut lists = [Vec::new(), Vec::new()];
        // Parameters that are registers: they are handed over in memory like the others.
        let mut formal_registers = Vec::new();
        for (list, formals) in lists.iter_mut().zip([function.returns, function.parameters()]) {
            let mut end = 0;
            for formal in formals {
                let (bytes, alignment) = self.formal_layout(formal)?;
                let offset = u64::next_multiple_of(end, alignment);
                end = offset + bytes;
                if end > MOST_PARAMETER_BYTES {
                    return self.invalid(formal.span, "more than 32764 bytes of parameters");
                }
                let symbol = if function.is_kernel {
                    Symbol::KernelParameter(offset)
                } else if formal.space == ".reg" {
                    let register = self.take_registers(1, bytes as u32 * 8);
                    formal_registers.push((register, self.register_type(formal)?, number));
                    Symbol::Register(register)
                } else {
                    Symbol::Formal(number)
                };
                number += 1;
                self.scopes.declare(formal.name, symbol);
                self.note_declaration(formal.name, None, symbol);
                list.push(Parameter {
                    name: formal.name.to_string(),
                    offset: offset as usize,
                    bytes: bytes as usize,
                });
            }
        }
        let [returns, parameters] = lists;
        for (register, ty, number) in formal_registers {
            if (number as usize) < returns.len() {
                self.register_results.push((register, ty, number));
            } else {
                let anchor = Anchor::Formal(number);
                self.load_slot(register, ty, anchor, 0, None, function.span)?;
            }
        }
        Ok((returns, parameters))
    }

    /// Stores results that are registers to where the caller finds them.
    fn store_results(&mut self, guard: Option<(Predicate, bool)>, span: Span) -> Lower<()> {
        for (register, ty, number) in self.register_results.clone() {
            let value = Value::Register(register);
            self.store_slot(value, ty, Anchor::Formal(number), 0, guard, span)?;
        }
        Ok(())
    }

    fn statements(&mut self, statements: &'a [Statement<'a>]) -> Lower<()> {
        let (frame, registers, predicates) = (self.frame, self.registers, self.predicates);
        self.scopes.open();
        self.labels.push(LabelScope::default());
        for statement in statements {
            self.statement(statement)?;
        }
        self.close_labels()?;
        self.scopes.close();
        (self.frame, self.registers, self.predicates) = (frame, registers, predicates);
        Ok(())
    }

    fn layout(&self, variable: &Variable<'a>) -> Lower<(u64, u64)> {
        layout(variable).or_else(|error| self.unsupported(variable.span, error.to_string()))
    }

    /// Takes registers of one declaration.
    fn take_registers(&mut self, count: u32, bits: u32) -> Register {
        let first = Register { number: self.registers, bits: bits as u8 };
        self.registers = self.registers.saturating_add(count);
        self.registers_most = self.registers_most.max(self.registers);
        first
    }

    /// Takes predicates of one declaration.
    fn take_predicates(&mut self, count: u32) -> Predicate {
        let first = Predicate(self.predicates);
        self.predicates = self.predicates.saturating_add(count);
        self.predicates_most = self.predicates_most.max(self.predicates);
        first
    }

    /// More than a device has is refused here, before anybody allocates it.
    fn check_sizes(&self, function: &warpsan_ptx::Function<'a>) -> Lower<()> {
        let registers = u64::from(self.registers_most.max(self.predicates_most));
        for (size, most, what) in [
            (self.frame_most, MOST_LOCAL_BYTES, "bytes of local memory"),
            (registers, u64::from(MOST_REGISTERS), "registers"),
        ] {
            if size > most {
                let what = format!("a function with {size} {what} (more than {most})");
                return self.unsupported(function.span, what);
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement<'a>) -> Lower<()> {
        match statement {
            Statement::Label(label) => self.label(label)?,
            Statement::Location(location) => {
                self.has_line_information = true;
                self.lines.advance(location);
            }
            Statement::Registers(declaration) => self.registers(declaration)?,
            Statement::Variable(variable) => self.variable(variable)?,
            Statement::Block(block) => self.statements(block.statements)?,
            Statement::Instruction(_) if self.is_unreachable() => {}
            Statement::Instruction(instruction) => self.instruction_or_opaque(instruction)?,
            Statement::Targets(targets) => self.targets(targets),
            Statement::CallPrototype(prototype) => self.call_prototype(prototype),
            Statement::Pragma(_) => {}
        }
        Ok(())
    }

    /// Whether nothing leads to the place behind the last instruction: it never goes on, and no label
    /// stands behind it.
    fn is_unreachable(&self) -> bool {
        let here = self.code.len() as u32;
        self.last_label != Some(here)
            && self.code.last().is_some_and(|last| {
                last.guard.is_none()
                    && matches!(
                        last.op,
                        Op::Branch { .. }
                            | Op::BranchIndexed { .. }
                            | Op::Exit
                            | Op::Return
                            | Op::Trap
                    )
            })
    }

    fn variable(&mut self, variable: &'a Variable<'a>) -> Lower<()> {
        let (bytes, alignment) = self.layout(variable)?;
        let symbol = match variable.space {
            ".shared" => Symbol::Shared(self.shared_number(variable, bytes, alignment)),
            ".local" | ".param" => Symbol::Local(self.take_frame(bytes, alignment)),
            _ => Symbol::Unplaced,
        };
        self.scopes.declare(variable.name, symbol);
        Ok(())
    }

    fn take_frame(&mut self, bytes: u64, alignment: u64) -> u64 {
        self.frame_alignment = self.frame_alignment.max(alignment);
        let offset = self.frame.next_multiple_of(alignment);
        self.frame = offset.saturating_add(bytes);
        self.frame_most = self.frame_most.max(self.frame);
        offset
    }

    /// The number of a shared variable among those that the function uses.
    fn shared_number(&mut self, variable: &Variable<'a>, bytes: u64, alignment: u64) -> u32 {
        let declared_at = variable.span.start;
        *self.shared_numbers.entry(declared_at).or_insert_with(|| {
            let name = variable.name.to_string();
            self.shared.push(SharedVariable { name, declared_at, bytes, alignment });
            self.shared.len() as u32 - 1
        })
    }

    /// The number of a global variable among those that the function uses.
    fn symbol_number(&mut self, name: &'a str) -> u32 {
        if let Some(known) = self.symbol_numbers.get(name) {
            return *known;
        }
        let number = self.symbols.len() as u32;
        self.symbols.push(name.to_string());
        self.symbol_numbers.insert(name, number);
        number
    }

    fn push(&mut self, span: Span, guard: Option<(Predicate, bool)>, op: Op) -> Lower<usize> {
        self.push_anchored(span, guard, op, Anchor::Nothing)
    }

    fn push_anchored(
        &mut self,
        span: Span,
        guard: Option<(Predicate, bool)>,
        op: Op,
        anchor: Anchor,
    ) -> Lower<usize> {
        let line = self.lines.current();
        self.code.push(Instruction { guard, counts_if: None, op, anchor, span, line });
        Ok(self.code.len() - 1)
    }
}

#[cfg(test)]
mod tests;
