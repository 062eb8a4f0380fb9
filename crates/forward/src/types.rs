//! Structures of the driver that several files pass on.

/// What names an event or memory to another process: `CUipcEventHandle` and `CUipcMemHandle`, which are alike. It is
/// passed by value.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct IpcHandle {
    reserved: [u8; 64],
}
