//! The kinds of races: their names in reports and suppressions, what each means, and what helps against it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What is wrong, in one word. When several fit, the detector gives the first of the model's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceKind {
    /// No ordering at all.
    MissingSync,
    /// Synchronisation is there, its scope is too narrow.
    Scope,
    /// Then and else paths of one branch, or lanes that diverged.
    Divergence,
    /// Lanes of one warp that rely on lockstep.
    WarpSync,
    /// Strong accesses that overlap partly.
    MixedSize,
    /// Volatile accesses: a race in CUDA C++, not in PTX.
    Volatile,
    /// Unordered writes that store the same bytes.
    SameValue,
    /// A block barrier that some live threads never reach.
    BarrierDivergence,
    /// A read-only load of memory that the same launch writes.
    ReadonlyPath,
    /// Accesses whose locksets do not intersect.
    Lock,
    /// A flag or lock is handed over, but its fence, acquire or atomic update is missing.
    MissingFence,
    /// An asynchronous copy or an `mbarrier` is used wrongly.
    Async,
    /// Two launches, or a launch and a copy, that nothing orders.
    InterKernel,
    /// An access outside of the allocation that it was meant for, in another one. It is one access, not two.
    OutOfBounds,
    /// Two threads of a process, and nothing that orders their accesses.
    DataRace,
    /// One thread of a process frees memory, and nothing orders that with the access of another.
    UseAfterFree,
}

impl RaceKind {
    /// All kinds.
    pub const ALL: [RaceKind; 16] = [
        RaceKind::MissingSync,
        RaceKind::Scope,
        RaceKind::Divergence,
        RaceKind::WarpSync,
        RaceKind::MixedSize,
        RaceKind::Volatile,
        RaceKind::SameValue,
        RaceKind::BarrierDivergence,
        RaceKind::ReadonlyPath,
        RaceKind::Lock,
        RaceKind::MissingFence,
        RaceKind::Async,
        RaceKind::InterKernel,
        RaceKind::OutOfBounds,
        RaceKind::DataRace,
        RaceKind::UseAfterFree,
    ];

