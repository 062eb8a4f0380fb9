//! Whether an access of a race is of a later pass of a loop than the other, which is said only where it is certain.
//!
//! Threads have no common count of passes. What can be told is whether one has begun another pass, and the other has not,
//! since the two were last together:
//!
//! - at the first access itself, if both are lanes of a warp that executed it together;
//! - at `__syncthreads()`. A race is one between accesses behind the same phase of it, so that both were last at the
//!   same barrier, unless warps of the block have met at two places. From there one came to its access in the same pass,
//!   and the other cannot have come to its own one in it, whichever came first.
//! - the same where the compiler has unrolled the loop: what stands before a barrier in the source comes behind it in the
//!   code.

use super::Diagnosis;
use super::pending_races::PendingRace;
use super::report::Evidence;
use crate::hb::ids::{Agent, SiteNumber};
use crate::hb::rules::Rule;
use warpsan_model::{PassLoop, SiteId, SourceFrame, SourcePosition, is_toolkit_header};
use warpsan_report::AccessOrder;

/// Which of two accesses is of a later pass of a loop than the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaterPass {
    /// None, or that is not certain.
    Neither,
    /// The one that came first: its thread is ahead of the other.
    First,
    Second,
}

impl LaterPass {
    /// What is known of when the two accesses of a race happened.
    pub(super) fn order(self, conflict: &PendingRace) -> AccessOrder {
        match self {
            // Lanes of one instruction come at once.
            _ if conflict.same_event => AccessOrder::Unknown,
            LaterPass::Second => AccessOrder::NextPass,
            LaterPass::First | LaterPass::Neither => AccessOrder::FirstThenSecond,
        }
    }
}

impl Diagnosis {
    /// Which access is of a later pass.
    pub(super) fn later_pass(&self, conflict: &PendingRace, evidence: &Evidence<'_>) -> LaterPass {
        let PendingRace { old, new, .. } = conflict;
        // A copy of a thread begins where it stands; when it is done, and what other copies do, is not in passes.
        let is_copy = new.agent == Agent::ThreadCopy;
        let is_in_code = old.agent == Agent::Thread && (new.agent == Agent::Thread || is_copy);
        let sites = evidence.site_of_launch(old.site).zip(evidence.site_of_launch(new.site));
        let sites = sites.filter(|_| old.block == new.block && !conflict.same_event);
        let Some((first, second)) = sites.filter(|_| is_in_code) else { return LaterPass::Neither };
        let were_together = old.warp == new.warp && old.active >> new.lane & 1 == 1;
        let has_barriers = !self.barriers_diverged && evidence.rules.applies(Rule::BlockBarrier);
        let is_later = |one, other| has_barriers && evidence.has_passed_since_barrier(one, other);
        if were_together && evidence.has_passed(first, second) || is_later(first, second) {
            LaterPass::Second
        } else if !is_copy && is_later(second, first) {
            LaterPass::First
        } else {
            LaterPass::Neither
        }
    }
}

impl Evidence<'_> {
    /// A site of the launch that is under way.
    fn site_of_launch(&self, site: SiteNumber) -> Option<SiteId> {
        site.0.checked_sub(self.order.launches.first_site().0).map(SiteId)
    }

    /// Whether one site is in a loop that is left by whoever comes to the other.
    pub(super) fn is_in_loop_apart_from(&self, one: SiteNumber, other: SiteNumber) -> bool {
        let sites = self.site_of_launch(one).zip(self.site_of_launch(other));
        sites.is_some_and(|(one, other)| self.kernel.pass_order.is_in_loop_apart_from(one, other))
    }

    /// Whether a thread that was at one instruction, and then came to the other, has begun another pass.
    fn has_passed(&self, one: SiteId, other: SiteId) -> bool {
        let passes = &self.kernel.pass_order;
        let barrier = |site: SiteId| passes.place(site)?.any_barrier;
        self.is_seen(passes.passed_between(one, other))
            || self.is_unrolled(one, other, barrier(one), barrier(other))
    }

    /// Whether the thread of `second` has begun another pass, and that of `first` has not, since they were together at a
    /// barrier of the block.
    fn has_passed_since_barrier(&self, first: SiteId, second: SiteId) -> bool {
        let passes = &self.kernel.pass_order;
        let barrier = |site: SiteId| passes.place(site)?.barrier;
        self.is_seen(passes.passed_since_barrier(first, second))
            || self.is_unrolled(first, second, barrier(first), barrier(second))
    }

    /// Passes of a loop within a library are nothing that a reader of the lines could see.
    fn is_seen(&self, passed: Option<&PassLoop>) -> bool {
        passed.is_some_and(|passed| {
            let frames = &self.order.launches.site_table.get(passed.back).frames;
            let innermost = frames.iter().find_map(|frame| frame.position.as_ref());
            !innermost.is_some_and(|position| is_toolkit_header(&position.file))
        })
    }

    /// Whether both come from one barrier, and the source has the first behind it and the second before it. The compiler
    /// moves no access over a barrier.
    fn is_unrolled(
        &self,
        first: SiteId,
        second: SiteId,
        behind: Option<SiteId>,
        same: Option<SiteId>,
    ) -> bool {
        let Some(barrier) = behind.filter(|_| behind == same) else { return false };
        let frames =
            [second, barrier, first].map(|site| &*self.order.launches.site_table.get(site).frames);
        places_in_one_function(frames).is_some_and(|[second, barrier, first]| {
            let place = |position: &SourcePosition| (position.line, position.column);
            !is_toolkit_header(&barrier.file)
                && place(second) < place(barrier)
                && place(barrier) < place(first)
        })
    }
}

