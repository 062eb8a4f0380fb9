//! The matrix instructions of a warp (PTX manual 9.7.14): `mma`, `mma.sp`, `wmma`, `ldmatrix`,
//! `stmatrix` and `movmatrix`, as pure functions over the registers of 32 lanes.
//!
//! Nothing here touches memory or a warp's state. An instruction's name is parsed once into a form,
//! which says how many registers each operand has, and the form then computes results from
//! registers. Where an instruction reads or writes memory, the form says which lane accesses which
//! element, and the engine does the accesses.
//!
//! Left out: block scaling (`kind::mxf8f6f4` and its kin), and the 8-bit and narrower matrices of
//! `ldmatrix` and `stmatrix`. Their names parse to nothing, never to something else.

mod arithmetic;
pub(crate) mod element;
mod fragment;
mod fused_sum;
pub(crate) mod matrix_move;
mod mma;
pub(crate) mod mma_form;
mod rounded_f64;
mod sparsity;
#[cfg(test)]
mod tests;
pub(crate) mod wmma;

/// A register of a warp, one value for each lane. Registers of 32 bits are zero-extended.
pub(crate) type WarpRegister = [u64; 32];
