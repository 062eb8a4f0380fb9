//! Functions of the C and C++ libraries that come here first: what synchronises, what gives memory out and takes it back,
//! and what accesses memory for the program.

mod allocation;
mod barriers;
mod c11;
mod conditions;
mod files;
mod foreign_threads;
mod guards;
mod mappings;
mod memory;
mod mutexes;
mod once;
mod operators;
pub(crate) mod order;
pub(crate) mod passed_on;
mod printing;
mod process;
mod results;
mod rwlocks;
mod semaphores;
mod spinlocks;
mod strings;
mod threads;
