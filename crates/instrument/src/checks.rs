//! Which check an operation gets: the templates of each plan.

use crate::device_plan::{DevicePlan, Entries, Measure, MetadataPlan, SetScheme};
use crate::template::{Library, Template, TemplateError};
use std::sync::OnceLock;
use warpsan_model::Scope;

/// What an access does, as far as checks differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads and writes in one step.
    Atomic {
        /// Its scope is that of a block or cluster.
        block_scope: bool,
    },
}

/// Something other than an access that has a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SynchronisationStep {
    Fence {
        device: bool,
    },
    /// A compare-and-swap, after its access.
    Swap {
        block_scope: bool,
    },
    /// An exchange, after its access.
    Exchange {
        block_scope: bool,
    },
    BlockBarrier,
    PartialBarrier,
    WarpBarrier,
    BeginWithFences,
    BeginWithLocks,
}

/// In the word of an access: its scope is that of a block.
pub(crate) const ACCESS_HAS_BLOCK_SCOPE: u32 = 4;
/// In the word of an access: the kernel keeps locks.
pub(crate) const ACCESS_HAS_LOCKS: u32 = 8;

/// What an access is to the device: `Type` of `device/metadata_layout.h` and its further bits.
pub(crate) fn access_word(access: Access, with_locks: bool) -> u32 {
    let locks = if with_locks { ACCESS_HAS_LOCKS } else { 0 };
    locks
        | match access {
            Access::Load => 0,
            Access::Store => 1,
            Access::Atomic { block_scope: false } => 2,
            Access::Atomic { block_scope: true } => 2 | ACCESS_HAS_BLOCK_SCOPE,
        }
}

/// Whether a scope is that of a block, to a detector that knows blocks and devices only.
pub(crate) fn is_block(scope: Scope) -> bool {
    matches!(scope, Scope::Cta | Scope::Cluster)
}

impl DevicePlan {
    /// The library that has its checks.
    pub fn library(self) -> Result<&'static Library, &'static TemplateError> {
        const IGUARD: &str = include_str!("../device/iguard.ptx");
        const SHIP: &str = include_str!("../device/ship.ptx");
        const ORDERED: &str = include_str!("../device/ordered.ptx");
        /// The device sources of a plan, read into templates when they are first asked for.
        macro_rules! library {
            ($($text:expr),+) => {{
                static LIBRARY: OnceLock<Result<Library, TemplateError>> = OnceLock::new();
                LIBRARY.get_or_init(|| Library::of(&[$($text),+]))
            }};
        }
        let library = match self {
            DevicePlan::Metadata(MetadataPlan { entries, is_ordered }) => {
                match (entries, is_ordered) {
                    (Entries::Usual, false) => library!(IGUARD),
                    (Entries::General(_), false) => {
                        library!(IGUARD, include_str!("../device/general.ptx"))
                    }
                    (Entries::Usual, true) => library!(IGUARD, SHIP, ORDERED),
                    (Entries::General(_), true) => library!(
                        IGUARD,
                        SHIP,
                        ORDERED,
                        include_str!("../device/ordered_general.ptx")
                    ),
                }
            }
            DevicePlan::HappensBefore | DevicePlan::HappensBeforeInSlots => {
                library!(include_str!("../device/hb.ptx"))
            }
            DevicePlan::Sets(SetScheme::Lazy) => library!(include_str!("../device/curd.ptx")),
            DevicePlan::Sets(SetScheme::Eager) => {
                library!(include_str!("../device/curd_eager.ptx"))
            }
            DevicePlan::Copies(_) => library!(include_str!("../device/ld.ptx")),
            DevicePlan::Ship(_) => library!(SHIP, include_str!("../device/asynchronous.ptx")),
            DevicePlan::Measure(_) => library!(include_str!("../device/bare.ptx")),
        };
        library.as_ref()
    }

