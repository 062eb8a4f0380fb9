//! What a race among threads of a process has beside what all races have: who the threads are, which locks they held,
//! and what memory they met in. Stacks are frames with names and lines; those of the two accesses are in
//! [`AccessReport::frames`](crate::AccessReport::frames).

use serde::{Deserialize, Serialize};
use warpsan_model::{SourceFrame, SourcePosition, position_for_reader};

/// What is known of a race among threads of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadRace {
    /// Of the access that came first.
    pub first: ThreadSide,
    /// Of the access that came second.
    pub second: ThreadSide,
    /// What they met in.
    pub memory: ThreadMemory,
    /// The threads of both sides, and others that matter, as far as they are known.
    pub threads: Vec<ThreadReport>,
}

/// The thread of one access, and what it was doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadSide {
    /// Its number, as in [`ThreadReport::number`].
    pub thread: u32,
    /// The function of the C library that makes the access for the program, as `memcpy`.
    pub function: Option<String>,
    /// Locks that the thread held, the one that it took last at the end.
    pub locks: Vec<LockReport>,
    /// Which these were was no longer known when the race was seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locks_lost: bool,
    /// Where it is was no longer known when the race was seen.
    pub stack_lost: bool,
}

/// A lock that was held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockReport {
    /// Where it is.
    pub address: u64,
    /// Whether it was held for writing.
    pub exclusive: bool,
    /// Where the thread took it, from the inside out; empty where that is not known.
    pub stack: Vec<SourceFrame>,
}

/// What two threads met in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ThreadMemory {
    /// A block of the heap.
    Heap {
        /// How large it is.
        bytes: u64,
        /// Whether it was freed before the race was seen.
        freed: bool,
        /// Who allocated it.
        thread: Option<u32>,
        /// Where, from the inside out; empty where that is not known.
        stack: Vec<SourceFrame>,
    },
    /// A variable of a file that is loaded.
    Global {
        /// The file.
        module: String,
    },
    /// The stack of a thread.
    Stack {
        /// Whose.
        thread: u32,
    },
    /// A thread's own copy of a thread-local variable.
    ThreadLocal {
        /// Whose.
        thread: u32,
    },
    /// Anything else: a mapping.
    Other,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadReport {
    /// Its number: 0 is the main thread, and others are counted in the order in which they were started.
    pub number: u32,
    /// Its name, if it was given one.
    pub name: Option<String>,
    /// The thread that started it, where that was seen.
    pub started_by: Option<u32>,
    /// Where it was started, from the inside out; empty where that is not known.
    pub started_at: Vec<SourceFrame>,
    /// Whether it had ended when the race was seen.
    pub ended: bool,
}

/// What a report says of all processes that were checked for races among their threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadSummary {
    /// The detector.
    pub detector: String,
    /// It is one that never finds races, so that nothing was checked.
    #[serde(skip)]
    pub without_detection: bool,
    /// Processes that were checked.
    pub processes: u64,
    /// Processes among them that did not say that they end: a signal, `_exit` or `exec`.
    pub unended_processes: u64,
    /// Threads that they had, as far as they said so.
    pub threads: u64,
    /// Programs and libraries of accesses whose lines are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_line_information: Vec<String>,
    /// Figures of the detector, where they were asked for: sums over all processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statistics: Vec<ThreadStatistic>,
}

/// A figure of a detector for threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadStatistic {
    /// What it is.
    pub name: String,
    /// How much.
    pub value: serde_json::Number,
}

impl ThreadRace {
    /// What is known of a thread.
    pub fn thread(&self, number: u32) -> Option<&ThreadReport> {
        self.threads.iter().find(|thread| thread.number == number)
    }

    /// A thread as it is spoken of.
    pub fn name_of(&self, number: u32) -> String {
        let name = self.thread(number).and_then(|thread| thread.name.as_deref());
        match (number, name) {
            (0, _) => "the main thread".to_string(),
            (_, Some(name)) => format!("thread {number} `{name}`"),
            (_, None) => format!("thread {number}"),
        }
    }

    /// All stacks beside those of the accesses, to name other paths in them.
    pub fn stacks_mut(&mut self) -> impl Iterator<Item = &mut Vec<SourceFrame>> {
        let locks = self.first.locks.iter_mut().chain(&mut self.second.locks);
        let threads = self.threads.iter_mut().map(|thread| &mut thread.started_at);
        let allocation = match &mut self.memory {
            ThreadMemory::Heap { stack, .. } => Some(stack),
            _ => None,
        };
        locks.map(|lock| &mut lock.stack).chain(threads).chain(allocation)
    }
}

/// The frame of a stack that a reader should look at: the innermost one of the program's own code that has a line, or else
/// the innermost one.
pub(crate) fn shown_frame(stack: &[SourceFrame]) -> Option<&SourceFrame> {
    let at = |position: &SourcePosition| {
        stack.iter().find(|frame| frame.position.as_ref() == Some(position))
    };
    position_for_reader(stack).and_then(at).or_else(|| stack.first())
}

/// The name of a function in a frame. Where there are no lines, its place in the file follows the name in parentheses.
pub(crate) fn function_name(frame: &SourceFrame) -> &str {
    match frame.function.rsplit_once(" (") {
        Some((name, place)) if frame.position.is_none() && place.ends_with(')') => name,
        _ => &frame.function,
    }
}
