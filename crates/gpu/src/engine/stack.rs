//! The stacks of kernels that call themselves.
//!
//! How deep these go nobody knows before they run. Each of their threads has as many bytes as the limit of the context says,
//! which a program sets to what the frames of its own functions need. Instrumented functions pass more on and keep more
//! registers, so that their frames are larger, and the limit has to be so, too.

use super::error::EngineError;
use crate::driver::Driver;

/// `CU_LIMIT_STACK_SIZE`.
pub(super) const STACK_SIZE: i32 = 0;

/// How much larger stacks may have to be. The smallest frames take 16 bytes, and instrumented ones some 200 more than they did;
/// where there is no memory for that, half of it has to do.
const TIMES: [usize; 2] = [16, 8];
/// What kernels themselves, and checks, have on a stack besides.
const BESIDES: usize = 4 << 10;

/// The limit of one context.
#[derive(Debug, Default)]
pub(super) struct Stack {
    /// The program's.
    asked: usize,
    /// Ours, once there is one.
    given: usize,
}

impl Stack {
    /// Makes the stacks of the context that is current deep enough. The program may have changed their limit in between.
    pub(super) fn deepen(&mut self, driver: &Driver) -> Result<(), EngineError> {
        let limit = limit_of(driver).ok_or(EngineError::UnknownStackLimit)?;
        if limit == self.given {
            return Ok(());
        }
        for times in TIMES {
            let wanted = limit * times + BESIDES;
            // SAFETY: a limit of the current context.
            if unsafe { driver.cuCtxSetLimit(STACK_SIZE, wanted) }.is_success() {
                (self.asked, self.given) = (limit, limit_of(driver).unwrap_or(wanted));
                return Ok(());
            }
        }
        Err(EngineError::NoStackMemory)
    }

    /// The limit that the program knows of, for the one that the driver answers.
    pub(super) fn as_asked(&self, answered: usize) -> usize {
        if answered == self.given && answered != 0 { self.asked } else { answered }
    }
}

fn limit_of(driver: &Driver) -> Option<usize> {
    let mut limit = 0;
    // SAFETY: a place for a number.
    unsafe { driver.cuCtxGetLimit(&mut limit, STACK_SIZE) }.is_success().then_some(limit)
}
