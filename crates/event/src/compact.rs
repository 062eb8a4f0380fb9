//! The shortest form of what the lanes of a warp have in their registers.

use crate::LaneAddresses;

/// The words of the active lanes of all lanes' words, lowest lane first.
#[inline(always)]
pub fn only_active<'w>(mask: u32, all: &[u64; 32], to: &'w mut [u64; 32]) -> &'w [u64] {
    // Every lane's word is written, and the next one over it unless the lane is active: no jump
    // depends on the mask.
    let mut count = 0;
    for (lane, word) in all.iter().enumerate() {
        to[count & 31] = *word;
        count += (mask >> lane & 1) as usize;
    }
    &to[..count]
}

/// The uniform or strided form, if the active lanes' addresses have one.
#[inline(always)]
pub fn regular(mask: u32, addresses: &[u64; 32]) -> Option<LaneAddresses<'static>> {
    let first = mask.trailing_zeros() as usize & 31;
    let rest = mask & mask.wrapping_sub(1);
    if rest == 0 {
        return Some(LaneAddresses::Uniform(addresses[first]));
    }
    let second = rest.trailing_zeros() as usize & 31;
    let distance = addresses[second].wrapping_sub(addresses[first]);
    let stride = match (second - first) as i64 {
        1 => distance,
        gap => (distance as i64 / gap) as u64,
    };
    let base = addresses[first].wrapping_sub(stride.wrapping_mul(first as u64));
    // Lanes that go different ways mostly have done so by the last one.
    let last = 31 - mask.leading_zeros() as usize;
    if addresses[last] != base.wrapping_add(stride.wrapping_mul(last as u64)) {
        return None;
    }
    let (mut expected, mut differs) = (base, 0);
    for (lane, address) in addresses.iter().enumerate() {
        let counts = 0u64.wrapping_sub(u64::from(mask >> lane & 1));
        differs |= (address ^ expected) & counts;
        expected = expected.wrapping_add(stride);
    }
    (differs == 0).then_some(match stride {
        0 => LaneAddresses::Uniform(base),
        _ => LaneAddresses::Strided { first: base, stride },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_model::lanes;

    #[test]
    fn regular_addresses_are_recognised_also_with_gaps() {
        let mut addresses = [0u64; 32];
        for (lane, address) in addresses.iter_mut().enumerate() {
            *address = 1000 - 4 * lane as u64;
        }
        let form = regular(0b1010_0100, &addresses);
        assert_eq!(form, Some(LaneAddresses::Strided { first: 1000, stride: (-4i64) as u64 }));
        assert_eq!(regular(0b100, &addresses), Some(LaneAddresses::Uniform(992)));
        addresses[7] = 5;
        assert_eq!(regular(0b1010_0100, &addresses), None);
        assert_eq!(regular(u32::MAX, &[8; 32]), Some(LaneAddresses::Uniform(8)));
        addresses[7] = 1000 - 28;
        addresses[5] = 7;
        assert_eq!(regular(0b1010_0100, &addresses), None, "only a lane in between differs");
        assert_eq!(regular(0b1000_0100, &addresses), form, "a lane that is not active differs");
    }

    #[test]
    fn active_lanes_are_picked_in_their_order() {
        let all: [u64; 32] = std::array::from_fn(|lane| 100 + lane as u64);
        for mask in [0, 1, 1 << 31, 0x8000_0001, 0xaaaa_aaaa, u32::MAX - 1, u32::MAX] {
            let expected: Vec<u64> = lanes(mask).map(|lane| all[lane as usize]).collect();
            assert_eq!(only_active(mask, &all, &mut [0; 32]), expected, "{mask:#x}");
        }
    }
}
