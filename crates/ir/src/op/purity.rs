//! Operations that do nothing but compute.

use super::Op;

impl Op {
    /// Whether it does nothing but compute its results from its operands.
    pub(crate) fn is_pure(&self) -> bool {
        matches!(
            self,
            Op::Move { .. }
                | Op::MovePredicate { .. }
                | Op::ConstantPredicate { .. }
                | Op::Pack { .. }
                | Op::Unpack { .. }
                | Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Ternary { .. }
                | Op::Extended { .. }
                | Op::BitFieldInsert { .. }
                | Op::SelectBySign { .. }
                | Op::Select { .. }
                | Op::SetPredicate { .. }
                | Op::SetValue { .. }
                | Op::TestFloat { .. }
                | Op::PredicateLogic { .. }
                | Op::SetPredicatePair { .. }
                | Op::Convert { .. }
                | Op::ConvertPair { .. }
                | Op::ConvertPack { .. }
                | Op::Video(_)
                | Op::MapAddress { .. }
                | Op::RankOfAddress { .. }
                | Op::FrameAddress { .. }
                | Op::ConvertAddress { .. }
                | Op::IsInSpace { .. }
        )
    }
}
