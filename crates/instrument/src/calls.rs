//! Calls of functions, which are instrumented, too.

use crate::body::Body;
use crate::operands::Rewritten;
use crate::refusal::Refusal;
use std::fmt::Write;
use warpsan_ir::Callee;
use warpsan_ptx::{Instruction, Operand};

/// Writes a call. Functions of the program get the context as one argument more; those of the system do not.
pub(crate) fn write(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    callee: &Callee,
    rewritten: &Rewritten,
) -> Result<(), Refusal> {
    let name = match callee {
        Callee::Function(name) => name,
        Callee::System(_) => {
            body.plain(instruction, rewritten);
            return Ok(());
        }
        Callee::Pointer { .. } => {
            return Err(Refusal::CallThroughPointer);
        }
    };
    let is_list = |operand: &&Operand<'_>| matches!(operand, Operand::List(_));
    let named = instruction.operands.iter().position(|one| matches!(one, Operand::Name(_)));
    let Some(at) = named else {
        return Err(Refusal::CallWithoutName(name.to_string()));
    };
    let results = instruction.operands[..at].iter().find(is_list);
    let arguments = instruction.operands[at + 1..].iter().find(is_list);
    // The braces keep the name of the argument separate from those of other calls.
    body.out.push_str("\t{\n");
    let surroundings = body.surroundings;
    surroundings.pass_on(&mut body.out);
    body.out.push('\t');
    body.guard(instruction);
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

#[cfg(test)]
mod tests {
    use crate::surroundings::PASSED_BYTES;
    use crate::testing::{instrumented, kernel, module};

    const CALL: &str = "{ .param .b64 param0; st.param.b64 [param0], %rd1; \
                        call.uni helper, (param0); }";

    #[test]
    fn a_function_gets_the_context_as_one_argument_more() {
        let made = kernel(CALL);
        assert!(made.text.contains("call.uni helper, (param0, ws_passed);"), "{}", made.text);
        let head = format!(
            ".func helper(.param .b64 helper_0, .param .align 8 .b8 ws_context[{PASSED_BYTES}])"
        );
        assert_eq!(made.text.matches(&head).count(), 2, "declared, then defined: {}", made.text);
        assert_eq!(made.cost.checked, 1, "the store of the function");
        assert!(!kernel("").text.contains("helper"), "functions that nobody calls are left out");
    }

    #[test]
    fn a_call_keeps_its_guard_and_its_results() {
        let text = module(&CALL.replace("call.uni", "@!%p1 call"))
            .replace(".func helper(", ".func (.param .b32 result) helper(");
        let text = text.replace("call helper,", "call (result0), helper,");
        let text = text.replace(".param .b64 param0;", ".param .b64 param0; .param .b32 result0;");
        let made = instrumented(&text).expect("it can be checked");
        let wanted = "@!%p1 call (result0), helper, (param0, ws_passed);";
        assert!(made.text.contains(wanted), "{}", made.text);
    }

    #[test]
    fn what_the_system_provides_is_called_as_it_was() {
        let printf =
            ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.visible .entry";
        let text = module(
            "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], 0;\n\
             call.uni (r), vprintf, (a, b); }",
        );
        let made =
            instrumented(&text.replace(".visible .entry", printf)).expect("it can be checked");
        assert!(made.text.contains("call.uni (r), vprintf, (a, b);"), "{}", made.text);
    }

    #[test]
    fn a_call_that_is_never_reached_is_left_out() {
        let made = kernel(&format!("exit;\n{CALL}"));
        assert!(!made.text.contains("call.uni helper"), "{}", made.text);
    }
}
