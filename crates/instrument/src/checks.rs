//! Which check an operation gets.

use crate::template::{Library, Template};
use std::sync::OnceLock;
use warpsan_model::Scope;

/// The checks of one detector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Checks {
    /// iGUARD's.
    Iguard,
    /// iGUARD's, for entries of any shape.
    General,
    /// iGUARD's, one operation of the device after the other, each told to the host.
    Ordered,
    /// The same, for entries of any shape.
    OrderedGeneral,
    /// CURD's sets.
    Curd,
    /// The same, and entries are compared as soon as they are there.
    EagerCurd,
    /// None: the host is told of every operation, and checks.
    Told,
    /// The same, without loads of what a thread has accessed in the same basic block.
    ToldOnce,
    /// None: metadata is looked up and not used. What instrumentation itself costs.
    Lookup,
    /// None: metadata is read and written. What its traffic costs.
    Traffic,
}

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

/// Something other than an access that checks hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
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

impl Checks {
    /// The name, in caches and statistics.
    pub fn name(self) -> &'static str {
        match self {
            Checks::Iguard => "iguard",
            Checks::General => "general",
            Checks::Ordered => "ordered",
            Checks::OrderedGeneral => "ordered-general",
            Checks::Curd => "curd",
            Checks::EagerCurd => "eager-curd",
            Checks::Told => "told",
            Checks::ToldOnce => "told-once",
            Checks::Lookup => "lookup",
            Checks::Traffic => "traffic",
        }
    }

    /// Whether iGUARD's metadata is kept on the device.
    pub fn has_metadata(self) -> bool {
        self == Checks::Iguard || self.is_general() || self.is_ordered()
    }

    /// Whether threads have sets on the device.
    pub fn has_sets(self) -> bool {
        matches!(self, Checks::Curd | Checks::EagerCurd)
    }

    /// Whether the metadata's entries may be of any shape.
    pub fn is_general(self) -> bool {
        matches!(self, Checks::General | Checks::OrderedGeneral)
    }

    /// Whether operations are checked and told one after the other.
    pub fn is_ordered(self) -> bool {
        matches!(self, Checks::Ordered | Checks::OrderedGeneral)
    }

    /// Whether the host is told of every operation.
    pub fn tells(self) -> bool {
        self.only_tells() || self.is_ordered()
    }

    /// Whether that is all, and nothing is kept on the device.
    pub fn only_tells(self) -> bool {
        matches!(self, Checks::Told | Checks::ToldOnce)
    }

    /// The checks of kernels that these are not for: what CURD's sets do not know the host is told of, and CURD there mostly gives it to
    /// Barracuda, as its thesis has it.
    pub fn fallback(self) -> Option<Checks> {
        self.has_sets().then_some(Checks::ToldOnce)
    }

    /// Whether the host may be told of the operations of some kernels.
    pub fn may_tell(self) -> bool {
        self.tells() || self.fallback().is_some_and(Checks::tells)
    }

    /// The library that has them.
    pub fn library(self) -> &'static Library {
        static IGUARD: OnceLock<Library> = OnceLock::new();
        static GENERAL: OnceLock<Library> = OnceLock::new();
        static ORDERED: OnceLock<Library> = OnceLock::new();
        static ORDERED_GENERAL: OnceLock<Library> = OnceLock::new();
        static CURD: OnceLock<Library> = OnceLock::new();
        static EAGER_CURD: OnceLock<Library> = OnceLock::new();
        static TOLD: OnceLock<Library> = OnceLock::new();
        static BARE: OnceLock<Library> = OnceLock::new();
        match self {
            Checks::Iguard => {
                IGUARD.get_or_init(|| Library::of(include_str!("../device/iguard.ptx")))
            }
            Checks::General => GENERAL.get_or_init(|| {
                Library::of(concat!(
                    include_str!("../device/iguard.ptx"),
                    include_str!("../device/general.ptx")
                ))
            }),
            Checks::Curd => CURD.get_or_init(|| Library::of(include_str!("../device/curd.ptx"))),
            Checks::EagerCurd => {
                EAGER_CURD.get_or_init(|| Library::of(include_str!("../device/curd_eager.ptx")))
            }
            Checks::Told | Checks::ToldOnce => TOLD.get_or_init(|| {
                Library::of(concat!(
                    include_str!("../device/ship.ptx"),
                    include_str!("../device/asynchronous.ptx")
                ))
            }),
            Checks::Ordered => ORDERED.get_or_init(|| {
                Library::of(concat!(
                    include_str!("../device/iguard.ptx"),
                    include_str!("../device/ship.ptx"),
                    include_str!("../device/ordered.ptx")
                ))
            }),
            Checks::OrderedGeneral => ORDERED_GENERAL.get_or_init(|| {
                Library::of(concat!(
                    include_str!("../device/iguard.ptx"),
                    include_str!("../device/ship.ptx"),
                    include_str!("../device/ordered.ptx"),
                    include_str!("../device/ordered_general.ptx")
                ))
            }),
            Checks::Lookup | Checks::Traffic => {
                BARE.get_or_init(|| Library::of(include_str!("../device/bare.ptx")))
            }
        }
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
            Checks::Lookup => format!("ws_lookup_{words}"),
            Checks::Traffic => format!("ws_traffic_{words}"),
            Checks::General => "ws_general_access".to_owned(),
            // These are told, each in its own way.
            Checks::Ordered | Checks::OrderedGeneral => return None,
            Checks::Told | Checks::ToldOnce | Checks::Curd | Checks::EagerCurd => return None,
            Checks::Iguard => {
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
        self.library().get(&name)
    }

    /// What is expanded at a step; nothing if the detector does not care.
    pub(crate) fn step(self, step: Step, with_locks: bool) -> Option<&'static Template> {
        if !self.has_metadata() {
            return None;
        }
        let name = match step {
            Step::Fence { device } => match (with_locks, device) {
                (false, true) => "ws_iguard_device_fence",
                (false, false) => "ws_iguard_block_fence",
                (true, true) => "ws_iguard_locked_device_fence",
                (true, false) => "ws_iguard_locked_block_fence",
            },
            Step::Swap { block_scope: false } => "ws_iguard_swap",
            Step::Swap { block_scope: true } => "ws_iguard_block_swap",
            Step::Exchange { block_scope: false } => "ws_iguard_exchange",
            Step::Exchange { block_scope: true } => "ws_iguard_block_exchange",
            Step::BlockBarrier => "ws_iguard_block_barrier",
            Step::PartialBarrier => "ws_iguard_partial_barrier",
            Step::WarpBarrier => "ws_iguard_warp_barrier",
            Step::BeginWithFences => "ws_iguard_begin_with_fences",
            Step::BeginWithLocks => "ws_iguard_begin_with_locks",
        };
        self.library().get(name)
    }

    /// Refreshes what a lane knows of its warp, before an access, where lanes of a warp meet in parts.
    pub(crate) fn refresh(self) -> Option<&'static Template> {
        if !matches!(self, Checks::Iguard | Checks::General) {
            return None;
        }
        self.library().get("ws_iguard_refresh")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_its_template() {
        let accesses = [
            Access::Load,
            Access::Store,
            Access::Atomic { block_scope: false },
            Access::Atomic { block_scope: true },
        ];
        for checks in [Checks::Iguard, Checks::General, Checks::Lookup, Checks::Traffic] {
            for access in accesses {
                for words in [1, 2, 4] {
                    for with_locks in [false, true] {
                        let template = checks.access(access, words, with_locks);
                        assert!(template.is_some(), "{checks:?} {access:?} {words} {with_locks}");
                    }
                }
            }
        }
        let steps = [
            Step::Fence { device: true },
            Step::Fence { device: false },
            Step::Swap { block_scope: false },
            Step::Swap { block_scope: true },
            Step::Exchange { block_scope: false },
            Step::Exchange { block_scope: true },
            Step::BlockBarrier,
            Step::PartialBarrier,
            Step::WarpBarrier,
            Step::BeginWithFences,
            Step::BeginWithLocks,
        ];
        for step in steps {
            for with_locks in [false, true] {
                for checks in
                    [Checks::Iguard, Checks::General, Checks::Ordered, Checks::OrderedGeneral]
                {
                    assert!(checks.step(step, with_locks).is_some(), "{checks:?} {step:?}");
                }
            }
        }
        assert!(Checks::Iguard.refresh().is_some() && Checks::General.refresh().is_some());
    }
}
