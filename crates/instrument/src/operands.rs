//! Operands that name variables of the module: their addresses come from the table of the original's variables.

use crate::meaning::is_call;
use crate::names::names_of;
use crate::refusal::{InstructionRefusal, Refusal};
use crate::variables::{Named, VARIABLE_TABLE, Variables};
use std::fmt::Write;
use warpsan_ptx::{AddressBase, Instruction, Operand, print_instruction};

/// An instruction whose operands name no variable of the table any more, and what brings the address.
pub(crate) struct Rewritten {
    /// What stands before it.
    pub(crate) before: String,
    /// The instruction without its guard and `;`.
    pub(crate) text: String,
    /// Its address operands.
    pub(crate) addresses: Vec<Based>,
}

impl Rewritten {
    /// The address of an instruction that has one.
    pub(crate) fn first_address(&self) -> Result<&Based, Refusal> {
        self.addresses.first().ok_or_else(|| Refusal::Instruction {
            instruction: self.text.clone(),
            reason: InstructionRefusal::NoAddress,
        })
    }
}

/// An address, as something that can be added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Based {
    /// A register, or nothing where the offset is the whole address.
    pub(crate) register: String,
    pub(crate) offset: i64,
    /// What distinguishes the address from others in the same basic block: the register, or the variable that the
    /// register was filled for.
    pub(crate) base: String,
}

impl Based {
    /// The address so many bytes behind.
    pub(crate) fn further(&self, bytes: u32) -> Based {
        Based { offset: self.offset.wrapping_add(i64::from(bytes)), ..self.clone() }
    }
}

/// Replaces variables of the table by `register`, which is made to hold the address.
pub(crate) fn rewrite(
    instruction: &Instruction<'_>,
    variables: &mut Variables<'_>,
    register: &str,
) -> Result<Rewritten, Refusal> {
    let mut before = String::new();
    let mut names = Vec::new();
    instruction.operands.iter().for_each(|operand| names_of(operand, &mut names));
    let mut tabled = None;
    for name in names {
        match variables.resolve(name) {
            Named::Nothing | Named::Own => {}
            // Whoever it is called from is instrumented, too; who gets its address may not be.
            Named::Function if is_call(instruction) => {}
            Named::Function => return Err(Refusal::AddressOfFunction(name.to_owned())),
            Named::Bound => return Err(Refusal::BoundVariable(name.to_owned())),
            Named::Tabled(_) if tabled.is_some_and(|(_, known)| known != name) => {
                return Err(Refusal::TwoVariables);
            }
            Named::Tabled(index) => tabled = Some((index, name)),
        }
    }
    if let Some((index, _)) = tabled {
        let _ = writeln!(before, "\tld.const.b64 {register}, [{VARIABLE_TABLE}+{}];", index * 8);
    }
    let variable = tabled.map(|(_, name)| name);
    let is_variable = |name: &str| Some(name) == variable;
    let mut places = Vec::new();
    let mut addresses = Vec::new();
    for operand in instruction.operands {
        let Operand::Address(address) = operand else {
            places.push(None);
            continue;
        };
        let mut address = **address;
        let base = match address.base {
            AddressBase::Name(name) => name,
            AddressBase::Absolute => "",
        };
        if is_variable(base) {
            address.base = AddressBase::Name(register);
        }
        addresses.push(Based {
            register: if is_variable(base) { register } else { base }.to_owned(),
            offset: address.offset,
            base: base.to_owned(),
        });
        places.push(Some(address));
    }
    let mut operands = Vec::new();
    for (operand, place) in instruction.operands.iter().zip(&places) {
        operands.push(match (operand, place) {
            (_, Some(address)) => Operand::Address(address),
            (Operand::Name(name), None) if is_variable(name) => Operand::Name(register),
            (Operand::NameOffset((name, offset)), None) if is_variable(name) => {
                let _ = writeln!(before, "\tadd.s64 {register}, {register}, {offset};");
                Operand::Name(register)
            }
            _ => *operand,
        });
    }
    let plain = Instruction { guard: None, operands: &operands, ..*instruction };
    Ok(Rewritten { before, text: print_instruction(&plain), addresses })
}

/// Holds the address of the variable that the next instruction names.
pub(crate) const VARIABLE_REGISTER: &str = "%ws_variable";
/// The same for instructions that compute a condition, in front of one that names a variable itself.
pub(crate) const CONDITION_REGISTER: &str = "%ws_named";

#[cfg(test)]
mod tests {
    use crate::testing::{kernel, lines_with, refusal};

    #[test]
    fn variables_are_reached_through_the_table() {
        let made = kernel(
            "ld.global.u32 %r2, [second+4];\nmov.u64 %rd2, first;\nmov.u64 %rd3, second+8;\n\
             cvta.global.u64 %rd4, %rd3;\nld.const.u32 %r3, [fixed];",
        );
        let lines = lines_with(&made.text, &["%ws_variable", "[fixed]"]);
        let of_program: Vec<&str> = lines
            .into_iter()
            .filter(|line| !line.starts_with(".reg") && !line.contains("%ws_address"))
            .collect();
        let wanted = [
            "ld.const.b64 %ws_variable, [ws_variables+0];",
            "ld.global.u32 %r2, [%ws_variable+4];",
            "ld.const.b64 %ws_variable, [ws_variables+8];",
            "mov.u64 %rd2, %ws_variable;",
            "ld.const.b64 %ws_variable, [ws_variables+0];",
            "add.s64 %ws_variable, %ws_variable, 8;",
            "mov.u64 %rd3, %ws_variable;",
            "ld.const.u32 %r3, [fixed];",
        ];
        assert_eq!(of_program, wanted);
        assert!(made.text.contains("add.s64 %ws_address, %ws_variable, 4;"), "{}", made.text);
    }

    #[test]
    fn what_only_the_original_module_has_is_refused() {
        let why = refusal("mov.u64 %rd2, helper;").to_string();
        assert_eq!(why, "it takes the address of `helper`, a function");
    }
}
