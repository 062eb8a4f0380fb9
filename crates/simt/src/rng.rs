/// A small generator with a fixed algorithm (splitmix64), so that a seed means the same schedule on
/// every machine and in every version.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0);
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_numbers() {
        let mut random = Random::new(1);
        assert_eq!(random.next(), 0x910A_2DEC_8902_5CC1);
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
