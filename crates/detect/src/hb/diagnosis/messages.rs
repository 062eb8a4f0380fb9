//! Why it is a race, and what would order the two, in words that people can act on.

use super::Diagnosis;
use super::classify::Classification;
use super::handoffs::{Handoff, HandoffFault, Via};
use super::locks::LockVerdict;
use super::passes::{LaterPass, function_called_twice};
use super::pending_races::{PendingRace, Side};
use super::report::Evidence;
use super::writers::End;
use crate::hb::ids::{Agent, SiteNumber};
use warpsan_model::{Scope, SourceFrame, Space};
use warpsan_report::{AccessType, Race, RaceKind, RelatedSite};

/// What a report says.
pub(super) struct Explanation {
    pub(super) reason: String,
    pub(super) advice: String,
    pub(super) related: Vec<RelatedSite>,
}

pub(super) fn explain(
    diagnosis: &Diagnosis,
    evidence: &Evidence<'_>,
    conflict: &PendingRace,
    finding: &Classification,
    (space, later): (Space, LaterPass),
) -> Explanation {
    if let Some((handoff, fault)) = &finding.handoff {
        return explain_handoff(evidence, conflict, handoff, *fault);
    }
    if let Some((arrives, waits)) = finding.too_early {
        return explain_late_wait(evidence, arrives, waits);
    }
    let related = match (finding.kind, conflict.handed_over) {
        (RaceKind::Lock, _) => lock_sites(diagnosis, evidence, conflict),
        (_, Some(flag)) => {
            vec![evidence.related(flag, "the kernel's side of the hand-off".to_string())]
        }
        _ => Vec::new(),
    };
    let (reason, advice) = match finding.locks {
        LockVerdict::OfCompany => (
            "the lock is held by another lane of the warp, and nothing orders what its lanes do",
            "put __syncwarp() after taking the lock, and again before giving it back",
        ),
        _ => reason_and_advice(diagnosis, evidence, conflict, finding.kind, space),
    };
    let frames = |side: &Side| &*evidence.site(side.site).frames;
    let place = match later {
        LaterPass::Neither => between(frames(&conflict.old), frames(&conflict.new)),
        LaterPass::First | LaterPass::Second => END_OF_LOOP.to_string(),
    };
    let mut reason = reason.to_string();
    // Of the second one the report says so itself.
    if later == LaterPass::First {
        reason.push_str(
            "; the first access is of the next pass of the loop, and its thread is ahead",
        );
    }
    Explanation { reason, advice: advice.replace(BETWEEN_THE_TWO, &place), related }
}

/// Where a barrier is missing, unless more is known of that.
const BETWEEN_THE_TWO: &str = "between the two accesses";

/// Where it is missing if one access is of a later pass: the text may have a barrier between the two lines.
const END_OF_LOOP: &str = "at the end of the loop, before its next pass begins";

/// Where a barrier is missing between two accesses of one pass.
fn between(first: &[SourceFrame], second: &[SourceFrame]) -> String {
    match function_called_twice(first, second) {
        Some(function) => format!("between the calls of `{function}`"),
        None => BETWEEN_THE_TWO.to_string(),
    }
}

/// Threads of a warp whose first thread has this number in its block: `threads 0 to 15 and 20 of the block`.
pub(super) fn threads_in_words(first: u32, lanes: u32) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for lane in warpsan_model::lanes(lanes) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == first + lane => *last = first + lane,
            _ => ranges.push((first + lane, first + lane)),
        }
    }
    let words: Vec<String> = ranges
        .iter()
        .map(|(from, to)| if from == to { from.to_string() } else { format!("{from} to {to}") })
        .collect();
    let list = match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.join(""),
    };
    let threads = if lanes.is_power_of_two() { "thread" } else { "threads" };
    format!("{threads} {list} of the block")
}

/// Which threads raced at two instructions, and which of these came first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Met {
    pub(super) in_one_warp: bool,
    pub(super) in_two_warps: bool,
    pub(super) in_two_blocks: bool,
    /// Lanes that execute together came to the instruction with the smaller number first.
    pub(super) forward: bool,
    /// They came to it last: both are in a loop.
    pub(super) backward: bool,
}

