//! Kernels in a trace: facts and sites, recorded once and then named by a number.

use super::bytes::{Cursor, Fault, fault, put_difference, put_number, put_text};
use crate::{KernelFacts, SharedVariable, Site, SiteTable};
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_model::{SourceFrame, SourcePosition};

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
    ];
    let bits = flags.iter().enumerate().map(|(bit, flag)| u64::from(**flag) << bit);
    put_number(out, bits.fold(0, |all, bit| all | bit));
}

/// Reads what [`put_kernel`] wrote. Older traces do not know bulk copies: every asynchronous copy of
/// theirs may be one. `room` is the memory that there is for it, and becomes what is left of that.
pub(super) fn kernel(
    cursor: &mut Cursor<'_>,
    knows_bulk_copies: bool,
    room: &mut usize,
) -> Result<Kernel, Fault> {
    let mut facts = facts(cursor, room)?;
    if !knows_bulk_copies {
        facts.uses_bulk_copies = facts.uses_async_copies;
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
    })
}
