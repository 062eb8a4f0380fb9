//! All state of a checked process, whichever API the program mixes: device memory, modules, the
//! engine, the detector and the report. A [`Session`] is the whole of it.

mod emission;
mod error;
pub mod gpu_process;
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
    START_VARIABLE, announce, membership,
};
pub use options::{Engine, GpuOptions, Options, TraceFolder};
pub use order::{EventNumber, Stream, Wait, WorkId, WorkOrder, WorkSet};
pub use progress_file::{LongLaunch, ProgressListener, long_launches};
pub use record::{ProcessReport, Record};
pub use replaying::replay;
pub use schedules::Schedules;
pub use session::{GraphPiece, HostFrames, Session, Step};
pub use statistics::add_statistics;
pub use warpsan_fatbin::readable_bytes;
pub use warpsan_model::{
    DeviceAddress, Dim3, EMULATED_DEVICE, SourceFrame, SourcePosition, is_toolkit_header,
};
pub use warpsan_simt::{
    Allocation, AllocationKind, Policy, ProgramAddress, Progress, Schedule, ScheduleError,
    is_device_address, set_handler_behind, system_uses_host_memory,
};
pub use work::{ApiCall, HostFunction, Pattern, QueuedLaunch, Side, Task, Transfer, Work};
