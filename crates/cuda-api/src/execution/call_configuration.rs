//! The configuration between `<<<…>>>` on its way from the call to the launch stub.

use crate::types::{CudaDim3, CudaStream};
use std::cell::RefCell;
use std::ffi::c_uint;
use std::mem::ManuallyDrop;
use warpsan_runtime::machine::error::CudaError;

struct CallConfiguration {
    grid: CudaDim3,
    block: CudaDim3,
    shared_bytes: usize,
    stream: CudaStream,
}

thread_local! {
    /// A stack, because the arguments of a launch may themselves launch. It is never dropped, so that it is there as long
    /// as its thread is: destructors of thread-local and static variables, and handlers of `atexit`, may launch, too.
    /// Without configurations it owns no memory.
    static CONFIGURATIONS: RefCell<ManuallyDrop<Vec<CallConfiguration>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

fn push(configuration: CallConfiguration) {
    CONFIGURATIONS.with_borrow_mut(|stack| stack.push(configuration));
}

fn pop() -> Option<CallConfiguration> {
    CONFIGURATIONS.with_borrow_mut(|stack| {
        let last = stack.pop();
        if stack.is_empty() {
            drop(std::mem::take(&mut **stack));
        }
        last
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt___cudaPushCallConfiguration(
    grid: CudaDim3,
    block: CudaDim3,
    shared_bytes: usize,
    stream: CudaStream,
) -> c_uint {
    push(CallConfiguration { grid, block, shared_bytes, stream });
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaPopCallConfiguration(
    grid: *mut CudaDim3,
    block: *mut CudaDim3,
    shared_bytes: *mut usize,
    stream: *mut CudaStream,
) -> CudaError {
    let Some(configuration) = pop() else { return CudaError::MISSING_CONFIGURATION };
    // SAFETY: nvcc's launch stub passes four places on its stack.
    unsafe {
        grid.write(configuration.grid);
        block.write(configuration.block);
        shared_bytes.write(configuration.shared_bytes);
        stream.write(configuration.stream);
    }
    CudaError::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn popped() -> Option<(CudaDim3, CudaDim3, usize)> {
        let mut grid = CudaDim3 { x: 0, y: 0, z: 0 };
        let mut block = grid;
        let mut shared_bytes = 0;
        let mut stream = std::ptr::null_mut();
        // SAFETY: four places on this stack.
        let result = unsafe {
            wsrt___cudaPopCallConfiguration(&mut grid, &mut block, &mut shared_bytes, &mut stream)
        };
        (result == CudaError::SUCCESS).then_some((grid, block, shared_bytes))
    }

    #[test]
    fn configurations_nest() {
        let extent = |x| CudaDim3 { x, y: 1, z: 1 };
        wsrt___cudaPushCallConfiguration(extent(1), extent(2), 3, std::ptr::null_mut());
        wsrt___cudaPushCallConfiguration(extent(4), extent(5), 6, std::ptr::null_mut());
        assert_eq!(popped(), Some((extent(4), extent(5), 6)));
        assert_eq!(popped(), Some((extent(1), extent(2), 3)));
        assert_eq!(popped(), None);
    }

    struct AtThreadEnd;

    impl Drop for AtThreadEnd {
        fn drop(&mut self) {
            let extent = |x| CudaDim3 { x, y: 1, z: 1 };
            wsrt___cudaPushCallConfiguration(extent(7), extent(8), 9, std::ptr::null_mut());
            AT_THREAD_END.store(popped() == Some((extent(7), extent(8), 9)), Ordering::Release);
        }
    }

    static AT_THREAD_END: AtomicBool = AtomicBool::new(false);

    #[test]
    fn a_thread_that_ends_still_has_its_configurations() {
        thread_local! {
            static LATE: AtThreadEnd = const { AtThreadEnd };
        }
        let thread = std::thread::spawn(|| {
            LATE.with(|_| ());
            // What is used after it for the first time would be taken away before it.
            wsrt___cudaPushCallConfiguration(
                CudaDim3 { x: 1, y: 1, z: 1 },
                CudaDim3 { x: 1, y: 1, z: 1 },
                0,
                std::ptr::null_mut(),
            );
            assert!(popped().is_some());
        });
        thread.join().expect("it ends");
        assert!(AT_THREAD_END.load(Ordering::Acquire));
    }
}