impl Met {
    pub(super) fn add(&mut self, other: &Met) {
        self.in_one_warp |= other.in_one_warp;
        self.in_two_warps |= other.in_two_warps;
        self.in_two_blocks |= other.in_two_blocks;
        self.forward |= other.forward;
        self.backward |= other.backward;
    }
}

/// What orders some of the threads that raced at two instructions need not order the others: advice that fits all. The
/// lines are those of the two instructions.
pub(super) fn advise_for_all(race: &mut Race, met: &Met, [one, other]: &[String; 2]) {
    let needs_barrier =
        matches!(race.kind, RaceKind::Divergence | RaceKind::WarpSync | RaceKind::MissingSync);
    let in_one_block = met.in_one_warp || met.in_two_warps;
    if !needs_barrier
        || !in_one_block
        || race.location.space == Some(Space::Shared) && met.in_two_blocks
    {
        return;
    }
    let one_is_atomic =
        (race.first.access == AccessType::Atomic) != (race.second.access == AccessType::Atomic);
    if met.in_two_blocks {
        race.reason.push_str(
            "; this happens within a block and between blocks, which no barrier of a block orders",
        );
        race.advice = match one_is_atomic {
            true => "make both accesses atomic; or put __syncthreads() between the accesses of one block, and what different blocks do \
                     into two launches",
            false => "let each thread write memory of its own, or make both accesses atomic; or put __syncthreads() between the \
                      accesses of one block, and what different blocks do into two launches",
        }
        .to_string();
        return;
    }
    if one_is_atomic || one == other || race.first.ptx_line == race.second.ptx_line {
        return;
    }
    let barrier = if met.in_two_warps { "__syncthreads()" } else { "__syncwarp()" };
    if met.forward && met.backward {
        race.advice = format!(
            "put {barrier} after {one}, and again after {other}: in a loop, each comes before the other"
        );
    } else if met.in_one_warp && met.in_two_warps {
        let place = match race.advice.contains(END_OF_LOOP) {
            true => END_OF_LOOP.to_string(),
            false => between(&race.first.frames, &race.second.frames),
        };
        race.advice = format!("put {barrier} {place}");
    }
}

/// A wait for an `mbarrier` object that comes after the access that needs it.
fn explain_late_wait(
    evidence: &Evidence<'_>,
    arrives: SiteNumber,
    waits: SiteNumber,
) -> Explanation {
    let (arrival, wait) = (evidence.line(arrives), evidence.line(waits));
    let reason = format!(
        "an mbarrier hands over from {arrival} to {wait}, but the memory is used before that wait"
    );
    let advice = format!("put the wait of {wait} before the access");
    let related = vec![
        evidence.related(arrives, "what was done before is handed over here".to_string()),
        evidence.related(waits, "and is there for others only after this".to_string()),
    ];
    Explanation { reason, advice, related }
}

