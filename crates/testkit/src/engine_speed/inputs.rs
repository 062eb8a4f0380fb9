//! Input data: the same in every run.

/// A small generator of evenly spread numbers (SplitMix64).
#[derive(Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next_u32(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 32) as u32
    }

    /// Below the bound, which is small enough that the last few numbers being rarer does not matter.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.next_u32() % bound
    }

    /// From -1 to 1.
    pub(crate) fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// The bytes of that many numbers from -1 to 1.
    pub(crate) fn floats(&mut self, count: usize) -> Vec<u8> {
        (0..count).flat_map(|_| self.next_f32().to_le_bytes()).collect()
    }
}

/// The bytes of whole numbers.
pub(crate) fn bytes_of(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn numbers_repeat_and_are_spread() {
        let of_seed = |seed| {
            let mut numbers = Numbers::new(seed);
            (0..1000).map(|_| numbers.next_f32()).collect::<Vec<_>>()
        };
        let values = of_seed(1);
        assert_eq!(values, of_seed(1));
        assert_ne!(values, of_seed(2));
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert!((values.iter().sum::<f32>() / 1000.0).abs() < 0.1);
    }
}