/// Where the chains of calls of several instructions part: their places in the innermost function that all are in by the
/// same calls.
pub(super) fn places_in_one_function<const N: usize>(
    frames: [&[SourceFrame]; N],
) -> Option<[&SourcePosition; N]> {
    let shortest = frames.iter().map(|chain| chain.len()).min()?;
    // Counted from the kernel inwards.
    let at = |chain: &'_ [SourceFrame], level: usize| chain.len() - 1 - level;
    let is_same = |level: &usize| {
        let all = frames.map(|chain| &chain[at(chain, *level)]);
        all.iter().all(|frame| *frame == all[0])
    };
    let level = (0..shortest).take_while(is_same).count();
    if level == shortest {
        return None;
    }
    let parted = frames.map(|chain| &chain[at(chain, level)]);
    let in_one = |frame: &&SourceFrame| {
        let file =
            |frame: &SourceFrame| frame.position.as_ref().map(|position| position.file.clone());
        frame.function == parted[0].function && file(frame) == file(parted[0])
    };
    if !parted.iter().all(in_one) {
        return None;
    }
    let positions: Vec<&SourcePosition> =
        parted.iter().filter_map(|frame| frame.position.as_ref()).collect();
    positions.try_into().ok()
}

/// The function that two accesses are in by different calls.
pub(super) fn function_called_twice<'a>(
    one: &'a [SourceFrame],
    other: &[SourceFrame],
) -> Option<&'a str> {
    let same_end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other);
    let called = same_end.count() + 1;
    // Behind the two calls, one level further in, is what is called.
    let inner = |chain: &[SourceFrame]| chain.len().checked_sub(called + 1);
    let (one, other) = (&one[inner(one)?], &other[inner(other)?]);
    (one.function == other.function).then_some(&*one.function)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(places: &[(&str, u32)]) -> Vec<SourceFrame> {
        let frame = |(function, line): &(&str, u32)| SourceFrame {
            function: (*function).into(),
            position: Some(SourcePosition { file: "a.cu".into(), line: *line, column: 1 }),
        };
        places.iter().map(frame).collect()
    }

    #[test]
    fn chains_of_calls_part_where_the_function_is_the_same_and_the_place_is_not() {
        let lines = |chains: [&[(&str, u32)]; 3]| {
            let chains = chains.map(chain);
            let [one, two, three] = &chains;
            let places = places_in_one_function([one, two, three])?;
            Some(places.map(|position| position.line))
        };
        assert_eq!(lines([&[("k", 1)], &[("k", 2)], &[("k", 3)]]), Some([1, 2, 3]));
        let inlined = lines([&[("h", 9), ("k", 1)], &[("k", 2)], &[("h", 8), ("k", 3)]]);
        assert_eq!(inlined, Some([1, 2, 3]));
        let by_one_call =
            lines([&[("h", 9), ("k", 1)], &[("h", 8), ("k", 1)], &[("h", 7), ("k", 1)]]);
        assert_eq!(by_one_call, Some([9, 8, 7]));
        assert_eq!(
            lines([&[("g", 9), ("k", 1)], &[("h", 8), ("k", 1)], &[("h", 7), ("k", 1)]]),
            None
        );
        assert_eq!(lines([&[("k", 1)], &[("k", 1)], &[("k", 1)]]), None);
        assert_eq!(lines([&[], &[("k", 1)], &[("k", 1)]]), None);
    }

    #[test]
    fn a_function_is_called_twice_where_its_calls_are_in_two_places() {
        let called = |one: &[(&str, u32)], other: &[(&str, u32)]| {
            function_called_twice(&chain(one), &chain(other)).map(str::to_owned)
        };
        let sum = Some("sum".to_owned());
        assert_eq!(called(&[("sum", 8), ("k", 16)], &[("sum", 11), ("k", 17)]), sum);
        assert_eq!(called(&[("sum", 8), ("k", 16)], &[("at", 3), ("sum", 8), ("k", 17)]), sum);
        assert_eq!(called(&[("sum", 8), ("k", 16)], &[("sum", 11), ("k", 16)]), None, "one call");
        assert_eq!(called(&[("sum", 8), ("k", 16)], &[("max", 11), ("k", 17)]), None);
        assert_eq!(called(&[("k", 16)], &[("k", 17)]), None);
        assert_eq!(called(&[], &[("k", 17)]), None);
    }
}
