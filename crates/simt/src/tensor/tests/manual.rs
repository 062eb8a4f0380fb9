//! The fragment formulas of the manual, 9.7.14.5.1 to .13, shape by shape. `i` counts the elements
//! of a lane's fragment from low to high.

use crate::tensor::element::{Element, Layout};
use crate::tensor::mma_form::MmaForm;

/// Row and column of element `i` of the fragment of `a`; `k` is that of the stored matrix.
pub(super) fn place_in_a(form: &MmaForm, k: usize, lane: usize, i: usize) -> (usize, usize) {
    let (group, thread) = (lane >> 2, lane % 4);
    let lower_if = |condition: bool| if condition { group } else { group + 8 };
    match (form.shape.m, k, form.a.bits()) {
        (8, 4, 16) => match (form.a_layout, lane < 16) {
            (Layout::Row, true) => (lane % 4, i),
            (Layout::Row, false) => (lane % 4 + 4, i),
            (Layout::Column, true) => (i % 4, lane % 4),
            (Layout::Column, false) => (i % 4 + 4, lane % 4),
        },
        (8, 4, 64) => (group, thread),
        (8, 16, 8) => (group, thread * 4 + i),
        (8, 32, 4) => (group, thread * 8 + i),
        (8, 128, 1) => (group, thread * 32 + i),
        (16, 4, 32 | 64) => (lower_if(i == 0), thread),
        (16, 8, 16) => (lower_if(i < 2), thread * 2 + (i & 1)),
        (16, 8, 32 | 64) => (lower_if(i == 0 || i == 2), if i < 2 { thread } else { thread + 4 }),
        (16, 16, 16) => {
            let row = lower_if(i < 2 || (4..6).contains(&i));
            (row, thread * 2 + (i & 1) + if i < 4 { 0 } else { 8 })
        }
        (16, 16, 64) if i.is_multiple_of(2) => (group, i * 2 + thread),
        (16, 16, 64) => (group + 8, i * 2 - 2 + thread),
        (16, 16, 8) => (lower_if(i < 4), thread * 4 + (i & 3)),
        (16, 32, 4) => (lower_if(i < 8), thread * 8 + (i & 7)),
        (16, 32, 8) => {
            let row = lower_if(i < 4 || (8..12).contains(&i));
            (row, thread * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
        }
        (16, 64, 4) => {
            let row = lower_if(i < 8 || (16..24).contains(&i));
            (row, thread * 8 + (i & 7) + if i < 16 { 0 } else { 32 })
        }
        (16, 128, 1) => (lower_if(i < 32), thread * 32 + (i & 0x1F)),
        (16, 256, 1) => {
            let row = lower_if(i < 32 || (64..96).contains(&i));
            (row, thread * 32 + (i & 0x1F) + if i < 64 { 0 } else { 128 })
        }
        other => panic!("no such fragment: {other:?}"),
    }
}

/// Row and column of element `i` of the fragment of `b`.
pub(super) fn place_in_b(form: &MmaForm, lane: usize, i: usize) -> (usize, usize) {
    let (group, thread) = (lane >> 2, lane % 4);
    if form.splits_in_quarters() {
        return match (form.b_layout, lane < 16) {
            (Layout::Row, true) => (lane % 4, i),
            (Layout::Row, false) => (lane % 4, i + 4),
            (Layout::Column, true) => (i, lane % 4),
            (Layout::Column, false) => (i, lane % 4 + 4),
        };
    }
    // Every figure shows the same: a register is a run in a column, and the next register begins
    // where the runs of the group's four threads end.
    let row = match form.b.bits() {
        1 => thread * 32 + (i & 0x1F) + 128 * (i / 32),
        4 => thread * 8 + (i & 7) + 32 * (i / 8),
        8 => thread * 4 + (i & 3) + 16 * (i / 4),
        16 => thread * 2 + (i & 1) + 8 * (i / 2),
        _ => thread + 4 * i,
    };
    (row, group)
}

/// Row and column of element `i` of the fragment of an accumulator.
pub(super) fn place_in_c(
    form: &MmaForm,
    element: Element,
    lane: usize,
    i: usize,
) -> (usize, usize) {
    if form.splits_in_quarters() {
        let below = if lane < 16 { 0 } else { 4 };
        if element == Element::F16 {
            return (lane % 4 + below, i);
        }
        let x = (lane & 0b1) + (i & 0b10);
        return (x + below, (i & 0b100) + (lane & 0b10) + (i & 0b1));
    }
    let row = if i < 2 { lane >> 2 } else { (lane >> 2) + 8 };
    (row, (lane % 4) * 2 + (i & 1))
}

/// Where the metadata of a chunk is: lane and lowest bit. From the figures of 9.7.14.6.2, which
/// give the lanes of the first group for each range of columns. Chunks have four bits.
pub(super) fn metadata_of_chunk(
    form: &MmaForm,
    selector: usize,
    row: usize,
    chunk: usize,
) -> (usize, usize) {
    let group = 4 * (row % 8);
    match (form.shape.k, form.a.bits()) {
        // One lane has both rows: the upper row of a group in the low half.
        (16, 16) | (8, 32) => (group + selector, 4 * chunk + if row < 8 { 0 } else { 16 }),
        // The first lane of a pair has the left half of the columns, the second the right half.
        (32, 16) | (16, 32) => {
            let right = chunk / 4;
            let bit = 4 * (chunk % 4) + if row < 8 { 0 } else { 16 };
            (group + 2 * selector + right, bit)
        }
        // The first lane of a pair has the upper row, the second the lower row.
        (32, 8) | (64, 4) => (group + 2 * selector + row / 8, 4 * chunk),
        // The same for the left half of the columns; the other two lanes have the right half.
        (64, 8) | (128, 4) => (group + row / 8 + chunk / 8 * 2, 4 * (chunk % 8)),
        other => panic!("no such sparse form: {other:?}"),
    }
}
