//! Operations among the lanes of one warp. They make lanes wait; they order no memory.

use super::barriers::{condition, set_predicate};
use super::core::{Core, Next, Running, isolate};
use super::reduction::reduce;
use crate::block::BlockInfo;
use crate::lanes::Rows;
use crate::outcome::{Fault, FaultKind};
use crate::program::Action;
use crate::program::rare::{Collective, RareOp};
use crate::warp::{Group, State, Warp, bits, lanes};
use warpsan_ir::{ReduxOp, ShuffleMode, Type, Value, VoteMode};

/// Lanes of one group that take part.
#[derive(Clone, Copy)]
struct Party<'p> {
    op: &'p Collective,
    running: Running,
}

impl<'a> Core<'a> {
    /// A `.sync` operation: carried out once all lanes that it names are there.
    pub(super) fn collective(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &'a Collective,
    ) -> Result<Next, Fault> {
        let Running { group, mask, rows, .. } = *running;
        let members = match op {
            Collective::Matrix { .. } => Value::Constant(u64::from(u32::MAX)),
            Collective::Shuffle { mask: Some(members), .. }
            | Collective::Vote { mask: Some(members), .. }
            | Collective::Match { mask: members, .. }
            | Collective::Redux { mask: members, .. }
            | Collective::Elect { mask: members, .. } => *members,
            // Whoever is there.
            Collective::Shuffle { mask: None, .. } | Collective::Vote { mask: None, .. } => {
                Value::Constant(u64::from(mask))
            }
        };
        if !isolate(warp, running, members) {
            return Ok(Next::Changed);
        }
        // SAFETY: the operand is one of the program.
        let named = unsafe { rows.values(members)[mask.trailing_zeros() as usize] } as u32;
        let needed = named | mask;
        if needed & warp.live & !mask == 0 {
            self.carry_out_collective(block, warp, mask, &[Party { op, running: *running }])?;
            return Ok(Next::Forward);
        }
        warp.groups[group].state = State::AtCollective { mask: needed, kind: kind(op, running) };
        self.complete_collectives(block, warp)?;
        Ok(Next::Changed)
    }

    /// Carries out the operations that have all their lanes.
    pub(super) fn complete_collectives(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
    ) -> Result<(), Fault> {
        let program = self.program;
        while let Some((mask, kind)) = warp.complete_collective() {
            let state = State::AtCollective { mask, kind };
            let mut parties = Vec::new();
            let mut all = 0;
            self.are_in_one_place(block, warp, state)?;
            for index in 0..warp.groups.len() {
                let group = &mut warp.groups[index];
                if group.state != state {
                    continue;
                }
                let instruction = &program.code[group.at as usize];
                let Action::Rare(number) = instruction.action else { continue };
                let RareOp::Collective(op) = &program.rare[number as usize] else { continue };
                group.state = State::Ready;
                group.at += 1;
                all |= group.mask;
                let bases = group.bases;
                let running = Running {
                    group: index,
                    mask: group.mask,
                    rows: Rows {
                        registers: warp.rows[bases.rows as usize..].as_mut_ptr(),
                        constants: program.constants.as_ptr(),
                    },
                    site: instruction.site,
                    predicates: bases.predicates as usize,
                    local: u64::from(bases.local),
                };
                parties.push(Party { op, running });
            }
            self.carry_out_collective(block, warp, all, &parties)?;
            warp.merge_equal_groups();
        }
        Ok(())
    }

    /// Lanes that wait for each other at several instructions are an error if the launch says so.
    fn are_in_one_place(&self, block: &BlockInfo, warp: &Warp, state: State) -> Result<(), Fault> {
        if !self.launch.collectives_in_one_place {
            return Ok(());
        }
        let mut waiting = warp.groups.iter().filter(|group| group.state == state);
        let Some(first) = waiting.next() else { return Ok(()) };
        let Some(other) = waiting.find(|other| other.at != first.at) else { return Ok(()) };
        let sites = &self.launch.kernel.kernel.sites;
        let site_of = |group: &Group| self.program.code[group.at as usize].site;
        let place = |group: &Group| match sites.get(site_of(group).0 as usize) {
            Some(site) => format!("`{}` in line {} of the PTX", site.instruction, site.ptx_line),
            None => format!("instruction {}", group.at),
        };
        let what = format!(
            "lanes {:#x} wait at {} for lanes {:#x} at {}",
            first.mask,
            place(first),
            other.mask,
            place(other)
        );
        let (mask, site) = (first.mask, site_of(first));
        Err(self.fault(block, warp, mask, site, FaultKind::MissingLanes, what))
    }

