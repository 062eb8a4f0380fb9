//! Blocks of a launch against each other: section 4.4, with rounds where copies are fewer than blocks.

use crate::crew::Crew;
use crate::findings::{Comparison, Findings, Racy};
use crate::log::Logged;
use crate::pieces::Bytes;
use crate::union::{Changes, CopyId, Union};
use crate::warps::is_finding;
use crate::worker::{LONGEST_REGION, Worker, longest_second_pass};
use std::collections::BTreeMap;
use warpsan_detect::ld::{Between, Region, Symptom, ValueRace};
use warpsan_model::Rounds;
use warpsan_simt::{LaneConflict, LaunchError, LaunchStats, OutOfBounds, Place};

/// How blocks are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockCheck {
    pub(crate) blocks: u64,
    /// Private copies at most.
    pub(crate) copies: u64,
    /// What comes after a race is checked, too.
    pub(crate) goes_on: bool,
    /// Lanes of one instruction are looked at.
    pub(crate) lanes: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct CheckedBlocks {
    pub(crate) findings: Findings,
    /// What the launch leaves in memory.
    pub(crate) union: Union,
    pub(crate) printed: Vec<u8>,
    pub(crate) out_of_bounds: Vec<OutOfBounds>,
    /// Instructions of the first pass.
    pub(crate) instructions: u64,
    /// Accesses of the program: those of the first pass.
    pub(crate) accesses: u64,
    pub(crate) passes: u64,
    /// The most bytes that copies held at a time.
    pub(crate) copy_bytes: u64,
}

/// What one copy is after its blocks have run.
struct RanCopy {
    changes: Changes,
    printed: Vec<u8>,
    conflicts: Vec<LaneConflict>,
    out_of_bounds: Vec<OutOfBounds>,
    stats: LaunchStats,
    /// Instructions of the longest run of a warp to its barrier.
    longest: u64,
    result: Result<(), LaunchError>,
}

/// Checks blocks against blocks. Memory is as it was before, at the end.
pub(crate) fn check_blocks(
    crew: &Crew<'_>,
    check: BlockCheck,
) -> Result<CheckedBlocks, LaunchError> {
    let rounds = Rounds::new(check.blocks, check.copies);
    let mut checked = CheckedBlocks::default();
    for round in 1..=rounds.count().max(1) {
        let looks = check.lanes && round == 1;
        let members = members(rounds, check.blocks, round);
        let ran = crew.each(members.len(), |worker, copy| run_copy(worker, &members[copy], looks));
        checked.passes += 1;
        let longest = ran.iter().map(|one| one.longest).max().unwrap_or(0);
        let mut copies = Vec::with_capacity(ran.len());
        for one in ran {
            one.result?;
            if round == 1 {
                checked.printed.extend(one.printed);
                checked.accesses += one.stats.accesses;
                checked.instructions += one.stats.warp_instructions;
                checked.out_of_bounds.extend(one.out_of_bounds);
                one.conflicts.iter().for_each(|conflict| checked.findings.lanes(conflict));
            }
            copies.push(one.changes);
        }
        let union = Union::of(&copies);
        checked.copy_bytes = checked.copy_bytes.max(Union::bytes_of(&copies));
        let copy_of = |block: u32, _: u32| CopyId(rounds.copy(u64::from(block), round) as u32);
        let region = Region::default();
        let comparison = Comparison {
            between: Between::Blocks,
            region,
            union: &union,
            copy_of: &copy_of,
            block: 0,
        };
        if union.contested().next().is_some() {
            let log = rerun(crew, &members, &comparison, comparison.contested().collect());
            checked.findings.append(comparison.write_write(&log));
        }
        let stops = !check.goes_on && !checked.findings.races.iter().all(is_of_lanes);
        if !stops && members.len() > 1 && !union.pieces.is_empty() {
            checked.passes += 1;
            let racy = second_pass(crew, &members, &copies, &union, longest)?;
            if !racy.is_empty() {
                let log = rerun(crew, &members, &comparison, comparison.wanted_for(&racy));
                checked.findings.append(comparison.read_write(&log, &racy));
            }
        }
        checked.union = union;
        if !check.goes_on && !checked.findings.races.iter().all(is_of_lanes) {
            break;
        }
    }
    Ok(checked)
}

