//! A model of PARSNIP: a multicore with a precise race detector in hardware, driven by traces of programs with threads.
//!
//! Y. Peng's thesis, chapter 4. Every byte has references to who accessed it last ([`reference`], in lines of caches: [`line`]); clocks are in small
//! tables of cores ([`table`]); what does not fit is in software ([`software`], by way of a [`buffer`]). [`histories`] puts the parts together, [`access`] has checks and
//! updates, [`caches`] how far a line is, [`machine`] what that costs.
//!
//! Verdicts come from these structures alone: they are those of FastTrack, which tests compare. Cycles are the thesis' latencies summed up over in-order
//! cores. docs/hardware-model.md has every number that is ours.

mod access;
mod buffer;
mod caches;
mod comparison;
mod detector;
mod histories;
mod line;
mod machine;
mod outcome;
mod partition;
mod reference;
mod residence;
mod settings;
mod simulation;
mod software;
mod table;
pub mod thesis;
mod turns;

pub use comparison::{Comparing, Comparison};
pub use outcome::{Costs, Events, Outcome};
pub use settings::{Residence, Settings, ShortCut};
pub use simulation::{Order, ParsnipError, Simulation};
pub use turns::Turns;
