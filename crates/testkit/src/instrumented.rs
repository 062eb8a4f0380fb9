//! Kernels of the suites with their checks in place: what instrumentation makes of them is assembled.
//!
//! The instrumented PTX of every kernel has to be one that ptxas takes. What a kernel computes then is seen on a GPU only;
//! here a mistake in its text shows, on any machine, over everything that the compiler makes of the suites.

mod choices;
mod copies;
mod described;
mod emulated;
mod entries;
mod entries_programs;
mod judged;
mod kernel;
mod sets;
mod shipped;
mod shipped_programs;
mod suites;
mod totals;
mod variables;
mod without_reconvergence;

pub use choices::Choices;
pub use copies::OnCopies;
pub use described::NotEmulated;
pub use emulated::{EmulatedDevice, EmulatedLaunch};
pub use entries::EntryGaps;
pub use entries_programs::answer_with_entries;
pub use judged::{DeviceFinding, NOT_EMULATED, found_in};
pub use kernel::{Made, Parsed, Verdict};
pub use shipped::ShippedKernel;
pub use shipped_programs::{
    ShippedProgram, UnknownFlag, answer_when_shipped, answer_when_shipped_without_reconvergence,
};
pub use suites::{Text, texts};
pub use totals::{Group, Totals};
