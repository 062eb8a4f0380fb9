//! Lists of words: addresses, values, versions. Most are all the same or evenly spaced.

use super::bytes::{Cursor, Fault, fault, put_difference, put_number};

/// The longest list: what 32 lanes with eight elements of two words read and leave.
pub(super) const MOST_WORDS: usize = 1024;

const FORM_BITS: u32 = 3;
const SAME: u64 = 0;
const EVEN: u64 = 1;
const DIFFERENCES: u64 = 2;
/// From here on: words of 1, 2, 4 and 8 bytes.
const FIXED: u64 = 3;

/// Writes a list; the first word is near `from`, if that is known.
pub(super) fn put_words(out: &mut Vec<u8>, words: &[u64], from: u64) {
    let form = form_of(words, from);
    put_number(out, (words.len() as u64) << FORM_BITS | form);
    let Some(first) = words.first() else { return };
    match form {
        SAME => put_difference(out, *first, from),
        EVEN => {
            put_difference(out, *first, from);
            put_difference(out, words[1].wrapping_sub(*first), 0);
        }
        DIFFERENCES => {
            let mut previous = from;
            for word in words {
                put_difference(out, *word, previous);
                previous = *word;
            }
        }
        _ => {
            let width = 1 << (form - FIXED);
            for word in words {
                out.extend_from_slice(&word.to_le_bytes()[..width]);
            }
        }
    }
}

fn form_of(words: &[u64], from: u64) -> u64 {
    let Some(first) = words.first() else { return SAME };
    if words.iter().all(|word| word == first) {
        return SAME;
    }
    let step = words[1].wrapping_sub(*first);
    if words.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step) {
        return EVEN;
    }
    let widest = words.iter().copied().max().unwrap_or(0);
    let width_exponent = match widest {
        0..=0xFF => 0,
        0x100..=0xFFFF => 1,
        0x1_0000..=0xFFFF_FFFF => 2,
        _ => 3,
    };
    let mut previous = from;
    let differences: usize = words
        .iter()
        .map(|word| {
            let difference = word.wrapping_sub(previous) as i64;
            previous = *word;
            let bits = 64 - ((difference << 1) ^ (difference >> 63)).leading_zeros();
            bits.div_ceil(7).max(1) as usize
        })
        .sum();
    if differences <= words.len() << width_exponent { DIFFERENCES } else { FIXED + width_exponent }
}

/// Reads a list into `words`, in place of what is there.
pub(super) fn words(cursor: &mut Cursor<'_>, from: u64, words: &mut Vec<u64>) -> Result<(), Fault> {
    words.clear();
    let head = cursor.number()?;
    let (count, form) = (head >> FORM_BITS, head & ((1 << FORM_BITS) - 1));
    if count > MOST_WORDS as u64 {
        return Err(Fault(format!("a list of {count} words is too long")));
    }
    if count == 0 {
        return Ok(());
    }
    match form {
        SAME => {
            let word = cursor.difference(from)?;
            words.extend((0..count).map(|_| word));
        }
        EVEN => {
            let first = cursor.difference(from)?;
            let step = cursor.difference(0)?;
            words.extend((0..count).map(|index| first.wrapping_add(step.wrapping_mul(index))));
        }
        DIFFERENCES => {
            let mut previous = from;
            for _ in 0..count {
                previous = cursor.difference(previous)?;
                words.push(previous);
            }
        }
        FIXED..=6 => {
            let width = 1 << (form - FIXED);
            for chunk in cursor.take(count * width)?.chunks_exact(width as usize) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                words.push(u64::from_le_bytes(word));
            }
        }
        _ => return fault("a list has no known form"),
    }
    Ok(())
}
