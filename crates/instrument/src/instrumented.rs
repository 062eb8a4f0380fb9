//! What is asked for, and what comes of it.

use crate::checks::Access;
use crate::device_plan::DevicePlan;
use crate::happens_before::layout::EntriesUse;
use crate::private_copies::uses::CopiesUse;
use crate::record::{Paths, SiteInfo};
use crate::sets::layout::EntryPlaces;
use crate::variables::VariableUse;
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_model::Strength;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The kernel's name in the module.
    pub kernel: &'a str,
    /// The threads of a block, as the kernel will be launched.
    pub block: [u32; 3],
    /// So many blocks must fit on a multiprocessor, for grids that run all at once.
    pub blocks_at_once: Option<u32>,
    /// The architecture that the result is for, as `sm_90`.
    pub target: &'a str,
    /// What it is to do on the device.
    pub plan: DevicePlan,
}

/// An instrumented kernel.
#[derive(Debug, Clone)]
pub struct Instrumented {
    /// Its PTX.
    pub text: String,
    /// What the site numbers in it stand for.
    pub sites: SiteTable,
    /// What each of them does.
    pub accesses: Vec<CheckedAccess>,
    /// What the host knows of each, where operations are shipped.
    pub infos: Vec<SiteInfo>,
    /// Where paths between them reconverge, where operations are shipped.
    pub paths: Paths,
    /// Plain data about the kernel.
    pub facts: KernelFacts,
    /// The original module's variables that it uses.
    pub variables: Vec<VariableUse>,
    /// What it needs at a launch.
    pub uses: Uses,
    /// Bytes of the original's parameters, and how many.
    pub parameters: Vec<(usize, usize)>,
    /// What was done.
    pub cost: Cost,
    /// What it does to memory, where it runs on private copies.
    pub copies: CopiesUse,
    /// The functions that it is linked with, unless its text has them.
    pub linked: Option<LinkedPieces>,
}

/// Functions of checks that are compiled once for an architecture ([`linked_functions`](crate::linked_functions)).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedPieces {
    /// Their declarations, as they stand in the kernel's text.
    pub declarations: String,
    /// The device libraries that have them, by their numbers in the plan's library.
    pub pieces: Vec<usize>,
}

impl Instrumented {
    /// Its PTX with all functions in place, for who does not link.
    pub fn whole_text(&self, plan: DevicePlan) -> String {
        let (Ok(library), Some(linked)) = (plan.library(), &self.linked) else {
            return self.text.clone();
        };
        let definitions: String =
            linked.pieces.iter().map(|piece| library.definitions(*piece)).collect();
        self.text.replacen(&linked.declarations, &definitions, 1)
    }
}

/// What an instruction that is checked does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedAccess {
    /// Load, store or atomic.
    pub access: Access,
    /// How strong it is.
    pub strength: Strength,
    /// Bytes of one lane, with all elements.
    pub bytes: u32,
    /// It reads by the read-only path. Only hb's entries know.
    pub read_only_path: bool,
    /// All lanes of a warp come to it together. Only hb's entries know.
    pub of_whole_warp: bool,
    /// It is a side of an asynchronous copy. Only hb's entries know.
    pub copies: bool,
    /// What it always stores. Only hb's entries know.
    pub stored: Option<u64>,
}

impl CheckedAccess {
    /// An access of which no more matters.
    pub fn new(access: Access, strength: Strength, bytes: u32) -> CheckedAccess {
        let (read_only_path, of_whole_warp, copies, stored) = (false, false, false, None);
        CheckedAccess { access, strength, bytes, read_only_path, of_whole_warp, copies, stored }
    }
}

impl Default for CheckedAccess {
    fn default() -> Self {
        CheckedAccess::new(Access::Load, Strength::Weak, 4)
    }
}

/// What of the synchronisation metadata an instrumented kernel uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Counters of fences.
    pub fences: bool,
    /// Counters of warp barriers.
    pub warp_barriers: bool,
    /// Lock tables.
    pub locks: bool,
    /// Lanes of a warp may meet in parts.
    pub parts_of_warps: bool,
    /// A stack as deep as its recursion goes.
    pub recursion: bool,
    /// Memory for the sets of blocks that run, whose threads are compared while they do.
    pub block_sets: bool,
    /// Entries that have places of their own in the sets of the grid.
    pub places: EntryPlaces,
    /// What hb's entries need.
    pub entries: EntriesUse,
}

/// What instrumentation did to a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Accesses that got a check.
    pub checked: u32,
    /// Accesses whose check an earlier one of the same block made needless.
    pub pruned: u32,
    /// Those of them that are loads which the compiler speculated, checked under their condition.
    pub speculated: u32,
    /// All instructions of its text.
    pub instructions: u32,
    /// Those of them that something is done about: accesses, fences, barriers and the like.
    pub instrumented: u32,
}
