//! Race detectors over the event stream: one contract, one module per algorithm, one list.
//!
//! A detector sees events and nothing else: no engine, no code. What it finds goes to a `RaceSink`
//! as plain data.
//!
//! - [`Detector`] is the contract. Each detector is a module that begins with its definition of a race:
//!   [`hb`], [`iguard`], [`scord`], [`barracuda`], [`curd`], [`none`].
//! - [`Specification`] is what the rest of warpsan knows about a detector: its name, its settings, what a GPU does for
//!   it. `detectors!` in `list.rs` lists them.
//! - `clock` has vector clocks, `last_access` what iGUARD and ScoRD share, `reporting` turns findings into
//!   reports for all detectors but hb.

mod allocations;
pub mod barracuda;
mod clock;
pub mod curd;
mod detector;
pub mod hb;
pub mod iguard;
mod last_access;
mod list;
pub mod none;
mod reporting;
pub mod scord;
pub mod specification;
mod strength_words;

pub use detector::{Detector, Statistic};
pub use last_access::sides::{Circumstances, Side};
pub use last_access::{Granularity, NotAChoice, Reach};
pub use list::{ALL, NAMES, Settings, by_name};
pub use specification::{DetectorId, Specification, UnknownDetector};
