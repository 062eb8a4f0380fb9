//! One channel of GDDR5: banks with an open row each, one bus for data, and a controller that prefers
//! requests to open rows.
//!
//! Writes take as long as reads: table V has no times of their own for them.

use crate::configuration::DramTiming;
use std::collections::VecDeque;

/// Requests to open rows that may pass the oldest one, so that it is served at last.
const MOST_PASSED: u32 = 16;

/// A request for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DramRequest {
    /// The line's number among those of the channel.
    pub(crate) local: u32,
    pub(crate) write: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Bank {
    open_row: Option<u32>,
    /// When the open row was activated.
    activated: u64,
    /// When the next command to the open row may come.
    ready: u64,
}

/// What the controller has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) request: DramRequest,
    /// When the line has passed the bus, and the controller.
    pub(crate) done: u64,
}

/// A channel.
#[derive(Debug)]
pub(crate) struct Channel {
    timing: DramTiming,
    banks: Vec<Bank>,
    last_activation: Option<u64>,
    bus_free: u64,
    queue: VecDeque<DramRequest>,
    passed: u32,
}

impl Channel {
    pub(crate) fn new(timing: DramTiming) -> Channel {
        let banks = vec![Bank::default(); timing.banks.max(1) as usize];
        let queue = VecDeque::new();
        Channel { timing, banks, last_activation: None, bus_free: 0, queue, passed: 0 }
    }

    pub(crate) fn push(&mut self, request: DramRequest) {
        self.queue.push_back(request);
    }

    /// When the controller should be asked again, if something waits: commands go out no earlier than they
    /// must, so that a later request to an open row can still pass.
    pub(crate) fn next_turn(&self, now: u64) -> Option<u64> {
        let ahead = self.timing.t_rc;
        (!self.queue.is_empty()).then(|| now.max(self.bus_free.saturating_sub(ahead)))
    }

    /// Begins the next request, if the bus will not be busy for too long.
    pub(crate) fn serve(&mut self, now: u64) -> Option<Served> {
        if self.bus_free > now + self.timing.t_rc {
            return None;
        }
        let chosen = self.choose()?;
        self.passed = if chosen == 0 { 0 } else { self.passed + 1 };
        let request = self.queue.remove(chosen)?;
        let done = self.access(now, request.local) + self.timing.controller;
        Some(Served { request, done })
    }

    fn choose(&self) -> Option<usize> {
        if self.queue.is_empty() {
            return None;
        }
        if self.passed >= MOST_PASSED {
            return Some(0);
        }
        let window = self.queue.iter().take(self.timing.window.max(1));
        let hit = window.enumerate().find(|(_, request)| {
            let (bank, row) = self.place(request.local);
            self.banks[bank].open_row == Some(row)
        });
        Some(hit.map_or(0, |(index, _)| index))
    }

    fn place(&self, local: u32) -> (usize, u32) {
        let row = local / self.timing.lines_in_row.max(1);
        let banks = self.banks.len() as u32;
        ((row % banks) as usize, row / banks)
    }

