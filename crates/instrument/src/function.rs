//! One kernel or function, written statement by statement: its head with one parameter more, its prologue, its body.

use crate::body::{Body, Writer};
use crate::checks::SynchronisationStep;
use crate::conditions::{self, InstructionsByPlace};
use crate::context::CONTEXT_BYTES;
use crate::device_plan::{CopiesPart, DevicePlan, MetadataPlan};
use crate::happens_before;
use crate::happens_before::expected::{self, Batch};
use crate::happens_before::{batch, branches};
use crate::instructions;
use crate::instrumented::Wanted;
use crate::private_copies::{self, PrivateCopies};
use crate::pruning::Checked;
use crate::refusal::Refusal;
use crate::sets::{self, plan::Plan};
use crate::shipping;
use crate::surroundings::{PASSED_BYTES, Surroundings};
use crate::variables::{CONTEXT_NAME, aligned};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use warpsan_ir::{Function as Lowered, Instruction as LoweredInstruction};
use warpsan_ptx::{
    Function, FunctionDirective, Linkage, Statement, print_statement, print_variable,
};

/// Writes an instrumented function.
pub(crate) fn write(
    writer: &mut Writer<'_>,
    tree: &Function<'_>,
    lowered: &Lowered,
    wanted: &Wanted<'_>,
) -> Result<String, Refusal> {
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
    if writer.device_plan.has_sets() {
        let may_keep = tree.is_kernel && !writer.state_in_memory;
        let first_site = writer.sites.len() as u32;
        (plan, sites) = sets::plan::of(tree, lowered, &by_place, first_site, may_keep);
        if tree.is_kernel {
            writer.places = plan.places;
        }
    }
    let mut private = PrivateCopies::default();
    if let Some(plan) = writer.device_plan.copies() {
        private = private_copies::of(lowered, tree, plan)?;
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
    if writer.device_plan.ships() {
        writer.paths.begin(lowered);
    }
    let checked = Checked::default();
    let expected = match writer.device_plan.has_entries() {
        true => expected::expected(lowered),
        false => Vec::new(),
    };
    let mut body = Body {
        writer,
        surroundings,
        lowered,
        by_place,
        texts,
        checked,
        plan,
        private,
        expected,
        batch: Batch::default(),
        out,
    };
    for (instruction, lowered, access) in sites {
        body.site(instruction, lowered, access);
    }
    if body.writer.device_plan.has_sets() {
        sets::begin(&mut body);
    }
    if body.writer.device_plan.has_entries() {
        happens_before::begin(&mut body);
    }
    if let Some(plan) = body.writer.device_plan.copies() {
        private_copies::begin(&mut body, plan.part);
    }
    if tree.is_kernel {
        if uses.fences {
            body.step(SynchronisationStep::BeginWithFences, "");
        }
        if uses.locks {
            body.step(SynchronisationStep::BeginWithLocks, "");
        }
    }
    statements(&mut body, tree.body.unwrap_or_default())?;
    batch::flush(&mut body);
    if tree.is_kernel
        && let Some(end) = end_without_words(tree, lowered)
    {
        match body.writer.device_plan {
            DevicePlan::Ship(_) | DevicePlan::Metadata(MetadataPlan { is_ordered: true, .. }) => {
                shipping::end(&mut body, end)?;
            }
            DevicePlan::Sets(_) => sets::leave(&mut body),
            DevicePlan::HappensBefore | DevicePlan::HappensBeforeInSlots => {
                happens_before::leave(&mut body, None);
            }
            DevicePlan::Metadata(_) | DevicePlan::Copies(_) | DevicePlan::Measure(_) => {}
        }
        if body.writer.device_plan.copies().is_some_and(|plan| plan.part == CopiesPart::Pass) {
            private_copies::leave(&mut body);
        }
        match body.writer.device_plan.copies() {
            Some(plan) if plan.part == CopiesPart::Regions => body.out.push_str("\tbra $ws_end;\n"),
            _ => body.out.push_str("\tret;\n"),
        }
    }
    if let Some(plan) = body.writer.device_plan.copies() {
        private_copies::end(&mut body, plan.part);
        body.writer.copies = std::mem::take(&mut body.private.uses);
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

fn statements(body: &mut Body<'_, '_>, all: &[Statement<'_>]) -> Result<(), Refusal> {
    for (at, statement) in all.iter().enumerate() {
        if body.writer.device_plan.has_entries() {
            branches::look_ahead(body, statement, &all[at + 1..]);
        }
        match statement {
            // Lines are in our own table.
            Statement::Location(_) => {}
            Statement::Block(block) => {
                body.out.push_str("\t{\n");
                statements(body, block.statements)?;
                body.out.push_str("\t}\n");
            }
            Statement::Label(label) => {
                if !branches::joins(body, label.name) {
                    batch::flush_block(body);
                }
                body.checked.forget();
                body.out.push_str(&print_statement(statement));
            }
            Statement::Instruction(instruction) => instructions::write(body, instruction)?,
            Statement::Variable(variable) => {
                let _ = writeln!(body.out, "\t{};", print_variable(&aligned(variable)));
            }
            Statement::Registers(_)
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
    let bytes = if tree.is_kernel { CONTEXT_BYTES } else { PASSED_BYTES };
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
        wanted.plan.has_sets().then(|| (threads_at_once / threads.max(1)).max(1))
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
