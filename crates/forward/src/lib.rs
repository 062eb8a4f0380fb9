//! The forwarder: what stands behind `libcuda.so.1` when a program runs on its GPU.
//!
//! The library that the program sees is generated (`cli/build/forwarder.rs`): each name of the real driver jumps
//! through a slot, and the first call has `table` open the real driver and fill the slots. Most lead to the
//! real functions at once. Those that load code, launch kernels, take memory or make contexts lead to functions
//! of this crate, which call the real one and the [`Hooks`](warpsan_gpu::Hooks) of the process. They change
//! nothing by themselves, and whoever asks the driver for addresses of functions (`proc_address`) gets the same. Those that
//! order work (`order/`) lead here only where somebody wants to know of it.
//!
//! The crate is linked into `libwarpsan_rt.so` and exports one name of its own, `wsgpu_fill_table`. That library asks
//! only whether the program runs on its GPU ([`is_chosen`]), and calls [`note_at_exit`] when it ends.

mod bypassed;
mod calls;
mod chosen;
mod contexts;
mod driver;
mod functions;
mod graph_instances;
mod graph_memory;
mod graph_nodes;
mod host_memory;
mod launching;
mod linking;
mod loading;
mod memory;
mod order;
mod proc_address;
mod table;
mod types;
mod variables;
mod wrapped;

pub use bypassed::note_at_exit;
pub use chosen::is_chosen;
