//! Caches of all cores, coherent by MESI: which lines are where, and how long an access takes (section 4.4).
//!
//! The second cache of a core has all lines of its first one, and the shared cache all lines of both. The shared cache knows which cores have
//! a line. Who writes has it alone. A line that a core alone has, changed or not, is fetched from there.

use super::settings::Settings;
use crate::lru::Sets;

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Data = 0,
    Primary = 1,
    Secondary = 2,
    Software = 3,
}

/// A line of memory: of data, or of metadata for a line of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address(u64);

impl Address {
    pub(super) fn new(line: u64, holds: Holds) -> Address {
        Address(line << 2 | holds as u64)
    }

    /// The line of data that it belongs to.
    pub(super) fn line(self) -> u64 {
        self.0 >> 2
    }

    pub(super) fn holds(self) -> Holds {
        [Holds::Data, Holds::Primary, Holds::Secondary, Holds::Software][(self.0 & 3) as usize]
    }

    fn is_references(self) -> bool {
        matches!(self.holds(), Holds::Primary | Holds::Secondary)
    }

    /// Two bits of the address are stolen, and metadata is in other sets than its data (figure 4.3 has no numbers: a quarter of the sets apart).
    fn set(self, sets: usize) -> usize {
        (self.line() as usize).wrapping_add((self.0 & 3) as usize * (sets / 4)) & (sets - 1)
    }
}

/// What a cache knows of a line.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// In the shared cache: who has it.
    sharers: u32,
    /// In private caches: whether the core may write. In the shared one: the core that may, plus one.
    owner: u16,
}

struct Cache {
    lines: Sets<State>,
    sets: usize,
}

impl Cache {
    fn new(lines: usize, per_set: usize) -> Cache {
        let sets = (lines / per_set).max(1).next_power_of_two();
        Cache { lines: Sets::new(sets, per_set), sets }
    }

    fn find(&mut self, address: Address) -> Option<&mut State> {
        self.lines.find(address.set(self.sets), address.0)
    }

    fn touch(&mut self, address: Address) -> Option<&mut State> {
        self.lines.touch(address.set(self.sets), address.0)
    }

    /// Puts a line in that is not there; the line that had to go.
    fn insert(&mut self, address: Address, state: State) -> Option<(Address, State)> {
        let victim = self.lines.insert(address.set(self.sets), address.0, state);
        victim.map(|(address, state)| (Address(address), state))
    }

    fn remove(&mut self, address: Address) -> bool {
        self.lines.remove(address.set(self.sets), address.0)
    }
}

/// The caches of the machine.
pub(super) struct Caches {
    l1: Vec<Cache>,
    l2: Vec<Cache>,
    l3: Cache,
    latencies: [u64; 5],
    /// Since this was last asked.
    left: Left,
}

/// Lines of metadata that have left a first cache, and all caches.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) l1: Vec<Address>,
    pub(super) all: Vec<Address>,
}

impl Caches {
    pub(super) fn new(settings: &Settings) -> Caches {
        let private = |lines: usize| (0..settings.cores).map(|_| Cache::new(lines, 8)).collect();
        Caches {
            l1: private(settings.l1_lines),
            l2: private(settings.l2_lines),
            l3: Cache::new(settings.l3_lines, 16),
            latencies: settings.latencies,
            left: Left::default(),
        }
    }

    /// Lines of metadata that have left a first cache, and all caches. They are to be given back empty, so that there is room for more.
    pub(super) fn take_left(&mut self) -> Option<Left> {
        let has_left = !(self.left.l1.is_empty() && self.left.all.is_empty());
        has_left.then(|| std::mem::take(&mut self.left))
    }

    /// Room for lines that leave.
    pub(super) fn give_back(&mut self, mut left: Left) {
        left.l1.clear();
        left.all.clear();
        self.left = left;
    }

    /// Whether a first cache has a line.
    pub(super) fn is_in_an_l1(&mut self, address: Address) -> bool {
        let sharers = self.l3.find(address).map_or(0, |state| state.sharers);
        cores_of(sharers).any(|core| self.l1[core].find(address).is_some())
    }

    /// A line is gone from all caches, whoever had it.
    pub(super) fn drop_line(&mut self, address: Address) {
        let Some(State { sharers, .. }) = self.l3.find(address).copied() else { return };
        self.take_from(sharers, address);
        self.l3.remove(address);
    }

    /// The cycles of an access.
    pub(super) fn access(&mut self, core: usize, address: Address, writes: bool) -> u64 {
        let [hit, second, ..] = self.latencies;
        if let Some(way) = self.l1[core].touch(address)
            && (!writes || way.owner != 0)
        {
            return hit;
        }
        let is_in_l1 = self.l1[core].find(address).is_some();
        if let Some(way) = self.l2[core].touch(address)
            && (!writes || way.owner != 0)
        {
            let owner = way.owner;
            self.put_in_l1(core, address, owner);
            return second;
        }
        let latency = self.fetch(core, address, writes);
        if !is_in_l1 || writes {
            let owner = self.l2[core].find(address).map_or(0, |way| way.owner);
            self.put_in_l1(core, address, owner);
        }
        latency
    }

