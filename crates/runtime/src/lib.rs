//! All state of a checked process, whichever API the program mixes: the CUDA machine, device memory, modules, the
//! engine, the detector and the report.
//!
//! - [`machine`] is what CUDA keeps for a process: streams, events, graphs, captures, pools. An API of CUDA is a door into
//!   it. It checks what the program asks for and decides when the program waits; it executes nothing.
//! - A [`Session`] executes. It owns device memory, the modules with their kernels, the queue of [`Work`], the
//!   [`WorkOrder`], the detector and the journal. There is one in a process on the CPU engine, behind the machine's lock.
//! - [`WorkOrder`] knows which work is after which: streams, events, graphs, and what the host has waited for. The
//!   detector gets its answer with each launch.
//! - The journal takes races and what was not covered, and writes each once, as a [`Record`], into the report file of the
//!   process. The command reads the files ([`report_file::read_folder`]); [`replay`] makes the same records of a trace.
//! - [`gpu_process`] stands in the session's place when a program runs on its GPU: the engine of `gpu`, a journal,
//!   and a detector of the host where kernels are shipped to it.
//!
//! The way of a launch: [`machine::launches::LaunchRequest`] (what the program asks for) ▶ checked by
//! [`Session::check_launch`] ▶ [`QueuedLaunch`], which [`Session::enqueue`] puts into the queue and the order ▶ a call that
//! waits drains the queue by [`Session::step`], and the seed picks among what is ready ▶ the launch begins: it has a number, a
//! schedule and code ▶ the engine of `simt` runs it, and after a while what it may be waiting for takes turns with it (co-running
//! launches) ▶ events go to the detector, its races to the journal ▶ the order knows that the work is done.
//!
//! Invariants:
//! - Work is done when somebody waits for it, or when the program has not called for a while, and one turn of it at a time.
//!   So runs with one seed are the same.
//! - A detector gets the events of one launch after the other, each with the launches that it is ordered after. Copies,
//!   fills and accesses of the host are launches to it.
//! - What could not be checked is in the report, and an error of the program, something unsupported and a bug of ours
//!   are different variants of [`RuntimeError`].
//! - What was written is there after any end of the process: a record is one write of one frame.

mod emission;
mod error;
pub mod gpu_process;
pub mod host_threads;
mod journal;
mod kernel;
mod launch_filter;
#[forbid(unsafe_code)]
pub mod machine;
mod membership;
mod module;
mod module_error;
mod module_text;
mod operation;
mod options;
mod order;
mod progress_file;
mod record;
mod recording;
mod replaying;
pub mod report_log;
mod schedules;
mod session;
mod statistics;
mod watch;
mod work;

pub use error::{RuntimeError, SessionError};
pub use journal::Refusal;
pub use kernel::{KernelId, KernelInfo, ModuleId, ModuleImage, ParameterInfo};
pub use launch_filter::LaunchFilter;
pub use membership::{
    FOLDER_VARIABLE, LIBRARIES_VARIABLE, LOG_VARIABLE, Membership, OPTIONS_VARIABLE,
    START_VARIABLE, announce, begin_run, joined_list, membership,
};
pub use options::{Engine, GpuOptions, Options, SafeMode, TraceFolder};
pub use order::{EventNumber, Stream, Wait, WorkId, WorkOrder, WorkSet};
pub use progress_file::{Compilation, LongLaunch, ProgressListener, compilations, long_launches};
pub use record::{ProcessReport, Record};
pub use replaying::replay;
pub use schedules::Schedules;
pub use session::{GraphPiece, HostFrames, QueueStep, Session};
pub use statistics::add_statistics;
pub use warpsan_fatbin::readable_bytes;
pub use warpsan_model::{
    DeviceAddress, Dim3, EMULATED_DEVICE, SourceFrame, SourcePosition, is_library_source,
};
pub use warpsan_simt::{
    Allocation, AllocationKind, Policy, ProgramAddress, Progress, Schedule, ScheduleError,
    SystemUse, has_shared_memory, is_device_address, set_handler_behind,
};
pub use work::{ApiCall, HostFunction, Pattern, QueuedLaunch, Side, Task, Transfer, Work};
