//! All state of a checked process, whichever API the program mixes: device memory, modules, the
//! engine, the detector and the report. A [`Session`] is the whole of it.

mod error;
mod journal;
mod module;
mod module_text;
mod operation;
mod options;
mod order;
mod record;
mod recording;
pub mod report_file;
mod schedules;
mod session;
mod statistics;
mod watch;

pub use error::{RuntimeError, SessionError};
pub use operation::{ApiCall, MemoryPart};
pub use options::{Options, TraceFolder};
pub use order::{EventNumber, Stream, WorkOrder};
pub use record::{ProcessReport, Record};
pub use recording::replay;
pub use schedules::Schedules;
pub use session::{
    KernelId, KernelInfo, LaunchRequest, ModuleId, ModuleImage, ParameterInfo, ProgressListener,
    Session,
};
pub use statistics::add_statistics;
pub use warpsan_model::{DeviceAddress, Dim3, SourceFrame, SourcePosition, is_toolkit_header};
pub use warpsan_simt::{Allocation, AllocationKind, Policy, Progress, Schedule, ScheduleError};
