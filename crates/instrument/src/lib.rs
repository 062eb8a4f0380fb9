//! PTX to PTX: a kernel of a module becomes one that checks its own accesses.
//!
//! [`instrument`] makes a module of its own of one kernel and the functions that it may call. Every access to global memory,
//! every fence and every barrier gets a check in place ([`DevicePlan`]), because the assembler does not inline calls. The
//! checks are CUDA C++ (`device/`), compiled to PTX and taken apart into templates ([`template`]). The instrumented
//! kernel has one parameter more than the original, its [`LaunchContext`]; the module's variables stay where the
//! original module has them and are reached through a table of addresses.

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
mod instructions;
mod instrumented;
mod meaning;
mod module;
mod names;
mod operands;
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
pub use device_plan::{DevicePlan, Entries, Measure, MetadataPlan, SetScheme, Shipping};
pub use finding::{DeviceReport, Reports};
pub use instrumented::{CheckedAccess, Cost, Instrumented, Uses, Wanted};
pub use module::instrument;
pub use refusal::{ConditionRefusal, InstructionRefusal, Refusal};
pub use sets::layout::{
    CHECKER, CHECKER_KERNELS, CheckerParameters, EAGER_OFFSET, GAPS_OFFSET, Places, RESET_BYTES,
    RESET_OFFSET, SLOTS_OFFSET, SetPlaces, SetSizes, TAGS, eager_words, gaps, set_tag,
};
pub use shape::Shape;
pub use variables::{CONTEXT_NAME, VARIABLE_TABLE, VariableUse};
