//! One warp: its registers, and the groups that its lanes form while they are apart.

use warpsan_ir::{BarrierOp, Predicate, Register, Value};

/// Instructions that a warp may execute while some of its lanes wait for others to meet them.
/// Meeting is a matter of speed only, so waiting forever for lanes that spin would be wrong.
const PATIENCE: u64 = 1_000;

/// Lanes that are at the same instruction.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    /// The next instruction.
    pub(crate) at: u32,
    pub(crate) state: State,
    /// The meetings that the lanes are expected at, innermost last.
    meetings: Vec<usize>,
}

/// Why a group does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// Waits for the other lanes that parted at the same branch.
    AtMeeting(usize),
    /// Has executed a block barrier, and `at` is behind it.
    AtBlockBarrier {
        barrier: u32,
        op: BarrierOp,
    },
    /// Has executed `bar.warp.sync`, and `at` is behind it.
    AtWarpBarrier {
        mask: u32,
    },
    /// Is in front of a `.sync` operation that needs these lanes.
    AtCollective {
        mask: u32,
    },
}

/// Where lanes that parted come together.
#[derive(Debug)]
struct Meeting {
    at: u32,
    members: u32,
    arrived: u32,
    /// The warp's instruction count at which the arrived lanes go on without the others.
    deadline: u64,
}

#[derive(Debug)]
pub(crate) struct Warp {
    /// The warp's number in its block.
    pub(crate) index: u32,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    pub(crate) registers: Vec<[u64; 32]>,
    pub(crate) predicates: Vec<u32>,
    /// Local memory, lane by lane.
    pub(crate) local: Vec<u8>,
    pub(crate) local_bytes: usize,
    pub(crate) groups: Vec<Group>,
    meetings: Vec<Option<Meeting>>,
    pub(crate) instructions: u64,
    /// The scheduler has the warp in its queue.
    pub(crate) queued: bool,
}

