//! Tests of the matrix instructions. The layouts that they decode with are written again from the
//! manual's prose, shape by shape, so that a wrong formula shows.

mod manual;
mod matrix_move;
mod mma;
mod numbers;
mod parsing;
mod values;
mod wmma;