/// The missing piece of a hand-off.
fn explain_handoff(
    evidence: &Evidence<'_>,
    conflict: &PendingRace,
    handoff: &Handoff,
    fault: HandoffFault,
) -> Explanation {
    let line = |site: SiteNumber| evidence.line(site);
    // What stands behind the line of a loop may be in the loop, and not be done after the last pass.
    let behind_read = match evidence.is_in_loop_apart_from(handoff.read_site, conflict.new.site) {
        true => format!("after the loop of {}", line(handoff.read_site)),
        false => format!("after {}", line(handoff.read_site)),
    };
    let (write, read) = (handoff.write_site, handoff.read_site);
    let between = match handoff.via {
        Via::Mbarrier => format!("an mbarrier hands over from {} to {}", line(write), line(read)),
        Via::Cluster => {
            format!("the barrier of the cluster hands over from {} to {}", line(write), line(read))
        }
        Via::Flag => format!("the value written at {} is read at {}", line(write), line(read)),
        Via::FenceOrder => {
            format!("the fence at {} comes before that at {}", line(write), line(read))
        }
    };
    let far = |end: &End| match end.scope {
        Scope::Cta => "block",
        _ => "cluster",
    };
    let what = |end: &End| match end.is_fence {
        true => format!("the fence at {}", line(end.site)),
        false => format!("the operation at {}", line(end.site)),
    };
    let (reason, advice, site, message) = match fault {
        HandoffFault::FlagScope => (
            format!("{between}, but the scope of one of the two does not reach the other thread"),
            "use device scope for both the write and the read of the flag".to_string(),
            write,
            "this write is observed in another block".to_string(),
        ),
        HandoffFault::NeitherEnd if handoff.via != Via::Flag => (
            format!("{between}, but the arrival and the wait are relaxed and order nothing"),
            format!(
                "make the arrival at {} a release and the wait at {} an acquire",
                line(write),
                line(read)
            ),
            write,
            "this arrival orders nothing".to_string(),
        ),
        HandoffFault::NoRelease if handoff.via != Via::Flag => (
            format!("{between}, but the arrival is relaxed and releases nothing"),
            format!("make the arrival at {} a release", line(write)),
            write,
            "this arrival orders nothing".to_string(),
        ),
        HandoffFault::NoAcquire if handoff.via != Via::Flag => (
            format!("{between}, but the wait is relaxed and acquires nothing"),
            format!("make the wait at {} an acquire", line(read)),
            read,
            "this wait orders nothing".to_string(),
        ),
        HandoffFault::NeitherEnd => (
            format!(
                "{between}, but nothing releases before that write, and nothing acquires after that read"
            ),
            format!("put __threadfence() before {}, and again {behind_read}", line(write)),
            write,
            "no fence or release comes before this".to_string(),
        ),
        HandoffFault::NoRelease => (
            format!("{between}, but nothing before that write releases what was done before it"),
            format!("put __threadfence() before {}, or make it a release", line(write)),
            write,
            "no fence or release comes before this".to_string(),
        ),
        HandoffFault::NoAcquire => (
            format!("{between}, but nothing after that read acquires what was released"),
            format!("put __threadfence() {behind_read}, or make that read an acquire"),
            read,
            "no fence or acquire comes after this".to_string(),
        ),
        HandoffFault::ReleaseScope(end) => (
            format!(
                "{} has {} scope; the reader is in another {}",
                what(&end),
                far(&end),
                far(&end)
            ),
            "use device scope: __threadfence() in place of __threadfence_block()".to_string(),
            end.site,
            format!("this has {} scope", far(&end)),
        ),
        HandoffFault::AcquireScope(end) => (
            format!(
                "{} has {} scope; the writer is in another {}",
                what(&end),
                far(&end),
                far(&end)
            ),
            "use device scope: __threadfence() in place of __threadfence_block()".to_string(),
            end.site,
            format!("this has {} scope", far(&end)),
        ),
    };
    let mut related = vec![evidence.related(site, message)];
    for (other, message) in [(write, "the hand-over is written here"), (read, "and read here")] {
        if other != site {
            related.push(evidence.related(other, message.to_string()));
        }
    }
    Explanation { reason, advice, related }
}

fn lock_sites(
    diagnosis: &Diagnosis,
    evidence: &Evidence<'_>,
    conflict: &PendingRace,
) -> Vec<RelatedSite> {
    let side =
        |side: &Side, who: &str| {
            let (_, address) = diagnosis.locks.example(side.held)?;
            Some(evidence.related(
                side.site,
                format!("the {who} thread holds the lock at {address:#x} here"),
            ))
        };
    [side(&conflict.old, "first"), side(&conflict.new, "second")].into_iter().flatten().collect()
}