    /// The template of this name. [`instrument`](crate::instrument) refuses a kernel whose library is broken, so that no
    /// check can be left out for that.
    pub(crate) fn template(self, name: &str) -> Option<&'static Template> {
        self.library().ok()?.get(name)
    }

    /// The check of an access of so many words of four bytes.
    pub(crate) fn access(
        self,
        access: Access,
        words: u32,
        with_locks: bool,
    ) -> Option<&'static Template> {
        let words = words.max(1);
        let name = match self {
            DevicePlan::Measure(Measure::Lookup) => format!("ws_lookup_{words}"),
            DevicePlan::Measure(Measure::Traffic) => format!("ws_traffic_{words}"),
            // These have templates of their own, in `shipping/`, `happens_before/` and `sets/`.
            DevicePlan::Metadata(MetadataPlan { is_ordered: true, .. })
            | DevicePlan::HappensBefore
            | DevicePlan::HappensBeforeInSlots
            | DevicePlan::Ship(_)
            | DevicePlan::Sets(_)
            | DevicePlan::Copies(_) => return None,
            DevicePlan::Metadata(MetadataPlan { entries: Entries::General(_), .. }) => {
                "ws_general_access".to_owned()
            }
            DevicePlan::Metadata(MetadataPlan { entries: Entries::Usual, .. }) => {
                let locked = if with_locks { "locked_" } else { "" };
                let kind = match access {
                    Access::Load => "load",
                    Access::Store => "store",
                    Access::Atomic { block_scope: false } => "atomic",
                    Access::Atomic { block_scope: true } => "block_atomic",
                };
                format!("ws_iguard_{locked}{kind}_{words}")
            }
        };
        self.template(&name)
    }

    /// What is expanded at a step; nothing if the detector does not care.
    pub(crate) fn step(
        self,
        step: SynchronisationStep,
        with_locks: bool,
    ) -> Option<&'static Template> {
        if !self.has_metadata() {
            return None;
        }
        let name = match step {
            SynchronisationStep::Fence { device } => match (with_locks, device) {
                (false, true) => "ws_iguard_device_fence",
                (false, false) => "ws_iguard_block_fence",
                (true, true) => "ws_iguard_locked_device_fence",
                (true, false) => "ws_iguard_locked_block_fence",
            },
            SynchronisationStep::Swap { block_scope: false } => "ws_iguard_swap",
            SynchronisationStep::Swap { block_scope: true } => "ws_iguard_block_swap",
            SynchronisationStep::Exchange { block_scope: false } => "ws_iguard_exchange",
            SynchronisationStep::Exchange { block_scope: true } => "ws_iguard_block_exchange",
            SynchronisationStep::BlockBarrier => "ws_iguard_block_barrier",
            SynchronisationStep::PartialBarrier => "ws_iguard_partial_barrier",
            SynchronisationStep::WarpBarrier => "ws_iguard_warp_barrier",
            SynchronisationStep::BeginWithFences => "ws_iguard_begin_with_fences",
            SynchronisationStep::BeginWithLocks => "ws_iguard_begin_with_locks",
        };
        self.template(name)
    }

    /// Refreshes what a lane knows of its warp, before an access, where lanes of a warp meet in parts.
    pub(crate) fn refresh(self) -> Option<&'static Template> {
        if !self.has_metadata() || self.is_ordered() {
            return None;
        }
        self.template("ws_iguard_refresh")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn every_check_has_its_template() {
        let accesses = [
            Access::Load,
            Access::Store,
            Access::Atomic { block_scope: false },
            Access::Atomic { block_scope: true },
        ];
        let usual = MetadataPlan::USUAL;
        let general = MetadataPlan { entries: Entries::General(Shape::default()), ..usual };
        let measured = [Measure::Lookup, Measure::Traffic].map(DevicePlan::Measure);
        let unordered = [usual, general].map(DevicePlan::Metadata);
        for plan in measured.into_iter().chain(unordered) {
            for access in accesses {
                for words in [1, 2, 4] {
                    for with_locks in [false, true] {
                        let template = plan.access(access, words, with_locks);
                        assert!(template.is_some(), "{plan:?} {access:?} {words} {with_locks}");
                    }
                }
            }
        }
        let steps = [
            SynchronisationStep::Fence { device: true },
            SynchronisationStep::Fence { device: false },
            SynchronisationStep::Swap { block_scope: false },
            SynchronisationStep::Swap { block_scope: true },
            SynchronisationStep::Exchange { block_scope: false },
            SynchronisationStep::Exchange { block_scope: true },
            SynchronisationStep::BlockBarrier,
            SynchronisationStep::PartialBarrier,
            SynchronisationStep::WarpBarrier,
            SynchronisationStep::BeginWithFences,
            SynchronisationStep::BeginWithLocks,
        ];
        for step in steps {
            for with_locks in [false, true] {
                for metadata in [usual, general, usual.ordered(), general.ordered()] {
                    let plan = DevicePlan::Metadata(metadata);
                    assert!(plan.step(step, with_locks).is_some(), "{plan:?} {step:?}");
                }
            }
        }
        assert!(unordered.iter().all(|plan| plan.refresh().is_some()));
    }
}
