//! What is written down of a function's accesses, decided before the first of them is.
//!
//! Accesses of a basic block that lie at equal distances from the same register, as those of an unrolled loop do, are one strip, and
//! one check for all of them. Only those of one source line are, so that reports name the right one. A kernel
//! keeps the last region of an access in registers where that saves writing it down: in loops, and in shared memory, whose sets
//! nobody looks at unless somebody writes. Loads of shared memory that share no phase between barriers with a store are not written down.

use super::layout::EntryPlaces;
use super::operations::{matters, shared_access};
use super::regions::{in_cycles, writes_at_the_end};
use super::unwritten::unwritten;
use crate::instrumented::CheckedAccess;
use crate::meaning::{access_of, is_call, is_jump, strength_of, what_matters};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use warpsan_ir::{Function as Lowered, Instruction as LoweredInstruction, MemorySpace};
use warpsan_model::{SourceFrame, Strength};
use warpsan_ptx::{AddressBase, Function, Instruction, Operand, Statement};

/// More accesses than this are not kept in registers.
const MOST_KEPT: usize = 16;
/// The largest region, whose bytes have 12 bits.
const LARGEST_REGION: u32 = 1 << 12;

/// The plan of a function.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    accesses: HashMap<u32, Planned>,
    /// What a thread keeps in registers.
    pub(crate) kept: Vec<PlannedAccess>,
    /// The entries that have places of their own.
    pub(crate) places: EntryPlaces,
    /// Whether accesses to shared memory are entered into the sets of the block when a thread leaves.
    pub(crate) enters_at_the_end: bool,
}

/// What is done about an instruction that accesses memory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Planned {
    Access(PlannedAccess),
    /// It is written down with another one.
    WithAnother,
}

/// An access, or several at equal distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlannedAccess {
    /// The number of its instruction.
    pub(crate) site: u32,
    /// From the instruction's own address to the first one.
    pub(crate) ahead: i64,
    /// Bytes of a region.
    pub(crate) size: u32,
    /// The regions, and how far they are apart.
    pub(crate) count: u32,
    pub(crate) stride: i32,
    pub(crate) space: MemorySpace,
    pub(crate) writes: bool,
    /// What is kept of it.
    pub(crate) keeps: Keeps,
    /// The place of its entries among those of the kernel.
    pub(crate) place: Option<u32>,
}

/// What a thread keeps of an access, by the number of its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    Nothing,
    /// How it moves.
    Run(usize),
    /// Where it was.
    Fixed(usize),
}

/// An access with its own place, before it is decided what goes together.
struct Found<'t> {
    instruction: &'t Instruction<'t>,
    at: usize,
    offset: i64,
    /// Accesses of one number can be written down together.
    group: usize,
}

/// What accesses that go together have in common.
#[derive(PartialEq, Eq)]
struct Alike<'t> {
    base: &'t str,
    space: MemorySpace,
    writes: bool,
    bytes: u32,
    line: SourceLine,
}

/// The file and line of an instruction, and of the calls that it was inlined by. Columns are no matter to reports.
type SourceLine = Vec<Option<(Arc<str>, u32)>>;

fn source_line(lowered: &Lowered, at: &LoweredInstruction) -> SourceLine {
    let frames = lowered.lines.frames(at.line);
    let position = |frame: SourceFrame| frame.position.map(|place| (place.file, place.line));
    frames.into_iter().map(position).collect()
}

