//! Programs that say themselves which races they have, and what detectors make of them: for the command `warpsan suite`
//! and for the testkit.
//!
//! A program is a file of kernels with `//@ launch:` lines, or a whole CUDA program. A comment `//~` on the line of one of
//! the two accesses is an expectation; `suites/hb/README.md` describes the forms.
//!
//! The types to know, in the order in which data flows through them:
//!
//! - [`Program`] owns what the comments of one file ask for: an [`Expectation`] for each race that one detector has to
//!   report, and flags. [`Case`] is a program with one of its [`Switches`] on, as those of `suites/scor` have them.
//! - [`Settings`] says which warpsan is run, and how. [`answers_of`] runs `warpsan check` on files of kernels,
//!   [`answer_of_whole`] runs `warpsan run` on a whole program.
//! - [`Answer`] is what one run said, read from its report: each race as [`Reported`], and what was not covered.
//! - [`Verdict`] is what [`judge`] makes of the answers with all seeds: expectations that were met, and [`Problem`]s.
//! - [`Comparison`] has a suite with several detectors beside each other, counts, and disagreements with `hb`.
//!
//! Invariants:
//!
//! - A program without expectations has to be clean; a report that nothing expects is a problem.
//! - All comments of a program have to read, also those for other detectors.
//! - Each program is checked once with each seed, because verdicts must not depend on the schedule.
//! - warpsan is a process of its own here, as for users: all that is known of a run is its report and its exit code,
//!   which have to agree. A run without a report is an [`Answer::Failure`], and never clean.

mod case;
mod comparison;
mod error;
mod expectation;
mod judge;
mod program;
mod report;
mod run;
mod run_whole;
mod switches;

pub use case::{Case, read_cases};
pub use comparison::{Comparison, Counts, Disagreement, Outcome, Row};
pub use error::{CommentError, RunError, SuiteError};
pub use expectation::{Certainty, Expectation, expectations_of, reasons_of};
pub use judge::{Problem, Totals, Verdict, describe_expectation, describe_race, judge};
pub use program::{Program, ReportExpectation, read_programs};
pub use report::{Answer, Reported, Side};
pub use run::{Settings, answers_of, report_of};
pub use run_whole::answer_of_whole;
pub use switches::Switches;
