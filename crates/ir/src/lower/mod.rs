//! One kernel of a syntax tree to a [`Kernel`]. Calls are expanded where they stand.

mod arithmetic;
mod calls;
mod dispatch;
mod labels;
mod locations;
mod memory;
mod modifiers;
mod moves;
mod operands;
mod scope;
mod synchronisation;

use crate::variables::layout;
use crate::{
    CodeSite, Instruction, Invalid, Kernel, LowerError, Op, Parameter, Predicate, Register,
    SharedSymbol, SymbolTable, Unsupported, control_flow, display_name,
};
use labels::LabelScope;
use locations::LineReader;
use scope::{Scopes, Symbol};
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_model::{SiteId, SourceFrame, position_for_reader};
use warpsan_ptx::{Function, LineIndex, Module, Span, Statement, Variable};

/// Lowers the kernel of this name.
///
/// `text` is what `module` was parsed from, `symbols` says where the module's variables are.
pub fn lower(
    module: &Module<'_>,
    text: &str,
    symbols: &SymbolTable,
    kernel: &str,
) -> Result<Kernel, LowerError> {
    let function = module
        .functions
        .iter()
        .find(|function| function.is_kernel && function.name == kernel && function.body.is_some())
        .ok_or_else(|| {
            let what = format!("the module has no kernel `{kernel}`");
            LowerError::Invalid(Invalid { what, ptx_line: 1 })
        })?;
    let mut lowerer = Lowerer::new(module, text, symbols);
    let parameters = lowerer.kernel_parameters(function)?;
    lowerer.expand(function, Vec::new())?;
    lowerer.check_sizes(function)?;
    // A body that ends without `ret` ends the thread.
    lowerer.push_exit();
    lowerer.place_dynamic_shared();
    let mut code = lowerer.code;
    control_flow::run(&mut code);
    let parameter_bytes =
        parameters.last().map_or(0, |parameter: &Parameter| parameter.offset + parameter.bytes);
    Ok(Kernel {
        name: kernel.to_string(),
        display_name: display_name(kernel),
        parameters,
        parameter_bytes,
        registers: lowerer.registers_most,
        predicates: lowerer.predicates_most,
        shared: lowerer.shared,
        static_shared_bytes: lowerer.shared_bytes,
        local_bytes: lowerer.frame_most.next_multiple_of(16),
        max_threads: max_threads(function),
        has_line_information: lowerer.has_line_information,
        sites: lowerer.sites,
        code,
    })
}

fn max_threads(function: &Function<'_>) -> Option<u32> {
    function
        .performance
        .iter()
        .filter(|item| matches!(item.directive, ".maxntid" | ".reqntid"))
        .map(|item| item.numbers.iter().fold(1, |product: u64, n| product.saturating_mul(*n)))
        .map(|threads| u32::try_from(threads).unwrap_or(u32::MAX))
        .min()
}

/// More instructions than this after expanding calls is refused: it is a runaway, not a kernel.
const MOST_INSTRUCTIONS: usize = 4 << 20;
/// The same for expanded calls, which need not have instructions.
const MOST_EXPANSIONS: usize = 1 << 16;
/// What a block and a thread of an H100-class device can have.
const MOST_SHARED_BYTES: u64 = 227 << 10;
const MOST_LOCAL_BYTES: u64 = 512 << 10;
const MOST_PARAMETER_BYTES: u64 = 32_764;
/// Registers are virtual, but each costs memory for every thread.
const MOST_REGISTERS: u32 = 1 << 16;
/// The condition code of extended arithmetic; it lives as long as the thread.
const CARRY: Predicate = Predicate(0);

type Lower<T> = Result<T, LowerError>;

struct Lowerer<'m, 's> {
    module: &'m Module<'s>,
    text: &'m str,
    functions: HashMap<&'s str, &'m Function<'s>>,
    symbols: &'m SymbolTable,
    lines: LineIndex,
    code: Vec<Instruction>,
    sites: Vec<CodeSite>,
    /// Registers and predicates in use at this point, and the most so far. Those of a scope are free
    /// again when it closes.
    registers: u32,
    registers_most: u32,
    predicates: u32,
    predicates_most: u32,
    shared: Vec<SharedSymbol>,
    /// Where a shared variable is, by the place of its declaration: names repeat.
    shared_places: HashMap<usize, u64>,
    shared_bytes: u64,
    /// Alignment of the dynamic part of shared memory, once it is used, and its place in `code`.
    dynamic_shared: Option<u64>,
    dynamic_shared_uses: Vec<usize>,
    /// Bytes of local memory in use at this point, and the most so far.
    frame: u64,
    frame_most: u64,
    scopes: Scopes<'s>,
    expansions: Vec<Expansion<'s>>,
    expanded: usize,
    has_line_information: bool,
}

