//! Random kernels with their checks, run on the CPU engine. They are PTX: nothing here needs a CUDA compiler.

mod barrier_kernels;
mod curd_random;
mod hb_by_hand;
mod hb_random;
mod random;
