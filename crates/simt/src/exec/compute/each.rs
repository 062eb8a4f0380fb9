//! Values of the lanes that take part.

/// A value of each lane.
pub(super) type Lanes = [u64; 32];

/// A value for each lane of the mask; others are not computed.
pub(super) fn each(mask: u32, value: impl Fn(usize) -> u64) -> Lanes {
    let mut results = [0; 32];
    let mut left = mask;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        results[lane] = value(lane);
    }
    results
}
