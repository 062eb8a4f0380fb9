//! Where code is that is not the program's: ours, and the C library's.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::linker;

unsafe extern "C" {
    #[link_name = "__ehdr_start"]
    static LIBRARY_START: u8;
    #[link_name = "etext"]
    static CODE_END: u8;
}

/// The addresses of a library.
struct Addresses {
    start: AtomicU64,
    end: AtomicU64,
}

impl Addresses {
    const fn unknown() -> Addresses {
        Addresses { start: AtomicU64::new(0), end: AtomicU64::new(0) }
    }

    fn look_for(&self, name: &[u8]) {
        if let Some(addresses) = linker::addresses_of(name) {
            self.start.store(addresses.start, Ordering::Relaxed);
            self.end.store(addresses.end, Ordering::Relaxed);
        }
    }

    #[inline]
    fn contains(&self, address: u64) -> bool {
        let (start, end) = (self.start.load(Ordering::Relaxed), self.end.load(Ordering::Relaxed));
        (start..end).contains(&address)
    }
}

/// The library for CUDA, which stands behind this one.
static CUDA: Addresses = Addresses::unknown();
static C_LIBRARY: Addresses = Addresses::unknown();
static DYNAMIC_LINKER: Addresses = Addresses::unknown();

/// Looks for the other libraries, once, at the start.
pub(crate) fn look_for_others() {
    CUDA.look_for(b"/libwarpsan_rt.so");
    C_LIBRARY.look_for(b"/libc.so.6");
    DYNAMIC_LINKER.look_for(b"/ld-linux-x86-64.so.2");
}

/// Whether an address is within our code. What it calls is not the program's.
#[inline]
pub(crate) fn contains(address: u64) -> bool {
    let own = &raw const LIBRARY_START as u64..&raw const CODE_END as u64;
    own.contains(&address) || CUDA.contains(address)
}

/// Whether an address is within the C library, which keeps its own blocks of memory in order by means that we do not see.
pub(crate) fn is_c_library(address: u64) -> bool {
    C_LIBRARY.contains(address) || DYNAMIC_LINKER.contains(address)
}
