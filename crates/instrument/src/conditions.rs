//! Conditions of speculated loads, as text.
//!
//! The compiler moves loads in front of the branch that the program has them in. Such a load is an access of the program only
//! under the branch's condition ([`Function::conditions`]), so it is checked under that condition only. What computes the
//! condition stands behind the load in the text; here it is repeated in front of it, with registers of its own.

use crate::operands::Rewritten;
use crate::refusal::{ConditionRefusal, Refusal};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use warpsan_ir::{
    BoolOp, ConditionStep, Function, LoadCondition, Meaning, Name, Op, Predicate, Value,
};
use warpsan_ptx::{Instruction, Statement};

/// The instructions of a function by their place in the text.
pub(crate) type InstructionsByPlace<'t> = HashMap<u32, &'t Instruction<'t>>;

/// Finds the instructions of a body, those in inner braces included.
pub(crate) fn instructions_of<'t>(
    statements: &'t [Statement<'t>],
    found: &mut InstructionsByPlace<'t>,
) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => {
                found.insert(instruction.span.start, instruction);
            }
            Statement::Block(block) => instructions_of(block.statements, found),
            _ => {}
        }
    }
}

/// Text that sets the predicate `result` to the condition of a load, or what of it cannot be written.
pub(crate) fn text_of(
    function: &Function,
    condition: &LoadCondition,
    instructions: &InstructionsByPlace<'_>,
    rewrite: &mut dyn FnMut(&Instruction<'_>) -> Result<Rewritten, Refusal>,
    result: &str,
) -> Result<String, ConditionRefusal> {
    let counts_if = function.code[condition.load as usize].counts_if;
    let (predicate, negated) = counts_if.ok_or(ConditionRefusal::NoPredicate)?;
    let mut writing = Writing {
        function,
        fresh: HashSet::new(),
        declarations: String::new(),
        text: String::new(),
    };
    for (at, step) in condition.steps.iter().enumerate() {
        match &step.repeats {
            None => writing.join(&step.op)?,
            // An instruction that takes several steps is written once, with the last of them.
            Some(repeats) => {
                let is_same = |other: &ConditionStep| {
                    other.repeats.as_ref().is_some_and(|other| other.span == repeats.span)
                };
                if condition.steps[at + 1..].iter().any(is_same) {
                    continue;
                }
                let group: Vec<&ConditionStep> =
                    condition.steps[..=at].iter().filter(|step| is_same(step)).collect();
                let instruction =
                    instructions.get(&repeats.span.start).ok_or(ConditionRefusal::NotInText)?;
                writing.repeat(instruction, &group, rewrite)?;
            }
        }
    }
    let found = writing.name(Name::Predicate(predicate.0))?;
    let operation = if negated { "not" } else { "mov" };
    let Writing { declarations, text, .. } = writing;
    Ok(format!("\t{{\n{declarations}{text}\t{operation}.pred {result}, {found};\n\t}}\n"))
}

/// A condition that is being written.
struct Writing<'f> {
    function: &'f Function,
    /// What was computed for the condition.
    fresh: HashSet<Name>,
    declarations: String,
    text: String,
}

