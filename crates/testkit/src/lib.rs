//! Checks of warpsan that are too large for a unit test: over a corpus of PTX, over suites of programs, and against what
//! GPUs printed and computed. Each module is what one command of `warpsan-testkit` does, which `cargo xtask` runs.
//!
//! The types to know:
//!
//! - [`corpus::Unit`] is one compilation: a [`corpus::Source`] for one architecture in one mode. [`corpus::Compilers`]
//!   owns the compilers and makes PTX and machine code of units; [`corpus::Store`] keeps what they made.
//! - [`instrumented::Parsed`] instruments the kernels of a module. [`instrumented::EmulatedDevice`] runs them on the CPU
//!   engine as if it were a GPU: it owns their memory, their metadata and the queues that they ship records into.
//! - [`shipping::Encoded`] is a launch of the CPU engine as the records that a GPU would have shipped, and
//!   [`shipping::ShippedTrace`] what the host reads from them.
//! - [`threads::Program`] owns its sources and what they expect; [`threads::Observed`] is what a run of it said, whoever watched.
//! - [`programs::Program`] and [`values::Program`] own their sources and what they printed on a GPU; `judge` beside
//!   each says how a run under warpsan differs.
//! - [`instructions::Form`] is a form of an instruction with the operands to try, and [`instructions::Recorded`] what a
//!   GPU computed for them.
//! - [`thread_benches::Row`] has the figures of a bench under each [`thread_benches::Tool`].
//! - [`engine_speed::Workload`] is what times are measured on: kernels, their launches and their data.
//!
//! Invariants:
//!
//! - The library computes and returns; only the command (`main.rs` and `command/`) prints.
//! - Nothing here needs a GPU: what a GPU did was recorded once, and is in `suites/`.
//! - A program without a record, a record without a program and a comment that is not understood are errors. What could
//!   not be checked is never counted as right.
//! - Whatever is kept for later runs is kept under a hash of everything that it was made from.
//! - Results come in the order of what was checked, on any number of cores ([`corpus::in_parallel`]).
//! - Errors are sentences for whoever runs the command (`anyhow`). Where callers have to distinguish them, they are types:
//!   [`corpus::CompileFailure`], [`instrumented::UnknownFlag`], [`shipping::NotEncoded`].

pub mod attacks;
pub mod corpus;
pub mod curd_schemes;
pub mod detector_cost;
pub mod device_runtime;
pub mod engine_speed;
pub mod iguard_history;
pub mod instructions;
pub mod instrumented;
pub mod limited;
pub mod parse_speed;
pub mod processes;
pub mod programs;
pub mod relocatable;
mod report;
pub mod scale;
pub mod scord_tables;
pub mod shipping;
pub mod speculation;
pub mod startup;
pub mod thread_benches;
pub mod threads;
pub mod traces;
pub mod values;