impl Warp {
    pub(crate) fn new(index: u32, lanes: u32, registers: u32, predicates: u32, local: u64) -> Warp {
        let live = if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 };
        let group = Group { mask: live, at: 0, state: State::Ready, meetings: Vec::new() };
        Warp {
            index,
            live,
            registers: vec![[0; 32]; registers as usize],
            predicates: vec![0; predicates as usize],
            local: vec![0; local as usize * 32],
            local_bytes: local as usize,
            groups: vec![group],
            meetings: Vec::new(),
            instructions: 0,
            queued: false,
        }
    }

    pub(crate) fn has_ready(&self) -> bool {
        self.groups.iter().any(|group| group.state == State::Ready)
    }

    pub(crate) fn value(&self, value: Value) -> [u64; 32] {
        match value {
            Value::Register(Register(register)) => self.registers[register as usize],
            Value::Constant(constant) => [constant; 32],
        }
    }

    /// The lanes for which a predicate, perhaps negated, holds.
    pub(crate) fn condition(&self, (Predicate(predicate), negated): (Predicate, bool)) -> u32 {
        let bits = self.predicates[predicate as usize];
        if negated { !bits } else { bits }
    }

    pub(crate) fn set(&mut self, to: Register, mask: u32, value: impl Fn(usize) -> u64) {
        let register = &mut self.registers[to.0 as usize];
        if mask == u32::MAX {
            for (lane, slot) in register.iter_mut().enumerate() {
                *slot = value(lane);
            }
        } else {
            for lane in lanes(mask) {
                register[lane] = value(lane);
            }
        }
    }

    /// Sets a predicate for the lanes of `mask` to the bits of `value`.
    pub(crate) fn set_predicate(&mut self, to: Predicate, mask: u32, value: u32) {
        let bits = &mut self.predicates[to.0 as usize];
        *bits = (*bits & !mask) | (value & mask);
    }

    /// The lanes of `taken` go to `target`, the rest to the next instruction. They meet at `meet`.
    pub(crate) fn part(&mut self, group: usize, taken: u32, target: u32, meet: Option<u32>) {
        let members = self.groups[group].mask;
        let next = self.groups[group].at + 1;
        if let Some(at) = meet {
            let innermost = self.groups[group].meetings.last();
            let known = innermost.and_then(|id| self.meetings[*id].as_ref());
            // A loop parts at the same branch again and again; all meet at its end once.
            if known.is_none_or(|meeting| meeting.at != at) {
                let id = self.new_meeting(Meeting { at, members, arrived: 0, deadline: 0 });
                self.groups[group].meetings.push(id);
            }
        }
        let meetings = self.groups[group].meetings.clone();
        self.groups[group].mask = members & !taken;
        self.groups[group].at = next;
        self.groups.push(Group { mask: taken, at: target, state: State::Ready, meetings });
    }

    fn new_meeting(&mut self, meeting: Meeting) -> usize {
        match self.meetings.iter().position(Option::is_none) {
            Some(id) => {
                self.meetings[id] = Some(meeting);
                id
            }
            None => {
                self.meetings.push(Some(meeting));
                self.meetings.len() - 1
            }
        }
    }

    /// Whether the group is where it should meet others.
    pub(crate) fn is_at_meeting(&self, group: usize) -> bool {
        let group = &self.groups[group];
        let innermost = group.meetings.last().and_then(|id| self.meetings[*id].as_ref());
        innermost.is_some_and(|meeting| meeting.at == group.at)
    }

    /// The group has come to its innermost meeting: it waits, or all go on as one.
    pub(crate) fn arrive(&mut self, group: usize) {
        let Some(id) = self.groups[group].meetings.pop() else { return };
        let mask = self.groups[group].mask;
        let deadline = self.instructions + PATIENCE;
        self.groups[group].state = State::AtMeeting(id);
        if let Some(meeting) = &mut self.meetings[id] {
            meeting.arrived |= mask;
            meeting.deadline = deadline;
        }
        self.complete_if_all_arrived(id);
    }

    fn complete_if_all_arrived(&mut self, id: usize) {
        let Some(meeting) = &self.meetings[id] else { return };
        let expected = meeting.members & self.live;
        if meeting.arrived & self.live == expected {
            self.release(id);
            self.free_meeting(id);
        }
    }

    fn free_meeting(&mut self, id: usize) {
        debug_assert!(self.groups.iter().all(|group| group.state != State::AtMeeting(id)));
        self.meetings[id] = None;
    }

    /// Those who wait at a meeting go on together.
    fn release(&mut self, id: usize) {
        let mut first = None;
        let mut index = 0;
        while index < self.groups.len() {
            if self.groups[index].state != State::AtMeeting(id) {
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
                }
            }
        }
    }

    /// Those who wait at a meeting stop waiting, and are not expected there any more.
    fn give_up(&mut self, id: usize) {
        self.release(id);
        if let Some(meeting) = &mut self.meetings[id] {
            meeting.members &= !meeting.arrived;
            meeting.arrived = 0;
            if meeting.members & self.live == 0 {
                self.free_meeting(id);
            }
        }
    }

    /// Ends waits that have lasted too long. Returns whether a group became ready.
    pub(crate) fn lose_patience(&mut self, at_once: bool) -> bool {
        let mut released = false;
        for id in 0..self.meetings.len() {
            let overdue = self.meetings[id].as_ref().is_some_and(|meeting| {
                meeting.arrived != 0 && (at_once || self.instructions >= meeting.deadline)
            });
            if overdue {
                self.give_up(id);
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
        for id in 0..self.meetings.len() {
            let concerned =
                self.meetings[id].as_ref().is_some_and(|meeting| meeting.members & lanes != 0);
            if concerned {
                self.complete_if_all_arrived(id);
            }
        }
        self.release_collectives();
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
            if mask & self.live & !waiting == 0 {
                for group in &mut self.groups {
                    if group.state == (State::AtWarpBarrier { mask }) {
                        group.state = State::Ready;
                    }
                }
                met.push(waiting);
            }
        }
        if !met.is_empty() {
            self.join_equal_groups();
        }
        met
    }

    /// Lets groups go that are in front of one and the same `.sync` operation with all its lanes.
    pub(crate) fn release_collectives(&mut self) {
        let mut index = 0;
        while index < self.groups.len() {
            let group = &self.groups[index];
            index += 1;
            let (State::AtCollective { mask }, at) = (group.state, group.at) else { continue };
            let here =
                |group: &Group| group.state == (State::AtCollective { mask }) && group.at == at;
            let waiting: u32 = self
                .groups
                .iter()
                .filter(|group| here(group))
                .fold(0, |all, group| all | group.mask);
            if mask & self.live & !waiting != 0 {
                continue;
            }
            // They execute it as one. The meetings that they have in common stay.
            let mut merged: Option<Group> = None;
            let mut left = Vec::new();
            let (together, apart): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.groups).into_iter().partition(here);
            for group in together {
                merged = Some(match merged {
                    None => group,
                    Some(mut first) => {
                        let common = first
                            .meetings
                            .iter()
                            .zip(&group.meetings)
                            .take_while(|(one, other)| one == other)
                            .count();
                        left.push((first.mask, first.meetings[common..].to_vec()));
                        left.push((group.mask, group.meetings[common..].to_vec()));
                        first.meetings.truncate(common);
                        first.mask |= group.mask;
                        first
                    }
                });
            }
            self.groups = apart;
            if let Some(mut group) = merged {
                group.state = State::Ready;
                self.groups.push(group);
            }
            for (lanes, meetings) in left {
                self.leave_meetings(lanes, &meetings);
            }
            // The list is not what it was: others may be complete now.
            index = 0;
        }
    }

    /// The lanes will not come to these meetings.
    fn leave_meetings(&mut self, lanes: u32, meetings: &[usize]) {
        for &id in meetings {
            if let Some(meeting) = &mut self.meetings[id] {
                meeting.members &= !lanes;
            }
        }
        for &id in meetings {
            self.complete_if_all_arrived(id);
        }
    }

    /// Ready groups at the same instruction with the same meetings ahead become one.
    pub(crate) fn join_equal_groups(&mut self) {
        let mut index = 0;
        while index < self.groups.len() {
            let twin = (0..index).find(|&other| {
                let (one, other) = (&self.groups[index], &self.groups[other]);
                one.state == State::Ready
                    && other.state == State::Ready
                    && one.at == other.at
                    && one.meetings == other.meetings
            });
            match twin {
                Some(other) => {
                    let group = self.groups.remove(index);
                    self.groups[other].mask |= group.mask;
                }
                None => index += 1,
            }
        }
    }
}