impl Writing<'_> {
    /// The text for a register or predicate: one of ours if it was computed here, else the function's own.
    fn name(&self, name: Name) -> Result<String, ConditionRefusal> {
        if self.fresh.contains(&name) {
            return Ok(match name {
                Name::Register(number) => format!("%ws_v{number}"),
                Name::Predicate(number) => format!("%ws_q{number}"),
            });
        }
        let known = self.function.text_of(name);
        known.ok_or(ConditionRefusal::NamelessRegister)
    }

    /// Takes a name of ours for a result.
    fn result(&mut self, name: Name, bits: u8) -> Result<String, ConditionRefusal> {
        let is_new = self.fresh.insert(name);
        let text = self.name(name)?;
        if is_new {
            let _ = match name {
                Name::Register(_) => writeln!(self.declarations, "\t.reg .b{bits} {text};"),
                Name::Predicate(_) => writeln!(self.declarations, "\t.reg .pred {text};"),
            };
        }
        Ok(text)
    }

    /// Writes a step that joins what others computed.
    fn join(&mut self, op: &Op) -> Result<(), ConditionRefusal> {
        match op {
            Op::PredicateLogic { op, to, a, b } => {
                let (a, b) = (self.literal(*a)?, self.literal(*b)?);
                let to = self.result(Name::Predicate(to.0), 1)?;
                let word = match op {
                    BoolOp::And => "and",
                    BoolOp::Or => "or",
                    BoolOp::Xor => "xor",
                };
                let _ = writeln!(self.text, "\t{word}.pred {to}, {a}, {b};");
            }
            Op::ConstantPredicate { to, value } => {
                let to = self.result(Name::Predicate(to.0), 1)?;
                let compare = if *value { "eq" } else { "ne" };
                let _ = writeln!(self.text, "\tsetp.{compare}.u32 {to}, 0, 0;");
            }
            // Where a register is zero.
            Op::SetPredicate {
                compare: warpsan_ir::Compare::Eq,
                ty,
                to: Some(to),
                complement: None,
                a: Value::Register(a),
                b: Value::Constant(0),
                combine: None,
                ..
            } if [16, 32, 64].contains(&ty.bits()) => {
                let a = self.name(Name::Register(a.number))?;
                let to = self.result(Name::Predicate(to.0), 1)?;
                let _ = writeln!(self.text, "\tsetp.eq.b{} {to}, {a}, 0;", ty.bits());
            }
            _ => return Err(ConditionRefusal::NoText),
        }
        Ok(())
    }

    /// A predicate that may be negated; instructions on predicates take no negated ones.
    fn literal(
        &mut self,
        (predicate, negated): (Predicate, bool),
    ) -> Result<String, ConditionRefusal> {
        let plain = self.name(Name::Predicate(predicate.0))?;
        if !negated {
            return Ok(plain);
        }
        let text = format!("%ws_n{}", predicate.0);
        // The predicate does not change in between, so once is enough.
        let declaration = format!("\t.reg .pred {text};\n");
        if !self.declarations.contains(&declaration) {
            self.declarations.push_str(&declaration);
            let _ = writeln!(self.text, "\tnot.pred {text}, {plain};");
        }
        Ok(text)
    }

    /// Writes an instruction again, with the names that its operands have at the load.
    fn repeat(
        &mut self,
        instruction: &Instruction<'_>,
        group: &[&ConditionStep],
        rewrite: &mut dyn FnMut(&Instruction<'_>) -> Result<Rewritten, Refusal>,
    ) -> Result<(), ConditionRefusal> {
        let unwritten = || ConditionRefusal::NotRepeatable(instruction.mnemonic.text.to_owned());
        let repeats = || group.iter().filter_map(|step| step.repeats.as_ref());
        let reads: HashMap<Name, Name> = repeats().flat_map(|one| one.reads.clone()).collect();
        let writes: HashMap<Name, (Name, u8)> = repeats()
            .flat_map(|one| one.writes.iter().map(|(old, new, bits)| (*old, (*new, *bits))))
            .collect();
        let Rewritten { before, text, .. } =
            rewrite(instruction).map_err(|why| ConditionRefusal::Operand(Box::new(why)))?;
        let (mnemonic, operands) = text.split_once(char::is_whitespace).ok_or_else(unwritten)?;
        let (results, sources) = operands.split_at(end_of_first(operands));
        let sources = renamed(self.function, sources, |name| {
            reads.get(&name).and_then(|new| self.name(*new).ok())
        });
        let mut taken = Vec::new();
        let results = renamed(self.function, results, |name| {
            let (new, bits) = *writes.get(&name)?;
            taken.push((new, bits));
            Some(match new {
                Name::Register(number) => format!("%ws_v{number}"),
                Name::Predicate(number) => format!("%ws_q{number}"),
            })
        });
        let (results, sources) = results.zip(sources).ok_or_else(unwritten)?;
        for (new, bits) in taken {
            self.result(new, bits)?;
        }
        let _ = writeln!(self.text, "{before}\t{mnemonic} {results}{sources};");
        Ok(())
    }
}

/// Where the first operand ends.
fn end_of_first(operands: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in operands.char_indices() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => return at,
            _ => {}
        }
    }
    operands.len()
}

