//! What the engine finds on the device, into the report of the process.

use super::judging::Judge;
use super::ordering::ShippedOrder;
use super::{SharedJournal, detector_sink};
use crate::LaunchFilter;
use crate::launch_filter::LaunchChoice;
use crate::progress_file::CompilationFile;
use crate::record::Record;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;
use warpsan_detect::ld;
use warpsan_gpu::{
    Allocation, AllocationKind, CopiesOfLaunch, DevicePlan, EntriesBytes, Listener, OrderStep,
    Prepared, ReportedRace, SharedSink,
};
use warpsan_ir::display_name;
use warpsan_report::{AllocationReport, Limitation, NotCovered, Race, RaceSink, Statistic};

/// The detector that says by itself that nothing was checked.
const NOTHING_IS_CHECKED: &str = "none";

/// What a GPU is asked to check is kernels. The rest of what a program does to memory goes by unseen, and so do other launches where the device itself
/// checks.
fn of_this_engine(plan: DevicePlan) -> Limitation {
    let launches = if plan.only_ships() { "" } else { "other launches, " };
    Limitation {
        what: format!(
            "on a GPU, {launches}copies, memsets and accesses of the host are not checked against kernels, and accesses out of bounds that are in other memory are not seen"
        ),
        advice: "`--engine cpu` checks them".to_string(),
    }
}

/// Takes what the engine reports.
pub(super) struct Checking {
    journal: SharedJournal,
    judge: Judge,
    with_statistics: bool,
    /// Which launches are checked.
    launches: Mutex<LaunchChoice>,
    /// Who hears of memory, too.
    events: Option<SharedSink>,
    /// Who keeps the order of work, where somebody hears of operations.
    order: Option<Arc<ShippedOrder>>,
    /// Says which kernel is compiled, where somebody shows it.
    compilation: Option<CompilationFile>,
    memory: Mutex<BTreeMap<u64, (u64, String)>>,
    statistics: Mutex<BTreeMap<String, u64>>,
    without_lines: Mutex<HashSet<String>>,
    /// The limitation of this engine is stated, once there is a launch.
    limited: Once,
    /// All that was found is in the report, and nobody will ask the device again.
    ended: AtomicBool,
}

impl Checking {
    pub(super) fn new(
        journal: SharedJournal,
        judge: Judge,
        with_statistics: bool,
        events: Option<SharedSink>,
        order: Option<Arc<ShippedOrder>>,
    ) -> Checking {
        Checking {
            journal,
            judge,
            with_statistics,
            launches: Mutex::default(),
            events,
            order,
            compilation: None,
            memory: Mutex::default(),
            statistics: Mutex::default(),
            without_lines: Mutex::default(),
            limited: Once::new(),
            ended: AtomicBool::new(false),
        }
    }

    /// The same for these launches alone.
    pub(super) fn of_launches(self, filter: &LaunchFilter) -> Checking {
        Checking { launches: Mutex::new(LaunchChoice::new(filter)), ..self }
    }

    /// The same, and says in a folder which kernel is compiled.
    pub(super) fn with_progress_in(self, folder: Option<&Path>) -> Checking {
        Checking { compilation: folder.map(CompilationFile::new), ..self }
    }

    /// The race behind a finding; none if the user does not want its kind.
    fn race(&self, finding: &ReportedRace) -> Option<Race> {
        if self.judge.plan.copies().is_some() && finding.report.is_unexplained() {
            self.journal.lock().not_covered(NotCovered {
                what: ld::UNEXPLAINED.to_owned(),
                place: format!("kernel `{}`", display_name(&finding.kernel)),
                advice: "its warps may race in a way that values do not show; check it with --detector hb".to_owned(),
            });
            return None;
        }
        self.judge.race(finding, |address| self.allocation(address)).unwrap_or_else(|error| {
            self.journal.lock().not_covered(super::internal_failure(&error.to_string()));
            None
        })
    }

