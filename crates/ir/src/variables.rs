use crate::literal::literal_bits;
use crate::types::Type;
use crate::{LowerError, Unsupported};
use std::collections::BTreeMap;
use warpsan_ptx::{LineIndex, Module, Operand, Variable};

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
pub fn module_variables(
    module: &Module<'_>,
    text: &str,
) -> Result<Vec<ModuleVariable>, LowerError> {
    module
        .variables
        .iter()
        .filter(|variable| matches!(variable.space, ".global" | ".const") && !variable.external)
        .map(|variable| {
            module_variable(variable).map_err(|what| {
                let ptx_line = LineIndex::new(text).line(variable.span.start);
                LowerError::Unsupported(Unsupported { what, ptx_line, position: None })
            })
        })
        .collect()
}

fn module_variable(variable: &Variable<'_>) -> Result<ModuleVariable, String> {
    if variable.nested_initial {
        return Err(format!("the initial value of `{}`, braces inside of braces,", variable.name));
    }
    let (mut bytes, alignment) = layout(variable)?;
    let element = element_type(variable)?;
    // An array without an extent is as long as its initial value.
    if bytes == 0 {
        bytes = u64::from(element.bytes()) * variable.initial.len() as u64;
    }
    let values = variable.initial.iter().map(|item| initial(item, element));
    Ok(ModuleVariable {
        name: variable.name.to_string(),
        bytes,
        alignment,
        constant: variable.space == ".const",
        managed: variable.managed,
        initial: values
            .collect::<Option<_>>()
            .ok_or_else(|| format!("the initial value of `{}`", variable.name))?,
    })
}

/// A variable that is larger is a mistake in the text.
const MOST_BYTES: u64 = 1 << 40;
const LARGEST_ALIGNMENT: u64 = 1 << 20;

/// Size and alignment of a variable, or what is wrong with them.
pub(crate) fn layout(variable: &Variable<'_>) -> Result<(u64, u64), String> {
    let element = u64::from(element_type(variable)?.bytes()) * u64::from(variable.vector);
    let bytes = variable
        .extents
        .iter()
        .try_fold(element, |bytes, extent| bytes.checked_mul(*extent))
        .filter(|bytes| *bytes <= MOST_BYTES)
        .ok_or_else(|| format!("the size of the variable `{}`", variable.name))?;
    let alignment = variable.alignment.unwrap_or(element);
    if !alignment.is_power_of_two() || alignment > LARGEST_ALIGNMENT {
        return Err(format!("the alignment {alignment} of the variable `{}`", variable.name));
    }
    Ok((bytes, alignment))
}

fn element_type(variable: &Variable<'_>) -> Result<Type, String> {
    Type::parse(&variable.data_type[1..]).filter(|ty| *ty != Type::Pred).ok_or_else(|| {
        format!("the type {} of the variable `{}`", variable.data_type, variable.name)
    })
}

fn initial(item: &Operand<'_>, element: Type) -> Option<InitialValue> {
    let bytes = element.bytes();
    let address = |symbol: &str, offset| {
        Some(InitialValue::Address { symbol: symbol.to_string(), offset, bytes })
    };
    match item {
        Operand::Name(symbol) => return address(symbol, 0),
        Operand::NameOffset(symbol, offset) => return address(symbol, *offset),
        _ => {}
    }
    let bits = literal_bits(item, element)?;
    Some(InitialValue::Bytes(bits.to_le_bytes()[..bytes as usize].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_alignments_and_initial_values_are_read() {
        let text = ".version 9.0\n.target sm_90\n.global .align 8 .u64 table[2] = {7, done+4};\n\
                    .const .align 4 .b8 c[3] = {1, 2, 3};\n.global .attribute(.managed) .u32 done;\n.extern .global .u32 far;\n";
        let parsed = warpsan_ptx::parse(text);
        let variables = module_variables(&parsed.module, text).unwrap();
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

    #[test]
    fn initial_values_take_the_type_of_their_variable() {
        let text = ".version 9.0\n.target sm_90\n.global .u32 open[] = {1, 2, 3};\n\
                    .global .f32 a = 1.0;\n.global .f64 b = 0f3F800000;\n";
        let parsed = warpsan_ptx::parse(text);
        let variables = module_variables(&parsed.module, text).unwrap();
        assert_eq!(variables[0].bytes, 12);
        let bytes = |index: usize| match &variables[index].initial[0] {
            InitialValue::Bytes(bytes) => bytes.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(bytes(1), 1f32.to_le_bytes());
        assert_eq!(bytes(2), 1f64.to_le_bytes());
    }

    #[test]
    fn variables_that_make_no_sense_are_refused_with_their_line() {
        for declaration in [
            ".global .align 3 .u32 x;",
            ".global .align 0xFFFFFFFFFFFFFFFF .u32 x;",
            ".global .u32 x[0xFFFFFFFFFFFFFFFF];",
            ".global .s32 x[2][2] = {{1}, {2}};",
            ".global .b128 x;",
        ] {
            let text = format!(".version 9.0\n.target sm_90\n{declaration}\n");
            let parsed = warpsan_ptx::parse(&text);
            let error = module_variables(&parsed.module, &text).unwrap_err();
            assert!(error.to_string().contains("PTX line 3"), "{error}");
        }
    }
}
