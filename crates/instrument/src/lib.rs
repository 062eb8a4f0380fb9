//! PTX to PTX: a kernel of a module becomes one that checks its own accesses, or ships them to the host.
//!
//! # Central types
//!
//! - [`DevicePlan`] says what an instrumented kernel does: keep iGUARD's metadata, keep CURD's sets, run on LD's copies, or ship records. All
//!   that differs between detectors follows from it.
//! - [`Wanted`] is what is asked for: a kernel, its block size, an architecture and a plan. [`Instrumented`] is what comes of
//!   it: the text, what its site numbers stand for, and what a launch of it needs. [`Refusal`] says why nothing does.
//! - [`template::Template`] is one check: a function of `device/`, compiled from CUDA C++ to PTX ahead of time, as a list of
//!   pieces that can be expanded in place.
//! - [`LaunchContext`] is the one parameter that an instrumented kernel has more than the original. It, [`record`],
//!   [`Reports`] and the layout of the sets are the memory that device and host share; the headers of `device/` are printed
//!   from these structs.
//!
//! # The way of a kernel
//!
//! [`instrument`] makes a module of its own of the kernel and all functions that it may call. Each function is written
//! statement by statement. For an instruction, `ir` says what it means; where that matters to the plan, the check's template
//! is expanded before, behind or around it, with registers and labels of its own: in place, because the assembler does not
//! inline calls. Loads that the compiler speculated are checked under their condition only, and accesses that an earlier
//! check of the same basic block covers are not checked again.
//!
//! # Invariants
//!
//! - The instrumented kernel computes what the original does: every instruction that can be reached is still there, and
//!   what checks add has names of its own, with `ws_` in front.
//! - Variables of the module stay where the original module has them, and are reached through a table of addresses. Of
//!   constant ones there is a copy, filled before each launch.
//! - Whatever cannot be checked is a [`Refusal`] of the whole kernel: no instruction that matters is passed over.
//! - A site number means the same instruction in [`Instrumented::sites`] and `accesses`, and where operations are shipped in
//!   `infos` and `paths`.
//! - Same module, same [`Wanted`]: same text, byte for byte. Caches of machine code rely on it.

mod accesses;
mod body;
mod calls;
mod checks;
mod conditions;
mod context;
mod copies;
mod device_plan;
#[cfg(any(test, feature = "device-sources"))]
pub mod device_sources;
mod facts;
mod finding;
mod function;
mod happens_before;
mod instructions;
mod instrumented;
mod meaning;
mod module;
mod names;
mod operands;
mod predicates;
mod private_copies;
mod pruning;
pub mod record;
mod refusal;
mod sets;
mod shape;
mod shipping;
mod surroundings;
mod synchronisation;
pub mod template;
#[cfg(test)]
mod testing;
mod variables;

pub use checks::Access;
pub use context::{CONTEXT_BYTES, LaunchContext, options};
pub use device_plan::{
    CopiesMode, CopiesPart, CopiesPlan, DevicePlan, Entries, Measure, MetadataPlan, SetScheme,
    Shipping,
};
pub use finding::{DeviceReport, Reports};
pub use happens_before::layout::{
    BYTES_RECORD, EntriesHead, EntriesUse, PAGE, PAGE_BYTES, SLOT_ALIGNMENT, SharedEntries, Tiles,
    entry_gaps, entry_rules, launch_names,
};
pub use instrumented::{CheckedAccess, Cost, Instrumented, LinkedPieces, Uses, Wanted};
pub use module::{compiled_block, instrument, linked_functions};
pub use private_copies::layout::{
    CopiesHead, GRANULE, Grouping, MEETING_BYTES, MOST_COPIES, MOST_TARGETS, SHADOW_WORDS,
    SWEEP_KERNELS, SWEEPS, SweepParameters, Target, Units, sweeps,
};
pub use private_copies::placement::{KnownMemory, NoPlacement, Placement};
pub use private_copies::sequence::{
    Compared, CopiesLimits, CopiesPlaces, LaunchExtents, MissingPart, Sequence, Step, Sweep,
};
pub use private_copies::uses::{AccessUse, CopiesUse, OriginUse};
pub use refusal::{ConditionRefusal, InstructionRefusal, Refusal};
pub use sets::layout::{
    CHECKER, CHECKER_KERNELS, CheckerParameters, EAGER_OFFSET, EntryPlaces, GAPS_OFFSET,
    RESET_BYTES, RESET_OFFSET, SLOTS_OFFSET, SetPlaces, SetSizes, TAGS, eager_words, gaps, set_tag,
};
pub use shape::Shape;
pub use variables::{CONTEXT_NAME, VARIABLE_TABLE, VariableUse};
