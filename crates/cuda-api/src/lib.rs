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
//! The functions are thin: they check handles, translate errors, and leave the work to
//! [`warpsan_runtime::Session`]. What is kept here is only what exists because of this API: which
//! host address stands for which kernel or variable, streams, events, and the last error.
//!
//! Work is put in line by the call that asks for it, and done by a call that waits: in an order that streams and
//! events allow and the seed chooses.

// The exported names are NVIDIA's, behind our prefix.
#![allow(non_snake_case)]

mod advice;
mod advice_entry_points;
mod box_copy;
mod box_fill;
mod boxes;
mod call;
mod call_configuration;
mod call_site;
mod capture;
mod capture_entry_points;
mod copy;
mod device;
mod device_attributes;
mod device_bus;
mod device_properties;
mod device_settings;
mod driver_api;
mod driver_entry_points;
mod driver_errors;
mod error;
mod error_entry_points;
mod events;
mod functions;
mod graph_edges;
mod graph_entry_points;
mod graph_launch;
mod graph_node_entry_points;
mod graph_nodes;
mod graphs;
mod handles;
mod host_memory;
mod host_thread;
mod interposed;
mod launch;
mod launch_attributes;
mod library;
mod memory;
mod memory_types;
mod occupancy;
mod peers;
mod per_thread_default;
mod plan;
mod pointers;
mod pool_entry_points;
mod pools;
mod printed;
mod registered_memory;
mod registration;
mod registry;
mod stream_attributes;
mod streams;
mod symbols;
mod types;
mod unsupported;
mod v12;
mod v13;
mod waiting;
