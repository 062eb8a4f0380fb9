//! One warp: its registers, and the groups that its lanes form while they are diverged.

use crate::lanes::Row;
use crate::program::{Live, Program, Uniform};
use std::ops::Range;
use std::sync::Arc;
use warpsan_model::WARP_LANES;
use warpsan_model::barriers::warp_barrier_is_complete;

/// Instructions that a warp may execute while some of its lanes wait for others to reconverge.
/// Reconvergence is a matter of speed only, so waiting forever for lanes that spin would be wrong.
const PATIENCE: u64 = 1_000;

/// A number that stands for nothing.
pub(crate) const NONE: u32 = u32::MAX;

/// Lanes that are at the same instruction of the same call.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    /// The next instruction.
    pub(crate) at: u32,
    pub(crate) state: State,
    /// The innermost reconvergence point that the lanes are expected at.
    pub(crate) reconvergence: u32,
    /// The open call, or none in the kernel itself.
    pub(crate) call: u32,
    /// Where the registers, predicates and local memory of the open call begin.
    pub(crate) bases: Bases,
}

/// Where what belongs to an open call begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bases {
    pub(crate) rows: u32,
    pub(crate) predicates: u32,
    pub(crate) local: u32,
}

/// Whether a group can run, or what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// Waits for the other lanes that diverged at the same branch.
    AtReconvergence(u32),
    /// Has executed the block barrier of this instruction, and `at` is behind it.
    AtBlockBarrier {
        barrier: u32,
        instruction: u32,
    },
    /// Has executed `bar.warp.sync`, and `at` is behind it.
    AtWarpBarrier {
        mask: u32,
    },
    /// Is in front of a `.sync` operation that needs these lanes. Operations of one kind belong together,
    /// wherever they are in the code.
    AtCollective {
        mask: u32,
        kind: u32,
    },
    /// Is in front of a wait for the cluster's barrier.
    AtClusterBarrier {
        phase: u32,
    },
}

/// A reconvergence point: where lanes that diverged are one group again.
#[derive(Debug, Clone)]
struct Reconvergence {
    at: u32,
    /// The call that the place is in: deeper ones may pass the same instruction.
    call: u32,
    members: u32,
    arrived: u32,
    /// The next reconvergence point.
    outer: u32,
    /// The warp's instruction count at which the arrived lanes go on without the others.
    deadline: u64,
    /// How often lanes went on without the others. Who waits in vain waits less the next time.
    in_vain: u32,
    is_free: bool,
}

/// A call that has not returned.
#[derive(Debug, Clone)]
pub(crate) struct OpenCall {
    /// The call instruction.
    pub(crate) instruction: u32,
    /// The call that it was made in, and what belongs to that.
    pub(crate) outer: u32,
    pub(crate) outer_bases: Bases,
    /// The first instruction of the routine, and the rows that its registers have.
    entry: u32,
    rows: Range<u32>,
    /// Lanes that have not returned from it.
    members: u32,
}

#[derive(Debug)]
pub(crate) struct Warp {
    /// The warp's number in its block.
    pub(crate) index: u32,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    pub(crate) rows: Vec<Row>,
    uniform: Arc<Uniform>,
    pub(crate) predicates: Vec<u32>,
    /// Local memory: each row is one word of every lane.
    pub(crate) local: Vec<Row>,
    pub(crate) groups: Vec<Group>,
    reconvergences: Vec<Reconvergence>,
    calls: Vec<OpenCall>,
    /// Calls in the list that all lanes have returned from.
    calls_left: u32,
    /// Reconvergence points at which lanes wait.
    waiting: u32,
    /// Groups that have become one of several, and that nobody was told of.
    reconverged: Vec<u32>,
    pub(crate) instructions: u64,
    /// The scheduler has the warp in its queue.
    pub(crate) queued: bool,
    /// How often the scheduler put it to the end of its ranks.
    pub(crate) demotions: u32,
}

impl Warp {
    pub(crate) fn new(index: u32) -> Warp {
        Warp {
            index,
            live: 0,
            rows: Vec::new(),
            uniform: Arc::default(),
            predicates: Vec::new(),
            local: Vec::new(),
            groups: Vec::new(),
            reconvergences: Vec::new(),
            calls: Vec::new(),
            calls_left: 0,
            waiting: 0,
            reconverged: Vec::new(),
            instructions: 0,
            queued: false,
            demotions: 0,
        }
    }