/// Operands with other names for registers and predicates; nothing if one of them has none.
fn renamed(
    function: &Function,
    operands: &str,
    mut name_of: impl FnMut(Name) -> Option<String>,
) -> Option<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_$%.".contains(letter);
    let is_first = |letter: char| letter.is_ascii_alphabetic() || "_$%".contains(letter);
    let mut text = String::new();
    let mut rest = operands;
    while let Some(start) = rest.find(is_part) {
        text.push_str(&rest[..start]);
        let word = &rest[start..];
        let end = word.find(|letter| !is_part(letter)).unwrap_or(word.len());
        let word = &word[..end];
        let meaning = match word.starts_with(is_first) {
            true => function.meaning_of(word),
            false => Meaning::NoRegister,
        };
        match meaning {
            Meaning::NoRegister => text.push_str(word),
            Meaning::Unclear => return None,
            Meaning::Name(name) => text.push_str(&name_of(name)?),
        }
        rest = &rest[start + end..];
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{kernel, module, refusal};
    use warpsan_ir::ModuleIndex;
    use warpsan_ptx::Document;

    /// The text of the condition of the one speculated load.
    fn condition(body: &str) -> Result<String, ConditionRefusal> {
        let document = Document::parse(module(body));
        assert_eq!(document.errors(), []);
        let function = warpsan_ir::function(&ModuleIndex::of(&document), "k").expect("a kernel");
        let [condition] = &function.conditions[..] else { panic!("{:?}", function.conditions) };
        let module = document.module();
        let tree = module.functions().find(|tree| tree.is_kernel).expect("a kernel");
        let mut instructions = InstructionsByPlace::default();
        instructions_of(tree.body.unwrap_or_default(), &mut instructions);
        let mut variables = crate::variables::Variables::of(&module);
        let mut rewrite =
            |one: &Instruction<'_>| crate::operands::rewrite(one, &mut variables, "%ws_named");
        let text = text_of(&function, condition, &instructions, &mut rewrite, "%result")?;
        Ok(text.lines().map(str::trim).collect::<Vec<_>>().join(" "))
    }

    const USE: &str = "st.global.u32 [%rd1], %r3;";

    #[test]
    fn what_is_known_at_the_load_is_named() {
        let body = |select: &str| {
            format!("setp.eq.s32 %p1, %r1, 0;\nld.global.u32 %r2, [first];\n{select}\n{USE}")
        };
        let found = condition(&body("selp.b32 %r3, %r2, 7, %p1;"));
        assert_eq!(found.as_deref(), Ok("{ mov.pred %result, %p1; }"));
        let found = condition(&body("selp.b32 %r3, 7, %r2, %p1;"));
        assert_eq!(found.as_deref(), Ok("{ not.pred %result, %p1; }"));
        let never = condition(&body("selp.b32 %r3, %r1, %r4, %p1;")).expect("never");
        assert!(never.contains("setp.ne.u32 %ws_q"), "{never}");
    }

    #[test]
    fn what_is_computed_behind_the_load_is_repeated_in_front_of_it() {
        let body = format!(
            "ld.global.u32 %r2, [first];\nadd.u32 %r4, %r1, 1;\nmul.lo.u32 %r4, %r4, %ntid.x;\n\
             setp.lt.s32 %p1, %r4, 7;\nselp.b32 %r3, %r2, 7, %p1;\n{USE}"
        );
        let text = condition(&body).expect("it can be written");
        let wanted = "add.u32 %ws_vA, %r1, 1; mul.lo.u32 %ws_vB, %ws_vA, %ntid.x; \
                      setp.lt.s32 %ws_qC, %ws_vB, 7; mov.pred %result, %ws_qC; }";
        // The numbers are those of the IR.
        let mut numbers = Vec::new();
        let letters: String = text
            .split("%ws_")
            .enumerate()
            .map(|(index, part)| {
                if index == 0 {
                    return part.to_owned();
                }
                let end = 1 + part[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
                let number = &part[..end];
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
                let place = numbers.iter().position(|known| *known == number).unwrap_or(0);
                let letter = char::from(b'A' + place as u8);
                format!("%ws_{}{letter}{}", &part[..1], &part[end..])
            })
            .collect();
        assert!(letters.ends_with(wanted), "{letters}");
        assert_eq!(text.matches(".reg .b32 ").count(), 2, "{text}");
        assert_eq!(text.matches(".reg .pred ").count(), 1, "{text}");
    }

    #[test]
    fn conditions_are_joined() {
        let body = format!(
            "setp.eq.s32 %p1, %r1, 0;\nsetp.eq.s32 %p2, %r4, 0;\nld.global.u32 %r2, [first];\n\
             selp.b32 %r5, %r2, 7, %p1;\nselp.b32 %r3, 9, %r5, %p2;\n{USE}"
        );
        let text = condition(&body).expect("it can be written");
        assert!(text.contains("not.pred %ws_n") && text.contains("and.pred %ws_q"), "{text}");
        let made = kernel(&body);
        assert_eq!((made.cost.checked, made.cost.speculated), (2, 1));
        assert!(made.text.contains(".pred %ws_counts, "), "{}", made.text);
    }

    #[test]
    fn registers_of_inner_braces_have_no_name_at_the_load() {
        let body = format!(
            "ld.global.u32 %r2, [first];\n{{ .reg .pred q; setp.eq.s32 q, %r1, 0;\n\
             selp.b32 %r3, %r2, 7, q; }}\n{USE}"
        );
        assert!(condition(&body).is_err());
        let why = refusal(&body).to_string();
        assert!(why.contains("a speculated load whose condition has `setp.eq.s32`"), "{why}");
    }

    #[test]
    fn the_first_operand_ends_at_its_comma() {
        assert_eq!(end_of_first("%r1, %r2"), 3);
        assert_eq!(end_of_first("{%r1, %r2}, %rd1"), 10);
        assert_eq!(end_of_first("%p1|%p2, %r1, 0"), 7);
        assert_eq!(end_of_first("%r1"), 3);
    }
}
