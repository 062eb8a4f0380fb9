//! Video instructions.

use super::comparisons::compare;
use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{Op, Predicate, Type, Video, VideoOp, VideoSecond, VideoSource};
use warpsan_ptx::{Instruction, Operand};

/// The names of the operations, without the number of parts behind them.
const NAMES: [(&str, VideoOp); 9] = [
    ("vadd", VideoOp::Add),
    ("vsub", VideoOp::Sub),
    ("vabsdiff", VideoOp::AbsoluteDifference),
    ("vmin", VideoOp::Min),
    ("vmax", VideoOp::Max),
    ("vavrg", VideoOp::Average),
    ("vshl", VideoOp::ShiftLeft),
    ("vshr", VideoOp::ShiftRight),
    ("vmad", VideoOp::MultiplyAdd),
];

/// The operation and the number of parts; a comparison has its operation in a word of its own.
fn parse(name: &str) -> Option<(Option<VideoOp>, u8)> {
    let (stem, parts) = match name.as_bytes().last() {
        Some(b'2') => (&name[..name.len() - 1], 2),
        Some(b'4') => (&name[..name.len() - 1], 4),
        _ => (name, 1),
    };
    if stem == "vset" {
        return Some((None, parts));
    }
    NAMES.iter().find(|(known, _)| *known == stem).map(|(_, op)| (Some(*op), parts))
}

/// Whether this is one of them.
pub(super) fn is_video(name: &str) -> bool {
    parse(name).is_some()
}

impl<'a> Lowerer<'a> {
    pub(super) fn video(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Option<(Predicate, bool)>,
    ) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        let Some((op, parts)) = parse(instruction.opcode()) else {
            return self.not_supported(instruction);
        };
        // Comparisons give unsigned results; the others name a type for them first.
        let (op, ty) = match op {
            Some(op) => (Some(op), words.take_type()),
            None => (words.take_map(compare).map(VideoOp::Set), Some(Type::U32)),
        };
        let (a_type, b_type) = (words.take_type(), words.take_type());
        let saturate = words.take("sat");
        let plus_one = words.take("po");
        let shift = if words.take("shr7") {
            7
        } else if words.take("shr15") {
            15
        } else {
            0
        };
        let wrap = words.take("wrap");
        words.take("clamp");
        let second = words.take_map(|word| match word {
            "add" => Some(VideoSecond::Add),
            "min" => Some(VideoSecond::Min),
            "max" => Some(VideoSecond::Max),
            _ => None,
        });
        self.nothing_left(instruction, &words)?;
        let (Some(op), Some(ty), Some(a_type), Some(b_type)) = (op, ty, a_type, b_type) else {
            return self.malformed(instruction);
        };
        let [to, a, b, rest @ ..] = instruction.operands else {
            return self.malformed(instruction);
        };
        let (to, selector) = split(to);
        let Some(selector) = Selector::parse(selector, parts) else {
            return self.malformed(instruction);
        };
        let mut write_mask = (1u8 << parts) - 1;
        let second = match (second, selector) {
            (second, Selector::Everything) => second.unwrap_or(VideoSecond::None),
            (None, Selector::Part(part)) => VideoSecond::Merge { part },
            (second, Selector::Parts(selected)) => {
                write_mask = selected.iter().fold(0, |mask, part| mask | 1 << part);
                second.unwrap_or(VideoSecond::None)
            }
            _ => return self.malformed(instruction),
        };
        let to = self.register(&to, span)?;
        let a = self.video_source(instruction, a, a_type, parts, 0)?;
        let b = self.video_source(instruction, b, b_type, parts, parts)?;
        let (c, c_negated) = match rest {
            [] if parts == 1 && second == VideoSecond::None && op != VideoOp::MultiplyAdd => {
                (None, false)
            }
            [c] => {
                let (c, negated) = without_sign(c);
                (Some(self.value(&c, ty, span)?), negated)
            }
            _ => return self.malformed(instruction),
        };
        let video = Video {
            op,
            parts,
            ty,
            saturate,
            write_mask,
            second,
            shift,
            plus_one,
            wrap,
            to,
            a,
            b,
            c,
            c_negated,
        };
        self.push(span, guard, Op::Video(Box::new(video))).map(drop)
    }

    /// An operand with what is selected of it; `first` is its own first part among those of both.
    fn video_source(
        &mut self,
        instruction: &Instruction<'a>,
        operand: &Operand<'a>,
        ty: Type,
        parts: u8,
        first: u8,
    ) -> Lower<VideoSource> {
        let (operand, negated) = without_sign(operand);
        let (operand, selector) = split(&operand);
        let (part, selection): (_, Vec<u8>) = match Selector::parse(selector, parts) {
            Some(Selector::Everything) if parts == 1 => ((0, 32), Vec::new()),
            Some(Selector::Everything) => ((0, 32), (first..first + parts).collect()),
            Some(Selector::Part(part)) => (part, Vec::new()),
            Some(Selector::Parts(selected)) if selected.len() == usize::from(parts) => {
                ((0, 32), selected)
            }
            _ => return self.malformed(instruction),
        };
        let value = self.value(&operand, ty, instruction.span)?;
        let selection = selection.into_boxed_slice();
        Ok(VideoSource { value, signed: ty.is_signed(), part, selection, negated })
    }
}

/// What stands behind the dot of an operand.
enum Selector {
    /// Nothing.
    Everything,
    /// One part of a scalar operand: first bit and width.
    Part((u8, u8)),
    /// Parts of packed operands, lowest first.
    Parts(Vec<u8>),
}

impl Selector {
    fn parse(text: Option<&str>, parts: u8) -> Option<Selector> {
        let Some(text) = text else { return Some(Selector::Everything) };
        let (kind, digits) = text.split_at_checked(1)?;
        let mut numbers = Vec::new();
        for digit in digits.chars().rev() {
            numbers.push(digit.to_digit(8)? as u8);
        }
        match (kind, parts, &numbers[..]) {
            ("b", 1, [byte @ 0..=3]) => Some(Selector::Part((byte * 8, 8))),
            ("h", 1, [half @ 0..=1]) => Some(Selector::Part((half * 16, 16))),
            ("h", 2, [_, ..]) if numbers.iter().all(|part| *part < 4) => {
                Some(Selector::Parts(numbers))
            }
            ("b", 4, [_, ..]) => Some(Selector::Parts(numbers)),
            _ => None,
        }
    }
}

/// A register and the selector behind its dot.
fn split<'a>(operand: &Operand<'a>) -> (Operand<'a>, Option<&'a str>) {
    if let Operand::Name(name) = operand
        && let Some((register, selector)) = name.rsplit_once('.')
        && selector.len() > 1
    {
        return (Operand::Name(register), Some(selector));
    }
    (*operand, None)
}

/// An operand without the minus in front of it.
fn without_sign<'a>(operand: &Operand<'a>) -> (Operand<'a>, bool) {
    match operand {
        Operand::Negated(name) => (Operand::Name(name), true),
        other => (*other, false),
    }
}
