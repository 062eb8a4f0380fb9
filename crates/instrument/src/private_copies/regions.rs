//! Regions from barrier to barrier: both passes of each, in one run of the kernel.
//!
//! A barrier is where the threads of a block compare their copies. In the first pass they go back to where the region began,
//! with the registers that they had there; in the second they go on. A thread that has left the kernel comes to one place
//! behind its last instruction and takes part in further barriers, until all threads of its block are there.
//!
//! Of the registers, those are kept that are read behind the barrier and written before the next one. All that are read behind it
//! make a sum, which is the same in both passes unless a thread saw what others changed.

use super::stores;
use super::uses::OriginOfAccess;
use crate::body::Body;
use crate::refusal::{InstructionRefusal, Refusal};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use warpsan_ir::{
    BarrierOp, Function, Instruction as Lowered, Liveness, Name, Op, Uses, written_until,
};
use warpsan_ptx::{Instruction, Statement};

/// A register or predicate that the text has a name for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    text: String,
    /// Of a register; none for a predicate.
    bits: Option<u8>,
}

/// A barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Site {
    /// Counted from 1; the kernel's beginning is 0.
    number: usize,
    /// What threads have to get back to begin the region behind it again.
    kept: Vec<Kept>,
    /// What is read behind it, and was written on some way to it.
    read: Vec<Kept>,
}

/// The barriers of a kernel, by their places in the text.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    sites: BTreeMap<u32, Site>,
    /// In safe execution regions are merged.
    merges: bool,
}

fn is_barrier(op: &Op) -> bool {
    matches!(op, Op::BlockBarrier { .. })
}

/// Looks for barriers.
pub(super) fn of(
    function: &Function,
    tree: &warpsan_ptx::Function<'_>,
    merges: bool,
) -> Result<Regions, Refusal> {
    if function.local_bytes > 0 {
        return Err(Refusal::LocalMemoryInRegions);
    }
    let outermost: Vec<u32> = tree
        .body
        .unwrap_or_default()
        .iter()
        .filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction.span.start),
            _ => None,
        })
        .collect();
    let liveness = Liveness::of(function);
    let bits = register_bits(function);
    let mut regions = Regions { merges, ..Regions::default() };
    for (at, instruction) in function.code.iter().enumerate() {
        let Op::BlockBarrier { op, .. } = &instruction.op else { continue };
        let refuse = |why| Refusal::Instruction {
            instruction: "bar".to_owned(),
            reason: InstructionRefusal::BeyondCopies(why),
        };
        if !matches!(op, BarrierOp::Sync) {
            return Err(refuse("a barrier that also combines values"));
        }
        if instruction.guard.is_some() || !outermost.contains(&instruction.span.start) {
            return Err(refuse("a barrier under a guard, or in inner braces"));
        }
        let behind = at as u32 + 1;
        let live = liveness.before(behind);
        let changing = live.both(&written_until(function, behind, is_barrier));
        let named = |name: Name| -> Result<Kept, Refusal> {
            let text =
                function.text_of(name).ok_or_else(|| refuse("with a register without a name"))?;
            let bits = match name {
                Name::Register(number) => Some(*bits.get(&number).unwrap_or(&32)),
                Name::Predicate(_) => None,
            };
            if bits.is_some_and(|bits| bits > 64) {
                return Err(refuse("with registers of 128 bits"));
            }
            Ok(Kept { text, bits })
        };
        let kept = changing.names().map(named).collect::<Result<_, _>>()?;
        let read = live.names().map(named).collect::<Result<_, _>>()?;
        let number = regions.sites.len() + 1;
        regions.sites.insert(instruction.span.start, Site { number, kept, read });
    }
    Ok(regions)
}

fn register_bits(function: &Function) -> HashMap<u32, u8> {
    let mut bits = HashMap::new();
    for instruction in &function.code {
        let uses = Uses::of(&instruction.op);
        for register in uses.reads.iter().chain(&uses.writes) {
            bits.insert(register.number, register.bits);
        }
    }
    bits
}

