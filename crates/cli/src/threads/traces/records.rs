//! Races of a trace as records of a process.

use super::places::Places;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use warpsan_thread_detect::{EarlierAccess, Span};
use warpsan_thread_report::{
    Lock, Memory, RaceRecord, Side, SideAccess, Stack, StackFrame, Thread,
};
use warpsan_thread_trace::std_text::NamedTrace;
use warpsan_thread_trace::{Accessed, Action, Site, StartOf, TraceThread, Witnessed};

/// All that records are made of.
pub(super) struct Records<'a> {
    pub(super) places: &'a Places,
    pub(super) starts: &'a HashMap<TraceThread, StartOf>,
    pub(super) ended: &'a HashSet<TraceThread>,
    /// The file of a text, whose lines are the places, and what it says.
    pub(super) text: Option<(&'a Path, &'a NamedTrace)>,
}

impl Records<'_> {
    /// The record of a race.
    pub(super) fn race(&self, number: u32, witnessed: &Witnessed) -> RaceRecord {
        let race = &witnessed.race;
        let unseen = || Side {
            access: access_of(race.conflict.access),
            span: None,
            thread: race.earlier.0,
            stack: None,
            function: None,
            locks: Vec::new(),
            locks_lost: true,
        };
        let [first, second] =
            [&witnessed.earlier, &witnessed.later].map(|side| self.side(side.as_ref()));
        let later = witnessed.later.as_ref().map_or(race.earlier, |later| later.event.thread);
        RaceRecord {
            number,
            first: first.unwrap_or_else(unseen),
            second: second.unwrap_or_else(unseen),
            address: race.span.address,
            bytes: race.span.size,
            memory: self.memory(witnessed),
            threads: self.threads([race.earlier, later]),
        }
    }

    fn side(&self, accessed: Option<&Accessed>) -> Option<Side> {
        let accessed = accessed?;
        let (access, span) = sort_of(accessed.event.action)?;
        let lock = |held: &warpsan_thread_trace::HeldLock| Lock {
            address: held.lock.0,
            exclusive: held.exclusive,
            stack: self.stack(held.site),
        };
        Some(Side {
            access,
            span: Some((span.address, span.size)),
            thread: accessed.event.thread.0,
            stack: self.stack_of_event(accessed),
            function: None,
            locks: accessed.locks.iter().map(lock).collect(),
            locks_lost: false,
        })
    }

    /// Where an access was: in a text, its line.
    fn stack_of_event(&self, accessed: &Accessed) -> Option<Stack> {
        match self.text {
            Some((path, named)) => {
                let offset = *named.lines.get(accessed.index)? as u64;
                Some(vec![StackFrame { module: path.to_string_lossy().into_owned(), offset }])
            }
            None => self.stack(accessed.event.site),
        }
    }

    fn stack(&self, site: Site) -> Option<Stack> {
        self.places.stack(site)
    }

    fn memory(&self, witnessed: &Witnessed) -> Memory {
        if let Some((path, _)) = self.text {
            let module = path.to_string_lossy().into_owned();
            return Memory::Global { module, offset: witnessed.race.span.address };
        }
        match &witnessed.memory {
            Some(block) => Memory::Heap {
                start: block.span.address,
                bytes: block.span.size,
                freed: block.is_freed,
                thread: Some(block.thread.0),
                stack: self.stack(block.site),
            },
            None => self.places.memory_at(witnessed.race.span.address),
        }
    }

    /// Both threads, and those that started them.
    fn threads(&self, both: [TraceThread; 2]) -> Vec<Thread> {
        let mut numbers: Vec<TraceThread> = both.to_vec();
        let mut next = 0;
        while let Some(thread) = numbers.get(next) {
            let starter = self.starts.get(thread).map(|start| start.by);
            numbers.extend(starter.filter(|starter| !numbers.contains(starter)));
            next += 1;
        }
        numbers.sort_unstable();
        numbers.dedup();
        let thread = |number: TraceThread| {
            let start = self.starts.get(&number);
            Thread {
                number: number.0,
                name: self
                    .text
                    .and_then(|(_, named)| named.names.thread(number))
                    .map(str::to_owned),
                started_by: start.map(|start| start.by.0),
                started_at: start.and_then(|start| self.stack(start.site)),
                ended: self.ended.contains(&number),
            }
        };
        numbers.into_iter().map(thread).collect()
    }
}

fn access_of(access: EarlierAccess) -> SideAccess {
    match access {
        EarlierAccess::Read => SideAccess::Read,
        EarlierAccess::Write => SideAccess::Write,
        EarlierAccess::AtomicRead => SideAccess::AtomicRead,
        EarlierAccess::AtomicWrite => SideAccess::AtomicWrite,
    }
}

fn sort_of(action: Action) -> Option<(SideAccess, Span)> {
    match action {
        Action::Read(span) => Some((SideAccess::Read, span)),
        Action::Write(span) => Some((SideAccess::Write, span)),
        Action::Free(span) => Some((SideAccess::Free, span)),
        Action::AtomicRead(span, _) => Some((SideAccess::AtomicRead, span)),
        Action::AtomicWrite(span, _) | Action::AtomicUpdate(span, _) => {
            Some((SideAccess::AtomicWrite, span))
        }
        _ => None,
    }
}
