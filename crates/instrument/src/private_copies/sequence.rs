//! The kernels that a launch becomes, in the order of its stream (sections 4.1 to 4.6).
//!
//! Where a kernel has barriers, blocks are compared with blocks, then warps with warps, region by region. Else all warps of the grid are
//! compared at once. Nobody waits for the device between kernels: what comes after a race returns at once, and so does what logs one
//! if there was none.

use super::layout::{
    GRANULE, Grouping, MEETING_BYTES, MOST_COPIES, SHADOW_WORDS, SweepParameters, Units, sweeps,
};
use super::placement::Placement;
use crate::context::{LaunchContext, options};
use crate::device_plan::{CopiesMode, CopiesPart};
use warpsan_model::Rounds;

/// How many copies there may be, and what comes after a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiesLimits {
    /// Copies at most, if users chose that.
    pub copies: Option<u32>,
    /// Bytes for all copies.
    pub bytes: u64,
    /// What comes after a race in the same launch is checked, too.
    pub goes_on: bool,
}

/// A launch, as far as its copies depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchExtents {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Warps of a block.
    pub warps: u32,
    /// Who is compared with whom.
    pub compared: Compared,
    /// Bytes of a block's shared memory.
    pub shared_bytes: u32,
    /// Where it begins.
    pub shared_start: u32,
    /// Bytes that a block can have at most.
    pub most_shared_bytes: u32,
}

/// Who is compared with whom in a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// All warps of the grid, over the whole kernel: it has no barriers and no shared memory.
    GridWarps,
    /// Blocks over the whole kernel, then the warps of each, region by region.
    BlocksAndRegions,
    /// Blocks alone: the kernel has regions that cannot be run again.
    Blocks,
}

/// One of the kernels that go over all addresses, by its place in [`SWEEP_KERNELS`](super::layout::SWEEP_KERNELS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// The state that the launch began with, for everybody.
    Begin = 0,
    /// Between two passes.
    Union = 1,
    /// After the second pass.
    Compare = 2,
    /// What copies changed, in their order.
    Merge = 3,
    /// Before a logged run.
    SetBack = 4,
    /// What was found goes to the host.
    Report = 5,
}

/// One kernel of the sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A kernel of ours, with these flags, for this grouping; every so many-th copy is merged.
    Sweep(Sweep, u32, Grouping, u32),
    /// A variant of the program's kernel, with bits of `options`.
    Run(CopiesPart, u32, Grouping),
    /// The program's kernel as it is: nothing in it can race.
    Original,
}

impl Step {
    /// The part of the paper's figure 8 that it belongs to. Detection of writes, the check for conflicts, the union, the state of the
    /// second pass and what is copied back are one kernel.
    pub fn part(&self) -> &'static str {
        match self {
            Step::Original => "the kernel as it is",
            Step::Sweep(Sweep::Begin, ..) => "the first state",
            Step::Run(CopiesPart::Pass, bits, _) if bits & options::SECOND_PASS != 0 => {
                "the second pass"
            }
            Step::Run(CopiesPart::Pass, ..) => "the first pass",
            Step::Sweep(Sweep::Union, ..) => "the union",
            Step::Sweep(Sweep::Compare, ..) => "the comparison",
            Step::Sweep(Sweep::Merge, ..) => "the merge",
            Step::Run(CopiesPart::Regions, ..) => "the regions",
            Step::Run(CopiesPart::Log, ..) | Step::Sweep(Sweep::SetBack | Sweep::Report, ..) => {
                "the log"
            }
        }
    }
}

/// All kernels of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// In the order of the stream.
    pub steps: Vec<Step>,
    /// Copies at the same time, at most.
    pub copies: u64,
    /// Bytes from one copy of shared memory to the next.
    pub shared_stride: u32,
    /// Bytes of shared memory that a block of the variant for regions needs.
    pub shared_bytes: u32,
    /// What is not compared, and why.
    pub missing: Option<MissingPart>,
}

