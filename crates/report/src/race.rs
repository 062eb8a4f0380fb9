use serde::{Deserialize, Serialize};
use std::fmt;
use warpsan_model::{DeviceAddress, Dim3, SourceFrame, SourcePosition, Space};

/// What is wrong, in one word. When several fit, the detector gives the first of the model's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceKind {
    /// No ordering at all.
    MissingSync,
    /// Synchronisation is there, its scope is too narrow.
    Scope,
    /// Then and else paths of one branch, or lanes that diverged.
    Divergence,
    /// Lanes of one warp that rely on lockstep.
    WarpSync,
    /// Strong accesses that overlap partly.
    MixedSize,
    /// Volatile accesses: a race in CUDA C++, not in PTX.
    Volatile,
    /// Unordered writes that store the same bytes.
    SameValue,
    /// A block barrier that some live threads never reach.
    BarrierDivergence,
    /// A read-only load of memory that the same launch writes.
    ReadonlyPath,
    /// Accesses whose locksets do not intersect.
    Lock,
    /// A flag or lock is handed over, but its fence, acquire or atomic update is missing.
    MissingFence,
    /// An asynchronous copy or an `mbarrier` is used wrongly.
    Async,
    /// Two launches, or a launch and a copy, that nothing orders.
    InterKernel,
}

impl RaceKind {
    /// The name in reports and expectations.
    pub fn name(self) -> &'static str {
        match self {
            RaceKind::MissingSync => "missing-sync",
            RaceKind::Scope => "scope",
            RaceKind::Divergence => "divergence",
            RaceKind::WarpSync => "warp-sync",
            RaceKind::MixedSize => "mixed-size",
            RaceKind::Volatile => "volatile",
            RaceKind::SameValue => "same-value",
            RaceKind::BarrierDivergence => "barrier-divergence",
            RaceKind::ReadonlyPath => "readonly-path",
            RaceKind::Lock => "lock",
            RaceKind::MissingFence => "missing-fence",
            RaceKind::Async => "async",
            RaceKind::InterKernel => "inter-kernel",
        }
    }
}

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

impl fmt::Display for RaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessType {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes in one step.
    Atomic,
    /// It waits at a barrier.
    Barrier,
}

/// One of the two sides of a race.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessReport {
    /// What it does.
    pub access: AccessType,
    /// How strong it is, in words: `weak`, `volatile`, `relaxed, device scope`.
    pub strength: String,
    /// The line to look at.
    pub position: Option<SourcePosition>,
    /// The text of that line, where the file could be read.
    pub source_line: Option<String>,
    /// The whole chain of calls and inlining, innermost first.
    pub frames: Vec<SourceFrame>,
    /// The PTX instruction.
    pub instruction: String,
    /// Its line in the PTX text.
    pub ptx_line: u32,
    /// The thread in its block.
    pub thread: Dim3,
    /// The block in its grid.
    pub block: Dim3,
    /// The warp in its block.
    pub warp: u32,
    /// Bytes accessed.
    pub bytes: u32,
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
    /// Global or shared memory.
    pub space: Space,
    /// The first byte that both access; an offset in shared memory.
    pub address: DeviceAddress,
    /// The allocation or variable that it belongs to.
    pub allocation: Option<AllocationReport>,
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

/// What shows the race again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The seed of the schedule.
    pub seed: u64,
    /// The launch, counted from 0 in its process.
    pub launch: u32,
}

/// Two accesses that nothing orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// What is wrong.
    pub kind: RaceKind,
    /// How bad it is.
    pub severity: Severity,
    /// The kernel as the programmer wrote it.
    pub kernel: String,
    /// The side that was seen first.
    pub first: AccessReport,
    /// The side that was seen second.
    pub second: AccessReport,
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
    /// How often it was seen.
    pub count: u64,
    /// How to see it again.
    pub replay: Replay,
}

/// Races with the same key are one report.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RaceKey {
    kind: RaceKind,
    severity: Severity,
    kernel: String,
    sites: [String; 2],
}

impl Race {
    /// The pair of source lines, whichever came first, with kind, severity and kernel: what is only
    /// information in one place must not hide an error in another.
    pub fn key(&self) -> RaceKey {
        let mut sites = [site_key(&self.first), site_key(&self.second)];
        sites.sort();
        RaceKey { kind: self.kind, severity: self.severity, kernel: self.kernel.clone(), sites }
    }
}

fn site_key(access: &AccessReport) -> String {
    match &access.position {
        Some(position) => format!("{}:{}", position.file, position.line),
        None => format!("PTX line {}", access.ptx_line),
    }
}

/// Takes races as they are found.
pub trait RaceSink {
    /// Takes one race.
    fn race(&mut self, race: Race);

    /// The race was seen once more: `key` is that of a race given before.
    fn seen_again(&mut self, key: &RaceKey, times: u64);
}
