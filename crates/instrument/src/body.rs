//! The function that is being written, and what it has in common with the others of its module.

use crate::checks::SynchronisationStep;
use crate::conditions::{self, InstructionsByPlace};
use crate::device_plan::DevicePlan;
use crate::happens_before::expected::{Batch, Expected};
use crate::instrumented::{CheckedAccess, Cost, Uses};
use crate::operands::{self, CONDITION_REGISTER, Rewritten};
use crate::private_copies::PrivateCopies;
use crate::private_copies::uses::CopiesUse;
use crate::pruning::Checked;
use crate::record::{NotShipped, Paths, SiteInfo};
use crate::refusal::{ConditionRefusal, InstructionRefusal, Refusal};
use crate::sets::layout::EntryPlaces;
use crate::sets::plan::Plan;
use crate::surroundings::{Here, Surroundings};
use crate::template::Template;
use crate::variables::Variables;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use warpsan_event::Site;
use warpsan_ir::{Function as Lowered, Instruction as LoweredInstruction, LoadCondition};
use warpsan_ptx::{Document, Instruction, LineIndex, Span};

/// What the parts of an instrumented module have in common.
pub(crate) struct Writer<'a> {
    pub(crate) document: &'a Document,
    lines: LineIndex,
    pub(crate) device_plan: DevicePlan,
    pub(crate) uses: Uses,
    /// What a lane knows of itself is in memory, which functions share.
    pub(crate) state_in_memory: bool,
    pub(crate) variables: Variables<'a>,
    pub(crate) sites: Vec<Site>,
    /// What each site does.
    pub(crate) accesses: Vec<CheckedAccess>,
    /// What the host knows of each, where operations are shipped.
    pub(crate) infos: Vec<SiteInfo>,
    /// How those sites follow each other, where operations are shipped.
    pub(crate) paths: Paths,
    /// Functions of the device runtime that checks call.
    pub(crate) calls: Vec<String>,
    pub(crate) cost: Cost,
    /// The kernel may reach into other blocks of its cluster.
    pub(crate) in_cluster: bool,
    /// The architecture has atomics of 128 bits.
    pub(crate) has_wide_atomics: bool,
    /// Threads copy asynchronously, which hb's entries know.
    pub(crate) has_copies: bool,
    /// The volatile accesses of shared memory, which hb's entries tell from weak ones, as `hows` has them.
    pub(crate) volatile: u32,
    /// There are so many accesses that hb's checks of them are functions.
    pub(crate) has_called_checks: bool,
    /// Threads of a block are compared while they run, where sets are kept.
    pub(crate) has_blocks: bool,
    /// Entries with places of their own, where sets are kept.
    pub(crate) places: EntryPlaces,
    /// What the kernel does to memory, where it runs on private copies.
    pub(crate) copies: CopiesUse,
    expansions: u32,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        document: &'a Document,
        device_plan: DevicePlan,
        uses: Uses,
        state_in_memory: bool,
    ) -> Writer<'a> {
        Writer {
            document,
            lines: LineIndex::new(document.text()),
            device_plan,
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
            has_wide_atomics: false,
            has_copies: false,
            volatile: 0,
            has_called_checks: false,
            has_blocks: false,
            places: EntryPlaces::default(),
            copies: CopiesUse::default(),
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
    /// The instructions of the lowered function, by their place in the text.
    pub(crate) by_place: HashMap<u32, Range<usize>>,
    pub(crate) texts: InstructionsByPlace<'w>,
    pub(crate) checked: Checked,
    /// What is written down of accesses, where sets are kept.
    pub(crate) plan: Plan,
    /// Where accesses go, on private copies.
    pub(crate) private: PrivateCopies,
    /// What is expected of each instruction, where hb's entries are kept.
    pub(crate) expected: Vec<Expected>,
    /// Accesses that wait for their checks, there.
    pub(crate) batch: Batch,
    pub(crate) out: String,
}

impl<'w> Body<'w, '_> {
    /// What an instruction of the text does, in several steps for some; nothing if it is never reached.
    pub(crate) fn meaning(&self, instruction: &Instruction<'_>) -> &'w [LoweredInstruction] {
        let found = self.by_place.get(&instruction.span.start);
        found.map_or(&[], |range| &self.lowered.code[range.clone()])
    }

    /// Text that brings to `%ws_counts` whether the speculated load at a place counts, or what of it has no text.
    pub(crate) fn condition(&mut self, place: Span) -> Option<Result<String, ConditionRefusal>> {
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
        let line = self.writer.lines.line(instruction.span.start);
        let frames = self.lowered.lines.frames(lowered.line);
        self.writer.sites.push(Site::new(text.join(" "), line, frames));
        self.writer.sites.len() as u32 - 1
    }

    /// The number of a site whose operations are shipped.
    pub(crate) fn shipped_site(
        &mut self,
        instruction: &Instruction<'_>,
        lowered: &LoweredInstruction,
    ) -> Result<u32, Refusal> {
        let info = SiteInfo::of(&lowered.op).map_err(|NotShipped(why)| {
            Refusal::because_of(instruction, InstructionRefusal::NotShipped(why))
        })?;
        self.writer.infos.push(info);
        let at = self.by_place.get(&instruction.span.start).map_or(0, |range| range.start);
        self.writer.paths.add(self.lowered, at);
        Ok(self.site(instruction, lowered, CheckedAccess::default()))
    }

    /// Writes the instruction itself.
    pub(crate) fn plain(&mut self, instruction: &Instruction<'_>, rewritten: &Rewritten) {
        self.out.push('\t');
        self.guard(instruction);
        self.out.push_str(&rewritten.text);
        self.out.push_str(";\n");
    }

    /// Writes what stands in front of an instruction that has a guard.
    pub(crate) fn guard(&mut self, instruction: &Instruction<'_>) {
        if let Some(guard) = instruction.guard {
            let negation = if guard.negated { "!" } else { "" };
            let _ = write!(self.out, "@{negation}{} ", guard.register);
        }
    }

    /// Whether a thread leaves the kernel with an instruction.
    pub(crate) fn leaves_kernel(&self, instruction: &Instruction<'_>) -> bool {
        match instruction.opcode() {
            "exit" => true,
            "ret" => self.surroundings.is_kernel,
            _ => false,
        }
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
    pub(crate) fn step(&mut self, step: SynchronisationStep, mask: &str) {
        if let Some(template) = self.writer.device_plan.step(step, self.writer.uses.locks) {
            self.expand_with(template, 0, &[("mask", mask.to_owned())], "");
        }
    }

    /// Ships a record to the host.
    pub(crate) fn ship(&mut self, template: &str, site: u32, inputs: &[(&str, String)]) {
        self.ship_around(template, site, inputs, "");
    }

    /// Ships an instruction to the host, and executes it in the middle of that.
    pub(crate) fn ship_around(
        &mut self,
        template: &str,
        site: u32,
        inputs: &[(&str, String)],
        operation: &str,
    ) {
        if let Some(template) = self.writer.device_plan.template(template) {
            self.expand_with(template, site, inputs, operation);
        }
    }

    /// Brings a warp together again, in front of an instruction that all of its lanes make. ptxas does not do that by itself where some of them have called a function.
    pub(crate) fn reconverge(&mut self) {
        self.out.push_str("\tbar.warp.sync -1;\n");
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
