//! Overwriting the beginning of a function with a jump.

#[cfg(not(target_arch = "x86_64"))]
compile_error!("redirecting statically linked cudart is written for x86_64 only");

/// `jmp *0(%rip)`, and after it the address that it jumps to.
const JUMP: [u8; 6] = [0xff, 0x25, 0, 0, 0, 0];

/// The bytes that a jump takes.
pub(crate) const JUMP_BYTES: usize = JUMP.len() + 8;

/// The instructions that jump to an address.
fn jump_to(target: u64) -> [u8; JUMP_BYTES] {
    let mut bytes = [0; JUMP_BYTES];
    bytes[..JUMP.len()].copy_from_slice(&JUMP);
    bytes[JUMP.len()..].copy_from_slice(&target.to_le_bytes());
    bytes
}

/// Code that is being changed: the pages from the first to the last of its places are writable
/// while this lives.
pub(crate) struct WritableCode {
    start: usize,
    length: usize,
}

impl WritableCode {
    /// Makes the pages of a range of code writable; nothing where the system forbids it.
    ///
    /// # Safety
    /// The range is mapped code of one object, and nothing runs in it.
    pub(crate) unsafe fn unlock(first: usize, end: usize) -> Option<WritableCode> {
        // SAFETY: asking for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let start = first - first % page;
        let length = end.checked_sub(start)?.checked_next_multiple_of(page)?;
        let code = WritableCode { start, length };
        // Pages stay executable: libraries of the program may share them.
        code.protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC).then_some(code)
    }

    /// Puts a jump at the beginning of a function.
    ///
    /// # Safety
    /// `from` lies in the unlocked range with room for a jump, and holds code that nothing runs.
    pub(crate) unsafe fn redirect(&self, from: usize, to: u64) {
        debug_assert!(from >= self.start && from + JUMP_BYTES <= self.start + self.length);
        let bytes = jump_to(to);
        let place: *mut u8 = std::ptr::with_exposed_provenance_mut(from);
        // SAFETY: the place is writable, see above.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    fn protect(&self, protection: libc::c_int) -> bool {
        let start = std::ptr::with_exposed_provenance_mut(self.start);
        // SAFETY: the range is mapped code, as the caller of `unlock` promised.
        unsafe { libc::mprotect(start, self.length, protection) == 0 }
    }
}

impl Drop for WritableCode {
    fn drop(&mut self) {
        self.protect(libc::PROT_READ | libc::PROT_EXEC);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn answer() -> u32 {
        42
    }

    #[test]
    fn a_patched_function_goes_elsewhere() {
        // SAFETY: a new mapping of one page, given back at the end; code is put into it before it
        // is called.
        unsafe {
            let page = libc::mmap(
                std::ptr::null_mut(),
                4096,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(page, libc::MAP_FAILED);
            let function = page.byte_add(100);
            let from = function.expose_provenance();
            let code = WritableCode::unlock(from, from + JUMP_BYTES).expect("writable code");
            code.redirect(from, answer as *const () as u64);
            drop(code);
            let function: extern "C" fn() -> u32 = std::mem::transmute(function);
            assert_eq!(function(), 42);
            libc::munmap(page, 4096);
        }
    }
}
