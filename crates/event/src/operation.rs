//! What an instruction does, as far as detectors ask.
//!
//! Sites keep the text of their instruction, in memory and in trace files. [`Operation::of_instruction`]
//! is the one place that reads it: a replayed trace, whichever version wrote it, has the operations that the launch had.

use warpsan_model::{Order, Scope, Space};

/// What an instruction does. Modifiers that it does not have are none, not their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Which operation it is.
    pub kind: OperationKind,
    /// The state space that it names. Of several, as copies name them, shared memory.
    pub space: Option<Space>,
    /// Whether it is `.volatile` or `.mmio`.
    pub is_volatile: bool,
    /// Its memory order.
    pub order: Option<Order>,
    /// Its scope.
    pub scope: Option<Scope>,
}

/// Kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// `ld`, `ldu`.
    Load,
    /// `st`; `st.async` is [`OperationKind::Other`].
    Store,
    /// `atom`, `red`; `red.async` is [`OperationKind::Other`].
    Atomic(AtomicKind),
    /// `fence`, `membar`, but no fence of a proxy or of the initialisation of an `mbarrier`.
    Fence,
    /// `bar.sync` and its like.
    BlockBarrier {
        /// It names a number of threads, or does not wait.
        of_a_part: bool,
    },
    /// `bar.warp.sync`.
    WarpBarrier,
    /// `barrier.cluster`.
    ClusterBarrier,
    /// Anything else, and what is no instruction: a call of the API, an access of the host.
    Other,
}

/// Kinds of atomics, as far as they matter to locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomicKind {
    /// `.cas`
    CompareAndSwap,
    /// `.exch`
    Exchange,
    /// All others.
    Update,
}

impl Operation {
    /// A block barrier with a number of threads, or at which nobody waits.
    pub fn is_barrier_of_a_part(&self) -> bool {
        self.kind == OperationKind::BlockBarrier { of_a_part: true }
    }

    /// The operation of an instruction, from its PTX text.
    pub fn of_instruction(text: &str) -> Operation {
        let (opcode, operands) = split(text);
        let mut modifiers = opcode.split('.');
        let name = modifiers.next().unwrap_or_default();
        let has = |modifier: &str| modifiers.clone().any(|one| one == modifier);
        let kind = match name {
            "ld" | "ldu" => OperationKind::Load,
            "st" if !has("async") => OperationKind::Store,
            "atom" | "red" if has("cas") => OperationKind::Atomic(AtomicKind::CompareAndSwap),
            "atom" | "red" if has("exch") => OperationKind::Atomic(AtomicKind::Exchange),
            "atom" | "red" if !has("async") => OperationKind::Atomic(AtomicKind::Update),
            "fence" if has("proxy") || has("mbarrier_init") => OperationKind::Other,
            "fence" | "membar" => OperationKind::Fence,
            "bar" | "barrier" if has("warp") => OperationKind::WarpBarrier,
            "bar" | "barrier" if has("cluster") => OperationKind::ClusterBarrier,
            "bar" | "barrier" => {
                // `bar.sync a`, and `bar.red d, a, p`, are of the whole block; `b` behind `a` is a
                // number of threads.
                let whole = if has("red") { 3 } else { 1 };
                let of_a_part = has("arrive") || operands.split(',').count() > whole;
                OperationKind::BlockBarrier { of_a_part }
            }
            _ => OperationKind::Other,
        };
        let spaces = || modifiers.clone().filter_map(space);
        Operation {
            kind,
            space: spaces().find(|space| *space == Space::Shared).or_else(|| spaces().next()),
            is_volatile: has("volatile") || has("mmio"),
            order: modifiers.clone().find_map(Order::from_ptx),
            scope: modifiers.clone().find_map(Scope::from_ptx),
        }
    }

    /// Whether it acquires or releases, or both.
    pub fn acquires_or_releases(&self) -> bool {
        matches!(self.order, Some(Order::Acquire | Order::Release | Order::AcqRel))
    }

    /// Whether it names memory that other threads cannot write to.
    pub fn is_private(&self) -> bool {
        matches!(self.space, Some(Space::Local | Space::Const | Space::Param))
    }
}

/// The opcode with its modifiers, and the operands.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim().trim_end_matches(';');
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest),
        None => text,
    };
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

fn space(modifier: &str) -> Option<Space> {
    Some(match modifier.split("::").next()? {
        "global" => Space::Global,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "const" => Space::Const,
        "param" => Space::Param,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_from_instructions() {
        use OperationKind::{Atomic, BlockBarrier, ClusterBarrier, Fence, Load, Other, Store};
        let whole = BlockBarrier { of_a_part: false };
        let part = BlockBarrier { of_a_part: true };
        let kinds = [
            ("ld.global.u32 %r1, [%rd1];", Load),
            ("@!%p1 ld.volatile.shared.u32 %r1, [%r2];", Load),
            ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];", Other),
            ("@%p1 st.release.gpu.global.u32 [%rd1], %r1;", Store),
            ("st.async.weak.shared::cluster.u32 [%r1], %r2, [%r3];", Other),
            ("atom.global.cas.b32 %r1, [%rd1], 0, 1;", Atomic(AtomicKind::CompareAndSwap)),
            ("atom.acquire.gpu.exch.b32 %r1, [%rd1], 0;", Atomic(AtomicKind::Exchange)),
            ("red.global.add.u32 [%rd1], 1;", Atomic(AtomicKind::Update)),
            ("red.async.relaxed.cluster.shared::cluster.add.u32 [%r1], 1, [%r2];", Other),
            ("membar.gl;", Fence),
            ("fence.acq_rel.sys;", Fence),
            ("fence.proxy.async;", Other),
            ("fence.mbarrier_init.release.cluster;", Other),
            ("bar.sync 0;", whole),
            ("barrier.sync.aligned 1, 64;", part),
            ("bar.arrive 1, 64;", part),
            ("bar.red.popc.u32 %r1, 0, %p1;", whole),
            ("bar.red.popc.u32 %r1, 0, 64, %p1;", part),
            ("bar.warp.sync -1;", OperationKind::WarpBarrier),
            ("barrier.cluster.arrive.release;", ClusterBarrier),
            ("cudaMemcpy", Other),
            ("", Other),
            ("@%p1", Other),
        ];
        for (text, kind) in kinds {
            assert_eq!(Operation::of_instruction(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn modifiers_are_read_from_the_opcode_alone() {
        let operation = Operation::of_instruction("ld.acquire.sys.global.u32 %r1, [sys.volatile];");
        assert_eq!(
            operation,
            Operation {
                kind: OperationKind::Load,
                space: Some(Space::Global),
                is_volatile: false,
                order: Some(Order::Acquire),
                scope: Some(Scope::Sys),
            }
        );
        assert!(operation.acquires_or_releases() && !operation.is_private());
        let copy = Operation::of_instruction("cp.async.ca.shared::cta.global [%r1], [%rd1], 16;");
        assert_eq!(copy.space, Some(Space::Shared));
        assert!(Operation::of_instruction("ld.param::func.u32 %r1, [p];").is_private());
        assert!(Operation::of_instruction("ld.mmio.relaxed.sys.u32 %r1, [%rd1];").is_volatile);
        assert_eq!(Operation::of_instruction("fence.sc.gpu;").order, Some(Order::SeqCst));
        assert_eq!(Operation::of_instruction("membar.cta;").scope, Some(Scope::Cta));
    }
}
