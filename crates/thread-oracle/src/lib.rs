//! A brute-force oracle of races among threads, and random traces to compare detectors with it.
//!
//! - [`judge`]: happens-before by explicit closure over the events of a trace, and all pairs of accesses. It shares no code with
//!   the detectors: no clocks, no epochs, no shadow memory. Edges are those of C++20's text.
//! - [`random_trace`]: well-formed traces with locks, forks, joins, atomics, fences, barriers, mixed sizes and frees.
//! - [`compare`] and [`fuzz`]: FastTrack, SlimFast and the oracle on the same trace. They have to agree on which bytes race, on the
//!   event of each byte's first race, and that the earlier thread which a tool names really races.
//! - [`without`]: what happens when a rule is switched off.

mod differential;
mod generator;
mod oracle;
mod random;
pub mod without;

pub use differential::{Disagreement, Summary, compare, compare_races, fuzz, fuzz_some};
pub use generator::random_trace;
pub use oracle::{FirstRace, Judgement, Location, judge};
pub use random::Random;
