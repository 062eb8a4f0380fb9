//! One module per command.

pub(crate) mod check;
pub(crate) mod nvcc;
pub(crate) mod ptx;
pub(crate) mod run;
pub(crate) mod toolchain;
