//! The entry points that compilers call.

mod accesses;
mod annotations;
mod atomics;
mod atomic_operations;
mod fibers;
mod functions;
