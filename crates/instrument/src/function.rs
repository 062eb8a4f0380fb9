//! One kernel or function, statement by statement.

use crate::checks::{Checks, Step};
use crate::conditions::{self, InstructionsByPlace};
use crate::instructions;
use crate::module::{CheckedAccess, Cost, NotInstrumented, Uses, Wanted};
use crate::operands::{self, CONDITION_REGISTER};
use crate::pruning::Checked;
use crate::record::{NotShipped, Paths, SiteInfo};
use crate::sets::{self, layout::Places, plan::Plan};
use crate::surroundings::{Here, PASSED_BYTES, Surroundings};
use crate::telling;
use crate::template::Template;
use crate::variables::{CONTEXT_NAME, Variables};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use warpsan_event::Site;
use warpsan_ir::{Function as Lowered, Instruction as LoweredInstruction, LoadCondition};
use warpsan_ptx::{
    Document, Function, FunctionDirective, Instruction, LineIndex, Linkage, Span, Statement,
    print_statement, print_variable,
};

/// What the parts of an instrumented module have in common.
pub(crate) struct Writer<'a> {
    pub(crate) document: &'a Document,
    lines: LineIndex,
    pub(crate) checks: Checks,
    pub(crate) uses: Uses,
    state_in_memory: bool,
    pub(crate) variables: Variables<'a>,
    pub(crate) sites: Vec<Site>,
    /// What each site does.
    pub(crate) accesses: Vec<CheckedAccess>,
    /// What the host is told of each, where it is told.
    pub(crate) infos: Vec<SiteInfo>,
    /// How those sites follow each other, where the host is told.
    pub(crate) paths: Paths,
    /// Functions of the device runtime that checks call.
    pub(crate) calls: Vec<String>,
    pub(crate) cost: Cost,
    /// The kernel may reach into other blocks of its cluster.
    pub(crate) in_cluster: bool,
    /// Threads of a block are compared while they run, where sets are kept.
    pub(crate) has_blocks: bool,
    /// Entries with places of their own, where sets are kept.
    pub(crate) places: Places,
    expansions: u32,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        document: &'a Document,
        checks: Checks,
        uses: Uses,
        state_in_memory: bool,
    ) -> Writer<'a> {
        Writer {
            document,
            lines: LineIndex::new(document.text()),
            checks,
            uses,
            state_in_memory,
            variables: Variables::default(),
            sites: Vec::new(),
            accesses: Vec::new(),
            infos: Vec::new(),
            paths: Paths::default(),
            calls: Vec::new(),
            cost: Cost::default(),
            in_cluster: false,
            has_blocks: false,
            places: Places::default(),
            expansions: 0,
        }
    }

    /// A number that no other expansion has.
    pub(crate) fn next_number(&mut self) -> u32 {
        self.expansions += 1;
        self.expansions
    }

    fn expand(&mut self, template: &Template, here: &Here<'_>, out: &mut String) {
        for callee in template.calls() {
            if !self.calls.contains(callee) {
                self.calls.push(callee.clone());
            }
        }
        let number = self.next_number();
        template.expand(number, here, out);
    }
}

/// The function that is being written.
pub(crate) struct Body<'w, 'a> {
    pub(crate) writer: &'w mut Writer<'a>,
    pub(crate) surroundings: Surroundings,
    pub(crate) lowered: &'w Lowered,
    by_place: HashMap<u32, Range<usize>>,
    texts: InstructionsByPlace<'w>,
    pub(crate) checked: Checked,
    /// What is written down of accesses, where sets are kept.
    pub(crate) plan: Plan,
    pub(crate) out: String,
}

