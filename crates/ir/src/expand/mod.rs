//! A kernel ready to run: calls expanded in place, variables laid out, sites made.
//!
//! A direct call is expanded in place, so that the chain of calls is part of each instruction's
//! source frames. What cannot be expanded is called: functions that call themselves, functions that
//! pointers lead to, and everything behind the limits below. Those become subroutines behind the
//! kernel's own code.

mod addresses;
mod calls;
mod subroutines;

use crate::control_flow::ControlFlow;
use crate::lower::{MOST_LOCAL_BYTES, MOST_REGISTERS, MOST_SHARED_BYTES};
use crate::op::Opaque;
use crate::operands::{Renumber, visit};
use crate::{
    CodeInstruction, CodeSite, Function, Instruction, Invalid, Kernel, LowerError, ModuleIndex, Op,
    Predicate, SharedSymbol, Subroutine, SymbolTable, Unsupported, display_name, pass_order,
    passes, reconvergence,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use subroutines::BySignature;
use warpsan_model::{PassOrder, SiteId, SourceFrame, position_for_reader};
use warpsan_ptx::Span;

/// More instructions than this are refused: it is a runaway, not a kernel.
const MOST_INSTRUCTIONS: usize = 4 << 20;
/// When the code is longer than this, further calls are not expanded.
const MOST_EXPANDED_INSTRUCTIONS: usize = 500_000;
/// The same for the number of expanded calls, which need not have instructions.
const MOST_EXPANSIONS: usize = 1 << 16;
/// Calls nested deeper than this are not expanded.
const DEEPEST_EXPANSION: usize = 64;

/// The kernel of this name, ready to run. `symbols` says where the module's variables are.
pub fn kernel(
    index: &ModuleIndex<'_>,
    symbols: &SymbolTable,
    name: &str,
) -> Result<Kernel, LowerError> {
    expanded(index, symbols, name, MOST_EXPANSIONS)
}

/// The same with every call as a subroutine: quicker to make where many calls are of the same functions, and slower to run. Frames of
/// instructions have no callers.
pub fn kernel_with_calls(
    index: &ModuleIndex<'_>,
    symbols: &SymbolTable,
    name: &str,
) -> Result<Kernel, LowerError> {
    expanded(index, symbols, name, 0)
}

fn expanded(
    index: &ModuleIndex<'_>,
    symbols: &SymbolTable,
    name: &str,
    most_expansions: usize,
) -> Result<Kernel, LowerError> {
    let is_kernel = index.function(name).is_some_and(|function| function.is_kernel);
    if !is_kernel {
        let what = format!("the module has no kernel `{name}`");
        return Err(LowerError::Invalid(Invalid { what, ptx_line: 1 }));
    }
    let mut expander = Expander { most_expansions, ..Expander::new(index, symbols) };
    let function = expander.function(name)?;
    let site = Site::new(&function, Resources::default(), &[], &[], false);
    let own = expander.root(&site)?;
    expander.check_sizes(&function, own)?;
    let subroutines = expander.subroutines()?;
    expander.place_dynamic_shared();
    expander.check_shared(&function)?;
    expander.align_frames();
    let mut code = expander.code;
    let graph = ControlFlow::of(&code);
    reconvergence::run(&mut code, &graph);
    // A function that is called is no part of the way from one instruction to another.
    let pass_order = match subroutines.is_empty() {
        true => pass_order::run(&code, &graph, expander.sites.len()),
        false => PassOrder::default(),
    };
    let parameter_bytes = function.parameters.last().map_or(0, |last| last.offset + last.bytes);
    Ok(Kernel {
        name: function.name.clone(),
        display_name: display_name(&function.name),
        parameters: function.parameters.clone(),
        parameter_bytes,
        registers: own.registers,
        predicates: own.predicates,
        shared: expander.shared,
        static_shared_bytes: expander.shared_bytes,
        local_bytes: own.frame.next_multiple_of(16),
        max_threads: function.max_threads,
        cluster: function.cluster,
        subroutines,
        has_line_information: expander.has_line_information,
        sites: expander.sites,
        pass_order,
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
    /// Whether a chain of direct calls leads back to a function.
    recursive: HashMap<String, bool>,
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
    /// What the kernel or subroutine that is being expanded needs.
    most: Resources,
    /// The strictest alignment of local memory.
    local_alignment: u64,
    /// How many expansions are open, one inside the other.
    depth: usize,
    expansions: usize,
    most_expansions: usize,
    /// Functions that are called, in the order in which somebody asked for them.
    requested: Vec<Rc<Function>>,
    /// Their places in the list, by name.
    requested_numbers: HashMap<String, u32>,
    /// Functions whose address is taken and that nobody asked for yet, once a call through a pointer is met.
    pointed_at: Option<BySignature<'a>>,
    /// Calls whose frames are to be aligned.
    calls: Vec<usize>,
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
    /// Local addresses are counted from the frame of a subroutine.
    in_frame: bool,
}

impl<'e> Site<'e> {
    fn new(
        function: &'e Function,
        base: Resources,
        actuals: &'e [u64],
        callers: &'e [SourceFrame],
        in_frame: bool,
    ) -> Site<'e> {
        Site { function, base, actuals, callers, in_frame }
    }

    /// What is in use inside of the function.
    fn in_use(&self) -> Resources {
        Resources {
            registers: self.base.registers + self.function.registers,
            predicates: self.base.predicates + self.function.predicates,
            frame: self.base.frame + self.function.local_bytes,
        }
    }
}

impl<'a> Expander<'a> {
    fn new(index: &'a ModuleIndex<'a>, symbols: &'a SymbolTable) -> Expander<'a> {
        Expander {
            index,
            symbols,
            functions: HashMap::new(),
            recursive: HashMap::new(),
            code: Vec::new(),
            sites: Vec::new(),
            shared: Vec::new(),
            shared_places: HashMap::new(),
            shared_bytes: 0,
            dynamic_shared: None,
            dynamic_shared_uses: Vec::new(),
            most: Resources::default(),
            local_alignment: 16,
            depth: 0,
            expansions: 0,
            most_expansions: MOST_EXPANSIONS,
            requested: Vec::new(),
            requested_numbers: HashMap::new(),
            pointed_at: None,
            calls: Vec::new(),
            has_line_information: false,
        }
    }

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

    /// Expands a kernel or a subroutine. Gives back what it needs.
    fn root(&mut self, site: &Site<'_>) -> Result<Resources, LowerError> {
        self.most = site.base;
        self.expand(site)?;
        Ok(self.most)
    }

    fn expand(&mut self, site: &Site<'_>) -> Result<(), LowerError> {
        self.expansions += 1;
        self.depth += 1;
        let function = site.function;
        self.has_line_information |= function.has_line_information;
        self.local_alignment = self.local_alignment.max(function.local_alignment);
        let in_use = site.in_use();
        self.most = Resources {
            registers: self.most.registers.max(in_use.registers),
            predicates: self.most.predicates.max(in_use.predicates),
            frame: self.most.frame.max(in_use.frame),
        };
        let mut placed = Vec::with_capacity(function.code.len() + 1);
        // Instructions with targets to fill in. Until then those are numbers into the function, of
        // which the one behind the last stands for what follows the expanded body.
        let mut jumps = Vec::new();
        let end = function.code.len();
        for (number, instruction) in function.code.iter().enumerate() {
            placed.push(self.code.len() as u32);
            let is_last = number + 1 == end;
            match &instruction.op {
                Op::Call(call) => self.call(site, instruction, call)?,
                Op::Return if function.is_kernel => {
                    self.push(site, instruction, Op::Exit)?;
                }
                // The end of an expanded body leads to what stands behind it.
                Op::Return if is_last && instruction.guard.is_none() => {}
                Op::Return => {
                    jumps.push(self.code.len());
                    let target = end as u32;
                    self.push(site, instruction, Op::Branch { target, reconverge: None })?;
                }
                Op::Branch { .. } | Op::BranchIndexed { .. } => {
                    jumps.push(self.code.len());
                    self.push(site, instruction, instruction.op.clone())?;
                }
                Op::Opaque(opaque) => return Err(self.not_executable(site, instruction, opaque)),
                op => {
                    self.push(site, instruction, op.clone())?;
                }
            }
        }
        placed.push(self.code.len() as u32);
        for at in jumps {
            match &mut self.code[at].op {
                Op::Branch { target, .. } => *target = placed[*target as usize],
                Op::BranchIndexed { targets, .. } => {
                    targets.iter_mut().for_each(|target| *target = placed[*target as usize]);
                }
                _ => {}
            }
        }
        self.depth -= 1;
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

    /// More than a device has is refused here, before anybody allocates it.
    fn check_sizes(&self, function: &Function, needs: Resources) -> Result<(), LowerError> {
        let registers = u64::from(needs.registers.max(needs.predicates));
        for (size, most, what) in [
            (needs.frame, MOST_LOCAL_BYTES, "bytes of local memory"),
            (registers, u64::from(MOST_REGISTERS), "registers"),
        ] {
            if size > most {
                let what = format!("a kernel with {size} {what} (more than {most})");
                return self.unsupported(function.span, what);
            }
        }
        Ok(())
    }

    /// The same for shared memory, once all of it is laid out.
    fn check_shared(&self, kernel: &Function) -> Result<(), LowerError> {
        let size = self.shared_bytes;
        if size > MOST_SHARED_BYTES {
            let what = format!(
                "a kernel with {size} bytes of shared memory (more than {MOST_SHARED_BYTES})"
            );
            return self.unsupported(kernel.span, what);
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

    /// All functions that are asked for, behind the kernel's own code. Each may ask for more.
    fn subroutines(&mut self) -> Result<Vec<Subroutine>, LowerError> {
        let mut made = Vec::new();
        while let Some(function) = self.requested.get(made.len()).cloned() {
            made.push(self.subroutine(&function)?);
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests;