fn is_of_lanes((race, _): &(ValueRace, u64)) -> bool {
    race.between == Between::Lanes
}

/// The blocks of each copy.
fn members(rounds: Rounds, blocks: u64, round: u32) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); rounds.copies() as usize];
    for block in 0..blocks {
        members[rounds.copy(block, round) as usize].push(block as u32);
    }
    members
}

fn run_copy(worker: &mut Worker<'_>, blocks: &[u32], looks_at_lanes: bool) -> RanCopy {
    worker.run.set_limit(LONGEST_REGION);
    worker.run.look_for_lane_conflicts(looks_at_lanes);
    let before = worker.run.stats();
    worker.run.take_longest();
    let (changes, result) = worker.run_blocks(blocks.iter().copied());
    RanCopy {
        changes,
        printed: worker.run.take_printed(),
        conflicts: worker.run.look_for_lane_conflicts(false),
        out_of_bounds: worker.run.take_out_of_bounds(),
        longest: worker.run.take_longest(),
        stats: LaunchStats {
            accesses: worker.run.stats().accesses - before.accesses,
            warp_instructions: worker.run.stats().warp_instructions - before.warp_instructions,
        },
        result,
    }
}

/// The second pass. Memory is S; each worker sees U, but for what its copy changed.
fn second_pass(
    crew: &Crew<'_>,
    members: &[Vec<u32>],
    copies: &[Changes],
    union: &Union,
    longest: u64,
) -> Result<Racy, LaunchError> {
    crew.put_after(union);
    let compared = crew.each(members.len(), |worker, copy| {
        let own = &copies[copy];
        union.revert(&mut worker.run, copies, CopyId(copy as u32));
        worker.run.set_limit(longest_second_pass(longest));
        let result = worker.write_blocks(members[copy].iter().copied());
        worker.run.take_printed();
        let written = std::mem::take(&mut worker.written);
        let differing = union.compare(&mut worker.run, own, &written, is_global);
        worker.written = written;
        match result {
            Ok(()) if differing.is_empty() => Ok(None),
            Ok(()) => Ok(Some((Symptom::Memory, differing))),
            Err(error) if is_finding(&error) => Ok(Some((Symptom::Fault, differing))),
            Err(error) => Err(error),
        }
    });
    crew.put_before(union);
    let mut racy = Racy::new();
    for (copy, one) in compared.into_iter().enumerate() {
        if let Some(found) = one? {
            racy.insert(CopyId(copy as u32), found);
        }
    }
    Ok(racy)
}

fn is_global(place: Place) -> bool {
    matches!(place, Place::Global(_))
}

/// The first pass once more, with events of some bytes.
fn rerun(
    crew: &Crew<'_>,
    members: &[Vec<u32>],
    comparison: &Comparison<'_>,
    wanted: Vec<(Place, Bytes)>,
) -> BTreeMap<Place, Vec<Logged>> {
    debug_assert!(comparison.between == Between::Blocks);
    let logs = crew.each(members.len(), |worker, copy| {
        worker.run.set_limit(LONGEST_REGION);
        worker.logged(wanted.iter().copied(), |worker| {
            let (_, again) = worker.run_blocks(members[copy].iter().copied());
            debug_assert!(again.is_ok(), "as in the first pass");
            worker.run.take_printed();
        })
    });
    let mut all = BTreeMap::<Place, Vec<Logged>>::new();
    for log in logs {
        for (place, logged) in log {
            all.entry(place).or_default().extend(logged);
        }
    }
    all
}