    /// As new, for the first `lanes` lanes of a kernel.
    pub(crate) fn start_kernel(&mut self, lanes: u32, program: &Program) {
        self.uniform = Arc::clone(&program.uniform);
        self.start(lanes, program.rows, program.predicates, program.local_words);
    }

    fn start(&mut self, lanes: u32, rows: u32, predicates: u32, local_words: u32) {
        self.live = if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 };
        for (list, length) in [(&mut self.rows, rows), (&mut self.local, local_words)] {
            list.clear();
            list.resize(length as usize, Row::ZERO);
        }
        self.predicates.clear();
        self.predicates.resize(predicates as usize, 0);
        self.groups.clear();
        self.groups.push(Group {
            mask: self.live,
            at: 0,
            state: State::Ready,
            reconvergence: NONE,
            call: NONE,
            bases: Bases::default(),
        });
        self.reconvergences.clear();
        self.calls.clear();
        self.calls_left = 0;
        self.waiting = 0;
        self.reconverged.clear();
        self.instructions = 0;
        self.queued = false;
        self.demotions = 0;
    }

    /// The same state as another warp, in memory that is there already.
    pub(crate) fn copy_from(&mut self, other: &Warp) {
        self.index = other.index;
        self.live = other.live;
        self.rows.clone_from(&other.rows);
        self.uniform = Arc::clone(&other.uniform);
        self.predicates.clone_from(&other.predicates);
        self.local.clone_from(&other.local);
        self.groups.clone_from(&other.groups);
        self.reconvergences.clone_from(&other.reconvergences);
        self.calls.clone_from(&other.calls);
        self.calls_left = other.calls_left;
        self.waiting = other.waiting;
        self.reconverged.clone_from(&other.reconverged);
        self.instructions = other.instructions;
        self.queued = other.queued;
        self.demotions = other.demotions;
    }

    /// Mixes what lives on of some lanes into a hash.
    pub(crate) fn mix_live(&self, live: &Live, mask: u32, mut hash: u64) -> u64 {
        for &predicate in &live.predicates {
            hash = mix(hash, u64::from(self.predicates[predicate as usize] & mask));
        }
        for &(row, count) in &live.rows {
            let rows = &self.rows[row as usize..][..usize::from(count)];
            if mask == u32::MAX {
                let words = rows.iter().flat_map(|row| row.0);
                hash = words.fold(hash, |hash, word| mix(hash, u64::from(word)));
                continue;
            }
            for lane in lanes(mask) {
                for word in lane * usize::from(count)..(lane + 1) * usize::from(count) {
                    hash = mix(hash, u64::from(rows[word / 32].0[word % 32]));
                }
            }
        }
        hash
    }

    /// The thread of a lane in its block.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        self.index * WARP_LANES + lane as u32
    }

    pub(crate) fn has_ready(&self) -> bool {
        self.groups.iter().any(|group| group.state == State::Ready)
    }

    /// The lanes of `taken` go to `target`, the rest to the next instruction. They reconverge at `reconverge`.
    pub(crate) fn diverge(
        &mut self,
        group: usize,
        taken: u32,
        target: u32,
        reconverge: Option<u32>,
    ) {
        let next = self.groups[group].at + 1;
        self.expect_reconvergence(group, reconverge);
        let mut other = self.groups[group].clone();
        self.groups[group].mask &= !taken;
        self.groups[group].at = next;
        other.mask = taken;
        other.at = target;
        self.groups.push(other);
    }

    /// The lanes of a group will reconverge at `reconverge`, if anywhere.
    pub(crate) fn expect_reconvergence(&mut self, group: usize, reconverge: Option<u32>) {
        let Some(at) = reconverge else { return };
        let Group { mask, reconvergence, call, .. } = self.groups[group];
        // Lanes diverge at the branch of a loop again and again; all reconverge at its end once.
        let known = self.reconvergences.get(reconvergence as usize);
        if known.is_some_and(|known| known.at == at && known.call == call) {
            return;
        }
        let new = Reconvergence {
            at,
            call,
            members: mask,
            arrived: 0,
            outer: reconvergence,
            deadline: 0,
            in_vain: 0,
            is_free: false,
        };
        let id = match self.reconvergences.iter().position(|reconvergence| reconvergence.is_free) {
            Some(id) => {
                self.reconvergences[id] = new;
                id
            }
            None => {
                self.reconvergences.push(new);
                self.reconvergences.len() - 1
            }
        };
        self.groups[group].reconvergence = id as u32;
    }

    /// The instruction at which the group reconverges with others, or none.
    pub(crate) fn reconvergence_at(&self, group: usize) -> u32 {
        let group = &self.groups[group];
        match self.reconvergences.get(group.reconvergence as usize) {
            Some(reconvergence) if reconvergence.call == group.call => reconvergence.at,
            _ => NONE,
        }
    }

    /// The group has come to its innermost reconvergence point: it waits, or all go on as one.
    pub(crate) fn arrive(&mut self, group: usize) {
        let Group { mask, reconvergence: id, .. } = self.groups[group];
        let Some(reconvergence) = self.reconvergences.get_mut(id as usize) else { return };
        self.groups[group].reconvergence = reconvergence.outer;
        self.groups[group].state = State::AtReconvergence(id);
        self.waiting += u32::from(reconvergence.arrived == 0);
        reconvergence.arrived |= mask;
        reconvergence.deadline = self.instructions + (PATIENCE >> reconvergence.in_vain.min(6));
        self.complete_if_all_arrived(id);
    }

    fn complete_if_all_arrived(&mut self, id: u32) {
        let reconvergence = &self.reconvergences[id as usize];
        let expected = reconvergence.members & self.live;
        if !reconvergence.is_free && reconvergence.arrived & self.live == expected {
            self.release(id);
            self.reconvergences[id as usize].is_free = true;
        }
    }

    /// The lanes that wait at a reconvergence point go on together.
    fn release(&mut self, id: u32) {
        if self.reconvergences[id as usize].arrived != 0 {
            self.waiting -= 1;
        }
        let (mut first, mut is_one) = (None, true);
        let mut index = 0;
        while index < self.groups.len() {
            if self.groups[index].state != State::AtReconvergence(id) {
                index += 1;
                continue;
            }
            match first {
                None => {
                    self.groups[index].state = State::Ready;
                    first = Some(index);
                    index += 1;
                }
                Some(first) => {
                    let other = self.groups.swap_remove(index);
                    self.groups[first].mask |= other.mask;
                    is_one = false;
                }
            }
        }
        if let (Some(first), false) = (first, is_one) {
            self.reconverged.push(self.groups[first].mask);
        }
    }

    /// The lanes that have become one group again since the last call, group by group.
    #[inline]
    pub(crate) fn take_reconverged(&mut self) -> std::vec::Drain<'_, u32> {
        self.reconverged.drain(..)
    }

    /// The lanes that wait at a reconvergence point stop waiting, and are not expected there any more.
    fn give_up(&mut self, id: u32) {
        self.release(id);
        let live = self.live;
        let reconvergence = &mut self.reconvergences[id as usize];
        reconvergence.members &= !reconvergence.arrived;
        reconvergence.arrived = 0;
        reconvergence.in_vain += 1;
        reconvergence.is_free = reconvergence.members & live == 0;
    }

    /// Ends waits that have lasted too long. Returns whether a group became ready.
    pub(crate) fn lose_patience(&mut self, at_once: bool) -> bool {
        if self.waiting == 0 {
            return false;
        }
        let mut released = false;
        for id in 0..self.reconvergences.len() {
            let reconvergence = &self.reconvergences[id];
            let overdue = at_once || self.instructions >= reconvergence.deadline;
            if !reconvergence.is_free && reconvergence.arrived != 0 && overdue {
                self.give_up(id as u32);
                released = true;
            }
        }
        released
    }

    /// Lanes of a group exit. Others may have waited for them only; the caller sees to warp barriers.
    pub(crate) fn exit(&mut self, group: usize, lanes: u32) {
        self.live &= !lanes;
        self.groups[group].mask &= !lanes;
        if self.groups[group].mask == 0 {
            self.groups.swap_remove(group);
        }
        for id in 0..self.reconvergences.len() {
            let reconvergence = &self.reconvergences[id];
            if !reconvergence.is_free && reconvergence.members & lanes != 0 {
                self.complete_if_all_arrived(id as u32);
            }
        }
    }

    /// Where `length` rows for the registers of a routine that a group calls can begin, from `floor`
    /// on. Where a lane is in a row depends on the width of the register, so the frames of diverged
    /// lanes must be the same or have no rows in common.
    pub(crate) fn rows_for_call(&self, group: usize, entry: u32, floor: u32, length: u32) -> u32 {
        let others = self.live & !self.groups[group].mask;
        if others == 0 {
            return floor;
        }
        let frames = || self.calls.iter().filter(move |call| call.members & others != 0);
        let same = frames().filter(|call| call.entry == entry && call.rows.start >= floor);
        if let Some(first) = same.map(|call| call.rows.start).min() {
            return first;
        }
        let is_free =
            frames().all(|call| call.rows.end <= floor || call.rows.start >= floor + length);
        if is_free { floor } else { frames().map(|call| call.rows.end).fold(floor, u32::max) }
    }

    /// A group enters a call of a routine with so many rows.
    pub(crate) fn enter(&mut self, group: usize, entry: u32, bases: Bases, rows: u32) {
        let Group { mask, at, call, bases: outer_bases, .. } = self.groups[group];
        let live = self.live;
        let open = OpenCall {
            instruction: at,
            outer: call,
            outer_bases,
            entry,
            rows: bases.rows..bases.rows + rows,
            members: mask,
        };
        // Mostly there is none, and deep recursion must not look through all calls each time.
        let free = match self.calls_left {
            0 => None,
            _ => self.calls.iter().position(|call| call.members & live == 0),
        };
        self.calls_left = self.calls_left.saturating_sub(1);
        let id = match free {
            Some(id) => {
                self.calls[id] = open;
                id
            }
            None => {
                self.calls.push(open);
                self.calls.len() - 1
            }
        };
        let group = &mut self.groups[group];
        group.call = id as u32;
        group.at = entry;
        group.bases = bases;
    }

    /// The call that a group is in.
    pub(crate) fn call(&self, id: u32) -> Option<&OpenCall> {
        self.calls.get(id as usize)
    }

    /// A group returns from its call, to the instruction behind it.
    pub(crate) fn leave(&mut self, group: usize) {
        let Group { mask, call, .. } = self.groups[group];
        let Some(open) = self.calls.get_mut(call as usize) else { return };
        open.members &= !mask;
        let (instruction, outer, bases) = (open.instruction, open.outer, open.outer_bases);
        if open.members == 0 {
            self.calls_left += 1;
        }
        let group = &mut self.groups[group];
        group.at = instruction + 1;
        group.call = outer;
        group.bases = bases;
    }

    /// Lets groups go whose warp barrier has all its lanes. Returns the lanes that met.
    pub(crate) fn release_warp_barriers(&mut self) -> Vec<u32> {
        let mut met = Vec::new();
        for index in 0..self.groups.len() {
            let State::AtWarpBarrier { mask } = self.groups[index].state else { continue };
            let waiting: u32 = self
                .groups
                .iter()
                .filter(|group| group.state == State::AtWarpBarrier { mask })
                .fold(0, |all, group| all | group.mask);
            if warp_barrier_is_complete(mask, self.live, waiting) {
                for group in &mut self.groups {
                    if group.state == (State::AtWarpBarrier { mask }) {
                        group.state = State::Ready;
                    }
                }
                met.push(waiting);
            }
        }
        if !met.is_empty() {
            self.merge_equal_groups();
        }
        met
    }

    /// The groups in front of `.sync` operations of one kind and mask, once all lanes are there.
    pub(crate) fn complete_collective(&self) -> Option<(u32, u32)> {
        self.groups.iter().find_map(|group| {
            let State::AtCollective { mask, kind } = group.state else { return None };
            let waiting = self
                .groups
                .iter()
                .filter(|other| other.state == group.state)
                .fold(0, |all, other| all | other.mask);
            warp_barrier_is_complete(mask, self.live, waiting).then_some((mask, kind))
        })
    }

    /// Ready groups at the same instruction of the same call become one, if they agree on what is the
    /// same in all lanes that run together. Lanes that were expected at different reconvergence points
    /// are expected at the common ones only.
    pub(crate) fn merge_equal_groups(&mut self) {
        while let Some((one, other)) = self.equal_groups() {
            let gone = self.groups.remove(other);
            let stays = &mut self.groups[one];
            let (mask, reconvergence) = (stays.mask, stays.reconvergence);
            stays.mask |= gone.mask;
            let common = self.common_reconvergence(gone.reconvergence, reconvergence);
            self.groups[one].reconvergence = common;
            // This may let others go on, and changes the list of groups.
            self.leave_reconvergence(gone.mask, gone.reconvergence, common);
            self.leave_reconvergence(mask, reconvergence, common);
        }
    }

    /// Two groups that can be merged, the first before the second.
    fn equal_groups(&self) -> Option<(usize, usize)> {
        (1..self.groups.len()).find_map(|other| {
            let one = (0..other).find(|&one| {
                let (one, other) = (&self.groups[one], &self.groups[other]);
                one.state == State::Ready
                    && other.state == State::Ready
                    && one.at == other.at
                    && one.call == other.call
                    && self.agree(one.mask.trailing_zeros(), other.mask.trailing_zeros())
            })?;
            Some((one, other))
        })
    }

    /// Whether two lanes have the same in the kernel's uniform registers and predicates. Lanes can be
    /// at the same instruction in different iterations of a loop.
    fn agree(&self, one: u32, other: u32) -> bool {
        let (one, other) = (one as usize & 31, other as usize & 31);
        let same = |predicate: &u32| {
            let bits = self.predicates[*predicate as usize];
            bits >> one & 1 == bits >> other & 1
        };
        if !self.uniform.predicates.iter().all(same) {
            return false;
        }
        self.uniform.rows.iter().all(|&(row, count)| {
            let rows = &self.rows[row as usize..];
            match count {
                1 => rows[0].0[one] == rows[0].0[other],
                // Two words for each lane, one behind the other.
                count => (0..usize::from(count) / 2).all(|half| {
                    let word = |at: usize| rows[half * 2 + at / 32].0[at % 32];
                    word(2 * one) == word(2 * other) && word(2 * one + 1) == word(2 * other + 1)
                }),
            }
        })
    }

    /// The innermost reconvergence point that two have ahead.
    fn common_reconvergence(&self, one: u32, other: u32) -> u32 {
        let outer = |id: u32| self.reconvergences[id as usize].outer;
        let mut candidate = one;
        while candidate != NONE {
            let mut place = other;
            while place != NONE && place != candidate {
                place = outer(place);
            }
            if place == candidate {
                return candidate;
            }
            candidate = outer(candidate);
        }
        NONE
    }

    /// The lanes will not come to the reconvergence points from `from` up to `to`, which they still come to.
    fn leave_reconvergence(&mut self, lanes: u32, from: u32, to: u32) {
        let mut id = from;
        while id != to && id != NONE {
            let outer = self.reconvergences[id as usize].outer;
            self.reconvergences[id as usize].members &= !lanes;
            self.complete_if_all_arrived(id);
            id = outer;
        }
    }
}

