//! What all forwarded calls have in common: the hooks around them, and panics that stop here.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use warpsan_gpu::{CUresult, CUstream, Hooks};
use warpsan_runtime::gpu_process;

/// A call of the program, on its way to the real function.
pub(crate) struct Call<Function> {
    /// The real function.
    pub(crate) real: Function,
    /// The hooks of the process.
    pub(crate) hooks: &'static dyn Hooks,
    /// The name under which the program has called it.
    pub(crate) name: &'static str,
}

impl<Function> Call<Function> {
    /// A null stream is the default stream of the calling thread.
    pub(crate) fn per_thread_default_stream(&self) -> bool {
        is_per_thread(self.name)
    }
}

/// The stream by a name that means the same in calls of every kind.
pub(crate) fn stream_of<F>(call: &Call<F>, stream: CUstream) -> CUstream {
    match call.per_thread_default_stream() && stream.is_null() {
        true => CUstream::PER_THREAD,
        false => stream,
    }
}

/// Whether a function is the variant for programs whose default stream is one for each thread.
const fn is_per_thread(name: &str) -> bool {
    let name = name.as_bytes();
    let [.., b'_', b'p', b't', one, two] = name else { return false };
    matches!((one, two), (b's', b'z') | (b'd', b's'))
}

thread_local! {
    /// This thread is inside of a call: what comes now the driver calls of itself.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// As long as it lives, this thread is inside of a call.
struct Inside;

impl Inside {
    fn enter() -> Option<Inside> {
        // A thread that is about to end may have no such variable any more; it is passed on, then.
        let was_inside = INSIDE.try_with(|inside| inside.replace(true)).unwrap_or(true);
        (!was_inside).then_some(Inside)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // It was there when this was made, and nothing is lost if it is not now.
        let _ = INSIDE.try_with(|inside| inside.set(false));
    }
}

/// Calls the body, or the real function alone where the process has no hooks or the driver calls itself.
pub(crate) fn forward<Function: Copy>(
    name: &'static str,
    real: Function,
    alone: impl FnOnce(Function) -> CUresult,
    body: impl FnOnce(Call<Function>) -> CUresult,
) -> CUresult {
    let Some(hooks) = gpu_process::hooks() else { return alone(real) };
    let Some(_inside) = Inside::enter() else { return alone(real) };
    let answer = catch_unwind(AssertUnwindSafe(|| body(Call { real, hooks, name })));
    answer.unwrap_or_else(|_| {
        gpu_process::internal_error(&format!("a panic in {name}"));
        CUresult::UNKNOWN
    })
}

/// What a place holds, if there is one.
///
/// # Safety
/// `place` is null or has a value.
pub(crate) unsafe fn filled<T: Copy>(place: *mut T) -> Option<T> {
    // SAFETY: not null, so it has a value.
    (!place.is_null()).then(|| unsafe { place.read() })
}

/// What a place holds, if the call has filled it.
///
/// # Safety
/// `place` is null, or has a value after success.
pub(crate) unsafe fn filled_by<T: Copy>(answer: CUresult, place: *mut T) -> Option<T> {
    // SAFETY: it has a value after success.
    if answer.is_success() { unsafe { filled(place) } } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_inside_of_a_call_is_the_drivers_own() {
        let first = Inside::enter();
        assert!(first.is_some());
        assert!(Inside::enter().is_none());
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(Inside::enter().is_some(), "another thread"));
        });
        drop(first);
        assert!(Inside::enter().is_some());
    }

    #[test]
    fn without_hooks_the_real_function_is_called_alone() {
        let answer = forward("cuInit", 7, CUresult, |_| CUresult(8));
        assert_eq!(answer, CUresult(7));
    }

    #[test]
    fn variants_are_known_by_their_ends() {
        assert!(is_per_thread("cuLaunchKernel_ptsz"));
        assert!(is_per_thread("cuMemcpy_ptds"));
        assert!(!is_per_thread("cuLaunchKernel"));
        assert!(!is_per_thread("cuMemAlloc_v2"));
        assert!(!is_per_thread("x"));
    }
}
