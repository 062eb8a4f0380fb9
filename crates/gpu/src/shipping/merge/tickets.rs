//! Launches whose operations are numbered: the numbers are the order.

use super::super::error::ShippingError;
use super::super::launch::ShippedLaunch;
use super::super::operation::Operation;
use super::Merger;
use super::blocks::Origin;
use std::collections::BTreeMap;
use warpsan_instrument::record::RecordKind;

/// Operations by their numbers.
#[derive(Debug, Default)]
pub(super) struct Tickets {
    /// Whether the launch has any; not known before its first operation.
    used: Option<bool>,
    /// Operations that went.
    gone: u64,
    held: BTreeMap<u64, (Origin, Operation)>,
}

impl Tickets {
    pub(super) fn in_use(&self) -> bool {
        self.used == Some(true)
    }

    /// Whether the launch is ordered by tickets.
    pub(super) fn are_used(
        &mut self,
        operation: &Operation,
        launch: &ShippedLaunch,
    ) -> Result<bool, ShippingError> {
        let has_one = operation.header().ticket != 0;
        if *self.used.get_or_insert(has_one) != has_one {
            return Err(operation.is_bad(launch, "some operations have tickets, and some have not"));
        }
        Ok(has_one)
    }

    pub(super) fn examples(&self, launch: &ShippedLaunch, most: usize) -> Vec<String> {
        let waiting = self.held.values().take(most);
        waiting
            .map(|(_, operation)| {
                format!("{}: {} tickets came before it", operation.describe(launch), self.gone)
            })
            .collect()
    }
}

impl Merger<'_> {
    pub(super) fn accept_by_ticket(
        &mut self,
        origin: Origin,
        operation: Operation,
    ) -> Result<(), ShippingError> {
        let ticket = operation.header().ticket;
        if ticket <= self.tickets.gone || self.tickets.held.contains_key(&ticket) {
            return Err(operation.is_bad(self.launch, "another operation has its ticket"));
        }
        if ticket != self.tickets.gone + 1 {
            self.queues[origin.queue].held.insert(origin.index);
            self.tickets.held.insert(ticket, (origin, operation));
            return Ok(());
        }
        self.go_by_ticket(&operation)?;
        while let Some((origin, operation)) = self.tickets.held.remove(&(self.tickets.gone + 1)) {
            self.queues[origin.queue].held.remove(&origin.index);
            self.go_by_ticket(&operation)?;
        }
        Ok(())
    }

    fn go_by_ticket(&mut self, operation: &Operation) -> Result<(), ShippingError> {
        let header = operation.header();
        self.check(operation)?;
        self.begin_block(header.block);
        let waiting = self.warp((header.block, u32::from(header.warp))).waiting;
        if waiting & header.mask != 0 {
            return Err(operation.is_bad(self.launch, "it went on while it had to wait"));
        }
        if operation.kind() == RecordKind::BlockBarrierArrive {
            self.note_arrival(operation)?;
        }
        if self.advance(operation, header.mask)? != 0 {
            return Err(operation.is_bad(self.launch, "what it waited for comes later"));
        }
        // Nobody has anything pending that could go now.
        self.work.clear();
        self.tickets.gone += 1;
        self.done += 1;
        Ok(())
    }
}
