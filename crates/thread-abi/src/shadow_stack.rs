//! The calls that a thread is in, as the compilers' calls at the start and the end of functions tell.

use crate::context::Context;
use crate::system;

/// A call.
#[derive(Clone, Copy)]
#[repr(C)]
struct Frame {
    /// Where the function returns to.
    return_address: u64,
    /// The stack pointer of the function. Invariant: it falls from frame to frame.
    stack_pointer: u64,
    /// The list of calls up to this one, if it was asked for.
    context: Context,
}

/// The calls of one thread.
///
/// Functions that are left by `longjmp` are not seen to end. Their frames are recognised by their stack pointers when the next
/// function begins: whatever lies below its own is gone.
pub(crate) struct ShadowStack {
    /// The last frame. The first of all is no call, and lies above every other.
    top: *mut Frame,
    bottom: *mut Frame,
    end: *mut Frame,
    /// Calls that found no room.
    deeper: u32,
}

/// Calls that are kept; more are counted only.
const FRAMES: usize = 1 << 16;
const BYTES: usize = FRAMES * size_of::<Frame>();

impl ShadowStack {
    /// None: there is no memory.
    pub(crate) fn new() -> Option<ShadowStack> {
        let bottom = system::map(BYTES)?.cast::<Frame>();
        let first = Frame { return_address: 0, stack_pointer: u64::MAX, context: Context::EMPTY };
        // SAFETY: the mapping has room for all frames.
        unsafe {
            bottom.write(first);
            Some(ShadowStack { top: bottom, bottom, end: bottom.add(FRAMES - 1), deeper: 0 })
        }
    }

    /// A function begins.
    #[inline(always)]
    pub(crate) fn enter(&mut self, return_address: u64, stack_pointer: u64) {
        // SAFETY: `top` is a frame from `bottom` to `end`; the first has the highest stack pointer.
        unsafe {
            while (*self.top).stack_pointer <= stack_pointer {
                self.top = self.top.sub(1);
                self.deeper = 0;
            }
            if self.top == self.end {
                self.deeper += 1;
                return;
            }
            self.top = self.top.add(1);
            self.top.write(Frame { return_address, stack_pointer, context: Context::EMPTY });
        }
    }

    /// A function ends.
    #[inline(always)]
    pub(crate) fn leave(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if self.top != self.bottom {
            // SAFETY: there is a frame below.
            self.top = unsafe { self.top.sub(1) };
        }
    }

    /// The list of all calls that the thread is in.
    #[inline]
    pub(crate) fn context(&mut self) -> Context {
        // SAFETY: `top` is a frame.
        let known = unsafe { (*self.top).context };
        if self.top == self.bottom || !known.is_empty() { known } else { self.name_frames() }
    }

    #[inline(never)]
    fn name_frames(&mut self) -> Context {
        // SAFETY: frames from `bottom` to `top` are written.
        unsafe {
            let mut named = self.top;
            while named != self.bottom && (*named).context.is_empty() {
                named = named.sub(1);
            }
            let mut context = (*named).context;
            while named != self.top {
                named = named.add(1);
                context = context.with((*named).return_address);
                (*named).context = context;
            }
            context
        }
    }

    /// Where the stack is, so that what runs on another one can begin anew.
    pub(crate) fn position(&self) -> usize {
        // SAFETY: both are of the same mapping.
        unsafe { self.top.offset_from(self.bottom) as usize }
    }

    /// Goes back to a position.
    pub(crate) fn restore(&mut self, position: usize) {
        // SAFETY: it was a position, and so is within the mapping.
        self.top = unsafe { self.bottom.add(position.min(FRAMES - 1)) };
    }
}

impl Drop for ShadowStack {
    fn drop(&mut self) {
        // SAFETY: `new` has mapped it.
        unsafe { system::unmap(self.bottom.cast(), BYTES) };
    }
}
