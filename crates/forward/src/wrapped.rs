//! A function of the driver and ours in front of it.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// One function of the driver that leads to a function of ours.
pub(crate) struct Wrapped {
    /// Its name.
    pub(crate) name: &'static CStr,
    /// Ours.
    pub(crate) ours: *const c_void,
    /// The real one; null until it is known, and where the driver lacks it.
    pub(crate) real: &'static Real,
}

// SAFETY: the pointer leads to a function, which all threads may call.
unsafe impl Sync for Wrapped {}

/// The place of a real function.
pub(crate) struct Real(AtomicPtr<c_void>);

impl Real {
    /// Not known yet.
    pub(crate) const fn unknown() -> Real {
        Real(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// What it is now.
    pub(crate) fn get(&self) -> *mut c_void {
        self.0.load(Ordering::Acquire)
    }

    /// Says what it is.
    pub(crate) fn set(&self, function: *mut c_void) {
        self.0.store(function, Ordering::Release);
    }
}

/// A name as the dynamic linker takes it.
pub(crate) const fn c_name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("the text ends with its only zero"),
    }
}

/// Makes the list `WRAPPED` of a file: `function(arguments) = body: names;` stands for functions of those
/// names, which all have these arguments and do `body`. A body gets the real function and the hooks in a
/// [`Call`](crate::calls::Call). Without hooks, and inside of another call, only the real function is called.
macro_rules! forwards {
    ($(fn $arguments:tt = $body:ident: $($name:ident),+;)*) => {
        /// The functions of this file.
        pub(crate) static WRAPPED: &[$crate::wrapped::Wrapped] = &[
            $($($crate::wrapped::forward_one!($name, $body, $arguments),)+)*
        ];
    };
}

/// One entry of such a list.
macro_rules! forward_one {
    ($name:ident, $body:ident, ($($argument:ident: $type:ty),* $(,)?)) => {{
        static REAL: $crate::wrapped::Real = $crate::wrapped::Real::unknown();

        unsafe extern "C" fn ours($($argument: $type),*) -> warpsan_gpu::CUresult {
            type Function = unsafe extern "C" fn($($type),*) -> warpsan_gpu::CUresult;
            // SAFETY: null is none, and what the driver has under this name has this type.
            let real = unsafe {
                std::mem::transmute::<*mut std::ffi::c_void, Option<Function>>(REAL.get())
            };
            let Some(real) = real else { return warpsan_gpu::CUresult::NOT_FOUND };
            $crate::calls::forward(
                stringify!($name),
                real,
                // SAFETY: the program's own call.
                |real| unsafe { real($($argument),*) },
                // SAFETY: the body gets what the program passed.
                |call| unsafe { $body(call, $($argument),*) },
            )
        }

        $crate::wrapped::Wrapped {
            name: $crate::wrapped::c_name(concat!(stringify!($name), "\0")),
            ours: ours as *const std::ffi::c_void,
            real: &REAL,
        }
    }};
}

pub(crate) use {forward_one, forwards};
