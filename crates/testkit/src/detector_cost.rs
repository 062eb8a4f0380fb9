//! What detecting races costs: on the CPU engine, time beside that of detector `none`, and shadow memory beside the memory
//! that a kernel touches; and for all detectors, over the same traces of whole programs.

mod applications;
mod barriers_only;
mod cost;
mod listeners;
mod touched;

pub use applications::{COMPARED, TraceCost, WITHOUT_VOLATILE, cost_on_trace};
pub use barriers_only::cost_of_sets;
pub use cost::{Cost, Workloads, cost};
