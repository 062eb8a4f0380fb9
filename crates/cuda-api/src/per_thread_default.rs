//! Programs that are compiled for default streams of each thread call variants of the entry points, which the jump
//! tables mark before they go on to the same functions.

use std::cell::Cell;

thread_local! {
    static MARKED: Cell<bool> = const { Cell::new(false) };
}

/// The jump tables call this on the way to an entry point whose default stream is the thread's own.
#[unsafe(no_mangle)]
extern "C" fn wsrt_per_thread_default() {
    MARKED.set(true);
}

/// Whether the call that runs now takes the default stream for the thread's own.
pub(crate) fn applies() -> bool {
    MARKED.get()
}

/// The call has ended.
pub(crate) fn forget() {
    MARKED.set(false);
}
