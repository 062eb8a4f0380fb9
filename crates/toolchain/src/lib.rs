//! Finds the CUDA compiler of this machine or fetches one, and turns CUDA source into PTX or programs.
//!
//! The way through this crate: a [`Search`] looks in the places where a toolkit may be and gives a
//! [`Toolchain`]; where there is none, [`Search::find_or_install`] fetches a pinned set of wheels into
//! a private folder, but only with a [`Consent`]. A [`Toolchain`] compiles kernel-only sources in
//! this process through NVRTC, whole programs through nvcc, and keeps the results.
//! [`DeveloperTools`] are what the tests of warpsan itself need in addition; no user gets them.
//!
//! The crate neither prints nor asks: the caller shows the [`Offer`] and the [`Progress`].

mod cache;
mod consent;
mod developer;
mod environment;
mod error;
mod flags;
mod host_compiler;
mod includes;
mod install;
mod kernels;
mod locate;
mod nvcc;
mod nvrtc;
mod pip;
mod program;
mod progress;
mod toolkit;
mod wheels;

pub use consent::{Consent, ConsentSource, Decision, Offer};
pub use developer::{DeveloperTools, OlderCompiler};
pub use environment::Environment;
pub use error::Error;
pub use host_compiler::HostCompiler;
pub use install::Installer;
pub use kernels::{CompiledKernels, KernelCompiler, KernelOptions};
pub use locate::Search;
pub use program::CompiledProgram;
pub use progress::{Progress, ProgressEvent, Silent, Step};
pub use toolkit::{Origin, Toolchain, Toolkit};
pub use wheels::{REQUIREMENTS, WheelSet};
