//! A channel of memory with its part of the L2 and its ports of the interconnect.

use crate::cache::Cache;
use crate::configuration::{Configuration, LINE_BYTES, LINES_IN_STRIPE};
use crate::dram::Channel;
use crate::interconnect::Port;
use crate::transactions::{NOBODY, Number, Transactions};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Which partition has a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stripes {
    pub(crate) channels: u32,
}

impl Stripes {
    /// The partition of a line, and the line's number there.
    pub(crate) fn place(self, line: u32) -> (usize, u32) {
        let stripe = line / LINES_IN_STRIPE;
        let local = stripe / self.channels * LINES_IN_STRIPE + line % LINES_IN_STRIPE;
        ((stripe % self.channels) as usize, local)
    }

    /// The line with this number at the partition.
    pub(crate) fn line(self, partition: usize, local: u32) -> u32 {
        let stripe = local / LINES_IN_STRIPE * self.channels + partition as u32;
        stripe * LINES_IN_STRIPE + local % LINES_IN_STRIPE
    }
}

/// Who waits for a line that memory was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Awaited {
    first: Number,
    last: Number,
    /// Somebody has written to it meanwhile.
    pub(crate) changed: bool,
}

/// One partition.
#[derive(Debug)]
pub(crate) struct Partition {
    /// Packets that come.
    pub(crate) into: Port,
    /// The L2 itself, which does one thing in a cycle.
    pub(crate) array: Port,
    /// Answers.
    pub(crate) out: Port,
    pub(crate) l2: Cache,
    pub(crate) channel: Channel,
    /// The channel will be asked by itself.
    pub(crate) channel_planned: bool,
    pub(crate) awaited: FxHashMap<u32, Awaited>,
    /// The detector's turns with metadata that is here.
    pub(crate) checks: Port,
    /// Lines of metadata that the detector has at hand or has asked the L2 for, with the last lookup of each.
    pub(crate) looked_up: FxHashMap<u32, Number>,
    /// Lookups for packets that came in here.
    pub(crate) lookups: u32,
    /// Packets that wait for the detector, and all behind them.
    pub(crate) blocked: VecDeque<Number>,
}

impl Partition {
    pub(crate) fn new(configuration: &Configuration) -> Partition {
        let lines = configuration.l2_bytes / LINE_BYTES / u64::from(configuration.channels.max(1));
        Partition {
            into: Port::default(),
            array: Port::default(),
            out: Port::default(),
            l2: Cache::new(lines, configuration.l2_ways),
            channel: Channel::new(configuration.dram),
            channel_planned: false,
            awaited: FxHashMap::default(),
            checks: Port::default(),
            looked_up: FxHashMap::default(),
            lookups: 0,
            blocked: VecDeque::new(),
        }
    }

    /// Notes that a line is wanted, by somebody who waits or by nobody; whether memory has to be asked.
    pub(crate) fn want(
        &mut self,
        local: u32,
        changed: bool,
        who: Number,
        transactions: &mut Transactions,
    ) -> bool {
        match self.awaited.get_mut(&local) {
            None => {
                self.awaited.insert(local, Awaited { first: who, last: who, changed });
                true
            }
            Some(awaited) => {
                awaited.changed |= changed;
                if who != NOBODY {
                    match awaited.last {
                        NOBODY => awaited.first = who,
                        last => transactions.get_mut(last).next = who,
                    }
                    awaited.last = who;
                }
                false
            }
        }
    }
}

impl Awaited {
    /// The one that asked first.
    pub(crate) fn first(&self) -> Number {
        self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_one_place_and_comes_back() {
        for channels in [1, 6, 12, 24] {
            let stripes = Stripes { channels };
            for line in 0..5000 {
                let (partition, local) = stripes.place(line);
                assert!(partition < channels as usize);
                assert_eq!(stripes.line(partition, local), line);
            }
        }
    }

    #[test]
    fn lines_are_spread_evenly_and_densely() {
        let stripes = Stripes { channels: 12 };
        let mut most = [0; 12];
        for line in 0..2400 {
            let (partition, local) = stripes.place(line);
            most[partition] = most[partition].max(local);
        }
        assert_eq!(most, [199; 12]);
    }
}
