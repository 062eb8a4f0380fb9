//! The forwarder: what stands behind `libcuda.so.1` when a program runs on its GPU.
//!
//! The library that the program sees is generated (`cli/build/forwarder.rs`): each name of the real driver jumps through a
//! slot. This crate fills the slots, and has the functions that some of them lead to. It is linked into
//! `libwarpsan_rt.so` and exports one name of its own, `wsgpu_fill_table`. That library asks only whether the program
//! runs on its GPU ([`is_chosen`]), and calls [`note_at_exit`] when it ends.
//!
//! # Central types
//!
//! - `Wrapped` is one function of the driver with ours in front of it: its name, our function, and the place of the real
//!   one. Each file has a list of them, made by the macro `forwards!`.
//! - `Forwarding` is the real driver, once it is open: its library, and which address of it has which function of ours in
//!   front of it. There is one in a process.
//! - `Call` is one call of the program on its way to the real function, with the [`Hooks`](warpsan_gpu::Hooks) of the
//!   process.
//!
//! # The way of a call
//!
//! The first call of any name opens the real driver and fills all slots: most lead to the real functions at once. Those that
//! load code, launch kernels, take memory or make contexts lead to ours, which call the real one and, before or after it, one
//! method of the hooks. Those that order work (`order/`) lead here only where the engine wants to know of it. A launch,
//! whichever function it comes from, becomes a `LaunchCall`; the hook changes it and calls the real function with what
//! it has become. Whoever asks the driver for the address of a function (`cuGetProcAddress`) gets ours as well.
//!
//! # Invariants
//!
//! - The functions of this crate change nothing by themselves: without hooks a call is the driver's own.
//! - Hooks see calls of the program only: not those that the driver makes of itself, nor those of a forked child.
//! - No panic crosses into the program: it becomes an internal error in the report, and an error of the driver.
//! - Both variants of a function, for either kind of default stream, lead here or neither does (tested against the list of
//!   the driver's symbols).
//! - A version of a function that leads past this crate is reported as not covered.

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
