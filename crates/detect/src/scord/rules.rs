//! Tables III and IV of the paper: what one access of a warp means for one entry. Nothing here knows an event, an
//! address or a report.

use super::access::{Current, Kind};
use super::locks::have_common_lock;
use super::metadata::{Metadata, Sharing};
use crate::last_access::{Fences, Reach};

/// A row of table III, by which an access is free of races, or of table IV, by which it is a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// III (a): the first access to the location.
    FirstAccess,
    /// III (b): only this warp has been there.
    ProgramOrder,
    /// III (c): only this block has been there, and a barrier came since.
    Barrier,
    /// IV (a): two warps of a block, and the first has executed no fence since.
    MissingBlockFence,
    /// IV (b): two blocks, and the first warp has executed no fence of device scope since.
    MissingDeviceFence,
    /// IV (c): an access was not strong, so that a fence does not order it.
    NotStrong,
    /// IV (d): an atomic of block scope, and a warp of another block.
    ScopedAtomic,
    /// IV (e): a load, and no lock in common with the write before.
    LockOnLoad,
    /// IV (f): a store, and no lock in common with the access before.
    LockOnStore,
}

impl Rule {
    /// All rows, in the order of the tables.
    pub const ALL: [Rule; 9] = [
        Rule::FirstAccess,
        Rule::ProgramOrder,
        Rule::Barrier,
        Rule::MissingBlockFence,
        Rule::MissingDeviceFence,
        Rule::NotStrong,
        Rule::ScopedAtomic,
        Rule::LockOnLoad,
        Rule::LockOnStore,
    ];

    /// Its place in the paper.
    pub fn number(self) -> &'static str {
        match self {
            Rule::FirstAccess => "table III (a)",
            Rule::ProgramOrder => "table III (b)",
            Rule::Barrier => "table III (c)",
            Rule::MissingBlockFence => "table IV (a)",
            Rule::MissingDeviceFence => "table IV (b)",
            Rule::NotStrong => "table IV (c)",
            Rule::ScopedAtomic => "table IV (d)",
            Rule::LockOnLoad => "table IV (e)",
            Rule::LockOnStore => "table IV (f)",
        }
    }

    /// Its place and name, for statistics.
    pub fn name(self) -> &'static str {
        match self {
            Rule::FirstAccess => "III(a): first accesses",
            Rule::ProgramOrder => "III(b): accesses in program order",
            Rule::Barrier => "III(c): accesses after a barrier",
            Rule::MissingBlockFence => "IV(a): missing block fences",
            Rule::MissingDeviceFence => "IV(b): missing device fences",
            Rule::NotStrong => "IV(c): accesses that are not strong",
            Rule::ScopedAtomic => "IV(d): scoped atomics",
            Rule::LockOnLoad => "IV(e): missing common locks on loads",
            Rule::LockOnStore => "IV(f): missing common locks on stores",
        }
    }

    /// Whether it says that there is a race.
    pub fn is_race(self) -> bool {
        self >= Rule::MissingBlockFence
    }
}

/// What is known of the last accessor besides the entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Earlier {
    /// It is of the same block.
    pub(super) is_in_block: bool,
    /// It is of the same warp, whose lanes have met since (`__syncwarp`).
    pub(super) has_met: bool,
}

/// What an access turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A row of table III fits.
    RaceFree(Rule),
    /// A load of what nobody has written since it was shared: "loads alone cannot cause conflicting accesses".
    NotModified,
    /// An atomic behind an atomic, and neither is too narrow.
    BothAtomic,
    /// No row fits.
    Ordered,
    /// A row of table IV fits.
    Race {
        rule: Rule,
        /// The warp of the last access has executed a fence since, but only of block scope.
        only_block_fence: bool,
    },
}

/// A checked access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) outcome: Outcome,
    /// The entry is of this access now.
    pub(super) is_noted: bool,
}

/// An entry and an access, with all that the rows of the tables ask.
struct Pair<'a> {
    md: Metadata,
    current: &'a Current,
    earlier: Earlier,
    is_same_warp: bool,
    /// The last accessor is the current one: its warp, or its thread where threads count.
    is_own: bool,
}

/// Checks an access, and remembers it. `fences_now` gives what the fence file has for the warp of the last access.
#[inline]
pub(super) fn check(
    entry: &mut Metadata,
    current: &Current,
    earlier: Earlier,
    fences_now: impl FnOnce() -> Fences,
) -> Checked {
    let pair = Pair::new(*entry, current, earlier);
    let outcome = pair.judge(fences_now);
    let begins_anew = matches!(outcome, Outcome::RaceFree(Rule::FirstAccess | Rule::Barrier));
    let is_strong = current.is_strong && (begins_anew || entry.is_strong());
    let is_noted = begins_anew || !pair.reads_own_write();
    *entry = match is_noted {
        true => Metadata::of(current, entry.tag(), pair.sharing(begins_anew), is_strong),
        false => entry.with_strong(is_strong),
    };
    Checked { outcome, is_noted }
}

