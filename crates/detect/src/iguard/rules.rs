//! Table 2 of the paper: what an entry remembers, and what one access of one thread means for it. Nothing here
//! knows an event, an address or a report.

use crate::last_access::{Fences, Reach};

/// A rule of table 2: an access that one of `P1` to `P6` fits is free of races, and one that only one of `R1` to
/// `R5` fits is a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The first access to the location.
    P1,
    /// A load from a location that nobody has written.
    P2,
    /// The thread itself was there before, and nobody else.
    P3,
    /// The same warp, after a warp barrier or in lockstep.
    P4,
    /// The same block, after a block barrier.
    P5,
    /// Atomics whose scope reaches both threads.
    P6,
    /// An atomic of block scope, and a thread of another block.
    R1,
    /// Two lanes of one warp, without a warp barrier or fence.
    R2,
    /// Two warps of one block, without a barrier or fence.
    R3,
    /// Two blocks, without a fence of device scope.
    R4,
    /// A lock is held, and none in common.
    R5,
}

impl Rule {
    /// All rules, in the order in which they are tried.
    pub const ALL: [Rule; 11] = [
        Rule::P1,
        Rule::P2,
        Rule::P3,
        Rule::P4,
        Rule::P5,
        Rule::P6,
        Rule::R1,
        Rule::R2,
        Rule::R3,
        Rule::R4,
        Rule::R5,
    ];

    /// The rules by which an access is a race.
    pub const RACES: [Rule; 5] = [Rule::R1, Rule::R2, Rule::R3, Rule::R4, Rule::R5];

    /// The rule that a device reports by this number, from 1 for `R1`.
    pub fn of_device(number: u32) -> Option<Rule> {
        Rule::RACES.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
    }

    /// Its number in the paper.
    pub fn number(self) -> &'static str {
        &self.name()[..2]
    }

    /// Its number and name, for statistics.
    pub fn name(self) -> &'static str {
        match self {
            Rule::P1 => "P1: first accesses",
            Rule::P2 => "P2: loads of what nobody wrote",
            Rule::P3 => "P3: accesses in program order",
            Rule::P4 => "P4: warp-synced accesses",
            Rule::P5 => "P5: accesses after a barrier",
            Rule::P6 => "P6: safe atomic accesses",
            Rule::R1 => "R1: scoped-atomic races",
            Rule::R2 => "R2: intra-warp races",
            Rule::R3 => "R3: intra-block races",
            Rule::R4 => "R4: inter-block races",
            Rule::R5 => "R5: missing-lock races",
        }
    }

    /// Whether it says that there is a race.
    pub fn is_race(self) -> bool {
        self >= Rule::R1
    }
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    /// With or without an answer, whether it changes something or not.
    Atomic(Reach),
}

/// Who accessed a location, and what its counters were then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Its warp, counted over the launch.
    pub(super) warp: u32,
    /// The instruction, for reports.
    pub(super) site: u32,
    /// The locks that it held, as a set.
    pub(super) locks: u16,
    pub(super) lane: u8,
    pub(super) fences: Fences,
    /// Barriers of its block, modulo 256.
    pub(super) block_barrier: u8,
    /// Barriers of its warp, modulo 64.
    pub(super) warp_barrier: u8,
}

impl Stamp {
    /// The place of an accessor that never was. No launch has so many warps.
    pub(super) const NOBODY: Stamp = Stamp {
        warp: u32::MAX,
        site: 0,
        locks: 0,
        lane: u8::MAX,
        fences: Fences { device: 0, block: 0 },
        block_barrier: 0,
        warp_barrier: 0,
    };

    fn is_nobody(&self) -> bool {
        self.lane == u8::MAX
    }

    fn is_same_thread(&self, other: &Stamp) -> bool {
        self.warp == other.warp && self.lane == other.lane
    }
}

/// One access of one thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Current {
    pub(super) stamp: Stamp,
    pub(super) kind: Kind,
    /// The lanes that execute the instruction together.
    pub(super) active: u32,
    /// The first warp of its block, counted over the launch.
    pub(super) first_warp: u32,
    pub(super) warps_per_block: u32,
}

impl Current {
    #[inline]
    fn is_in_block_of(&self, other: &Stamp) -> bool {
        other.warp.wrapping_sub(self.first_warp) < self.warps_per_block
    }
}

/// What an entry says besides who was there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Flags {
    valid: bool,
    /// Somebody wrote.
    modified: bool,
    /// The last write was an atomic.
    atomic: bool,
    /// That atomic had block scope.
    of_block: bool,
    /// Threads of several blocks were here.
    device_shared: bool,
    /// Warps of one block were here, since the last barrier between them.
    block_shared: bool,
}

/// What is remembered of one location: the paper's memory metadata.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Entry {
    writer: Stamp,
    accessor: Stamp,
    flags: Flags,
}

/// What an access turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// One of `P1` to `P6` fits.
    RaceFree(Rule),
    /// No rule fits; as for accesses under a lock, that is no race.
    Undecided,
    /// One of `R1` to `R5` fits, with this earlier access.
    Race(Rule, Stamp),
}

