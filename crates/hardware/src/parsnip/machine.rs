//! The machine: cores that run what threads did, with and without detection.

use super::caches::{Address, Caches, Holds};
use super::detector::{Detector, Used, Who};
use super::line::{BYTES, ByteMask};
use super::outcome::Outcome;
use super::settings::{Residence, Settings};
use super::software::Kind;
use std::sync::Arc;
use warpsan_thread_detect::{Checker, Conflict, EmptyTool, RustAllocation, Span};
use warpsan_thread_trace::{Action, Event, Race, Replay, ReplayError};

/// Checks after which the residence of lines is thought over, and the part of them that software may have made. (The thesis has no numbers.)
const WINDOW: u64 = 4096;
const MOST_IN_SOFTWARE: u64 = WINDOW / 64;
/// Windows for which it is known how many checks software made with the other residence; then that is tried again.
const MEMORY: u64 = 64;

/// Why a trace cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ParsnipError {
    /// Its threads do what threads cannot.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// There is no memory for the order of threads.
    #[error("no memory: {0}")]
    NoMemory(String),
}

/// The order of threads, which machines share.
pub struct Order(Checker<EmptyTool>);

impl Order {
    /// Before anything has happened.
    pub fn new() -> Result<Order, ParsnipError> {
        let checker = Checker::new(EmptyTool::default(), Arc::new(RustAllocation));
        checker.map(Order).map_err(|error| ParsnipError::NoMemory(error.to_string()))
    }
}

/// A trace on its way through machines, event by event.
pub struct Simulation<'o> {
    order: Replay<'o, EmptyTool>,
    machines: Vec<Machine>,
    events: usize,
}

impl<'o> Simulation<'o> {
    /// One machine for each of the settings.
    pub fn new(order: &'o Order, settings: &[Settings]) -> Simulation<'o> {
        let machines = settings.iter().map(Machine::new).collect();
        Simulation { order: Replay::new(&order.0), machines, events: 0 }
    }

    /// The next event. `found` gets races of the first machine.
    pub fn event(
        &mut self,
        event: &Event,
        found: &mut dyn FnMut(Race),
    ) -> Result<(), ParsnipError> {
        let index = self.events;
        self.events += 1;
        let access = Access::of(event.action);
        if access.is_some() && self.order.epoch_of(event.thread).is_none() {
            // It begins by itself.
            self.order.event(&Event { action: Action::Begin, ..*event }, &mut |_| {})?;
        }
        let epoch = self.order.epoch_of(event.thread);
        self.order.event(event, &mut |_| {})?;
        if let Action::Allocate(span) = event.action {
            self.machines.iter_mut().for_each(|machine| machine.allocate(span));
        }
        // An access is of the epoch that it began in, and knows what it acquires.
        let state = self.order.state_of(event.thread);
        let (Some(access), Some(epoch), Some(state)) = (access, epoch, state) else {
            return Ok(());
        };
        let mut report = |line: u64, mask: ByteMask, conflict: Conflict| {
            let Some(earlier) = self.order.holder_of(conflict.earlier) else { return };
            for span in spans_of(line, mask) {
                found(Race { event: index, span, earlier, conflict });
            }
        };
        for (number, machine) in self.machines.iter_mut().enumerate() {
            let core = epoch.thread().index() % machine.settings.cores;
            let who = Who { core, epoch, clock: state.clock() };
            match number {
                0 => machine.make(&who, access, &mut report),
                _ => machine.make(&who, access, &mut |_, _, _| {}),
            }
        }
        Ok(())
    }

    /// What each machine says, in the order of the settings.
    pub fn finish(self) -> Vec<Outcome> {
        self.machines.into_iter().map(Machine::finish).collect()
    }
}

/// What an event does to memory.
#[derive(Clone, Copy)]
enum Access {
    /// An access that is checked.
    Checked(Span, Kind),
    /// Memory is given back.
    Free(Span),
}

impl Access {
    fn of(action: Action) -> Option<Access> {
        Some(match action {
            Action::Read(span) => Access::Checked(span, Kind::Read),
            Action::Write(span) => Access::Checked(span, Kind::Write),
            Action::AtomicRead(span, _) => Access::Checked(span, Kind::AtomicRead),
            Action::AtomicWrite(span, _) | Action::AtomicUpdate(span, _) => {
                Access::Checked(span, Kind::AtomicWrite)
            }
            Action::Free(span) => Access::Free(span),
            _ => return None,
        })
    }
}

struct Machine {
    settings: Settings,
    /// The same accesses without metadata.
    plain: Caches,
    caches: Caches,
    detector: Detector,
    /// What lines do now, if that is adapted.
    residence: Residence,
    /// Checks in this window, and those of them that software made.
    window: (u64, u64),
    /// What software made of the last window in the other residence, and how many windows ago that was.
    other: Option<(u64, u64)>,
    outcome: Outcome,
}

impl Machine {
    fn new(settings: &Settings) -> Machine {
        let residence = match settings.residence {
            Residence::Adaptive => Residence::Llc,
            chosen => chosen,
        };
        Machine {
            settings: *settings,
            plain: Caches::new(settings),
            caches: Caches::new(settings),
            detector: Detector::new(settings),
            residence,
            window: (0, 0),
            other: None,
            outcome: Outcome::default(),
        }
    }

