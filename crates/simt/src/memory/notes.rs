//! What is noted of the writes of a launch.

use super::private::WrittenPages;
use super::space::is_device_address;
use super::writes::Writes;

/// What is noted before memory is written to.
#[derive(Debug, Default)]
pub(crate) enum WriteNotes {
    /// Nothing.
    #[default]
    Nothing,
    /// Which bytes of device memory.
    Bytes(WrittenPages),
    /// What was there before, in device memory and in shared memory.
    Before(Box<Writes>),
}

impl WriteNotes {
    pub(crate) fn are_taken(&self) -> bool {
        !matches!(self, WriteNotes::Nothing)
    }

    /// Bytes of device memory, at the pointer, are about to be written.
    ///
    /// # Safety
    /// The pointer is where that address is in a mapping of all device memory.
    #[inline(always)]
    pub(crate) unsafe fn global(&mut self, address: u64, bytes: u64, pointer: *const u8) {
        match self {
            WriteNotes::Nothing => {}
            WriteNotes::Bytes(written) => written.note(address, bytes),
            // SAFETY: all of device memory is mapped, and pieces do not reach over its end.
            WriteNotes::Before(writes) => unsafe {
                if is_device_address(address) {
                    writes.global(address, bytes, pointer);
                }
            },
        }
    }

    /// Bytes of shared memory, which begins at the pointer, are about to be written.
    ///
    /// # Safety
    /// The bytes are inside of the block's shared memory, which is allocated in whole pieces.
    #[inline(always)]
    pub(crate) unsafe fn shared(&mut self, offset: u64, bytes: u64, start: *const u8) {
        if let WriteNotes::Before(writes) = self {
            // SAFETY: the caller answers for it.
            unsafe { writes.shared(offset, bytes, start) };
        }
    }
}