impl<'w> Body<'w, '_> {
    /// What an instruction of the text does, in several steps for some; nothing if it is never reached.
    pub(crate) fn meaning(&self, instruction: &Instruction<'_>) -> &'w [LoweredInstruction] {
        let found = self.by_place.get(&instruction.span.start);
        found.map_or(&[], |range| &self.lowered.code[range.clone()])
    }

    /// Text that brings to `%ws_counts` whether the speculated load at a place counts, or what of it has no text.
    pub(crate) fn condition(&mut self, place: Span) -> Option<Result<String, String>> {
        let lowered = self.lowered;
        let is_here = |one: &&LoadCondition| lowered.code[one.load as usize].span == place;
        let condition = lowered.conditions.iter().find(is_here)?;
        let variables = &mut self.writer.variables;
        let mut rewrite =
            |one: &Instruction<'_>| operands::rewrite(one, variables, CONDITION_REGISTER);
        Some(conditions::text_of(lowered, condition, &self.texts, &mut rewrite, "%ws_counts"))
    }

    /// The number of a site for an instruction.
    pub(crate) fn site(
        &mut self,
        instruction: &Instruction<'_>,
        lowered: &LoweredInstruction,
        access: CheckedAccess,
    ) -> u32 {
        self.writer.accesses.push(access);
        let text = instruction.span.text(self.writer.document.text());
        let text: Vec<&str> = text.split_whitespace().collect();
        self.writer.sites.push(Site {
            instruction: Arc::from(text.join(" ")),
            ptx_line: self.writer.lines.line(instruction.span.start),
            frames: self.lowered.lines.frames(lowered.line),
        });
        self.writer.sites.len() as u32 - 1
    }

    /// The number of a site that the host is told of.
    pub(crate) fn told_site(
        &mut self,
        instruction: &Instruction<'_>,
        lowered: &LoweredInstruction,
    ) -> Result<u32, NotInstrumented> {
        let info = SiteInfo::of(&lowered.op).map_err(|NotShipped(why)| {
            let text = instruction.mnemonic.text;
            NotInstrumented(format!("it has `{text}`, {why}"))
        })?;
        self.writer.infos.push(info);
        let at = self.by_place.get(&instruction.span.start).map_or(0, |range| range.start);
        self.writer.paths.add(self.lowered, at);
        Ok(self.site(instruction, lowered, CheckedAccess::default()))
    }

    /// Expands a check here.
    pub(crate) fn expand(&mut self, template: &Template, site: u32) {
        self.expand_with(template, site, &[], "");
    }

    /// Expands a check here, with what the instruction has for it.
    pub(crate) fn expand_with(
        &mut self,
        template: &Template,
        site: u32,
        inputs: &[(&str, String)],
        operation: &str,
    ) {
        let here = Here { surroundings: self.surroundings, site, inputs, operation };
        self.writer.expand(template, &here, &mut self.out);
    }

    /// Expands what a detector does at a step, if it does anything.
    pub(crate) fn step(&mut self, step: Step, mask: &str) {
        if let Some(template) = self.writer.checks.step(step, self.writer.uses.locks) {
            self.expand_with(template, 0, &[("mask", mask.to_owned())], "");
        }
    }

    /// Tells the host of something.
    pub(crate) fn tell(&mut self, template: &str, site: u32, inputs: &[(&str, String)]) {
        self.tell_around(template, site, inputs, "");
    }

    /// Tells the host of an instruction, and makes it in the middle of that.
    pub(crate) fn tell_around(
        &mut self,
        template: &str,
        site: u32,
        inputs: &[(&str, String)],
        operation: &str,
    ) {
        if let Some(template) = self.writer.checks.library().get(template) {
            self.expand_with(template, site, inputs, operation);
        }
    }

    /// Writes something that only runs where `%ws_counts` holds.
    pub(crate) fn skipped_unless_it_counts(&mut self, write: impl FnOnce(&mut Self)) {
        let number = self.writer.next_number();
        let _ = writeln!(self.out, "\t@!%ws_counts bra $ws_skip_{number};");
        write(self);
        let _ = writeln!(self.out, "$ws_skip_{number}:");
    }

    /// Writes something that only runs where an instruction's guard holds.
    pub(crate) fn guarded(&mut self, instruction: &Instruction<'_>, write: impl FnOnce(&mut Self)) {
        let Some(guard) = instruction.guard else { return write(self) };
        let number = self.writer.next_number();
        let negation = if guard.negated { "" } else { "!" };
        let _ = writeln!(self.out, "\t@{negation}{} bra $ws_skip_{number};", guard.register);
        write(self);
        let _ = writeln!(self.out, "$ws_skip_{number}:");
    }
}

