//! Memory that a process shares with those it is forked from. Each process is checked by itself, so that what they do to each other there is not
//! seen: a process that accesses such memory says so.

use std::sync::Mutex;

use warpsan_thread_detect::{Checker, Span, ThreadState};

use crate::active_tool::ActiveTool;
use crate::lock::locked;

/// Writable mappings that other processes can have, too.
#[derive(Default)]
pub(crate) struct SharedMemory(Mutex<Mappings>);

#[derive(Default)]
struct Mappings {
    all: Vec<Span>,
    /// Those that were there when the process was forked.
    inherited: Vec<Span>,
}

impl SharedMemory {
    /// A mapping is shared.
    pub(crate) fn add(&self, span: Span) {
        locked(&self.0).all.push(span);
    }

    /// What is at these addresses is something else now.
    pub(crate) fn remove(&self, span: Span) {
        let mut mappings = locked(&self.0);
        mappings.all.retain(|other| !overlap(span, *other));
        mappings.inherited.retain(|other| !overlap(span, *other));
    }

    /// The process is a fork, which has accessed nothing yet.
    pub(crate) fn inherit(
        &self,
        checker: &Checker<ActiveTool>,
        state: &mut ThreadState<ActiveTool>,
    ) {
        let mut mappings = locked(&self.0);
        mappings.inherited = mappings.all.clone();
        for span in &mappings.inherited {
            checker.reset(state, *span);
        }
    }

    /// The size of the mappings that the process has inherited and accessed.
    pub(crate) fn accessed_bytes(&self, checker: &Checker<ActiveTool>) -> u64 {
        let mappings = locked(&self.0);
        let is_accessed = |span: &&Span| checker.accessed_words(**span) > 0;
        mappings.inherited.iter().filter(is_accessed).map(|span| span.size).sum()
    }
}

fn overlap(one: Span, other: Span) -> bool {
    one.address < other.address + other.size && other.address < one.address + one.size
}
