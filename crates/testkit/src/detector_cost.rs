//! What detecting races costs on the CPU engine: time beside that of detector `none`, and shadow memory beside
//! the memory that a kernel touches.

mod cost;
mod listeners;
mod touched;

pub use cost::{Cost, Workloads, cost};
