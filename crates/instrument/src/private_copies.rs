//! LD: one instruction, on private copies of what the kernel writes (data expansion and access redirection, tables II and III).
//!
//! A thread learns at the start which copy is its own, and what leads there from each pointer that the kernel counts addresses
//! from: one addition for each access then ([`uses`]). A pass runs the whole kernel. Where blocks have barriers or shared memory,
//! another variant goes through each region twice ([`regions`]). Once there was a race, a run without copies says which
//! instructions it was of ([`logging`]). What copies cannot be made of, or what would not be the same in a second pass, is refused.

pub(crate) mod layout;
mod logging;
pub(crate) mod placement;
mod regions;
pub(crate) mod sequence;
mod stores;
pub(crate) mod uses;

use crate::body::Body;
use crate::device_plan::{CopiesMode, CopiesPart, CopiesPlan};
use crate::meaning::{base_of, is_narrow, what_matters};
use crate::operands::Rewritten;
use crate::refusal::{InstructionRefusal, Refusal};
use layout::{CopiesHead, MOST_ORIGINS};
pub(crate) use regions::Regions;
use std::collections::HashSet;
use std::fmt::Write;
use uses::{CopiesUse, OriginOfAccess, OriginsByPlace};
use warpsan_ir::{Function, Instruction as Lowered, MemorySpace, Op, Register, Special, Uses};
use warpsan_model::Strength;
use warpsan_ptx::Instruction;

/// What is known of a kernel before it is written.
#[derive(Debug, Default)]
pub(crate) struct PrivateCopies {
    pub(crate) uses: CopiesUse,
    places: OriginsByPlace,
    regions: Regions,
    /// Registers that some instruction reads.
    read: HashSet<u32>,
}

/// Looks through a kernel. Functions that it calls are refused with the call.
pub(crate) fn of(
    function: &Function,
    tree: &warpsan_ptx::Function<'_>,
    plan: CopiesPlan,
) -> Result<PrivateCopies, Refusal> {
    let (uses, places) = uses::of(function);
    if uses.origins.len() > MOST_ORIGINS {
        return Err(Refusal::TooManySites(uses.origins.len()));
    }
    let regions = match plan.part {
        CopiesPart::Regions => regions::of(function, tree, plan.mode != CopiesMode::Detect)?,
        CopiesPart::Pass | CopiesPart::Log => Regions::default(),
    };
    let reads = function.code.iter().flat_map(|one| Uses::of(&one.op).reads);
    let read = reads.map(|register| register.number).collect();
    Ok(PrivateCopies { uses, places, regions, read })
}

/// Writes what stands before the first instruction.
pub(crate) fn begin(body: &mut Body<'_, '_>, part: CopiesPart) {
    body.out.push_str(
        "\t.reg .b32 %ws_leaves, %ws_role, %ws_region;\n\t.reg .b64 %ws_copy, %ws_moved, %ws_to_any;\n",
    );
    body.out
        .push_str("\tmov.b32 %ws_region, 0;\n\t.reg .b32 %ws_stored;\n\tmov.b32 %ws_stored, 0;\n");
    let outputs = |names: &[&'static str]| {
        names.iter().map(|name| (*name, format!("%ws_{name}"))).collect::<Vec<_>>()
    };
    match part {
        CopiesPart::Pass => body.ship("ws_ld_enter", 0, &outputs(&["leaves", "copy"])),
        CopiesPart::Regions => regions::begin(body, &outputs(&["leaves", "copy", "shared_copy"])),
        CopiesPart::Log => body.ship("ws_ld_enter_log", 0, &outputs(&["leaves", "role"])),
    }
    body.out.push_str("\tsetp.ne.u32 %ws_counts, %ws_leaves, 0;\n\t@%ws_counts ret;\n");
    if part == CopiesPart::Log {
        return;
    }
    let origins = body.private.uses.origins.len();
    if origins > 0 {
        let _ = writeln!(
            body.out,
            "\t.reg .b64 %ws_to_<{origins}>;\n\tld.param.b64 %ws_moved, [{}+{}];",
            crate::variables::CONTEXT_NAME,
            crate::context::LaunchContext::COPIES,
        );
    }
    for origin in 0..origins {
        // What has no copies stays where it is.
        let _ = writeln!(
            body.out,
            "\tld.global.b64 %ws_to_{origin}, [%ws_moved+{}];\n\
             \tsetp.ne.u64 %ws_counts, %ws_to_{origin}, 0;\n\
             \t@%ws_counts add.s64 %ws_to_{origin}, %ws_to_{origin}, %ws_copy;",
            CopiesHead::DISPLACEMENTS + 8 * origin as u64
        );
    }
    if part == CopiesPart::Regions {
        regions::first(body);
    }
}