fn reason_and_advice(
    diagnosis: &Diagnosis,
    evidence: &Evidence<'_>,
    conflict: &PendingRace,
    kind: RaceKind,
    space: Space,
) -> (&'static str, &'static str) {
    let PendingRace { old, new, .. } = conflict;
    let same_block = old.block == new.block;
    let cluster_scope =
        |side: &Side| evidence.sites.info(side.site).strength.scope() == Some(Scope::Cluster);
    match kind {
        RaceKind::InterKernel if evidence.order.launches.is_prerequisite(old.block) => (
            "the launch may begin before the earlier one has ended, and the thread has not waited for it",
            "call cudaGridDependencySynchronize() before what depends on the earlier launch",
        ),
        RaceKind::InterKernel if evidence.order.launches.is_perhaps_before(old.block) => (
            "two threads of the host asked for the two. One had waited for the first when the other asked for the second, but no lock, \
             join or other call that synchronises threads was seen between them; atomics of the program cannot be seen",
            "if the threads synchronise by atomics alone, this is no race; otherwise hand over with a lock, a condition variable or a join, \
             or order the two with an event",
        ),
        RaceKind::InterKernel if conflict.handed_over.is_some() => (
            "the kernel and the host may hand over through memory that both access at system scope, but the \
             values that the host reads and writes there are not known",
            "if one waits for a flag that the other sets, this is no race; otherwise let the host wait: cudaStreamSynchronize, \
             cudaEventSynchronize or cudaDeviceSynchronize",
        ),
        RaceKind::InterKernel
            if [old, new].iter().any(|side| evidence.site(side.site).is_host()) =>
        {
            (
                "the host uses the memory while the device may still do so: it has waited for nothing that comes after",
                "let the host wait first: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize",
            )
        }
        RaceKind::InterKernel => (
            "the two are in different streams, or in branches of a graph, and nothing orders them",
            "order them with an event, an edge of the graph or a synchronisation, or use one stream",
        ),
        RaceKind::ReadonlyPath if conflict.read_before => (
            "restricted pointers alias: the memory was read through the read-only path (ld.global.nc) before this kernel wrote it, so \
             the read is right as long as the compiler does not move it",
            "drop `const __restrict__` or `__ldg` for memory that the kernel writes",
        ),
        RaceKind::ReadonlyPath => (
            "the load goes through the read-only path (ld.global.nc), which does not see what the same kernel writes",
            "drop `const __restrict__` or `__ldg` for memory that the kernel writes",
        ),
        RaceKind::Async => async_words(diagnosis, evidence, conflict),
        RaceKind::Lock => (
            "a lock is held on one side, and no lock is held on both",
            "take the same lock around both accesses",
        ),
        RaceKind::Scope if !same_block && (cluster_scope(old) || cluster_scope(new)) => (
            "both are atomic, but cluster scope does not reach a thread of another cluster",
            "use device scope on both sides",
        ),
        RaceKind::Scope => (
            "both are atomic, but block scope does not reach a thread of another block",
            "use the device-wide form, for example atomicAdd in place of atomicAdd_block",
        ),
        RaceKind::Divergence => (
            "the two threads are on different paths of one warp, and nothing orders the paths",
            "put __syncwarp() between the two accesses, where both paths have joined",
        ),
        RaceKind::WarpSync => (
            "the two threads are in one warp, which alone orders nothing: lanes need not run in lockstep",
            "put __syncwarp() between the two accesses",
        ),
        RaceKind::MixedSize => OVERLAP_PARTLY,
        RaceKind::Volatile => VOLATILE_IS_NO_SYNCHRONISATION,
        RaceKind::SameValue => (
            "both threads write the same value, and nothing orders the two writes",
            "let one thread write, or use an atomic",
        ),
        _ if conflict.same_event => (
            "lanes of one instruction write the same place, and which of them stays is not defined",
            "let one lane write, or use an atomic",
        ),
        _ if same_block && space == Space::Shared => (
            "the two threads are in one block, and no barrier comes between the two accesses",
            "put __syncthreads() between the two accesses",
        ),
        _ if same_block => (
            "the two threads are in one block, and no barrier or other synchronisation comes between the two accesses",
            "put __syncthreads() between the two accesses, or make both atomic",
        ),
        _ if space == Space::Shared => (
            "the two threads are in two blocks of a cluster, and no barrier of the cluster comes between the two accesses",
            "put cluster.sync() between the two accesses",
        ),
        _ if !old.weak || !new.weak => (
            "one access is atomic, the other is not, and nothing orders the two",
            "make both accesses atomic, or order them with a fence and a flag",
        ),
        _ => (
            "the two threads are in different blocks, and nothing orders blocks of one launch",
            "let each thread write memory of its own (or each block, where barriers order its threads), split the work into two \
             launches, or make both accesses atomic",
        ),
    }
}

