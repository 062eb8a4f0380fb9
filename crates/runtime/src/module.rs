//! Modules: loaded as they come, read when something of them is used.

use crate::module_error::{KernelError, ModuleError};
use crate::module_text::{linked_ptx_of, ptx_of, readable};
use self_cell::self_cell;
use std::collections::{BTreeMap, HashMap};
use warpsan_ir::{
    InitialValue, LowerError, ModuleIndex, ModuleVariable, SymbolTable, module_variables,
};
use warpsan_model::DeviceAddress;
use warpsan_ptx::Document;
use warpsan_simt::{AllocationKind, DeviceMemory, Prepared};

self_cell!(
    /// PTX text with its tree, and the names in it.
    struct Source {
        owner: Document,
        #[covariant]
        dependent: ModuleIndex,
    }
);

/// A module as the program gave it.
pub(crate) enum Image {
    FatBinary(Vec<u8>),
    /// One fat binary for each unit of a program that was compiled with `-rdc=true`.
    Units(Vec<Vec<u8>>),
    Ptx(String),
}

impl Default for Image {
    fn default() -> Self {
        Image::Ptx(String::new())
    }
}

/// A module and what has been made of it so far.
pub(crate) struct Module {
    /// Empty once it was read.
    image: Image,
    loaded: Option<Result<Loaded, ModuleError>>,
}

struct Loaded {
    source: Source,
    symbols: SymbolTable,
    variables: BTreeMap<String, (DeviceAddress, u64)>,
    constants: Vec<(u64, u64)>,
    kernels: HashMap<String, Result<Prepared, KernelError>>,
}

/// A variable that was given memory when its module was loaded.
pub(crate) struct PlacedVariable {
    pub(crate) label: String,
    pub(crate) address: DeviceAddress,
    pub(crate) bytes: u64,
}

impl Module {
    pub(crate) fn new(image: Image) -> Module {
        Module { image, loaded: None }
    }

