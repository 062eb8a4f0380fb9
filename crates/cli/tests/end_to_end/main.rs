//! The `warpsan` command as a user meets it: programs are built by nvcc, run under warpsan without a GPU,
//! and judged by exit code, output and report.
#![allow(clippy::print_stdout, reason = "the table of verdicts is shown with --nocapture")]

mod at_the_end;
mod attacks;
mod bad_inputs;
mod barracuda;
mod check_flags;
mod check_on_gpu;
mod curd;
mod detection_flags;
mod exploring;
mod forwarder;
mod hardware;
mod idle;
mod iguard;
mod jobs;
mod launch_filters;
mod ld;
mod many_times;
mod not_supported;
mod process;
mod processes;
mod ptx_command;
mod readme;
mod recognised;
mod refusals;
mod repeatable;
mod reports;
mod resetting;
mod schedules;
mod scord;
mod speculation;
mod suite_programs;
mod support;
mod supported;
mod terminal;
mod threads;
mod traces;
mod ui;
mod unchecked;
mod values;
mod verdicts;
