//! Fat binaries: what nvcc embeds in a program for the device.
//!
//! A wrapper points to a container; a container is a list of entries, PTX text or machine code, for
//! one architecture each, compressed or not. The layout was found by looking at what nvcc writes.

mod container;

pub use container::{Compression, Container, Entry, EntryKind, FatbinError, choose_ptx};

/// The magic number of the wrapper that programs register.
pub const WRAPPER_MAGIC: u32 = 0x4662_43B1;
/// The magic number of a container.
pub const CONTAINER_MAGIC: u32 = 0xBA55_ED50;
