//! The records.

use serde::{Deserialize, Serialize};

/// One thing that a process says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// The process has instrumented code, and is checked from now on. The first record of a stream.
    Start(Start),
    /// A race, when it is seen first.
    Race(Box<RaceRecord>),
    /// How often races were seen; later ones replace earlier ones.
    Counts(Vec<RaceCount>),
    /// Something was not checked, or not kept.
    Lost(LostRecord),
    /// The process ends in good order.
    End(End),
}

/// Who is checked, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The number of the process.
    pub process: u32,
    /// The process that it is a fork of, if that was checked.
    pub fork_of: Option<u32>,
    /// The name of the detector.
    pub detector: String,
    /// The file of the program.
    pub program: String,
}

/// A race: two accesses to the same bytes that nothing orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceRecord {
    /// Counted from 0 in its process.
    pub number: u32,
    /// The access that came first in this run.
    pub first: Side,
    /// The access that was seen to race.
    pub second: Side,
    /// The first byte that both access.
    pub address: u64,
    /// How many they have in common, as far as it was looked at.
    pub bytes: u64,
    /// What the address belongs to.
    pub memory: Memory,
    /// The threads of both sides, and those that started them, as far as they are known.
    pub threads: Vec<Thread>,
}

/// One of the two accesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// What it does.
    pub access: SideAccess,
    /// The first byte that it accesses, and how many; not known where the stack is not.
    pub span: Option<(u64, u64)>,
    /// The number of its thread, as in [`Thread::number`].
    pub thread: u32,
    /// Where it is; `None` where the thread's record of its accesses no longer went back so far.
    pub stack: Option<Stack>,
    /// The function of the C library that makes the access for the program, as `memcpy` or `free`.
    pub function: Option<String>,
    /// Locks that the thread held, the one that it took last at the end.
    pub locks: Vec<Lock>,
    /// They were no longer known.
    #[serde(default)]
    pub locks_lost: bool,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SideAccess {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic read.
    AtomicRead,
    /// An atomic write, or an atomic read and write.
    AtomicWrite,
    /// The memory is given back.
    Free,
    /// The pointer to the virtual table of an object changes: it is being built or destroyed.
    VptrWrite,
    /// The pointer to the virtual table of an object is read: a virtual function is called.
    VptrRead,
}

/// Calls, from the inside out. The first frame is the access itself.
pub type Stack = Vec<StackFrame>;

/// A place in code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StackFrame {
    /// The file that is mapped there; empty where none is.
    pub module: String,
    /// The address as the file's own addresses count, which debug information uses. It lies within the instruction of the
    /// access or call: nothing has to be subtracted.
    pub offset: u64,
}

/// A lock that was held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// Where it is.
    pub address: u64,
    /// Whether it was held for writing.
    pub exclusive: bool,
    /// Where the thread took it.
    pub stack: Option<Stack>,
}

/// What an address belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// A block of the heap.
    Heap {
        /// Where it begins.
        start: u64,
        /// How large it is.
        bytes: u64,
        /// Whether it was freed before the race was seen.
        freed: bool,
        /// Who allocated it.
        thread: Option<u32>,
        /// Where.
        stack: Option<Stack>,
    },
    /// A variable of a file that is loaded.
    Global {
        /// The file.
        module: String,
        /// The address as the file's own addresses count.
        offset: u64,
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
pub struct Thread {
    /// Its number: 0 is the main thread, and others are counted in the order in which they were started.
    pub number: u32,
    /// Its name, if it was given one.
    pub name: Option<String>,
    /// The thread that started it, where that was seen.
    pub started_by: Option<u32>,
    /// Where it was started.
    pub started_at: Option<Stack>,
    /// Whether it has ended.
    pub ended: bool,
}

/// How often a race was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceCount {
    /// [`RaceRecord::number`].
    pub number: u32,
    /// So often.
    pub count: u64,
}

/// Something was not checked, or not kept, so that the run is not clean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRecord {
    /// What it is, for users.
    pub what: String,
    /// Where.
    pub place: String,
    /// What to do.
    pub advice: String,
}

/// The end of a process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// How many threads there were.
    pub threads: u64,
    /// Figures, for `--stats`.
    pub statistics: Vec<Statistic>,
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// Its name, for users.
    pub name: String,
    /// What it is.
    pub value: f64,
}
