//! Where our own code is: this library, and the one for CUDA, which stands behind it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::linker;

unsafe extern "C" {
    #[link_name = "__ehdr_start"]
    static LIBRARY_START: u8;
    #[link_name = "etext"]
    static CODE_END: u8;
}

/// The addresses of the library for CUDA, if it is loaded.
static CUDA_START: AtomicU64 = AtomicU64::new(0);
static CUDA_END: AtomicU64 = AtomicU64::new(0);

/// Looks for the library for CUDA, once, at the start.
pub(crate) fn look_for_others() {
    if let Some(addresses) = linker::addresses_of(b"libwarpsan_rt.so") {
        CUDA_START.store(addresses.start, Ordering::Relaxed);
        CUDA_END.store(addresses.end, Ordering::Relaxed);
    }
}

/// Whether an address is within our code. What it calls is not the program's.
#[inline]
pub(crate) fn contains(address: u64) -> bool {
    let own = &raw const LIBRARY_START as u64..&raw const CODE_END as u64;
    let cuda = CUDA_START.load(Ordering::Relaxed)..CUDA_END.load(Ordering::Relaxed);
    own.contains(&address) || cuda.contains(&address)
}