/// A part of a launch that has no room for its copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MissingPart {
    /// Two copies are the least.
    #[error("no memory for two copies of the {0} bytes that it may write")]
    NoRoom(u64),
    /// Shared memory cannot be expanded.
    #[error(
        "its blocks are compared, its warps are not: {0} copies of {1} bytes of shared memory do not fit on a multiprocessor"
    )]
    SharedMemory(u32, u32),
    /// Every warp needs a copy of its own.
    #[error(
        "its blocks are compared, its warps are not: no memory for {0} copies of the {1} bytes that it may write"
    )]
    GlobalMemory(u64, u64),
    /// A key of a finding has no more bits for it.
    #[error("its blocks are compared, its warps are not: more than {0} blocks")]
    TooManyBlocks(u64),
}

/// Blocks that findings in regions can name.
const MOST_BLOCKS: u64 = 1 << 20;
/// Words of a copy that they can name.
const MOST_REGION_BYTES: u64 = 4 << 26;
/// What a round costs however few copies it has, as bytes of copies that take as long.
const ROUND_BYTES: u64 = 64 << 20;

impl Sequence {
    /// What a launch becomes. An error is a launch of which nothing can be done.
    pub fn of(
        mode: CopiesMode,
        placement: &Placement,
        extents: &LaunchExtents,
        limits: &CopiesLimits,
    ) -> Result<Sequence, MissingPart> {
        // A stride for each copy, and what was before.
        let room = limits.bytes.saturating_sub(placement.original_bytes);
        let room = room.checked_div(placement.stride).unwrap_or(u64::MAX).min(MOST_COPIES);
        let mut building = Building {
            placement,
            extents,
            limits,
            room,
            has_begun: false,
            sequence: Sequence {
                steps: Vec::new(),
                copies: 0,
                shared_stride: 0,
                shared_bytes: 0,
                missing: None,
            },
        };
        match mode {
            CopiesMode::Detect => building.detect()?,
            CopiesMode::RaceFree | CopiesMode::Deterministic => building.merge()?,
        }
        Ok(building.sequence)
    }

    /// How often the program's kernel is run.
    pub fn runs(&self) -> u32 {
        self.steps.iter().filter(|step| !matches!(step, Step::Sweep(..))).count() as u32
    }

    /// Bytes of all copies and of what was before.
    pub fn bytes(&self, placement: &Placement) -> u64 {
        self.copies * placement.stride + placement.original_bytes.next_multiple_of(GRANULE)
    }
}

struct Building<'a> {
    placement: &'a Placement,
    extents: &'a LaunchExtents,
    limits: &'a CopiesLimits,
    /// Copies that fit.
    room: u64,
    has_begun: bool,
    sequence: Sequence,
}

