//! `libwarpsan_threads.so`: the compilers' thread-sanitizer ABI over warpsan's detectors for threads.
//!
//! It is preloaded into a program that was built with `-fsanitize=thread`, in place of the compilers' runtime.
//!
//! - **In**: `start.rs` (the first constructor of the process), `takeover.rs` (programs that carry clang's runtime), `linker.rs` (functions behind ours).
//! - **What the program does**: `abi/` (what compilers call), `intercept/` (functions of the C library), `signals.rs`, `fork.rs`.
//! - **Who does it**: `thread.rs`, in one word of thread-local storage (`current.rs`); `registry.rs` has all of them; `shadow_stack.rs` and `context.rs`: calls;
//!   `history.rs`: what a thread has accessed lately.
//! - **What it means**: the crate `thread-detect`, chosen when the library is compiled: a library for each detector.
//! - **Out**: `races.rs`, `blocks.rs`, `modules.rs`, `end.rs` ▶ `output.rs` ▶ the log of the run; in the library that records, `recorder.rs` ▶ a trace.
//!
//! Rules of the house, since the process is somebody else's:
//! - Our memory is not the program's (`heap.rs`, `storage.rs`), and we call no function of the C library that takes a lock or allocates, unless the
//!   program has called it.
//! - A thread is inside of our code while it holds a [`thread::Entered`]: handlers of signals wait, and nobody forks. Blocking calls of the program are made outside.
//! - What is found is in the log at once.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("programs with threads can be checked on x86-64 Linux only");

mod abi;
mod activation;
mod active_tool;
mod blocks;
mod context;
mod current;
mod descriptors;
mod elf;
mod end;
mod end_hook;
mod environment;
mod file_symbols;
mod fork;
mod fork_gate;
mod function;
mod handlers;
mod heap;
mod history;
mod intercept;
mod linker;
mod lock;
mod locks;
mod modules;
mod objects;
mod ordering;
mod output;
mod own_code;
mod races;
mod recorder;
mod registry;
mod runtime;
mod shadow_stack;
mod shared_memory;
mod signals;
mod site;
mod stacks;
mod start;
mod storage;
mod system;
mod takeover;
mod thread;
mod thread_end;
mod tracing;

#[global_allocator]
static HEAP: heap::Heap = heap::Heap::new();
