//! What a checked process with threads says about itself, as plain data.
//!
//! The process writes [`Record`]s to its stream of the log of the run, one frame each ([`encode`]); the command reads them
//! ([`decode`]), names functions and lines, and makes reports of them. Stacks are raw: a file and an offset for each frame.
//! Reading debug information is not for a process that belongs to somebody else.

mod frames;
mod options;
mod record;

pub use frames::{decode, encode};
pub use options::{OPTIONS_VARIABLE, Options};
pub use record::{
    End, Lock, LostRecord, Memory, RaceCount, RaceRecord, Record, Side, SideAccess, Stack,
    StackFrame, Start, Statistic, Thread,
};
