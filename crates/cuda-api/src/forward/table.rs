//! Opening the real driver, and filling the slots of the library in front of it.

use super::{always_wrapped, order, wrapped_here};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::catch_unwind;
use std::sync::OnceLock;
use warpsan_gpu::{Driver, OpenLibrary, real_driver};
use warpsan_runtime::gpu_process;

/// The real driver, with what is put in front of it.
pub(super) struct Forwarding {
    library: OpenLibrary,
    /// Its functions that we call.
    pub(super) driver: Driver,
    /// Our function for the address of a real one.
    ours: HashMap<usize, *const c_void>,
}

// SAFETY: the pointers lead to functions, which all threads may call.
unsafe impl Send for Forwarding {}
// SAFETY: as above.
unsafe impl Sync for Forwarding {}

static FORWARDING: OnceLock<Option<Forwarding>> = OnceLock::new();

/// The real driver, if there is one.
pub(super) fn forwarding() -> Option<&'static Forwarding> {
    FORWARDING.get_or_init(open).as_ref()
}

/// Whether somebody has asked for the driver.
pub(super) fn is_open() -> bool {
    FORWARDING.get().is_some()
}

thread_local! {
    /// This thread is opening the driver, which may call functions of its own by their names already.
    static OPENING: Cell<bool> = const { Cell::new(false) };
}

fn open() -> Option<Forwarding> {
    let opened = match real_driver() {
        Some(file) => OpenLibrary::open(&file)
            .map_err(|error| format!("{} cannot be opened: {error}", file.display())),
        None => Err("there is no libcuda.so.1 besides warpsan's own".to_string()),
    };
    match opened {
        Ok(library) => Some(Forwarding::new(library)),
        Err(message) => {
            gpu_process::without_driver(&message);
            None
        }
    }
}

impl Forwarding {
    fn new(library: OpenLibrary) -> Forwarding {
        let mut ours = HashMap::new();
        for wrapped in wrapped_here() {
            let real = library.symbol(wrapped.name);
            if !real.is_null() {
                wrapped.real.set(real);
                ours.insert(real.addr(), wrapped.ours);
            }
        }
        Forwarding { library, driver: Driver::of(&library), ours }
    }

    /// The real function of a name, or null.
    pub(super) fn real(&self, name: &CStr) -> *mut c_void {
        self.library.symbol(name)
    }

    /// Our function in front of a real one, if there is one.
    pub(super) fn in_front_of(&self, real: *const c_void) -> Option<*const c_void> {
        self.ours.get(&real.addr()).copied()
    }

    /// A function whose address the driver gives out, although it exports none there, cannot be told apart
    /// from others by its address. If it may be one that leads here, then what it does is not seen.
    pub(super) fn note_unless_exported(&self, name: &CStr, real: *const c_void) {
        let name = name.to_string_lossy();
        let is_version_of = |wrapped: &str| {
            wrapped
                .strip_prefix(&*name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let here = |wrapped: &CStr| wrapped.to_str().is_ok_and(is_version_of);
        if !wrapped_here().any(|wrapped| here(wrapped.name)) {
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
        if order::wrapped().any(|wrapped| here(wrapped.name))
            && !always_wrapped().any(|wrapped| here(wrapped.name))
        {
            return gpu_process::order_is_not_seen();
        }
        gpu_process::not_seen(&format!("{name}, in a version that warpsan does not know"));
    }

    /// Where calls of a name go.
    fn target(&self, name: &CStr) -> *const c_void {
        let real = self.real(name);
        if real.is_null() {
            return absent as *const c_void;
        }
        self.in_front_of(real).unwrap_or(real)
    }
}

/// Stands for functions that the driver does not have.
extern "C" fn absent() -> c_int {
    const NOT_FOUND: c_int = 500;
    NOT_FOUND
}

/// Stands for all functions where there is no driver.
extern "C" fn no_driver() -> c_int {
    const NO_DEVICE: c_int = 100;
    NO_DEVICE
}

/// Fills the slots of the library in front of the driver, when the first of its functions is called. The names
/// follow one another, each with a zero behind it.
///
/// # Safety
/// There are `count` slots and `count` names, which both stay.
#[unsafe(no_mangle)]
unsafe extern "C" fn wsgpu_fill_table(
    slots: *mut *const c_void,
    names: *const c_char,
    count: usize,
) {
    // What is opening the driver fills the slots with better things afterwards.
    let is_opening = OPENING.replace(true);
    let forwarding = match is_opening {
        true => None,
        false => catch_unwind(forwarding).unwrap_or_default(),
    };
    OPENING.set(is_opening);
    let mut name = names;
    for index in 0..count {
        // SAFETY: it is one of the names, and the next one begins behind its zero.
        let this = unsafe { CStr::from_ptr(name) };
        let target = match forwarding {
            Some(forwarding) => forwarding.target(this),
            None => no_driver as *const c_void,
        };
        // SAFETY: a slot and a name for each number. Other threads read the slot as one word, and find a
        // function in it before and after.
        unsafe {
            std::sync::atomic::AtomicPtr::from_ptr(slots.add(index).cast::<*mut c_void>())
                .store(target.cast_mut(), std::sync::atomic::Ordering::Release);
            name = name.add(this.to_bytes_with_nul().len());
        }
    }
}