/// Checks an access, and remembers it.
///
/// `older` are the accessors before the last one, newest first. With `sharing`, an entry that several blocks use in
/// the same way stays as it is. `fences_now` gives the fences that the thread of an earlier access has executed
/// until now.
#[inline]
pub(super) fn check(
    entry: &mut Entry,
    older: &mut [Stamp],
    current: &Current,
    sharing: bool,
    fences_now: impl Fn(&Stamp) -> Fences,
) -> Outcome {
    if !entry.flags.valid {
        *entry = Entry { flags: Flags { valid: true, ..Flags::default() }, ..Entry::default() };
        older.fill(Stamp::NOBODY);
        entry.remember(current);
        return Outcome::RaceFree(Rule::P1);
    }
    let is_kept =
        (sharing && entry.is_shared_alike(current.kind)) || entry.is_read_back_by(current);
    entry.note_sharing(current);
    let last = entry.accessor;
    let outcome = match current.kind {
        Kind::Load if !entry.flags.modified => Outcome::RaceFree(Rule::P2),
        Kind::Load => entry.judge(&entry.writer, current, &fences_now),
        Kind::Store | Kind::Atomic(_) => {
            let newest = entry.judge(&last, current, &fences_now);
            match newest {
                Outcome::Race(..) => newest,
                _ => entry.judge_older(older, current, &fences_now).unwrap_or(newest),
            }
        }
    };
    if is_kept {
        return outcome;
    }
    if !older.is_empty() && !last.is_same_thread(&current.stamp) {
        older.rotate_right(1);
        older[0] = last;
    }
    entry.remember(current);
    outcome
}

impl Entry {
    /// Whether several blocks have used the location already, and only as the current access does: by loads, or by
    /// atomics of device scope.
    #[inline]
    fn is_shared_alike(&self, kind: Kind) -> bool {
        let Flags { device_shared, atomic, of_block, .. } = self.flags;
        device_shared
            && match kind {
                Kind::Load => true,
                Kind::Atomic(Reach::Device) => atomic && !of_block,
                Kind::Atomic(Reach::Block) | Kind::Store => false,
            }
    }

    /// Whether the thread that wrote last, and that nobody has followed, reads what it wrote, with nothing in between
    /// that counts.
    #[inline]
    fn is_read_back_by(&self, current: &Current) -> bool {
        current.kind == Kind::Load
            && self.flags.modified
            && self.accessor == self.writer
            && self.accessor == Stamp { site: self.accessor.site, ..current.stamp }
    }

    /// Who shares the location. Its use begins anew when a block comes back to it after a barrier.
    #[inline]
    fn note_sharing(&mut self, current: &Current) {
        let last = &self.accessor;
        if !current.is_in_block_of(last) {
            self.flags.device_shared = true;
            return;
        }
        let after_barrier = last.block_barrier != current.stamp.block_barrier;
        if !self.flags.device_shared && after_barrier {
            self.flags.block_shared = false;
        } else if last.warp != current.stamp.warp {
            self.flags.block_shared = true;
        }
    }

    /// The first race with one of the accessors before the last.
    fn judge_older(
        &self,
        older: &[Stamp],
        current: &Current,
        fences_now: &impl Fn(&Stamp) -> Fences,
    ) -> Option<Outcome> {
        let known = older.iter().take_while(|stamp| !stamp.is_nobody());
        known
            .map(|stamp| self.judge(stamp, current, fences_now))
            .find(|outcome| matches!(outcome, Outcome::Race(..)))
    }

    /// The first rule from `P3` on that fits an earlier access and the current one.
    #[inline]
    fn judge(
        &self,
        earlier: &Stamp,
        current: &Current,
        fences_now: &impl Fn(&Stamp) -> Fences,
    ) -> Outcome {
        let Flags { atomic, of_block, device_shared, block_shared, .. } = self.flags;
        let now = &current.stamp;
        let same_warp = earlier.warp == now.warp;
        let same_thread = earlier.is_same_thread(now);
        let same_block = current.is_in_block_of(earlier);
        if !device_shared && !block_shared {
            if same_thread {
                return Outcome::RaceFree(Rule::P3);
            }
            let in_lockstep = current.active >> (earlier.lane & 31) & 1 == 1;
            if same_warp && (earlier.warp_barrier != now.warp_barrier || in_lockstep) {
                return Outcome::RaceFree(Rule::P4);
            }
        }
        if !device_shared && same_block && earlier.block_barrier != now.block_barrier {
            return Outcome::RaceFree(Rule::P5);
        }
        let both_atomic = atomic && matches!(current.kind, Kind::Atomic(_));
        if both_atomic && (same_block || !of_block) {
            return Outcome::RaceFree(Rule::P6);
        }
        let race = |rule| Outcome::Race(rule, *earlier);
        if atomic && of_block && !current.is_in_block_of(&self.writer) {
            return race(Rule::R1);
        }
        // Whatever table 2 leaves open, a thread does not race with itself.
        if same_thread {
            return Outcome::Undecided;
        }
        let fences = fences_now(earlier);
        let unfenced = fences == earlier.fences;
        if same_warp && unfenced && !device_shared && !block_shared {
            race(Rule::R2)
        } else if same_block && unfenced && !device_shared {
            race(Rule::R3)
        } else if !same_block && fences.device == earlier.fences.device {
            race(Rule::R4)
        } else if earlier.locks | now.locks != 0 && earlier.locks & now.locks == 0 {
            race(Rule::R5)
        } else {
            Outcome::Undecided
        }
    }

    #[inline]
    fn remember(&mut self, current: &Current) {
        self.accessor = current.stamp;
        let (atomic, of_block) = match current.kind {
            Kind::Load => return,
            Kind::Store => (false, false),
            Kind::Atomic(reach) => (true, reach == Reach::Block),
        };
        self.writer = current.stamp;
        self.flags = Flags { modified: true, atomic, of_block, ..self.flags };
    }
}

#[cfg(test)]
pub(super) mod tests;
