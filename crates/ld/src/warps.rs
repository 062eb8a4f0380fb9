//! Warps of a block against each other, region by region: sections 4.1 to 4.3, with snapshots at barriers.

use crate::findings::{Comparison, Findings, Racy};
use crate::log::Logged;
use crate::pieces::Bytes;
use crate::union::{Changes, CopyId, Union};
use crate::worker::{LONGEST_REGION, Worker, longest_second_pass};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use warpsan_detect::ld::{Between, Region, Symptom};
use warpsan_model::{Rounds, SiteId};
use warpsan_simt::{LaunchError, Place, RegionEnd, WarpEnd};

/// How warps of a block are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WarpCheck {
    /// Private copies at most.
    pub(crate) copies: u64,
    /// What comes after a race is checked, too.
    pub(crate) goes_on: bool,
}

/// What came of checking the warps of a block.
#[derive(Debug, Default)]
pub(crate) struct CheckedBlock {
    pub(crate) findings: Findings,
    /// The regions that were looked at, by their barriers.
    pub(crate) regions: FxHashSet<Region>,
    /// Regions in which nobody wrote, so that there was no second pass.
    pub(crate) without_writes: u64,
    pub(crate) passes: u64,
    /// The most bytes that copies held at a time.
    pub(crate) copy_bytes: u64,
}

/// One run of a region by all warps, each on its copy.
struct Pass {
    copies: Vec<Changes>,
    ends: Vec<WarpEnd>,
    /// Instructions of the warp that took longest.
    longest: u64,
}

/// Checks the warps of a block that has started, from its first region to its last. Memory is as it was before, at the end.
pub(crate) fn check_block(
    worker: &mut Worker<'_>,
    block: u32,
    check: WarpCheck,
) -> Result<CheckedBlock, LaunchError> {
    let mut checked = CheckedBlock::default();
    let mut unions: Vec<Union> = Vec::new();
    worker.run.start(block);
    let mut from = None;
    let result = loop {
        let region = match check_region(worker, from, check, &mut checked) {
            Ok(union) => union,
            Err(error) => break Err(error),
        };
        let Some(union) = region else { break Ok(()) };
        unions.push(union);
        match worker.run.end_region() {
            Ok(RegionEnd::Barrier(site)) => from = Some(site),
            Ok(RegionEnd::BlockEnd) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    // The last region first: each knows what was there before it.
    for union in unions.iter().rev() {
        for piece in &union.pieces {
            worker.run.put(piece.place, &piece.before);
        }
    }
    result.map(|()| checked)
}

/// Runs one region as often as it takes. Memory then holds what it left there; none if the block is not checked any further.
fn check_region(
    worker: &mut Worker<'_>,
    from: Option<SiteId>,
    check: WarpCheck,
    checked: &mut CheckedBlock,
) -> Result<Option<Union>, LaunchError> {
    let warps = worker.run.warps() as u64;
    let rounds = Rounds::new(warps, check.copies);
    worker.run.save(&mut worker.saved);
    let mut last = Union::default();
    for round in 1..=rounds.count().max(1) {
        if round > 1 {
            put_before(worker, &last);
            worker.run.restore(&worker.saved);
        }
        let copy_of = |_: u32, warp: u32| CopyId(rounds.copy(u64::from(warp), round) as u32);
        worker.run.set_limit(LONGEST_REGION);
        let first = run_pass(worker, rounds.copies() as u32, &copy_of)?;
        checked.passes += 1;
        let to = worker.order().filter_map(|warp| worker.run.barrier_of(warp)).min();
        let region = Region { from, to };
        checked.regions.insert(region);
        let union = Union::of(&first.copies);
        checked.copy_bytes = checked.copy_bytes.max(Union::bytes_of(&first.copies));
        let block = worker.run.block();
        let comparison =
            Comparison { between: Between::Warps, region, union: &union, copy_of: &copy_of, block };
        if union.contested().next().is_some() {
            let log = rerun(worker, rounds.copies() as u32, &comparison, comparison.contested());
            checked.findings.append(comparison.write_write(&log));
            if !check.goes_on {
                return Ok(None);
            }
        }
        put_after(worker, &union);
        if union.pieces.is_empty() {
            checked.without_writes += 1;
        } else {
            checked.passes += 1;
            let racy = second_pass(worker, &first, &comparison)?;
            if !racy.is_empty() {
                let wanted = comparison.wanted_for(&racy).into_iter();
                put_before(worker, &union);
                let log = rerun(worker, rounds.copies() as u32, &comparison, wanted);
                checked.findings.append(comparison.read_write(&log, &racy));
                if !check.goes_on {
                    return Ok(None);
                }
                put_after(worker, &union);
            }
        }
        last = union;
    }
    Ok(Some(last))
}

fn put_before(worker: &mut Worker<'_>, union: &Union) {
    for piece in &union.pieces {
        worker.run.put(piece.place, &piece.before);
    }
}

fn put_after(worker: &mut Worker<'_>, union: &Union) {
    for piece in &union.pieces {
        worker.run.put(piece.place, &piece.after);
    }
}

/// The warps of each copy, in the order in which they run.
fn members(
    worker: &Worker<'_>,
    copies: u32,
    copy_of: &dyn Fn(u32, u32) -> CopyId,
) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); copies as usize];
    for warp in worker.order() {
        members[copy_of(0, warp as u32).0 as usize].push(warp);
    }
    members
}

