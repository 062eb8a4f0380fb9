//! Kernels in a trace: facts and sites, recorded once and then named by a number.

use super::bytes::{Cursor, Fault, fault, put_difference, put_number, put_text};
use crate::{KernelFacts, SharedVariable, Site, SiteTable};
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_model::{PassLoop, PassOrder, PassPlace, SiteId, SourceFrame, SourcePosition};

/// Kernels that are known at a time: one more takes the number of the one that was recorded first.
const SLOTS: usize = 64;

/// What an allocation takes beside its bytes, about.
const ALLOCATION: usize = 32;

/// What a launch says of its kernel.
pub(super) type Kernel = (Arc<KernelFacts>, Arc<SiteTable>);

/// Kernels may take so much memory together: a few bytes of a trace can stand for a site of a hundred.
const MOST_BYTES: usize = 1 << 30;

/// The kernels that were recorded last, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    slots: Vec<Kernel>,
    /// The memory that each takes, where it was read.
    bytes: Vec<usize>,
    next: usize,
}

/// What a part of a kernel takes out of the memory that is left for kernels.
fn take(room: &mut usize, bytes: usize) -> Result<(), Fault> {
    match room.checked_sub(bytes) {
        Some(left) => {
            *room = left;
            Ok(())
        }
        None => fault("the kernels that are known at a time take more than 1 GiB"),
    }
}

impl Kernels {
    /// The number of a kernel that was recorded.
    pub(super) fn number(&self, facts: &Arc<KernelFacts>, sites: &Arc<SiteTable>) -> Option<usize> {
        self.slots
            .iter()
            .position(|(one, other)| Arc::ptr_eq(one, facts) && Arc::ptr_eq(other, sites))
    }

    /// The memory that the next kernel may take.
    pub(super) fn room(&self) -> usize {
        // Its number is that of another one, which then goes.
        let others = self.bytes.iter().enumerate().filter(|(number, _)| *number != self.next);
        MOST_BYTES.saturating_sub(others.map(|(_, bytes)| bytes).sum())
    }

    /// Takes a kernel and gives its number.
    pub(super) fn add(&mut self, kernel: Kernel) -> usize {
        self.add_sized(kernel, 0)
    }

    /// Takes a kernel that takes so much memory, and gives its number.
    pub(super) fn add_sized(&mut self, kernel: Kernel, bytes: usize) -> usize {
        let number = self.next;
        match self.slots.get_mut(number) {
            Some(slot) => {
                *slot = kernel;
                self.bytes[number] = bytes;
            }
            None => {
                self.slots.push(kernel);
                self.bytes.push(bytes);
            }
        }
        self.next = (number + 1) % SLOTS;
        number
    }

    pub(super) fn get(&self, number: u64) -> Option<&Kernel> {
        self.slots.get(usize::try_from(number).ok()?)
    }
}

/// Texts by the number of their first use.
#[derive(Default)]
struct Texts<'a> {
    numbers: HashMap<&'a str, u64>,
    in_order: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> u64 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.in_order.push(text);
            self.in_order.len() as u64 - 1
        })
    }
}

/// Writes all that is known of a kernel.
pub(super) fn put_kernel(out: &mut Vec<u8>, facts: &KernelFacts, sites: &SiteTable) {
    put_facts(out, facts);
    let mut texts = Texts::default();
    let mut table = Vec::new();
    let mut line = 0;
    // Origin and operation follow from text and line.
    for Site { instruction, ptx_line, frames, .. } in &sites.sites {
        put_number(&mut table, texts.number(instruction));
        put_difference(&mut table, u64::from(*ptx_line), line);
        line = u64::from(*ptx_line);
        put_number(&mut table, frames.len() as u64);
        for SourceFrame { function, position } in frames {
            put_number(&mut table, texts.number(function));
            match position {
                None => put_number(&mut table, 0),
                Some(SourcePosition { file, line, column }) => {
                    put_number(&mut table, texts.number(file) + 1);
                    put_number(&mut table, u64::from(*line));
                    put_number(&mut table, u64::from(*column));
                }
            }
        }
    }
    put_number(out, texts.in_order.len() as u64);
    for text in &texts.in_order {
        put_text(out, text);
    }
    put_number(out, sites.sites.len() as u64);
    out.extend_from_slice(&table);
}