impl Building<'_> {
    fn goes_on(&self) -> u32 {
        if self.limits.goes_on { sweeps::GOES_ON } else { 0 }
    }

    fn sweep(&mut self, sweep: Sweep, flags: u32, grouping: Grouping) {
        let flags = flags | self.goes_on();
        self.sequence.steps.push(Step::Sweep(sweep, flags, grouping, 1));
    }

    fn begin(&mut self, grouping: Grouping, again: u32) {
        let first =
            if std::mem::replace(&mut self.has_begun, true) { again } else { sweeps::FIRST };
        self.sequence.copies = self.sequence.copies.max(u64::from(grouping.copies));
        self.sweep(Sweep::Begin, first, grouping);
    }

    fn detect(&mut self) -> Result<(), MissingPart> {
        let LaunchExtents { blocks, warps, compared, .. } = *self.extents;
        let has_copies = self.placement.stride > 0;
        let (units, count) = match compared {
            Compared::GridWarps => (Units::Warps, blocks * u64::from(warps)),
            Compared::BlocksAndRegions | Compared::Blocks => (Units::Blocks, blocks),
        };
        if count > 1 && has_copies {
            self.rounds(units, count)?;
        }
        if warps > 1 && compared == Compared::BlocksAndRegions {
            match self.regions(false) {
                Err(missing) => self.sequence.missing = Some(missing),
                Ok(()) if has_copies && blocks == 1 => {
                    let grouping = self.of_regions();
                    let merge = Step::Sweep(Sweep::Merge, sweeps::ALWAYS, grouping, warps + 1);
                    self.sequence.steps.push(merge);
                }
                Ok(()) => {}
            }
        }
        if !self.sequence.steps.iter().any(|step| matches!(step, Step::Run(..))) {
            self.sequence.steps = vec![Step::Original];
            return Ok(());
        }
        self.log();
        Ok(())
    }

    /// Two passes in each round.
    fn rounds(&mut self, units: Units, count: u64) -> Result<(), MissingPart> {
        let wanted = self.limits.copies.map_or_else(|| self.quickest(count), u64::from);
        let copies = self.room.min(wanted).min(count);
        if copies < 2 {
            return Err(MissingPart::NoRoom(self.placement.stride));
        }
        let (count, copies) = (count as u32, copies as u32);
        for round in 1..=Rounds::new(count.into(), copies.into()).count() {
            let grouping = Grouping::new(units, count, copies, round);
            self.begin(grouping, 0);
            self.sequence.steps.push(Step::Run(CopiesPart::Pass, options::FIRST_PASS, grouping));
            self.sweep(Sweep::Union, 0, grouping);
            self.sequence.steps.push(Step::Run(CopiesPart::Pass, options::SECOND_PASS, grouping));
            self.sweep(Sweep::Compare, 0, grouping);
        }
        Ok(())
    }

    /// The copies with which so many units are compared soonest: with one for each there is one round, and with fewer there is less to
    /// go over in each of more.
    fn quickest(&self, count: u64) -> u64 {
        let most = self.room.min(count);
        let cost = |copies: u64| {
            u64::from(Rounds::new(count, copies).count())
                * (copies * self.placement.stride + ROUND_BYTES)
        };
        let of_rounds = |rounds: u32| (count as f64).powf(1.0 / f64::from(rounds)).ceil() as u64;
        let candidates = (1..=u64::BITS).map(of_rounds).take_while(|copies| *copies > 2);
        let candidates = candidates.filter(|copies| *copies < most).chain([most]);
        candidates.min_by_key(|copies| cost(*copies)).unwrap_or(most)
    }

    /// The copies of all blocks: each has one for its state, and one for each warp.
    fn of_regions(&self) -> Grouping {
        let all = self.extents.blocks * (u64::from(self.extents.warps) + 1);
        Grouping::new(Units::Warps, all as u32, all as u32, 1)
    }

    fn regions(&mut self, is_safe: bool) -> Result<(), MissingPart> {
        let LaunchExtents { blocks, warps, shared_bytes, most_shared_bytes, .. } = *self.extents;
        let stride = shared_bytes.next_multiple_of(GRANULE as u32);
        let all_shared = u64::from(stride) * (u64::from(warps) + 1) + u64::from(MEETING_BYTES);
        if all_shared > u64::from(most_shared_bytes) {
            return Err(MissingPart::SharedMemory(warps + 1, stride));
        }
        if blocks > MOST_BLOCKS && !is_safe {
            return Err(MissingPart::TooManyBlocks(MOST_BLOCKS));
        }
        let has_copies = self.placement.stride > 0;
        let copies = blocks * (u64::from(warps) + 1);
        if has_copies {
            let room = self.limits.bytes.saturating_sub(self.placement.original_bytes);
            let bytes = copies.saturating_mul(self.placement.stride);
            let is_too_long = self.placement.stride > MOST_REGION_BYTES;
            if bytes > room || copies > u64::from(u32::MAX) || is_too_long {
                return Err(MissingPart::GlobalMemory(copies, self.placement.stride));
            }
        }
        self.sequence.shared_stride = stride;
        self.sequence.shared_bytes = all_shared as u32;
        let grouping = self.of_regions();
        if has_copies {
            // Blocks have copies of their own, and were compared before.
            self.begin(grouping, sweeps::COPIES_ONLY);
        }
        self.sequence.steps.push(Step::Run(CopiesPart::Regions, 0, grouping));
        Ok(())
    }

    /// Safe execution: one pass, then what everybody changed.
    fn merge(&mut self) -> Result<(), MissingPart> {
        let LaunchExtents { blocks, warps, compared, .. } = *self.extents;
        let has_copies = self.placement.stride > 0;
        if compared == Compared::BlocksAndRegions && warps > 1 {
            self.regions(true)?;
            if has_copies {
                let grouping = self.of_regions();
                let merge = Step::Sweep(Sweep::Merge, sweeps::ALWAYS, grouping, warps + 1);
                self.sequence.steps.push(merge);
            }
            return Ok(());
        }
        let all = blocks * u64::from(warps);
        if all < 2 || !has_copies {
            self.sequence.steps = vec![Step::Original];
            return Ok(());
        }
        if all > self.room {
            return Err(MissingPart::GlobalMemory(all, self.placement.stride));
        }
        let grouping = Grouping::new(Units::Warps, all as u32, all as u32, 1);
        self.begin(grouping, 0);
        self.sequence.steps.push(Step::Run(CopiesPart::Pass, 0, grouping));
        self.sweep(Sweep::Merge, sweeps::ALWAYS, grouping);
        Ok(())
    }

    /// Two runs without copies: who stores, and who reads that.
    fn log(&mut self) {
        // Who stored to a word takes twice its bytes.
        self.sequence.copies = self.sequence.copies.max(2);
        let grouping = Grouping::default();
        self.sweep(Sweep::SetBack, sweeps::FIRST, grouping);
        self.sequence.steps.push(Step::Run(CopiesPart::Log, 0, grouping));
        self.sweep(Sweep::SetBack, 0, grouping);
        self.sequence.steps.push(Step::Run(CopiesPart::Log, options::LOG_CHECKS, grouping));
        self.sweep(Sweep::Report, 0, grouping);
    }
}

