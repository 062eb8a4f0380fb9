//! Memory that a process shares with those it is forked from. Each process is checked by itself, so that what they do to each other there is not
//! seen: a process that accesses such memory says so.

use std::sync::Mutex;

use warpsan_thread_detect::Span;

use crate::lock::locked;
use crate::runtime::Runtime;
use crate::thread::Thread;

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
    pub(crate) fn inherit(&self, thread: &mut Thread) {
        let mut mappings = locked(&self.0);
        mappings.inherited = mappings.all.clone();
        for span in mappings.inherited.clone() {
            thread.checker.reset(&mut thread.state, span);
        }
    }

    /// The mappings that the process has inherited and accessed.
    fn accessed(&self, runtime: &Runtime) -> Vec<Span> {
        let mappings = locked(&self.0);
        let is_accessed = |span: &&Span| runtime.checker.accessed_words(**span) > 0;
        mappings.inherited.iter().filter(is_accessed).copied().collect()
    }
}

impl Runtime {
    /// Says what could not be checked of memory that processes share.
    pub(crate) fn lose_shared_memory(&self) {
        let accessed = self.shared.accessed(self);
        let bytes: u64 = accessed.iter().map(|span| span.size).sum();
        if bytes > 0 {
            let what = format!("accesses to {bytes} bytes of memory that processes share");
            self.lose(&what, "each process is checked by itself");
        }
    }
}

fn overlap(one: Span, other: Span) -> bool {
    one.address < other.address + other.size && other.address < one.address + one.size
}
