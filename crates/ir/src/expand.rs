//! A kernel ready to run: calls expanded in place, variables laid out, sites made.

use crate::control_flow::ControlFlow;
use crate::function::{Argument, Call, Opaque};
use crate::lower::{MOST_LOCAL_BYTES, MOST_REGISTERS, MOST_SHARED_BYTES};
use crate::operands::{Renumber, visit};
use crate::{
    Anchor, CodeInstruction, CodeSite, Compare, Function, Instruction, Invalid, Kernel, LowerError,
    ModuleIndex, Op, Predicate, SharedSymbol, SymbolTable, Type, Unsupported, Value, display_name,
    meeting_points, passes,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use warpsan_model::{SiteId, SourceFrame, position_for_reader};
use warpsan_ptx::Span;

/// More instructions than this after expanding calls is refused: it is a runaway, not a kernel.
const MOST_INSTRUCTIONS: usize = 4 << 20;
/// The same for expanded calls, which need not have instructions.
const MOST_EXPANSIONS: usize = 1 << 16;
/// Calls nested deeper than this are taken for recursion.
const DEEPEST_CALLS: usize = 64;

/// The kernel of this name, ready to run. `symbols` says where the module's variables are.
pub fn kernel(
    index: &ModuleIndex<'_>,
    symbols: &SymbolTable,
    name: &str,
) -> Result<Kernel, LowerError> {
    let is_kernel = index.function(name).is_some_and(|function| function.is_kernel);
    if !is_kernel {
        let what = format!("the module has no kernel `{name}`");
        return Err(LowerError::Invalid(Invalid { what, ptx_line: 1 }));
    }
    let mut expander = Expander {
        index,
        symbols,
        functions: HashMap::new(),
        code: Vec::new(),
        sites: Vec::new(),
        shared: Vec::new(),
        shared_places: HashMap::new(),
        shared_bytes: 0,
        dynamic_shared: None,
        dynamic_shared_uses: Vec::new(),
        most: Resources::default(),
        open: Vec::new(),
        expansions: 0,
        has_line_information: false,
    };
    let function = expander.function(name)?;
    expander.expand(&function, Resources::default(), &[], &[])?;
    expander.place_dynamic_shared();
    expander.check_sizes(&function)?;
    let mut code = expander.code;
    let graph = ControlFlow::of(&code);
    meeting_points::run(&mut code, &graph);
    let parameter_bytes = function.parameters.last().map_or(0, |last| last.offset + last.bytes);
    Ok(Kernel {
        name: function.name.clone(),
        display_name: display_name(&function.name),
        parameters: function.parameters.clone(),
        parameter_bytes,
        registers: expander.most.registers,
        predicates: expander.most.predicates,
        shared: expander.shared,
        static_shared_bytes: expander.shared_bytes,
        local_bytes: expander.most.frame.next_multiple_of(16),
        max_threads: function.max_threads,
        has_line_information: expander.has_line_information,
        sites: expander.sites,
        code,
    })
}

/// What a thread has in use at some point.
#[derive(Debug, Clone, Copy, Default)]
struct Resources {
    registers: u32,
    predicates: u32,
    frame: u64,
}

struct Expander<'a> {
    index: &'a ModuleIndex<'a>,
    symbols: &'a SymbolTable,
    functions: HashMap<String, Rc<Function>>,
    code: Vec<CodeInstruction>,
    sites: Vec<CodeSite>,
    shared: Vec<SharedSymbol>,
    /// Where a shared variable is, by the place of its declaration. It has one place for the whole
    /// kernel, however often its function is expanded.
    shared_places: HashMap<u32, u64>,
    shared_bytes: u64,
    /// Alignment of the dynamic part of shared memory, once it is used, and who uses it.
    dynamic_shared: Option<u64>,
    dynamic_shared_uses: Vec<usize>,
    most: Resources,
    /// The functions being expanded, outermost first.
    open: Vec<String>,
    expansions: usize,
    has_line_information: bool,
}

/// What a function is expanded into.
struct Site<'e> {
    function: &'e Function,
    base: Resources,
    /// Local addresses of its formal parameters, return values first.
    actuals: &'e [u64],
    /// Where it was called from, innermost first.
    callers: &'e [SourceFrame],
}

