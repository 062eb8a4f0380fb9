//! Modules: loaded as they come, read when something of them is used.

use crate::RuntimeError;
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

/// A module and what has been made of it so far.
pub(crate) struct Module {
    image: Option<Image>,
    loaded: Option<Result<Loaded, RuntimeError>>,
}

struct Loaded {
    source: Source,
    symbols: SymbolTable,
    variables: BTreeMap<String, (DeviceAddress, u64)>,
    constants: Vec<(u64, u64)>,
    kernels: HashMap<String, Result<Prepared, KernelError>>,
}

/// Why a kernel cannot run, and whether that is for lack of support.
#[derive(Debug, Clone)]
pub(crate) enum KernelError {
    /// warpsan does not do something that it uses.
    Unsupported { what: String, place: String },
    /// The module has no such kernel, or is broken.
    Invalid(RuntimeError),
}

/// A variable that was given memory when its module was loaded.
pub(crate) struct PlacedVariable {
    pub(crate) label: String,
    pub(crate) address: DeviceAddress,
    pub(crate) bytes: u64,
}

impl Module {
    pub(crate) fn new(image: Image) -> Module {
        Module { image: Some(image), loaded: None }
    }

    /// Reads the module on first use. Variables that were placed are handed to `placed`.
    fn load(
        &mut self,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<&mut Loaded, RuntimeError> {
        if let Some(image) = self.image.take() {
            self.loaded = Some(Loaded::new(image, memory, placed));
        }
        match &mut self.loaded {
            Some(Ok(loaded)) => Ok(loaded),
            Some(Err(error)) => Err(error.clone()),
            None => Err(RuntimeError::Internal("a module without an image".to_string())),
        }
    }

    pub(crate) fn symbol(
        &mut self,
        name: &str,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<(DeviceAddress, u64), RuntimeError> {
        let loaded = self.load(memory, placed)?;
        loaded.variables.get(name).copied().ok_or_else(|| {
            RuntimeError::InvalidValue(format!("the module has no variable `{name}`"))
        })
    }

    pub(crate) fn kernel(
        &mut self,
        name: &str,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<Prepared, KernelError> {
        let loaded = self.load(memory, placed).map_err(|error| match error {
            RuntimeError::NotSupported(what) => {
                KernelError::Unsupported { what, place: format!("kernel `{}`", display(name)) }
            }
            other => KernelError::Invalid(other),
        })?;
        if let Some(known) = loaded.kernels.get(name) {
            return known.clone();
        }
        let prepared = loaded.lower(name);
        loaded.kernels.insert(name.to_string(), prepared.clone());
        prepared
    }

    /// The memory that the module's variables take.
    pub(crate) fn variables(&self) -> Vec<DeviceAddress> {
        match &self.loaded {
            Some(Ok(loaded)) => loaded.variables.values().map(|(address, _)| *address).collect(),
            _ => Vec::new(),
        }
    }

    /// Gives its variables their first values again, and hands them to `placed`.
    pub(crate) fn begin_anew(
        &self,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<(), RuntimeError> {
        let Some(Ok(loaded)) = &self.loaded else { return Ok(()) };
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
        match &self.loaded {
            Some(Ok(loaded)) => loaded.constants.clone(),
            _ => Vec::new(),
        }
    }

    /// The kernels of the module, mangled, in the order of the text.
    pub(crate) fn kernel_names(
        &mut self,
        memory: &DeviceMemory,
        placed: &mut Vec<PlacedVariable>,
    ) -> Result<Vec<String>, RuntimeError> {
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
    ) -> Result<Loaded, RuntimeError> {
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
    ) -> Result<(), RuntimeError> {
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

    fn variables_of_text(&self) -> Result<Vec<ModuleVariable>, RuntimeError> {
        module_variables(self.source.borrow_dependent())
            .map_err(|error| RuntimeError::NotSupported(error.to_string()))
    }

    /// Gives all variables their first values, where they lie.
    fn initialise_all(
        &self,
        variables: &[ModuleVariable],
        memory: &DeviceMemory,
    ) -> Result<(), RuntimeError> {
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
    ) -> Result<(), RuntimeError> {
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
                        return Err(RuntimeError::NotSupported(what));
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
            return Err(KernelError::Invalid(RuntimeError::InvalidDeviceFunction(what)));
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
                LowerError::Invalid(_) => {
                    let what = format!("kernel `{}`: {error}", display(name));
                    KernelError::Invalid(RuntimeError::InvalidDeviceFunction(what))
                }
            })
    }
}
