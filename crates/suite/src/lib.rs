//! Programs that say themselves which races they have, and what detectors make of them.
//!
//! A program is a file of kernels with `//@ launch:` lines, or a whole CUDA program. A comment `//~` on the line of one of
//! the two accesses is an expectation; `suites/hb/README.md` describes the forms. A program without any has to be clean.
//! Those of `suites/scor` also name switches and rules. Each one is checked once with each seed, because verdicts must not
//! hang on the schedule.

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
pub use program::{Program, read_programs};
pub use report::{Answer, Reported, Side};
pub use run::{Settings, answers_of, report_of};
pub use run_whole::answer_of_whole;
pub use switches::Switches;