/// Writes an instrumented function.
pub(crate) fn write(
    writer: &mut Writer<'_>,
    tree: &Function<'_>,
    lowered: &Lowered,
    wanted: &Wanted<'_>,
) -> Result<String, NotInstrumented> {
    let surroundings =
        Surroundings { is_kernel: tree.is_kernel, state_in_memory: writer.state_in_memory };
    let mut by_place: HashMap<u32, Range<usize>> = HashMap::new();
    for (at, instruction) in lowered.code.iter().enumerate() {
        by_place.entry(instruction.span.start).or_insert(at..at).end = at + 1;
    }
    let mut texts = InstructionsByPlace::default();
    if !lowered.conditions.is_empty() {
        conditions::instructions_of(tree.body.unwrap_or_default(), &mut texts);
    }
    let mut sites = Vec::new();
    let mut plan = Plan::default();
    if writer.checks.has_sets() {
        let may_keep = tree.is_kernel && !writer.state_in_memory;
        let first_site = writer.sites.len() as u32;
        (plan, sites) = sets::plan::of(tree, lowered, &by_place, first_site, may_keep);
        if tree.is_kernel {
            writer.places = plan.places;
        }
    }
    let mut out = String::new();
    head(tree, &mut out);
    if tree.is_kernel {
        let at_once = sets::threads_at_once(writer.has_blocks, plan.kept.len());
        launch_bounds(tree.directives, wanted, at_once, &mut out);
    }
    out.push_str("\n{\n");
    surroundings.prologue(&mut out);
    let uses = writer.uses;
    if writer.checks.tells() {
        writer.paths.begin(lowered);
    }
    let checked = Checked::default();
    let mut body = Body { writer, surroundings, lowered, by_place, texts, checked, plan, out };
    for (instruction, lowered, access) in sites {
        body.site(instruction, lowered, access);
    }
    if body.writer.checks.has_sets() {
        sets::begin(&mut body);
    }
    if tree.is_kernel {
        if uses.fences {
            body.step(Step::BeginWithFences, "");
        }
        if uses.locks {
            body.step(Step::BeginWithLocks, "");
        }
    }
    statements(&mut body, tree.body.unwrap_or_default())?;
    if tree.is_kernel
        && let Some(end) = end_without_words(tree, lowered)
    {
        match body.writer.checks {
            checks if checks.tells() => telling::end(&mut body, end)?,
            checks if checks.has_sets() => sets::leave(&mut body),
            _ => {}
        }
        body.out.push_str("\tret;\n");
    }
    body.out.push_str("}\n");
    Ok(body.out)
}

/// Where threads come to the end of a body, which returns then: behind its last instruction. None where they have all returned
/// before.
fn end_without_words<'l>(
    tree: &Function<'_>,
    lowered: &'l Lowered,
) -> Option<&'l LoweredInstruction> {
    let end = lowered.code.last().filter(|last| last.span.start == tree.span.end)?;
    let (flow, at) = (&lowered.control_flow, lowered.code.len() as u32 - 1);
    let block = flow.block_of(at);
    let is_begin = flow.blocks[block].start == at && block > 0;
    (!is_begin || flow.predecessors(block).next().is_some()).then_some(end)
}

