//! LD: races by the values that a region leaves behind, without watching accesses.
//!
//! P. Li, X. Hu, D. Chen, J. Brock, H. Luo, E. Z. Zhang, C. Ding, "LD: Low-Overhead GPU Race Detection Without Access
//! Monitoring", ACM Transactions on Architecture and Code Optimization 14(1), article 9, 2017.
//!
//! It executes kernels on private copies of memory, twice, so it gets no events: the crate `ld` runs it on the CPU engine, and
//! instrumented kernels on a GPU. What is here is what the rest of warpsan knows of it: its settings, what it asks of a
//! device, and what its findings are in a report, so that both engines say the same of a race.
//!
//! A **race** is a byte that two warps of a block change between the same two barriers, or two blocks in a launch
//! (write-write); or a warp or a block whose results in a region are others once it sees what the rest changed there (read-write).
//! The head of the crate `ld` has its definition in full, where it deviates, and what it can miss.

mod device;
mod finding;
mod messages;
mod settings;

use crate::{Detector, Specification};
use device::{device_race, device_request};
pub use finding::{Between, Extent, Pattern, Region, Symptom, ValueRace};
pub use messages::race;
pub use settings::{AfterRace, Copies, LdSettings, MemoryLimit};
use warpsan_event::{Batch, EventMask, KernelFacts};
use warpsan_report::{RaceSink, Treatment};

/// What a report says of findings that the logged run does not explain.
pub const UNEXPLAINED: &str = "results that differed when the kernel was run again, though no access to what others had changed was seen";

/// The detector of Li's and Ding's paper.
pub static SPECIFICATION: Specification = Specification {
    executes: true,
    warp_sync: Treatment::Warn,
    device_request,
    device_race,
    is_rule: |name| finding::RULES.contains(&name),
    ..Specification::on_host("ld", |_| Box::new(WithoutExecution))
};

/// What there is of it where nothing is executed: in a replay, say.
#[derive(Debug, Default)]
struct WithoutExecution;

impl Detector for WithoutExecution {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }

    fn batch(&mut self, _events: &Batch<'_>, _races: &mut dyn RaceSink) {}

    fn not_covered(&self, _facts: &KernelFacts) -> Option<String> {
        Some(
            "the detector ld executes kernels again and compares values, which a trace does not \
             have"
                .to_owned(),
        )
    }
}
