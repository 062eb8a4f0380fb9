//! Where the variables of an instrumented kernel lie on the emulated device.

use anyhow::Context;
use warpsan_instrument::{Instrumented, VARIABLE_TABLE};
use warpsan_ir::{InitialValue, ModuleIndex, ModuleVariable, SymbolTable, module_variables};
use warpsan_ptx::Document;

use super::EmulatedDevice;

/// The variables of an instrumented module in memory.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    pub(crate) symbols: SymbolTable,
    /// Addresses and sizes of those in constant memory.
    pub(crate) constants: Vec<(u64, u64)>,
}

impl EmulatedDevice {
    /// Gives the variables of a program's module that a kernel uses their places, with metadata, unless they have them.
    pub(crate) fn place_program(
        &mut self,
        document: &Document,
        made: &Instrumented,
    ) -> anyhow::Result<()> {
        let index = ModuleIndex::of(document);
        let variables = module_variables(&index)?;
        let is_used = |name: &str| made.variables.iter().any(|used| used.name == name);
        let is_new = |variable: &&ModuleVariable| {
            !variable.constant
                && is_used(&variable.name)
                && !self.of_program.contains_key(&variable.name)
        };
        let new: Vec<&ModuleVariable> = variables.iter().filter(is_new).collect();
        for variable in &new {
            let address = self.allocate(variable.bytes)?;
            self.of_program.insert(variable.name.clone(), address.0);
        }
        for variable in new {
            self.initialise(variable, self.of_program[&variable.name], &self.of_program)?;
        }
        Ok(())
    }

    /// Places the variables that an instrumented module declares itself. The table of addresses names the program's.
    pub(crate) fn place_own(
        &self,
        index: &ModuleIndex<'_>,
        made: &Instrumented,
    ) -> anyhow::Result<Placed> {
        let variables = module_variables(index)?;
        let mut placed = Placed::default();
        for variable in &variables {
            let address = self.zeros(variable.bytes)?;
            placed.symbols.insert(variable.name.clone(), address);
            if variable.constant {
                placed.constants.push((address, variable.bytes));
            }
        }
        for variable in &variables {
            self.initialise(variable, placed.symbols[&variable.name], &placed.symbols)?;
        }
        let tabled = made.variables.iter().filter(|variable| !variable.constant);
        for (at, variable) in (0..).step_by(8).zip(tabled) {
            let address = self.of_program.get(&variable.name);
            let address = address.with_context(|| format!("`{}` has no place", variable.name))?;
            self.write(placed.symbols[VARIABLE_TABLE] + at, &address.to_le_bytes())?;
        }
        Ok(placed)
    }

    fn initialise(
        &self,
        variable: &ModuleVariable,
        address: u64,
        symbols: &SymbolTable,
    ) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        for value in &variable.initial {
            match value {
                InitialValue::Bytes(value) => bytes.extend_from_slice(value),
                InitialValue::Address { symbol, offset, bytes: size } => {
                    let named = symbols.get(symbol);
                    let named = named.with_context(|| format!("`{symbol}` has no address"))?;
                    let named = named.wrapping_add_signed(*offset).to_le_bytes();
                    bytes.extend_from_slice(&named[..(*size as usize).min(8)]);
                }
            }
        }
        bytes.resize(variable.bytes as usize, 0);
        self.write(address, &bytes)
    }
}