/// One function being expanded.
struct Expansion<'s> {
    name: &'s str,
    is_kernel: bool,
    /// The labels and open jumps of each scope, innermost last.
    scopes: Vec<LabelScope<'s>>,
    returns: Vec<usize>,
    lines: LineReader<'s>,
    /// Where the function was called from, innermost first.
    callers: Vec<SourceFrame>,
}

impl<'m, 's> Lowerer<'m, 's> {
    fn new(module: &'m Module<'s>, text: &'m str, symbols: &'m SymbolTable) -> Self {
        // A declaration and a definition share a name; the definition counts.
        let mut functions = HashMap::new();
        for function in &module.functions {
            if function.body.is_some() || !functions.contains_key(function.name) {
                functions.insert(function.name, function);
            }
        }
        Lowerer {
            module,
            text,
            functions,
            symbols,
            lines: LineIndex::new(text),
            code: Vec::new(),
            sites: Vec::new(),
            registers: 0,
            registers_most: 0,
            predicates: CARRY.0 + 1,
            predicates_most: CARRY.0 + 1,
            shared: Vec::new(),
            shared_places: HashMap::new(),
            shared_bytes: 0,
            dynamic_shared: None,
            dynamic_shared_uses: Vec::new(),
            frame: 0,
            frame_most: 0,
            scopes: Scopes::default(),
            expansions: Vec::new(),
            expanded: 0,
            has_line_information: false,
        }
    }

    fn line(&self, span: &Span) -> u32 {
        self.lines.line(span.start)
    }

    fn unsupported<T>(&self, span: &Span, what: impl Into<String>) -> Lower<T> {
        Err(LowerError::Unsupported(Unsupported {
            what: what.into(),
            ptx_line: self.line(span),
            position: position_for_reader(&self.frames()).cloned(),
        }))
    }

    fn invalid<T>(&self, span: &Span, what: impl Into<String>) -> Lower<T> {
        Err(LowerError::Invalid(Invalid { what: what.into(), ptx_line: self.line(span) }))
    }

    /// The source frames of the instruction being lowered.
    fn frames(&self) -> Vec<SourceFrame> {
        let Some(expansion) = self.expansions.last() else { return Vec::new() };
        let mut frames = expansion.lines.frames(self.module, expansion.name);
        frames.extend(expansion.callers.iter().cloned());
        frames
    }

    fn kernel_parameters(&mut self, kernel: &'m Function<'s>) -> Lower<Vec<Parameter>> {
        let mut parameters = Vec::new();
        let mut end = 0;
        self.scopes.open();
        for parameter in &kernel.parameters {
            let (bytes, alignment) = self.layout(parameter)?;
            let offset = u64::next_multiple_of(end, alignment);
            end = offset + bytes;
            if end > MOST_PARAMETER_BYTES {
                return self.invalid(&parameter.span, "more than 32764 bytes of parameters");
            }
            self.scopes.declare(parameter.name, Symbol::KernelParameter(offset));
            parameters.push(Parameter {
                name: parameter.name.to_string(),
                offset: offset as usize,
                bytes: bytes as usize,
            });
        }
        Ok(parameters)
    }

    /// Appends the code of a function's body. Its parameters are already in scope.
    fn expand(&mut self, function: &'m Function<'s>, callers: Vec<SourceFrame>) -> Lower<()> {
        self.expanded += 1;
        if self.expanded > MOST_EXPANSIONS {
            return self
                .unsupported(&function.span, "a kernel with more than 65536 expanded calls");
        }
        self.expansions.push(Expansion {
            name: function.name,
            is_kernel: function.is_kernel,
            scopes: Vec::new(),
            returns: Vec::new(),
            lines: LineReader::default(),
            callers,
        });
        self.statements(function.body.as_deref().unwrap_or_default())?;
        if let Some(expansion) = self.expansions.pop() {
            let end = self.code.len() as u32;
            for at in &expansion.returns {
                set_target(&mut self.code[*at].op, end);
            }
        }
        Ok(())
    }

