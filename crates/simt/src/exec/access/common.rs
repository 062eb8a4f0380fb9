//! The piece of memory that all lanes of an access are in.

use crate::block::BlockInfo;
use crate::exec::addressing::classify;
use crate::exec::core::Core;
use crate::memory::{DEVICE_BASE, MemoryView, Window};
use crate::program::AccessForm;
use warpsan_ir::MemorySpace;
use warpsan_model::Space;

/// Memory that all lanes of an access are in.
pub(crate) struct Common {
    /// What to add to an address to get a pointer.
    pub(crate) base: *mut u8,
    pub(super) space: Space,
    pub(super) uniform: bool,
    pub(super) dense: bool,
}

impl Common {
    /// Whether it is the shared memory of the block.
    pub(crate) fn is_shared(&self) -> bool {
        self.space == Space::Shared
    }
}

impl Core<'_> {
    /// The one piece of memory that all lanes are in, if it is one.
    #[inline(always)]
    pub(crate) fn common(
        &mut self,
        block: &BlockInfo,
        form: &AccessForm,
        found: &[u64; 32],
        number: u32,
    ) -> Option<Common> {
        let size = form.size();
        if form.address.space == MemorySpace::Shared {
            let most = block.shared.bytes().checked_sub(size)?;
            let class = classify(found, 0, most, size);
            return (class.inside && class.aligned).then_some(Common {
                base: block.shared.pointer(),
                space: Space::Shared,
                uniform: class.uniform,
                dense: class.dense,
            });
        }
        if !matches!(
            form.address.space,
            MemorySpace::Global | MemorySpace::Generic | MemorySpace::Const
        ) {
            return None;
        }
        let mut window = self.windows[number as usize];
        for _ in 0..2 {
            let most = (window.end - window.start).checked_sub(size);
            if let Some(most) = most {
                let class = classify(found, window.start, most, size);
                if class.inside {
                    // A warp mostly goes on by the same step: what comes next is fetched already.
                    let step = found[0].wrapping_sub(window.last);
                    prefetch(self.memory, found[0].wrapping_add(step), size * 32);
                    window.last = found[0];
                    self.windows[number as usize] = window;
                    return class.aligned.then_some(Common {
                        base: self.memory.pointer(DEVICE_BASE).wrapping_sub(DEVICE_BASE as usize),
                        space: Space::Global,
                        uniform: class.uniform,
                        dense: class.dense,
                    });
                }
            }
            if found[0].wrapping_sub(window.start) < window.end - window.start {
                // The first lane is where all were last time; others are not.
                return None;
            }
            window = self.window(form, found[0])?;
        }
        None
    }

    /// The allocation around an address. There is none for an access that was meant for another allocation, so that each
    /// such access is looked at lane by lane.
    #[inline(never)]
    fn window(&mut self, form: &AccessForm, address: u64) -> Option<Window> {
        let window = self.memory.window(address)?;
        let pointers = &self.launch.pointers;
        self.strays.is_expected(pointers, form.argument, window.start).then_some(window)
    }
}

/// Asks for memory that may be needed soon. The address need not be good.
#[inline(always)]
fn prefetch(memory: MemoryView<'_>, address: u64, bytes: u64) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let mut at = 0;
    while at < bytes.min(256) {
        let pointer = memory.pointer(address.wrapping_add(at)).cast::<i8>();
        // SAFETY: a prefetch changes nothing and does not fault, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(pointer) };
        at += 64;
    }
}
