//! Device memory at fixed addresses.
//!
//! The memory exists once and is mapped twice: at the fixed device address, where the checked
//! program cannot touch it (as on a real GPU), and at some other address for the engine. Managed
//! memory and page-locked memory are the same pages with the first mapping opened.
//!
//! Besides, ranges of the host's own memory can be registered, so that kernels may use them.

mod allocations;
mod callers;
mod device;
mod faults;
mod host_side;
mod long_files;
mod notes;
mod private;
mod program;
mod quarantine;
mod registered;
mod short_lock;
mod space;
mod view;
mod writes;

pub use allocations::{Allocation, AllocationKind};
pub use device::DeviceMemory;
pub use faults::set_handler_behind;
pub use host_side::{HostAccess, SystemUse, advance_host_time, has_shared_memory, set_asked_for};
pub(crate) use notes::WriteNotes;
pub use private::PrivateView;
pub(crate) use private::{Changes, PrivateMemory};
pub use program::ProgramAddress;
pub(crate) use space::{
    DEVICE_BASE, LOCAL_WINDOW, PARAM_WINDOW, SHARED_OF_BLOCK, SHARED_WINDOW, WINDOW_BYTES, lock,
};
pub use space::{MemoryError, is_device_address};
pub(crate) use view::{MemoryView, Window};
pub use writes::{PIECE, Piece, Place};
