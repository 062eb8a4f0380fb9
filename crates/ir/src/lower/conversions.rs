use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{Mode, Op, Predicate, Rounding, Type, Value};
use warpsan_ptx::Instruction;

type Guard = Option<(Predicate, bool)>;

impl<'a> Lowerer<'a> {
    /// `cvt`
    pub(super) fn convert(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let rounding = words.take_map(|word| {
            Some(match word {
                "rn" | "rni" => (Rounding::Nearest, word == "rni"),
                "rz" | "rzi" => (Rounding::Zero, word == "rzi"),
                "rm" | "rmi" => (Rounding::Down, word == "rmi"),
                "rp" | "rpi" => (Rounding::Up, word == "rpi"),
                "rna" => (Rounding::NearestAway, false),
                _ => return None,
            })
        });
        let (rounding, integral) = rounding.unwrap_or_default();
        let mode = Mode {
            rounding,
            flush: words.take("ftz"),
            saturate: words.take("sat"),
            saturate_finite: words.take("satfinite"),
            relu: words.take("relu"),
            ..Mode::default()
        };
        let (to_type, from_type) = (words.take_type(), words.take_type());
        self.nothing_left(instruction, &words)?;
        let (Some(to_type), Some(from_type)) = (to_type, from_type) else {
            return self.malformed(instruction);
        };
        let op = match instruction.operands {
            [to, from] => {
                let to = self.register(to, span)?;
                let from = self.value(from, from_type, span)?;
                Op::Convert { from_type, to_type, mode, integral, to, from }
            }
            [to, high, low] if to_type.is_packed() && !from_type.is_packed() => {
                let to = self.register(to, span)?;
                let high = self.value(high, from_type, span)?;
                let low = self.value(low, from_type, span)?;
                Op::ConvertPair { from_type, to_type, mode, to, high, low }
            }
            _ => return self.malformed(instruction),
        };
        self.push(span, guard, op).map(drop)
    }

    /// `cvt.pack`
    pub(super) fn convert_pack(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::after_name(instruction);
        let saturates = words.take("sat");
        let narrow = words.take_map(|word| {
            Some(match word {
                "u2" => (Type::U8, 2),
                "s2" => (Type::S8, 2),
                "u4" => (Type::U8, 4),
                "s4" => (Type::S8, 4),
                _ => return None,
            })
        });
        let to_type = match narrow {
            Some(narrow) => Some(narrow),
            None => words.take_type().map(|ty| (ty, ty.bits())),
        };
        let from_type = words.take_type();
        let third = words.take_type();
        self.nothing_left(instruction, &words)?;
        let (true, Some((to_type, to_bits)), Some(from_type)) = (saturates, to_type, from_type)
        else {
            return self.malformed(instruction);
        };
        let (to, a, b, rest) = match (instruction.operands, third) {
            ([to, a, b], None) => (to, a, b, None),
            ([to, a, b, rest], Some(_)) => (to, a, b, Some(rest)),
            _ => return self.malformed(instruction),
        };
        let to = self.register(to, span)?;
        let (a, b) = (self.value(a, from_type, span)?, self.value(b, from_type, span)?);
        let rest = match rest {
            Some(rest) => self.value(rest, Type::B32, span)?,
            None => Value::Constant(0),
        };
        let op = Op::ConvertPack { to_type, to_bits, from_type, to, a, b, rest };
        self.push(span, guard, op).map(drop)
    }
}
