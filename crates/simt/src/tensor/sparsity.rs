//! Where the elements of a sparse `a` belong (PTX manual 9.7.14.6.1 and .2).
//!
//! Half of the elements of a row are stored. The metadata has an index of two bits for each stored
//! element in a chunk of four; for nibbles, one for each stored pair in a chunk of four pairs; and
//! for tf32, whose chunks are two elements wide, two indices that name the two halves of a stored
//! element. In all cases an index counts among four places.

use super::element::Element;

/// The row of `b` that each stored element of `a` meets, row by row. `depth` is how many elements a
/// row of `a` stores.
pub(super) fn positions(
    element: Element,
    depth: usize,
    selector: u32,
    metadata: &[u32; 32],
) -> Vec<usize> {
    let mut positions = Vec::with_capacity(16 * depth);
    for row in 0..16 {
        for stored in 0..depth {
            positions.push(match element.bits() {
                32 => {
                    let place = index(metadata, true, row, 2 * stored, 2 * depth, selector);
                    2 * stored + (place >> 1)
                }
                4 => {
                    let place = index(metadata, false, row, stored / 2, depth / 2, selector);
                    stored / 4 * 8 + 2 * place + stored % 2
                }
                bits => {
                    let place = index(metadata, bits == 16, row, stored, depth, selector);
                    stored / 2 * 4 + place
                }
            });
        }
    }
    positions
}

/// The two bits of the metadata for an index of a row. Each group of four lanes has the metadata of
/// two rows that are 8 apart. With elements of 16 bits and more, a register has 8 indices of either
/// row; with narrower ones, 16 indices of one of them. Where the group has more registers than the
/// instruction needs, the selector says which.
fn index(
    metadata: &[u32; 32],
    two_rows_in_register: bool,
    row: usize,
    index: usize,
    indices_of_row: usize,
    selector: u32,
) -> usize {
    let (group, upper) = (row % 8, row / 8);
    let first = selector as usize * (indices_of_row / 8);
    let (member, shift) = if two_rows_in_register {
        (first + index / 8, 2 * (index % 8) + 16 * upper)
    } else {
        (first + index / 16 * 2 + upper, 2 * (index % 16))
    };
    (metadata[4 * group + member % 4] >> shift & 3) as usize
}
