//! Race detectors over the event stream: one contract, one module per algorithm, one list.
//!
//! A detector sees events and nothing else: no engine, no code. What it finds goes to a `RaceSink`
//! as plain data.
//!
//! - [`Detector`] is the contract: the events that it needs, and batches of them. Each detector is a module that begins
//!   with its definition of a race: [`hb`], [`iguard`], [`scord`], [`barracuda`], [`curd`], [`ld`], [`none`]. It owns its clocks, its
//!   shadow memory and its statistics.
//! - [`Specification`] is what the rest of warpsan knows about a detector: its name, its settings, how it is made, what it
//!   asks of a GPU ([`specification::device::DeviceRequest`]), and what a finding of the GPU means. `detectors!` lists them all,
//!   and [`Settings`] has what users chose.
//! - A *finding* is what a rule found: two accesses, small and without words. `reporting` makes each a race once in a
//!   launch and then counts; [`Side`] and [`Circumstances`] have what a race needs besides. hb does this in its diagnosis.
//! - Vector clocks (`clock`) and what iGUARD and ScoRD have in common (`last_access`) are data structures that know no
//!   detector.
//!
//! The way of a launch: `LaunchOrder` says which launches it is after, `LaunchBegin` brings its geometry, facts and sites ▶
//! each access is compared with what shadow memory remembers of its bytes, then remembered; barriers, fences and
//! waits change clocks or counters ▶ a pair without order is a finding, and a `#[cold]` function makes a `Race` of it ▶
//! `LaunchEnd` hands the counts out.
//!
//! Invariants:
//! - The same events give the same races, in the same order: nothing depends on addresses of ours, time or threads.
//! - A detector matches events by name. An event that it does not treat does not compile.
//! - What a detector does not follow in a kernel it says ([`Detector::not_covered`]), so that the kernel is not called clean.
//! - Findings of a device and of the host become races by the same code, so that both read alike.

mod access_origin;
mod allocations;
pub mod barracuda;
mod clock;
pub mod curd;
mod detector;
pub mod hb;
pub mod iguard;
mod last_access;
pub mod ld;
mod list;
pub mod none;
mod reporting;
pub mod scord;
pub mod specification;
mod strength_words;

pub use allocations::shared_variable;
pub use detector::{Detector, Statistic};
pub use last_access::sides::{Circumstances, Side};
pub use last_access::{Granularity, NotAChoice, Reach};
pub use list::{ALL, NAMES, Settings, by_name};
pub use specification::{DetectorId, Specification, UnknownDetector};