    /// When the line has passed the bus.
    fn access(&mut self, now: u64, local: u32) -> u64 {
        let (index, row) = self.place(local);
        let timing = self.timing;
        let bank = &mut self.banks[index];
        if bank.open_row != Some(row) {
            let mut activate = now;
            if bank.open_row.is_some() {
                let precharge = now.max(bank.ready).max(bank.activated + timing.t_ras);
                activate = (precharge + timing.t_rp).max(bank.activated + timing.t_rc);
            }
            if let Some(last) = self.last_activation {
                activate = activate.max(last + timing.t_rrd);
            }
            self.last_activation = Some(activate);
            bank.open_row = Some(row);
            bank.activated = activate;
            bank.ready = activate + timing.t_rcd;
        }
        let command = now.max(bank.ready);
        let data = (command + timing.t_cl).max(self.bus_free);
        // The command goes out so that its data follows what the bus is busy with.
        bank.ready = data - timing.t_cl + timing.burst;
        self.bus_free = data + timing.burst;
        self.bus_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table V, without what the controller adds.
    fn channel() -> Channel {
        Channel::new(DramTiming { controller: 0, ..DramTiming::default() })
    }

    fn read(line: u32) -> DramRequest {
        DramRequest { local: line, write: false }
    }

    /// Serves a single request.
    fn done(channel: &mut Channel, now: u64, line: u32) -> u64 {
        channel.push(read(line));
        channel.serve(now).unwrap().done
    }

    /// Lines of a row, and lines until the same bank comes again.
    const ROW: u32 = 16;
    const BANKS: u32 = 16 * ROW;

    #[test]
    fn a_closed_bank_takes_activation_command_and_burst() {
        // tRCD 12 + tCL 12 + 8 on the bus.
        assert_eq!(done(&mut channel(), 100, 0), 100 + 12 + 12 + 8);
    }

    #[test]
    fn an_open_row_takes_command_and_burst() {
        let mut channel = channel();
        done(&mut channel, 0, 0);
        assert_eq!(done(&mut channel, 100, 1), 100 + 12 + 8);
    }

    #[test]
    fn lines_of_an_open_row_follow_each_other_on_the_bus() {
        let mut channel = channel();
        assert_eq!(done(&mut channel, 0, 0), 32);
        assert_eq!(done(&mut channel, 0, 1), 40);
        assert_eq!(done(&mut channel, 0, 2), 48);
    }

    #[test]
    fn another_row_of_the_bank_takes_a_precharge_first() {
        let mut channel = channel();
        done(&mut channel, 0, 0);
        // tRP 12 + tRCD 12 + tCL 12 + 8, long after tRAS and tRC.
        assert_eq!(done(&mut channel, 100, BANKS), 100 + 12 + 12 + 12 + 8);
    }

    #[test]
    fn a_row_stays_open_for_its_time() {
        let mut channel = channel();
        done(&mut channel, 0, 0);
        // Activated at 0: precharge not before tRAS 28, activation at 28 + tRP 12 = tRC 40.
        assert_eq!(done(&mut channel, 22, BANKS), 40 + 12 + 12 + 8);
    }

    #[test]
    fn activations_of_two_banks_keep_their_distance() {
        let mut channel = channel();
        assert_eq!(done(&mut channel, 0, 0), 32);
        // Activation at tRRD 6, data at 30, but the bus is free at 32 only.
        assert_eq!(done(&mut channel, 0, ROW), 40);
        let mut channel = Channel::new(DramTiming { controller: 0, burst: 1, ..channel.timing });
        assert_eq!(done(&mut channel, 0, 0), 25);
        assert_eq!(done(&mut channel, 0, ROW), 6 + 12 + 12 + 1);
    }

    #[test]
    fn requests_to_an_open_row_pass_others_but_not_for_ever() {
        let mut channel = channel();
        done(&mut channel, 0, 0);
        channel.push(read(BANKS));
        for line in 1..40 {
            channel.push(read(line % ROW));
        }
        let order: Vec<u32> =
            (0..20).map(|turn| channel.serve(1000 * (turn + 1)).unwrap().request.local).collect();
        let first = order.iter().position(|line| *line == BANKS);
        assert_eq!(first, Some(MOST_PASSED as usize), "{order:?}");
    }

    #[test]
    fn the_controller_does_not_begin_too_early() {
        let mut channel = channel();
        for line in 0..20 {
            channel.push(read(line % ROW));
        }
        let begun = std::iter::from_fn(|| channel.serve(0)).count();
        assert!(begun < 20, "all were begun at once");
        let turn = channel.next_turn(0).unwrap();
        assert_eq!(turn, channel.bus_free - channel.timing.t_rc);
        assert!(channel.serve(turn).is_some());
    }

    #[test]
    fn an_idle_channel_wants_no_turn() {
        assert_eq!(channel().next_turn(5), None);
        assert_eq!(channel().serve(5), None);
    }
}
