//! Functions of the C library that we do nothing about, and have to name all the same.
//!
//! A program that was linked with the compilers' runtime asks for what that exports without a version, and then the dynamic linker takes
//! the oldest version that the C library has, such as condition variables of another layout. These are all that have an old version;
//! they lead to the default one.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::linker::function_behind;

macro_rules! passed_on {
    ($($name:ident),* $(,)?) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                std::arch::naked_asm!("jmp qword ptr [rip + {slot}]", slot = sym slots::$name)
            }
        )*

        /// Where each leads to.
        mod slots {
            use std::sync::atomic::AtomicUsize;
            $(
                #[allow(non_upper_case_globals)]
                pub(super) static $name: AtomicUsize = AtomicUsize::new(0);
            )*
        }

        /// Looks all of them up, once, before the program's first instruction.
        pub(crate) fn look_up() {
            $(set(&slots::$name, concat!(stringify!($name), "\0"));)*
        }
    };
}

fn set(slot: &AtomicUsize, name: &'static str) {
    let name = std::ffi::CStr::from_bytes_until_nul(name.as_bytes()).unwrap_or(c"");
    let missing = missing as *const () as usize;
    slot.store(function_behind(name).unwrap_or(missing), Ordering::Relaxed);
}

/// What stands for a function that this C library does not have: the program cannot have been linked with it.
extern "C" fn missing() -> ! {
    crate::linker::is_missing("a function")
}

passed_on! {
    __pthread_mutex_unlock, clock_getcpuclockid, clock_settime, dlopen, fmemopen, glob,
    glob64, posix_spawn, posix_spawnp, pthread_attr_getaffinity_np, pthread_attr_getguardsize, pthread_attr_getstack,
    pthread_attr_getstacksize, pthread_barrierattr_getpshared, pthread_cond_broadcast, pthread_cond_destroy,
    pthread_cond_init, pthread_cond_signal, pthread_condattr_getclock, pthread_condattr_getpshared,
    pthread_getaffinity_np, pthread_getcpuclockid, pthread_getname_np, pthread_kill,
    pthread_mutexattr_getprioceiling, pthread_mutexattr_getprotocol, pthread_mutexattr_getpshared,
    pthread_mutexattr_getrobust, pthread_mutexattr_getrobust_np, pthread_mutexattr_gettype, pthread_rwlock_init,
    pthread_rwlockattr_getkind_np, pthread_rwlockattr_getpshared, pthread_sigmask, pthread_spin_init,
    regexec, sched_getaffinity, sem_getvalue, sem_init, sem_open, sem_unlink, xdr_bool, xdr_bytes, xdr_char,
    xdr_double, xdr_enum, xdr_float, xdr_hyper, xdr_int, xdr_int16_t, xdr_int32_t, xdr_int64_t, xdr_int8_t, xdr_long,
    xdr_longlong_t, xdr_quad_t, xdr_short, xdr_string, xdr_u_char, xdr_u_hyper, xdr_u_int, xdr_u_long,
    xdr_u_longlong_t, xdr_u_quad_t, xdr_u_short, xdr_uint16_t, xdr_uint32_t, xdr_uint64_t, xdr_uint8_t,
    xdrmem_create, xdrrec_create, xdrstdio_create,
}