    fn carry_out_collective(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        mask: u32,
        parties: &[Party<'_>],
    ) -> Result<(), Fault> {
        let Some(first) = parties.first() else { return Ok(()) };
        match first.op {
            Collective::Shuffle { .. } => shuffle(warp, mask, parties),
            Collective::Vote { mode, .. } => vote(warp, mask, *mode, parties),
            Collective::Match { all, .. } => match_lanes(warp, mask, *all, parties),
            Collective::Redux { op, ty, abs, nan, .. } => {
                redux(mask, (*op, *ty, *abs, *nan), parties)
            }
            Collective::Elect { .. } => elect(warp, mask, parties),
            Collective::Matrix { matrix, form } => {
                // All lanes are at one and the same instruction, and have to be in the same call.
                let running = Running { mask, ..first.running };
                let call = |party: &Party<'_>| warp.groups[party.running.group].call;
                if parties.iter().any(|party| call(party) != call(first)) {
                    let what = format!(
                        "`{}`, which is `.aligned`, by lanes in different calls",
                        matrix.mnemonic
                    );
                    let kind = FaultKind::MissingLanes;
                    return Err(self.fault(block, warp, mask, running.site, kind, what));
                }
                self.matrix(block, warp, &running, matrix, form)?;
            }
        }
        Ok(())
    }
}

/// Operations with the same number belong together, wherever they are in the code.
fn kind(op: &Collective, running: &Running) -> u32 {
    match op {
        Collective::Shuffle { mode, .. } => *mode as u32,
        Collective::Vote { mode, .. } => 10 + *mode as u32,
        Collective::Match { all, .. } => 20 + u32::from(*all),
        Collective::Redux { op, .. } => 30 + *op as u32,
        Collective::Elect { .. } => 40,
        // Matrix operations are `.aligned`: one and the same instruction.
        Collective::Matrix { .. } => 100 + running.site.0,
    }
}

/// An operand of every lane, from the group that the lane is in.
fn gather(parties: &[Party<'_>], operand: impl Fn(&Collective) -> Option<Value>) -> [u64; 32] {
    let mut all = [0; 32];
    for party in parties {
        let Some(value) = operand(party.op) else { continue };
        // SAFETY: the operand is one of the program.
        let values = unsafe { party.running.rows.values(value) };
        for lane in lanes(party.running.mask) {
            all[lane] = values[lane];
        }
    }
    all
}

fn shuffle(warp: &mut Warp, mask: u32, parties: &[Party<'_>]) {
    let from = gather(parties, |op| match op {
        Collective::Shuffle { from, .. } => Some(*from),
        _ => None,
    });
    for party in parties {
        let Collective::Shuffle { mode, to, valid, by, clamp, .. } = party.op else { continue };
        let Running { mask: own, rows, predicates, .. } = party.running;
        // SAFETY: the operands are those of the program.
        let (by, clamp) = unsafe { (rows.values(*by), rows.values(*clamp)) };
        let mut result = [0u64; 32];
        let mut found = 0;
        for lane in lanes(own) {
            let (source, in_range) = shuffle_source(*mode, lane, by[lane], clamp[lane]);
            // A lane that does not take part has no defined value; its own is as good.
            let source = if mask >> source & 1 == 1 { source } else { lane };
            result[lane] = from[source];
            found |= u32::from(in_range) << lane;
        }
        // SAFETY: the register is one of the program.
        unsafe { rows.set(*to, own, &result) };
        if let Some(valid) = valid {
            set_predicate(warp, predicates, *valid, own, found);
        }
    }
}

/// The lane that a lane reads from, and whether it is inside its segment.
fn shuffle_source(mode: ShuffleMode, lane: usize, by: u64, clamp: u64) -> (usize, bool) {
    let lane = lane as i64;
    let by = (by & 31) as i64;
    let bound = (clamp & 31) as i64;
    let segment = ((clamp >> 8) & 31) as i64;
    let most = (lane & segment) | (bound & !segment);
    let least = lane & segment;
    let (source, in_range) = match mode {
        ShuffleMode::Up => (lane - by, lane - by >= most),
        ShuffleMode::Down => (lane + by, lane + by <= most),
        ShuffleMode::Bfly => (lane ^ by, lane ^ by <= most),
        ShuffleMode::Idx => {
            let source = least | (by & !segment);
            (source, source <= most)
        }
    };
    if in_range { (source as usize & 31, true) } else { (lane as usize, false) }
}

fn vote(warp: &mut Warp, mask: u32, mode: VoteMode, parties: &[Party<'_>]) {
    let mut votes = 0;
    for party in parties {
        if let Collective::Vote { of, .. } = party.op {
            votes |= condition(warp, party.running.predicates, *of) & party.running.mask;
        }
    }
    let truth = match mode {
        VoteMode::All => votes == mask,
        VoteMode::Any => votes != 0,
        VoteMode::Uni => votes == mask || votes == 0,
        VoteMode::Ballot => false,
    };
    for party in parties {
        let Collective::Vote { to_predicate, to_register, .. } = party.op else { continue };
        let Running { mask: own, rows, predicates, .. } = party.running;
        if let Some(to) = to_predicate {
            set_predicate(warp, predicates, *to, own, if truth { u32::MAX } else { 0 });
        }
        if let Some(to) = to_register {
            // SAFETY: the register is one of the program.
            unsafe { rows.set(*to, own, &[u64::from(votes); 32]) };
        }
    }
}

fn match_lanes(warp: &mut Warp, mask: u32, all: bool, parties: &[Party<'_>]) {
    let values = gather(parties, |op| match op {
        Collective::Match { value, .. } => Some(*value),
        _ => None,
    });
    let same = |lane: usize| bits(mask, |other| values[other] == values[lane]);
    let first = mask.trailing_zeros() as usize & 31;
    let agree = same(first) == mask;
    for party in parties {
        let Collective::Match { to, valid, .. } = party.op else { continue };
        let Running { mask: own, rows, predicates, .. } = party.running;
        let result: [u64; 32] = std::array::from_fn(|lane| {
            u64::from(match all {
                true if agree => mask,
                true => 0,
                false => same(lane),
            })
        });
        // SAFETY: the register is one of the program.
        unsafe { rows.set(*to, own, &result) };
        if let Some(valid) = valid {
            set_predicate(warp, predicates, *valid, own, if agree { u32::MAX } else { 0 });
        }
    }
}

fn redux(mask: u32, (op, ty, abs, nan): (ReduxOp, Type, bool, bool), parties: &[Party<'_>]) {
    let values = gather(parties, |op| match op {
        Collective::Redux { from, .. } => Some(*from),
        _ => None,
    });
    let all = reduce(mask, op, ty, (abs, nan), &values);
    for party in parties {
        let Collective::Redux { to, .. } = party.op else { continue };
        let Running { mask: own, rows, .. } = party.running;
        // SAFETY: the register is one of the program.
        unsafe { rows.set(*to, own, &[u64::from(all); 32]) };
    }
}

fn elect(warp: &mut Warp, mask: u32, parties: &[Party<'_>]) {
    let leader = mask & mask.wrapping_neg();
    for party in parties {
        let Collective::Elect { to, elected, .. } = party.op else { continue };
        let Running { mask: own, rows, predicates, .. } = party.running;
        set_predicate(warp, predicates, *elected, own, leader);
        if let Some(to) = to {
            let lane = u64::from(leader.trailing_zeros());
            // SAFETY: the register is one of the program.
            unsafe { rows.set(*to, own, &[lane; 32]) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_follow_the_manual() {
        // The clamp values are those that CUDA's `__shfl_*_sync` pass for width 32 and 8.
        assert_eq!(shuffle_source(ShuffleMode::Down, 3, 16, 31), (19, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 20, 16, 31), (20, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 3, 4, 0), (3, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 5, 4, 0), (1, true));
        assert_eq!(shuffle_source(ShuffleMode::Bfly, 5, 1, 31), (4, true));
        assert_eq!(shuffle_source(ShuffleMode::Idx, 9, 2, 0x181F), (10, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 6, 3, 0x181F), (6, false));
    }
}
