//! Memory of the checked program, by the addresses that it passes to CUDA.

use std::sync::Arc;
use warpsan_model::DeviceAddress;

/// An address that the checked program passed to a call of CUDA: of the device's memory, or of its own.
///
/// Whoever makes one, or reads one out of a structure of the program, answers for the program, so that all others can
/// use it without `unsafe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct ProgramAddress(u64);

impl ProgramAddress {
    /// Null, which no call follows.
    pub const NULL: ProgramAddress = ProgramAddress(0);

    /// Takes an address over from the program.
    ///
    /// # Safety
    /// The program keeps the contract of the call that it passes the address to. Bytes of its own memory that the call
    /// names with it may be read or written, as the call says, until the call has returned; and if the call only queues
    /// work or registers memory, until that work is done or the memory is unregistered.
    pub unsafe fn new(address: u64) -> Self {
        ProgramAddress(address)
    }

    /// An address of the device's memory. The program may name it as any other; nobody follows it but the engine.
    pub fn of_device(address: DeviceAddress) -> Self {
        ProgramAddress(address.0)
    }

    /// The address as a number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    /// An address behind it, of which the same call speaks.
    pub fn behind(self, bytes: usize) -> Self {
        ProgramAddress(self.0.wrapping_add(bytes as u64))
    }

    /// The bytes there now.
    pub fn read(self, bytes: u64) -> Arc<[u8]> {
        // SAFETY: `new` has made sure of the range that the call names.
        unsafe { std::slice::from_raw_parts(self.pointer(), bytes as usize) }.into()
    }

    /// Writes bytes there.
    pub fn write(self, bytes: &[u8]) {
        // SAFETY: as for `read`; the source is no memory of the program.
        unsafe { self.pointer().copy_from(bytes.as_ptr(), bytes.len()) };
    }

    /// Copies bytes from another address of the program. The two may overlap.
    pub fn copy_from(self, from: ProgramAddress, bytes: u64) {
        // SAFETY: as for `read`, on both sides.
        unsafe { self.pointer().copy_from(from.pointer(), bytes as usize) };
    }

    /// The address to follow.
    pub(super) fn pointer(self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.0 as usize)
    }
}