/// The lanes of a mask, lowest first, as indexes into registers.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    warpsan_model::lanes(mask).map(|lane| lane as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masks(warp: &Warp) -> Vec<(u32, u32)> {
        warp.groups.iter().map(|group| (group.mask, group.at)).collect()
    }

    #[test]
    fn parted_lanes_meet_and_go_on_as_one() {
        let mut warp = Warp::new(0, 4, 0, 0, 0);
        warp.part(0, 0b0011, 10, Some(20));
        assert_eq!(masks(&warp), [(0b1100, 1), (0b0011, 10)]);
        warp.groups[0].at = 20;
        assert!(warp.is_at_meeting(0));
        warp.arrive(0);
        assert_eq!(warp.groups[0].state, State::AtMeeting(0));
        warp.groups[1].at = 20;
        warp.arrive(1);
        assert_eq!(masks(&warp), [(0b1111, 20)]);
        assert!(!warp.is_at_meeting(0));
    }

    #[test]
    fn lanes_that_exit_are_not_waited_for() {
        let mut warp = Warp::new(0, 4, 0, 0, 0);
        warp.part(0, 0b0011, 10, Some(20));
        warp.groups[0].at = 20;
        warp.arrive(0);
        warp.exit(1, 0b0011);
        assert_eq!(masks(&warp), [(0b1100, 20)]);
        assert!(warp.has_ready());
    }

    #[test]
    fn waiting_ends_when_the_others_never_come() {
        let mut warp = Warp::new(0, 4, 0, 0, 0);
        warp.part(0, 0b0011, 10, Some(20));
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
        let mut warp = Warp::new(0, 3, 0, 0, 0);
        warp.part(0, 0b110, 0, Some(9));
        warp.part(1, 0b100, 0, Some(9));
        for group in 0..3 {
            warp.groups[group].at = 9;
        }
        warp.arrive(0);
        warp.arrive(1);
        warp.arrive(2);
        assert_eq!(masks(&warp), [(0b111, 9)]);
        assert!(!warp.is_at_meeting(0));
    }

    #[test]
    fn a_warp_barrier_waits_for_its_lanes_only() {
        let mut warp = Warp::new(0, 4, 0, 0, 0);
        warp.part(0, 0b0011, 10, None);
        warp.groups[0].state = State::AtWarpBarrier { mask: 0b1111 };
        assert!(warp.release_warp_barriers().is_empty());
        warp.groups[1].state = State::AtWarpBarrier { mask: 0b1111 };
        assert_eq!(warp.release_warp_barriers(), [0b1111]);
        assert!(warp.has_ready());
    }
}
