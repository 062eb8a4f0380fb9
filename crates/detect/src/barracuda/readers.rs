//! Reads of one location of which some are concurrent: the thesis' sparse vector clock of reads, with the instructions.

use super::clock::Thread;
use super::epoch::Epoch;
use warpsan_model::{WARP_LANES, lanes};

/// A warp of the grid.
type Warp = (u32, u16);

/// Lanes of a warp that have read in one instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadTogether {
    lanes: u32,
    clock: u32,
    site: u32,
}

impl ReadTogether {
    /// These lanes of the warp of a thread have read when it did.
    pub(super) fn new(read: Epoch, lanes: u32) -> ReadTogether {
        ReadTogether { lanes, clock: read.clock, site: read.site }
    }

    /// The last reads of all lanes once they have read again, if those are of one instruction.
    fn then(self, read: ReadTogether) -> Option<ReadTogether> {
        let is_of_one = (self.clock, self.site) == (read.clock, read.site);
        let lanes = self.lanes | read.lanes;
        (is_of_one || lanes == read.lanes).then_some(ReadTogether { lanes, ..read })
    }

    /// The first lane's read that a thread does not know.
    fn unknown(self, warp: Warp, knows: &impl Fn(Epoch) -> bool) -> Option<Epoch> {
        let epoch = |lane| Epoch { thread: thread(warp, lane), clock: self.clock, site: self.site };
        lanes(self.lanes).map(epoch).find(|epoch| !knows(*epoch))
    }
}

fn thread((block, warp): Warp, lane: u32) -> Thread {
    Thread { block, warp, lane: lane as u8 }
}

/// The last reads of the lanes of one warp.
#[derive(Debug, Clone)]
pub(super) enum OfLanes {
    Together(ReadTogether),
    /// Clock and instruction of each lane; the clock is 0 where it has not read.
    Apart(Box<[(u32, u32); WARP_LANES as usize]>),
}

impl OfLanes {
    fn add(&mut self, read: ReadTogether) {
        match self {
            OfLanes::Together(before) => match before.then(read) {
                Some(all) => *before = all,
                None => {
                    let before = *before;
                    *self = OfLanes::Apart(Box::new([(0, 0); WARP_LANES as usize]));
                    self.add(before);
                    self.add(read);
                }
            },
            OfLanes::Apart(each) => {
                lanes(read.lanes).for_each(|lane| each[lane as usize] = (read.clock, read.site));
            }
        }
    }

    fn unknown(&self, warp: Warp, knows: &impl Fn(Epoch) -> bool) -> Option<Epoch> {
        match self {
            OfLanes::Together(read) => read.unknown(warp, knows),
            OfLanes::Apart(each) => {
                let epoch = |(lane, (clock, site)): (u32, &(u32, u32))| Epoch {
                    thread: thread(warp, lane),
                    clock: *clock,
                    site: *site,
                };
                let mut all = (0..).zip(each.iter()).map(epoch);
                all.find(|epoch| epoch.clock > 0 && !knows(*epoch))
            }
        }
    }
}

/// The reads of several warps, sorted by these, so that reports do not depend on chance.
#[derive(Debug, Clone)]
pub(super) struct OfWarps(Vec<(Warp, OfLanes)>);

impl OfWarps {
    fn add(&mut self, warp: Warp, read: ReadTogether) {
        // Blocks mostly come one after the other.
        let place = match self.0.last() {
            Some((last, _)) if *last < warp => Err(self.0.len()),
            _ => self.0.binary_search_by_key(&warp, |(other, _)| *other),
        };
        match place {
            Ok(place) => self.0[place].1.add(read),
            Err(place) => self.0.insert(place, (warp, OfLanes::Together(read))),
        }
    }
}

/// The reads of all warps. Nearly always they are of one, in one instruction.
#[derive(Debug, Clone)]
pub(super) enum Readers {
    OneWarp(Warp, ReadTogether),
    /// In a box, so that locations without stay small.
    Warps(Box<OfWarps>),
}

impl Readers {
    /// These lanes of the warp of a thread have read when it did.
    pub(super) fn new(read: Epoch, lanes: u32) -> Readers {
        Readers::OneWarp((read.thread.block, read.thread.warp), ReadTogether::new(read, lanes))
    }

    /// Lanes of the warp of a thread read when it does. A lane's read takes the place of its last one.
    pub(super) fn add(&mut self, now: Epoch, lanes: u32) {
        let (warp, read) = ((now.thread.block, now.thread.warp), ReadTogether::new(now, lanes));
        match self {
            Readers::OneWarp(only, before) => {
                let all = if *only == warp { before.then(read) } else { None };
                match all {
                    Some(all) => *before = all,
                    None => {
                        let mut warps = OfWarps(vec![(*only, OfLanes::Together(*before))]);
                        warps.add(warp, read);
                        *self = Readers::Warps(Box::new(warps));
                    }
                }
            }
            Readers::Warps(warps) => warps.add(warp, read),
        }
    }

    /// The first thread's read that another thread does not know.
    pub(super) fn unknown(&self, knows: &impl Fn(Epoch) -> bool) -> Option<Epoch> {
        match self {
            Readers::OneWarp(warp, read) => read.unknown(*warp, knows),
            Readers::Warps(warps) => {
                warps.0.iter().find_map(|(warp, reads)| reads.unknown(*warp, knows))
            }
        }
    }

    /// All of them, in the order of threads.
    #[cfg(test)]
    pub(super) fn epochs(&self) -> Vec<Epoch> {
        let epochs = std::cell::RefCell::new(Vec::new());
        self.unknown(&|epoch| {
            epochs.borrow_mut().push(epoch);
            true
        });
        epochs.into_inner()
    }
}

/// Two are equal if they have the same reads, whatever their form.
#[cfg(test)]
impl PartialEq for Readers {
    fn eq(&self, other: &Readers) -> bool {
        self.epochs() == other.epochs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes of a warp of block 0 read at a clock, which is also their instruction's number.
    fn read(warp: u16, clock: u32) -> Epoch {
        Epoch { thread: thread((0, warp), 0), clock, site: clock }
    }

    fn reads(readers: &Readers) -> Vec<(u16, u8, u32)> {
        let read = |epoch: Epoch| (epoch.thread.warp, epoch.thread.lane, epoch.clock);
        readers.epochs().into_iter().map(read).collect()
    }

    #[test]
    fn a_warp_that_reads_again_needs_no_memory() {
        let mut readers = Readers::new(read(1, 3), 0b101);
        readers.add(read(1, 4), 0b101);
        readers.add(read(1, 4), 0b010);
        assert!(matches!(readers, Readers::OneWarp(..)));
        assert_eq!(reads(&readers), [(1, 0, 4), (1, 1, 4), (1, 2, 4)]);
    }

    #[test]
    fn every_lane_has_its_last_read() {
        let mut readers = Readers::new(read(1, 3), 0b101);
        readers.add(read(1, 3), 0b010);
        readers.add(read(0, 9), 0b1);
        readers.add(read(1, 7), 0b100);
        assert_eq!(reads(&readers), [(0, 0, 9), (1, 0, 3), (1, 1, 3), (1, 2, 7)]);
        readers.add(read(1, 8), 0b1000_0001);
        readers.add(read(2, 1), 0b10);
        let all = [(0, 0, 9), (1, 0, 8), (1, 1, 3), (1, 2, 7), (1, 7, 8), (2, 1, 1)];
        assert_eq!(reads(&readers), all);
        let unknown = readers.unknown(&|epoch| epoch.clock != 7);
        assert_eq!(unknown.map(|epoch| epoch.thread.lane), Some(2));
    }
}