    fn statements(&mut self, statements: &'m [Statement<'s>]) -> Lower<()> {
        let (frame, registers, predicates) = (self.frame, self.registers, self.predicates);
        self.scopes.open();
        if let Some(expansion) = self.expansions.last_mut() {
            expansion.scopes.push(LabelScope::default());
        }
        for statement in statements {
            self.statement(statement)?;
        }
        self.close_labels()?;
        self.scopes.close();
        (self.frame, self.registers, self.predicates) = (frame, registers, predicates);
        Ok(())
    }

    fn layout(&self, variable: &Variable<'s>) -> Lower<(u64, u64)> {
        layout(variable).or_else(|what| self.unsupported(&variable.span, what))
    }

    /// Takes registers of one declaration.
    fn take_registers(&mut self, count: u32) -> Register {
        let first = Register(self.registers);
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
    fn check_sizes(&self, kernel: &Function<'s>) -> Lower<()> {
        let registers = u64::from(self.registers_most.max(self.predicates_most));
        for (size, most, what) in [
            (self.shared_bytes, MOST_SHARED_BYTES, "bytes of shared memory"),
            (self.frame_most, MOST_LOCAL_BYTES, "bytes of local memory"),
            (registers, u64::from(MOST_REGISTERS), "registers"),
        ] {
            if size > most {
                let what = format!("a kernel with {size} {what} (more than {most})");
                return self.unsupported(&kernel.span, what);
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'m Statement<'s>) -> Lower<()> {
        match statement {
            Statement::Label(name) => self.label(name)?,
            Statement::Location(location) => {
                self.has_line_information = true;
                if let Some(expansion) = self.expansions.last_mut() {
                    expansion.lines.advance(location);
                }
            }
            Statement::Registers(declaration) => self.registers(declaration)?,
            Statement::Variable(variable) => self.variable(variable)?,
            Statement::Block(statements) => self.statements(statements)?,
            Statement::Instruction(instruction) => self.instruction(instruction)?,
            Statement::BranchTargets(..) | Statement::CallPrototype(_) => {}
        }
        Ok(())
    }

    fn variable(&mut self, variable: &Variable<'s>) -> Lower<()> {
        let (bytes, alignment) = self.layout(variable)?;
        let symbol = match variable.space {
            ".shared" => self.place_shared(variable, bytes, alignment),
            ".local" | ".param" => Symbol::Local(self.take_frame(bytes, alignment)),
            _ => {
                let what = format!("a {} variable inside a function", variable.space);
                return self.unsupported(&variable.span, what);
            }
        };
        self.scopes.declare(variable.name, symbol);
        Ok(())
    }

    fn take_frame(&mut self, bytes: u64, alignment: u64) -> u64 {
        let offset = self.frame.next_multiple_of(alignment);
        self.frame = offset.saturating_add(bytes);
        self.frame_most = self.frame_most.max(self.frame);
        offset
    }

    /// A shared variable has one place for the whole kernel, however often its function is expanded.
    fn place_shared(&mut self, variable: &Variable<'s>, bytes: u64, alignment: u64) -> Symbol {
        let declared_at = variable.span.start;
        if let Some(known) = self.shared_places.get(&declared_at) {
            return Symbol::Shared(*known);
        }
        let offset = self.shared_bytes.next_multiple_of(alignment);
        self.shared_bytes = offset.saturating_add(bytes);
        self.shared.push(SharedSymbol { name: variable.name.to_string(), offset, bytes });
        self.shared_places.insert(declared_at, offset);
        Symbol::Shared(offset)
    }

    /// The dynamic part lies behind all static variables, so its address is known only at the end.
    fn place_dynamic_shared(&mut self) {
        let Some(alignment) = self.dynamic_shared else { return };
        self.shared_bytes = self.shared_bytes.next_multiple_of(alignment);
        for at in &self.dynamic_shared_uses {
            add_to_address(&mut self.code[*at].op, self.shared_bytes);
        }
        let name = "dynamic shared memory".to_string();
        self.shared.push(SharedSymbol { name, offset: self.shared_bytes, bytes: 0 });
    }

    fn push_exit(&mut self) {
        let site = SiteId(self.sites.len() as u32);
        self.sites.push(CodeSite { instruction: "ret".into(), ptx_line: 0, frames: Vec::new() });
        self.code.push(Instruction { guard: None, op: Op::Exit, site });
    }

    /// The site of an instruction, new each time: an expanded call makes new places.
    fn site(&mut self, span: &Span) -> SiteId {
        let text = self.text[span.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let site = CodeSite {
            instruction: Arc::from(text),
            ptx_line: self.line(span),
            frames: self.frames(),
        };
        self.sites.push(site);
        SiteId(self.sites.len() as u32 - 1)
    }

    fn push(&mut self, span: &Span, guard: Option<(Predicate, bool)>, op: Op) -> Lower<usize> {
        if self.code.len() >= MOST_INSTRUCTIONS {
            return self.unsupported(span, "a kernel of more than 4 million instructions");
        }
        let site = self.site(span);
        self.code.push(Instruction { guard, op, site });
        Ok(self.code.len() - 1)
    }
}

fn set_target(op: &mut Op, to: u32) {
    if let Op::Branch { target, .. } = op {
        *target = to;
    }
}

fn add_to_address(op: &mut Op, base: u64) {
    match op {
        Op::Move { from: crate::Value::Constant(constant), .. } => {
            *constant = constant.wrapping_add(base) & 0xFFFF_FFFF;
        }
        Op::Load { offset, .. } | Op::Store { offset, .. } | Op::Atomic { offset, .. } => {
            *offset = offset.wrapping_add(base as i64);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
