//! Which kernel a handle stands for.

use super::Engine;
use crate::driver_types::{CUfunction, CUkernel, CUlibrary, CUmodule};
use crate::hooks::CodeContainer;
use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// A kernel of code that the program has loaded.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) container: CodeContainer,
    pub(super) name: Arc<str>,
    /// The function in the current context, for questions about it.
    pub(super) function: CUfunction,
}

/// Kernels by the handle that launches use. A handle of a function belongs to one context.
#[derive(Debug, Default)]
pub(super) struct Identities {
    known: HashMap<CUfunction, Option<Identity>>,
    libraries: HashMap<CUmodule, CUlibrary>,
}

impl Identities {
    pub(super) fn forget(&mut self, container: CodeContainer) {
        self.known
            .retain(|_, known| known.as_ref().is_none_or(|known| known.container != container));
        if let CodeContainer::Library(library) = container {
            self.libraries.retain(|_, known| *known != library);
        }
    }

    pub(super) fn forget_all(&mut self) {
        *self = Identities::default();
    }

    /// The kernel behind a handle; none if the driver does not tell.
    pub(super) fn of(
        &mut self,
        engine: &Engine,
        handle: CUfunction,
        libraries: impl Iterator<Item = CUlibrary>,
    ) -> Option<Identity> {
        if let Some(known) = self.known.get(&handle) {
            return known.clone();
        }
        let found =
            self.as_function(engine, handle, libraries).or_else(|| as_kernel(engine, handle));
        self.known.insert(handle, found.clone());
        found
    }

    fn as_function(
        &mut self,
        engine: &Engine,
        handle: CUfunction,
        libraries: impl Iterator<Item = CUlibrary>,
    ) -> Option<Identity> {
        let driver = engine.driver;
        let mut module = CUmodule::NULL;
        // SAFETY: the driver knows its own handles, and answers an error for those of another kind.
        unsafe { driver.cuFuncGetModule(&mut module, handle) }.ok().ok()?;
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: a function of the driver.
        unsafe { driver.cuFuncGetName(&mut name, handle) }.ok().ok()?;
        let name = text(name)?;
        if !self.libraries.contains_key(&module) {
            for library in libraries {
                let mut of_library = CUmodule::NULL;
                // SAFETY: a library that the program has loaded.
                if unsafe { driver.cuLibraryGetModule(&mut of_library, library) }.is_success() {
                    self.libraries.insert(of_library, library);
                }
            }
        }
        let container = match self.libraries.get(&module) {
            Some(library) => CodeContainer::Library(*library),
            None => CodeContainer::Module(module),
        };
        Some(Identity { container, name, function: handle })
    }
}

fn as_kernel(engine: &Engine, handle: CUfunction) -> Option<Identity> {
    let driver = engine.driver;
    let kernel = CUkernel(handle.0);
    let mut library = CUlibrary::NULL;
    // SAFETY: launches take kernels in place of functions, as the same number.
    unsafe { driver.cuKernelGetLibrary(&mut library, kernel) }.ok().ok()?;
    let mut name: *const c_char = std::ptr::null();
    // SAFETY: a kernel of the driver.
    unsafe { driver.cuKernelGetName(&mut name, kernel) }.ok().ok()?;
    let mut function = CUfunction::NULL;
    // SAFETY: the same.
    unsafe { driver.cuKernelGetFunction(&mut function, kernel) }.ok().ok()?;
    Some(Identity { container: CodeContainer::Library(library), name: text(name)?, function })
}

fn text(name: *const c_char) -> Option<Arc<str>> {
    if name.is_null() {
        return None;
    }
    // SAFETY: names of the driver end with a zero and stay as long as the code.
    let name = unsafe { CStr::from_ptr(name) };
    Some(Arc::from(&*name.to_string_lossy()))
}
