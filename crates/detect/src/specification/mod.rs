//! What the rest of warpsan knows about a detector. Each detector has one [`Specification`] in its own module, and
//! `detectors!` in `list.rs` lists them: the command line, the options of a checked process, the GPU engine, replays and
//! the suites all read it from there. `settings` declares what users can choose, `device` what a GPU does.

pub mod device;
pub mod settings;

use crate::{Detector, Settings};
use device::{DeviceFinding, DeviceRequest, UnknownRule};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use warpsan_report::{AllocationReport, Race, Treatment};

use crate::last_access::sides::Circumstances;

/// Turns a finding of a device into a race; none if users do not want its kind.
pub type DeviceRace = fn(
    &DeviceFinding,
    &Settings,
    &Circumstances<'_>,
    Option<AllocationReport>,
) -> Result<Option<Race>, UnknownRule>;

/// One detector: all that differs between detectors outside of their own modules. What users can choose about it is
/// beside its name in the list.
#[derive(Debug)]
pub struct Specification {
    /// Its name on the command line, in reports, and in the comments of suites.
    pub name: &'static str,
    /// Whether it reports races at all. Reports and traces of a run without any do not repeat its name: whoever runs the
    /// command again wants to see something.
    pub finds_races: bool,
    /// Whether it executes kernels itself, on copies of memory, and gets no events: engines run it, and its `Detector` finds
    /// nothing.
    pub executes: bool,
    /// What happens to races of lanes that rely on lockstep, unless the user says so.
    pub warp_sync: Treatment,
    /// Makes the detector that runs on the host.
    pub new: fn(Settings) -> Box<dyn Detector>,
    /// What it asks of a GPU; the flag says whether a trace is recorded.
    pub device_request: fn(&Settings, bool) -> DeviceRequest,
    /// The race behind a finding of a device that checks by this detector's rules.
    pub device_race: DeviceRace,
    /// Whether a trace is enough for it that a GPU recorded while it checked by ordered metadata: such a trace has no
    /// accesses of shared memory.
    pub replays_ordered_metadata: bool,
    /// Whether the comments of suites may name such a rule of it.
    pub is_rule: fn(&str) -> bool,
}

impl Specification {
    /// A detector of the host: a GPU ships every operation to it, and comments name no rules of it.
    pub const fn on_host(
        name: &'static str,
        new: fn(Settings) -> Box<dyn Detector>,
    ) -> Specification {
        Specification {
            name,
            finds_races: true,
            executes: false,
            warp_sync: Treatment::Warn,
            new,
            device_request: |_, _| DeviceRequest::Ship { repeated_loads: true },
            device_race: |finding, _, _, _| Err(UnknownRule { rule: finding.rule }),
            replays_ordered_metadata: false,
            is_rule: |_| false,
        }
    }
}

/// One of the detectors in the list. It is its name in files and on the command line.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DetectorId(&'static Specification);

/// There is no detector of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no detector `{name}`; there are: {}", crate::NAMES.join(", "))]
pub struct UnknownDetector {
    /// What was asked for.
    pub name: String,
}

impl Deref for DetectorId {
    type Target = Specification;

    fn deref(&self) -> &Specification {
        self.0
    }
}

impl Default for DetectorId {
    /// The first of the list.
    fn default() -> Self {
        DetectorId(crate::ALL[0])
    }
}

impl FromStr for DetectorId {
    type Err = UnknownDetector;

    fn from_str(name: &str) -> Result<Self, UnknownDetector> {
        let found = crate::ALL.into_iter().find(|specification| specification.name == name);
        found.map(DetectorId).ok_or_else(|| UnknownDetector { name: name.to_owned() })
    }
}

impl TryFrom<String> for DetectorId {
    type Error = UnknownDetector;

    fn try_from(name: String) -> Result<Self, UnknownDetector> {
        name.parse()
    }
}

impl From<DetectorId> for String {
    fn from(id: DetectorId) -> String {
        id.name.to_owned()
    }
}

impl PartialEq for DetectorId {
    fn eq(&self, other: &DetectorId) -> bool {
        self.name == other.name
    }
}

impl Eq for DetectorId {}

impl fmt::Debug for DetectorId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_is_found_by_its_name_and_no_other() {
        for specification in crate::ALL {
            let id: DetectorId = specification.name.parse().expect("it is in the list");
            assert_eq!(id.name, specification.name);
        }
        assert_eq!(DetectorId::default().name, "hb");
        let error = "nobody".parse::<DetectorId>().expect_err("there is none");
        let known = "hb, iguard, scord, barracuda, curd, ld, none";
        assert_eq!(error.to_string(), format!("there is no detector `nobody`; there are: {known}"));
    }

    #[test]
    fn only_rules_of_the_papers_are_rules() {
        let is_rule = |detector: &str, rule: &str| {
            let detector: DetectorId = detector.parse().expect("it is in the list");
            (detector.is_rule)(rule)
        };
        for (detector, rule, wrong) in [
            ("hb", "\"a sentence\"", "a sentence"),
            ("iguard", "R5", "R6"),
            ("scord", "IV(f)", "IV(g)"),
            ("barracuda", "READEXCL", "ACQBLK"),
            ("barracuda", "same-value", ""),
            ("curd", "inter-block", "READEXCL"),
            ("ld", "read-write", "inter-block"),
        ] {
            assert!(is_rule(detector, rule) && !is_rule(detector, wrong), "{detector}");
        }
        assert!(!is_rule("none", "R1"));
    }
}
