//! Filling the slots of the library in front of the real driver.

use crate::driver::{self, Forwarding};
use crate::functions;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::catch_unwind;

thread_local! {
    /// This thread is opening the driver, which may call functions of its own by their names already.
    static OPENING: Cell<bool> = const { Cell::new(false) };
}

/// Where calls of a name go.
fn target(forwarding: &Forwarding, name: &CStr) -> *const c_void {
    let real = forwarding.real(name);
    if real.is_null() {
        return absent as *const c_void;
    }
    forwarding.in_front_of(real).unwrap_or(real)
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
        false => catch_unwind(|| driver::open(functions::wrapped)).unwrap_or_default(),
    };
    OPENING.set(is_opening);
    let mut name = names;
    for index in 0..count {
        // SAFETY: it is one of the names, and the next one begins behind its zero.
        let this = unsafe { CStr::from_ptr(name) };
        let target = match forwarding {
            Some(forwarding) => target(forwarding, this),
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
