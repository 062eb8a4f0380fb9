use super::Reach;

/// Counters of fences have six bits.
const SIX_BITS: u8 = 63;

/// How many fences a thread or a warp has executed, by scope, modulo 64.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fences {
    pub(crate) device: u8,
    pub(crate) block: u8,
}

impl Fences {
    /// One more.
    #[inline]
    pub(crate) fn count(&mut self, reach: Reach) {
        let counter = match reach {
            Reach::Device => &mut self.device,
            Reach::Block => &mut self.block,
        };
        *counter = counter.wrapping_add(1) & SIX_BITS;
    }
}