impl Expander<'_> {
    fn function(&mut self, name: &str) -> Result<Rc<Function>, LowerError> {
        if let Some(known) = self.functions.get(name) {
            return Ok(known.clone());
        }
        let function = Rc::new(passes::run(self.index, name)?);
        self.functions.insert(name.to_string(), function.clone());
        Ok(function)
    }

    fn unsupported<T>(&self, span: Span, what: impl Into<String>) -> Result<T, LowerError> {
        let ptx_line = self.index.lines.line(span.start);
        let what = what.into();
        Err(LowerError::Unsupported(Unsupported { what, ptx_line, position: None }))
    }

    fn expand(
        &mut self,
        function: &Function,
        base: Resources,
        actuals: &[u64],
        callers: &[SourceFrame],
    ) -> Result<(), LowerError> {
        self.expansions += 1;
        if self.expansions > MOST_EXPANSIONS {
            return self.unsupported(function.span, "a kernel with more than 65536 expanded calls");
        }
        self.open.push(function.name.clone());
        self.has_line_information |= function.has_line_information;
        self.most = Resources {
            registers: self.most.registers.max(base.registers + function.registers),
            predicates: self.most.predicates.max(base.predicates + function.predicates),
            frame: self.most.frame.max(base.frame + function.local_bytes),
        };
        let site = Site { function, base, actuals, callers };
        let mut placed = Vec::with_capacity(function.code.len() + 1);
        // Jumps to fill in: the instruction, and the function's instruction it leads to.
        let mut jumps = Vec::new();
        let end = function.code.len();
        for (number, instruction) in function.code.iter().enumerate() {
            placed.push(self.code.len() as u32);
            let is_last = number + 1 == end;
            match &instruction.op {
                Op::Call(call) => self.call(&site, instruction, call)?,
                Op::Return if function.is_kernel => {
                    self.push(&site, instruction, Op::Exit)?;
                }
                // The end of an expanded body leads to what stands behind it.
                Op::Return if is_last && instruction.guard.is_none() => {}
                Op::Return => {
                    jumps.push((self.code.len(), end));
                    self.push(&site, instruction, Op::Branch { target: 0, meet: None })?;
                }
                Op::Branch { target, .. } => {
                    jumps.push((self.code.len(), *target as usize));
                    self.push(&site, instruction, instruction.op.clone())?;
                }
                Op::BranchIndexed { index, targets, .. } => {
                    self.indexed_branch(&site, instruction, *index, targets, &mut jumps)?;
                }
                Op::Opaque(opaque) => return Err(self.not_executable(&site, instruction, opaque)),
                op => {
                    self.push(&site, instruction, op.clone())?;
                }
            }
        }
        placed.push(self.code.len() as u32);
        for (at, target) in jumps {
            set_target(&mut self.code[at].op, placed[target]);
        }
        self.open.pop();
        Ok(())
    }

    /// The error for an instruction that has no meaning yet.
    fn not_executable(
        &self,
        site: &Site<'_>,
        instruction: &Instruction,
        opaque: &Opaque,
    ) -> LowerError {
        let text = instruction.span.text(self.index.text);
        let words = text.split_whitespace().find(|word| !word.starts_with('@'));
        let what = match &opaque.what {
            Some(what) => what.to_string(),
            None => format!("the instruction {}", words.unwrap_or(text)),
        };
        let frames = site.function.lines.frames(instruction.line);
        LowerError::Unsupported(Unsupported {
            what,
            ptx_line: self.index.lines.line(instruction.span.start),
            position: position_for_reader(&frames).cloned(),
        })
    }

    /// One jump per target: the engine knows jumps with two ways only.
    fn indexed_branch(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        index: Value,
        targets: &[u32],
        jumps: &mut Vec<(usize, usize)>,
    ) -> Result<(), LowerError> {
        if instruction.guard.is_some() {
            return self.unsupported(instruction.span, "a guarded `brx.idx`");
        }
        // One predicate above those of the function, which nobody else uses here.
        let predicate = Predicate(site.function.predicates);
        let own = site.base.predicates + site.function.predicates + 1;
        self.most.predicates = self.most.predicates.max(own);
        for (number, target) in targets.iter().enumerate() {
            let last = number + 1 == targets.len();
            if !last {
                let compare = Op::SetPredicate {
                    compare: Compare::Eq,
                    ty: Type::U32,
                    flush: false,
                    to: Some(predicate),
                    complement: None,
                    a: index,
                    b: Value::Constant(number as u64),
                    combine: None,
                };
                self.push(site, instruction, compare)?;
            }
            jumps.push((self.code.len(), *target as usize));
            let guard = (!last).then_some((predicate, false));
            let jump = Instruction { guard, ..instruction.clone() };
            self.push(site, &jump, Op::Branch { target: 0, meet: None })?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        call: &Call,
    ) -> Result<(), LowerError> {
        let known = self.open.iter().any(|open| **open == *call.function);
        if known || self.open.len() > DEEPEST_CALLS {
            let what = format!("the recursive function `{}`", call.function);
            return self.unsupported(instruction.span, what);
        }
        // Lanes whose guard is false step over the expanded body.
        let step_over = match instruction.guard {
            Some((predicate, negated)) => {
                let at = self.code.len();
                let inverse =
                    Instruction { guard: Some((predicate, !negated)), ..instruction.clone() };
                self.push(site, &inverse, Op::Branch { target: 0, meet: None })?;
                Some(at)
            }
            None => None,
        };
        let callee = self.function(&call.function)?;
        let mut callers = site.function.lines.frames(instruction.line);
        callers.extend_from_slice(site.callers);
        let address = |argument: &Argument| match argument.anchor {
            Anchor::Formal(number) => site.actuals.get(number as usize).copied().unwrap_or(0),
            _ => site.base.frame + argument.offset,
        };
        let actuals: Vec<u64> = call.results.iter().chain(&call.arguments).map(address).collect();
        let base = Resources {
            registers: site.base.registers + site.function.registers,
            predicates: site.base.predicates + site.function.predicates + 1,
            frame: (site.base.frame + site.function.local_bytes)
                .next_multiple_of(callee.local_alignment),
        };
        self.expand(&callee, base, &actuals, &callers)?;
        if let Some(at) = step_over {
            let end = self.code.len() as u32;
            set_target(&mut self.code[at].op, end);
        }
        Ok(())
    }

    fn push(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        mut op: Op,
    ) -> Result<(), LowerError> {
        if self.code.len() >= MOST_INSTRUCTIONS {
            return self
                .unsupported(instruction.span, "a kernel of more than 4 million instructions");
        }
        let mut renumber =
            Renumber { registers: site.base.registers, predicates: site.base.predicates };
        visit(&mut op, &mut renumber);
        self.resolve(site, instruction, &mut op)?;
        let condition = |condition: Option<(Predicate, bool)>| {
            condition.map(|(predicate, negated)| (renumber.predicate(predicate), negated))
        };
        let guard = condition(instruction.guard);
        let counts_if = condition(instruction.counts_if);
        let site = self.site(site, instruction);
        self.code.push(CodeInstruction { guard, counts_if, op, site });
        Ok(())
    }

    /// Replaces what an address is counted from by its place.
    fn resolve(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        op: &mut Op,
    ) -> Result<(), LowerError> {
        let base = match instruction.anchor {
            Anchor::Nothing => return Ok(()),
            Anchor::Frame => site.base.frame,
            Anchor::Formal(number) => {
                site.actuals.get(number as usize).copied().unwrap_or_default()
            }
            Anchor::Shared(number) => self.place_shared(site.function, number as usize),
            Anchor::DynamicShared => {
                let alignment = site.function.dynamic_shared.unwrap_or(1);
                self.dynamic_shared = self.dynamic_shared.max(Some(alignment));
                self.dynamic_shared_uses.push(self.code.len());
                return Ok(());
            }
            Anchor::Symbol(number) => {
                let name = &site.function.symbols[number as usize];
                match self.symbols.get(name) {
                    Some(address) => *address,
                    None => {
                        let what = format!("the external variable `{}`", display_name(name));
                        return self.unsupported(instruction.span, what);
                    }
                }
            }
        };
        add_to_address(op, base);
        Ok(())
    }

    fn place_shared(&mut self, function: &Function, number: usize) -> u64 {
        let variable = &function.shared[number];
        if let Some(known) = self.shared_places.get(&variable.declared_at) {
            return *known;
        }
        let offset = self.shared_bytes.next_multiple_of(variable.alignment);
        self.shared_bytes = offset.saturating_add(variable.bytes);
        let (name, bytes) = (variable.name.clone(), variable.bytes);
        self.shared.push(SharedSymbol { name, offset, bytes });
        self.shared_places.insert(variable.declared_at, offset);
        offset
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

    /// More than a device has is refused here, before anybody allocates it.
    fn check_sizes(&self, kernel: &Function) -> Result<(), LowerError> {
        let registers = u64::from(self.most.registers.max(self.most.predicates));
        for (size, most, what) in [
            (self.shared_bytes, MOST_SHARED_BYTES, "bytes of shared memory"),
            (self.most.frame, MOST_LOCAL_BYTES, "bytes of local memory"),
            (registers, u64::from(MOST_REGISTERS), "registers"),
        ] {
            if size > most {
                let what = format!("a kernel with {size} {what} (more than {most})");
                return self.unsupported(kernel.span, what);
            }
        }
        Ok(())
    }

    /// The site of an instruction, new each time: an expanded call makes new places.
    fn site(&mut self, site: &Site<'_>, instruction: &Instruction) -> SiteId {
        let text = instruction.span.text(self.index.text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut frames = site.function.lines.frames(instruction.line);
        frames.extend_from_slice(site.callers);
        self.sites.push(CodeSite {
            instruction: Arc::from(text),
            ptx_line: self.index.lines.line(instruction.span.start),
            frames,
        });
        SiteId(self.sites.len() as u32 - 1)
    }
}

fn set_target(op: &mut Op, to: u32) {
    if let Op::Branch { target, .. } = op {
        *target = to;
    }
}

fn add_to_address(op: &mut Op, base: u64) {
    match op {
        Op::Move { from: Value::Constant(constant), .. } => {
            *constant = constant.wrapping_add(base);
        }
        Op::ConvertAddress { from: Value::Constant(constant), .. } => {
            *constant = constant.wrapping_add(base);
        }
        Op::Load { offset, .. } | Op::Store { offset, .. } | Op::Atomic { offset, .. } => {
            *offset = offset.wrapping_add(base as i64);
        }
        _ => {}
    }
}
