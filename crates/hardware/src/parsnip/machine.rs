//! The machine: cores that run what threads did, with detection.

use super::caches::{Address, Caches, Holds};
use super::detector::{Detector, Used, Who};
use super::outcome::Outcome;
use super::partition::{BYTES, ByteMask};
use super::residence::Adaptive;
use super::settings::Settings;
use super::software::Kind;
use warpsan_thread_detect::{Conflict, Span};

/// A machine with detection.
pub(super) struct Machine {
    settings: Settings,
    caches: Caches,
    detector: Detector,
    residence: Adaptive,
    outcome: Outcome,
}

impl Machine {
    pub(super) fn new(settings: &Settings) -> Machine {
        Machine {
            settings: *settings,
            caches: Caches::new(settings),
            detector: Detector::new(settings),
            residence: Adaptive::new(settings.residence),
            outcome: Outcome::default(),
        }
    }

    /// Memory was given out.
    pub(super) fn allocate(&mut self, who: &Who<'_>, span: Span) {
        for (line, mask) in lines_of(span) {
            self.detector.forget(who, line, mask);
        }
    }

    /// Memory is given back.
    pub(super) fn free(
        &mut self,
        who: &Who<'_>,
        span: Span,
        report: &mut dyn FnMut(u64, ByteMask, Conflict),
    ) {
        for (line, mask) in lines_of(span) {
            self.detector.free(who, line, mask, &mut |mask, conflict| report(line, mask, conflict));
        }
    }

    pub(super) fn access(
        &mut self,
        who: &Who<'_>,
        span: Span,
        kind: Kind,
        report: &mut dyn FnMut(u64, ByteMask, Conflict),
    ) {
        self.outcome.accesses += 1;
        let core = self.settings.core_of(who.epoch.thread());
        for (line, mask) in lines_of(span) {
            let data = Address::new(line, Holds::Data);
            let latency = self.caches.access(core, data, kind.is_write());
            self.outcome.cycles += latency;
            let found = &mut |mask, conflict| report(line, mask, conflict);
            let used = self.detector.check(who, line, mask, kind, found);
            self.pay(core, line, latency, &used);
            self.follow_evictions();
            if self.residence.check(&used) {
                self.keep_in_l1();
            }
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
        let Some(left) = self.caches.take_left() else { return };
        for address in &left.all {
            self.evict(*address);
        }
        if self.residence.is_l1() {
            for address in &left.l1 {
                if !self.caches.is_in_an_l1(*address) {
                    self.evict(*address);
                }
            }
        }
        self.caches.give_back(left);
    }

    /// Lines are to be in first caches from now on.
    fn keep_in_l1(&mut self) {
        for line in self.detector.lines_in_caches() {
            let primary = Address::new(line, Holds::Primary);
            if !self.caches.is_in_an_l1(primary) {
                self.evict(primary);
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
            self.outcome.costs.missing_lines += self.settings.eviction_latency;
        }
    }

    /// What came of it, beside a machine without detection whose accesses took so many cycles.
    pub(super) fn finish(mut self, plain_accesses: u64) -> Outcome {
        let accesses = self.outcome.accesses;
        let instructions = accesses as f64 * self.settings.instructions_per_access;
        self.outcome.instructions = (instructions.round() as u64).max(accesses);
        let others = self.outcome.instructions - accesses;
        self.outcome.plain_cycles = plain_accesses + others;
        self.outcome.cycles += self.outcome.costs.total() + others;
        for distinct in self.detector.most_distinct() {
            self.outcome.histories[usize::from(distinct)] += 1;
        }
        self.outcome
    }
}

/// The lines of some bytes, each with those of its bytes.
pub(super) fn lines_of(span: Span) -> impl Iterator<Item = (u64, ByteMask)> {
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