fn put_facts(out: &mut Vec<u8>, facts: &KernelFacts) {
    // Named one by one, so that a new fact is not forgotten here.
    let KernelFacts {
        name,
        display_name,
        shared_variables,
        has_line_information,
        uses_strong_accesses,
        uses_atomics,
        may_use_locks,
        uses_fences,
        uses_block_barriers,
        uses_warp_synchronisation,
        uses_async_copies,
        uses_mbarriers,
        uses_cluster,
        uses_bulk_copies,
        blocks_never_meet,
        pass_order,
    } = facts;
    put_text(out, name);
    put_text(out, display_name);
    put_number(out, shared_variables.len() as u64);
    for SharedVariable { name, offset, bytes } in shared_variables {
        put_text(out, name);
        put_number(out, *offset);
        put_number(out, *bytes);
    }
    let flags = [
        has_line_information,
        uses_strong_accesses,
        uses_atomics,
        may_use_locks,
        uses_fences,
        uses_block_barriers,
        uses_warp_synchronisation,
        uses_async_copies,
        uses_mbarriers,
        uses_cluster,
        uses_bulk_copies,
        blocks_never_meet,
    ];
    let bits = flags.iter().enumerate().map(|(bit, flag)| u64::from(**flag) << bit);
    put_number(out, bits.fold(0, |all, bit| all | bit));
    put_pass_order(out, pass_order);
}

/// None is 0, and all others are one more.
fn put_optional(out: &mut Vec<u8>, number: Option<u32>) {
    put_number(out, number.map_or(0, |number| u64::from(number) + 1));
}

fn optional(cursor: &mut Cursor<'_>) -> Result<Option<u32>, Fault> {
    match cursor.number()? {
        0 => Ok(None),
        more => match u32::try_from(more - 1) {
            Ok(number) => Ok(Some(number)),
            Err(_) => fault("a number of a loop or a site is too large"),
        },
    }
}

fn put_pass_order(out: &mut Vec<u8>, PassOrder { places, loops }: &PassOrder) {
    put_number(out, loops.len() as u64);
    for PassLoop { parent, back, first_barrier } in loops {
        put_optional(out, *parent);
        put_number(out, u64::from(back.0));
        put_optional(out, *first_barrier);
    }
    put_number(out, places.len() as u64);
    let mut before = 0;
    for PassPlace { number, innermost, barrier, any_barrier } in places {
        put_difference(out, u64::from(*number), before);
        before = u64::from(*number);
        put_optional(out, *innermost);
        put_optional(out, barrier.map(|site| site.0));
        put_optional(out, any_barrier.map(|site| site.0));
    }
}

fn pass_order(cursor: &mut Cursor<'_>, room: &mut usize) -> Result<PassOrder, Fault> {
    let mut order = PassOrder::default();
    let count = cursor.number()?;
    for number in 0..count {
        take(room, size_of::<PassLoop>())?;
        let parent = optional(cursor)?;
        // What is around a loop stands behind it, so that every chain of loops ends.
        if parent.is_some_and(|parent| u64::from(parent) <= number || u64::from(parent) >= count) {
            return fault("a loop is in one that does not stand behind it");
        }
        let back = SiteId(cursor.number32()?);
        order.loops.push(PassLoop { parent, back, first_barrier: optional(cursor)? });
    }
    let mut number = 0;
    for _ in 0..cursor.number()? {
        take(room, size_of::<PassPlace>())?;
        number = cursor.difference32(number)?;
        let innermost = optional(cursor)?;
        if innermost.is_some_and(|innermost| u64::from(innermost) >= count) {
            return fault("a site names a loop that is not there");
        }
        let barrier = optional(cursor)?.map(SiteId);
        let any_barrier = optional(cursor)?.map(SiteId);
        order.places.push(PassPlace { number, innermost, barrier, any_barrier });
    }
    Ok(order)
}

