//! A race as plain data: two sides, where they overlap, why it is a race, and what would order them. Detectors make it,
//! renderers show it, and report files carry it from process to process.

use crate::{AccessReport, AlsoSeen, RaceKey, RaceKind, ThreadRace, ThreadSide};
use serde::{Deserialize, Serialize};
use warpsan_model::{DeviceAddress, SourcePosition, Space};

/// What to do with races that some programs rely on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// They are errors.
    Error,
    /// They are warnings.
    #[default]
    Warn,
    /// They are not reported.
    Allow,
}

impl Treatment {
    /// The severity of a race that is treated so; none if it is not to be reported.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Treatment::Error => Some(Severity::Error),
            Treatment::Warn => Some(Severity::Warning),
            Treatment::Allow => None,
        }
    }
}

/// How bad it is. Errors change the exit code, warnings with `--strict`, information never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Fragile.
    Warning,
    /// Wrong.
    Error,
}

impl Severity {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// Whether it changes the exit code; `strict` counts warnings as errors.
    pub fn counts(self, strict: bool) -> bool {
        self >= if strict { Severity::Warning } else { Severity::Error }
    }
}

/// A third place that matters: the fence whose scope is too narrow, the flag without a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedSite {
    /// What is said about it: `this fence has block scope`.
    pub message: String,
    /// The line to look at.
    pub position: Option<SourcePosition>,
    /// The text of that line, where the file could be read.
    pub source_line: Option<String>,
    /// The PTX instruction.
    pub instruction: String,
    /// Its line in the PTX text.
    pub ptx_line: u32,
}

/// Where the two accesses overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLocation {
    /// Global or shared memory; none for a barrier, which is in no memory.
    pub space: Option<Space>,
    /// The first byte that both access; an offset in shared memory.
    pub address: DeviceAddress,
    /// The allocation or variable that it belongs to.
    pub allocation: Option<AllocationReport>,
}

impl MemoryLocation {
    /// That of a barrier.
    pub const NONE: MemoryLocation =
        MemoryLocation { space: None, address: DeviceAddress(0), allocation: None };
}

/// The allocation or variable that a location belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationReport {
    /// Its name, or how it was allocated.
    pub label: String,
    /// Its size.
    pub bytes: u64,
    /// The location's distance from its start.
    pub offset: u64,
}

impl AllocationReport {
    /// The element at the location, if the allocation is an array of elements of so many bytes. A
    /// location inside of one has no number.
    pub fn element(&self, bytes: u32) -> Option<ElementReport> {
        let size = u64::from(bytes);
        let is_element = size > 0 && self.offset.is_multiple_of(size) && size <= self.bytes;
        is_element.then(|| ElementReport { index: self.offset / size, bytes })
    }
}

/// An element of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElementReport {
    /// Its number, counted from 0.
    pub index: u64,
    /// Its size.
    pub bytes: u32,
}

/// What is known of when the two sides of a race happened. It is the order of one run, which nothing makes sure of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessOrder {
    /// Nobody has seen which came first.
    #[default]
    Unknown,
    /// The first came before the second.
    FirstThenSecond,
    /// The first came before the second, and the second is of a later pass of a loop that both are in.
    NextPass,
}

/// One of the two sides of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    First,
    Second,
}

/// What shows the race again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The seed of the schedule.
    pub seed: u64,
    /// The launch, counted from 0 in its process.
    pub launch: u32,
}

impl Replay {
    /// That of a race among threads of a process, which no seed shows again.
    pub const NONE: Replay = Replay { seed: u64::MAX, launch: u32::MAX };

    /// Whether there is neither a seed nor a launch.
    pub fn is_none(&self) -> bool {
        *self == Replay::NONE
    }

    fn none() -> Replay {
        Replay::NONE
    }
}

/// Two accesses that nothing orders; or one that is out of bounds, which is then both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// What is wrong.
    pub kind: RaceKind,
    /// How bad it is.
    pub severity: Severity,
    /// The kernel as the programmer wrote it; of a race among threads, the function that the second access is in.
    pub kernel: String,
    /// The side that was seen first, where `order` says so.
    pub first: AccessReport,
    /// The side that was seen second.
    pub second: AccessReport,
    /// What is known of which side came first.
    #[serde(default)]
    pub order: AccessOrder,
    /// Where they overlap.
    pub location: MemoryLocation,
    /// Why it is a race: the order that was there, and the one that is missing.
    pub reason: String,
    /// What would order the two.
    pub advice: String,
    /// Other places that matter, the most important first.
    pub related: Vec<RelatedSite>,
    /// Both wrote the same bytes.
    pub same_value: bool,
    /// The launch of the second side may begin before that of the first has ended, as a programmatic dependent of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub programmatic: bool,
    /// How often it was seen: a number of occurrences, whatever their size.
    pub count: u64,
    /// What the pair of lines was seen as besides, the worst first. A detector leaves it empty.
    #[serde(default)]
    pub also_seen: Vec<AlsoSeen>,
    /// How to see it again.
    #[serde(default = "Replay::none", skip_serializing_if = "Replay::is_none")]
    pub replay: Replay,
    /// What there is to say of a race among threads of a process; none for kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<Box<ThreadRace>>,
}

impl Race {
    /// What its occurrences are counted by: the pair of lines in its kernel, the kind and the severity.
    pub fn key(&self) -> RaceKey {
        RaceKey::of(self)
    }

    /// Whether it is about one access alone.
    pub fn is_one_access(&self) -> bool {
        self.kind == RaceKind::OutOfBounds
    }

    /// The sides that it is about, the later one first, as reports show them.
    pub(crate) fn turns(&self) -> &'static [Turn] {
        if self.is_one_access() { &[Turn::Second] } else { &[Turn::Second, Turn::First] }
    }

    /// One of its sides.
    pub(crate) fn side(&self, turn: Turn) -> &AccessReport {
        match turn {
            Turn::First => &self.first,
            Turn::Second => &self.second,
        }
    }

    /// What is known of the thread of one side; none for kernels.
    pub(crate) fn thread_side(&self, turn: Turn) -> Option<&ThreadSide> {
        let threads = self.threads.as_ref()?;
        Some(match turn {
            Turn::First => &threads.first,
            Turn::Second => &threads.second,
        })
    }

    /// The element that both access, counted in the size of the smaller access.
    pub fn element(&self) -> Option<ElementReport> {
        let bytes = self.first.bytes.min(self.second.bytes);
        self.location.allocation.as_ref()?.element(bytes)
    }
}
