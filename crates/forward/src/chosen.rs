//! Which engine the command has chosen.

use std::sync::atomic::{AtomicU8, Ordering};

/// Whether the program runs on its GPU: then nothing of the CPU engine is in its way. It may be asked at any
/// time, before `main` and in signal handlers, too.
#[inline]
pub fn is_chosen() -> bool {
    const UNKNOWN: u8 = 0;
    const CHOSEN: u8 = 1;
    const NOT_CHOSEN: u8 = 2;
    static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
    match STATE.load(Ordering::Relaxed) {
        UNKNOWN => {
            // SAFETY: the answer is compared at once, with a text of our own.
            let is_gpu = unsafe {
                let engine = libc::getenv(c"WARPSAN_ENGINE".as_ptr());
                !engine.is_null() && libc::strcmp(engine, c"gpu".as_ptr()) == 0
            };
            STATE.store(if is_gpu { CHOSEN } else { NOT_CHOSEN }, Ordering::Relaxed);
            is_gpu
        }
        state => state == CHOSEN,
    }
}