/// Facts that older traces do not have.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownFacts {
    /// Without it, every asynchronous copy may be a bulk copy.
    pub(super) bulk_copies: bool,
    pub(super) pass_order: bool,
}

/// Reads what [`put_kernel`] wrote. `room` is the memory that there is for it, and becomes what is left of that.
pub(super) fn kernel(
    cursor: &mut Cursor<'_>,
    known: KnownFacts,
    room: &mut usize,
) -> Result<Kernel, Fault> {
    let mut facts = facts(cursor, room)?;
    if !known.bulk_copies {
        facts.uses_bulk_copies = facts.uses_async_copies;
    }
    if known.pass_order {
        facts.pass_order = pass_order(cursor, room)?;
    }
    let mut texts: Vec<Arc<str>> = Vec::new();
    for _ in 0..cursor.number()? {
        let text = cursor.text()?;
        take(room, size_of::<Arc<str>>() + ALLOCATION + text.len())?;
        texts.push(text.into());
    }
    let text = |number: u64| match usize::try_from(number).ok().and_then(|n| texts.get(n)) {
        Some(text) => Ok(Arc::clone(text)),
        None => fault("a site names a text that is not there"),
    };
    let mut sites = Vec::new();
    let mut ptx_line = 0;
    for _ in 0..cursor.number()? {
        take(room, size_of::<Site>())?;
        let instruction = text(cursor.number()?)?;
        ptx_line = cursor.difference32(ptx_line)?;
        let mut frames = Vec::new();
        for _ in 0..cursor.number()? {
            take(room, size_of::<SourceFrame>())?;
            let function = text(cursor.number()?)?;
            let position = match cursor.number()? {
                0 => None,
                file => Some(SourcePosition {
                    file: text(file - 1)?,
                    line: cursor.number32()?,
                    column: cursor.number32()?,
                }),
            };
            frames.push(SourceFrame { function, position });
        }
        sites.push(Site::new(instruction, ptx_line, frames));
    }
    let PassOrder { places, loops } = &facts.pass_order;
    let is_there = |site: SiteId| (site.0 as usize) < sites.len();
    if places.len() > sites.len()
        || !loops.iter().all(|one| is_there(one.back))
        || !places
            .iter()
            .flat_map(|place| [place.barrier, place.any_barrier])
            .flatten()
            .all(is_there)
    {
        return fault("the order of passes names a site that is not there");
    }
    Ok((Arc::new(facts), Arc::new(SiteTable { sites })))
}

fn facts(cursor: &mut Cursor<'_>, room: &mut usize) -> Result<KernelFacts, Fault> {
    let name = cursor.text()?.to_string();
    let display_name = cursor.text()?.to_string();
    let mut shared_variables = Vec::new();
    for _ in 0..cursor.number()? {
        let name = cursor.text()?.to_string();
        take(room, size_of::<SharedVariable>() + ALLOCATION + name.len())?;
        shared_variables.push(SharedVariable {
            name,
            offset: cursor.number()?,
            bytes: cursor.number()?,
        });
    }
    let bits = cursor.number()?;
    let flag = |bit: u32| bits >> bit & 1 == 1;
    Ok(KernelFacts {
        name,
        display_name,
        shared_variables,
        has_line_information: flag(0),
        uses_strong_accesses: flag(1),
        uses_atomics: flag(2),
        may_use_locks: flag(3),
        uses_fences: flag(4),
        uses_block_barriers: flag(5),
        uses_warp_synchronisation: flag(6),
        uses_async_copies: flag(7),
        uses_mbarriers: flag(8),
        uses_cluster: flag(9),
        uses_bulk_copies: flag(10),
        // Traces that do not say it leave it open.
        blocks_never_meet: flag(11),
        pass_order: PassOrder::default(),
    })
}
