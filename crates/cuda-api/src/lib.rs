//! The CUDA runtime API over the warpsan runtime: `libwarpsan_rt.so`, the one library inside a
//! checked process.
//!
//! Every entry point of cudart that is answered stands here as a C function with a private prefix:
//! `wsrt_cudaMalloc` where CUDA 12 and 13 agree, `wsrt12_…` and `wsrt13_…` where a signature or a
//! structure changed under the same name. The libraries that a program sees, `libcudart.so.12` and
//! `libcudart.so.13`, are generated jump tables over these names (`symbols/` lists what they
//! export); a name without a function here jumps to `wsrt_unsupported`, which records it. The
//! audit library redirects statically linked copies of cudart to the same tables. `libcuda.so.1` is a
//! table for the few functions of the driver that programs call beside the runtime.
//!
//! When a program runs on its GPU, none of this is used: `libcuda.so.1` is another generated library then, in front
//! of the real driver, and the functions behind it are those of the crate `forward`, which is linked in.
//!
//! The functions are thin: they read what the program passes, call the machine ([`warpsan_runtime::machine`]), and write
//! its answer. There is a folder for each area of the API.
//!
//! - The machine owns all state of CUDA. This crate owns the C side of it: structures and enumerators of both versions, the
//!   names of errors, and the last error of each thread.
//! - `call::call` and its relatives are what every entry point runs in: they take the machine's lock, turn a
//!   [`CudaError`](warpsan_runtime::machine::error::CudaError) into its code, and let no panic out.
//! - `process` is what the machine asks of the process and cannot do without `unsafe`: where the program called from, what
//!   kernels print, and the calls of the system that end a process.
//!
//! The way of a launch: `__cudaRegisterFatBinary` and its relatives put code into the registry before `main` ▶
//! `cudaLaunchKernel` makes a `LaunchRequest` of its arguments ▶ `Machine::launch` finds the kernel behind the function's
//! address, checks the launch and queues it ▶ the entry point returns; a later call that waits runs it.
//!
//! Invariants:
//! - No entry point trusts a pointer more than CUDA says it may: each `unsafe` names the sentence that makes it sound.
//! - A name of NVIDIA's that is not answered is in the report, and returns `cudaErrorNotSupported`.
//! - One library has the state, however many copies of cudart a program mixes.

// The exported names are NVIDIA's, behind our prefix.
#![allow(non_snake_case)]

mod answer;
mod call;
mod device;
mod driver;
mod error;
mod error_names;
mod event;
mod execution;
mod graph;
mod handles;
mod library;
mod memory;
mod process;
mod registration;
mod stream;
mod types;
mod unsupported;
