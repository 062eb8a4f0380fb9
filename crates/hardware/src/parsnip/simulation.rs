//! A trace on its way through machines.

use super::caches::{Address, Caches, Holds};
use super::detector::Who;
use super::machine::{Machine, lines_of};
use super::outcome::Outcome;
use super::partition::{BYTES, ByteMask};
use super::settings::Settings;
use super::software::Kind;
use std::sync::Arc;
use warpsan_thread_detect::{Checker, Conflict, EmptyTool, RustAllocation, Span};
use warpsan_thread_trace::{Action, Event, Race, Replay, ReplayError};

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
    /// Machines without detection, each of other caches.
    plain: Vec<Plain>,
    /// Each with the number of the one that is like it without detection.
    machines: Vec<(Machine, usize)>,
}

/// A machine without detection.
struct Plain {
    settings: Settings,
    caches: Caches,
    /// Of accesses alone.
    cycles: u64,
}

impl Plain {
    fn new(settings: &Settings) -> Plain {
        Plain { settings: *settings, caches: Caches::new(settings), cycles: 0 }
    }

    fn access(&mut self, who: &Who<'_>, span: Span, kind: Kind) {
        let core = self.settings.core_of(who.epoch.thread());
        for (line, _) in lines_of(span) {
            let data = Address::new(line, Holds::Data);
            self.cycles += self.caches.access(core, data, kind.is_write());
        }
    }
}

impl<'o> Simulation<'o> {
    /// One machine for each of the settings.
    pub fn new(order: &'o Order, settings: &[Settings]) -> Simulation<'o> {
        let mut plain: Vec<Plain> = Vec::new();
        let mut machines = Vec::new();
        for one in settings {
            let like = plain.iter().position(|plain| plain.settings.has_caches_of(one));
            let like = like.unwrap_or_else(|| {
                plain.push(Plain::new(one));
                plain.len() - 1
            });
            machines.push((Machine::new(one), like));
        }
        Simulation { order: Replay::new(&order.0), plain, machines }
    }

    /// The next event. `found` gets races of the first machine.
    pub fn event(
        &mut self,
        event: &Event,
        found: &mut dyn FnMut(Race),
    ) -> Result<(), ParsnipError> {
        let index = self.order.events();
        let access = Access::of(event.action);
        let epoch = if access.is_some() { Some(self.order.enter(event.thread)?) } else { None };
        match event.action {
            Action::Read(_) | Action::Write(_) => self.order.skip(),
            _ => self.order.event(event, &mut |_| {})?,
        }
        // An access is of the epoch that it began in, and knows what it acquires.
        let (Some(access), Some(epoch)) = (access, epoch) else { return Ok(()) };
        let Some(state) = self.order.state_of(event.thread) else { return Ok(()) };
        let who = Who { epoch, clock: state.clock() };
        if let Access::Checked(span, kind) = access {
            self.plain.iter_mut().for_each(|plain| plain.access(&who, span, kind));
        }
        let order = &self.order;
        let mut report = |line: u64, mask: ByteMask, conflict: Conflict| {
            let Some(earlier) = order.holder_of(conflict.earlier) else { return };
            for span in spans_of(line, mask) {
                found(Race { event: index, span, earlier, conflict });
            }
        };
        for (number, (machine, _)) in self.machines.iter_mut().enumerate() {
            let report: &mut dyn FnMut(u64, ByteMask, Conflict) =
                if number == 0 { &mut report } else { &mut |_, _, _| {} };
            match access {
                Access::Checked(span, kind) => machine.access(&who, span, kind, report),
                Access::Free(span) => machine.free(&who, span, report),
                Access::Allocate(span) => machine.allocate(&who, span),
            }
        }
        Ok(())
    }

    /// What each machine says, in the order of the settings.
    pub fn finish(self) -> Vec<Outcome> {
        let finish = |(machine, like): (Machine, usize)| machine.finish(self.plain[like].cycles);
        self.machines.into_iter().map(finish).collect()
    }
}

/// What an event does to memory.
#[derive(Clone, Copy)]
enum Access {
    /// An access that is checked.
    Checked(Span, Kind),
    /// Memory is given back.
    Free(Span),
    /// Memory is given out.
    Allocate(Span),
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
            Action::Allocate(span) => Access::Allocate(span),
            _ => return None,
        })
    }
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
