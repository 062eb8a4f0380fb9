//! Calls of functions, which are instrumented, too.

use crate::function::Body;
use crate::instructions::{guard, plain};
use crate::module::NotInstrumented;
use crate::operands::Rewritten;
use std::fmt::Write;
use warpsan_ir::Callee;
use warpsan_ptx::{Instruction, Operand};

/// Writes a call. Functions of the program get the context as one argument more; those of the system do not.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    callee: &Callee,
    rewritten: &Rewritten,
) -> Result<(), NotInstrumented> {
    let name = match callee {
        Callee::Function(name) => name,
        Callee::System(_) => {
            plain(body, instruction, rewritten);
            return Ok(());
        }
        Callee::Pointer { .. } => {
            return Err(NotInstrumented("it calls functions through pointers".to_owned()));
        }
    };
    let is_list = |operand: &&Operand<'_>| matches!(operand, Operand::List(_));
    let named = instruction.operands.iter().position(|one| matches!(one, Operand::Name(_)));
    let Some(at) = named else {
        return Err(NotInstrumented(format!("a call of `{name}` that names nothing")));
    };
    let results = instruction.operands[..at].iter().find(is_list);
    let arguments = instruction.operands[at + 1..].iter().find(is_list);
    // The braces keep the name of the argument apart from those of other calls.
    body.out.push_str("\t{\n");
    let surroundings = body.surroundings;
    surroundings.pass_on(&mut body.out);
    body.out.push('\t');
    guard(body, instruction);
    let _ = write!(body.out, "{} ", instruction.mnemonic.text);
    if let Some(results) = results {
        let _ = write!(body.out, "{results}, ");
    }
    let mut list = match arguments {
        Some(Operand::List(items)) => items.iter().map(Operand::to_string).collect(),
        _ => Vec::new(),
    };
    list.push("ws_passed".to_owned());
    let _ = writeln!(body.out, "{name}, ({});\n\t}}", list.join(", "));
    Ok(())
}