/// Writes an instruction of the kernel.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    meaning: &[Lowered],
    rewritten: &Rewritten,
    (mode, part): (CopiesMode, CopiesPart),
) -> Result<(), Refusal> {
    let refuse = |why| Refusal::because_of(instruction, InstructionRefusal::BeyondCopies(why));
    if part == CopiesPart::Regions && body.leaves_kernel(instruction) {
        body.out.push('\t');
        body.guard(instruction);
        body.out.push_str("bra $ws_end;\n");
        return Ok(());
    }
    if part == CopiesPart::Pass && body.leaves_kernel(instruction) {
        body.guarded(instruction, leave);
    }
    let Some(lowered) = what_matters(meaning, matters) else {
        body.plain(instruction, rewritten);
        return Ok(());
    };
    let is_read = |register: Register| body.private.read.contains(&register.number);
    if let Some(why) = beyond_copies(&lowered.op, mode, is_read) {
        return Err(refuse(why));
    }
    if let Op::BlockBarrier { .. } = lowered.op {
        return match part {
            CopiesPart::Pass => {
                body.plain(instruction, rewritten);
                Ok(())
            }
            CopiesPart::Regions => regions::barrier(body, instruction, lowered),
            CopiesPart::Log => {
                logging::barrier(body, instruction, lowered);
                body.plain(instruction, rewritten);
                Ok(())
            }
        };
    }
    let Some(place) = place_of(&lowered.op) else {
        body.plain(instruction, rewritten);
        return Ok(());
    };
    let origin = body.private.places.get(instruction.span.start);
    let is_shared = place == MemorySpace::Shared;
    if !is_shared && origin.is_none() {
        return Err(refuse("through a pointer that is none of its arguments"));
    }
    match part {
        CopiesPart::Log => {
            logging::access(body, instruction, lowered, rewritten)?;
            body.plain(instruction, rewritten);
        }
        CopiesPart::Pass if is_shared => body.plain(instruction, rewritten),
        CopiesPart::Pass | CopiesPart::Regions => {
            let based = rewritten.first_address()?;
            let moved = match origin.filter(|_| !is_shared) {
                Some(origin) => {
                    global_address(body, &based.register, origin, based.offset);
                    stores::note(body, instruction, &lowered.op, origin);
                    if part == CopiesPart::Regions {
                        regions::store(body, instruction, &lowered.op, (origin, based.offset));
                    }
                    "%ws_moved"
                }
                None => {
                    let narrow = base_of(&lowered.op).is_some_and(is_narrow);
                    regions::shared_address(body, &based.register, narrow);
                    "%ws_shared_place"
                }
            };
            body.writer.cost.checked += 1;
            body.out.push('\t');
            body.guard(instruction);
            let text = with_address(&rewritten.text, moved, based.offset);
            let _ = writeln!(body.out, "{text};");
        }
    }
    Ok(())
}

/// A thread leaves a pass.
pub(crate) fn leave(body: &mut Body<'_, '_>) {
    body.ship("ws_ld_leave", 0, &[("stored", "%ws_stored".to_owned())]);
}