    /// Reads the module on first use. Variables that were placed are handed to `placed`.
    fn load(
        &mut self,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<&mut Loaded, ModuleError> {
        let Module { image, loaded } = self;
        let read = || Loaded::new(std::mem::take(image), memory, placed);
        loaded.get_or_insert_with(read).as_mut().map_err(|error| error.clone())
    }

    fn loaded(&self) -> Option<&Loaded> {
        self.loaded.as_ref()?.as_ref().ok()
    }

    /// Address and size of a variable, if the module has it.
    pub(crate) fn symbol(
        &mut self,
        name: &str,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<Option<(DeviceAddress, u64)>, ModuleError> {
        Ok(self.load(memory, placed)?.variables.get(name).copied())
    }

    pub(crate) fn kernel(
        &mut self,
        name: &str,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<Prepared, KernelError> {
        let loaded = self.load(memory, placed).map_err(KernelError::Module)?;
        if let Some(known) = loaded.kernels.get(name) {
            return known.clone();
        }
        let prepared = loaded.lower(name);
        loaded.kernels.insert(name.to_string(), prepared.clone());
        prepared
    }

    /// The memory that the module's variables take.
    pub(crate) fn variables(&self) -> Vec<DeviceAddress> {
        let variables = self.loaded().into_iter().flat_map(|loaded| loaded.variables.values());
        variables.map(|(address, _)| *address).collect()
    }

    /// Gives its variables their first values again, and hands them to `placed`.
    pub(crate) fn begin_anew(
        &self,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<(), ModuleError> {
        let Some(loaded) = self.loaded() else { return Ok(()) };
        let variables = loaded.variables_of_text()?;
        loaded.initialise_all(&variables, memory)?;
        for variable in &variables {
            if let Some((address, _)) = loaded.variables.get(&variable.name) {
                placed.push(placed_variable(variable, *address));
            }
        }
        Ok(())
    }

    /// Addresses and sizes of its constant variables.
    pub(crate) fn constants(&self) -> Vec<(u64, u64)> {
        self.loaded().map_or(Vec::new(), |loaded| loaded.constants.clone())
    }

    /// The kernels of the module, mangled, in the order of the text.
    pub(crate) fn kernel_names(
        &mut self,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<Vec<String>, ModuleError> {
        let loaded = self.load(memory, placed)?;
        let module = loaded.source.borrow_owner().module();
        let kernels = module.functions().filter(|function| function.is_kernel);
        Ok(kernels.map(|function| function.name.to_string()).collect())
    }
}

fn placed_variable(variable: &ModuleVariable, address: DeviceAddress) -> PlacedVariable {
    PlacedVariable { label: display(&variable.name), address, bytes: variable.bytes }
}

fn display(kernel: &str) -> String {
    warpsan_ir::display_name(kernel)
}

impl Loaded {
    fn new(
        image: Image,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<Loaded, ModuleError> {
        let text = match image {
            Image::Ptx(text) => text,
            Image::FatBinary(bytes) => ptx_of(&bytes)?,
            Image::Units(units) => linked_ptx_of(&units)?,
        };
        let document = Document::parse(text);
        readable(&document)?;
        let source = Source::new(document, |document| ModuleIndex::of(document));
        let mut loaded = Loaded {
            symbols: SymbolTable::new(),
            variables: BTreeMap::new(),
            constants: Vec::new(),
            kernels: HashMap::new(),
            source,
        };
        loaded.place_variables(memory, placed)?;
        Ok(loaded)
    }

    fn place_variables(
        &mut self,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<(), ModuleError> {
        let variables = self.variables_of_text()?;
        for variable in &variables {
            let kind =
                if variable.managed { AllocationKind::Managed } else { AllocationKind::Device };
            let address = memory.allocate(variable.bytes, kind)?;
            self.symbols.insert(variable.name.clone(), address.0);
            self.variables.insert(variable.name.clone(), (address, variable.bytes));
            if variable.constant {
                self.constants.push((address.0, variable.bytes));
            }
            placed.push(placed_variable(variable, address));
        }
        self.initialise_all(&variables, memory)
    }

    fn variables_of_text(&self) -> Result<Vec<ModuleVariable>, ModuleError> {
        module_variables(self.source.borrow_dependent())
            .map_err(|error| ModuleError::Unsupported(error.to_string()))
    }

    /// Gives all variables their first values, where they lie.
    fn initialise_all(
        &self,
        variables: &[ModuleVariable],
        memory: &DeviceMemory,
    ) -> Result<(), ModuleError> {
        for variable in variables {
            memory.fill(DeviceAddress(self.symbols[&variable.name]), 0, variable.bytes)?;
            self.initialise(variable, memory)?;
        }
        Ok(())
    }

    fn initialise(
        &self,
        variable: &ModuleVariable,
        memory: &DeviceMemory,
    ) -> Result<(), ModuleError> {
        let mut bytes = Vec::new();
        for value in &variable.initial {
            match value {
                InitialValue::Bytes(value) => bytes.extend_from_slice(value),
                InitialValue::Address { symbol, offset, bytes: size } => {
                    let Some(address) = self.symbols.get(symbol) else {
                        let what = format!(
                            "the address of `{symbol}` in the initial value of `{}`",
                            variable.name
                        );
                        return Err(ModuleError::Unsupported(what));
                    };
                    let address = address.wrapping_add_signed(*offset).to_le_bytes();
                    bytes.extend_from_slice(&address[..(*size as usize).min(8)]);
                }
            }
        }
        bytes.truncate(variable.bytes as usize);
        memory.write(DeviceAddress(self.symbols[&variable.name]), &bytes)?;
        Ok(())
    }

    fn lower(&self, name: &str) -> Result<Prepared, KernelError> {
        let module = self.source.borrow_owner().module();
        let known = module.functions().any(|f| f.is_kernel && f.name == name);
        if !known {
            let what = format!("the module has no kernel `{}`", display(name));
            return Err(KernelError::Missing(what));
        }
        warpsan_ir::kernel(self.source.borrow_dependent(), &self.symbols, name)
            .and_then(Prepared::new)
            .map_err(|error| match error {
                LowerError::Unsupported(unsupported) => KernelError::Unsupported {
                    place: match unsupported.position {
                        Some(position) => format!("kernel `{}`, {position}", display(name)),
                        None => {
                            format!("kernel `{}`, PTX line {}", display(name), unsupported.ptx_line)
                        }
                    },
                    what: unsupported.what,
                },
                LowerError::Invalid(_) => KernelError::Invalid(error.to_string()),
            })
    }
}
