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
    _version: u32,
    container: *const ContainerHeader,
    _prelinked: *const c_void,
}

/// The beginning of a fat-binary container; `size` counts what follows the header.
#[repr(C)]
struct ContainerHeader {
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
    image: &'static [u8],
    loaded: Option<ModuleId>,
    managed_variables: Vec<ManagedVariable>,
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
    /// What `cudaFuncSetAttribute` allowed this kernel to ask for.
    pub(crate) max_dynamic_shared_bytes: Option<u32>,
    /// A hint that is kept only to be read back.
    pub(crate) preferred_shared_carveout: i32,
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
        let image = unsafe { container_of(wrapper.cast()) };
        // An image that cannot be recognised fails at its first use, where it can be reported.
        let image = image.unwrap_or(&[]);
        self.modules.insert(Module { image, loaded: None, managed_variables: Vec::new() })
    }

    /// Forgets a fat binary and all that was registered under it.
    pub(crate) fn remove_module(&mut self, handle: usize) -> Option<ModuleId> {
        self.functions.retain(|_, function| function.module != handle);
        self.variables.retain(|_, variable| variable.module != handle);
        self.modules.remove(handle).and_then(|module| module.loaded)
    }

    pub(crate) fn add_function(&mut self, module: usize, host: *const c_void, name: CString) {
        let function = Function {
            module,
            name,
            kernel: None,
            max_dynamic_shared_bytes: None,
            preferred_shared_carveout: -1,
        };
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
        self.functions.get_mut(&host.addr()).ok_or(CudaError::INVALID_DEVICE_FUNCTION)
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
        let image = ModuleImage::FatBinary(module.image);
        Ok(*module.loaded.get_or_insert_with(|| session.load_module(image)))
    }
}

/// The container behind a wrapper, with the length that its header states.
///
/// # Safety
/// As for [`Registry::add_module`].
unsafe fn container_of(wrapper: *const Wrapper) -> Option<&'static [u8]> {
    // SAFETY: the caller passes a wrapper, or something readable that is not one.
    let wrapper = unsafe { wrapper.as_ref() }?;
    if wrapper.magic != WRAPPER_MAGIC {
        return None;
    }
    // SAFETY: a wrapper points to a container or nowhere.
    let header = unsafe { wrapper.container.as_ref() }?;
    if header.magic != CONTAINER_MAGIC {
        return None;
    }
    let length = usize::from(header.header_size).checked_add(usize::try_from(header.size).ok()?)?;
    // SAFETY: the container is mapped for the length that its header states, and stays mapped
    // until the program unregisters it; after that the registry does not touch it.
    Some(unsafe { std::slice::from_raw_parts(wrapper.container.cast(), length) })
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
            _version: 1,
            container: &raw const container.header,
            _prelinked: std::ptr::null(),
        }
    }

    #[test]
    fn the_container_behind_a_wrapper_has_the_length_of_its_header() {
        let container = container(CONTAINER_MAGIC);
        let wrapper = wrap(WRAPPER_MAGIC, &container);
        // SAFETY: both structures live to the end of the test.
        let image = unsafe { container_of(&raw const wrapper) }.expect("a container");
        assert_eq!(image.len(), 24);
        assert_eq!(image[16..], [7; 8]);
    }

    #[test]
    fn what_is_no_fat_binary_is_refused() {
        let container = container(0x1234);
        let wrapper = wrap(WRAPPER_MAGIC, &container);
        // SAFETY: both structures live to the end of the test.
        assert!(unsafe { container_of(&raw const wrapper) }.is_none());
        let wrapper = wrap(0x1234, &container);
        // SAFETY: as above.
        assert!(unsafe { container_of(&raw const wrapper) }.is_none());
        // SAFETY: a null pointer is allowed.
        assert!(unsafe { container_of(std::ptr::null()) }.is_none());
    }
}
