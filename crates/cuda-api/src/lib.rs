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
//! its answer. There is a folder for each area of the API. What is kept here is only the last error of each thread.

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
