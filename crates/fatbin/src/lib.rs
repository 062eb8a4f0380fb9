//! Fat binaries: what nvcc embeds in a program for the device.
//!
//! A program has containers; a container is a list of images, PTX text or machine code, for one
//! architecture each, compressed or not. This crate finds them in files of every form that nvcc
//! writes ([`FatFile`]), or reads one container that a program hands over ([`Container`]), gives out
//! an image's code ([`Image`]) and chooses the image for a device as the driver does ([`choose()`]).
//!
//! Reading lists headers only; code is decompressed when it is asked for, with a bound on its size.
//!
//! # Types and invariants
//!
//! - A [`FatFile`] lists the images of a file, and the [`FatbinError`]s of what it could not read; one does not hide the other.
//! - An [`Image`] borrows the bytes of the file.
//! - An [`Architecture`] is a number with a [`Suffix`]. [`choose()`] never chooses an image that the device cannot run.

mod architecture;
mod choose;
mod container;
mod cubin;
mod decompress;
mod error;
mod file;
mod image;
mod in_memory;
mod ptx_header;
mod region;

pub use architecture::{Architecture, Suffix, UnknownArchitecture};
pub use choose::{Choice, ChoiceWarning, choose};
pub use container::Container;
pub use cubin::{MachineFunction, machine_functions};
pub use error::FatbinError;
pub use file::{FatFile, FileFormat};
pub use image::{Compression, Image, ImageKind, Place};
pub use in_memory::readable_bytes;

/// The magic number of the wrapper that programs register.
pub const WRAPPER_MAGIC: u32 = 0x4662_43B1;
/// The magic number of a container.
pub const CONTAINER_MAGIC: u32 = 0xBA55_ED50;
