//! Tests against second implementations: exact integers, brute force, the manual's own loops.

mod approximations;
mod conversions;
mod directed_rounding;
mod halves;
mod integers;
mod videos;

/// A small generator with a fixed seed, so that every run tests the same values.
pub(super) struct Values(u64);

impl Values {
    pub(super) fn new(seed: u64) -> Values {
        Values(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A bit pattern of `width` bits that is often a corner case: long runs of equal bits, few
    /// bits, neighbours of such.
    pub(super) fn pattern(&mut self, width: u32) -> u64 {
        let mask = u64::MAX >> (64 - width);
        let random = self.next();
        let choice = self.next() % 8;
        let shift = (self.next() % u64::from(width)) as u32;
        (match choice {
            0 => 1u64 << shift,
            1 => (1u64 << shift).wrapping_sub(1),
            2 => !(1u64 << shift).wrapping_sub(1),
            3 => (random & (0xff << shift)).wrapping_add(random % 3),
            4 => random & !((1u64 << shift) - 1),
            5 => random % 4,
            _ => random,
        }) & mask
    }

    /// A single near the exponent of another one, so that sums cancel and align.
    pub(super) fn near_single(&mut self, other: f32) -> f32 {
        let bits = self.pattern(32) as u32;
        let distance = (self.next() % 60) as i32 - 30;
        let field = ((other.to_bits() >> 23 & 0xff) as i32 + distance).clamp(0, 254) as u32;
        f32::from_bits((bits & 0x807f_ffff) | (field << 23))
    }

    /// The same for doubles.
    pub(super) fn near_double(&mut self, other: f64) -> f64 {
        let bits = self.pattern(64);
        let distance = (self.next() % 128) as i64 - 64;
        let field = ((other.to_bits() >> 52 & 0x7ff) as i64 + distance).clamp(0, 2046) as u64;
        f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | (field << 52))
    }
}
