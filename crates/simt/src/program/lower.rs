//! Operations that the inner loop does not take: each becomes a [`RareOp`], or the kernel is refused. `translate.rs` asks here
//! for every operation that it has no code for, so none is skipped.

use super::matrix_form::MatrixForm;
use super::rare::{AddressOp, AtomicElement, Collective, RareAtomic, RareOp};
use super::rows_of;
use crate::exec::compute::ComputeOp;
use crate::exec::{atomic_function, reduction};
use warpsan_ir::{BarrierOp, Op, Value};

/// What a rare operation is to the engine; none if the engine does not have it.
pub(super) fn lower(op: Op) -> Option<RareOp> {
    Some(match op {
        Op::Exit => RareOp::Exit,
        Op::Trap => RareOp::Trap,
        Op::Yield => RareOp::Yield,
        Op::Nothing => RareOp::Nothing,
        Op::Return => RareOp::Return,
        Op::BranchIndexed { index, targets, reconverge } => {
            RareOp::BranchIndexed { index, targets, reconverge }
        }
        Op::BlockBarrier { op: BarrierOp::Popc { to, .. }, .. } if rows_of(to.bits) != 1 => {
            return None;
        }
        Op::BlockBarrier { op, barrier, threads, aligned } => {
            RareOp::BlockBarrier { op, barrier, threads, aligned }
        }
        Op::WarpBarrier { mask } => RareOp::WarpBarrier { mask },
        Op::ClusterBarrier { step, order, .. } => RareOp::ClusterBarrier { step, order },
        Op::Fence { order, scope } => RareOp::Fence { order, scope },
        Op::ProxyFence { proxy } => RareOp::ProxyFence { proxy },
        Op::WaitForPrerequisites => RareOp::WaitForPrerequisites,
        Op::ReadSpecial { to, special } => RareOp::ReadSpecial { to, special },
        Op::ActiveMask { to } => RareOp::ActiveMask { to },
        Op::Async(op) => RareOp::Async(op),
        Op::CallSubroutine(call) => RareOp::CallSubroutine(call),
        Op::System(call) => RareOp::System(call),
        Op::Atomic { op, ty, .. } | Op::AtomicVector { op, ty, .. }
            if !atomic_function::is_known(op, ty) =>
        {
            return None;
        }
        Op::Atomic { op, space, ty, strength, to, base, offset, a, b } => {
            let elements = vec![AtomicElement { to, a, b }];
            RareOp::Atomic(RareAtomic { op, space, ty, strength, base, offset, elements })
        }
        Op::AtomicVector { op, ty, strength, space, to, base, offset, from } => {
            let element = |(number, a): (usize, &Value)| AtomicElement {
                to: to.get(number).copied(),
                a: *a,
                b: None,
            };
            let elements = from.iter().enumerate().map(element).collect();
            RareOp::Atomic(RareAtomic { op, space, ty, strength, base, offset, elements })
        }
        Op::Shuffle { mode, to, valid, from, by, clamp, mask } => {
            RareOp::Collective(Collective::Shuffle { mode, to, valid, from, by, clamp, mask })
        }
        Op::Vote { mode, to_predicate, to_register, of, mask } => {
            RareOp::Collective(Collective::Vote { mode, to_predicate, to_register, of, mask })
        }
        Op::Match { all, to, valid, value, mask, .. } => {
            RareOp::Collective(Collective::Match { all, to, valid, value, mask })
        }
        Op::Redux { op, ty, .. } if !reduction::is_known(op, ty) => return None,
        Op::Redux { op, ty, mode, to, from, mask } => {
            let (abs, nan) = (mode.abs, mode.nan);
            RareOp::Collective(Collective::Redux { op, ty, abs, nan, to, from, mask })
        }
        Op::Elect { to, elected, mask } => {
            RareOp::Collective(Collective::Elect { to, elected, mask })
        }
        Op::Matrix(matrix) => {
            let form = Box::new(MatrixForm::of(&matrix)?);
            RareOp::Collective(Collective::Matrix { matrix, form })
        }
        Op::ConvertAddress { space, to_generic, to, from } => {
            RareOp::Address(AddressOp::Convert { space, to_generic, to, from })
        }
        Op::IsInSpace { space, to, address } => {
            RareOp::Address(AddressOp::IsInSpace { space, to, address })
        }
        Op::FrameAddress { to, offset, generic } => {
            RareOp::Address(AddressOp::Frame { to, offset, generic })
        }
        Op::MapAddress { generic, to, from, rank } => {
            RareOp::Address(AddressOp::Map { generic, to, from, rank })
        }
        Op::RankOfAddress { generic, to, from } => {
            RareOp::Address(AddressOp::RankOf { generic, to, from })
        }
        op @ (Op::Pack { .. }
        | Op::Unpack { .. }
        | Op::Extended { .. }
        | Op::BitFieldInsert { .. }
        | Op::SelectBySign { .. }
        | Op::SetValue { .. }
        | Op::SetPredicatePair { .. }
        | Op::TestFloat { .. }
        | Op::Convert { .. }
        | Op::ConvertPair { .. }
        | Op::ConvertPack { .. }
        | Op::Video(_)) => RareOp::Compute(ComputeOp::of(&op)?),
        // These have functions over lanes, if PTX has them with their types, or actions of the inner loop.
        Op::Move { .. }
        | Op::MovePredicate { .. }
        | Op::ConstantPredicate { .. }
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Select { .. }
        | Op::SetPredicate { .. }
        | Op::PredicateLogic { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Branch { .. } => return None,
        // Calls are expanded before; what is opaque has no meaning.
        Op::Call(_) | Op::Opaque(_) => return None,
    })
}