    fn allocate(&mut self, span: Span) {
        for (line, mask) in lines_of(span) {
            self.detector.forget(line, mask);
            self.drop_metadata(line);
        }
    }

    fn make(
        &mut self,
        who: &Who<'_>,
        access: Access,
        report: &mut dyn FnMut(u64, ByteMask, Conflict),
    ) {
        match access {
            Access::Checked(span, kind) => self.access(who, span, kind, report),
            Access::Free(span) => self.free(who, span, report),
        }
    }

    fn free(&mut self, who: &Who<'_>, span: Span, report: &mut dyn FnMut(u64, ByteMask, Conflict)) {
        for (line, mask) in lines_of(span) {
            self.detector.free(who, line, mask, &mut |mask, conflict| report(line, mask, conflict));
            self.drop_metadata(line);
        }
    }

    fn drop_metadata(&mut self, line: u64) {
        for holds in [Holds::Primary, Holds::Secondary] {
            self.caches.drop_line(Address::new(line, holds));
        }
    }

    fn access(
        &mut self,
        who: &Who<'_>,
        span: Span,
        kind: Kind,
        report: &mut dyn FnMut(u64, ByteMask, Conflict),
    ) {
        self.outcome.accesses += 1;
        self.outcome.instructions += self.settings.instructions_per_access;
        let others = self.settings.instructions_per_access - 1;
        self.outcome.plain_cycles += others;
        self.outcome.cycles += others;
        let writes = matches!(kind, Kind::Write | Kind::AtomicWrite);
        for (line, mask) in lines_of(span) {
            let data = Address::new(line, Holds::Data);
            self.outcome.plain_cycles += self.plain.access(who.core, data, writes);
            let latency = self.caches.access(who.core, data, writes);
            self.outcome.cycles += latency;
            let found = &mut |mask, conflict| report(line, mask, conflict);
            let used = self.detector.check(who, line, mask, kind, found);
            self.pay(who.core, line, latency, &used);
            self.follow_evictions();
            self.adapt(&used);
        }
    }

