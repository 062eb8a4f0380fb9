//! What detecting races among threads costs: the programs of `suites/bench/threads` natively, under the compilers' own
//! runtimes, and under warpsan's tools, with the same code for each comparison.
//!
//! Times and peaks of memory are those of the program itself, which a file of ours within it takes down (`measure.c`).

mod bars;
mod bench;
mod columns;
mod measured;
mod run;
mod tool;

pub use bars::{Bar, Row, bars};
pub use bench::{Bench, Executables, read_benches};
pub use columns::{COLUMNS, Column, Statistics};
pub use measured::{Figures, Measured, figures_of};
pub use run::Runner;
pub use tool::{Code, Tool, all_tools, baselines};
