//! The log of a run: all that its processes have to say, in memory that they share with the command.
//!
//! A process that is checked belongs to somebody else. It may close every descriptor, put other files in their place, fill
//! the disk, forbid itself to write files, change its root or its user, or delete our files. None of that reaches memory
//! that is mapped already. So the command makes one file, each process maps it before the program's first instruction and
//! closes it, and from then on to report is to write to memory.
//!
//! - [`LogKeeper`] is the command's side. It makes the file, keeps storage ahead of what is written (a process never
//!   makes the file longer, so no limit or full disk of its own can hurt it), and reads it.
//! - [`Log`] is a process's side: the mapping, which it may write [`Stream`]s to.
//! - [`Evidence`] is what a log holds: the bytes of each stream, and how many pieces found no room.
//!
//! The log is chunks of one size behind a header. A stream takes chunks as it needs them; a chunk names its stream and
//! says how many of its bytes are written. Invariants:
//! - A chunk belongs to one stream for ever, and only the owner of the stream writes to it.
//! - Bytes are counted as written after they were: who is killed in between loses that piece alone, and the reader sees
//!   a stream that ends early, never one that is wrong.
//! - What finds no room is counted in the header. A log that has lost something says so.

mod frames;
mod keeper;
mod layout;
mod log;
mod reading;
mod stream;

pub use frames::{frame, read_frames};
pub use keeper::{Home, LogKeeper};
pub use log::Log;
pub use reading::{Evidence, read_file};
pub use stream::{Lost, Stream, StreamKind};