impl<'a> Pair<'a> {
    #[inline]
    fn new(md: Metadata, current: &'a Current, earlier: Earlier) -> Pair<'a> {
        let is_same_warp = earlier.is_in_block && md.warp() == current.warp;
        let is_in_order = current.lanes.is_none_or(|lanes| {
            let is_whole = !lanes.diverged && !md.had_diverged();
            is_whole || earlier.has_met || lanes.mask == 1 << md.thread()
        });
        Pair { md, current, earlier, is_same_warp, is_own: is_same_warp && is_in_order }
    }

    #[inline]
    fn judge(&self, fences_now: impl FnOnce() -> Fences) -> Outcome {
        if self.is_first_access() {
            return Outcome::RaceFree(Rule::FirstAccess);
        }
        if self.is_in_program_order() {
            return Outcome::RaceFree(Rule::ProgramOrder);
        }
        if self.is_after_barrier() {
            return Outcome::RaceFree(Rule::Barrier);
        }
        let race = |rule| Outcome::Race { rule, only_block_fence: false };
        let is_load = self.current.kind == Kind::Load;
        if is_load && !self.md.is_modified() {
            return Outcome::NotModified;
        }
        if self.is_outside_of_atomic() {
            return race(Rule::ScopedAtomic);
        }
        if matches!(self.current.kind, Kind::Atomic(_)) && self.md.atomic().is_some() {
            return Outcome::BothAtomic;
        }
        let now = fences_now();
        if self.lacks_block_fence(now) {
            return race(Rule::MissingBlockFence);
        }
        if self.lacks_device_fence(now) {
            let only_block_fence = now.block != self.md.fences().block;
            return Outcome::Race { rule: Rule::MissingDeviceFence, only_block_fence };
        }
        if self.is_not_strong() {
            return race(Rule::NotStrong);
        }
        if self.lacks_common_lock() {
            return race(if is_load { Rule::LockOnLoad } else { Rule::LockOnStore });
        }
        Outcome::Ordered
    }

    /// III (a): `md.Modified && md.BlkShared && md.DevShared`.
    #[inline]
    fn is_first_access(&self) -> bool {
        self.md.is_initial()
    }

    /// III (b): `md.WarpID == WarpID && md.BlockID == BlockID && !md.BlkShared && !md.DevShared`.
    #[inline]
    fn is_in_program_order(&self) -> bool {
        self.is_own && !self.md.is_block_shared() && !self.md.is_device_shared()
    }

    /// III (c): `BlockID == md.BlockID && BarrierID != md.BarrierID && !md.DevShared`.
    #[inline]
    fn is_after_barrier(&self) -> bool {
        let barrier = self.md.barrier(self.current.lanes.is_some());
        self.earlier.is_in_block && self.current.barrier != barrier && !self.md.is_device_shared()
    }

    /// IV (a): `md.BlockID == BlockID && md.BlkFenceID == fFile.BlkFenceID && md.DevFenceID == fFile.DevFenceID`, of
    /// another warp, as the text says.
    #[inline]
    fn lacks_block_fence(&self, now: Fences) -> bool {
        self.earlier.is_in_block && !self.is_own && self.md.fences() == now
    }

    /// IV (b): `md.BlockID != BlockID && md.DevFenceID == fFile.DevFenceID`.
    #[inline]
    fn lacks_device_fence(&self, now: Fences) -> bool {
        !self.earlier.is_in_block && self.md.fences().device == now.device
    }

    /// IV (c): `!md.Strong OR !Strong`.
    #[inline]
    fn is_not_strong(&self) -> bool {
        !self.md.is_strong() || !self.current.is_strong
    }

    /// IV (d): `md.IsAtom && md.Scope == BLOCK && md.BlockID != BlockID`.
    #[inline]
    fn is_outside_of_atomic(&self) -> bool {
        self.md.atomic() == Some(Reach::Block) && !self.earlier.is_in_block
    }

    /// IV (e) and (f): `intersect_locks().empty()`, if a lock is held on either side.
    #[inline]
    fn lacks_common_lock(&self) -> bool {
        let (then, now) = (self.md.locks(), self.current.locks);
        then | now != 0 && !have_common_lock(then, now, self.earlier.is_in_block)
    }

    /// Who shares the location behind the access: those who have read since it was written, or since all was in order.
    #[inline]
    fn sharing(&self, begins_anew: bool) -> Sharing {
        if begins_anew || self.current.kind != Kind::Load || self.md.is_modified() {
            return Sharing::default();
        }
        let Earlier { is_in_block, .. } = self.earlier;
        Sharing {
            in_block: self.md.is_block_shared() || is_in_block && !self.is_same_warp,
            in_device: self.md.is_device_shared() || !is_in_block,
        }
    }

    /// Whether the warp loads what it wrote itself and has not published by a fence of device scope since.
    #[inline]
    fn reads_own_write(&self) -> bool {
        let is_unpublished = self.md.fences().device == self.current.fences.device;
        self.current.kind == Kind::Load && self.md.is_modified() && self.is_own && is_unpublished
    }
}

#[cfg(test)]
mod tests;
