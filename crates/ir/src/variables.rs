//! The variables of a module: their layout and their initial values.

use crate::error::VariableError;
use crate::literal::literal_bits;
use crate::types::{Type, element_bytes};
use crate::{LowerError, ModuleIndex, Unsupported};
use std::collections::BTreeMap;
use warpsan_ptx::{Linkage, Operand, Variable};

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
pub fn module_variables(index: &ModuleIndex<'_>) -> Result<Vec<ModuleVariable>, LowerError> {
    index
        .module
        .variables()
        .filter(|variable| {
            matches!(variable.space, ".global" | ".const") && variable.linkage != Linkage::Extern
        })
        .map(|variable| {
            module_variable(index, variable).map_err(|error| {
                let (what, ptx_line) = (error.to_string(), index.lines.line(variable.span.start));
                LowerError::Unsupported(Unsupported { what, ptx_line, position: None })
            })
        })
        .collect()
}

fn module_variable(
    index: &ModuleIndex<'_>,
    variable: &Variable<'_>,
) -> Result<ModuleVariable, VariableError> {
    let (mut bytes, alignment) = layout(variable)?;
    let size = scalar_bytes(variable)?;
    let mut initial =
        Initial { index, values: Vec::new(), size, ty: Type::parse(&variable.data_type[1..]) };
    if let Some(value) = variable.initial {
        let mut extents: Vec<u64> =
            variable.extents.iter().map(|extent| extent.unwrap_or(0)).collect();
        extents.extend((variable.vector > 1).then_some(u64::from(variable.vector)));
        initial
            .add(value, &extents)
            .ok_or_else(|| VariableError::InitialValue { name: variable.name.to_string() })?;
    }
    // An array without an extent is as long as its initial value.
    if bytes == 0 {
        bytes = u64::from(size) * initial.values.len() as u64;
    }
    Ok(ModuleVariable {
        name: variable.name.to_string(),
        bytes,
        alignment,
        constant: variable.space == ".const",
        managed: variable.has_attribute(".managed"),
        initial: initial.values,
    })
}

/// A variable that is larger is a mistake in the text.
const MOST_BYTES: u64 = 1 << 40;
const LARGEST_ALIGNMENT: u64 = 1 << 20;

/// Size and alignment of a variable.
pub(crate) fn layout(variable: &Variable<'_>) -> Result<(u64, u64), VariableError> {
    let element = u64::from(scalar_bytes(variable)?) * u64::from(variable.vector);
    let bytes = variable
        .extents
        .iter()
        .try_fold(element, |bytes, extent| bytes.checked_mul(extent.unwrap_or(0)))
        .filter(|bytes| *bytes <= MOST_BYTES)
        .ok_or_else(|| VariableError::Size { name: variable.name.to_string() })?;
    let alignment = variable.alignment.unwrap_or(element);
    if !alignment.is_power_of_two() || alignment > LARGEST_ALIGNMENT {
        return Err(VariableError::Alignment { name: variable.name.to_string(), alignment });
    }
    Ok((bytes, alignment))
}

fn scalar_bytes(variable: &Variable<'_>) -> Result<u32, VariableError> {
    element_bytes(&variable.data_type[1..]).ok_or_else(|| VariableError::Type {
        name: variable.name.to_string(),
        data_type: variable.data_type.to_string(),
    })
}

/// An initial value while it is flattened.
struct Initial<'i> {
    index: &'i ModuleIndex<'i>,
    values: Vec<InitialValue>,
    /// Bytes of an element.
    size: u32,
    ty: Option<Type>,
}

/// More zeros than this between two values are a mistake in the text.
const MOST_FILLED: usize = 1 << 20;

