//! Which write a strong read reads from, and which writes it observes through chains of atomic
//! updates.

use std::collections::BTreeMap;

use warpsan_event::AccessKind;

use super::Memory;
use super::assumptions::Assumptions;
use super::moral_strength::morally_strong;
use super::operations::{Operation, Role};
use super::trace::Trace;

/// By operation: the write that it reads from, or that its update follows as the next link of a chain.
/// None where that write is not morally strong with it, or does not cover it exactly.
pub(super) fn sources(trace: &Trace, assumptions: Assumptions) -> Vec<Option<usize>> {
    let mut last: BTreeMap<(Memory, u64), usize> = BTreeMap::new();
    let mut sources = vec![None; trace.operations.len()];
    for (number, operation) in trace.operations.iter().enumerate() {
        if operation.is_mbarrier() {
            continue;
        }
        if operation.is_strong_access() {
            let writes = operation.bytes.clone().map(|byte| last.get(&(operation.memory, byte)));
            let newest = same_for_all(writes).copied();
            sources[number] = newest.filter(|write| {
                let write = &trace.operations[*write];
                write.is_strong_access()
                    && write.same_place(operation)
                    && morally_strong(trace, assumptions, write, operation)
            });
        }
        if operation.writes {
            for byte in operation.bytes.clone() {
                last.insert((operation.memory, byte), number);
            }
        }
    }
    sources
}

/// What all of them are; nothing if they differ or one is missing.
fn same_for_all<T: Copy + PartialEq>(mut all: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// The writes that a strong read observes, nearest first, each with whether it is seen through a chain.
pub(super) fn observed(
    trace: &Trace,
    assumptions: Assumptions,
    sources: &[Option<usize>],
    read: usize,
) -> Vec<usize> {
    let mut writes = Vec::new();
    let mut at = read;
    while let Some(write) = sources[at] {
        writes.push(write);
        let operation = &trace.operations[write];
        let continues = operation.is_update()
            || assumptions.all_synchronise && stores_what_it_read(trace, sources, operation, write);
        if !continues {
            break;
        }
        at = write;
    }
    writes
}

/// A strong store by a thread that had read the write which it replaces: an update whose two halves are
/// not one.
fn stores_what_it_read(
    trace: &Trace,
    sources: &[Option<usize>],
    store: &Operation,
    number: usize,
) -> bool {
    store.role == Role::Access(AccessKind::Write)
        && sources[number].is_some()
        && (0..number).any(|earlier| {
            let operation = &trace.operations[earlier];
            operation.observes()
                && operation.agent == store.agent
                && sources[earlier] == sources[number]
        })
}
