//! Programs that are compiled for default streams of each thread call variants of the entry points, which the jump
//! tables mark before they go on to the same functions.

use warpsan_runtime::machine::streams::mark_per_thread_default;

/// The jump tables call this on the way to an entry point whose default stream is the thread's own.
#[unsafe(no_mangle)]
extern "C" fn wsrt_per_thread_default() {
    mark_per_thread_default();
}