fn async_words(
    diagnosis: &Diagnosis,
    evidence: &Evidence<'_>,
    conflict: &PendingRace,
) -> (&'static str, &'static str) {
    let PendingRace { old, new, .. } = conflict;
    if old.object || new.object {
        (
            "an mbarrier object is used, and nothing orders its initialisation, its use and its end",
            "initialise the object in one thread, and put __syncthreads() before others use it",
        )
    } else if new.agent == Agent::BulkCopy && old.agent == Agent::Thread && old.writes {
        (
            "the copy goes through the asynchronous proxy, and no proxy fence carries the earlier write over to it",
            "put fence.proxy.async (cuda::ptx::fence_proxy_async) after the write, and a barrier before the copy",
        )
    } else if new.agent == Agent::BulkCopy && old.agent == Agent::AsyncStore && old.writes {
        (
            "the asynchronous store is not known to be complete, or no proxy fence carries it over to the copy, which goes through the \
             asynchronous proxy",
            "wait for the mbarrier of the store, then put fence.proxy.async (cuda::ptx::fence_proxy_async) before the copy",
        )
    } else if old.agent != Agent::Thread {
        not_waited_for(old.agent, old.is_same_thread(new))
    } else if is_read_too_early(diagnosis, evidence, conflict) {
        let (_, advice) = not_waited_for(new.agent, old.is_same_thread(new));
        ("the memory is read before the asynchronous copy that fills it has even begun", advice)
    } else {
        NOT_BEFORE_COPY
    }
}

/// Two strong accesses of other bytes.
pub(in crate::hb) const OVERLAP_PARTLY: (&str, &str) = (
    "both are strong, but they overlap only partly, and such accesses do not order each other",
    "access the location with one size",
);

/// Two volatile accesses.
pub(in crate::hb) const VOLATILE_IS_NO_SYNCHRONISATION: (&str, &str) = (
    "volatile keeps the accesses, but in CUDA C++ it makes no synchronisation between threads",
    "use cuda::atomic_ref or an atomic function on both sides",
);

/// A copy that overtakes an earlier use of its memory.
pub(in crate::hb) const NOT_BEFORE_COPY: (&str, &str) = (
    "nothing orders the earlier access before the asynchronous copy",
    "put a barrier between the last use of the memory and the copy",
);

/// A copy that is under way while somebody uses its memory.
pub(in crate::hb) fn not_waited_for(
    agent: Agent,
    same_thread: bool,
) -> (&'static str, &'static str) {
    match (agent, same_thread) {
        (Agent::BulkCopy, _) => (
            "the bulk copy is not known to be complete when the other access happens",
            "wait for the mbarrier or the bulk group of the copy, then synchronise the threads",
        ),
        (Agent::AsyncStore, _) => (
            "the asynchronous store is not known to be complete when the other access happens",
            "wait for the mbarrier of the store before the other access",
        ),
        (_, true) => (
            "the thread has not waited for its own asynchronous copy when the other access happens",
            "wait for all groups up to that of the copy before the other access: cp.async.wait_group (__pipeline_wait_prior) with a \
             smaller number, cp.async.wait_all, or pipeline.consumer_wait",
        ),
        (_, false) => (
            "the asynchronous copy is not known to be complete when the other access happens",
            "wait for it in the thread that began it, and put __syncthreads() behind the wait: cp.async.wait_group (__pipeline_wait_prior) \
             with a smaller number, cp.async.wait_all, or pipeline.consumer_wait",
        ),
    }
}

/// Whether a read stands behind the copy in the text, and came before it all the same: no copy of the instruction has
/// filled the memory yet, or one was not waited for either.
fn is_read_too_early(
    diagnosis: &Diagnosis,
    evidence: &Evidence<'_>,
    conflict: &PendingRace,
) -> bool {
    let PendingRace { old, new, owner, address, .. } = conflict;
    let line = |side: &Side| evidence.site(side.site).ptx_line;
    !old.writes
        && new.writes
        && line(new) < line(old)
        && (!diagnosis.filled.has(new.site, *owner, *address)
            || diagnosis.is_reported(new.site, old.site))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_threads_are_ranges() {
        assert_eq!(threads_in_words(0, 0xffff), "threads 0 to 15 of the block");
        assert_eq!(threads_in_words(32, 1 << 3), "thread 35 of the block");
        assert_eq!(threads_in_words(0, 0b1011_0001), "threads 0, 4 to 5 and 7 of the block");
    }
}