fn statements(body: &mut Body<'_, '_>, all: &[Statement<'_>]) -> Result<(), NotInstrumented> {
    for statement in all {
        match statement {
            // Lines are in our own table.
            Statement::Location(_) => {}
            Statement::Block(block) => {
                body.out.push_str("\t{\n");
                statements(body, block.statements)?;
                body.out.push_str("\t}\n");
            }
            Statement::Label(_) => {
                body.checked.forget();
                body.out.push_str(&print_statement(statement));
            }
            Statement::Instruction(instruction) => instructions::write(body, instruction)?,
            Statement::Registers(_)
            | Statement::Variable(_)
            | Statement::Targets(_)
            | Statement::CallPrototype(_)
            | Statement::Pragma(_) => body.out.push_str(&print_statement(statement)),
        }
    }
    Ok(())
}

/// Declares a function before anybody calls it.
pub(crate) fn declare(tree: &Function<'_>, out: &mut String) {
    head(tree, out);
    out.push_str(";\n");
}

/// The head, with the context as one more parameter.
fn head(tree: &Function<'_>, out: &mut String) {
    out.push_str(if tree.is_kernel { ".visible .entry " } else { ".func " });
    let list = |variables: &[warpsan_ptx::Variable<'_>]| -> Vec<String> {
        let plain = variables.iter().map(|variable| {
            print_variable(&warpsan_ptx::Variable { linkage: Linkage::Local, ..*variable })
        });
        plain.collect()
    };
    if !tree.returns.is_empty() {
        let _ = write!(out, "({}) ", list(tree.returns).join(", "));
    }
    let bytes = if tree.is_kernel { crate::CONTEXT_BYTES } else { PASSED_BYTES };
    let mut parameters = list(tree.parameters());
    parameters.push(format!(".param .align 8 .b8 {CONTEXT_NAME}[{bytes}]"));
    let _ = write!(out, "{}({})", tree.name, parameters.join(", "));
}

/// What the kernel was compiled for gives way to what it is launched with, and wishes for few registers are not kept.
fn launch_bounds(
    directives: &[FunctionDirective<'_>],
    wanted: &Wanted<'_>,
    threads_at_once: u32,
    out: &mut String,
) {
    let mut is_exact = false;
    for directive in directives {
        match directive.name {
            ".maxntid" | ".minnctapersm" | ".maxnctapersm" | ".maxnreg" | ".pragma" => continue,
            ".reqntid" => is_exact = true,
            _ => {}
        }
        let _ = write!(out, "\n{} {}", directive.name, directive.values.join(", "));
    }
    if !is_exact {
        let [x, y, z] = wanted.block;
        let _ = write!(out, "\n.maxntid {x}, {y}, {z}");
    }
    let blocks_at_once = wanted.blocks_at_once.or_else(|| {
        let threads: u32 = wanted.block.iter().product();
        wanted.checks.has_sets().then(|| (threads_at_once / threads.max(1)).max(1))
    });
    if let Some(blocks) = blocks_at_once {
        let _ = write!(out, "\n.minnctapersm {blocks}");
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{instrumented, kernel, module};

    /// The module with more directives of its kernel.
    fn with(directives: &str) -> String {
        let text = module("")
            .replace("(.param .u64 k_0)\n", &format!("(.param .u64 k_0)\n{directives}\n"));
        instrumented(&text).expect("it can be checked").text
    }

    #[test]
    fn bounds_are_those_of_the_launch() {
        let text = with(".maxntid 256, 1, 1\n.minnctapersm 4\n.maxnreg 32");
        assert!(text.contains("\n.maxntid 64, 2, 1\n{"), "{text}");
        assert!(!text.contains(".minnctapersm") && !text.contains(".maxnreg"), "{text}");
        let text = with(".reqntid 64, 2, 1\n.explicitcluster\n.reqnctapercluster 2, 1, 1");
        assert!(text.contains(".reqntid 64, 2, 1\n.explicitcluster"), "{text}");
        assert!(text.contains(".reqnctapercluster 2, 1, 1\n{"), "{text}");
        assert!(!text.contains(".maxntid"), "{text}");
    }

    #[test]
    fn lines_are_left_to_our_own_table_and_braces_stay() {
        let text = kernel("{ .reg .b32 t;\nmov.b32 t, 1;\n.pragma \"nounroll\";\n}").text;
        assert!(text.contains("\t{\n") && text.contains(".reg .b32 t;"), "{text}");
        assert!(text.contains("nounroll"), "{text}");
    }
}