    fn allocation(&self, address: u64) -> Option<AllocationReport> {
        let memory = open(&self.memory);
        let (start, (bytes, label)) = memory.range(..=address).next_back()?;
        let offset = address - start;
        (offset < *bytes).then(|| AllocationReport { label: label.clone(), bytes: *bytes, offset })
    }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Listener for Checking {
    fn wants(&self, kernel: &str) -> bool {
        open(&self.launches).watches_next(&display_name(kernel))
    }

    fn compiles(&self, kernel: &str) {
        if let Some(file) = &self.compilation {
            file.begin(display_name(kernel));
        }
    }

    fn compiled(&self) {
        if let Some(file) = &self.compilation {
            file.end();
        }
    }

    fn passed_over(&self, kernel: &str) {
        let kernel = display_name(kernel);
        let (has_line_information, unwatched) = (true, true);
        let mut journal = self.journal.lock();
        journal.write(Record::LaunchBegin { kernel, has_line_information, unwatched });
        journal.write(Record::LaunchEnd { accesses: 0 });
    }

    fn launched(&self, kernel: &str, is_covered: bool) {
        let kernel = display_name(kernel);
        let has_line_information = !open(&self.without_lines).contains(&kernel);
        let mut journal = self.journal.lock();
        if self.judge.detector.name != NOTHING_IS_CHECKED {
            self.limited
                .call_once(|| journal.write(Record::Limitation(of_this_engine(self.judge.plan))));
        }
        if self.ended.load(Ordering::Acquire) {
            journal.not_covered(NotCovered {
                what: "a launch of a destructor that runs after warpsan's own end".to_string(),
                place: format!("kernel `{kernel}`"),
                advice: "races in it are not found; use the device before the end of main"
                    .to_string(),
            });
        }
        journal.write(Record::LaunchBegin { kernel, has_line_information, unwatched: false });
        journal.write(Record::LaunchEnd { accesses: 0 });
        drop(journal);
        let counted = if is_covered { "launches instrumented" } else { "launches as they are" };
        *open(&self.statistics).entry(counted.to_owned()).or_default() += 1;
    }

    fn not_covered(&self, kernel: &str, reason: &str) {
        self.journal.lock().not_covered(NotCovered {
            what: format!("a kernel that runs as it is: {reason}"),
            place: format!("kernel `{}`", display_name(kernel)),
            advice: "races in it are not found on the GPU; `--engine cpu` may check it".to_string(),
        });
    }

    fn entries_have(&self, bytes: EntriesBytes) {
        let mut statistics = open(&self.statistics);
        for (what, value) in [
            ("bytes of the program's memory", bytes.program),
            ("bytes of entries of lines", bytes.lines),
            ("bytes of pools for words and bytes", bytes.pools),
            ("bytes of these pools in use", bytes.used),
        ] {
            let most = statistics.entry(what.to_owned()).or_default();
            *most = value.max(*most);
        }
    }

    fn prepared(&self, prepared: &Prepared) {
        let kernel = display_name(&prepared.kernel);
        if !prepared.has_line_information {
            open(&self.without_lines).insert(kernel.clone());
        }
        let mut statistics = open(&self.statistics);
        let mut add = |what: &str, value: u64| {
            *statistics.entry(format!("{kernel}: {what}")).or_default() = value;
        };
        let [before, after] = prepared.registers;
        add("registers of a thread before", before.max(0) as u64);
        add("registers of a thread after", after.max(0) as u64);
        let [before, after] = prepared.occupancy;
        add("blocks on a multiprocessor before", before.max(0) as u64);
        add("blocks on a multiprocessor after", after.max(0) as u64);
        add("bytes of local memory after", prepared.local_bytes[1].max(0) as u64);
        add("bytes of machine code after", prepared.code_bytes as u64);
        let cost = prepared.cost;
        add("instructions of PTX", u64::from(cost.instructions));
        add("instructions with checks", u64::from(cost.instrumented));
        add("instructions with checks without pruning", u64::from(cost.instrumented + cost.pruned));
        add("accesses checked", u64::from(prepared.cost.checked));
        add("accesses checked before in their block", u64::from(prepared.cost.pruned));
        add("speculated loads not checked", u64::from(prepared.cost.speculated));
    }

    fn found(&self, finding: &ReportedRace) {
        if let Some(race) = self.race(finding) {
            self.journal.lock().race(race);
        }
    }

    fn seen_again(&self, finding: &ReportedRace, times: u64) {
        if let Some(race) = self.race(finding) {
            self.journal.lock().seen_again(&race.key(), times);
        }
    }

    fn copied(&self, kernel: &str, copies: CopiesOfLaunch) {
        let kernel = display_name(kernel);
        let mut statistics = open(&self.statistics);
        let mut most = |what: &str, value: u64| {
            let known = statistics.entry(format!("{kernel}: {what}")).or_default();
            *known = (*known).max(value);
        };
        most("private copies", copies.copies);
        most("bytes of what is copied", copies.target_bytes);
        most("bytes of all copies", copies.total_bytes);
        most("accesses of global memory", u64::from(copies.accesses));
        most("accesses left out as read-only or affine", u64::from(copies.left_out));
        most("runs of the kernel for a launch", u64::from(copies.runs));
    }

    fn timed(&self, kernel: &str, part: &'static str, time: Duration) {
        let name = format!("{}: nanoseconds of {part}", display_name(kernel));
        *open(&self.statistics).entry(name).or_default() += time.as_nanos() as u64;
    }

    fn shipped(&self, kernel: &str, operations: u64) {
        let name = format!("{}: operations of warps shipped", display_name(kernel));
        *open(&self.statistics).entry(name).or_default() += operations;
    }

    fn gave_up(&self, kernel: &str, limit: Duration) {
        let mut journal = self.journal.lock();
        journal.not_covered(NotCovered {
            what: format!(
                "a launch that had not ended after {} seconds, and what the program would have done after it",
                limit.as_secs_f64()
            ),
            place: format!("kernel `{}`", display_name(kernel)),
            advice: "the program was ended; if the kernel needs longer, raise the limit of --launch-timeout"
                .to_string(),
        });
        journal.write(Record::End);
        if let Some(recording) = journal.recording.take()
            && let Err(error) = recording.finish()
        {
            tracing::error!("the trace could not be finished: {error}");
        }
        // Nothing of the program may run any more, not even what it has left for its end: that would wait for the
        // device. The journal stays locked, so that nothing is added either.
        // SAFETY: it does not come back.
        unsafe { libc::syscall(libc::SYS_exit_group, 1) };
    }

    fn warning(&self, text: &str) {
        self.journal.lock().not_covered(NotCovered {
            what: text.to_string(),
            place: "the GPU engine".to_string(),
            advice: "the rest was checked".to_string(),
        });
    }

    fn allocated(&self, allocation: &Allocation, label: Option<&str>) {
        let (bytes, is_variable) = (allocation.bytes, label.is_some());
        let label = match (label, allocation.kind) {
            (Some(name), _) => display_name(name),
            (None, AllocationKind::Managed) => format!("managed memory of {bytes} bytes"),
            (None, AllocationKind::Host) => format!("page-locked host memory of {bytes} bytes"),
            (None, AllocationKind::Registered) => {
                format!("registered host memory of {bytes} bytes")
            }
            (None, _) => format!("device memory of {bytes} bytes"),
        };
        let mut memory = open(&self.memory);
        let known = memory.insert(allocation.address, (bytes, label.clone()));
        drop(memory);
        // Each kernel that uses a variable announces it again. It is no new memory, and keeps its history.
        if is_variable && known == Some((bytes, label.clone())) {
            return;
        }
        if let Some(events) = &self.events {
            detector_sink::emit_allocation(events, allocation.address, bytes, &label);
        }
    }

    fn freed(&self, address: u64) {
        if let Some(events) = &self.events {
            detector_sink::emit_free(events, address);
        }
        open(&self.memory).remove(&address);
    }

    fn ordered(&self, step: OrderStep) {
        if let Some(order) = &self.order {
            order.step(step);
        }
    }

    fn ended(&self) {
        self.ended.store(true, Ordering::Release);
        if !self.with_statistics {
            return;
        }
        let statistics = std::mem::take(&mut *open(&self.statistics));
        let statistics = statistics.into_iter().map(|(name, value)| Statistic { name, value });
        self.journal.lock().write(Record::Statistics(statistics.collect()));
    }
}

#[cfg(test)]
mod tests;