    /// The cycles of a check, by what they are for (figure 4.11).
    fn pay(&mut self, core: usize, line: u64, data: u64, used: &Used) {
        let primary = Address::new(line, Holds::Primary);
        let software = Address::new(line, Holds::Software);
        let hit = self.settings.latencies[0];
        let handler = self.settings.software_latency;
        let costs = &mut self.outcome.costs;
        if used.was_missing {
            let cached =
                self.caches.access(core, software, true) + self.caches.access(core, primary, true);
            costs.missing_lines += handler + cached;
        } else {
            // Data and metadata are read at the same time.
            let read = self.caches.access(core, primary, false);
            costs.references += read.saturating_sub(data);
            if used.primary_changed {
                costs.references += self.caches.access(core, primary, true) - hit;
            }
            if used.software_checks > 0 {
                let cached = self.caches.access(core, software, true);
                costs.software_checks += u64::from(used.software_checks) * handler + cached;
            }
        }
        if used.secondary {
            let secondary = Address::new(line, Holds::Secondary);
            costs.references += self.caches.access(core, secondary, used.secondary_changed);
        }
        let [local, remote] = self.settings.table_latencies;
        costs.local_tables += u64::from(used.local_lookups) * local;
        costs.remote_tables += u64::from(used.remote_lookups) * remote;
        for _ in 0..used.drains + used.unbuffered {
            costs.drains += handler + self.caches.access(core, software, true);
        }
        let events = &mut self.outcome.events;
        events.drains += u64::from(used.drains);
        events.rejections += u64::from(used.rejections);
        events.software_checks += u64::from(used.software_checks);
        events.mode_switches += u64::from(used.switches);
        self.outcome.sources[used.source as usize] += 1;
    }

    /// Metadata that has left caches goes to software.
    fn follow_evictions(&mut self) {
        let Some((left_l1, left_all)) = self.caches.take_left() else { return };
        for address in left_all {
            self.evict(address);
        }
        if self.residence == Residence::L1 {
            for address in left_l1 {
                if !self.caches.is_in_an_l1(address) {
                    self.evict(address);
                }
            }
        }
    }

    fn evict(&mut self, address: Address) {
        let has_work = match address.holds() {
            Holds::Primary => {
                self.caches.drop_line(Address::new(address.line(), Holds::Secondary));
                self.detector.evict_primary(address.line())
            }
            Holds::Secondary => self.detector.evict_secondary(address.line()),
            Holds::Data | Holds::Software => false,
        };
        self.caches.drop_line(address);
        if has_work {
            self.outcome.events.evictions += 1;
            self.outcome.costs.missing_lines += self.settings.software_latency;
        }
    }

    fn adapt(&mut self, used: &Used) {
        if self.settings.residence != Residence::Adaptive {
            return;
        }
        self.window.0 += 1;
        self.window.1 += u64::from(used.software_checks > 0);
        if self.window.0 < WINDOW {
            return;
        }
        let (_, software) = std::mem::take(&mut self.window);
        self.other = self.other.map(|(made, age)| (made, age + 1)).filter(|(_, age)| *age < MEMORY);
        if software > MOST_IN_SOFTWARE && self.other.is_none_or(|(made, _)| made < software) {
            self.other = Some((software, 0));
            self.residence = match self.residence {
                Residence::L1 => Residence::Llc,
                _ => Residence::L1,
            };
        }
    }

    fn finish(mut self) -> Outcome {
        let costs = self.outcome.costs.total();
        self.outcome.cycles += costs;
        for distinct in self.detector.most_distinct() {
            self.outcome.histories[usize::from(distinct)] += 1;
        }
        self.outcome
    }
}

/// The lines of some bytes, each with those of its bytes.
fn lines_of(span: Span) -> impl Iterator<Item = (u64, ByteMask)> {
    let end = span.address.saturating_add(span.size);
    let mut at = span.address;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let line = at / BYTES as u64;
        let first = at % BYTES as u64;
        let count = (BYTES as u64 - first).min(end - at);
        at += count;
        let mask = if count == BYTES as u64 { u64::MAX } else { ((1 << count) - 1) << first };
        Some((line, mask))
    })
}

/// Bytes of a line, as runs.
fn spans_of(line: u64, mut mask: ByteMask) -> impl Iterator<Item = Span> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let first = mask.trailing_zeros();
        let size = (mask >> first).trailing_ones();
        mask = mask.checked_shr(first + size).map_or(0, |rest| rest << (first + size));
        Some(Span { address: line * BYTES as u64 + u64::from(first), size: u64::from(size) })
    })
}
