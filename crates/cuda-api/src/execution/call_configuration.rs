//! The configuration between `<<<…>>>` on its way from the call to the launch stub.

use crate::types::{CudaDim3, CudaStream};
use std::cell::RefCell;
use std::ffi::c_uint;
use warpsan_runtime::machine::error::CudaError;

struct CallConfiguration {
    grid: CudaDim3,
    block: CudaDim3,
    shared_bytes: usize,
    stream: CudaStream,
}

thread_local! {
    /// A stack, because the arguments of a launch may themselves launch.
    static CONFIGURATIONS: RefCell<Vec<CallConfiguration>> = const { RefCell::new(Vec::new()) };
}

#[unsafe(no_mangle)]
extern "C" fn wsrt___cudaPushCallConfiguration(
    grid: CudaDim3,
    block: CudaDim3,
    shared_bytes: usize,
    stream: CudaStream,
) -> c_uint {
    let configuration = CallConfiguration { grid, block, shared_bytes, stream };
    // While a thread ends, its stack is already gone; the launch is then skipped by the caller.
    let pushed = CONFIGURATIONS.try_with(|stack| stack.borrow_mut().push(configuration));
    c_uint::from(pushed.is_err())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaPopCallConfiguration(
    grid: *mut CudaDim3,
    block: *mut CudaDim3,
    shared_bytes: *mut usize,
    stream: *mut CudaStream,
) -> CudaError {
    let popped = CONFIGURATIONS.try_with(|stack| stack.borrow_mut().pop());
    let Ok(Some(configuration)) = popped else {
        return CudaError::MISSING_CONFIGURATION;
    };
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

    fn pop() -> Option<(CudaDim3, CudaDim3, usize)> {
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
        assert_eq!(pop(), Some((extent(4), extent(5), 6)));
        assert_eq!(pop(), Some((extent(1), extent(2), 3)));
        assert_eq!(pop(), None);
    }
}
