//! Which kernel a handle stands for.

use super::Engine;
use super::code::Code;
use crate::driver_types::{CUcontext, CUfunction, CUkernel, CUlibrary, CUmodule};
use crate::hooks::CodeContainer;
use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::{Arc, Mutex};

/// A kernel of code that the program has loaded.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) container: CodeContainer,
    pub(super) name: Arc<str>,
    /// The function in its context, for questions about it.
    pub(super) function: CUfunction,
    /// The handle is not that function, but a kernel of a library.
    pub(super) by_kernel: bool,
}

/// Kernels by context and the handle that launches use. A kernel of a library has a function in each context.
#[derive(Debug, Default)]
pub(super) struct Identities {
    known: HashMap<(CUcontext, CUfunction), Option<Identity>>,
    /// The libraries that modules of contexts belong to.
    libraries: HashMap<(CUcontext, CUmodule), CUlibrary>,
}

impl Identities {
    pub(super) fn forget(&mut self, container: CodeContainer) {
        self.known
            .retain(|_, known| known.as_ref().is_none_or(|known| known.container != container));
        if let CodeContainer::Library(library) = container {
            self.libraries.retain(|_, known| *known != library);
        }
    }

    pub(super) fn forget_context(&mut self, context: CUcontext) {
        self.known.retain(|(of, _), _| *of != context);
        self.libraries.retain(|(of, _), _| *of != context);
    }

    /// The kernel behind a handle, of code that was loaded; none if the driver does not know it. The context is current.
    pub(super) fn of(
        &mut self,
        engine: &Engine,
        context: CUcontext,
        handle: CUfunction,
        code: &HashMap<CodeContainer, Arc<Mutex<Code>>>,
    ) -> Option<Identity> {
        if let Some(known) = self.known.get(&(context, handle)) {
            return known.clone();
        }
        let found =
            self.as_function(engine, context, handle, code).or_else(|| as_kernel(engine, handle));
        self.known.insert((context, handle), found.clone());
        found
    }

    fn as_function(
        &mut self,
        engine: &Engine,
        context: CUcontext,
        handle: CUfunction,
        code: &HashMap<CodeContainer, Arc<Mutex<Code>>>,
    ) -> Option<Identity> {
        let driver = engine.driver;
        let mut module = CUmodule::NULL;
        // SAFETY: the driver knows its own handles, and answers an error for those of another kind.
        unsafe { driver.cuFuncGetModule(&mut module, handle) }.ok().ok()?;
        let mut in_driver: *const c_char = std::ptr::null();
        // SAFETY: a function of the driver.
        unsafe { driver.cuFuncGetName(&mut in_driver, handle) }.ok().ok()?;
        let name = text(in_driver)?;
        let place = (context, module);
        if !self.libraries.contains_key(&place)
            && !code.contains_key(&CodeContainer::Module(module))
        {
            self.find_library(engine, place, (handle, in_driver), code);
        }
        let container = match self.libraries.get(&place) {
            Some(library) => CodeContainer::Library(*library),
            None => CodeContainer::Module(module),
        };
        Some(Identity { container, name, function: handle, by_kernel: false })
    }

    /// Finds the library that a module belongs to, by a function of it. To ask libraries for their modules would
    /// load them all.
    fn find_library(
        &mut self,
        engine: &Engine,
        (context, module): (CUcontext, CUmodule),
        (handle, name): (CUfunction, *const c_char),
        code: &HashMap<CodeContainer, Arc<Mutex<Code>>>,
    ) {
        let driver = engine.driver;
        let libraries = code.keys().filter_map(|container| match container {
            CodeContainer::Library(library) => Some(*library),
            CodeContainer::Module(_) => None,
        });
        let has_it = |library: &CUlibrary| {
            let (mut kernel, mut function) = (CUkernel::NULL, CUfunction::NULL);
            // SAFETY: a library that the program has loaded, a name of the driver's, and places for handles.
            unsafe {
                driver.cuLibraryGetKernel(&mut kernel, *library, name).is_success()
                    && driver.cuKernelGetFunction(&mut function, kernel).is_success()
                    && function == handle
            }
        };
        if let Some(library) = libraries.clone().find(has_it) {
            self.libraries.insert((context, module), library);
            return;
        }
        for library in libraries {
            let mut of_library = CUmodule::NULL;
            // SAFETY: a library that the program has loaded.
            if unsafe { driver.cuLibraryGetModule(&mut of_library, library) }.is_success() {
                self.libraries.insert((context, of_library), library);
            }
        }
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
    let container = CodeContainer::Library(library);
    Some(Identity { container, name: text(name)?, function, by_kernel: true })
}

fn text(name: *const c_char) -> Option<Arc<str>> {
    if name.is_null() {
        return None;
    }
    // SAFETY: names of the driver end with a zero and stay as long as the code.
    let name = unsafe { CStr::from_ptr(name) };
    Some(Arc::from(&*name.to_string_lossy()))
}
