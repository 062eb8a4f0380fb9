//! The programs of `suites/programs` under `warpsan run`, held to what an H200 printed and to their own `//~` comments.
//!
//! They are whole CUDA programs that use the runtime widely. Each is built as its head says, run by the
//! `warpsan` command, and compared with its record and its expectations; `suites/programs/README.md` describes
//! both.

mod build;
mod head;
mod judge;
mod program;
mod run;
mod sides;
mod totals;
mod working;

pub use build::{Builder, Code, Cudart, Variant};
pub use head::Head;
pub(crate) use judge::TIME_OUT;
pub use judge::{Difference, Judged, judge};
pub use program::{ExpectedIn, Program, SourceFile, read_programs};
pub use run::{Run, run};
pub use totals::{Row, Totals, reasons};
pub use working::{Working, read_working};