/// Declares what regions need, and fills the copies of shared memory.
pub(super) fn begin(body: &mut Body<'_, '_>, outputs: &[(&str, String)]) {
    body.out.push_str(
        "\t.reg .b32 %ws_shared_copy, %ws_shared_place, %ws_turn, %ws_from, %ws_sum, %ws_new_sum, %ws_decision;\n\
         \t.reg .b32 %ws_low, %ws_high, %ws_word;\n\t.reg .b64 %ws_first, %ws_linear;\n\
         \tmov.b32 %ws_turn, 0;\n\tmov.b32 %ws_from, 0;\n\tmov.b32 %ws_sum, 0;\n\tmov.b32 %ws_new_sum, 0;\n\
         \tmov.b32 %ws_low, -1;\n\tmov.b32 %ws_high, 0;\n",
    );
    let sites: Vec<Site> = body.private.regions.sites.values().cloned().collect();
    for site in &sites {
        for (index, kept) in site.kept.iter().enumerate() {
            let number = site.number;
            let _ = match kept.bits {
                Some(bits) => writeln!(body.out, "\t.reg .b{bits} %ws_kept_{number}_{index};"),
                None => writeln!(body.out, "\t.reg .pred %ws_kept_{number}_{index};"),
            };
        }
    }
    body.ship("ws_ld_enter_regions", 0, outputs);
    let _ = writeln!(
        body.out,
        "\tld.param.b64 %ws_first, [{}+{}];\n\tadd.s64 %ws_first, %ws_first, %ws_copy;",
        crate::variables::CONTEXT_NAME,
        crate::context::LaunchContext::COPY_START,
    );
}

/// The first region begins here.
pub(super) fn first(body: &mut Body<'_, '_>) {
    body.out.push_str("$ws_after_0:\n");
}

/// Brings an address of shared memory to the warp's copy.
pub(super) fn shared_address(body: &mut Body<'_, '_>, register: &str, narrow: bool) {
    let _ = match (register, narrow) {
        ("", _) => writeln!(body.out, "\tmov.b32 %ws_shared_place, 0;"),
        (base, false) if base.starts_with('%') => {
            writeln!(body.out, "\tcvt.u32.u64 %ws_shared_place, {base};")
        }
        (base, _) => writeln!(body.out, "\tmov.b32 %ws_shared_place, {base};"),
    };
    body.out.push_str("\tadd.u32 %ws_shared_place, %ws_shared_place, %ws_shared_copy;\n");
}

/// Notes which words of its copy a store changes, whose address is in our register.
pub(super) fn store(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    op: &Op,
    (origin, offset): (OriginOfAccess, i64),
) {
    let Op::Store { ty, from, .. } = op else { return };
    let last = offset + i64::from(ty.bytes()) * from.len() as i64 - 1;
    body.guarded(instruction, |body| {
        let number = body.writer.next_number();
        let _ = write!(
            body.out,
            "\tsetp.eq.u64 %ws_counts, %ws_to_{origin}, 0;\n\t@%ws_counts bra $ws_uncopied_{number};\n\
             \tsub.s64 %ws_linear, %ws_moved, %ws_first;\n\tadd.s64 %ws_address, %ws_linear, {offset};\n\
             \tshr.u64 %ws_address, %ws_address, 2;\n\tcvt.u32.u64 %ws_word, %ws_address;\n\
             \tmin.u32 %ws_low, %ws_low, %ws_word;\n\tadd.s64 %ws_address, %ws_linear, {last};\n\
             \tshr.u64 %ws_address, %ws_address, 2;\n\tcvt.u32.u64 %ws_word, %ws_address;\n\
             \tadd.u32 %ws_word, %ws_word, 1;\n\tmax.u32 %ws_high, %ws_high, %ws_word;\n\
             $ws_uncopied_{number}:\n"
        );
    });
}

