//! The programs of `suites/threads`, built with `-fsanitize=thread`, held to their own `//~` comments.
//!
//! Each is built by every compiler that is asked for, run many times under a [`Watch`] — `warpsan run`, the compilers' own
//! runtime, or nothing — and what was [`Observed`] is compared with what the program expects ([`judge`]).
//! `suites/threads/README.md` describes the comments.

mod build;
mod compiler;
mod head;
mod judge;
mod limits;
mod observed;
mod outcome;
mod program;
mod run;
mod runtime_log;

pub(crate) use build::run as run_compiler;
pub use build::{Builder, Linking, Way};
pub use compiler::{Compiler, newest_clang};
pub use head::{Head, Need};
pub use judge::{Difference, Judged, judge};
pub use limits::raise_limits;
pub use observed::{Observed, Place, Said};
pub use outcome::{Counted, Outcome};
pub use program::{Program, read_programs};
pub use run::{Watch, run};