/// Where the memory of a launch's copies is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopiesPlaces {
    /// A [`CopiesHead`](super::layout::CopiesHead).
    pub head: u64,
    /// The first copy.
    pub copies: u64,
    /// What targets held before the launch.
    pub originals: u64,
}

impl CopiesPlaces {
    /// Bytes of what a head leads to.
    pub const SHADOW_BYTES: u64 = SHADOW_WORDS * 8;

    /// The parameters of a sweep.
    pub fn sweep(
        &self,
        placement: &Placement,
        (flags, grouping, step): (u32, Grouping, u32),
        context: &LaunchContext,
        warps_per_block: u32,
    ) -> SweepParameters {
        SweepParameters {
            head: self.head,
            copies: self.copies,
            originals: self.originals,
            stride: placement.stride,
            reports: context.reports,
            grouping,
            flags,
            launch: context.launch,
            variant: context.options >> 16,
            warps_per_block,
            step,
            unused: 0,
        }
    }

    /// The context of a run.
    pub fn context(
        &self,
        placement: &Placement,
        sequence: &Sequence,
        (more_options, grouping): (u32, Grouping),
        shared_start: u32,
        context: LaunchContext,
    ) -> LaunchContext {
        LaunchContext {
            options: context.options | more_options,
            copies: self.head,
            copy_start: self.copies,
            copy_stride: placement.stride,
            copy_power: grouping.power,
            copy_count: grouping.copies,
            unit_count: grouping.count,
            units: grouping.units,
            shared_start,
            shared_stride: sequence.shared_stride,
            ..context
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENTS: LaunchExtents = LaunchExtents {
        blocks: 8,
        warps: 4,
        compared: Compared::GridWarps,
        shared_bytes: 0,
        shared_start: 1024,
        most_shared_bytes: 227 << 10,
    };
    const LIMITS: CopiesLimits = CopiesLimits { copies: None, bytes: 1 << 30, goes_on: false };

    fn placement(stride: u64) -> Placement {
        Placement { stride, original_bytes: stride, ..Placement::default() }
    }

    fn runs(sequence: &Sequence) -> Vec<CopiesPart> {
        let run = |step: &Step| match step {
            Step::Run(part, ..) => Some(*part),
            _ => None,
        };
        sequence.steps.iter().filter_map(run).collect()
    }

    #[test]
    fn passes_then_regions_then_the_log() {
        let detect = |placement: &Placement, extents: &LaunchExtents, limits: &CopiesLimits| {
            Sequence::of(CopiesMode::Detect, placement, extents, limits).expect("there is room")
        };
        use CopiesPart::{Log, Pass, Regions};
        let sequence = detect(&placement(1024), &EXTENTS, &LIMITS);
        assert_eq!(runs(&sequence), [Pass, Pass, Log, Log]);
        assert_eq!((sequence.copies, sequence.bytes(&placement(1024))), (32, 33 * 1024));
        let few = CopiesLimits { copies: Some(2), ..LIMITS };
        let sequence = detect(&placement(1024), &EXTENTS, &few);
        assert_eq!(runs(&sequence).len(), 2 * 5 + 2, "five rounds for 32 warps");
        assert_eq!(sequence.copies, 2);
        let little = CopiesLimits { bytes: 4 * 1024, ..LIMITS };
        assert_eq!(detect(&placement(1024), &EXTENTS, &little).copies, 3, "one is of before");
        let barriers =
            LaunchExtents { compared: Compared::BlocksAndRegions, shared_bytes: 100, ..EXTENTS };
        let sequence = detect(&placement(1024), &barriers, &LIMITS);
        assert_eq!(runs(&sequence), [Pass, Pass, Regions, Log, Log]);
        assert_eq!((sequence.copies, sequence.shared_stride), (8 * 5, 112));
        let sequence = detect(&placement(0), &barriers, &LIMITS);
        assert_eq!(runs(&sequence), [Regions, Log, Log], "nothing but shared memory");
        assert_eq!(detect(&placement(0), &EXTENTS, &LIMITS).steps, [Step::Original]);
        let blocks = LaunchExtents { compared: Compared::Blocks, ..EXTENTS };
        let sequence = detect(&placement(1024), &blocks, &LIMITS);
        assert_eq!((runs(&sequence).len(), sequence.copies), (4, 8), "warps have no copies");
    }

    #[test]
    fn large_copies_are_fewer_and_have_more_rounds() {
        let many = LaunchExtents { blocks: 512, ..EXTENTS };
        let copies = |stride| {
            let sequence = Sequence::of(
                CopiesMode::Detect,
                &placement(stride),
                &many,
                &CopiesLimits { bytes: 1 << 40, ..LIMITS },
            );
            let sequence = sequence.expect("there is room");
            (sequence.copies, (sequence.runs() - 2) / 2)
        };
        assert_eq!(copies(1 << 10), (2048, 1));
        assert_eq!(copies(1 << 20), (46, 2));
        assert_eq!(copies(1 << 24), (7, 4), "rounds cost less than copies");
    }

    #[test]
    fn what_has_no_room_is_named() {
        let large = LaunchExtents {
            compared: Compared::BlocksAndRegions,
            shared_bytes: 100 << 10,
            ..EXTENTS
        };
        let sequence = Sequence::of(CopiesMode::Detect, &placement(64), &large, &LIMITS);
        let missing = sequence.expect("blocks have room").missing.expect("warps have none");
        assert!(missing.to_string().contains("5 copies of 102400 bytes of shared memory"));
        let none = CopiesLimits { bytes: 0, ..LIMITS };
        let refused = Sequence::of(CopiesMode::Detect, &placement(64), &EXTENTS, &none);
        assert_eq!(refused, Err(MissingPart::NoRoom(64)));
    }

    #[test]
    fn safe_execution_has_one_pass() {
        let safe = |extents: &LaunchExtents| {
            Sequence::of(CopiesMode::Deterministic, &placement(64), extents, &LIMITS)
                .expect("there is room")
        };
        assert_eq!(runs(&safe(&EXTENTS)), [CopiesPart::Pass]);
        assert_eq!(safe(&EXTENTS).copies, 32);
        let barriers = LaunchExtents { compared: Compared::BlocksAndRegions, ..EXTENTS };
        assert_eq!(runs(&safe(&barriers)), [CopiesPart::Regions]);
        assert_eq!(safe(&barriers).copies, 40);
    }
}
