//! The entry points that compilers call.

mod accesses;
mod annotations;
mod atomic_operations;
mod atomics;
mod fibers;
mod functions;
