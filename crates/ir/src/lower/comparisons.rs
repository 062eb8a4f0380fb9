use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{BoolOp, Compare, Op, Predicate, Type};
use warpsan_ptx::{Instruction, Operand, Span};

type Guard = Option<(Predicate, bool)>;
type Combine = Option<(BoolOp, Predicate, bool)>;

impl<'a> Lowerer<'a> {
    /// `setp` and `set`.
    pub(super) fn comparison(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let to_predicate = instruction.opcode() == "setp";
        let mut words = Modifiers::new(instruction.modifiers());
        let flush = words.take("ftz");
        let first = words.rest().first().copied();
        let Some(compare) = words.take_map(compare) else { return self.not_supported(instruction) };
        let combine_op = words.take_map(|word| {
            Some(match word {
                "and" => BoolOp::And,
                "or" => BoolOp::Or,
                "xor" => BoolOp::Xor,
                _ => return None,
            })
        });
        let result = if to_predicate { Some(Type::Pred) } else { words.take_type() };
        let ty = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (Some(result), Some(ty)) = (result, ty) else { return self.malformed(instruction) };
        let is_packed = matches!(ty, Type::F16x2 | Type::Bf16x2);
        let for_floats = !matches!(
            compare,
            Compare::Eq | Compare::Ne | Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge
        );
        if for_floats && !ty.is_float() && !is_packed {
            return self.malformed(instruction);
        }
        // `lo`, `ls`, `hi`, `hs` are comparisons of unsigned values by name.
        let unsigned_name = first.is_some_and(|word| matches!(word, "lo" | "ls" | "hi" | "hs"));
        if unsigned_name && ty.is_signed() {
            return self.malformed(instruction);
        }
        let (to, a, b, combine) = match (combine_op, instruction.operands) {
            (None, [to, a, b]) => (to, a, b, None),
            (Some(op), [to, a, b, by]) => {
                let (by, negated) = self.condition(by, span)?;
                (to, a, b, Some((op, by, negated)))
            }
            _ => return self.malformed(instruction),
        };
        let (a, b) = (self.value(a, ty, span)?, self.value(b, ty, span)?);
        let combine: Combine = combine;
        let op = if to_predicate {
            let (to, complement) = match to {
                Operand::Pair((to, complement)) => {
                    (self.wanted_predicate(to, span)?, self.wanted_predicate(complement, span)?)
                }
                to => (Some(self.predicate(to, span)?), None),
            };
            if is_packed {
                let (low, high) = (to, complement);
                Op::SetPredicatePair { compare, ty, flush, low, high, a, b, combine }
            } else {
                Op::SetPredicate { compare, ty, flush, to, complement, a, b, combine }
            }
        } else {
            let to = self.register(to, span)?;
            Op::SetValue { compare, result, ty, flush, to, a, b, combine }
        };
        self.push(span, guard, op).map(drop)
    }

    /// A predicate, or none where the result is not wanted.
    fn wanted_predicate(&mut self, operand: &Operand<'a>, span: Span) -> Lower<Option<Predicate>> {
        match operand {
            Operand::Ignored => Ok(None),
            other => self.predicate(other, span).map(Some),
        }
    }
}

/// The comparison of this name.
pub(super) fn compare(word: &str) -> Option<Compare> {
    Some(match word {
        "eq" => Compare::Eq,
        "ne" => Compare::Ne,
        "lt" | "lo" => Compare::Lt,
        "le" | "ls" => Compare::Le,
        "gt" | "hi" => Compare::Gt,
        "ge" | "hs" => Compare::Ge,
        "equ" => Compare::EqUnordered,
        "neu" => Compare::NeUnordered,
        "ltu" => Compare::LtUnordered,
        "leu" => Compare::LeUnordered,
        "gtu" => Compare::GtUnordered,
        "geu" => Compare::GeUnordered,
        "num" => Compare::Num,
        "nan" => Compare::Nan,
        _ => return None,
    })
}
