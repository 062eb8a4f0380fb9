//! What is done to bytes, whatever they mean.

use warpsan_oracle::random::Random;

/// Numbers at which programs break.
const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 40,
    1 << 63,
    u64::MAX,
];

/// A number at which programs break, or any.
pub(super) fn edge(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.bits() >> random.below(64),
        _ => random.choose(&EDGES),
    }
}

/// Changes a few bytes somewhere: flips bits, writes numbers, inserts, removes, repeats.
pub(super) fn edit(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            bytes.push(0);
        }
        let at = random.index(bytes.len());
        match random.below(8) {
            0 | 1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = random.bits() as u8,
            3 => {
                let width = random.choose(&[1, 2, 4, 8]);
                write_number(bytes, at, edge(random), width);
            }
            4 => {
                // A number as the trace has it: seven bits in each byte.
                let mut number = edge(random);
                let mut written = Vec::new();
                while number >= 0x80 {
                    written.push(number as u8 | 0x80);
                    number >>= 7;
                }
                written.push(number as u8);
                bytes.splice(at..=at, written);
            }
            5 => {
                let end = (at + 1 + random.index(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            6 => {
                let end = (at + 1 + random.index(64)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = random.index(bytes.len());
                bytes.splice(to..to, part);
            }
            _ => bytes.insert(at, random.bits() as u8),
        }
    }
}

/// Writes the low bytes of a number, as far as there is room.
pub(super) fn write_number(bytes: &mut [u8], at: usize, number: u64, width: usize) {
    for (place, byte) in bytes.iter_mut().skip(at).zip(&number.to_le_bytes()[..width]) {
        *place = *byte;
    }
}
