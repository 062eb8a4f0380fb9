//! What kernels print goes where the program prints.

/// Writes to C's standard output, in order with what the program itself prints there.
pub(crate) fn to_standard_output(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    // SAFETY: C's standard output is there for the whole life of the process, and the text has so
    // many bytes.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}
