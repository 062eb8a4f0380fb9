//! The process around the program: where it calls from, what it prints, and functions of the C library in front of it.

mod behind;
pub(crate) mod call_site;
mod interposed;
pub(crate) mod last_thread;
pub(crate) mod printed;
pub(crate) mod program_function;
mod starting;
mod system_calls;
mod threads;
