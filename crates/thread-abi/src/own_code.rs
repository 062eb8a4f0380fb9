//! Where our own code is.

unsafe extern "C" {
    #[link_name = "__ehdr_start"]
    static LIBRARY_START: u8;
    #[link_name = "etext"]
    static CODE_END: u8;
}

/// Whether an address is within this library. Calls of its own are not the program's.
#[inline]
pub(crate) fn contains(address: u64) -> bool {
    let (start, end) = range();
    (start..end).contains(&address)
}

#[inline]
fn range() -> (u64, u64) {
    (&raw const LIBRARY_START as u64, &raw const CODE_END as u64)
}
