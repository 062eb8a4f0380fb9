//! `ldmatrix`, `stmatrix` and `movmatrix` against the figures.

use crate::tensor::matrix_move::{collect, distribute, transpose};

/// Rows of which element `column` of row `row` is `0x1000 + 16 * row + column`.
fn numbered() -> [[u8; 16]; 8] {
    std::array::from_fn(|row| {
        std::array::from_fn(|byte| {
            let element = 0x1000 + 16 * row as u16 + (byte / 2) as u16;
            element.to_le_bytes()[byte % 2]
        })
    })
}

#[test]
fn a_lane_gets_two_neighbours_of_a_row() {
    // Figure 104: threads 0 to 3 have row 0, threads 4 to 7 row 1, and so on.
    let register = distribute(&numbered(), false);
    assert_eq!(register[0], 0x1001_1000);
    assert_eq!(register[1], 0x1003_1002);
    assert_eq!(register[3], 0x1007_1006);
    assert_eq!(register[4], 0x1011_1010);
    assert_eq!(register[31], 0x1077_1076);
}

#[test]
fn a_transposed_lane_gets_two_neighbours_of_a_column() {
    let register = distribute(&numbered(), true);
    assert_eq!(register[0], 0x1010_1000);
    assert_eq!(register[1], 0x1030_1020);
    assert_eq!(register[4], 0x1011_1001);
    assert_eq!(register[31], 0x1077_1067);
}

#[test]
fn storing_undoes_loading() {
    for transposed in [false, true] {
        assert_eq!(collect(&distribute(&numbered(), transposed), transposed), numbered());
    }
    let crossed = collect(&distribute(&numbered(), false), true);
    assert_eq!(u16::from_le_bytes([crossed[2][6], crossed[2][7]]), 0x1032);
}

#[test]
fn movmatrix_turns_rows_into_columns() {
    let register = distribute(&numbered(), false);
    assert_eq!(transpose(&register), distribute(&numbered(), true));
    assert_eq!(transpose(&transpose(&register)), register);
}
