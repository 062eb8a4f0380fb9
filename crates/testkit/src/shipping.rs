//! Shipped events against those of the CPU engine, without a GPU.
//!
//! What the CPU engine emitted about a launch is written down as a device would write it: records of warp
//! operations, turns at locations, arrivals in place of completed barriers. The records go into several
//! queues in an order that has little to do with the one in which they happened. What `gpu::shipping`
//! makes of them must mean the same to detectors.

mod barriers;
mod compare;
mod copies;
mod encode;
mod interleave;
mod programs;
mod shipped_trace;
mod sites;

pub use compare::{
    Difference, depends_on_weak_order, differences_of_oracle, differences_of_reports,
};
pub use encode::{Encoded, NotEncoded, encode};
pub use interleave::{Way, deliver};
pub use programs::{answer_after_shipping, leniently};
pub use shipped_trace::{Launches, ShippedTrace, ship_trace};
pub use sites::wrong_sites;