/// What the site table gets for each access, in the order of their numbers.
pub(crate) type PlannedSite<'t, 'l> = (&'t Instruction<'t>, &'l LoweredInstruction, CheckedAccess);

/// Plans a function. `first_site` is the number that its first site will have; `may_keep` is not for functions that share
/// their registers with nobody.
pub(crate) fn of<'t, 'l>(
    tree: &'t Function<'t>,
    lowered: &'l Lowered,
    by_place: &HashMap<u32, Range<usize>>,
    first_site: u32,
    may_keep: bool,
) -> (Plan, Vec<PlannedSite<'t, 'l>>) {
    let mut scan = Scan { lowered, by_place, found: Vec::new(), open: Vec::new(), groups: 0 };
    scan.statements(tree.body.unwrap_or_default());
    let unwritten = unwritten(lowered);
    let mut found = scan.found;
    found.retain(|one| !unwritten[one.at]);
    let cycles = in_cycles(lowered);
    let mut plan = Plan { enters_at_the_end: writes_at_the_end(lowered), ..Plan::default() };
    let mut sites = Vec::new();
    let mut first = 0;
    while first < found.len() {
        let mut members: Vec<&Found<'_>> =
            found.iter().filter(|one| one.group == found[first].group).collect();
        let is_planned = |one: &&Found<'_>| plan.accesses.contains_key(&one.instruction.span.start);
        members.retain(|one| !is_planned(one));
        for strip in strips_of(&mut members, bytes_of(lowered, found[first].at)) {
            plan.add(&strip, lowered, &cycles, (first_site, may_keep), &mut sites);
        }
        first += 1;
    }
    (plan, sites)
}

fn bytes_of(lowered: &Lowered, at: usize) -> u32 {
    shared_access(&lowered.code[at].op).map_or(0, |(_, _, bytes)| bytes)
}

/// Accesses at equal distances.
struct StripOf<'m, 't> {
    members: Vec<&'m Found<'t>>,
    size: u32,
    stride: i64,
    count: u32,
}

/// Puts accesses of one group together as long as the distance is the same.
fn strips_of<'m, 't>(members: &mut [&'m Found<'t>], bytes: u32) -> Vec<StripOf<'m, 't>> {
    members.sort_by_key(|one| one.offset);
    let mut strips: Vec<StripOf<'m, 't>> = Vec::new();
    for &member in members.iter() {
        if let Some(strip) = strips.last_mut()
            && let Some(last) = strip.members.last()
        {
            let apart = member.offset - last.offset;
            let has_distance = strip.count > 1;
            let is_next = apart >= i64::from(bytes) && (!has_distance || apart == strip.stride);
            if apart == 0 || is_next {
                strip.members.push(member);
                if apart > 0 {
                    strip.stride = apart;
                    strip.count += 1;
                }
                continue;
            }
        }
        strips.push(StripOf { members: vec![member], size: bytes, stride: 0, count: 1 });
    }
    for strip in &mut strips {
        let all = strip.count.saturating_mul(bytes);
        if strip.stride == i64::from(bytes) && all < LARGEST_REGION {
            (strip.size, strip.stride, strip.count) = (all, 0, 1);
        }
    }
    strips
}

impl Plan {
    /// What is done about the instruction that stands at a place of the text.
    pub(crate) fn at(&self, place: u32) -> Option<&Planned> {
        self.accesses.get(&place)
    }

    fn add<'t, 'l>(
        &mut self,
        strip: &StripOf<'_, 't>,
        lowered: &'l Lowered,
        cycles: &[bool],
        (first_site, may_keep): (u32, bool),
        sites: &mut Vec<PlannedSite<'t, 'l>>,
    ) {
        // The one that comes first in the text stands for all.
        let Some(leader) = strip.members.iter().min_by_key(|one| one.at) else { return };
        let instruction = &lowered.code[leader.at];
        let Some((space, writes, _)) = shared_access(&instruction.op) else { return };
        let Some((access, bytes)) = access_of(&instruction.op, true) else { return };
        let (Ok(stride), start) = (i32::try_from(strip.stride), strip.members[0].offset) else {
            return self.add_each(strip, lowered, cycles, (first_site, may_keep), sites);
        };
        let in_cycle = cycles[lowered.control_flow.block_of(leader.at as u32)];
        let mut planned = PlannedAccess {
            site: first_site + sites.len() as u32,
            ahead: start.wrapping_sub(leader.offset),
            size: strip.size,
            count: strip.count,
            stride,
            space,
            writes,
            keeps: Keeps::Nothing,
            place: None,
        };
        let wants_keeping = match space {
            MemorySpace::Shared => true,
            MemorySpace::Global => in_cycle,
            _ => false,
        };
        let number = self.kept.len();
        let is_kept = may_keep && wants_keeping && number < MOST_KEPT;
        if is_kept {
            planned.keeps = if in_cycle && strip.count == 1 {
                Keeps::Run(number)
            } else {
                Keeps::Fixed(number)
            };
        }
        if may_keep && space != MemorySpace::Shared && (is_kept || !in_cycle) {
            planned.place = self.places.take(is_kept, writes);
        }
        if is_kept {
            self.kept.push(planned);
        }
        let strength = strength_of(&instruction.op).unwrap_or(Strength::Weak);
        sites.push((leader.instruction, instruction, CheckedAccess::new(access, strength, bytes)));
        for member in &strip.members {
            let is_leader = member.at == leader.at;
            let what = if is_leader { Planned::Access(planned) } else { Planned::WithAnother };
            self.accesses.insert(member.instruction.span.start, what);
        }
    }

    /// Accesses that are too far apart to be one strip.
    fn add_each<'t, 'l>(
        &mut self,
        strip: &StripOf<'_, 't>,
        lowered: &'l Lowered,
        cycles: &[bool],
        how: (u32, bool),
        sites: &mut Vec<PlannedSite<'t, 'l>>,
    ) {
        for member in &strip.members {
            let size = bytes_of(lowered, member.at);
            let alone = StripOf { members: vec![*member], size, stride: 0, count: 1 };
            self.add(&alone, lowered, cycles, how, sites);
        }
    }
}

/// Reads the text of a function for accesses that go together.
struct Scan<'t, 'l> {
    lowered: &'l Lowered,
    by_place: &'l HashMap<u32, Range<usize>>,
    found: Vec<Found<'t>>,
    /// Groups that more accesses can go to.
    open: Vec<(Alike<'t>, usize)>,
    groups: usize,
}

impl<'t> Scan<'t, '_> {
    fn statements(&mut self, all: &'t [Statement<'t>]) {
        for statement in all {
            match statement {
                Statement::Block(block) => {
                    self.open.clear();
                    self.statements(block.statements);
                    self.open.clear();
                }
                Statement::Label(_) => self.open.clear(),
                Statement::Instruction(instruction) => self.instruction(instruction),
                _ => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &'t Instruction<'t>) {
        let range = self.by_place.get(&instruction.span.start).cloned().unwrap_or(0..0);
        let meaning = &self.lowered.code[range.clone()];
        let known = what_matters(meaning, matters);
        let known = known.and_then(|one| Some((one, shared_access(&one.op)?)));
        if let Some((lowered, (space, writes, bytes))) = known {
            let within = meaning.iter().position(|one| std::ptr::eq(one, lowered)).unwrap_or(0);
            let mut found =
                Found { instruction, at: range.start + within, offset: 0, group: self.groups };
            let is_plain = instruction.guard.is_none() && lowered.counts_if.is_none();
            if let Some((base, offset)) = address_of(instruction) {
                found.offset = offset;
                let line = source_line(self.lowered, lowered);
                let alike = Alike { base, space, writes, bytes, line };
                match self.open.iter().find(|(open, _)| is_plain && *open == alike) {
                    Some((_, group)) => found.group = *group,
                    None if is_plain => self.open.push((alike, self.groups)),
                    None => {}
                }
            }
            self.groups += 1;
            self.found.push(found);
        } else if known_to_end(instruction) || matters_otherwise(meaning) {
            self.open.clear();
        }
        if let Some(result) = instruction.operands.first() {
            self.written(result);
        }
    }

    /// What is counted from a register that is written is another place from now on.
    fn written(&mut self, operand: &Operand<'_>) {
        match operand {
            Operand::Name(name) => self.open.retain(|(open, _)| open.base != *name),
            Operand::Vector(items) | Operand::List(items) => {
                items.iter().for_each(|item| self.written(item));
            }
            Operand::Pair((first, second)) => {
                self.written(first);
                self.written(second);
            }
            _ => {}
        }
    }
}

/// The one register or variable that an address is counted from, and how far.
fn address_of<'t>(instruction: &'t Instruction<'t>) -> Option<(&'t str, i64)> {
    let is_address = |operand: &&'t Operand<'t>| matches!(operand, Operand::Address(_));
    let Some(Operand::Address(address)) = instruction.operands.iter().find(is_address) else {
        return None;
    };
    match address.base {
        AddressBase::Name(name) => Some((name, address.offset)),
        AddressBase::Absolute => None,
    }
}

fn known_to_end(instruction: &Instruction<'_>) -> bool {
    is_jump(instruction) || is_call(instruction)
}

/// Whether something orders accesses, or is a call.
fn matters_otherwise(meaning: &[LoweredInstruction]) -> bool {
    what_matters(meaning, matters).is_some()
}