/// Mixes a word into a hash.
#[inline(always)]
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The lanes of a mask, lowest first, as indexes into registers.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    warpsan_model::lanes(mask).map(|lane| lane as usize)
}

/// The lanes of a mask for which something is true.
pub(crate) fn bits(mask: u32, truth: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).fold(0, |bits, lane| bits | u32::from(truth(lane)) << lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warp(lanes: u32) -> Warp {
        let mut warp = Warp::new(0);
        warp.start(lanes, 0, 0, 0);
        warp
    }

    fn masks(warp: &Warp) -> Vec<(u32, u32)> {
        warp.groups.iter().map(|group| (group.mask, group.at)).collect()
    }

    #[test]
    fn parted_lanes_meet_and_go_on_as_one() {
        let mut warp = warp(4);
        warp.diverge(0, 0b0011, 10, Some(20));
        assert_eq!(masks(&warp), [(0b1100, 1), (0b0011, 10)]);
        warp.groups[0].at = 20;
        assert_eq!(warp.reconvergence_at(0), 20);
        warp.arrive(0);
        assert_eq!(warp.groups[0].state, State::AtReconvergence(0));
        warp.groups[1].at = 20;
        warp.arrive(1);
        assert_eq!(masks(&warp), [(0b1111, 20)]);
        assert_eq!(warp.reconvergence_at(0), NONE);
    }

    #[test]
    fn lanes_that_exit_are_not_waited_for() {
        let mut warp = warp(4);
        warp.diverge(0, 0b0011, 10, Some(20));
        warp.groups[0].at = 20;
        warp.arrive(0);
        warp.exit(1, 0b0011);
        assert_eq!(masks(&warp), [(0b1100, 20)]);
        assert!(warp.has_ready());
    }

    #[test]
    fn waiting_ends_when_the_others_never_come() {
        let mut warp = warp(4);
        warp.diverge(0, 0b0011, 10, Some(20));
        warp.groups[0].at = 20;
        warp.arrive(0);
        assert!(!warp.lose_patience(false));
        warp.instructions += PATIENCE;
        assert!(warp.lose_patience(false));
        assert_eq!(warp.groups[0].state, State::Ready);
        warp.groups[1].at = 20;
        warp.arrive(1);
        assert_eq!(warp.groups[1].state, State::Ready, "the late ones have nobody to wait for");
    }

    #[test]
    fn a_loop_parts_many_times_and_meets_once() {
        let mut warp = warp(3);
        warp.diverge(0, 0b110, 0, Some(9));
        warp.diverge(1, 0b100, 0, Some(9));
        for group in 0..3 {
            warp.groups[group].at = 9;
        }
        warp.arrive(0);
        warp.arrive(1);
        warp.arrive(2);
        assert_eq!(masks(&warp), [(0b111, 9)]);
        assert_eq!(warp.reconvergence_at(0), NONE);
    }

    #[test]
    fn a_warp_barrier_waits_for_its_lanes_only() {
        let mut warp = warp(4);
        warp.diverge(0, 0b0011, 10, None);
        warp.groups[0].state = State::AtWarpBarrier { mask: 0b1111 };
        assert!(warp.release_warp_barriers().is_empty());
        warp.groups[1].state = State::AtWarpBarrier { mask: 0b1111 };
        assert_eq!(warp.release_warp_barriers(), [0b1111]);
        assert!(warp.has_ready());
    }

    #[test]
    fn calls_keep_their_way_back() {
        let mut warp = warp(2);
        warp.groups[0].at = 5;
        let bases = Bases { rows: 7, predicates: 1, local: 16 };
        warp.enter(0, 100, bases, 3);
        assert_eq!((warp.groups[0].at, warp.groups[0].bases), (100, bases));
        warp.diverge(0, 0b01, 110, Some(120));
        warp.groups[1].at = 120;
        warp.arrive(1);
        warp.groups[0].at = 120;
        warp.arrive(0);
        warp.leave(0);
        assert_eq!((warp.groups[0].at, warp.groups[0].bases), (6, Bases::default()));
        assert_eq!(warp.groups[0].call, NONE);
    }

    #[test]
    fn frames_of_lanes_apart_are_equal_or_disjoint() {
        let mut warp = warp(4);
        warp.diverge(0, 0b0011, 10, None);
        let at = |rows| Bases { rows, predicates: 1, local: 16 };
        assert_eq!(warp.rows_for_call(0, 100, 5, 8), 5);
        warp.enter(0, 100, at(5), 8);
        assert_eq!(warp.rows_for_call(1, 200, 5, 3), 13, "another routine");
        assert_eq!(warp.rows_for_call(1, 200, 2, 3), 2, "below");
        assert_eq!(warp.rows_for_call(1, 100, 5, 8), 5, "the same routine");
        // A call inside of the call, of the same lanes.
        assert_eq!(warp.rows_for_call(0, 100, 13, 8), 13);
        warp.leave(0);
        assert_eq!(warp.rows_for_call(1, 200, 5, 3), 5, "after it returned");
    }
}
