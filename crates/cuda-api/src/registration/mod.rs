//! What nvcc puts before and after `main`: registering fat binaries, kernels and variables.

mod entry_points;
pub(crate) mod wrapper;