/// The first pass: every copy is S when its warps begin, and memory is S again at the end.
fn run_pass(
    worker: &mut Worker<'_>,
    copies: u32,
    copy_of: &dyn Fn(u32, u32) -> CopyId,
) -> Result<Pass, LaunchError> {
    let mut pass = Pass {
        copies: Vec::with_capacity(copies as usize),
        ends: vec![WarpEnd::default(); worker.run.warps()],
        longest: 0,
    };
    worker.run.take_longest();
    for members in members(worker, copies, copy_of) {
        let mut result = Ok(());
        for warp in members {
            result = worker.run.run_warp(warp);
            if result.is_err() {
                break;
            }
            pass.ends[warp] = worker.run.warp_end(warp);
        }
        let changes = worker.take_changes();
        result?;
        pass.copies.push(changes);
    }
    pass.longest = worker.run.take_longest();
    Ok(pass)
}

/// The second pass: every copy is U, but for what its own warps changed. Gives back the copies whose results differ; memory is
/// U again.
fn second_pass(
    worker: &mut Worker<'_>,
    first: &Pass,
    comparison: &Comparison<'_>,
) -> Result<Racy, LaunchError> {
    let union = comparison.union;
    let mut racy = BTreeMap::new();
    worker.run.restore(&worker.saved);
    worker.run.set_limit(longest_second_pass(first.longest));
    let copies = first.copies.len() as u32;
    for (copy, members) in members(worker, copies, comparison.copy_of).into_iter().enumerate() {
        let id = CopyId(copy as u32);
        let own = &first.copies[copy];
        union.revert(&mut worker.run, &first.copies, id);
        let mut symptom = None;
        for warp in members {
            match worker.run.run_warp(warp) {
                Ok(()) => {}
                Err(error) if is_finding(&error) => {
                    symptom = Some(Symptom::Fault);
                    break;
                }
                Err(error) => return Err(error),
            }
            if worker.run.warp_end(warp) != first.ends[warp] {
                symptom = symptom.or(Some(Symptom::Registers));
            }
        }
        worker.run.take_writes(&mut worker.written);
        let differing = union.compare(&mut worker.run, own, &worker.written, |_| true);
        if !differing.is_empty() && symptom != Some(Symptom::Fault) {
            symptom = Some(Symptom::Memory);
        }
        if let Some(symptom) = symptom {
            racy.insert(id, (symptom, differing));
        }
    }
    Ok(racy)
}

/// Whether an end of the second pass that the first did not have comes from what others wrote.
pub(crate) fn is_finding(error: &LaunchError) -> bool {
    matches!(error, LaunchError::Fault(_) | LaunchError::OutOfBudget { .. })
}

/// The first pass once more, with events of some bytes. The warps end where they ended then.
fn rerun(
    worker: &mut Worker<'_>,
    copies: u32,
    comparison: &Comparison<'_>,
    wanted: impl Iterator<Item = (Place, Bytes)>,
) -> BTreeMap<Place, Vec<Logged>> {
    worker.run.restore(&worker.saved);
    worker.run.set_limit(LONGEST_REGION);
    worker.logged(wanted, |worker| {
        let again = run_pass(worker, copies, comparison.copy_of);
        debug_assert!(again.is_ok(), "as in the first pass");
    })
}