    /// The name in reports, suppressions and expectations.
    pub fn name(self) -> &'static str {
        match self {
            RaceKind::MissingSync => "missing-sync",
            RaceKind::Scope => "scope",
            RaceKind::Divergence => "divergence",
            RaceKind::WarpSync => "warp-sync",
            RaceKind::MixedSize => "mixed-size",
            RaceKind::Volatile => "volatile",
            RaceKind::SameValue => "same-value",
            RaceKind::BarrierDivergence => "barrier-divergence",
            RaceKind::ReadonlyPath => "readonly-path",
            RaceKind::Lock => "lock",
            RaceKind::MissingFence => "missing-fence",
            RaceKind::Async => "async",
            RaceKind::InterKernel => "inter-kernel",
            RaceKind::OutOfBounds => "out-of-bounds",
            RaceKind::DataRace => "data-race",
            RaceKind::UseAfterFree => "use-after-free",
        }
    }

    /// Which kind an entry is given when its occurrences have several: the lowest. It is the order of the race model,
    /// in which the first kind that fits is the most telling. Two kinds come behind all others, because they speak of
    /// all occurrences: `same-value` says that nobody wrote anything else, `volatile` that nothing else is wrong.
    pub fn precedence(self) -> u32 {
        match self {
            RaceKind::InterKernel => 0,
            RaceKind::ReadonlyPath => 1,
            RaceKind::Async => 2,
            RaceKind::Lock => 3,
            RaceKind::MissingFence => 4,
            RaceKind::Scope => 5,
            RaceKind::Divergence => 6,
            RaceKind::WarpSync => 7,
            RaceKind::MixedSize => 8,
            RaceKind::MissingSync => 9,
            RaceKind::BarrierDivergence => 10,
            RaceKind::OutOfBounds => 11,
            RaceKind::SameValue => 12,
            RaceKind::Volatile => 13,
            // Threads of a process are never in one entry with kernels; of theirs, a free is the more telling one.
            RaceKind::UseAfterFree => 14,
            RaceKind::DataRace => 15,
        }
    }

    /// Whether it is about threads of a process, and not about kernels.
    pub fn is_of_threads(self) -> bool {
        matches!(self, RaceKind::DataRace | RaceKind::UseAfterFree)
    }

    /// The kind with this name.
    pub fn of_name(name: &str) -> Option<RaceKind> {
        RaceKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What it is, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            RaceKind::MissingSync => {
                "Two threads access the same memory, one of them writes, and nothing orders the two."
            }
            RaceKind::Scope => {
                "There is synchronisation between the two accesses, but its scope is too narrow to reach both threads."
            }
            RaceKind::Divergence => {
                "Lanes of one warp access the same memory on different paths of a branch, in no order."
            }
            RaceKind::WarpSync => {
                "Lanes of one warp access the same memory and rely on running in lockstep, which the language does not promise."
            }
            RaceKind::MixedSize => {
                "Two atomic or otherwise strong accesses overlap only partly, so that neither is atomic for the other."
            }
            RaceKind::Volatile => {
                "Accesses by different threads are ordered only by `volatile`, which is a race in CUDA C++ though not in PTX."
            }
            RaceKind::SameValue => {
                "Several threads write the same value to the same memory, in no order."
            }
            RaceKind::BarrierDivergence => {
                "Some threads of a block wait at a barrier that other live threads never reach."
            }
            RaceKind::ReadonlyPath => {
                "Memory is read by a read-only load while the same launch writes it."
            }
            RaceKind::Lock => {
                "The same memory is accessed under different locks, or under a lock on one side only."
            }
            RaceKind::MissingFence => {
                "A flag or lock hands data over, but a fence, an acquire or an atomic update is missing in the hand-over."
            }
            RaceKind::Async => {
                "An asynchronous copy, or the barrier object that tracks it, is not waited for as it must be."
            }
            RaceKind::InterKernel => {
                "Two launches, or a launch and a copy, access the same memory, and no stream, event or synchronisation orders them."
            }
            RaceKind::OutOfBounds => {
                "An access by a pointer that a kernel was given is outside of the memory that the pointer points into, and in other memory."
            }
            RaceKind::DataRace => {
                "Two threads of a process access the same memory, one of them writes, and nothing orders the two."
            }
            RaceKind::UseAfterFree => {
                "A thread of a process frees memory that another thread accesses, and nothing orders the two."
            }
        }
    }

    /// What usually helps.
    pub fn remedy(self) -> &'static str {
        match self {
            RaceKind::MissingSync => {
                "Within a block, put __syncthreads() between the two accesses. Between blocks, use atomic operations with a fence, a grid-wide barrier, or two launches."
            }
            RaceKind::Scope => {
                "Widen the scope: __threadfence() in place of __threadfence_block(), cuda::thread_scope_device in place of cuda::thread_scope_block, atomicAdd in place of atomicAdd_block."
            }
            RaceKind::Divergence | RaceKind::WarpSync => {
                "Put __syncwarp() between the two accesses, with a mask that names both lanes. Shuffles and votes make lanes wait, but order no memory."
            }
            RaceKind::MixedSize => "Access the memory with one size, aligned to it, everywhere.",
            RaceKind::Volatile => {
                "Use cuda::atomic_ref or an atomic function in place of `volatile`; add a fence where data is handed over."
            }
            RaceKind::SameValue => {
                "Let one thread write, or use a relaxed atomic store. The compiler may rely on there being no second writer."
            }
            RaceKind::BarrierDivergence => {
                "Move the barrier out of the branch, or let all live threads of the block reach it."
            }
            RaceKind::ReadonlyPath => {
                "Take away __ldg(), or `const __restrict__`, from the pointer; or write the memory in an earlier launch."
            }
            RaceKind::Lock => "Hold the same lock on both sides.",
            RaceKind::MissingFence => {
                "Writer: data, __threadfence(), then the flag by an atomic or release store. Reader: the flag by an atomic or acquire load, __threadfence(), then the data."
            }
            RaceKind::Async => {
                "Wait for the copy (wait_group, wait_all or the mbarrier that tracks it), then synchronise with the other threads. Before a bulk copy reads what threads wrote, use fence.proxy.async."
            }
            RaceKind::InterKernel => {
                "Use one stream for both, or let the second wait for an event of the first."
            }
            RaceKind::OutOfBounds => {
                "Compare the index with the number of elements before the access, or allocate as much as the kernel uses."
            }
            RaceKind::DataRace => {
                "Hold the same lock on both sides, make both accesses atomic, or let one thread wait for the other."
            }
            RaceKind::UseAfterFree => {
                "Let the thread that frees the memory wait until no other uses it: join the others first, or count the users."
            }
        }
    }
}

impl fmt::Display for RaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form_and_read_back() {
        for kind in RaceKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(RaceKind::of_name(kind.name()), Some(kind));
        }
        assert_eq!(RaceKind::of_name("Scope"), None);
    }
}