/// Adds values of registers to the sum.
fn sum(body: &mut Body<'_, '_>, number: usize, read: &[Kept]) {
    let _ = writeln!(body.out, "\tmov.b32 %ws_new_sum, {number};");
    for kept in read {
        let brought = match kept.bits {
            None => Some(format!("\tselp.b32 %ws_a, 1, 0, {};\n", kept.text)),
            Some(bits) => stores::brought(&kept.text, bits),
        };
        if let Some(brought) = brought {
            body.out.push_str(&brought);
            body.out.push_str(&stores::mix("%ws_new_sum", "%ws_a"));
        }
    }
}

/// Lets the threads of the block compare, and those go back that have to.
fn meet(body: &mut Body<'_, '_>, at_end: bool) {
    let merges = body.private.regions.merges;
    let inputs = [
        ("at_end", u32::from(at_end).to_string()),
        ("pass", "%ws_turn".to_owned()),
        ("region", "%ws_region".to_owned()),
        ("sum", "%ws_sum".to_owned()),
        ("new_sum", "%ws_new_sum".to_owned()),
        ("low", "%ws_low".to_owned()),
        ("high", "%ws_high".to_owned()),
        ("merges", u32::from(merges).to_string()),
        ("decision", "%ws_decision".to_owned()),
    ];
    body.out
        .push_str("\txor.b32 %ws_new_sum, %ws_new_sum, %ws_stored;\n\tmov.b32 %ws_stored, 0;\n");
    body.ship("ws_ld_end_region", 0, &inputs);
    body.out.push_str(
        "\tmov.b32 %ws_low, -1;\n\tmov.b32 %ws_high, 0;\n\tmov.b32 %ws_sum, %ws_new_sum;\n\
         \tsetp.eq.u32 %ws_counts, %ws_decision, 0;\n\t@%ws_counts bra $ws_again;\n\
         \tmov.b32 %ws_turn, 0;\n\tadd.u32 %ws_region, %ws_region, 1;\n",
    );
}

/// A barrier in the kernel.
pub(super) fn barrier(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Lowered,
) -> Result<(), Refusal> {
    let Some(site) = body.private.regions.sites.get(&instruction.span.start).cloned() else {
        return Ok(());
    };
    sum(body, site.number, &site.read);
    meet(body, false);
    let number = site.number;
    let _ = writeln!(body.out, "\tmov.b32 %ws_from, {number};");
    copy_kept(body, &site, true);
    let _ = writeln!(body.out, "$ws_after_{number}:");
    Ok(())
}

fn copy_kept(body: &mut Body<'_, '_>, site: &Site, saves: bool) {
    for (index, kept) in site.kept.iter().enumerate() {
        let saved = format!("%ws_kept_{}_{index}", site.number);
        let (to, from) = if saves { (&saved, &kept.text) } else { (&kept.text, &saved) };
        let _ = match kept.bits {
            Some(bits) => writeln!(body.out, "\tmov.b{bits} {to}, {from};"),
            None => writeln!(body.out, "\tmov.pred {to}, {from};"),
        };
    }
}

/// Where threads are that have left the kernel, and the ways back to where regions begin.
pub(super) fn end(body: &mut Body<'_, '_>) {
    let sites: Vec<Site> = body.private.regions.sites.values().cloned().collect();
    let last = sites.len() + 1;
    let _ = writeln!(body.out, "$ws_end:\n\tmov.b32 %ws_new_sum, {last};");
    meet(body, true);
    let _ = writeln!(
        body.out,
        "\tsetp.eq.u32 %ws_counts, %ws_decision, 2;\n\t@%ws_counts ret;\n\tmov.b32 %ws_from, {last};\n\
         \tbra $ws_end;\n$ws_again:\n\tmov.b32 %ws_turn, 1;\n\
         \tsetp.eq.u32 %ws_counts, %ws_from, 0;\n\t@%ws_counts bra $ws_after_0;"
    );
    for site in &sites {
        let number = site.number;
        let _ = writeln!(
            body.out,
            "\tsetp.ne.u32 %ws_counts, %ws_from, {number};\n\t@%ws_counts bra $ws_not_{number};"
        );
        copy_kept(body, site, false);
        let _ = writeln!(body.out, "\tbra $ws_after_{number};\n$ws_not_{number}:");
    }
    body.out.push_str("\tbra $ws_end;\n");
}
