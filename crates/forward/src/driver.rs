//! The real driver, once it is open, and which of its functions have ours in front of them.

use crate::wrapped::Wrapped;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;
use warpsan_gpu::{Driver, OpenLibrary, real_driver};
use warpsan_runtime::gpu_process;

/// The functions of the driver that have ours in front of them.
pub(crate) struct WrappedFunctions {
    /// Those that lead here whatever the engine wants to know.
    pub(crate) always: Vec<&'static Wrapped>,
    /// Those that put work into an order.
    pub(crate) order: Vec<&'static Wrapped>,
    /// Whether `order` leads here in this process.
    pub(crate) wants_order: bool,
}

impl WrappedFunctions {
    /// Those that lead here in this process.
    fn here(&self) -> impl Iterator<Item = &'static Wrapped> {
        let order = if self.wants_order { &self.order[..] } else { &[] };
        self.always.iter().chain(order).copied()
    }
}

/// The real driver, with what is put in front of it.
pub(crate) struct Forwarding {
    library: OpenLibrary,
    /// Its functions that we call.
    pub(crate) driver: Driver,
    wrapped: WrappedFunctions,
    /// Our function for the address of a real one.
    ours: HashMap<usize, *const c_void>,
}

// SAFETY: the pointers lead to functions, which all threads may call.
unsafe impl Send for Forwarding {}
// SAFETY: as above.
unsafe impl Sync for Forwarding {}

/// Empty until the first function of the driver is called; then none where there is no driver.
static FORWARDING: OnceLock<Option<Forwarding>> = OnceLock::new();

/// The real driver, if there is one. The first call opens it, and puts these functions in front of it.
pub(crate) fn open(wrapped: impl FnOnce() -> WrappedFunctions) -> Option<&'static Forwarding> {
    FORWARDING
        .get_or_init(|| find_library().map(|library| Forwarding::new(library, wrapped())))
        .as_ref()
}

/// The real driver, if it is open. It is whenever a function of ours is called: nothing leads to one before.
pub(crate) fn forwarding() -> Option<&'static Forwarding> {
    FORWARDING.get()?.as_ref()
}

/// Whether somebody has asked for the driver.
pub(crate) fn is_open() -> bool {
    FORWARDING.get().is_some()
}

fn find_library() -> Option<OpenLibrary> {
    let opened = match real_driver() {
        Some(file) => OpenLibrary::open(&file)
            .map_err(|error| format!("{} cannot be opened: {error}", file.display())),
        None => Err("there is no libcuda.so.1 besides warpsan's own".to_string()),
    };
    opened.map_err(|message| gpu_process::without_driver(&message)).ok()
}

impl Forwarding {
    fn new(library: OpenLibrary, wrapped: WrappedFunctions) -> Forwarding {
        let mut ours = HashMap::new();
        for wrapped in wrapped.here() {
            let real = library.symbol(wrapped.name);
            if !real.is_null() {
                wrapped.real.set(real);
                ours.insert(real.addr(), wrapped.ours);
            }
        }
        Forwarding { library, driver: Driver::of(&library), wrapped, ours }
    }

    /// The real function of a name, or null.
    pub(crate) fn real(&self, name: &CStr) -> *mut c_void {
        self.library.symbol(name)
    }

    /// Our function in front of a real one, if there is one.
    pub(crate) fn in_front_of(&self, real: *const c_void) -> Option<*const c_void> {
        self.ours.get(&real.addr()).copied()
    }

    /// A function whose address the driver gives out, although it exports none there, cannot be distinguished
    /// from others by its address. If it may be one that leads here, then what it does is not seen.
    pub(crate) fn note_unless_exported(&self, name: &CStr, real: *const c_void) {
        let name = name.to_string_lossy();
        let is_version_of = |wrapped: &str| {
            wrapped
                .strip_prefix(&*name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let is_one = |wrapped: &Wrapped| wrapped.name.to_str().is_ok_and(is_version_of);
        if !self.wrapped.here().any(is_one) {
            return;
        }
        for version in ["", "_v2", "_v3", "_v4"] {
            for variant in ["", "_ptsz", "_ptds"] {
                let exported = CString::new(format!("{name}{version}{variant}"));
                if exported.is_ok_and(|exported| self.real(&exported).cast_const() == real) {
                    return;
                }
            }
        }
        let is_any = |list: &[&Wrapped]| list.iter().any(|wrapped| is_one(wrapped));
        if is_any(&self.wrapped.order) && !is_any(&self.wrapped.always) {
            return gpu_process::order_is_not_seen();
        }
        gpu_process::not_seen(&format!("{name}, in a version that warpsan does not know"));
    }
}
