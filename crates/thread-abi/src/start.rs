//! The start of a process: our constructor.

use std::ffi::{c_char, c_int};

type Constructor = extern "C" fn(c_int, *const *const c_char, *mut *const c_char);

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: Constructor = construct;

/// Runs before every other constructor, and before `.preinit_array` of the program.
extern "C" fn construct(
    _count: c_int,
    _arguments: *const *const c_char,
    environment: *mut *const c_char,
) {
    crate::environment::set(environment);
    // SAFETY: there is one thread, and nothing of the program has run.
    unsafe { crate::takeover::take_over_program() };
    crate::intercept::passed_on::look_up();
    crate::own_code::look_for_others();
}
