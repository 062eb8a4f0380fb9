//! The names that operands have.

use warpsan_ptx::{AddressBase, Operand};

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
