//! Programs with threads, built with `-fsanitize=thread`: whether a program is one, what its environment gets, and the
//! races that its processes report.
//!
//! The way of a race: the library in the process writes raw records to its stream of the log ▶ `reading` reads them ▶
//! `symbols` names functions, lines and variables ▶ `races` makes a [`Race`](warpsan_report::Race) of each ▶ `merging` adds
//! them to the report of the run.

mod debug_file;
mod detector;
mod elf;
mod flags;
mod library_search;
mod merging;
mod module;
mod plan;
mod races;
mod reading;
mod symbols;
mod text_module;
mod traces;
mod words;

pub(crate) use detector::ThreadDetector;
pub(crate) use elf::runtime_is_static;
pub(crate) use flags::Args;
pub(crate) use merging::add_processes;
#[cfg(test)]
pub(crate) use plan::Expectation;
pub(crate) use plan::Plan;
pub(crate) use reading::{ThreadProcess, processes};
pub(crate) use traces::ThreadTrace;