    fn put_in_l1(&mut self, core: usize, address: Address, owner: u16) {
        if let Some(way) = self.l1[core].touch(address) {
            way.owner = owner;
            return;
        }
        let victim = self.l1[core].insert(address, State { owner, sharers: 0 });
        if let Some((victim, _)) = victim
            && victim.is_references()
        {
            self.left.l1.push(victim);
        }
    }

    /// The second cache gets a line, or the right to write to it.
    fn fetch(&mut self, core: usize, address: Address, writes: bool) -> u64 {
        let [_, _, remote, shared, memory] = self.latencies;
        let bit = 1u32 << core;
        let mut latency = shared;
        let (sharers, owner) = match self.l3.touch(address) {
            Some(way) => (way.sharers, way.owner),
            None => {
                latency = memory;
                if let Some((victim, state)) = self.l3.insert(address, State::default()) {
                    self.leave(victim, state.sharers);
                }
                (0, 0)
            }
        };
        let others = sharers & !bit;
        let is_remote = owner != 0 && usize::from(owner) - 1 != core;
        if is_remote || (writes && others != 0) {
            latency = remote;
        }
        if writes {
            self.take_from(others, address);
        } else if is_remote {
            let other = usize::from(owner) - 1;
            for cache in [&mut self.l1[other], &mut self.l2[other]] {
                if let Some(way) = cache.find(address) {
                    way.owner = 0;
                }
            }
        }
        // A line that nobody else has may be written to without asking (state E).
        let is_alone = writes || others == 0;
        if let Some(way) = self.l3.find(address) {
            way.sharers = if writes { bit } else { sharers | bit };
            way.owner = if is_alone { core as u16 + 1 } else { 0 };
        }
        let owner = u16::from(is_alone);
        if let Some(way) = self.l2[core].touch(address) {
            way.owner = owner;
            return latency;
        }
        if let Some((victim, _)) = self.l2[core].insert(address, State { owner, sharers: 0 }) {
            if self.l1[core].remove(victim) && victim.is_references() {
                self.left.l1.push(victim);
            }
            if let Some(way) = self.l3.find(victim) {
                way.sharers &= !bit;
                if usize::from(way.owner) == core + 1 {
                    way.owner = 0;
                }
            }
        }
        latency
    }

    /// A line leaves the shared cache, and so all others.
    fn leave(&mut self, address: Address, sharers: u32) {
        self.take_from(sharers, address);
        if address.is_references() {
            self.left.all.push(address);
        }
    }

    /// Private caches of these cores lose a line.
    fn take_from(&mut self, cores: u32, address: Address) {
        for core in cores_of(cores) {
            self.l1[core].remove(address);
            self.l2[core].remove(address);
        }
    }
}

fn cores_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let core = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (core < 32).then_some(core)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Address = Address(5 << 2);

    fn small() -> Caches {
        let settings =
            Settings { cores: 2, l1_lines: 8, l2_lines: 16, l3_lines: 64, ..Settings::default() };
        Caches::new(&settings)
    }

    #[test]
    fn an_access_takes_as_long_as_the_line_is_far() {
        let mut caches = small();
        assert_eq!(caches.access(0, LINE, false), 120, "memory");
        assert_eq!(caches.access(0, LINE, true), 1, "nobody else has it");
        assert_eq!(caches.access(1, LINE, false), 15, "the other core has changed it");
        assert_eq!(caches.access(1, LINE, false), 1);
        assert_eq!(caches.access(0, LINE, true), 15, "the other core loses it");
        assert_eq!(caches.access(1, LINE, false), 15);
        // Eight more lines of the only set of the first cache.
        for line in 100..108 {
            caches.access(1, Address::new(line, Holds::Data), false);
        }
        assert_eq!(caches.access(1, LINE, false), 10, "the second cache has it");
        assert_eq!(caches.access(0, LINE, false), 1, "shared by both");
        for line in 200..216 {
            caches.access(1, Address::new(line * 2 + 1, Holds::Data), false);
        }
        assert_eq!(
            caches.access(1, LINE, false),
            35,
            "only the shared cache and the other core have it"
        );
    }

    #[test]
    fn metadata_that_leaves_is_named() {
        let mut caches = small();
        let metadata = Address::new(5, Holds::Primary);
        caches.access(0, metadata, true);
        assert!(caches.take_left().is_none() && caches.is_in_an_l1(metadata));
        for line in 100..108 {
            caches.access(0, Address::new(line, Holds::Data), false);
        }
        let left = caches.take_left().expect("it has left the first cache");
        assert_eq!(left, Left { l1: vec![metadata], all: vec![] });
        caches.give_back(left);
        assert!(!caches.is_in_an_l1(metadata));
        for line in 0..400 {
            caches.access(0, Address::new(line, Holds::Data), false);
        }
        let left = caches.take_left().expect("it has left all caches");
        assert_eq!(left.all, [metadata]);
    }
}
