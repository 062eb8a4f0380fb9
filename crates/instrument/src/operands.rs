//! Operands that name variables of the module.

use crate::variables::{Named, VARIABLE_TABLE, Variables};
use std::fmt::Write;
use warpsan_ptx::{Address, AddressBase, Instruction, Operand, print_instruction};

/// All names in an operand.
pub(crate) fn names_of<'a>(operand: &Operand<'a>, names: &mut Vec<&'a str>) {
    match operand {
        Operand::Name(name) => names.push(name),
        Operand::NameOffset((name, _)) => names.push(name),
        Operand::Address(address) => {
            if let AddressBase::Name(name) = address.base {
                names.push(name);
            }
            address.further.iter().for_each(|operand| names_of(operand, names));
        }
        Operand::Vector(items) | Operand::List(items) => {
            items.iter().for_each(|operand| names_of(operand, names));
        }
        Operand::Pair((first, second)) => {
            names_of(first, names);
            names_of(second, names);
        }
        Operand::Generic(inner) => names_of(inner, names),
        Operand::Mask((_, inner)) | Operand::Setting((_, inner)) => names_of(inner, names),
        Operand::Not(_)
        | Operand::Negated(_)
        | Operand::Integer(_)
        | Operand::Expression(_)
        | Operand::Float(_)
        | Operand::Text(_)
        | Operand::Ignored => {}
    }
}

/// An instruction whose operands name no variable of the table any more, and what brings the address.
pub(crate) struct Rewritten {
    /// What stands before it.
    pub(crate) before: String,
    /// The instruction without its guard and `;`.
    pub(crate) text: String,
    /// Its address operand, as something that can be added to: a register or number, and an offset.
    pub(crate) addresses: Vec<(String, i64)>,
}

/// Replaces variables of the table by a register that holds the address.
pub(crate) fn rewrite(
    instruction: &Instruction<'_>,
    variables: &mut Variables<'_>,
) -> Result<Rewritten, String> {
    let mut before = String::new();
    let mut names = Vec::new();
    instruction.operands.iter().for_each(|operand| names_of(operand, &mut names));
    let mut tabled = None;
    for name in names {
        match variables.resolve(name) {
            Named::Nothing | Named::Own => {}
            Named::Bound => return Err(format!("it uses `{name}`, which only its own module can")),
            Named::Tabled(_) if tabled.is_some_and(|(_, known)| known != name) => {
                return Err("an instruction that names two variables".to_owned());
            }
            Named::Tabled(index) => tabled = Some((index, name)),
        }
    }
    if let Some((index, _)) = tabled {
        let _ = writeln!(
            before,
            "\tld.const.b64 {VARIABLE_REGISTER}, [{VARIABLE_TABLE}+{}];",
            index * 8
        );
    }
    let variable = tabled.map(|(_, name)| name);
    let mut places = Vec::new();
    for operand in instruction.operands {
        places.push(match operand {
            Operand::Address(address) => {
                let mut address = **address;
                if matches!(address.base, AddressBase::Name(name) if Some(name) == variable) {
                    address.base = AddressBase::Name(VARIABLE_REGISTER);
                }
                Some(address)
            }
            _ => None,
        });
    }
    let mut operands = Vec::new();
    for (operand, place) in instruction.operands.iter().zip(&places) {
        operands.push(match (operand, place) {
            (_, Some(address)) => Operand::Address(address),
            (Operand::Name(name), None) if Some(*name) == variable => {
                Operand::Name(VARIABLE_REGISTER)
            }
            (Operand::NameOffset((name, offset)), None) if Some(*name) == variable => {
                let _ = writeln!(
                    before,
                    "\tadd.s64 {VARIABLE_REGISTER}, {VARIABLE_REGISTER}, {offset};"
                );
                Operand::Name(VARIABLE_REGISTER)
            }
            _ => *operand,
        });
    }
    let plain = Instruction { guard: None, operands: &operands, ..*instruction };
    let addresses = places.iter().flatten().map(base_and_offset).collect();
    Ok(Rewritten { before, text: print_instruction(&plain), addresses })
}

fn base_and_offset(address: &Address<'_>) -> (String, i64) {
    match address.base {
        AddressBase::Name(name) => (name.to_owned(), address.offset),
        AddressBase::Absolute => (String::new(), address.offset),
    }
}

/// Holds the address of the variable that the next instruction names.
const VARIABLE_REGISTER: &str = "%ws_variable";