/// Writes what stands behind the last instruction.
pub(crate) fn end(body: &mut Body<'_, '_>, part: CopiesPart) {
    if part == CopiesPart::Regions {
        regions::end(body);
    }
}

fn global_address(body: &mut Body<'_, '_>, register: &str, origin: OriginOfAccess, offset: i64) {
    if origin == OriginOfAccess::Several {
        // An offset may lead out of what the register leads to.
        let _ = writeln!(body.out, "\tadd.s64 %ws_address, {register}, {offset};");
        let inputs = [("copy", "%ws_copy".to_owned()), ("to_any", "%ws_to_any".to_owned())];
        body.ship("ws_ld_find", 0, &inputs);
    }
    let _ = match register.starts_with('%') {
        true => writeln!(body.out, "\tadd.s64 %ws_moved, {register}, %ws_to_{origin};"),
        false => writeln!(
            body.out,
            "\tmov.b64 %ws_moved, {register};\n\tadd.s64 %ws_moved, %ws_moved, %ws_to_{origin};"
        ),
    };
}

/// An instruction with another address.
fn with_address(text: &str, register: &str, offset: i64) -> String {
    let (Some(open), Some(close)) = (text.find('['), text.find(']')) else {
        return text.to_owned();
    };
    format!("{}{register}+{offset}{}", &text[..=open], &text[close..])
}

/// Whether anything is done about it.
fn matters(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::AtomicVector { .. }
            | Op::BlockBarrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Async(_)
            | Op::Matrix(_)
            | Op::Call(_)
            | Op::MapAddress { .. }
            | Op::ReadSpecial { .. }
            | Op::System(_)
    )
}

/// The memory of an access that copies may be of.
fn place_of(op: &Op) -> Option<MemorySpace> {
    match op {
        Op::Load { space, .. }
        | Op::Store { space, .. }
        | Op::Atomic { space, .. }
        | Op::AtomicVector { space, .. } => {
            use MemorySpace::{Generic, Global, Shared, SharedCluster};
            Some(*space).filter(|one| matches!(one, Generic | Global | Shared | SharedCluster))
        }
        _ => None,
    }
}

/// Why a kernel with this operation cannot run on copies, if it cannot.
fn beyond_copies(
    op: &Op,
    mode: CopiesMode,
    is_read: impl Fn(Register) -> bool,
) -> Option<&'static str> {
    match op {
        Op::Atomic { op, ty, to, space, .. } => match mode {
            CopiesMode::Detect => Some("an atomic operation"),
            CopiesMode::RaceFree | CopiesMode::Deterministic => {
                let any_order = op.commutes(*ty) && !to.is_some_and(is_read);
                let is_global = *space != MemorySpace::Shared;
                (!any_order || !is_global).then_some("an atomic operation whose order may matter")
            }
        },
        Op::AtomicVector { .. } => Some("an atomic operation"),
        Op::Load { strength: Strength::Strong { .. }, .. }
        | Op::Store { strength: Strength::Strong { .. }, .. } => Some("a strong access"),
        Op::Load { space: MemorySpace::SharedCluster, .. }
        | Op::Store { space: MemorySpace::SharedCluster, .. }
        | Op::MapAddress { .. }
        | Op::ClusterBarrier { .. } => Some("an operation of clusters"),
        Op::Async(_) => Some("an asynchronous operation"),
        Op::Matrix(matrix) => matrix.place.map(|_| "an access of a matrix"),
        Op::Call(_) => Some("a call"),
        Op::System(_) => Some("a call of the system"),
        Op::ReadSpecial {
            special:
                Special::Smid
                | Special::Warpid
                | Special::Clock
                | Special::Clock64
                | Special::ClockHigh
                | Special::Globaltimer
                | Special::GlobaltimerLow
                | Special::GlobaltimerHigh,
            ..
        } => Some("a value that differs between passes"),
        Op::BlockBarrier { threads: Some(_), .. } => Some("a barrier of a part of the block"),
        _ => None,
    }
}
