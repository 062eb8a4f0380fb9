//! A trace as text.
//!
//! Variables are pieces of memory: an access that ends in the middle of another one divides it, so that every access is to
//! whole variables, and two variables have no byte in common. Memory that is given out again has other variables than before; a
//! free is a write to all that were accessed. A lock that was destroyed has another name when it comes back.
//!
//! What the format has no words for (atomics, fences, barriers, locks for readers) is refused: a reader would find races
//! that are none.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use thiserror::Error;
use warpsan_thread_detect::Span;

use super::{NamedTrace, Names};
use crate::event::{Action, Lock, Trace, TraceThread};

/// Why a trace cannot be said in this format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("event {event}: the STD format has no operation for {action:?}")]
pub struct PrintError {
    /// Which event, from zero.
    pub event: usize,
    /// What it is.
    pub action: Action,
}

/// Writes a trace, with the names that it was read with, or numbers.
pub fn print(named: &NamedTrace) -> Result<String, PrintError> {
    let NamedTrace { trace, names, .. } = named;
    let mut text = String::new();
    let mut variables = Variables::of(trace);
    let mut locks = Locks::default();
    for (index, event) in trace.events.iter().enumerate() {
        let thread = |thread: TraceThread| names.threads.name(thread.0.into(), 'T');
        let accesses = |word: &str, numbers: Vec<u64>| -> Vec<String> {
            let named = |number| format!("{word}({})", names.variables.name(number, 'V'));
            numbers.into_iter().map(named).collect()
        };
        let operations = match event.action {
            Action::Read(span) => accesses("r", variables.of_access(span)),
            Action::Write(span) => accesses("w", variables.of_access(span)),
            Action::Acquire(lock) => vec![format!("acq({})", locks.name(lock, names))],
            Action::Release(lock) => vec![format!("rel({})", locks.name(lock, names))],
            Action::Fork(child) => vec![format!("fork({})", thread(child))],
            Action::Join(child) => vec![format!("join({})", thread(child))],
            Action::Begin => vec!["begin".to_owned()],
            Action::End => vec!["end".to_owned()],
            // Nothing is ordered by the end of a thread that nobody waits for.
            Action::Abandon(_) => Vec::new(),
            Action::Destroy(span) => {
                locks.destroy(span);
                Vec::new()
            }
            Action::Allocate(span) => {
                variables.begin_anew(span);
                locks.destroy(span);
                Vec::new()
            }
            Action::Free(span) => {
                locks.destroy(span);
                accesses("w", variables.accessed_in(span))
            }
            Action::AtomicRead(..)
            | Action::AtomicWrite(..)
            | Action::AtomicUpdate(..)
            | Action::Fence(_)
            | Action::Post(_)
            | Action::AcquireForReading(_)
            | Action::ReleaseFromReading(_)
            | Action::AcquireForWriting(_)
            | Action::ReleaseFromWriting(_)
            | Action::EnterBarrier(..)
            | Action::LeaveBarrier(_) => {
                return Err(PrintError { event: index, action: event.action });
            }
        };
        let site = names.sites.name(event.site.0.into(), 'L');
        for operation in operations {
            let _ = writeln!(text, "{}|{operation}|{site}", thread(event.thread));
        }
    }
    Ok(text)
}

/// Pieces of memory, which are numbered in the order of their first accesses.
struct Variables {
    /// Where accesses begin and end.
    bounds: BTreeSet<u64>,
    /// By their first byte; those that were accessed since their memory was given out.
    numbers: BTreeMap<u64, u64>,
    count: u64,
}

impl Variables {
    fn of(trace: &Trace) -> Self {
        let mut bounds = BTreeSet::new();
        for event in &trace.events {
            if let Action::Read(span) | Action::Write(span) = event.action {
                bounds.extend([span.address, end(span)]);
            }
        }
        Self { bounds, numbers: BTreeMap::new(), count: 0 }
    }

    fn of_access(&mut self, span: Span) -> Vec<u64> {
        let Self { bounds, numbers, count } = self;
        let number = |start: &u64| {
            *numbers.entry(*start).or_insert_with(|| {
                *count += 1;
                *count - 1
            })
        };
        bounds.range(span.address..end(span)).map(number).collect()
    }

    fn accessed_in(&self, span: Span) -> Vec<u64> {
        self.numbers.range(span.address..end(span)).map(|(_, number)| *number).collect()
    }

    fn begin_anew(&mut self, span: Span) {
        let gone: Vec<u64> =
            self.numbers.range(span.address..end(span)).map(|(start, _)| *start).collect();
        gone.iter().for_each(|start| {
            self.numbers.remove(start);
        });
    }
}

/// How often a lock was destroyed.
#[derive(Default)]
struct Locks {
    known: BTreeSet<u64>,
    lives: HashMap<u64, u32>,
}

impl Locks {
    fn name(&mut self, lock: Lock, names: &Names) -> String {
        self.known.insert(lock.0);
        let name = names.locks.name(lock.0, 'L');
        match self.lives.get(&lock.0) {
            Some(life) => format!("{name}_{life}"),
            None => name,
        }
    }

    fn destroy(&mut self, span: Span) {
        for lock in self.known.range(span.address..end(span)) {
            *self.lives.entry(*lock).or_default() += 1;
        }
    }
}

fn end(span: Span) -> u64 {
    span.address.saturating_add(span.size)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::event::{Event, Site};
    use warpsan_thread_detect::MemoryOrder;

    fn printed(actions: &[Action]) -> Result<String, PrintError> {
        let event = |action| Event { thread: TraceThread(0), site: Site(1), action };
        let trace = Trace { events: actions.iter().copied().map(event).collect() };
        print(&NamedTrace { trace, ..NamedTrace::default() })
    }

    #[test]
    fn accesses_of_different_sizes_are_to_whole_variables() {
        let span = |address, size| Span { address, size };
        let text = printed(&[
            Action::Write(span(0x10, 8)),
            Action::Read(span(0x14, 4)),
            Action::Read(span(0x18, 1)),
        ]);
        let expected = "T0|w(V0)|L1\nT0|w(V1)|L1\nT0|r(V1)|L1\nT0|r(V2)|L1\n";
        assert_eq!(text.as_deref(), Ok(expected));
        assert!(parse(expected).is_ok());
    }

    #[test]
    fn what_is_given_out_or_destroyed_has_another_name_later() {
        let block = Span { address: 0x10, size: 0x100 };
        let part = Span { address: 0x10, size: 4 };
        let lock = Action::Acquire(Lock(0x20));
        let text = printed(&[
            Action::Allocate(block),
            Action::Write(part),
            lock,
            Action::Free(block),
            Action::Allocate(block),
            Action::Write(part),
            lock,
        ]);
        let expected = "T0|w(V0)|L1\nT0|acq(L32)|L1\nT0|w(V0)|L1\nT0|w(V1)|L1\nT0|acq(L32_2)|L1\n";
        assert_eq!(text.as_deref(), Ok(expected));
    }

    #[test]
    fn what_the_format_has_no_word_for_is_refused() {
        let fence = Action::Fence(MemoryOrder::Release);
        let error = printed(&[Action::Begin, fence]).expect_err("a fence");
        assert_eq!(error, PrintError { event: 1, action: fence });
    }
}
