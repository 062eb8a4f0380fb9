//! Which host addresses stand for which kernels and variables.

use crate::error::CudaError;
use crate::handles::HandleTable;
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use warpsan_runtime::{DeviceAddress, KernelId, ModuleId, ModuleImage, Session};

/// Magic number of the wrapper in `.nvFatBinSegment`.
const WRAPPER_MAGIC: u32 = 0x4662_43B1;
/// Magic number of a fat-binary container.
const CONTAINER_MAGIC: u32 = 0xBA55_ED50;

/// The wrapper that a program passes to `__cudaRegisterFatBinary`.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    container: *const ContainerHeader,
    /// With [`VERSION_OF_LINKED_PROGRAM`]: the containers of the units, up to a null pointer.
    units: *const *const ContainerHeader,
}

/// The version of the wrapper of a program that was compiled with `-rdc=true`.
const VERSION_OF_LINKED_PROGRAM: u32 = 2;

/// The beginning of a fat-binary container; `size` counts what follows the header.
#[repr(C)]
pub(crate) struct ContainerHeader {
    magic: u32,
    _version: u16,
    header_size: u16,
    size: u64,
}

/// The code, kernels and variables that the program has registered.
#[derive(Default)]
pub(crate) struct Registry {
    modules: HandleTable<Module>,
    functions: BTreeMap<usize, Function>,
    variables: BTreeMap<usize, Variable>,
}

struct Module {
    image: RegisteredCode,
    loaded: Option<ModuleId>,
    managed_variables: Vec<ManagedVariable>,
}

/// Code as the program has it.
enum RegisteredCode {
    /// A fat binary of the program.
    Container(&'static [u8]),
    /// The fat binaries of the units of a program that was compiled with `-rdc=true`.
    Units(Vec<&'static [u8]>),
    /// Code that the session has taken already.
    Taken,
}

struct ManagedVariable {
    /// The address at which the program keeps its pointer to the variable.
    pointer: usize,
    name: String,
}

/// A kernel under the host address that stands for it.
pub(crate) struct Function {
    module: usize,
    /// The device name, kept as the C string that `cudaFuncGetName` hands out.
    pub(crate) name: CString,
    kernel: Option<KernelId>,
    /// What the attributes of this kernel are set to.
    pub(crate) settings: FunctionSettings,
}

/// What a program has set for a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionSettings {
    /// What `cudaFuncSetAttribute` allowed this kernel to ask for.
    pub(crate) max_dynamic_shared_bytes: Option<u32>,
    /// A hint that is kept only to be read back.
    pub(crate) preferred_shared_carveout: i32,
    /// Clusters that the kernel has to be launched with; a zero is not set.
    pub(crate) required_cluster: [i32; 3],
    /// Whether clusters may be larger than every device of the architecture allows.
    pub(crate) non_portable_cluster_allowed: i32,
    /// A hint that is kept only to be read back.
    pub(crate) cluster_scheduling_policy: i32,
}

impl Default for FunctionSettings {
    fn default() -> Self {
        FunctionSettings {
            max_dynamic_shared_bytes: None,
            preferred_shared_carveout: -1,
            required_cluster: [0; 3],
            non_portable_cluster_allowed: 0,
            cluster_scheduling_policy: 0,
        }
    }
}

struct Variable {
    module: usize,
    name: String,
}

impl Registry {
    /// Takes in a fat binary and gives the handle under which its parts are registered.
    ///
    /// # Safety
    /// `wrapper` points to a fat-binary wrapper as nvcc emits it, or to anything readable that does
    /// not start with its magic number; what it points to stays until it is unregistered.
    pub(crate) unsafe fn add_module(&mut self, wrapper: *const c_void) -> usize {
        // SAFETY: passed on from the caller.
        let image = unsafe { code_of(wrapper.cast()) };
        // An image that cannot be recognised fails at its first use, where it can be reported.
        let image = image.unwrap_or(RegisteredCode::Container(&[]));
        self.modules.insert(Module { image, loaded: None, managed_variables: Vec::new() })
    }

    /// Takes in a module that the session has already, and gives its handle.
    pub(crate) fn add_loaded_module(&mut self, module: ModuleId) -> usize {
        let image = RegisteredCode::Taken;
        self.modules.insert(Module { image, loaded: Some(module), managed_variables: Vec::new() })
    }

    /// Forgets a fat binary and all that was registered under it.
    pub(crate) fn remove_module(&mut self, handle: usize) -> Option<ModuleId> {
        self.functions.retain(|_, function| function.module != handle);
        self.variables.retain(|_, variable| variable.module != handle);
        self.modules.remove(handle).and_then(|module| module.loaded)
    }

