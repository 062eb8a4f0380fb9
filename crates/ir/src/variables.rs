use crate::types::Type;
use std::collections::BTreeMap;
use warpsan_ptx::{Module, Operand, Variable};

/// The addresses that a module's global and constant variables have on the device.
pub type SymbolTable = BTreeMap<String, u64>;

/// A variable of the module's scope that needs device memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleVariable {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its alignment.
    pub alignment: u64,
    /// Whether it is in constant memory.
    pub constant: bool,
    /// Whether the host may use it too.
    pub managed: bool,
    /// Its initial contents, from the start; the rest is zero.
    pub initial: Vec<InitialValue>,
}

/// One element of an initialiser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InitialValue {
    /// These little-endian bytes.
    Bytes(Vec<u8>),
    /// The address of a variable, plus an offset, in so many bytes.
    Address {
        /// The variable.
        symbol: String,
        /// What is added.
        offset: i64,
        /// Bytes of the element.
        bytes: u32,
    },
}

/// The global and constant variables that a module defines.
pub fn module_variables(module: &Module<'_>) -> Vec<ModuleVariable> {
    module
        .variables
        .iter()
        .filter(|variable| matches!(variable.space, ".global" | ".const") && !variable.external)
        .map(|variable| {
            let (bytes, alignment) = layout(variable);
            ModuleVariable {
                name: variable.name.to_string(),
                bytes,
                alignment,
                constant: variable.space == ".const",
                managed: variable.managed,
                initial: variable.initial.iter().map(|item| initial(item, variable)).collect(),
            }
        })
        .collect()
}

/// Size and alignment of a variable.
pub(crate) fn layout(variable: &Variable<'_>) -> (u64, u64) {
    let element = element_bytes(variable) * u64::from(variable.vector);
    let count =
        variable.extents.iter().fold(1u64, |product, extent| product.saturating_mul(*extent));
    let alignment = variable.alignment.unwrap_or(element).max(1).next_power_of_two();
    (element.saturating_mul(count), alignment)
}

fn element_bytes(variable: &Variable<'_>) -> u64 {
    Type::parse(&variable.data_type[1..]).map_or(8, |data_type| u64::from(data_type.bytes()))
}

fn initial(item: &Operand<'_>, variable: &Variable<'_>) -> InitialValue {
    let bytes = element_bytes(variable) as u32;
    let bits = match item {
        Operand::Name(symbol) => {
            return InitialValue::Address { symbol: symbol.to_string(), offset: 0, bytes };
        }
        Operand::NameOffset(symbol, offset) => {
            return InitialValue::Address { symbol: symbol.to_string(), offset: *offset, bytes };
        }
        Operand::Integer(bits) | Operand::Float64(bits) => *bits,
        Operand::Float32(bits) => u64::from(*bits),
        _ => 0,
    };
    InitialValue::Bytes(bits.to_le_bytes()[..bytes as usize].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_alignments_and_initial_values_are_read() {
        let text = ".version 9.0\n.target sm_90\n.global .align 8 .u64 table[2] = {7, done+4};\n\
                    .const .align 4 .b8 c[3] = {1, 2, 3};\n.global .attribute(.managed) .u32 done;\n.extern .global .u32 far;\n";
        let parsed = warpsan_ptx::parse(text);
        let variables = module_variables(&parsed.module);
        assert_eq!(variables.len(), 3, "the external one is somebody else's");
        assert_eq!((variables[0].bytes, variables[0].alignment), (16, 8));
        assert_eq!(
            variables[0].initial[1],
            InitialValue::Address { symbol: "done".into(), offset: 4, bytes: 8 }
        );
        assert!(variables[1].constant);
        assert_eq!(variables[1].initial[2], InitialValue::Bytes(vec![3]));
        assert_eq!((variables[2].bytes, variables[2].alignment), (4, 4));
        assert!(variables[2].managed && !variables[0].managed);
    }
}
