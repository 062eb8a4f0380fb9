//! Programs that say themselves which races they have, and what `warpsan check` makes of them.
//!
//! A program is a file of kernels with `//@ launch:` lines. A comment `//~` on the line of one of the
//! two accesses is an expectation; `suites/hb/README.md` describes the forms. A program without any has
//! to be clean. Programs of `suites/scor` also name switches and rules. Each one is checked once with each seed, because verdicts must not hang on the schedule.

mod expectation;
mod judge;
mod program;
mod report;
mod run;
mod switches;

pub use expectation::{Certainty, Expectation, expectations_of};
pub use judge::{Problem, Totals, Verdict, judge};
pub use program::{Program, read_programs};
pub use report::{Answer, Reported, Side};
pub use run::{Settings, answers_of};
pub use switches::Switches;

pub(crate) use judge::{describe_expectation, describe_race};