    pub(crate) fn add_function(&mut self, module: usize, host: *const c_void, name: CString) {
        let function =
            Function { module, name, kernel: None, settings: FunctionSettings::default() };
        self.functions.insert(host.addr(), function);
    }

    pub(crate) fn add_variable(&mut self, module: usize, host: *const c_void, name: String) {
        self.variables.insert(host.addr(), Variable { module, name });
    }

    /// A managed variable: the program reads and writes it through `pointer`, which
    /// [`Registry::initialise_managed_variables`] sets.
    pub(crate) fn add_managed_variable(
        &mut self,
        module: usize,
        pointer: *mut *mut c_void,
        name: String,
    ) {
        self.add_variable(module, pointer.cast(), name.clone());
        if let Some(module) = self.modules.get_mut(module) {
            let pointer = pointer.expose_provenance();
            module.managed_variables.push(ManagedVariable { pointer, name });
        }
    }

    /// Points the program's managed variables at their memory.
    ///
    /// # Safety
    /// The pointers that were registered still belong to the program's image.
    pub(crate) unsafe fn initialise_managed_variables(
        &mut self,
        session: &mut Session,
        handle: usize,
    ) -> Result<(), CudaError> {
        let module = self.load(session, handle)?;
        let variables = self.modules.get(handle).map(|module| &module.managed_variables);
        for variable in variables.into_iter().flatten() {
            let (address, _) = session.symbol(module, &variable.name)?;
            let address: *mut c_void = std::ptr::with_exposed_provenance_mut(address.0 as usize);
            let pointer: *mut *mut c_void = std::ptr::with_exposed_provenance_mut(variable.pointer);
            // SAFETY: the program registered this place for the pointer to its variable.
            unsafe { pointer.write(address) };
            // In host code the variable's name now means its memory, so that is what a program
            // passes where a symbol is asked for.
            let name = variable.name.clone();
            self.variables.insert(address.addr(), Variable { module: handle, name });
        }
        Ok(())
    }

    pub(crate) fn function(&mut self, host: *const c_void) -> Result<&mut Function, CudaError> {
        let unknown = if host.is_null() {
            CudaError::INVALID_DEVICE_FUNCTION
        } else {
            CudaError::INVALID_RESOURCE_HANDLE
        };
        self.functions.get_mut(&host.addr()).ok_or(unknown)
    }

    /// The kernel behind a host address; its module is loaded when this is its first use.
    pub(crate) fn kernel(
        &mut self,
        session: &mut Session,
        host: *const c_void,
    ) -> Result<KernelId, CudaError> {
        let function = self.function(host)?;
        if let Some(kernel) = function.kernel {
            return Ok(kernel);
        }
        let name = function.name.to_string_lossy().into_owned();
        let handle = function.module;
        let module = self.load(session, handle)?;
        let kernel = session.kernel(module, &name)?;
        self.function(host)?.kernel = Some(kernel);
        Ok(kernel)
    }

    /// Address and size of the device variable behind a host address.
    pub(crate) fn variable(
        &mut self,
        session: &mut Session,
        host: *const c_void,
    ) -> Result<(DeviceAddress, u64), CudaError> {
        let variable = self.variables.get(&host.addr()).ok_or(CudaError::INVALID_SYMBOL)?;
        let (handle, name) = (variable.module, variable.name.clone());
        let module = self.load(session, handle)?;
        Ok(session.symbol(module, &name)?)
    }