impl Initial<'_> {
    /// Adds a value for an array of these extents. Braces inside of braces fill whole sub-arrays.
    fn add(&mut self, value: &Operand<'_>, extents: &[u64]) -> Option<()> {
        let Operand::Vector(items) = value else { return self.scalar(value) };
        let inner = extents.get(1..).unwrap_or_default();
        let stride = inner.iter().try_fold(1u64, |all, extent| all.checked_mul(*extent))?;
        for item in *items {
            let before = self.values.len();
            self.add(item, inner)?;
            if matches!(item, Operand::Vector(_)) {
                let missing =
                    usize::try_from(stride).ok()?.checked_sub(self.values.len() - before)?;
                if missing > MOST_FILLED {
                    return None;
                }
                let zero = InitialValue::Bytes(vec![0; self.size as usize]);
                self.values.extend(std::iter::repeat_n(zero, missing));
            }
        }
        Some(())
    }

    fn scalar(&mut self, value: &Operand<'_>) -> Option<()> {
        let value = if let Operand::Generic(inner) = value { inner } else { value };
        let address = |symbol: &str, offset: i64| match self.index.function_address(symbol) {
            // A function's address is the same in every module and needs no place.
            Some(address) => {
                let address = address.wrapping_add_signed(offset).to_le_bytes();
                InitialValue::Bytes(address[..self.size.min(8) as usize].to_vec())
            }
            None => InitialValue::Address { symbol: symbol.to_string(), offset, bytes: self.size },
        };
        let initial = match value {
            Operand::Name(symbol) => address(symbol, 0),
            Operand::NameOffset((symbol, offset)) => address(symbol, *offset),
            literal => {
                let bits = literal_bits(literal, self.ty?)?;
                InitialValue::Bytes(bits.to_le_bytes()[..self.size as usize].to_vec())
            }
        };
        self.values.push(initial);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_ptx::Document;

    #[test]
    fn sizes_alignments_and_initial_values_are_read() {
        let text = ".version 9.0\n.target sm_90\n.global .align 8 .u64 table[2] = {7, done+4};\n\
                    .const .align 4 .b8 c[3] = {1, 2, 3};\n.global .attribute(.managed) .u32 done;\n.extern .global .u32 far;\n";
        let document = Document::parse(text.to_string());
        let variables = module_variables(&ModuleIndex::of(&document)).unwrap();
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
        let document = Document::parse(text.to_string());
        let variables = module_variables(&ModuleIndex::of(&document)).unwrap();
        assert_eq!(variables[0].bytes, 12);
        let bytes = |index: usize| match &variables[index].initial[0] {
            InitialValue::Bytes(bytes) => bytes.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(bytes(1), 1f32.to_le_bytes());
        assert_eq!(bytes(2), 1f64.to_le_bytes());
    }

    #[test]
    fn tables_of_functions_have_their_addresses() {
        let text = ".version 9.0\n.target sm_90\n.func f() { ret; }\n.func g() { ret; }\n\
                    .global .u64 table[2] = {g, generic(f)};\n";
        let document = Document::parse(text.to_string());
        let index = ModuleIndex::of(&document);
        let variables = module_variables(&index).unwrap();
        let address = |name: &str| index.function_address(name).unwrap();
        let bytes = |address: u64| InitialValue::Bytes(address.to_le_bytes().to_vec());
        assert_eq!(variables[0].initial, [bytes(address("g")), bytes(address("f"))]);
        assert_ne!(address("f"), address("g"));
    }

    #[test]
    fn braces_inside_of_braces_fill_whole_rows() {
        let text = ".version 9.0\n.target sm_90\n.global .u8 x[3][2] = {{1}, {2, 3}};\n";
        let document = Document::parse(text.to_string());
        let variables = module_variables(&ModuleIndex::of(&document)).unwrap();
        let bytes: Vec<u8> = variables[0]
            .initial
            .iter()
            .flat_map(|value| match value {
                InitialValue::Bytes(bytes) => bytes.clone(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!((bytes, variables[0].bytes), (vec![1, 0, 2, 3], 6));
    }

    #[test]
    fn variables_that_make_no_sense_are_refused_with_their_line() {
        for declaration in [
            ".global .align 3 .u32 x;",
            ".global .align 0xFFFFFFFFFFFFFFFF .u32 x;",
            ".global .u32 x[0xFFFFFFFFFFFFFFFF];",
            ".global .s32 x[2][2] = {{1, 2, 3}, {4}};",
            ".global .pred x;",
        ] {
            let text = format!(".version 9.0\n.target sm_90\n{declaration}\n");
            let document = Document::parse(text);
            let error = module_variables(&ModuleIndex::of(&document)).unwrap_err();
            assert!(error.to_string().contains("PTX line 3"), "{error}");
        }
    }
}