    fn load(&mut self, session: &mut Session, handle: usize) -> Result<ModuleId, CudaError> {
        let module = self.modules.get_mut(handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        if let Some(loaded) = module.loaded {
            return Ok(loaded);
        }
        let loaded = match &module.image {
            RegisteredCode::Container(bytes) => session.load_module(ModuleImage::FatBinary(bytes)),
            RegisteredCode::Units(units) => session.load_module(ModuleImage::Units(units)),
            RegisteredCode::Taken => return Err(CudaError::INVALID_RESOURCE_HANDLE),
        };
        module.loaded = Some(loaded);
        Ok(loaded)
    }
}

/// The code behind a wrapper.
///
/// # Safety
/// As for [`Registry::add_module`].
unsafe fn code_of(wrapper: *const Wrapper) -> Option<RegisteredCode> {
    // SAFETY: the caller passes a wrapper, or something readable that is not one.
    let wrapper = unsafe { wrapper.as_ref() }?;
    if wrapper.magic != WRAPPER_MAGIC {
        return None;
    }
    if wrapper.version == VERSION_OF_LINKED_PROGRAM && !wrapper.units.is_null() {
        // SAFETY: such a wrapper points to a list that ends with a null pointer.
        return Some(RegisteredCode::Units(unsafe { units_of(wrapper.units) }?));
    }
    // SAFETY: a wrapper points to a container or nowhere.
    unsafe { container_at(wrapper.container) }.map(RegisteredCode::Container)
}

/// The containers of a list that ends with a null pointer.
///
/// # Safety
/// The list does end so, and its pointers are to containers.
unsafe fn units_of(list: *const *const ContainerHeader) -> Option<Vec<&'static [u8]>> {
    let mut units = Vec::new();
    loop {
        // SAFETY: the null pointer at the end has not been seen yet.
        let unit = unsafe { *list.add(units.len()) };
        if unit.is_null() {
            return Some(units);
        }
        // SAFETY: the list has pointers to containers.
        units.push(unsafe { container_at(unit) }?);
    }
}

/// A container with the length that its header states.
///
/// # Safety
/// `header` is null, or points to a container or to something readable that is none.
pub(crate) unsafe fn container_at(header: *const ContainerHeader) -> Option<&'static [u8]> {
    let start: *const u8 = header.cast();
    // SAFETY: passed on from the caller.
    let header = unsafe { header.as_ref() }?;
    if header.magic != CONTAINER_MAGIC {
        return None;
    }
    let length = usize::from(header.header_size).checked_add(usize::try_from(header.size).ok()?)?;
    // SAFETY: the container is mapped for the length that its header states, and stays mapped
    // until the program unregisters it; after that the registry does not touch it.
    Some(unsafe { std::slice::from_raw_parts(start, length) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Container {
        header: ContainerHeader,
        body: [u8; 8],
    }

    fn container(magic: u32) -> Container {
        Container {
            header: ContainerHeader { magic, _version: 1, header_size: 16, size: 8 },
            body: [7; 8],
        }
    }

    fn wrap(magic: u32, container: &Container) -> Wrapper {
        Wrapper {
            magic,
            version: 1,
            container: &raw const container.header,
            units: std::ptr::null(),
        }
    }

    #[test]
    fn the_container_behind_a_wrapper_has_the_length_of_its_header() {
        let container = container(CONTAINER_MAGIC);
        let wrapper = wrap(WRAPPER_MAGIC, &container);
        // SAFETY: both structures live to the end of the test.
        let code = unsafe { code_of(&raw const wrapper) };
        let Some(RegisteredCode::Container(image)) = code else { panic!("a container") };
        assert_eq!(image.len(), 24);
        assert_eq!(image[16..], [7; 8]);
    }

    #[test]
    fn what_is_no_fat_binary_is_refused() {
        let container = container(0x1234);
        let wrapper = wrap(WRAPPER_MAGIC, &container);
        // SAFETY: both structures live to the end of the test.
        assert!(unsafe { code_of(&raw const wrapper) }.is_none());
        let wrapper = wrap(0x1234, &container);
        // SAFETY: as above.
        assert!(unsafe { code_of(&raw const wrapper) }.is_none());
        // SAFETY: a null pointer is allowed.
        assert!(unsafe { code_of(std::ptr::null()) }.is_none());
    }
    #[test]
    fn a_linked_program_has_the_containers_of_its_units() {
        let (first, second) = (container(CONTAINER_MAGIC), container(CONTAINER_MAGIC));
        let list = [&raw const first.header, &raw const second.header, std::ptr::null()];
        let mut wrapper = wrap(WRAPPER_MAGIC, &first);
        wrapper.version = VERSION_OF_LINKED_PROGRAM;
        wrapper.units = list.as_ptr();
        // SAFETY: everything lives to the end of the test, and the list ends with a null pointer.
        let code = unsafe { code_of(&raw const wrapper) };
        let Some(RegisteredCode::Units(units)) = code else { panic!("units") };
        assert_eq!(units.len(), 2);
        assert_eq!(units[1].as_ptr(), (&raw const second).cast());
    }

    #[test]
    fn a_kernel_that_is_not_known_is_no_handle_and_null_is_no_function() {
        let mut registry = Registry::default();
        let nothing = registry.function(std::ptr::null()).err();
        assert_eq!(nothing, Some(CudaError::INVALID_DEVICE_FUNCTION));
        let unknown = registry.function(std::ptr::without_provenance(0x1234)).err();
        assert_eq!(unknown, Some(CudaError::INVALID_RESOURCE_HANDLE));
    }
}
